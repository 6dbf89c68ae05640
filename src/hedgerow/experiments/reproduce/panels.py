"""The six figures of the paper as settings, and what the paper says of each.

A panel is one simulation: a problem, the policies, the rounds. A figure shows one panel or more.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ...policies import paper, paper_linear
from ..datasets import Latencies, Warfarin, latencies, warfarin
from ..outcome import Make, Shuffled
from ..problems import Problem, SyntheticClassical, SyntheticContextual, TightBernoulli, WarfarinDosing, WebLatency
from ..result import Simulation
from ..simulate import simulate

REPORT_SEED = 2019
QUICK_TRIALS, QUICK_ROUNDS = 4, 1500
ONE_PASS, MANY_PASSES = 1361, 20_000
"""Horizons of the latency figures: one pass over the recorded rows, and many."""

WARFARIN_TRIALS = 40
"""Four times the paper's: ten do not tell HLinUCBC from HLinUCB."""

META_OWN = "META, own rounds"

CLASSICAL_POLICIES: dict[str, Make | Shuffled] = {
    "UCB": paper.UCB,
    "HUCB": paper.HUCB,
    "UCBC": paper.UCBC,
    "HUCBC": paper.HUCBC,
    "HUCBC'": paper.HUCBCPrime,
    "META": paper.META,
    META_OWN: partial(paper.META, shared=False),
}
CONTEXTUAL_POLICIES: dict[str, Make | Shuffled] = {
    "LinUCB": paper_linear.LinUCB,
    "HLinUCB": paper_linear.HLinUCB,
    "LinUCBC": paper_linear.LinUCBC,
    "HLinUCBC": paper_linear.HLinUCBC,
    "META": paper.META,
    META_OWN: partial(paper.META, shared=False),
}
CLUSTERED = ("UCBC", "HUCBC", "HUCBC'", "LinUCBC", "HLinUCBC", "META", META_OWN)


def controlled(policies: dict[str, Make | Shuffled]) -> dict[str, Make | Shuffled]:
    """The policies, and each clustered one once more with shuffled labels.

    Args:
        policies: constructors by name.

    Returns:
        All constructors by name.
    """
    controls = {f"{name} shuffled": make for name, make in policies.items() if name in CLUSTERED}
    return policies | {name: Shuffled(make) for name, make in controls.items() if not isinstance(make, Shuffled)}


@dataclass(frozen=True)
class Panel:
    """One simulation of a figure."""

    key: str
    title: str
    problem: Problem
    policies: dict[str, Make | Shuffled]
    rounds: int
    trials: int
    measure: str
    unit: str = ""
    simulated: bool = False

    def run(
        self,
        *,
        rounds: int | None,
        trials: int | None,
        seed: int,
        jobs: int | None,
        resume: str | None,
        backend: str | None = None,
    ) -> Simulation:
        """Play the panel.

        Args:
            rounds: how many to play, at most; None for the panel's own.
            trials: how many; None for the panel's own.
            seed: of the draws.
            jobs: processes; None for all cores.
            resume: the folder where finished trials are kept.
            backend: where trials run.

        Returns:
            The simulation.
        """
        horizon = min(self.rounds, rounds or self.rounds)
        marks = (1000, ONE_PASS, horizon // 4, horizon // 2)
        return simulate(
            self.policies,
            self.problem,
            rounds=horizon,
            trials=trials or self.trials,
            seed=seed,
            jobs=jobs,
            marks=marks,
            resume=resume,
            backend=backend,
        )


@dataclass(frozen=True)
class Experiment:
    """A figure of the paper: its title, what the paper says, and its panels."""

    letter: str
    title: str
    says: str
    panels: Callable[["Data"], list[Panel]]


class Data:
    """The two real data sets, read when first asked for.

    Args:
        folder: where their files are; None for the folder that HEDGEROW_DATA names.
    """

    def __init__(self, folder: str | None = None):
        self.folder = folder
        self._warfarin: Warfarin | None = None
        self._latencies: Latencies | None = None

    @property
    def warfarin(self) -> Warfarin:
        self._warfarin = self._warfarin or warfarin(self.folder)
        return self._warfarin

    @property
    def latencies(self) -> Latencies:
        self._latencies = self._latencies or latencies(self.folder)
        return self._latencies


def _classical(_: Data) -> list[Panel]:
    policies = controlled(CLASSICAL_POLICIES)
    return [Panel("a", "synthetic classical bandit", SyntheticClassical(), policies, 10_000, 20, "per round")]


def _contextual(eps: float, key: str) -> Panel:
    problem = SyntheticContextual(eps=eps)
    return Panel(key, f"eps = {eps:g}", problem, controlled(CONTEXTUAL_POLICIES), 10_000, 20, "per round")


def _latency(letter: str, clusterings: tuple[str, ...], data: Data) -> list[Panel]:
    recorded = data.latencies
    return [
        Panel(
            f"{letter} {clustering} {reward}",
            f"{_CLUSTERS[clustering]}, rewards {'in -ms' if reward == 'ms' else 'scaled to [0, 1]'}",
            WebLatency(recorded, clustering, reward),
            controlled(CLASSICAL_POLICIES),
            MANY_PASSES,
            10,
            "per round",
            " (-ms)" if reward == "ms" else "",
            recorded.simulated,
        )
        for clustering in clusterings
        for reward in ("ms", "scaled")
    ]


_CLUSTERS = {
    "mean": "5 clusters by mean latency",
    "history": "5 clusters from the history only",
    "domain": "clusters by domain name",
    "random uneven": "17 random clusters, uneven",
    "random even": "17 random clusters, even",
}


def _poor(data: Data) -> list[Panel]:
    """Clusters by domain where the URLs are known; else random ones stand in, and the title says so."""
    named = ("domain",) if data.latencies.urls is not None else ()
    return _latency("e", (*named, "random uneven", "random even"), data)


def _warfarin(data: Data) -> list[Panel]:
    patients = data.warfarin
    problems = {reading: WarfarinDosing(patients, reading) for reading in ("random", "true")}
    return [
        Panel(
            f"f {reading}",
            f"history of {'randomly chosen' if reading == 'random' else 'true'} doses",
            problem,
            controlled(CONTEXTUAL_POLICIES),
            problem.longest,
            WARFARIN_TRIALS,
            "per round",
            "\n(share of patients given their dose)",
            patients.simulated,
        )
        for reading, problem in problems.items()
    ]


def _tight(_: Data) -> list[Panel]:
    policies = {name: CLASSICAL_POLICIES[name] for name in ("UCB", "HUCB", "UCBC", "HUCBC")}
    return [Panel("bounds", "tightly clustered 0/1 rewards", TightBernoulli(), policies, 100_000, 20, "regret")]


EXPERIMENTS = {
    experiment.letter: experiment
    for experiment in (
        Experiment(
            "a",
            "Synthetic classical bandit",
            "HUCBC outperforms its competitors. META quickly learns to follow HUCBC.",
            _classical,
        ),
        Experiment(
            "b",
            "Synthetic contextual bandit",
            "HLinUCBC outperforms its competitors. META quickly learns to follow HLinUCBC.",
            lambda _: [_contextual(0.1, "b")],
        ),
        Experiment(
            "c",
            "Synthetic contextual bandit with radii",
            "HLinUCBC benefits from historical data at every cluster radius eps.",
            lambda _: [_contextual(0.1, "b"), _contextual(0.8, "c 0.8"), _contextual(3.2, "c 3.2")],
        ),
        Experiment(
            "d",
            "Web server selection with good clustering",
            "HUCBC provides significantly better rewards than its competitors when clustering is good. META follows HUCBC.",
            lambda data: _latency("d", ("mean", "history"), data),
        ),
        Experiment(
            "e",
            "Web server selection with poor clustering",
            "HUCB outperforms HUCBC when clustering is poor, and META learns to follow HUCB.",
            _poor,
        ),
        Experiment(
            "f",
            "Warfarin dosage",
            "HLinUCBC outperforms its competitors, and META learns to follow it.",
            _warfarin,
        ),
        Experiment(
            "bounds",
            "The bounds beside measured regret",
            "The regret is logarithmic in T, and under tight clustering the bound of HUCBC has fewer terms than that of HUCB.",
            _tight,
        ),
    )
}
