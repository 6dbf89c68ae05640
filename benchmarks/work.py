"""The works: what the libraries are asked to do, and the inputs that all of them share.

A task is a work for one library, as plain data: kind, seed, rounds and the work's parameters. Inputs are made from the
seed in each library's own process, so that all meet the same numbers; a shorter run meets the beginning of a longer one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

SEED = 4
NOISE = 0.1


@dataclass(frozen=True)
class Work:
    """A piece of work; ``rounds`` says which libraries do it, and for how many rounds."""

    name: str
    kind: str
    parameters: Mapping[str, Any]
    rounds: Mapping[str, int]

    def task(self, library: str, *, quick: bool = False) -> dict[str, Any]:
        """The work as one library gets it; ``quick`` makes all numbers small."""
        task = {"kind": self.kind, "seed": SEED, "rounds": self.rounds[library], **self.parameters}
        return smaller(task, QUICK) if quick else task


QUICK = {"arms": 1000, "rounds": 200, "rows": 5_000, "floats": 100_000, "dimension": 20, "clusters": 30}
TINY = {"arms": 400, "rounds": 20, "rows": 300, "floats": 1_000, "dimension": 3, "clusters": 200}
"""Numbers of a warm-up: small, but with more than 192 arms or clusters side by side where the work has them, since from there on
UCB runs other machine code (policies/tournament.py)."""


def smaller(task: Mapping[str, Any], limits: Mapping[str, int]) -> dict[str, Any]:
    """A task with its numbers cut off at limits."""
    return {key: min(value, limits[key]) if key in limits else value for key, value in task.items()}


def _linucb(arms: int, dimension: int, rounds: dict[str, int]) -> Work:
    parameters = {"arms": arms, "dimension": dimension, "logged": 2 * dimension}
    return Work(f"linucb-{arms}-{dimension}", "linucb", parameters, rounds)


EVERY_LINUCB = {
    "hedgerow": 20_000,
    "bare": 50_000,
    "mabwiser": 60,
    "paretobandit": 3_000,
    "contextualbandits": 300,
    "river": 300,
    "vowpalwabbit": 1_000,
}
SOME_LINUCB = {"hedgerow": 4_000, "bare": 1_000, "paretobandit": 300, "mabwiser": 8, "contextualbandits": 30}

WORKS = (
    _linucb(100, 5, EVERY_LINUCB),
    _linucb(1_000, 50, SOME_LINUCB),
    Work(
        "linucb-1000-50-cold",
        "linucb",
        {"arms": 1_000, "dimension": 50, "logged": 0},
        {"hedgerow": 300, "bare": 300, "paretobandit": 300},
    ),
    _linucb(10_000, 20, {"hedgerow": 2_000, "bare": 300, "paretobandit": 40}),
    Work(
        "linucb-10000-20-clusters",
        "linucb",
        {"arms": 10_000, "dimension": 20, "logged": 40, "clusters": 100},
        {"hedgerow": 5_000},
    ),
    Work("estimate-1000-50", "estimate", {"arms": 1_000, "dimension": 50}, {"hedgerow": 1_000}),
    Work("memory", "memory", {"floats": 32_000_000}, {"bare": 10}),
    Work("memory-estimate", "memory", {"floats": 1_000 * 51 * 25}, {"bare": 500}),
    Work("ucb-100", "ucb", {"arms": 100}, {"hedgerow": 50_000, "smpybandits": 20_000}),
    Work("ucb-10000", "ucb", {"arms": 10_000}, {"hedgerow": 50_000, "smpybandits": 3_000}),
    Work("drawn-1000000", "drawn", {"policy": "HUCB", "arms": 1_000_000, "played": 1}, {"hedgerow": 200_000, "bare": 40}),
    Work("drawn-1000000-cold", "drawn", {"policy": "UCB", "arms": 1_000_000, "played": 0}, {"hedgerow": 200_000, "bare": 40}),
    Work("trial-hucbc", "trial", {"policy": "HUCBC", "arms": 100}, {"hedgerow": 50_000, "bare": 50_000}),
    Work("trial-hlinucbc", "trial", {"policy": "HLinUCBC", "arms": 100}, {"hedgerow": 50_000, "bare": 50_000}),
    Work("trial-hlinucbc-10000", "trial", {"policy": "HLinUCBC", "arms": 100}, {"hedgerow": 10_000}),
    Work("trial-hierlinucb-10000", "trial", {"policy": "HierLinUCB", "arms": 100}, {"hedgerow": 10_000}),
    Work(
        "fit",
        "fit",
        {"arms": 100, "dimension": 10, "rows": 1_000_000},
        {"hedgerow": 200, "mabwiser": 200, "contextualbandits": 200},
    ),
    Work(
        "select_many",
        "batch",
        {"arms": 100, "dimension": 20, "logged": 40},
        {"hedgerow": 10_000, "mabwiser": 10_000, "contextualbandits": 10_000, "paretobandit": 3_000},
    ),
    Work("state", "state", {"arms": 1_000_000}, {"hedgerow": 1}),
)

BY_COUNT = {
    "UCB": {"policy": "HUCB", "played": 1},
    "HUCBC": {"policy": "HUCBC", "played": 1},
}


def growth() -> list[tuple[str, str, int, dict[str, Any]]]:
    """The works of the growth figure: panel, curve, where it stands on the horizontal axis, and its task."""
    points: list[tuple[str, str, int, dict[str, Any]]] = []
    for exponent in range(1, 7):
        arms = 10**exponent
        for curve, parameters in BY_COUNT.items():
            clusters = {"clusters": round(arms**0.5)} if curve == "HUCBC" else {}
            task = {"kind": "drawn", "seed": SEED, "rounds": 100_000, "arms": arms, **parameters, **clusters}
            points.append(("arms", curve, arms, task))
        if exponent <= 5:
            points.append(("arms", "LinUCB, d = 5", arms, _linear_task(arms, 5, rounds=min(20_000, 10**8 // arms))))
    for dimension in (2, 5, 10, 20, 50, 100, 200):
        points.append(("dimension", "LinUCB, K = 100", dimension, _linear_task(100, dimension, rounds=2_000)))
    for arms in (100, 10_000):
        task = {"kind": "stages", "seed": SEED, "rounds": 1_000_000, "arms": arms}
        points.append(("rounds", f"UCB, K = {arms}", 0, task))
    return points


def _linear_task(arms: int, dimension: int, *, rounds: int) -> dict[str, Any]:
    logged = 2 * dimension
    return {"kind": "linear", "seed": SEED, "rounds": rounds, "arms": arms, "dimension": dimension, "logged": logged}


def generator(task: Mapping[str, Any], stream: int) -> np.random.Generator:
    """One stream of random numbers of a task."""
    return np.random.default_rng([task["seed"], stream])


class Log(NamedTuple):
    """Logged rounds."""

    arms: np.ndarray
    rewards: np.ndarray
    contexts: np.ndarray


class Linear(NamedTuple):
    """A linear bandit: arm k pays theta_k'x plus noise. All arms have equally many logged rounds."""

    thetas: np.ndarray
    log: Log
    contexts: np.ndarray
    noise: np.ndarray

    def rewards(self) -> np.ndarray:
        """What each arm pays in each round."""
        return self.contexts @ self.thetas.T + self.noise[:, None]


def linear(task: Mapping[str, Any]) -> Linear:
    """The inputs of a work with contexts."""
    arms, d = task["arms"], task["dimension"]
    thetas = generator(task, 0).normal(size=(arms, d)) / np.sqrt(d)
    logged = np.arange(task.get("rows", arms * task.get("logged", 0))) % arms
    seen = generator(task, 1).normal(size=(logged.size, d))
    paid = (thetas[logged] * seen).sum(axis=1) + NOISE * generator(task, 2).normal(size=logged.size)
    contexts = generator(task, 3).normal(size=(task["rounds"], d))
    return Linear(thetas, Log(logged, paid, seen), contexts, NOISE * generator(task, 4).normal(size=task["rounds"]))


class Drawn(NamedTuple):
    """A bandit without contexts: arm k pays 2 mean_k u_t. ``first`` is what each arm paid before, if it was played."""

    means: np.ndarray
    first: np.ndarray
    uniforms: np.ndarray


def drawn(task: Mapping[str, Any]) -> Drawn:
    """The inputs of a work without contexts."""
    means = generator(task, 0).random(task["arms"]) / 2.0
    first = 2.0 * means * generator(task, 1).random(task["arms"])
    return Drawn(means, first, generator(task, 2).random(task["rounds"]))


class Clicks(NamedTuple):
    """Ads about topics: click rates that are alike within a topic, an old log, and who would click on what."""

    rates: np.ndarray
    topics: np.ndarray
    log: Log
    uniforms: np.ndarray

    def reward(self, t: int, ad: int) -> float:
        """Whether this visitor clicks on that ad."""
        return float(self.uniforms[t, ad] < self.rates[ad])


def clicks(task: Mapping[str, Any]) -> Clicks:
    """The inputs of the comparison in gain.py: log odds of an ad are N(topic, 0.3^2), those of topics N(-2.5, 0.8^2)."""
    arms, draw = task["arms"], generator(task, 0)
    topics = np.arange(arms) % task["clusters"]
    odds = draw.normal(-2.5, 0.8, size=task["clusters"])[topics] + draw.normal(0.0, 0.3, size=arms)
    rates = 1.0 / (1.0 + np.exp(-odds))
    shown = generator(task, 1).integers(arms, size=task["rows"])
    clicked = (generator(task, 2).random(task["rows"]) < rates[shown]).astype(np.float64)
    log = Log(shown, clicked, np.zeros((task["rows"], 0)))
    return Clicks(rates, topics, log, generator(task, 3).random((task["rounds"], arms)))
