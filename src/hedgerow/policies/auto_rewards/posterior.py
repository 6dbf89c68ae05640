"""What the model says of each arm: by which explanations, and how likely each is.

    arms of cluster i      theta_k ~ N(centre_i, rho_i A),   centre_i ~ N(level, (1 - rho_i) A)
    a share w_i of them    theta_k ~ N(level, (outlier)^2 A), whatever the cluster

(rho_i, w_i) are on a grid. Its prior is that of all clusters together, by expectation and maximisation from a uniform one.
An explanation of an arm is a spread rho of its cluster, or the last: the cluster is wrong about it. Each is kept as what it says of
the arm by the other arms alone, N(expected, spread), so that a reward changes the row of its arm only.
"""

import math
from typing import Any

import numpy as np

from ...core.kernel import compiled
from ...core.records import record
from ...core.sums import PLAYS
from ...core.tree import FIRST, SIZE
from ...core.types import Floats, Integers, Links
from .settings import GROWTH, SETTINGS, SPREADS, WRONG
from .state import ARM, ARM_SIZE, CLUSTER, ROW_SIZE

INSIDE = SPREADS.size
"""Explanations by a spread; the next one is that the cluster is wrong."""

LEAST_ACROSS = 1e-6
"""Variance of the centres, as a part of that of the arms, if clusters say nothing."""

MOST = 300.0
"""Logarithm of the largest odds."""

ROUNDS = 10
"""Of expectation and maximisation, for the grid's prior."""


@compiled
def nodes_of_clusters(rows: Floats) -> Integers:
    """The nodes that hold arms."""
    nodes = np.empty(len(rows), np.int64)
    clusters = 0
    for node in range(len(rows)):
        if record(rows[node, ARM_SIZE:ROW_SIZE], CLUSTER).arms > 0.0:
            nodes[clusters] = node
            clusters += 1
    return nodes[:clusters]


@compiled
def odds_against(arm: Any, j: int) -> float:
    """How much likelier the arm's average is if its cluster is wrong than by explanation j."""
    if arm.plays == 0.0:
        return 1.0
    member, other = arm.noise + arm.plays * arm.spread[j], arm.noise + arm.plays * arm.spread[INSIDE]
    off, off_other = arm.average - arm.expected[j], arm.average - arm.expected[INSIDE]
    log = 0.5 * (math.log(member / other) + arm.plays * (off * off / member - off_other * off_other / other))
    return math.exp(min(max(log, -MOST), MOST))


@compiled
def weigh(arm: Any, cluster: Any) -> None:
    """The chance of each explanation, after the arm's own rewards."""
    arm.chance[INSIDE] = 0.0
    for j in range(INSIDE):
        odd = cluster.wrong * odds_against(arm, j)
        arm.member[j] = (1.0 - cluster.wrong) / (1.0 - cluster.wrong + odd)
        arm.chance[j] = cluster.share[j] * arm.member[j]
        arm.chance[INSIDE] += cluster.share[j] * (1.0 - arm.member[j])


@compiled
def weight(arm: Any, j: int, within: float) -> float:
    """Precision that an arm adds to the centre of its cluster."""
    added: float = arm.member[j] * arm.plays / (arm.plays * within + arm.noise)
    return added


@compiled
def explain_by_others(tree: Links, rows: Floats, node: int, own: Any) -> None:
    """Of each arm of a cluster, and each explanation: mean and variance by the other arms."""
    precisions, moments = np.empty(INSIDE), np.empty(INSIDE)
    for j in range(INSIDE):
        precisions[j] = 1.0 / (max(1.0 - SPREADS[j], LEAST_ACROSS) * own.variance)
        moments[j] = 0.0
    first, last = tree[node, FIRST], tree[node, FIRST] + tree[node, SIZE]
    for leaf in range(first, last):
        if tree[leaf, SIZE] == 0:
            arm = record(rows[leaf, :ARM_SIZE], ARM)
            for j in range(INSIDE):
                added = weight(arm, j, SPREADS[j] * own.variance)
                precisions[j] += added
                moments[j] += added * (arm.average - own.level)
    for leaf in range(first, last):
        if tree[leaf, SIZE] == 0:
            arm = record(rows[leaf, :ARM_SIZE], ARM)
            for j in range(INSIDE):
                added = weight(arm, j, SPREADS[j] * own.variance)
                left = precisions[j] - added
                arm.expected[j] = own.level + (moments[j] - added * (arm.average - own.level)) / left
                arm.spread[j] = SPREADS[j] * own.variance + 1.0 / left
            arm.expected[INSIDE], arm.spread[INSIDE] = own.level, SETTINGS.outlier**2 * own.variance


@compiled
def look_at_cluster(tree: Links, online: Floats, history: Floats, rows: Floats, node: int, own: Any) -> None:
    """All arms of a cluster, by what is known of the others now."""
    explain_by_others(tree, rows, node, own)
    cluster = record(rows[node, ARM_SIZE:ROW_SIZE], CLUSTER)
    for leaf in range(tree[node, FIRST], tree[node, FIRST] + tree[node, SIZE]):
        if tree[leaf, SIZE] == 0:
            weigh(record(rows[leaf, :ARM_SIZE], ARM), cluster)
    cluster.due = (1.0 + GROWTH) * (online[node, PLAYS] + history[node, PLAYS])


@compiled
def likelihood(tree: Links, rows: Floats, node: int, logs: Floats) -> None:
    """Log likelihood of the averages of a cluster's arms, each given the others, at each spread and share of wrong arms."""
    for leaf in range(tree[node, FIRST], tree[node, FIRST] + tree[node, SIZE]):
        if tree[leaf, SIZE] == 0:
            arm = record(rows[leaf, :ARM_SIZE], ARM)
            if arm.plays > 0.0:
                for j in range(INSIDE):
                    odds = 1.0 / odds_against(arm, j)
                    for b in range(WRONG.size):
                        logs[j, b] += math.log((1.0 - WRONG[b]) * odds + WRONG[b])


@compiled
def sum_up(odds: Floats, prior: Floats, sums: Floats) -> None:
    """Add the posterior of a cluster on the grid to ``sums``."""
    total = (odds * prior).sum()
    for j in range(INSIDE):
        for b in range(WRONG.size):
            sums[j, b] += odds[j, b] * prior[j, b] / total


@compiled
def learn_clusters(tree: Links, rows: Floats, own: Any) -> None:
    """Posterior of each cluster's spread and share of wrong arms, from a prior that all clusters have in common."""
    clusters = nodes_of_clusters(rows)
    odds = np.zeros((clusters.size, INSIDE, WRONG.size))
    for at in range(clusters.size):
        explain_by_others(tree, rows, clusters[at], own)
        likelihood(tree, rows, clusters[at], odds[at])
        odds[at] = np.exp(odds[at] - odds[at].max())
    prior, sums = np.full((INSIDE, WRONG.size), 1.0 / (INSIDE * WRONG.size)), np.empty((INSIDE, WRONG.size))
    for _ in range(ROUNDS):
        sums[:] = SETTINGS.prior_clusters / sums.size
        for at in range(clusters.size):
            sum_up(odds[at], prior, sums)
        prior[:] = sums / (clusters.size + SETTINGS.prior_clusters)
    for at in range(clusters.size):
        sums[:] = 0.0
        sum_up(odds[at], prior, sums)
        cluster = record(rows[clusters[at], ARM_SIZE:ROW_SIZE], CLUSTER)
        cluster.wrong = (sums * WRONG).sum()
        for j in range(INSIDE):
            cluster.share[j] = sums[j].sum()
