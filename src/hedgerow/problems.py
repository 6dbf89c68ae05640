"""Bandit problems: what all policies of a trial face.

A problem deals out trials. A trial holds the rewards of all arms in all rounds, so that every policy of the trial
meets the same draws, and the expected rewards, by which regret is counted.
"""

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from .datasets import Latencies, Warfarin
from .history import History
from .types import Floats, Integers, Label


class Trial(NamedTuple):
    """One trial. Round t takes row ``rows[t]`` of ``rewards`` and ``expected``; ``contexts`` has a row per round."""

    clusters: tuple[Label, ...]
    history: History
    rewards: Floats
    expected: Floats
    rows: Integers
    contexts: Floats

    @property
    def arms(self) -> range:
        return range(self.rewards.shape[1])

    @property
    def dimension(self) -> int | None:
        return self.contexts.shape[1] or None

    def check(self) -> "Trial":
        """The trial itself, if its parts fit together; else a ValueError."""
        rounds, K = self.rows.size, self.rewards.shape[1]
        if len(self.clusters) not in (0, K) or self.expected.shape not in ((1, K), self.rewards.shape):
            raise ValueError(f"a trial with {K} arms needs their clusters and expected rewards, a column for each")
        if len(self.contexts) != rounds or not ((self.rows >= 0) & (self.rows < len(self.rewards))).all():
            raise ValueError(f"a trial of {rounds} rounds needs a context and a row of rewards for each")
        if not all(np.isfinite(part).all() for part in (self.rewards, self.expected, self.contexts)):
            raise ValueError("the rewards, expected rewards and contexts of a trial must be finite")
        return self


class Problem(Protocol):
    """Deals out trials; its text is printed with every result."""

    @property
    def dimension(self) -> int | None: ...

    def trial(self, rounds: int, rng: np.random.Generator) -> Trial:
        """The draws of one trial."""

    def __str__(self) -> str: ...


def _assigned(arms: int, clusters: int, rng: np.random.Generator) -> Integers:
    """A random permutation assigns each arm to a cluster; sizes differ by at most one."""
    return rng.permutation(np.arange(arms) % clusters)


def _check_share(share: float) -> None:
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"history_share must be between 0 and 1, got {share!r}")


def _columns(values: Floats) -> tuple[Floats, Integers, Floats]:
    """Rewards of a trial whose rounds are its rows, without contexts."""
    return values, np.arange(len(values)), np.zeros((len(values), 0))


@dataclass(frozen=True)
class SyntheticClassical:
    """The paper's synthetic classical bandit (section Experimental Evaluation).

    Cluster i = 1..C has the centroid lambda(i) = (u_i + 1/i) / 2, u_i ~ U(0, 1); an arm pays U(0, 2 alpha_k lambda).
    The paper leaves alpha_k open: U(low, high) with mean 1. A share of the arms has Poisson many historical plays.
    """

    clusters: int = 10
    arms: int = 100
    alpha: tuple[float, float] = (0.5, 1.5)
    history_share: float = 0.25
    history_mean: float = 10.0
    dimension: None = None

    def __post_init__(self) -> None:
        _check_share(self.history_share)

    def trial(self, rounds: int, rng: np.random.Generator) -> Trial:
        """The draws of one trial."""
        cluster = _assigned(self.arms, self.clusters, rng)
        centroids = (rng.random(self.clusters) + 1.0 / np.arange(1, self.clusters + 1)) / 2.0
        means = rng.uniform(*self.alpha, size=self.arms) * centroids[cluster]
        known = rng.permutation(self.arms)[: round(self.history_share * self.arms)]
        past = np.repeat(known, rng.poisson(self.history_mean, size=known.size))
        history = History.from_rounds(arms=past, rewards=2.0 * means[past] * rng.random(past.size))
        rewards, rows, contexts = _columns(2.0 * means * rng.random((rounds, self.arms)))
        return Trial(tuple(cluster.tolist()), history, rewards, means[None, :], rows, contexts)

    def __str__(self) -> str:
        return (
            f"synthetic classical: {self.arms} arms in {self.clusters} clusters, alpha U{self.alpha}, "
            f"history for {self.history_share:.0%} of the arms, Poisson({self.history_mean:g}) plays"
        )


@dataclass(frozen=True)
class SyntheticContextual:
    """The paper's synthetic contextual bandit: theta_k = theta_c(k) + eps nu_k, all normal; rewards 2 theta'x U(0, 1)."""

    clusters: int = 10
    arms: int = 100
    dimension: int = 5
    eps: float = 0.1
    history_share: float = 1.0
    history_mean: float = 10.0

    def __post_init__(self) -> None:
        _check_share(self.history_share)

    def trial(self, rounds: int, rng: np.random.Generator) -> Trial:
        """The draws of one trial."""
        d = self.dimension
        cluster = _assigned(self.arms, self.clusters, rng)
        theta = rng.normal(size=(self.clusters, d))[cluster] + self.eps * rng.normal(size=(self.arms, d))
        known = rng.permutation(self.arms)[: round(self.history_share * self.arms)]
        past = np.repeat(known, rng.poisson(self.history_mean, size=known.size))
        seen = rng.normal(size=(past.size, d))
        paid = 2.0 * (theta[past] * seen).sum(axis=1) * rng.random(past.size)
        contexts = rng.normal(size=(rounds, d))
        expected = contexts @ theta.T
        rewards = 2.0 * expected * rng.random((rounds, self.arms))
        history = History.from_rounds(arms=past, rewards=paid, contexts=seen)
        return Trial(tuple(cluster.tolist()), history, rewards, expected, np.arange(rounds), contexts)

    def __str__(self) -> str:
        return (
            f"synthetic contextual: {self.arms} arms in {self.clusters} clusters, d = {self.dimension}, eps = {self.eps:g}, "
            f"history for {self.history_share:.0%} of the arms, Poisson({self.history_mean:g}) plays"
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
        """The l_i lie evenly in [0.05, 0.75], and the arms of a cluster over ``spread`` of the way to the next, at most 0.2."""
        lower, step = np.linspace(0.05, 0.75, self.clusters, retstep=True)
        within = np.linspace(0.0, min(self.spread * step, 0.2), self.arms_each)
        return (lower[:, None] + within[None, :]).ravel()

    def labels(self) -> tuple[int, ...]:
        """The cluster of each arm."""
        return tuple(np.repeat(np.arange(self.clusters), self.arms_each).tolist())

    def trial(self, rounds: int, rng: np.random.Generator) -> Trial:
        """The draws of one trial."""
        means = self.means()
        past = np.repeat(np.arange(means.size), self.history_each)
        history = History.from_rounds(arms=past, rewards=rng.random(past.size) < means[past])
        rewards, rows, contexts = _columns((rng.random((rounds, means.size)) < means).astype(np.float64))
        return Trial(self.labels(), history, rewards, means[None, :], rows, contexts)

    def __str__(self) -> str:
        return (
            f"tight 0/1 rewards: {self.clusters} clusters of {self.arms_each} arms, {self.history_each} historical plays an arm"
        )


CLUSTERINGS = ("mean", "history", "domain", "random even", "random uneven")


@dataclass(frozen=True)
class WebLatency:
    """Web server selection: each round probes one server, and the reward is its latency, negative or scaled to [0, 1].

    Rounds are repeated shuffles of the recorded rows. Clusters: five by "mean" latency over all rows; five from the
    "history" alone; by top-level "domain"; or 17 "random" ones, even or uneven in size.
    """

    data: Latencies
    clustering: str = "mean"
    reward: str = "ms"
    history_plays: int = 200
    dimension: None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.clustering not in CLUSTERINGS:
            raise ValueError(f"clustering must be one of {', '.join(CLUSTERINGS)}, got {self.clustering!r}")
        if self.reward not in ("ms", "scaled"):
            raise ValueError(f"reward must be 'ms' or 'scaled', got {self.reward!r}")
        if self.data.ms.size < self.history_plays or np.ptp(self.data.ms) == 0.0:
            raise ValueError(f"the latencies must differ, and be at least {self.history_plays} for the history")
        if self.clustering == "domain" and self.data.urls is None:
            raise ValueError("clustering by domain needs the original text file, whose first line holds the URLs")

    def trial(self, rounds: int, rng: np.random.Generator) -> Trial:
        """The draws of one trial."""
        ms = self.data.ms
        probes, servers = ms.shape
        table = -ms if self.reward == "ms" else (ms.max() - ms) / (ms.max() - ms.min())
        shuffles = -(-rounds // probes)
        rows = np.concatenate([rng.permutation(probes) for _ in range(shuffles)])[:rounds]
        cells = rng.choice(ms.size, size=self.history_plays, replace=False)
        past, when = cells % servers, cells // servers
        history = History.from_rounds(arms=past, rewards=table[when, past])
        clusters = self._clusters(past, ms[when, past], rng)
        return Trial(clusters, history, table, table.mean(axis=0)[None, :], rows, np.zeros((rounds, 0)))

    def _clusters(self, past: Integers, seen: Floats, rng: np.random.Generator) -> tuple[Label, ...]:
        servers = self.data.ms.shape[1]
        if self.clustering == "domain":
            return self.data.domains() or ()
        if self.clustering.startswith("random"):
            even = np.arange(servers) % 17
            uneven = rng.choice(17, size=servers, p=np.arange(17, 0, -1) / 153.0)
            return tuple(rng.permutation(even if self.clustering == "random even" else uneven).tolist())
        level = self.data.ms.mean(axis=0)
        if self.clustering == "history":  # a server without a probe stands where the average server does
            level = np.full(servers, seen.mean())
            plays = np.bincount(past, minlength=servers)
            level[plays > 0] = (np.bincount(past, weights=seen, minlength=servers) / np.maximum(plays, 1))[plays > 0]
        return tuple((np.argsort(np.argsort(level, kind="stable"), kind="stable") * 5 // servers).tolist())

    def __str__(self) -> str:
        sizes = {"mean": "five clusters by mean latency", "history": "five clusters from the history only"}
        clusters = sizes.get(self.clustering, f"17 clusters, {self.clustering}")
        if self.clustering == "domain":
            clusters = f"{len(set(self.data.domains() or ()))} clusters by domain"
        return f"web latency ({self.data.source}): {clusters}, rewards {self.reward}, {self.history_plays} historical probes"


@dataclass(frozen=True)
class WarfarinDosing:
    """Warfarin dosing: fifteen doses in three classes; the reward is 1 for the patient's own dose range, else 0.

    ``history_reading``: what the 1500 patients of the history received, a "random" dose with its 0/1 reward, or
    their "true" dose with reward 1. ``unit_norm`` scales each patient's features to length 1.
    """

    data: Warfarin
    history_reading: str = "random"
    unit_norm: bool = True
    history_patients: int = 1500

    def __post_init__(self) -> None:
        if self.history_reading not in ("random", "true"):
            raise ValueError(f"history_reading must be 'random' or 'true', got {self.history_reading!r}")
        if self.longest < 1:
            raise ValueError(f"{self.history_patients} patients go into the history, the data has only {len(self.data.dose)}")

    @property
    def dimension(self) -> int:
        return int(self.data.features.shape[1])

    @property
    def longest(self) -> int:
        """Patients left for the online rounds."""
        return len(self.data.dose) - self.history_patients

    def trial(self, rounds: int, rng: np.random.Generator) -> Trial:
        """The draws of one trial."""
        if rounds > self.longest:
            raise ValueError(f"there are {self.longest} patients for the online rounds, {rounds} asked for")
        X = self.data.features
        if self.unit_norm:
            X = X / np.linalg.norm(X, axis=1, keepdims=True)
        right = self.data.arms()
        order = rng.permutation(len(right))
        before, online = order[: self.history_patients], order[self.history_patients :][:rounds]
        given = rng.integers(15, size=before.size) if self.history_reading == "random" else right[before]
        history = History.from_rounds(arms=given, rewards=given == right[before], contexts=X[before])
        rewards = (right[online][:, None] == np.arange(15)).astype(np.float64)
        return Trial(self.data.clusters(), history, rewards, rewards, np.arange(rounds), np.ascontiguousarray(X[online]))

    def __str__(self) -> str:
        contexts = "unit-norm contexts" if self.unit_norm else "contexts as they are"
        return (
            f"Warfarin ({self.data.source}): {self.history_patients} historical patients, {self.history_reading} dose, {contexts}"
        )
