"""HUCB and HUCBC (the paper's eqs. 3 and 5) whose scale is a fraction of an estimated noise.

    mean + fraction sd sqrt(2 log(t + H) / n)

over clusters and then over the arms of the chosen one, H logged plays of the cluster or arm, n its plays with these.
"""

import math
from typing import NamedTuple

import numpy as np

from benchmarks.wild.rivals.learning import Log, learn, means_of, pooled, variance, with_reward
from hedgerow.core.kernel import compiled
from hedgerow.core.types import Floats, Integers


class Clustering(NamedTuple):
    """Which arms are in which cluster.

    Args:
        of_arm: Cluster of each arm, from 0 on.
        members: The arms, cluster by cluster.
        first: Where each cluster begins in ``members``; its length comes last.
    """

    of_arm: Integers
    members: Integers
    first: Integers


def clustering(cluster: np.ndarray) -> Clustering:
    """Return which arms are in which cluster.

    Args:
        cluster: Of each arm, any number.

    Returns:
        The clusters from 0 on.
    """
    of_arm = np.unique(cluster, return_inverse=True)[1].astype(np.int64)
    first = np.concatenate([[0], np.cumsum(np.bincount(of_arm))]).astype(np.int64)
    return Clustering(of_arm, np.argsort(of_arm, kind="stable").astype(np.int64), first)


@compiled
def bound(mean: float, plays: float, logged: float, t: float, scale: float) -> float:
    """Upper bound of a cluster's or an arm's mean; without plays there is none."""
    if plays == 0.0:
        return math.inf
    return mean + scale * math.sqrt(2.0 * math.log(t + logged) / plays)


@compiled
def best_cluster(plays: Floats, totals: Floats, logged: Floats, t: float, scale: float) -> int:
    """Return the cluster of the largest bound, the first of the best.

    Args:
        plays: Of each cluster, logged ones with them.
        totals: Sum of their rewards.
        logged: Logged plays of each cluster.
        t: Number of the round.
        scale: Of the bonus.

    Returns:
        The cluster.
    """
    best, chosen = -math.inf, 0
    for c in range(plays.size):
        value = bound(totals[c] / max(plays[c], 1.0), plays[c], logged[c], t, scale)
        if value > best:
            best, chosen = value, c
    return chosen


@compiled
def ucb_fraction(rewards: Floats, log: Log, clusters: Clustering, fraction: float) -> Integers:
    """Play HUCBC, or HUCB if there is a single cluster.

    Args:
        rewards: A row for each round, a column for each arm.
        log: Sums of the history.
        clusters: Which arms are in which cluster.
        fraction: Of the estimated standard deviation.

    Returns:
        The arm of each round.
    """
    T, K = rewards.shape
    plays, means, noise = log.plays.copy(), means_of(log), pooled(log)
    logged, totals = np.zeros(clusters.first.size - 1), np.zeros(clusters.first.size - 1)
    for k in range(K):
        logged[clusters.of_arm[k]] += log.plays[k]
        totals[clusters.of_arm[k]] += log.totals[k]
    cluster_plays = logged.copy()
    arms = np.zeros(T, np.int64)
    for t in range(T):
        scale = fraction * math.sqrt(variance(noise))
        c = best_cluster(cluster_plays, totals, logged, t + 1.0, scale)
        best, arm = -math.inf, 0
        for place in range(clusters.first[c], clusters.first[c + 1]):
            k = clusters.members[place]
            value = bound(means[k], plays[k], log.plays[k], t + 1.0, scale)
            if value > best:
                best, arm = value, k
        reward = rewards[t, arm]
        noise = with_reward(noise, plays[arm], means[arm], reward)
        learn(plays, means, arm, reward)
        cluster_plays[c] += 1.0
        totals[c] += reward
        arms[t] = arm
    return arms
