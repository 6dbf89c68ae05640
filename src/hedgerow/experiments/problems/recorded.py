"""Problems from recorded data."""

from dataclasses import dataclass, field

import numpy as np

from ...core.types import Floats, Integers, Label
from ...data.history import History
from ..datasets import Latencies, Warfarin
from .trial import Trial

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
        """The draws of one trial.

        Args:
            rounds: how many rounds it has.
            rng: the draws.

        Returns:
            The trial.
        """
        ms = self.data.ms
        probes, servers = ms.shape
        table = -ms if self.reward == "ms" else (ms.max() - ms) / (ms.max() - ms.min())
        shuffles = -(-rounds // probes)
        rows = np.concatenate([rng.permutation(probes) for _ in range(shuffles)])[:rounds]
        cells = rng.choice(ms.size, size=self.history_plays, replace=False)
        logged, when = cells % servers, cells // servers
        history = History.from_rounds(arms=logged, rewards=table[when, logged])
        clusters = self._clusters(logged, ms[when, logged], rng)
        return Trial(clusters, history, table, table.mean(axis=0)[None, :], rows, np.zeros((rounds, 0)))

    def _clusters(self, logged: Integers, seen: Floats, rng: np.random.Generator) -> tuple[Label, ...]:
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
            plays = np.bincount(logged, minlength=servers)
            level[plays > 0] = (np.bincount(logged, weights=seen, minlength=servers) / np.maximum(plays, 1))[plays > 0]
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
        if self.history_patients < 0:
            raise ValueError(f"history_patients must be at least 0, got {self.history_patients}")
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
        """The draws of one trial.

        Args:
            rounds: how many rounds it has.
            rng: the draws.

        Returns:
            The trial.

        Raises:
            ValueError: if there are not as many patients.
        """
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
