"""GLR-klUCB, a detector of changes beside KL-UCB (Besson, Kaufmann, Maillard and Seznec, 2022), for rewards 0 and 1.

After a play of an arm all splits of its rewards since the last restart are compared with none, by n1 kl(m1, m) + n2 kl(m2, m).
Beyond log(3 n^(3/2) / delta) all arms restart. Every arm is played once in K / alpha rounds whatever happens,
alpha = alpha0 sqrt(restarts K log T / T). As in the authors' experiments, an arm is looked at every tenth play and at every fifth
split.
"""

import math

import numpy as np
from numba import njit

EXPLORED, CHANCE = 0.05, 0.01
"""alpha0 and delta, as the authors' experiments have them."""

PLAYS, SPLITS, LEAST = 10, 5, 20


@njit(cache=True)
def entropy(p: float, q: float) -> float:
    """kl(p, q)."""
    q = min(max(q, 1e-12), 1.0 - 1e-12)
    value = p * math.log(p / q) if p > 0.0 else 0.0
    return value + ((1.0 - p) * math.log((1.0 - p) / (1.0 - q)) if p < 1.0 else 0.0)


@njit(cache=True)
def upper(mean: float, level: float) -> float:
    """The largest q with kl(mean, q) <= level."""
    low, high = mean, min(1.0, mean + math.sqrt(0.5 * level))
    for _ in range(22):
        middle = 0.5 * (low + high)
        if entropy(mean, middle) > level:
            high = middle
        else:
            low = middle
    return low


@njit(cache=True)
def best_of(sums: np.ndarray, plays: np.ndarray, rounds: float) -> int:
    """The arm of the highest KL-UCB index; one without plays first."""
    best, chosen, level = -1.0, 0, math.log(rounds + 1.0)
    for arm in range(plays.size):
        if plays[arm] == 0:
            return arm
        mean = sums[arm, plays[arm]] / plays[arm]
        if mean + math.sqrt(level / (2.0 * plays[arm])) > best:
            value = upper(mean, level / plays[arm])
            if value > best:
                best, chosen = value, arm
    return chosen


@njit(cache=True)
def changed(sums: np.ndarray, plays: int) -> bool:
    """Whether the rewards of an arm are likelier with a change among them."""
    mean, needed = sums[plays] / plays, math.log(3.0 * plays * math.sqrt(plays) / CHANCE)
    for first in range(SPLITS, plays - SPLITS + 1, SPLITS):
        rest = plays - first
        one, two = sums[first] / first, (sums[plays] - sums[first]) / rest
        if first * entropy(one, mean) + rest * entropy(two, mean) > needed:
            return True
    return False


@njit(cache=True)
def play(rewards: np.ndarray) -> np.ndarray:
    """The arm of each round.

    Args:
        rewards: What each arm would earn in each round.

    Returns:
        Positions of arms.
    """
    rounds, arms = rewards.shape
    sums, plays = np.zeros((arms, rounds + 1)), np.zeros(arms, np.int64)
    chosen, restarts, since = np.zeros(rounds, np.int64), 1, 0
    for t in range(rounds):
        alpha = min(1.0, EXPLORED * math.sqrt(restarts * arms * math.log(rounds) / rounds))
        turn = (t - since) % max(arms, int(arms / alpha))
        arm = turn if turn < arms else best_of(sums, plays, float(t - since))
        chosen[t] = arm
        sums[arm, plays[arm] + 1] = sums[arm, plays[arm]] + rewards[t, arm]
        plays[arm] += 1
        if plays[arm] >= LEAST and plays[arm] % PLAYS == 0 and changed(sums[arm], plays[arm]):
            restarts, since = restarts + 1, t + 1
            plays[:] = 0
    return chosen
