"""IMED (Honda and Takemura 2015): play the arm of the least n_k d(mean_k, largest mean) + log n_k.

d is the divergence of the rewards' distributions: (difference)^2 / (2 variance) for normal ones with the estimated noise, and the
relative entropy of coins for 0/1 rewards.
"""

import math

import numpy as np

from benchmarks.wild.rivals.learning import Log
from benchmarks.wild.rivals.scored import Round, play_scored
from hedgerow.core.kernel import compiled
from hedgerow.core.types import Floats, Integers
from hedgerow.policies.klucb import bernoulli_divergence


@compiled
def gaussian_evidence(mean: float, plays: float, now: Round, rng: np.random.Generator) -> float:
    """Less the evidence against an arm, of normal rewards."""
    return -(plays * (now.top - mean) ** 2 / (2.0 * now.variance + 1e-300) + math.log(plays))


@compiled
def binary_evidence(mean: float, plays: float, now: Round, rng: np.random.Generator) -> float:
    """Less the evidence against an arm, of 0/1 rewards."""
    return -(plays * bernoulli_divergence(mean, now.top) + math.log(plays))


@compiled
def gaussian_imed(rewards: Floats, log: Log, rng: np.random.Generator) -> Integers:
    """Play IMED for normal rewards.

    Args:
        rewards: A row for each round, a column for each arm.
        log: Sums of the history.
        rng: Not used.

    Returns:
        The arm of each round.
    """
    return play_scored(gaussian_evidence, rewards, log, rng)


@compiled
def binary_imed(rewards: Floats, log: Log, rng: np.random.Generator) -> Integers:
    """Play IMED for 0/1 rewards.

    Args:
        rewards: A row for each round, a column for each arm.
        log: Sums of the history.
        rng: Not used.

    Returns:
        The arm of each round.
    """
    return play_scored(binary_evidence, rewards, log, rng)
