"""KL-UCB for 0/1 rewards (Garivier and Cappe 2011): the largest q with n_k kl(mean_k, q) <= log(t + H_k), H_k logged plays.

hr.KLUCB is the same rule. This loop computes a bound only where it could be the largest so far, which thousands of arms need.
"""

import math

import numpy as np

from benchmarks.wild.rivals.learning import Log, learn, means_of
from hedgerow.core.kernel import compiled
from hedgerow.core.types import Floats, Integers
from hedgerow.policies.klucb import bernoulli_divergence

BOUND_TOLERANCE = 1e-9
"""How exact a bound is."""


@compiled
def kl_bound(mean: float, level: float) -> float:
    """Return the largest q with kl(mean, q) <= level.

    Args:
        mean: Of an arm.
        level: Largest divergence, per play.

    Returns:
        The bound, from below.
    """
    low, high = mean, min(1.0, mean + math.sqrt(0.5 * level))  # Pinsker: kl(p, q) >= 2 (p - q)^2
    while high - low > BOUND_TOLERANCE:
        middle = 0.5 * (low + high)
        if bernoulli_divergence(mean, middle) > level:
            high = middle
        else:
            low = middle
    return high


@compiled
def klucb(rewards: Floats, log: Log, rng: np.random.Generator) -> Integers:
    """Play KL-UCB.

    Args:
        rewards: A row for each round, a column for each arm.
        log: Sums of the history.
        rng: Not used.

    Returns:
        The arm of each round.
    """
    T, K = rewards.shape
    plays, means = log.plays.copy(), means_of(log)
    arms = np.zeros(T, np.int64)
    for t in range(T):
        best, arm = -1.0, 0
        for k in range(K):
            if plays[k] == 0:
                arm = k
                break
            level = math.log(t + 1.0 + log.plays[k]) / plays[k]
            if best > means[k] and bernoulli_divergence(means[k], best) > level:
                continue  # its bound is below the best
            bound = kl_bound(means[k], level)
            if bound > best:
                best, arm = bound, k
        learn(plays, means, arm, rewards[t, arm])
        arms[t] = arm
    return arms
