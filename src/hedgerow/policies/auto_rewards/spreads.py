"""Empirical Bayes for arms in clusters: how far arms lie from their cluster's centre, and centres from each other.

    centre_i ~ N(mu0, s^2),   theta_k ~ N(centre_i, tau_i^2),   mean of n_k rewards ~ N(theta_k, v_k / n_k)

tau and s are searched on a grid in units of the observed arm means' variance; their likelihood is that of the means with theta,
the centres and mu0 integrated or profiled out. Arms are the leaves of the tree, a cluster is the node above them.
"""

import math

import numpy as np

from ...core.kernel import compiled
from ...core.tree import PARENT, SIZE
from ...core.types import Floats, Links
from .table import ARM_PLAYS, ARMS, MEAN, NOISE, TAU2

GRID = np.array([0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.5])
"""Standard deviations tried, in units of that of the arm means."""

NOTHING = 1e-6
"""The first s^2, in the same units squared: the labels carry nothing."""

TINY = 1e-300
"""A likelihood below which all are 0."""


@compiled
def between(step: int) -> float:
    """s^2 of a step of the grid, in units of the arm means' variance."""
    return NOTHING if step == 0 else GRID[step] * GRID[step]


@compiled
def gather(tree: Links, table: Floats, tau2: float, unit: float, weights: Floats, centres: Floats, logs: Floats) -> None:
    """Of every cluster, given tau^2: precision and mean of its centre, and the log likelihood of its arms around that mean."""
    weights[:] = 0.0
    centres[:] = 0.0
    logs[:] = 0.0
    for node in range(1, len(tree)):
        if tree[node, SIZE] == 0 and table[node, ARM_PLAYS] > 0.0:
            u = tau2 + table[node, NOISE] / table[node, ARM_PLAYS]
            above = tree[node, PARENT]
            weights[above] += 1.0 / u
            centres[above] += table[node, MEAN] / u
            logs[above] -= 0.5 * math.log(u / unit)
    for node in range(len(centres)):
        if weights[node] > 0.0:
            centres[node] /= weights[node]
    for node in range(1, len(tree)):
        if tree[node, SIZE] == 0 and table[node, ARM_PLAYS] > 0.0:
            above = tree[node, PARENT]
            off = table[node, MEAN] - centres[above]
            logs[above] -= 0.5 * off * off / (tau2 + table[node, NOISE] / table[node, ARM_PLAYS])


@compiled
def overall(s2: float, weights: Floats, centres: Floats) -> float:
    """mu0: the centres' mean, weighted by 1 / (s^2 + 1 / W)."""
    moment, total = 0.0, 0.0
    for node in range(len(weights)):
        if weights[node] > 0.0:
            weight = 1.0 / (s2 + 1.0 / weights[node])
            moment += weight * centres[node]
            total += weight
    return moment / total


@compiled
def around(s2: float, mu0: float, weight: float, centre: float) -> float:
    """Log likelihood of a centre around mu0."""
    if weight == 0.0:
        return 0.0
    off = centre - mu0
    return -0.5 * (math.log(1.0 + s2 * weight) + off * off / (s2 + 1.0 / weight))


@compiled
def estimate_spreads(tree: Links, table: Floats, unit: float) -> tuple[float, float, float, float]:
    """Posterior means of s^2, mu0 and the common tau^2; by how many nats the means are likelier with their labels than without.

    Fills every cluster's own tau^2, log-normal (sd 1) around the common one.
    """
    steps, nodes = GRID.size, len(tree)
    weights, centres, logs = np.zeros((steps, nodes)), np.zeros((steps, nodes)), np.zeros((steps, nodes))
    likelihood, mu = np.zeros((steps, steps)), np.zeros((steps, steps))
    for a in range(steps):
        gather(tree, table, GRID[a] * GRID[a] * unit, unit, weights[a], centres[a], logs[a])
        for b in range(steps):
            s2 = between(b) * unit
            mu[a, b] = overall(s2, weights[a], centres[a])
            for node in range(nodes):
                likelihood[a, b] += logs[a, node] + around(s2, mu[a, b], weights[a, node], centres[a, node])
    odds = np.exp(likelihood - likelihood.max())
    with_labels, without = odds[:, 1:].sum() / (steps - 1.0), odds[:, 0].sum()
    evidence = math.log(max(with_labels, TINY)) - math.log(max(without, TINY))
    odds /= odds.sum()
    s2, mu0, tau2 = 0.0, 0.0, 0.0
    for a in range(steps):
        for b in range(steps):
            s2 += odds[a, b] * between(b) * unit
            mu0 += odds[a, b] * mu[a, b]
            tau2 += odds[a, b] * GRID[a] * GRID[a] * unit
    own = np.empty(steps)
    for node in range(nodes):
        if tree[node, SIZE] > 0 and table[node, ARMS] > 0.0:
            for a in range(steps):
                away = 0.5 * math.log(GRID[a] * GRID[a] * unit / tau2)
                own[a] = logs[a, node] + around(s2, mu0, weights[a, node], centres[a, node]) - 0.5 * away * away
            chances = np.exp(own - own.max())
            table[node, TAU2] = (chances * GRID * GRID).sum() / chances.sum() * unit
    return s2, mu0, tau2, evidence
