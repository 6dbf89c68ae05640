"""Rewards of a run as hashes: that of the q-th play of arm k is a hash of (run, k, q), alike for all policies, never stored."""

import math

import numpy as np

from ..core.kernel import compiled


@compiled
def mix(x: np.uint64) -> np.uint64:
    """The finaliser of splitmix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@compiled
def hashed(key: np.uint64, arm: int, play: int) -> float:
    """A number in (0, 1) for a play of an arm.

    Args:
        key: Of the run.
        arm: The arm.
        play: How often it was played before.

    Returns:
        The number.
    """
    step = np.uint64(arm + 1) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(play + 1) * np.uint64(0xD1B54A32D192ED03)
    return (np.float64(mix(mix(key + step)) >> np.uint64(11)) + 0.5) * 2.0**-53


@compiled
def reward_of(key: np.uint64, arm: int, play: int, mean: float, deviation: float) -> float:
    """The reward of a play: 0 or 1, or normal if there is a deviation (by Box and Muller).

    Args:
        key: Of the run.
        arm: The arm.
        play: How often it was played before.
        mean: Its expected reward.
        deviation: Its standard deviation; below 0 rewards are 0 and 1.

    Returns:
        The reward.
    """
    if deviation < 0.0:
        return 1.0 if hashed(key, arm, play) < mean else 0.0
    radius = math.sqrt(-2.0 * math.log(hashed(key, arm, 2 * play)))
    return mean + deviation * radius * math.cos(2.0 * math.pi * hashed(key, arm, 2 * play + 1))
