"""Loops written by hand for one purpose each, as a measure of what is possible: nothing is checked, nothing is general."""

import math

import numpy as np
from numba import njit


@njit
def ridge_best(inverses, thetas, x, first, last):
    """The node of highest theta'x + sqrt(x' A^-1 x) among neighbours."""
    best, chosen = -math.inf, first
    for node in range(first, last):
        mean = 0.0
        spread = 0.0
        for i in range(x.size):
            mean += thetas[node, i] * x[i]
            row = 0.0
            for j in range(x.size):
                row += inverses[node, i, j] * x[j]
            spread += x[i] * row
        value = mean + math.sqrt(spread)
        if value > best:
            best, chosen = value, node
    return chosen


@njit
def ridge_learn(inverses, thetas, node, x, reward):
    """Sherman-Morrison for A^-1, and the same step for theta."""
    u = np.zeros(x.size)
    leverage = 1.0
    error = reward
    for i in range(x.size):
        for j in range(x.size):
            u[i] += inverses[node, i, j] * x[j]
        leverage += x[i] * u[i]
        error -= thetas[node, i] * x[i]
    for i in range(x.size):
        thetas[node, i] += u[i] * error / leverage
        for j in range(x.size):
            inverses[node, i, j] -= u[i] * u[j] / leverage


@njit
def linucb(inverses, thetas, contexts, rewards, chosen):
    """Flat LinUCB, alpha 1."""
    for t in range(chosen.size):
        arm = ridge_best(inverses, thetas, contexts[t], 0, len(thetas))
        ridge_learn(inverses, thetas, arm, contexts[t], rewards[t, arm])
        chosen[t] = arm


@njit
def hlinucbc(inverses, thetas, cluster_inverses, cluster_thetas, starts, contexts, rewards, chosen):
    """Two-level LinUCB, alpha 1; the arms of cluster c stand from starts[c] on."""
    for t in range(chosen.size):
        cluster = ridge_best(cluster_inverses, cluster_thetas, contexts[t], 0, len(cluster_thetas))
        arm = ridge_best(inverses, thetas, contexts[t], starts[cluster], starts[cluster + 1])
        ridge_learn(inverses, thetas, arm, contexts[t], rewards[t, arm])
        ridge_learn(cluster_inverses, cluster_thetas, cluster, contexts[t], rewards[t, arm])
        chosen[t] = arm


@njit
def ucb_best(pulls, totals, past_pulls, past_totals, t, first, last):
    """The node of highest mean + sqrt(2 log(t + H) / (n + H)) among neighbours."""
    best, chosen = -math.inf, first
    for node in range(first, last):
        plays = pulls[node] + past_pulls[node]
        if plays == 0.0:
            return node
        value = (totals[node] + past_totals[node]) / plays + math.sqrt(2.0 * math.log(t + past_pulls[node]) / plays)
        if value > best:
            best, chosen = value, node
    return chosen


@njit
def hucbc(past_pulls, past_totals, starts, rewards, chosen):
    """HUCB over clusters, then over the arms of the best; the arms of cluster c stand from starts[c] on."""
    clusters = starts.size - 1
    pulls, totals = np.zeros(past_pulls.size), np.zeros(past_pulls.size)
    own_pulls, own_totals, old_pulls, old_totals = np.zeros(clusters), np.zeros(clusters), np.zeros(clusters), np.zeros(clusters)
    for c in range(clusters):
        old_pulls[c] = past_pulls[starts[c] : starts[c + 1]].sum()
        old_totals[c] = past_totals[starts[c] : starts[c + 1]].sum()
    for t in range(chosen.size):
        cluster = ucb_best(own_pulls, own_totals, old_pulls, old_totals, t + 1.0, 0, clusters)
        arm = ucb_best(pulls, totals, past_pulls, past_totals, t + 1.0, starts[cluster], starts[cluster + 1])
        reward = rewards[t, arm]
        pulls[arm] += 1.0
        totals[arm] += reward
        own_pulls[cluster] += 1.0
        own_totals[cluster] += reward
        chosen[t] = arm


def ucb_scan(means, uniforms, past_pulls, past_totals):
    """UCB over all arms in each round, vectorised in NumPy, in place; rewards are 2 mean u."""
    plays, totals, index = past_pulls.copy(), past_totals.copy(), np.empty(means.size)
    untried = np.where(plays == 0.0, np.inf, 0.0)
    chosen = np.zeros(uniforms.size, dtype=np.int64)
    for t, uniform in enumerate(uniforms):
        np.log(past_pulls + (t + 1.0), out=index)
        index *= 2.0
        np.divide(index, plays, out=index, where=plays > 0.0)
        np.sqrt(index, out=index)
        index += np.divide(totals, plays, out=np.zeros(means.size), where=plays > 0.0)
        index += untried
        arm = int(index.argmax())
        chosen[t] = arm
        plays[arm] += 1.0
        totals[arm] += 2.0 * means[arm] * uniform
        untried[arm] = 0.0
    return chosen
