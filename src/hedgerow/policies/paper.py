"""The paper's policies under the paper's names: those without contexts, and META; paper_linear.py has those with contexts."""

from collections.abc import Iterable
from typing import Any

from ..core.arms import Clusters
from ..core.types import Arm
from ..data.encoding import as_encoding
from ..data.history import History
from .bandit import Bandit
from .checks import contextual
from .forgetting.half_life import HalfLifeLike
from .meta import Meta
from .paper_linear import HLinUCB, HLinUCBC
from .registry import rule


def UCB(
    arms: Iterable[Arm],
    *,
    scale: float | str = 1.0,
    explore: float = 0.0,
    half_life: HalfLifeLike = None,
) -> Bandit[Arm]:
    """UCB1: no history, no clusters.

    Args:
        arms: Distinct labels.
        scale: Noise of the rewards, as a standard deviation: multiplies the bonus. "auto" estimates it, "auto/4" takes a quarter.
        explore: Share of the decisions that is drawn uniformly among the arms; a decision names its propensity.
        half_life: After how long a round counts half: a number of decisions, a timedelta, or "auto", which finds out itself.

    Returns:
        A policy.

    Raises:
        ValueError: Something given makes no sense; the message says what.

    Examples:
        >>> import hedgerow as hr
        >>> policy = hr.UCB(["a", "b"])
        >>> policy.update(policy.select(), reward=1.0)
    """
    return Bandit(arms, rule("ucb", {"scale": scale}), explore=explore, half_life=half_life, name="UCB")


def HUCB(
    arms: Iterable[Arm],
    *,
    history: History | None = None,
    scale: float | str = 1.0,
    explore: float = 0.0,
    half_life: HalfLifeLike = None,
) -> Bandit[Arm]:
    """UCB that starts from history, eqs. (2) and (3).

    Args:
        arms: Distinct labels.
        history: What was played before.
        scale: Noise of the rewards, as a standard deviation: multiplies the bonus. "auto" estimates it, "auto/4" takes a quarter.
        explore: Share of the decisions that is drawn uniformly among the arms; a decision names its propensity.
        half_life: After how long a round counts half: a number of decisions, a timedelta, or "auto", which finds out itself.

    Returns:
        A policy.

    Raises:
        ValueError: Something given makes no sense; the message says what.

    Examples:
        >>> import hedgerow as hr
        >>> log = hr.History.from_rounds(arms=["a", "b", "b"], rewards=[0.0, 1.0, 1.0])
        >>> hr.HUCB(["a", "b"], history=log, scale=0.1).select().arm
        'b'
    """
    return Bandit(arms, rule("ucb", {"scale": scale}), history=history, explore=explore, half_life=half_life, name="HUCB")


def UCBC(
    arms: Iterable[Arm],
    *,
    clusters: Clusters | None = None,
    scale: float | str = 1.0,
    explore: float = 0.0,
    half_life: HalfLifeLike = None,
) -> Bandit[Arm]:
    """UCB over clusters, then over the arms of the chosen one.

    Args:
        arms: Distinct labels.
        clusters: The cluster of each arm, in order, or a mapping arm -> cluster; tuples nest deeper. None: no clusters.
        scale: Noise of the rewards, as a standard deviation: multiplies the bonus. "auto" estimates it, "auto/4" takes a quarter.
        explore: Share of the decisions that is drawn uniformly among the arms; a decision names its propensity.
        half_life: After how long a round counts half: a number of decisions, a timedelta, or "auto", which finds out itself.

    Returns:
        A policy.

    Raises:
        ValueError: Something given makes no sense; the message says what.

    Examples:
        >>> import hedgerow as hr
        >>> policy = hr.UCBC(["a", "b", "c"], clusters=["x", "x", "y"])
        >>> policy.select().cluster
        'x'
    """
    return Bandit(arms, rule("ucb", {"scale": scale}), clusters=clusters, explore=explore, half_life=half_life, name="UCBC")


def HUCBC(
    arms: Iterable[Arm],
    *,
    clusters: Clusters | None = None,
    history: History | None = None,
    scale: float | str = 1.0,
    explore: float = 0.0,
    half_life: HalfLifeLike = None,
) -> Bandit[Arm]:
    """UCB over clusters and their arms, both starting from history, Algorithm 1.

    Args:
        arms: Distinct labels.
        clusters: The cluster of each arm, in order, or a mapping arm -> cluster; tuples nest deeper. None: no clusters.
        history: What was played before.
        scale: Noise of the rewards, as a standard deviation: multiplies the bonus. "auto" estimates it, "auto/4" takes a quarter.
        explore: Share of the decisions that is drawn uniformly among the arms; a decision names its propensity.
        half_life: After how long a round counts half: a number of decisions, a timedelta, or "auto", which finds out itself.

    Returns:
        A policy.

    Raises:
        ValueError: Something given makes no sense; the message says what.

    Examples:
        >>> import hedgerow as hr
        >>> policy = hr.HUCBC(["a", "b", "c"], clusters=["x", "x", "y"])
        >>> policy.select().cluster
        'x'
    """
    return Bandit(
        arms,
        rule("ucb", {"scale": scale}),
        clusters=clusters,
        history=history,
        explore=explore,
        half_life=half_life,
        name="HUCBC",
    )


def HUCBCPrime(
    arms: Iterable[Arm],
    *,
    clusters: Clusters | None = None,
    history: History | None = None,
    scale: float | str = 1.0,
    explore: float = 0.0,
    half_life: HalfLifeLike = None,
) -> Bandit[Arm]:
    """HUCBC': UCB without history between clusters, HUCB inside, as in the theorem on adversarial clustering.

    Args:
        arms: Distinct labels.
        clusters: The cluster of each arm, in order, or a mapping arm -> cluster; tuples nest deeper. None: no clusters.
        history: What was played before.
        scale: Noise of the rewards, as a standard deviation: multiplies the bonus. "auto" estimates it, "auto/4" takes a quarter.
        explore: Share of the decisions that is drawn uniformly among the arms; a decision names its propensity.
        half_life: After how long a round counts half: a number of decisions, a timedelta, or "auto", which finds out itself.

    Returns:
        A policy.

    Raises:
        ValueError: Something given makes no sense; the message says what.

    Examples:
        >>> import hedgerow as hr
        >>> policy = hr.HUCBCPrime(["a", "b", "c"], clusters=["x", "x", "y"])
        >>> policy.select().cluster
        'x'
    """
    given: dict[str, Any] = {"clusters": clusters, "history": history, "cluster_history": False}
    return Bandit(arms, rule("ucb", {"scale": scale}), **given, explore=explore, half_life=half_life, name="HUCBCPrime")


def META(
    arms: Iterable[Arm],
    *,
    clusters: Clusters | None = None,
    history: History | None = None,
    dimension: int | None = None,
    context: Any = None,
    alpha: float | None = None,
    rule: str = "ucb",
    scale: float | str | None = None,
    expert_scale: float | str | None = None,
    shared: bool = True,
    explore: float = 0.0,
    half_life: HalfLifeLike = None,
) -> Meta[Arm]:
    """UCB over two experts, the clustered one and the flat one, both starting from history (section META).

    Without contexts the experts are HUCBC and HUCB; with ``dimension``, ``context`` or a history with contexts, HLinUCBC and
    HLinUCB.

    Args:
        arms: Distinct labels.
        clusters: The cluster of each arm, in order, or a mapping arm -> cluster; tuples nest deeper. None: no clusters.
        history: What was played before.
        dimension: Length of the contexts, for experts with contexts; taken from ``context`` or the history if left out.
        context: How raw contexts are read: an ``Encoding``, or what ``Encoding.of`` takes, such as a frame of some contexts.
        alpha: Width of the bonus of experts with contexts, in standard errors; 1 if left out.
        rule: How an expert is chosen: "ucb", or "d3rb", which gives up a clearly bad expert sooner.
        scale: Noise of the rewards, as the chooser takes it; "auto" estimates it, "auto/4" takes a quarter.
        expert_scale: Noise of the rewards, as experts without contexts take it; 1 if left out.
        shared: Whether both experts learn from every round.
        explore: Share of the decisions that is drawn uniformly among the arms; a decision names its propensity.
        half_life: After how long a round counts half: a number of decisions, a timedelta, or "auto", which finds out itself.

    Returns:
        A policy over two policies.

    Raises:
        ValueError: Something given makes no sense; the message says what.

    Examples:
        >>> import hedgerow as hr
        >>> policy = hr.META(["a", "b", "c"], clusters=["x", "x", "y"])
        >>> policy.select().cluster
        'x'
    """
    labels = list(arms)
    if not contextual(dimension, history, context):
        if alpha is not None:
            raise ValueError(
                f"alpha is for experts with contexts: give expert_scale instead of {alpha!r}, or dimension or context"
            )
        width = 1.0 if expert_scale is None else expert_scale
        experts = [
            HUCBC(labels, clusters=clusters, history=history, scale=width, half_life=half_life),
            HUCB(labels, history=history, scale=width, half_life=half_life),
        ]
    else:
        if expert_scale is not None:
            raise ValueError(f"expert_scale is for experts without contexts: give alpha instead of {expert_scale!r}")
        read = None if context is None else as_encoding(context)  # once for both, as a sample may be large
        known: dict[str, Any] = {"history": history, "dimension": dimension, "context": read, "half_life": half_life}
        known["alpha"] = 1.0 if alpha is None else alpha
        experts = [HLinUCBC(labels, clusters=clusters, **known), HLinUCB(labels, **known)]
    return Meta(experts, rule=rule, scale=scale, shared=shared, explore=explore, half_life=half_life)
