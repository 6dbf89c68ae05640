"""Play hedgerow's own policies on a problem. It also runs under older versions of hedgerow, to compare Auto with what it was."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import hedgerow as hr
from benchmarks.wild.problems import Classical, Contextual

try:
    from hedgerow.experiments.play import play
    from hedgerow.experiments.problems import Trial
except ImportError:  # before the package had folders; kept for baselines such as 2e3f9aa
    from hedgerow.play import play
    from hedgerow.problems import Trial

Problem = Classical | Contextual


def without_history(problem: Problem) -> Problem:
    """Return the same problem with no logged round.

    Args:
        problem: Any.

    Returns:
        A copy.
    """
    none: dict[str, Any] = {"history_arms": problem.history_arms[:0], "history_rewards": problem.history_rewards[:0]}
    if isinstance(problem, Contextual):
        none["history_contexts"] = problem.history_contexts[:0]
    return replace(problem, **none)


def play_library(name: str, problem: Problem, rewards: np.ndarray, contexts: np.ndarray | None, replication: int) -> np.ndarray:
    """Play a policy of hedgerow.

    Args:
        name: Such as "Auto", "HUCB auto", "HUCBC 1/4 true sd" or "HLinUCB 0.25".
        problem: With the history and the clusters that the policy is told.
        rewards: A row for each round, a column for each arm.
        contexts: A row for each round, or None.
        replication: Its number; policies that draw use it as a seed.

    Returns:
        The arm of each round.

    Raises:
        ValueError: No policy is called so.
    """
    make = contextual_maker(name) if isinstance(problem, Contextual) else classical_maker(name, problem, rewards)
    history = _history(problem)
    given: dict[str, Any] = {} if history is None else {"history": history}
    if problem.clusters is not None and not name.startswith(("HUCB ", "HLinUCB ")):
        given["clusters"] = problem.clusters.tolist()
    if isinstance(problem, Contextual):
        given["dimension"] = problem.dimension
    T = len(rewards)
    seen = np.zeros((T, 0)) if contexts is None else contexts
    empty = hr.History([], np.zeros((0, 3)))  # the policy has the history already
    trial = Trial((), empty, rewards, np.zeros((1, problem.arms)), np.arange(T), seen)
    return play(make(range(problem.arms), **given), trial, np.random.default_rng([problem.seed, replication])).arms


def classical_maker(name: str, problem: Classical, rewards: np.ndarray) -> Any:
    """Return the constructor of a policy without contexts.

    Args:
        name: Of the policy.
        problem: Whose true noise it may know.
        rewards: Whose range it may know.

    Returns:
        A constructor that still takes arms, clusters and history.

    Raises:
        ValueError: No policy is called so.
    """
    first, _, setting = name.partition(" ")
    if first in ("HUCB", "HUCBC") and setting == "auto":
        return partial(getattr(hr, first), scale="auto")
    if first in ("HUCB", "HUCBC") and setting.endswith(" true sd"):
        return partial(getattr(hr, first), scale=fraction(setting.split()[0]) * problem.noise_sd)
    if name == "META auto":
        return partial(hr.META, scale="auto", expert_scale="auto")
    if name == "UCBV":
        return partial(hr.UCBV, reward_range=1.0 if problem.binary else float(np.ptp(rewards)))
    if name in ("Auto", "TSC"):
        return getattr(hr, name)
    raise ValueError(f"no policy without contexts is called {name!r}; see python -m benchmarks.wild list")


def contextual_maker(name: str) -> Any:
    """Return the constructor of a policy with contexts.

    Args:
        name: Of the policy.

    Returns:
        A constructor that still takes arms, dimension, clusters and history.

    Raises:
        ValueError: No policy is called so.
    """
    first, _, alpha = name.partition(" ")
    if name == "Auto":
        return hr.Auto
    if first in ("HLinUCB", "HLinUCBC", "META", "LinTSC") and alpha:
        return partial(getattr(hr, first), alpha=float(alpha))
    raise ValueError(f"no policy with contexts is called {name!r}; see python -m benchmarks.wild list")


def fraction(text: str) -> float:
    """Return the number of a fraction.

    Args:
        text: Such as "1/8" or "1".

    Returns:
        Its value.
    """
    over, _, under = text.partition("/")
    return float(over) / float(under or 1)


def _history(problem: Problem) -> Any:
    """The logged rounds as hedgerow takes them; None without any."""
    if problem.history_arms.size == 0:
        return None
    rounds: dict[str, Any] = {"arms": problem.history_arms.tolist(), "rewards": problem.history_rewards}
    if isinstance(problem, Contextual):
        rounds["contexts"] = problem.history_contexts
    return hr.History.from_rounds(**rounds)
