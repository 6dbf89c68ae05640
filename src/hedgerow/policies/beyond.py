"""Policies beyond the paper, under their names; ``docs/policies.md`` says which to use when."""

from collections.abc import Iterable

from ..core.arms import Clusters
from ..core.types import Label
from ..data.history import History
from .bandit import Bandit
from .checks import contextual
from .rules import bast, hierlinucb, hierucb, klucb, lints, minucb, thompson, ucbv


def MINUCB(
    arms: Iterable[Label],
    *,
    bias: float,
    clusters: Clusters | None = None,
    history: History | None = None,
    scale: float | str = 1.0,
) -> Bandit:
    """UCB that uses history as far as its means may be off by at most ``bias``, and else its own rounds.

    >>> import hedgerow as hr
    >>> log = hr.History.from_rounds(arms=["a"] * 1000, rewards=[1.0] * 1000)
    >>> policy = hr.MINUCB(["a", "b"], bias=0.5, history=log)
    """
    return Bandit(arms, minucb(bias, scale), clusters=clusters, history=history, name="MINUCB")


def BAST(
    arms: Iterable[Label],
    *,
    diameter: float,
    clusters: Clusters | None = None,
    history: History | None = None,
    scale: float | str = 1.0,
) -> Bandit:
    """UCB whose arms in a cluster differ by at most ``diameter``: near HUCBC at 0, HUCB at infinity."""
    return Bandit(arms, bast(diameter, scale), clusters=clusters, history=history, name="BAST")


def TSC(
    arms: Iterable[Label],
    *,
    clusters: Clusters | None = None,
    history: History | None = None,
    scale: float | str = "auto",
) -> Bandit:
    """Thompson sampling over clusters, then over the arms of the chosen one; clusters of clusters make it HTS."""
    return Bandit(arms, thompson(scale), clusters=clusters, history=history, name="TSC")


def LinTSC(
    arms: Iterable[Label],
    *,
    clusters: Clusters | None = None,
    history: History | None = None,
    dimension: int | None = None,
    alpha: float = 1.0,
    precision: str = "double",
) -> Bandit:
    """Thompson sampling over ridge regressions of clusters, then of their arms."""
    return Bandit(arms, lints(alpha), clusters=clusters, history=history, dimension=dimension, precision=precision, name="LinTSC")


def UCBV(
    arms: Iterable[Label], *, clusters: Clusters | None = None, history: History | None = None, reward_range: float = 1.0
) -> Bandit:
    """UCB-V: the bonus follows each arm's own variance; ``reward_range`` is the largest less the least reward that can be."""
    return Bandit(arms, ucbv(reward_range), clusters=clusters, history=history, name="UCBV")


def KLUCB(arms: Iterable[Label], *, clusters: Clusters | None = None, history: History | None = None) -> Bandit:
    """KL-UCB, for rewards in [0, 1]; sharp for 0/1 ones."""
    return Bandit(arms, klucb(), clusters=clusters, history=history, name="KLUCB")


def HierUCB(arms: Iterable[Label], *, clusters: Clusters | None = None, history: History | None = None) -> Bandit:
    """Arms that are alike within clusters, as far as the data say so; nothing is to be tuned.

    theta_k ~ N(centre of its cluster, tau^2), centre ~ N(mu0, s^2), rewards with noise of each arm's own: all are estimated. Of
    clusters within clusters the innermost count.
    """
    return Bandit(arms, hierucb(), clusters=clusters, history=history, name="HierUCB")


def HierLinUCB(
    arms: Iterable[Label],
    *,
    clusters: Clusters | None = None,
    history: History | None = None,
    dimension: int | None = None,
    weights: str | bool = "auto",
) -> Bandit:
    """Linear rewards whose arms are alike within clusters, as far as the data say so; nothing is to be tuned.

    theta_k ~ N(theta_cluster, e^2 I), theta_cluster ~ N(0, s^2 I), r = a + theta_k'x + noise: e, s, a and the noise are
    estimated, and whether arms have levels of their own where nothing in the contexts is constant. ``weights="auto"``: where the
    noise is found to grow with the mean, later rounds weigh by one over their variance; False: all weigh the same.
    """
    return Bandit(arms, hierlinucb(weights), clusters=clusters, history=history, dimension=dimension, name="HierLinUCB")


def Auto(
    arms: Iterable[Label],
    *,
    clusters: Clusters | None = None,
    history: History | None = None,
    dimension: int | None = None,
) -> Bandit:
    """The policy we recommend when nothing is known about the grouping or the history: HierUCB, with contexts HierLinUCB.

    It finds out online how far either can be trusted, and needs neither a scale nor tuning.

    >>> import hedgerow as hr
    >>> policy = hr.Auto(["ad-1", "ad-2", "ad-3"], clusters=["news", "news", "sport"])
    >>> policy.update(policy.select(), reward=1.0)
    >>> hr.Auto(["a", "b"], dimension=3).select([0.2, 1.0, 0.0]).arm
    'a'
    """
    if not contextual(dimension, history):
        return Bandit(arms, hierucb(), clusters=clusters, history=history, name="Auto")
    return Bandit(arms, hierlinucb(), clusters=clusters, history=history, dimension=dimension, name="Auto")
