"""One trial of every policy: what is kept of it."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from ..core.types import Floats, Integers, Policy
from ..core.validate import accepted
from .play import play
from .problems import Problem, Trial

Make: TypeAlias = Callable[..., Policy]


class Shuffled(NamedTuple):
    """The control of a clustered policy: the same cluster sizes, but labels dealt out at random, anew in each trial.

    Args:
        make: the constructor of the policy.
    """

    make: Make


class Outcome(NamedTuple):
    """What is kept of a trial, at the marked rounds.

    Args:
        reward: cumulative reward of each policy.
        regret: cumulative regret of each policy.
        followed: rounds so far with each expert of each policy.
        best: cumulative expected reward of the best arm.
        largest: the largest absolute reward.
    """

    reward: Floats
    regret: Floats
    followed: Floats
    best: Floats
    largest: Floats


class Plan(NamedTuple):
    """What is played in every trial.

    Args:
        makes: constructors by name.
        problem: deals out the trials.
        rounds: of each trial.
        seed: of all draws.
        at: rounds at which curves are kept.
        experts: the largest number of experts of a policy.
        delay: rounds by which rewards come late.
    """

    makes: Mapping[str, Make | Shuffled]
    problem: Problem
    rounds: int
    seed: int
    at: Integers
    experts: int
    delay: int


def build(make: Make | Shuffled, trial: Trial, rng: np.random.Generator) -> Policy:
    """The policy of a constructor for a trial.

    Args:
        make: the constructor, called with the trial's arms and those of its clusters, history and dimension that it takes.
        trial: the trial.
        rng: shuffles the labels of a control.

    Returns:
        The policy.
    """
    clusters = trial.clusters
    if isinstance(make, Shuffled):
        clusters = tuple(clusters[k] for k in rng.permutation(len(clusters)))
        make = make.make
    given = {"clusters": clusters or None, "history": trial.history, "dimension": trial.dimension}
    return make(trial.arms, **accepted(make, given))


def outcome(plan: Plan, number: int) -> Outcome:
    """Play a trial with every policy.

    Its rewards depend on the seed and the number alone, draws of a policy on its place in the list too.

    Args:
        plan: what is played.
        number: the trial's number.

    Returns:
        What is kept of it.
    """
    seed, at = plan.seed, plan.at
    trial = plan.problem.trial(plan.rounds, np.random.default_rng([seed, number])).check()
    labels = np.random.default_rng([seed, number, 1])
    best = trial.expected.max(axis=1)
    row = trial.rows if len(trial.expected) > 1 else np.zeros_like(trial.rows)
    reward, regret, followed = [], [], []
    for place, make in enumerate(plan.makes.values()):
        played = play(build(make, trial, labels), trial, np.random.default_rng([seed, number, 2, place]), plan.delay)
        reward.append(np.cumsum(trial.rewards[trial.rows, played.arms])[at - 1])
        regret.append(np.cumsum(best[row] - trial.expected[row, played.arms])[at - 1])
        followed.append(_followed(played.followed, plan.experts)[at - 1])
    largest = np.array([np.abs(trial.rewards).max()])
    return Outcome(np.stack(reward), np.stack(regret), np.stack(followed), np.cumsum(best[row])[at - 1], largest)


def _followed(experts: Integers, width: int) -> Floats:
    """Rounds so far with each expert."""
    counts: Floats = np.cumsum(experts[:, None] == np.arange(width), axis=0, dtype=np.float64)
    return counts
