"""What a policy can be made of, and whose decisions and workers it takes: errors with the value and the way out."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.labels import shown
from ..core.sums import LARGEST, LARGEST_SINGLE, PLAYS, SQUARES, row_size, scalars_of, second_moments
from ..core.types import Decision, Floats, Label
from ..data.encoding import Encoding, as_encoding, check_alike
from ..data.history import History
from ..data.history_fit import WITH_CONTEXTS
from ..data.rounds import as_dimension
from .registry import Rule

PRECISIONS = {"double": np.float64, "single": np.float32}
NO_EXPERTS: Mapping[str, Any] = {}
LARGEST_IN = {"double": LARGEST, "single": LARGEST_SINGLE}
"""What rewards and contexts must be smaller than."""


def contextual(dimension: Any, history: Any, context: Any = None) -> bool:
    """Whether a policy that may do either is to take contexts: if told so, or if its history has some.

    Args:
        dimension: Length of the contexts, if given.
        history: The history, if given.
        context: How contexts are read, if given.

    Returns:
        Whether there are contexts.
    """
    return dimension is not None or context is not None or (history is not None and as_history(history).dimension is not None)


def as_history(given: Any) -> History:
    """The history itself, or an error that tells how to make one.

    Args:
        given: What the user gave.

    Returns:
        The history.

    Raises:
        ValueError: It is none.
    """
    if isinstance(given, History):
        return given
    how = "History.from_frame(frame, arm=, reward=)" if hasattr(given, "columns") else "History.from_file or History.from_rounds"
    raise ValueError(f"history must be a hedgerow.History, got {type(given).__name__}: make one with {how}")


def encoding_for(context: Any, history: History | None, name: str) -> Encoding | None:
    """How a policy reads raw contexts: as given, else as its history did.

    Args:
        context: An encoding, a sample, or None.
        history: What the policy starts from.
        name: What it is called, for messages.

    Returns:
        An encoding, or None.

    Raises:
        ValueError: There is no such encoding, or the history reads contexts otherwise.
    """
    found = None if history is None else as_history(history).encoding
    if context is None:
        return None if found is None or history is None else measured(found, history)
    encoding = as_encoding(context)
    if history is None or history.dimension is None or not history.arms:
        return encoding
    refusal = f"{name} is to read contexts as context= says, its history reads them differently"
    check_alike(encoding, found, refusal, "make the history with context= the same encoding, or leave context= out")
    return measured(encoding, history) if history.dimension == encoding.dimension else encoding


def measured(encoding: Encoding, history: History) -> Encoding:
    """An encoding that takes the means of a history for missing numbers, where it knows no others.

    Args:
        encoding: How the history reads contexts.
        history: The history.

    Returns:
        An encoding of its own, which counts for itself.
    """
    plays, dimension = history.sums[:, PLAYS].sum(), encoding.dimension
    return encoding.with_means(history.sums[:, -dimension:].sum(axis=0) / plays) if plays > 0.0 else as_encoding(encoding)


def dimension_for(rule: Rule, dimension: Any, history: History | None, name: str, encoding: Encoding | None = None) -> int | None:
    """The length of a policy's context vectors: as given, else as its contexts are read, else as in its history, else none.

    Args:
        rule: How the policy chooses.
        dimension: What the user gave.
        history: What the policy starts from.
        name: What it is called, for messages.
        encoding: How it reads raw contexts, if the user said so.

    Returns:
        The length, None for none.

    Raises:
        ValueError: The rule needs another, or none.
    """
    given = as_dimension(dimension)
    if not rule.kind.contextual:
        if given is not None:
            raise ValueError(f"{name} takes no contexts: leave dimension={given} out")
        if encoding is not None:
            raise ValueError(f"{name} takes no contexts: leave context= out, or use LinUCB, HLinUCBC or Auto")
        return None
    if encoding is not None:
        if given not in (None, encoding.dimension):
            found = f"{encoding.dimension} numbers, {shown(encoding.names)}"
            raise ValueError(f"context= gives {found}, and dimension={given} differs: leave dimension= out")
        return encoding.dimension
    inferred = given if given is not None or history is None else as_history(history).dimension
    if inferred is None:
        way = "" if history is None else f", or a history that has contexts, as this one has not: {WITH_CONTEXTS}"
        raise ValueError(f"{name} needs dimension=, the length of its context vectors, or context=, a sample of raw ones{way}")
    return inferred


def history_rows(history: History | None, arms: Sequence[Label], dimension: int | None) -> Floats:
    """The rows of sums that a policy starts from.

    Args:
        history: The history, or None.
        arms: The arms, in their order.
        dimension: Length of the contexts.

    Returns:
        A row for each arm.

    Raises:
        ValueError: It has other arms or contexts.
    """
    if history is None:
        return np.zeros((len(arms), row_size(dimension)))
    return as_history(history).rows_for(arms, dimension)


def usable_history(rule: Rule, rows: Floats, precision: str, dimension: int | None) -> None:
    """Refuse a history for a rule that reads none, and one with rewards or contexts that the policy would refuse.

    Args:
        rule: How the policy chooses.
        rows: The sums of each arm.
        precision: Of the rows it derives.
        dimension: Length of the contexts.

    Raises:
        ValueError: The history cannot be used.
    """
    plays, total, squares = scalars_of(rows).T
    if not rule.kind.reads_history and plays.any():
        raise ValueError(f"{rule.name} chooses among experts by what they earn, and reads no history: leave history out")
    if rule.kind.unit_rewards and ((total < 0.0) | (total > plays) | (squares > total * (1.0 + 1e-9))).any():
        raise ValueError(f"{rule.name} is for rewards between 0 and 1, the history has others")
    if precision == "single":
        _single_history(rows, dimension or 0)


def _single_history(rows: Floats, dimension: int) -> None:
    """Refuse a history whose numbers are typically too large for single precision."""
    moments = np.diagonal(second_moments(rows, dimension), axis1=1, axis2=2)
    sizes = np.column_stack([rows[:, SQUARES], moments]) / np.maximum(rows[:, [PLAYS]], 1e-300)
    if (sizes >= LARGEST_SINGLE**2).any():
        raise ValueError(f'precision="single" needs rewards and contexts below {LARGEST_SINGLE:g}, the history has others')


def options(rule: Rule, *, precision: str, cluster_history: bool, clustered: bool, name: str) -> None:
    """Refuse what a rule has no use for, rather than ignore it.

    Args:
        rule: How the policy chooses.
        precision: Of the rows it derives.
        cluster_history: Whether clusters start with the history of their arms.
        clustered: Whether there are clusters.
        name: What the policy is called, for messages.

    Raises:
        ValueError: The rule has no use for one of them.
    """
    if precision not in PRECISIONS:
        raise ValueError(f"precision must be one of {shown(PRECISIONS)}, got {precision!r}")
    if precision not in rule.kind.precisions:
        raise ValueError(f"{name} has no precision to choose, only policies with ridge regressions have: leave precision out")
    if not cluster_history and not rule.kind.cluster_history:
        raise ValueError(f"{name} knows clusters by their arms, with all their history: leave cluster_history out")
    if clustered and not rule.kind.reads_clusters:
        raise ValueError(f"{rule.name} chooses among experts, which have no clusters: leave clusters out")


def own_decision(decision: Any, policy: Any, experts: Mapping[str, Any] = NO_EXPERTS) -> None:
    """Refuse what is no decision, one of a policy that was made differently, and one that names other experts.

    A decision that names no policy is one that somebody else made: any policy can learn from it.

    Args:
        decision: What the user gave.
        policy: The policy it is to belong to.
        experts: Its experts by name, of a Meta.

    Raises:
        ValueError: It does not.
    """
    if not isinstance(decision, Decision):
        raise ValueError(f"{policy.name} needs a Decision that its select returned, got {decision!r}")
    if decision.policy == "" and not decision.experts:
        return
    if decision.policy != policy.identity:
        raise ValueError(
            f"this decision belongs to the policy {decision.policy!r}, not to {policy.identity!r}: "
            "it must come from a policy of the same kind, made with the same arms, clusters and settings"
        )
    if not isinstance(decision.experts, tuple):
        raise ValueError(f"the experts of a decision must be a tuple of names, got {decision.experts!r}")
    if not (decision.explored is True and decision.experts == ()):  # a drawn arm follows no expert
        _own_experts(decision.experts, policy.name, experts)


def _own_experts(named: tuple[Any, ...], name: str, experts: Mapping[str, Any]) -> None:
    """Refuse names of experts that a policy, or an expert of it, does not have."""
    if experts and (not named or named[0] not in list(experts)):
        raise ValueError(f"the decision names no expert of {name}, it has {named!r}")
    if named and not experts:
        raise ValueError(f"{name} has no experts, the decision names {named!r}")
    if named:
        expert = experts[named[0]]
        _own_experts(named[1:], expert.name, getattr(expert, "experts", NO_EXPERTS))


def same_policy(one: Any, other: Any, *, since: bool = False) -> None:
    """Refuse to merge a policy with itself, and policies that were made differently or have other arms by now.

    ``since``: the other is what both workers started from.

    Args:
        one: A policy.
        other: The other.
        since: Whether the other is what both workers started from.

    Raises:
        ValueError: They do not belong together.
    """
    if one is other:
        raise ValueError("a policy cannot be merged with itself: all it learnt would be counted twice")
    if not isinstance(other, type(one)) or one.identity != other.identity:
        raise ValueError(
            f"only workers of the same policy can be merged: {one.identity!r} and {getattr(other, 'identity', other)!r}"
        )
    mine, theirs = (dict(zip(p.arms, p.clusters or p.arms, strict=True)) for p in (one, other))
    if differ := [arm for arm in mine if arm in theirs and mine[arm] != theirs[arm]]:
        whose = "since has arms in other clusters than the workers" if since else "the workers have arms in other clusters"
        raise ValueError(f"{whose}, assign the same clusters first: {shown(differ)}")
