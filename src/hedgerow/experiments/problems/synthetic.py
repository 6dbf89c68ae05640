"""Problems whose expected rewards are known, the paper's and beyond."""

from dataclasses import dataclass

import numpy as np

from ...core.types import Floats, Integers
from ...data.history import History
from .trial import Trial


def _assigned(arms: int, clusters: int, rng: np.random.Generator) -> Integers:
    """A random permutation assigns each arm to a cluster; sizes differ by at most one."""
    return rng.permutation(np.arange(arms) % clusters)


def _check_shape(arms: int, clusters: int, share: float) -> None:
    if arms < 1 or not 1 <= clusters <= arms:
        raise ValueError(f"arms must be at least 1, and clusters from 1 to as many, got {arms!r} and {clusters!r}")
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"history_share must be between 0 and 1, got {share!r}")


LABELLINGS = ("true", "shuffled", "adversarial")

UNEVEN_SIZES = (1, 1, 2, 3, 5, 8, 10, 12, 18, 40)
"""Sizes, in hundredths of the arms, of ten clusters that differ a lot."""


def _check_words(**given: tuple[str, tuple[str, ...]]) -> None:
    for name, (value, words) in given.items():
        if value not in words:
            raise ValueError(f"{name} must be one of {', '.join(words)}, got {value!r}")


def _relabelled(labels: str, cluster: Integers, means: Floats, rng: np.random.Generator) -> Integers:
    """The clusters as a policy is told them: true, shuffled, or sorted by mean with the best arm moved to the worst cluster."""
    if labels == "shuffled":
        return rng.permutation(cluster)
    if labels == "adversarial":
        order = np.argsort(-means, kind="stable")
        told = np.empty_like(cluster)
        told[order] = np.sort(cluster)
        first_of_worst = int(np.flatnonzero(np.sort(cluster) == cluster.max())[0])
        told[order[0]], told[order[first_of_worst]] = told[order[first_of_worst]], told[order[0]]
        return told
    return cluster


def _columns(values: Floats) -> tuple[Floats, Integers, Floats]:
    """Rewards of a trial whose rounds are its rows, without contexts."""
    return values, np.arange(len(values)), np.zeros((len(values), 0))


def _told(logged: Integers, arms: int, swapped: bool, rng: np.random.Generator) -> Integers:
    """Whose rewards the history of an arm holds."""
    return rng.permutation(arms)[logged] if swapped else logged


@dataclass(frozen=True)
class SyntheticClassical:
    """The paper's synthetic classical bandit (section Experimental Evaluation).

    Cluster i = 1..C has the centroid lambda(i) = (u_i + 1/i) / 2, u_i ~ U(0, 1); an arm pays U(0, 2 alpha_k lambda).
    The paper leaves alpha_k open: U(low, high) with mean 1. A share of the arms has Poisson many historical plays.

    Beyond the paper: ``labels`` may be shuffled or adversarial (sorted by mean, the best arm moved to the worst cluster), the
    ``noise`` of 0/1 rewards (means spread over 0.05 to 0.5) or normal with standard deviation 0.5, each arm's history off by
    ``bias``, up or down at random, or ``swapped``: another arm's.
    """

    clusters: int = 10
    arms: int = 100
    alpha: tuple[float, float] = (0.5, 1.5)
    history_share: float = 0.25
    history_mean: float = 10.0
    labels: str = "true"
    noise: str = "uniform"
    bias: float = 0.0
    swapped: bool = False
    dimension: None = None

    def __post_init__(self) -> None:
        _check_shape(self.arms, self.clusters, self.history_share)
        _check_words(labels=(self.labels, LABELLINGS), noise=(self.noise, ("uniform", "bernoulli", "gaussian")))

    def trial(self, rounds: int, rng: np.random.Generator) -> Trial:
        """The draws of one trial.

        Args:
            rounds: how many rounds it has.
            rng: the draws.

        Returns:
            The trial.
        """
        cluster = _assigned(self.arms, self.clusters, rng)
        centroids = (rng.random(self.clusters) + 1.0 / np.arange(1, self.clusters + 1)) / 2.0
        means = rng.uniform(*self.alpha, size=self.arms) * centroids[cluster]
        if self.noise == "bernoulli":
            means = 0.05 + 0.45 * (means - means.min()) / max(np.ptp(means), 1e-300)
        known = rng.permutation(self.arms)[: round(self.history_share * self.arms)]
        logged = np.repeat(known, rng.poisson(self.history_mean, size=known.size))
        seen = self._paid(means[_told(logged, self.arms, self.swapped, rng)], rng)
        if self.bias:
            seen = seen + self.bias * rng.choice([-1.0, 1.0], size=self.arms)[logged]
        told = _relabelled(self.labels, cluster, means, rng)
        rewards, rows, contexts = _columns(self._paid(np.broadcast_to(means, (rounds, self.arms)), rng))
        history = History.from_rounds(arms=logged, rewards=seen)
        return Trial(tuple(told.tolist()), history, rewards, means[None, :], rows, contexts)

    def _paid(self, means: Floats, rng: np.random.Generator) -> Floats:
        if self.noise == "gaussian":
            return rng.normal(means, 0.5)
        drawn = rng.random(means.shape)
        return 2.0 * means * drawn if self.noise == "uniform" else (drawn < means).astype(np.float64)

    def __str__(self) -> str:
        words = "" if self.labels == "true" else f"{self.labels} labels, "
        words += "" if self.noise == "uniform" else f"{self.noise} noise, "
        off = f" off by {self.bias:g}" if self.bias else " of another arm" if self.swapped else ""
        return (
            f"synthetic classical: {self.arms} arms in {self.clusters} clusters, alpha U{self.alpha}, {words}"
            f"history{off} for {self.history_share:.0%} of the arms, Poisson({self.history_mean:g}) plays"
        )


@dataclass(frozen=True)
class SyntheticContextual:
    """The paper's synthetic contextual bandit: theta_k = theta_c(k) + eps nu_k, all normal; rewards 2 theta'x U(0, 1).

    Beyond the paper: ``labels`` may be shuffled, ``sizes`` of the clusters uneven, and the ``noise`` normal with standard
    deviation ``sd``, or logistic: rewards of 0 or 1, a 1 with probability 1 / (1 + exp(-theta'x)); each arm's history may be
    ``swapped``: another arm's; and with ``units`` policies see contexts as people write them: a 1, and numbers that have means
    and units of their own, 10^j (3 + x_j). With ``levels`` theta has one more coefficient, of a 1 that policies do not see.
    """

    clusters: int = 10
    arms: int = 100
    dimension: int = 5
    eps: float = 0.1
    history_share: float = 1.0
    history_mean: float = 10.0
    labels: str = "true"
    sizes: str = "even"
    noise: str = "uniform"
    sd: float = 1.0
    swapped: bool = False
    units: bool = False
    levels: bool = False

    def __post_init__(self) -> None:
        _check_shape(self.arms, self.clusters, self.history_share)
        _check_words(
            labels=(self.labels, LABELLINGS[:2]),
            sizes=(self.sizes, ("even", "uneven")),
            noise=(self.noise, ("uniform", "gaussian", "logistic")),
        )
        if self.dimension < 1 or self.eps < 0.0:
            raise ValueError(f"dimension must be at least 1 and eps at least 0, got {self.dimension!r} and {self.eps!r}")
        if self.sizes == "uneven" and (self.clusters, self.arms % 100) != (len(UNEVEN_SIZES), 0):
            raise ValueError(f"uneven sizes need ten clusters and hundreds of arms, got {self.clusters} and {self.arms}")

    def trial(self, rounds: int, rng: np.random.Generator) -> Trial:
        """The draws of one trial.

        Args:
            rounds: how many rounds it has.
            rng: the draws.

        Returns:
            The trial.
        """
        d = self.dimension + self.levels
        cluster = _assigned(self.arms, self.clusters, rng)
        if self.sizes == "uneven":
            cluster = rng.permutation(np.repeat(np.arange(self.clusters), np.array(UNEVEN_SIZES) * (self.arms // 100)))
        theta = rng.normal(size=(self.clusters, d))[cluster] + self.eps * rng.normal(size=(self.arms, d))
        known = rng.permutation(self.arms)[: round(self.history_share * self.arms)]
        logged = np.repeat(known, rng.poisson(self.history_mean, size=known.size))
        seen = self._drawn(logged.size, rng)
        _, paid = self._paid((theta[_told(logged, self.arms, self.swapped, rng)] * seen).sum(axis=1), rng)
        contexts = self._drawn(rounds, rng)
        expected, rewards = self._paid(contexts @ theta.T, rng)
        history = History.from_rounds(arms=logged, rewards=paid, contexts=self._written(seen))
        told = _relabelled(self.labels, cluster, expected[0], rng)
        return Trial(tuple(told.tolist()), history, rewards, expected, np.arange(rounds), self._written(contexts))

    def _drawn(self, rounds: int, rng: np.random.Generator) -> Floats:
        contexts = rng.normal(size=(rounds, self.dimension))
        if self.units:
            contexts[:, 0] = 1.0
        return np.column_stack([contexts, np.ones(rounds)]) if self.levels else contexts

    def _written(self, contexts: Floats) -> Floats:
        """As policies see them."""
        contexts = contexts[:, : self.dimension]
        if not self.units:
            return contexts
        return np.column_stack([contexts[:, :1], 10.0 ** np.arange(1, self.dimension) * (3.0 + contexts[:, 1:])])

    def _paid(self, linear: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Expected and drawn rewards."""
        if self.noise == "gaussian":
            return linear, rng.normal(linear, self.sd)
        if self.noise == "logistic":
            expected = 1.0 / (1.0 + np.exp(-linear))
            return expected, (rng.random(linear.shape) < expected).astype(np.float64)
        return linear, 2.0 * linear * rng.random(linear.shape)

    def __str__(self) -> str:
        words = "" if self.labels == "true" else f"{self.labels} labels, "
        words += "" if self.sizes == "even" else "uneven sizes, "
        words += {"uniform": "", "gaussian": f"gaussian noise of {self.sd:g}, ", "logistic": "logistic rewards, "}[self.noise]
        words += "contexts in various units, " if self.units else ""
        words += "a level for each arm, " if self.levels else ""
        return (
            f"synthetic contextual: {self.arms} arms in {self.clusters} clusters, d = {self.dimension}, eps = {self.eps:g}, "
            f"{words}history{' of another arm' if self.swapped else ''} for {self.history_share:.0%} of the arms, "
            f"Poisson({self.history_mean:g}) plays"
        )


@dataclass(frozen=True)
class TightBernoulli:
    """Tightly clustered arms with rewards 0 or 1, within the reach of Theorem 1: the clusters' intervals are disjoint."""

    clusters: int = 3
    arms_each: int = 3
    spread: float = 0.5
    history_each: int = 5
    dimension: None = None

    def __post_init__(self) -> None:
        if self.clusters < 2 or self.arms_each < 1 or not 0.0 <= self.spread < 1.0:
            raise ValueError(f"clusters must be at least 2, arms_each at least 1 and spread in [0, 1), got {self!r}")

    def means(self) -> Floats:
        """The l_i lie evenly in [0.05, 0.75], and the arms of a cluster over ``spread`` of the way to the next, at most 0.2.

        Returns:
            The expected reward of each arm.
        """
        lower, step = np.linspace(0.05, 0.75, self.clusters, retstep=True)
        within = np.linspace(0.0, min(self.spread * step, 0.2), self.arms_each)
        return (lower[:, None] + within[None, :]).ravel()

    def labels(self) -> tuple[int, ...]:
        """The cluster of each arm.

        Returns:
            One number for each.
        """
        return tuple(np.repeat(np.arange(self.clusters), self.arms_each).tolist())

    def trial(self, rounds: int, rng: np.random.Generator) -> Trial:
        """The draws of one trial.

        Args:
            rounds: how many rounds it has.
            rng: the draws.

        Returns:
            The trial.
        """
        means = self.means()
        logged = np.repeat(np.arange(means.size), self.history_each)
        history = History.from_rounds(arms=logged, rewards=rng.random(logged.size) < means[logged])
        rewards, rows, contexts = _columns((rng.random((rounds, means.size)) < means).astype(np.float64))
        return Trial(self.labels(), history, rewards, means[None, :], rows, contexts)

    def __str__(self) -> str:
        return (
            f"tight 0/1 rewards: {self.clusters} clusters of {self.arms_each} arms, {self.history_each} historical plays an arm"
        )
