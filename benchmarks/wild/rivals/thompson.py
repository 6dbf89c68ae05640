"""Thompson sampling (Thompson 1933): draw each arm's mean from what is known of it, and play the largest.

Gaussian, with a flat prior and the estimated noise: mean_k + sd / sqrt(n_k) N(0, 1).
0/1 rewards, with a uniform prior (Chapelle and Li 2011): Beta(1 + hits_k, 1 + misses_k).
"""

import math

import numpy as np

from benchmarks.wild.rivals.learning import Log
from benchmarks.wild.rivals.scored import Round, play_scored
from hedgerow.core.kernel import compiled
from hedgerow.core.types import Floats, Integers


@compiled
def drawn_mean(mean: float, plays: float, now: Round, rng: np.random.Generator) -> float:
    """Draw an arm's mean from its normal posterior."""
    return mean + math.sqrt(now.variance / plays) * rng.standard_normal()


@compiled
def gaussian_thompson(rewards: Floats, log: Log, rng: np.random.Generator) -> Integers:
    """Play Gaussian Thompson sampling.

    Args:
        rewards: A row for each round, a column for each arm.
        log: Sums of the history.
        rng: Where it draws from.

    Returns:
        The arm of each round.
    """
    return play_scored(drawn_mean, rewards, log, rng)


@compiled
def beta_thompson(rewards: Floats, log: Log, rng: np.random.Generator) -> Integers:
    """Play Thompson sampling for 0/1 rewards.

    Args:
        rewards: A row for each round, a column for each arm.
        log: Sums of the history.
        rng: Where it draws from.

    Returns:
        The arm of each round.
    """
    T, K = rewards.shape
    plays, hits = log.plays.copy(), log.totals.copy()
    arms = np.zeros(T, np.int64)
    for t in range(T):
        best, arm = -math.inf, 0
        for k in range(K):
            value = rng.beta(1.0 + hits[k], 1.0 + plays[k] - hits[k])
            if value > best:
                best, arm = value, k
        plays[arm] += 1.0
        hits[arm] += rewards[t, arm]
        arms[t] = arm
    return arms
