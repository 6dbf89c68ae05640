"""AdaUCB (Lattimore 2018), which knows the number of rounds T: mean_k + sd sqrt(2 log+(T / H_k) / n_k).

H_k = sum over arms j of min(n_k, sqrt(n_k n_j)). The noise is estimated.
"""

import math

import numpy as np

from benchmarks.wild.rivals.learning import Log, learn, means_of, pooled, variance, with_reward
from hedgerow.core.kernel import compiled
from hedgerow.core.types import Floats, Integers


@compiled
def effective_plays(roots: Floats, k: int) -> float:
    """Return H_k.

    Args:
        roots: Square root of the plays of each arm.
        k: The arm.

    Returns:
        Its sum over all arms.
    """
    total = 0.0
    for j in range(roots.size):
        total += roots[k] * min(roots[k], roots[j])
    return total


@compiled
def adaucb(rewards: Floats, log: Log, rng: np.random.Generator) -> Integers:
    """Play AdaUCB.

    Args:
        rewards: A row for each round, a column for each arm.
        log: Sums of the history.
        rng: Not used.

    Returns:
        The arm of each round.
    """
    T, K = rewards.shape
    plays, means, noise = log.plays.copy(), means_of(log), pooled(log)
    roots = np.sqrt(plays)
    effective = np.array([effective_plays(roots, k) for k in range(K)])
    arms = np.zeros(T, np.int64)
    unplayed = 0
    for t in range(T):
        while unplayed < K and plays[unplayed] > 0:
            unplayed += 1
        arm = unplayed
        if unplayed == K:
            sd, best = math.sqrt(variance(noise)), -math.inf
            for k in range(K):
                value = means[k] + sd * math.sqrt(2.0 * max(math.log(T / effective[k]), 0.0)) / roots[k]
                if value > best:
                    best, arm = value, k
        reward = rewards[t, arm]
        noise = with_reward(noise, plays[arm], means[arm], reward)
        learn(plays, means, arm, reward)
        _grow(effective, roots, arm)
        arms[t] = arm
    return arms


@compiled
def _grow(effective: Floats, roots: Floats, arm: int) -> None:
    """Count one more play of an arm in the H of all."""
    before, roots[arm] = roots[arm], math.sqrt(roots[arm] ** 2 + 1.0)
    for k in range(roots.size):
        effective[k] += roots[k] * (min(roots[k], roots[arm]) - min(roots[k], before))
    effective[arm] = effective_plays(roots, arm)
