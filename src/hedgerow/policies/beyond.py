"""Policies beyond the paper, under their names; ``docs/policies.md`` says which to use when."""

from collections.abc import Iterable
from typing import Any

from ..core.arms import Clusters
from ..core.types import Label
from ..data.history import History
from .bandit import Bandit
from .checks import contextual
from .registry import rule


def MINUCB(
    arms: Iterable[Label],
    *,
    bias: float,
    clusters: Clusters | None = None,
    history: History | None = None,
    scale: float | str = 1.0,
) -> Bandit:
    """UCB that uses history as far as its means may be off by at most ``bias``, and else its own rounds.

    Args:
        arms: Distinct labels.
        bias: How far, at most, the history's means may be off, in units of the reward.
        clusters: One label for each arm, or a mapping arm -> label; tuples nest deeper. None: no clusters.
        history: What was played before.
        scale: Noise of the rewards, as a standard deviation: multiplies the bonus. "auto" estimates it.

    Returns:
        A policy.

    Raises:
        ValueError: Something given makes no sense; the message says what.

    Examples:
        >>> import hedgerow as hr
        >>> log = hr.History.from_rounds(arms=["a"] * 1000, rewards=[1.0] * 1000)
        >>> policy = hr.MINUCB(["a", "b"], bias=0.5, history=log)
    """
    return Bandit(arms, rule("minucb", {"bias": bias, "scale": scale}), clusters=clusters, history=history, name="MINUCB")


def BAST(
    arms: Iterable[Label],
    *,
    diameter: float,
    clusters: Clusters | None = None,
    history: History | None = None,
    scale: float | str = 1.0,
) -> Bandit:
    """UCB whose arms in a cluster differ by at most ``diameter``: near HUCBC at 0, HUCB at infinity.

    Args:
        arms: Distinct labels.
        diameter: How far the means of a cluster's arms may lie apart, in units of the reward.
        clusters: One label for each arm, or a mapping arm -> label; tuples nest deeper. None: no clusters.
        history: What was played before.
        scale: Noise of the rewards, as a standard deviation: multiplies the bonus. "auto" estimates it.

    Returns:
        A policy.

    Raises:
        ValueError: Something given makes no sense; the message says what.

    Examples:
        >>> import hedgerow as hr
        >>> hr.BAST(["a", "b", "c"], clusters=["x", "x", "y"], diameter=0.1).select().cluster
        'x'
    """
    return Bandit(arms, rule("bast", {"diameter": diameter, "scale": scale}), clusters=clusters, history=history, name="BAST")


def TSC(
    arms: Iterable[Label], *, clusters: Clusters | None = None, history: History | None = None, scale: float | str = "auto"
) -> Bandit:
    """Thompson sampling over clusters, then over the arms of the chosen one; clusters of clusters make it HTS.

    Args:
        arms: Distinct labels.
        clusters: One label for each arm, or a mapping arm -> label; tuples nest deeper. None: no clusters.
        history: What was played before.
        scale: Noise of the rewards, as a standard deviation; "auto" estimates it.

    Returns:
        A policy.

    Raises:
        ValueError: Something given makes no sense; the message says what.

    Examples:
        >>> import hedgerow as hr
        >>> policy = hr.TSC(["a", "b", "c"], clusters=["x", "x", "y"])
        >>> policy.update(policy.select(), reward=1.0)
    """
    return Bandit(arms, rule("thompson", {"scale": scale}), clusters=clusters, history=history, name="TSC")


def LinTSC(
    arms: Iterable[Label],
    *,
    clusters: Clusters | None = None,
    history: History | None = None,
    dimension: int | None = None,
    alpha: float = 1.0,
    precision: str = "double",
) -> Bandit:
    """Thompson sampling over ridge regressions of clusters, then of their arms.

    Args:
        arms: Distinct labels.
        clusters: One label for each arm, or a mapping arm -> label; tuples nest deeper. None: no clusters.
        history: What was played before.
        dimension: Length of the contexts; taken from the history if left out.
        alpha: Width of the draws, in standard errors.
        precision: Of theta and the inverse matrices, "double" or "single".

    Returns:
        A policy.

    Raises:
        ValueError: Something given makes no sense; the message says what.

    Examples:
        >>> import hedgerow as hr
        >>> policy = hr.LinTSC(["a", "b"], dimension=2)
        >>> policy.update(policy.select([1.0, 0.5]), reward=1.0)
    """
    given: dict[str, Any] = {"clusters": clusters, "history": history, "dimension": dimension, "precision": precision}
    return Bandit(arms, rule("lints", {"alpha": alpha}), **given, name="LinTSC")


def UCBV(
    arms: Iterable[Label], *, clusters: Clusters | None = None, history: History | None = None, reward_range: float = 1.0
) -> Bandit:
    """UCB-V: the bonus follows each arm's own variance.

    Args:
        arms: Distinct labels.
        clusters: One label for each arm, or a mapping arm -> label; tuples nest deeper. None: no clusters.
        history: What was played before.
        reward_range: Width of the interval that rewards lie in: maximum minus minimum.

    Returns:
        A policy.

    Raises:
        ValueError: Something given makes no sense; the message says what.

    Examples:
        >>> import hedgerow as hr
        >>> policy = hr.UCBV(["a", "b"], reward_range=5.0)
        >>> policy.update(policy.select(), reward=4.0)
    """
    return Bandit(arms, rule("ucbv", {"reward_range": reward_range}), clusters=clusters, history=history, name="UCBV")


def KLUCB(arms: Iterable[Label], *, clusters: Clusters | None = None, history: History | None = None) -> Bandit:
    """KL-UCB, for rewards in [0, 1]; sharp for 0/1 ones.

    Args:
        arms: Distinct labels.
        clusters: One label for each arm, or a mapping arm -> label; tuples nest deeper. None: no clusters.
        history: What was played before.

    Returns:
        A policy.

    Raises:
        ValueError: Something given makes no sense; the message says what.

    Examples:
        >>> import hedgerow as hr
        >>> policy = hr.KLUCB(["a", "b"])
        >>> policy.update(policy.select(), reward=1.0)
    """
    return Bandit(arms, rule("klucb", {}), clusters=clusters, history=history, name="KLUCB")


def HierUCB(arms: Iterable[Label], *, clusters: Clusters | None = None, history: History | None = None) -> Bandit:
    """Arms that are alike within clusters, as far as the data say so; nothing is to be tuned.

    Of clusters within clusters the innermost count.

    Args:
        arms: Distinct labels.
        clusters: One label for each arm, or a mapping arm -> label; tuples nest deeper. None: no clusters.
        history: What was played before.

    Returns:
        A policy.

    Raises:
        ValueError: Something given makes no sense; the message says what.

    Examples:
        >>> import hedgerow as hr
        >>> policy = hr.HierUCB(["a", "b", "c"], clusters=["x", "x", "y"])
        >>> policy.update(policy.select(), reward=1.0)
    """
    return Bandit(arms, rule("hierucb", {}), clusters=clusters, history=history, name="HierUCB")


def HierLinUCB(
    arms: Iterable[Label],
    *,
    clusters: Clusters | None = None,
    history: History | None = None,
    dimension: int | None = None,
    weights: str | bool = "auto",
) -> Bandit:
    """Linear rewards whose arms are alike within clusters, as far as the data say so; nothing is to be tuned.

    theta_k ~ N(theta_cluster, e^2 I), theta_cluster ~ N(0, s^2 I), r = a + theta_k'x + noise. It estimates e, s, a and the noise,
    and whether arms have levels of their own where nothing in the contexts is constant.

    Args:
        arms: Distinct labels.
        clusters: One label for each arm, or a mapping arm -> label; tuples nest deeper. None: no clusters.
        history: What was played before.
        dimension: Length of the contexts; taken from the history if left out.
        weights: "auto": where the noise grows with the mean, rounds weigh by one over their variance; False: all weigh the same.

    Returns:
        A policy.

    Raises:
        ValueError: Something given makes no sense; the message says what.

    Examples:
        >>> import hedgerow as hr
        >>> policy = hr.HierLinUCB(["a", "b"], dimension=2)
        >>> policy.update(policy.select([1.0, 0.5]), reward=1.0)
    """
    given: dict[str, Any] = {"clusters": clusters, "history": history, "dimension": dimension}
    return Bandit(arms, rule("hierlinucb", {"weights": weights}), **given, name="HierLinUCB")


def Auto(
    arms: Iterable[Label], *, clusters: Clusters | None = None, history: History | None = None, dimension: int | None = None
) -> Bandit:
    """The policy we recommend when nothing is known about the grouping or the history: HierUCB, with contexts HierLinUCB.

    It finds out online how far either can be trusted, and needs neither a scale nor tuning.

    Args:
        arms: Distinct labels.
        clusters: One label for each arm, or a mapping arm -> label; tuples nest deeper. None: no clusters.
        history: What was played before.
        dimension: Length of the contexts; without it, and with a history without contexts, there are none.

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
    """
    if not contextual(dimension, history):
        return Bandit(arms, rule("hierucb", {}), clusters=clusters, history=history, name="Auto")
    return Bandit(
        arms, rule("hierlinucb", {"weights": "auto"}), clusters=clusters, history=history, dimension=dimension, name="Auto"
    )
