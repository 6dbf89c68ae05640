"""The loop of rivals that score every arm and play the best: unplayed arms first, in their order."""

import math
from typing import NamedTuple

import numpy as np

from benchmarks.wild.rivals.learning import Log, learn, means_of, pooled, variance, with_reward
from hedgerow.core.kernel import inlined
from hedgerow.core.types import Floats, Integers


class Round(NamedTuple):
    """What a score may depend on beside its arm.

    Args:
        t: Number of the round, from 1 on.
        arms: K.
        variance: Estimated variance of the noise.
        top: The largest mean.
    """

    t: float
    arms: float
    variance: float
    top: float


@inlined
def play_scored(index, rewards: Floats, log: Log, rng: np.random.Generator) -> Integers:  # type: ignore[no-untyped-def]
    """Play a table of rewards.

    Args:
        index: Score of an arm, from its mean, its plays, the round and a generator.
        rewards: A row for each round, a column for each arm.
        log: Sums of the history.
        rng: For scores that are drawn.

    Returns:
        The arm of each round.
    """
    T, K = rewards.shape
    plays, means, noise = log.plays.copy(), means_of(log), pooled(log)
    arms = np.zeros(T, np.int64)
    unplayed = 0
    for t in range(T):
        while unplayed < K and plays[unplayed] > 0:
            unplayed += 1
        arm = unplayed
        if unplayed == K:
            now = Round(t + 1.0, float(K), variance(noise), means.max())
            best = -math.inf
            for k in range(K):
                value = index(means[k], plays[k], now, rng)
                if value > best:
                    best, arm = value, k
        reward = rewards[t, arm]
        noise = with_reward(noise, plays[arm], means[arm], reward)
        learn(plays, means, arm, reward)
        arms[t] = arm
    return arms
