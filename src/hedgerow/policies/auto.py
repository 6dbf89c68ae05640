"""Auto, the policy for everyday use, and the two hierarchical models it chooses between."""

from collections.abc import Iterable
from typing import Any

from ..core.arms import Clusters
from ..core.types import Arm
from ..data.history import History
from .bandit import Bandit
from .checks import contextual
from .forgetting.half_life import HalfLifeLike
from .registry import rule


def HierUCB(
    arms: Iterable[Arm],
    *,
    clusters: Clusters | None = None,
    history: History | None = None,
    explore: float = 0.0,
    half_life: HalfLifeLike = None,
) -> Bandit[Arm]:
    """Arms that are alike within clusters, as far as the data say so; nothing is to be tuned.

    Args:
        arms: Distinct labels.
        clusters: The cluster of each arm, in order, or a mapping arm -> cluster; tuples nest deeper. None: no clusters.
        history: What was played before.
        explore: Share of the decisions that is drawn uniformly among the arms; a decision names its propensity.
        half_life: After how long a round counts half: a number of decisions, a timedelta, or "auto", which finds out itself.

    Returns:
        A policy.

    Raises:
        ValueError: Something given makes no sense; the message says what.

    Examples:
        >>> import hedgerow as hr
        >>> policy = hr.HierUCB(["a", "b", "c"], clusters=["x", "x", "y"])
        >>> policy.update(policy.select(), reward=1.0)
    """
    return Bandit(
        arms, rule("hierucb", {}), clusters=clusters, history=history, explore=explore, half_life=half_life, name="HierUCB"
    )


def HierLinUCB(
    arms: Iterable[Arm],
    *,
    clusters: Clusters | None = None,
    history: History | None = None,
    dimension: int | None = None,
    context: Any = None,
    weights: str | bool = "auto",
    explore: float = 0.0,
    half_life: HalfLifeLike = None,
) -> Bandit[Arm]:
    """Linear rewards whose arms are alike within clusters, as far as the data say so; nothing is to be tuned.

    theta_k ~ N(theta_cluster, e^2 I), theta_cluster ~ N(0, s^2 I), r = a + theta_k'x + noise. It estimates e, s, a and the noise,
    and whether arms have levels of their own where nothing in the contexts is constant.

    Args:
        arms: Distinct labels.
        clusters: The cluster of each arm, in order, or a mapping arm -> cluster; tuples nest deeper. None: no clusters.
        history: What was played before.
        dimension: Length of the contexts; taken from ``context`` or the history if left out.
        context: How raw contexts are read: an ``Encoding``, or what ``Encoding.of`` takes, such as a frame of some contexts.
        weights: "auto": where the noise grows with the mean, rounds weigh by one over their variance; False: all weigh the same.
        explore: Share of the decisions that is drawn uniformly among the arms; a decision names its propensity.
        half_life: After how long a round counts half: a number of decisions, a timedelta, or "auto", which finds out itself.

    Returns:
        A policy.

    Raises:
        ValueError: Something given makes no sense; the message says what.

    Examples:
        >>> import hedgerow as hr
        >>> policy = hr.HierLinUCB(["a", "b"], dimension=2)
        >>> policy.update(policy.select([1.0, 0.5]), reward=1.0)
    """
    given: dict[str, Any] = {"clusters": clusters, "history": history, "dimension": dimension, "context": context}
    return Bandit(
        arms, rule("hierlinucb", {"weights": weights}), **given, explore=explore, half_life=half_life, name="HierLinUCB"
    )


def Auto(
    arms: Iterable[Arm],
    *,
    clusters: Clusters | None = None,
    history: History | None = None,
    dimension: int | None = None,
    context: Any = None,
    explore: float = 0.0,
    half_life: HalfLifeLike = None,
) -> Bandit[Arm]:
    """The policy we recommend when nothing is known about the grouping or the history: HierUCB, with contexts HierLinUCB.

    It finds out online how far either can be trusted, and needs neither a scale nor tuning.

    Args:
        arms: Distinct labels.
        clusters: The cluster of each arm, in order, or a mapping arm -> cluster; tuples nest deeper. None: no clusters.
        history: What was played before.
        dimension: Length of the contexts; without it, without ``context`` and with a history without contexts, there are none.
        context: How raw contexts are read: an ``Encoding``, or what ``Encoding.of`` takes, such as a frame of some contexts.
        explore: Share of the decisions that is drawn uniformly among the arms; a decision names its propensity.
        half_life: After how long a round counts half: a number of decisions, a timedelta, or "auto", which finds out itself.

    Returns:
        A policy.

    Raises:
        ValueError: Something given makes no sense; the message says what.

    Examples:
        >>> import hedgerow as hr
        >>> policy = hr.Auto(["ad-1", "ad-2", "ad-3"], clusters=["news", "news", "sport"])
        >>> policy.update(policy.select(), reward=1.0)
        >>> hr.Auto(["a", "b"], dimension=3).select([0.2, 1.0, 0.0]).arm
        'a'
        >>> policy = hr.Auto(["a", "b"], context={"age": "number", "device": ["mobile", "desktop"]})
        >>> policy.update(policy.select({"age": 31, "device": "mobile"}), reward=1.0)
    """
    if not contextual(dimension, history, context):
        return Bandit(
            arms, rule("hierucb", {}), clusters=clusters, history=history, explore=explore, half_life=half_life, name="Auto"
        )
    return Bandit(
        arms,
        rule("hierlinucb", {"weights": "auto"}),
        clusters=clusters,
        history=history,
        dimension=dimension,
        context=context,
        explore=explore,
        half_life=half_life,
        name="Auto",
    )
