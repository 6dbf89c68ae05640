"""What all rivals keep: plays and mean reward of each arm, and the noise of all arms together.

The noise's variance is estimated as (sum of squared deviations within arms + variance of all rewards) / (degrees of freedom + 1):
the variance of all rewards counts as one degree of freedom, so there is an estimate before any arm has been played twice.
"""

from typing import NamedTuple

import numpy as np

from hedgerow.core.kernel import compiled
from hedgerow.core.types import Floats


class Log(NamedTuple):
    """Sums of a history, a number for each arm; zeros without one.

    Args:
        plays: Logged plays.
        totals: Sum of their rewards.
        squares: Sum of the squared rewards.
    """

    plays: Floats
    totals: Floats
    squares: Floats


class PooledNoise(NamedTuple):
    """Sums from which the noise of all arms is estimated.

    Args:
        within: Sum of squared deviations of rewards from the mean of their arm.
        freedom: Its degrees of freedom.
        plays: Of all arms.
        mean: Of all rewards.
        total: Sum of squared deviations from it.
    """

    within: float
    freedom: float
    plays: float
    mean: float
    total: float


def log_of(arms: np.ndarray, rewards: np.ndarray, K: int) -> Log:
    """Return the sums of logged rounds.

    Args:
        arms: The arm of each round, from 0 on.
        rewards: Its reward.
        K: The number of arms.

    Returns:
        Sums for each arm.
    """
    parts = (np.bincount(arms, weights, K) for weights in (None, rewards, rewards**2))
    return Log(*(part.astype(np.float64) for part in parts))


@compiled
def means_of(log: Log) -> Floats:
    """Mean logged reward of each arm; 0 where there is none.

    Args:
        log: Sums of the history.

    Returns:
        A number for each arm.
    """
    means = np.zeros(log.plays.size)
    for k in range(log.plays.size):
        if log.plays[k] > 0:
            means[k] = log.totals[k] / log.plays[k]
    return means


@compiled
def pooled(log: Log) -> PooledNoise:
    """Sums about the noise of a history.

    Args:
        log: Sums of the history.

    Returns:
        The sums that the rounds are added to.
    """
    within, freedom, plays, total, squares = 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(log.plays.size):
        n = log.plays[k]
        if n > 0:
            within += max(log.squares[k] - log.totals[k] ** 2 / n, 0.0)
            freedom += n - 1.0
            plays += n
            total += log.totals[k]
            squares += log.squares[k]
    mean = total / max(plays, 1.0)
    return PooledNoise(within, freedom, plays, mean, max(squares - plays * mean * mean, 0.0))


@compiled
def with_reward(noise: PooledNoise, plays: float, mean: float, reward: float) -> PooledNoise:
    """Add a reward to the sums about the noise (Welford 1962).

    Args:
        noise: The sums so far.
        plays: Plays of the arm before it.
        mean: Mean of the arm before it.
        reward: The reward.

    Returns:
        The new sums.
    """
    within, freedom = noise.within, noise.freedom
    if plays > 0:
        within += (reward - mean) ** 2 * plays / (plays + 1.0)
        freedom += 1.0
    every = noise.plays + 1.0
    off = reward - noise.mean
    overall = noise.mean + off / every
    return PooledNoise(within, freedom, every, overall, noise.total + off * (reward - overall))


@compiled
def variance(noise: PooledNoise) -> float:
    """Estimated variance of a reward about the mean of its arm.

    Args:
        noise: The sums so far.

    Returns:
        The variance.
    """
    return (noise.within + noise.total / max(noise.plays - 1.0, 1.0)) / (noise.freedom + 1.0)


@compiled
def learn(plays: Floats, means: Floats, arm: int, reward: float) -> None:
    """Add a reward to the plays and the mean of its arm.

    Args:
        plays: Of each arm.
        means: Of each arm.
        arm: That was played.
        reward: What it paid.
    """
    plays[arm] += 1.0
    means[arm] += (reward - means[arm]) / plays[arm]
