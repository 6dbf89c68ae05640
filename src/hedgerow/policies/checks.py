"""Errors are raised at the edge, once, in a sentence with the value, before anything has changed."""

import inspect
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..core.arms import shown
from ..core.sums import LARGEST, LARGEST_SINGLE, PLAYS, SCALARS, SQUARES, row_size, second_moments
from ..core.tree import CLOCKS
from ..core.types import Decision, Floats, Label
from ..data.history import WITH_CONTEXTS, History, as_dimension
from .arrays import PRECISIONS, Layout
from .rules import D3RB, Rule

_NO_CONTEXT = np.zeros(0)
_FLOAT = np.dtype(np.float64)


def contextual(dimension: Any, history: Any) -> bool:
    """Whether a policy that may do either is to take contexts: if told so, or if its history has some."""
    return dimension is not None or (history is not None and as_history(history).dimension is not None)


def as_history(given: Any) -> History:
    """The history itself, or an error that tells how to make one."""
    if isinstance(given, History):
        return given
    how = "History.from_frame(frame, arm=, reward=)" if hasattr(given, "columns") else "History.from_file or History.from_rounds"
    raise ValueError(f"history must be a hedgerow.History, got {type(given).__name__}: make one with {how}")


def lacking(policy: Any, members: Iterable[str]) -> list[str]:
    """Those of these members that a policy of someone else's does not have."""
    return [member for member in members if not hasattr(policy, member)]


def dimension_for(rule: Rule, dimension: Any, history: History | None, name: str) -> int | None:
    """The length of a policy's context vectors: as given, else as in its history, else none."""
    given = as_dimension(dimension)
    if not rule.contextual:
        if given is not None:
            raise ValueError(f"{name} takes no contexts: leave dimension={given} out")
        return None
    inferred = given if given is not None or history is None else as_history(history).dimension
    if inferred is None:
        way = "" if history is None else f", or a history that has contexts, as this one has not: {WITH_CONTEXTS}"
        raise ValueError(f"{name} needs dimension=, the length of its context vectors{way}")
    return inferred


def history_rows(history: History | None, arms: Sequence[Label], dimension: int | None) -> Floats:
    """The rows of sums that a policy starts from."""
    if history is None:
        return np.zeros((len(arms), row_size(dimension)))
    return as_history(history).rows_for(arms, dimension)


def usable_history(rule: Rule, rows: Floats, layout: Layout) -> None:
    """Refuse a history for a rule that reads none, and one with rewards or contexts that the policy would refuse."""
    plays, total, squares = rows[:, :SCALARS].T
    if rule.number == D3RB and plays.any():
        raise ValueError("d3rb chooses among experts by what they earn, and reads no history: leave history out")
    if rule.unit and ((total < 0.0) | (total > plays) | (squares > total * (1.0 + 1e-9))).any():
        raise ValueError(f"{rule.name} is for rewards between 0 and 1, the history has others")
    if layout.precision == "single":
        _single_history(rows, layout.dimension or 0)


def _single_history(rows: Floats, dimension: int) -> None:
    """Refuse a history whose numbers are typically too large for single precision."""
    moments = np.diagonal(second_moments(rows, dimension), axis1=1, axis2=2)
    sizes = np.column_stack([rows[:, SQUARES], moments]) / np.maximum(rows[:, [PLAYS]], 1e-300)
    if (sizes >= LARGEST_SINGLE**2).any():
        raise ValueError(f'precision="single" needs rewards and contexts below {LARGEST_SINGLE:g}, the history has others')


def unit_reward(reward: Any) -> float:
    """A reward between 0 and 1, for rules that take no other."""
    value = checked_reward(reward)
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"klucb is for rewards between 0 and 1, got {reward!r}; use UCB or Auto for others")
    return value


def checked_reward(reward: Any, largest: float = LARGEST) -> float:
    """The reward as a number, or an error that names it."""
    if isinstance(reward, float) and -largest < reward < largest:
        return float(reward)  # a kernel takes NumPy's own kind of number more slowly
    if isinstance(reward, np.integer | np.floating | np.bool_):
        return checked_reward(float(reward), largest)
    if isinstance(reward, int) and -largest < reward < largest:
        return float(reward)
    raise ValueError(f"reward must be a finite number, and small enough to be squared, below {largest:g}, got {reward!r}")


def generator(rng: Any) -> np.random.Generator:
    """The caller's source of draws, or an error that tells how to make one."""
    if isinstance(rng, np.random.Generator):
        return rng
    raise ValueError(f"rng must be a numpy.random.Generator, e.g. numpy.random.default_rng(0), got {rng!r}")


def as_context(context: Any, dimension: int | None, name: str) -> Floats:
    """The context as an array of its own, empty for a policy without contexts; its numbers are not looked at."""
    if dimension is None:
        if context is None:
            return _NO_CONTEXT
        raise ValueError(f"{name} takes no context, got {context!r}")
    if type(context) is np.ndarray and context.dtype is _FLOAT and context.shape == (dimension,):
        return context.copy()
    if context is None:
        raise ValueError(f"{name} needs a context of {dimension} numbers, got none")
    try:
        x = np.array(context)
    except ValueError as error:
        raise ValueError(f"context must be {dimension} numbers, got {context!r}") from error
    if x.dtype.kind not in "fiub":
        raise ValueError(f"context must be {dimension} numbers, got {context!r}")
    if x.shape != (dimension,):
        raise ValueError(f"context must be {dimension} numbers, got shape {x.shape}")
    return x if x.dtype == np.float64 else x.astype(np.float64)


def checked_context(context: Any, dimension: int | None, name: str, largest: float = LARGEST) -> Floats:
    """The context as an array of its own, or an error that says what is wrong with it."""
    return usable_context(as_context(context, dimension, name), largest)


def usable_context(x: Floats, largest: float) -> Floats:
    """A context whose numbers can be used, or an error."""
    if not (np.abs(x) < largest).all():
        raise bad_context(x, largest)
    return x


def options(rule: Rule, clock: str, layout: Layout, *, clustered: bool, name: str) -> None:
    """Refuse what a rule has no use for, rather than ignore it."""
    precision = layout.precision
    if precision not in PRECISIONS:
        raise ValueError(f"precision must be one of {shown(PRECISIONS)}, got {precision!r}")
    if clock not in CLOCKS:
        raise ValueError(f"clock must be one of {shown(CLOCKS)}, got {clock!r}")
    if precision != "double" and rule.walk != "ridge":
        raise ValueError(f"precision is that of ridge regressions, which {name} has none of: leave it out")
    if clock != "policy" and rule.walk != "rewards":
        raise ValueError(f"the clock of {name} is always the policy's: leave clock out")
    if not layout.cluster_history and rule.walk not in ("rewards", "ridge"):
        raise ValueError(f"a cluster of {name} is what its arms say, their history included: leave cluster_history out")
    if rule.number == D3RB and clustered:
        raise ValueError("d3rb chooses among experts, which have no clusters: leave clusters out")


def bad_context(x: Floats, largest: float) -> ValueError:
    """What to raise for a context with numbers that cannot be used."""
    return ValueError(f"context must be finite, and small enough to be squared, below {largest:g}, got {x.tolist()}")


def own_decision(decision: Any, policy: Any, experts: Collection[str] = ()) -> None:
    """Refuse what is no decision, one of a policy that was made differently, and one that names other experts."""
    if not isinstance(decision, Decision):
        raise ValueError(f"{policy.name} needs a Decision that its select returned, got {decision!r}")
    if decision.policy != policy.identity:
        raise ValueError(
            f"this decision belongs to the policy {decision.policy!r}, not to {policy.identity!r}: "
            "it must come from a policy of the same kind, made with the same arms, clusters and settings"
        )
    if not isinstance(decision.experts, tuple):
        raise ValueError(f"the experts of a decision must be a tuple of names, got {decision.experts!r}")
    if experts and (not decision.experts or decision.experts[0] not in list(experts)):
        raise ValueError(f"the decision names no expert of {policy.name}, it has {decision.experts!r}")
    if decision.experts and not experts:
        raise ValueError(f"{policy.name} has no experts, the decision names {decision.experts!r}")


def same_policy(one: Any, other: Any, *, since: bool = False) -> None:
    """Refuse to merge a policy with itself, and policies that were made differently or have other arms by now.

    ``since``: the other is what both workers started from.
    """
    if one is other:
        raise ValueError("a policy cannot be merged with itself: all it learnt would be counted twice")
    if not isinstance(other, type(one)) or one.identity != other.identity:
        raise ValueError(
            f"only workers of the same policy can be merged: {one.identity!r} and {getattr(other, 'identity', other)!r}"
        )
    mine, theirs = (dict(zip(p.arms, p.clusters or p.arms, strict=True)) for p in (one, other))
    if mine != theirs:
        differ = [arm for arm in {**mine, **theirs} if mine.get(arm) != theirs.get(arm)]
        if since:
            raise ValueError(f"since has other arms or clusters than the workers, change it as they were: {shown(differ)}")
        raise ValueError(f"only workers with the same arms and clusters can be merged, these differ: {shown(differ)}")


def _fixed(make: Any) -> set[str]:
    """Keywords that a partial, or one within it, has fixed: they are the user's."""
    return set(make.keywords) | _fixed(make.func) if isinstance(make, partial) else set()


def accepted(make: Callable[..., Any], given: dict[str, Any]) -> dict[str, Any]:
    """Those of the given keywords that a constructor takes; one that is None is not given, and must not be needed."""
    parameters = inspect.signature(make).parameters.values()
    given = {key: value for key, value in given.items() if key not in _fixed(make)}
    for parameter in parameters:
        if parameter.default is parameter.empty and given.get(parameter.name, True) is None:
            name = getattr(make, "__name__", "the policy")
            raise ValueError(f"{name} needs {parameter.name}, and this problem has none: play it on another")
    given = {key: value for key, value in given.items() if value is not None}
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return given
    names = {parameter.name for parameter in parameters}
    return {key: value for key, value in given.items() if key in names}
