"""What the model says of each arm: by which explanations, and how likely each is.

    arms of cluster i      theta_k ~ N(centre_i, rho_i A),   centre_i ~ N(level, (1 - rho_i) A)
    a share w_i of them    theta_k ~ N(level, (outlier)^2 A), whatever the cluster

(rho_i, w_i) are on a grid. Its prior is that of all clusters together, by expectation and maximisation from a uniform one.
A cluster within a cluster is a member of it just as an arm is: its one play has its centre by its own arms as a reward, and the
variance of that as noise. What the outer cluster then says of the centre, as one normal distribution, replaces N(level, A).

An explanation of an arm is a spread rho of its cluster; the last one is that the cluster is wrong about it. Each is kept as what
it says of the arm by the other arms alone, N(expected, spread), so that a reward changes the row of its arm only.
"""

import math
from typing import Any

import numpy as np

from ...core.kernel import compiled
from ...core.records import record
from ...core.sums import PLAYS
from ...core.tree import FIRST, PARENT, SIZE
from ...core.types import Floats, Integers, Links
from .settings import GROWTH, SETTINGS, SPREADS, WRONG
from .state import ARM, ARM_SIZE, CLUSTER, ROW_SIZE

INSIDE = SPREADS.size
"""Explanations by a spread; the next one is that the cluster is wrong."""

LEAST_ACROSS = 1e-6
"""Variance of the centres, as a part of that of the arms, if clusters say nothing."""

LEAST_LEFT = 1e-12
"""Part of a centre's precision that the others leave: a state file could have it cancel to 0, data cannot."""

MOST = 300.0
"""Logarithm of the largest odds."""

ROUNDS = 10
"""Of expectation and maximisation, for the grid's prior."""


@compiled
def nodes_of_clusters(tree: Links, rows: Floats) -> Integers:
    """The nodes that have members: all clusters, and the root if arms stand in no cluster. Outer ones come first."""
    nodes = np.empty(len(rows), np.int64)
    clusters = 0
    for node in range(len(rows)):
        if tree[node, SIZE] > 0 and (node > 0 or record(rows[node, ARM_SIZE:ROW_SIZE], CLUSTER).arms > 0.0):
            nodes[clusters] = node
            clusters += 1
    return nodes[:clusters]


@compiled
def is_member(tree: Links, node: int) -> bool:
    """Whether a node is a member of what it stands in: an arm, or a cluster within a cluster; the root is none."""
    member: bool = tree[node, SIZE] == 0 or tree[node, PARENT] > 0
    return member


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
    arm.chance[INSIDE] = min(arm.chance[INSIDE], 1.0)


@compiled
def weight(arm: Any, j: int, within: float) -> float:
    """Precision that an arm adds to the centre of its cluster."""
    added: float = arm.member[j] * arm.plays / (arm.plays * within + arm.noise)
    return added


@compiled
def explain_by_others(tree: Links, rows: Floats, node: int, own: Any) -> None:
    """Of each arm of a cluster, and each explanation: mean and variance by the other arms."""
    cluster = record(rows[node, ARM_SIZE:ROW_SIZE], CLUSTER)
    precisions, moments = np.empty(INSIDE), np.empty(INSIDE)
    for j in range(INSIDE):
        precisions[j] = 1.0 / (max(1.0 - SPREADS[j], LEAST_ACROSS) * cluster.around)
        moments[j] = 0.0
    first, last = tree[node, FIRST], tree[node, FIRST] + tree[node, SIZE]
    for within in range(first, last):
        if is_member(tree, within):
            arm = record(rows[within, :ARM_SIZE], ARM)
            for j in range(INSIDE):
                added = weight(arm, j, SPREADS[j] * own.variance)
                precisions[j] += added
                moments[j] += added * (arm.average - cluster.level)
    for within in range(first, last):
        if is_member(tree, within):
            arm = record(rows[within, :ARM_SIZE], ARM)
            for j in range(INSIDE):
                added = weight(arm, j, SPREADS[j] * own.variance)
                left = max(precisions[j] - added, LEAST_LEFT * precisions[j])
                arm.expected[j] = cluster.level + (moments[j] - added * (arm.average - cluster.level)) / left
                arm.spread[j] = SPREADS[j] * own.variance + 1.0 / left
            arm.expected[INSIDE], arm.spread[INSIDE] = own.level, SETTINGS.outlier**2 * own.variance


@compiled
def look_at_cluster(tree: Links, online: Floats, history: Floats, rows: Floats, node: int, own: Any) -> None:
    """All arms of a cluster, by what is known of the others now."""
    explain_by_others(tree, rows, node, own)
    cluster = record(rows[node, ARM_SIZE:ROW_SIZE], CLUSTER)
    for within in range(tree[node, FIRST], tree[node, FIRST] + tree[node, SIZE]):
        if is_member(tree, within):
            weigh(record(rows[within, :ARM_SIZE], ARM), cluster)
    cluster.due = (1.0 + GROWTH) * (online[node, PLAYS] + history[node, PLAYS])


@compiled
def place_clusters_within(tree: Links, rows: Floats, node: int) -> None:
    """Where a cluster expects the centres of those within it: all its explanations as one normal distribution."""
    for within in range(tree[node, FIRST], tree[node, FIRST] + tree[node, SIZE]):
        if node > 0 and tree[within, SIZE] > 0:
            centre, cluster = record(rows[within, :ARM_SIZE], ARM), record(rows[within, ARM_SIZE:ROW_SIZE], CLUSTER)
            cluster.level = (centre.chance * centre.expected).sum()
            cluster.around = (centre.chance * (centre.spread + (centre.expected - cluster.level) ** 2)).sum()


@compiled
def find_centre(tree: Links, rows: Floats, node: int, own: Any) -> None:
    """The centre of a cluster by its own members: the average of one play, whose noise is how far off that may be."""
    cluster, centre = record(rows[node, ARM_SIZE:ROW_SIZE], CLUSTER), record(rows[node, :ARM_SIZE], ARM)
    spread, precision, moment = (cluster.share * SPREADS).sum() * own.variance, 0.0, 0.0
    for within in range(tree[node, FIRST], tree[node, FIRST] + tree[node, SIZE]):
        arm = record(rows[within, :ARM_SIZE], ARM)
        added = (1.0 - arm.chance[INSIDE]) * arm.plays / (arm.plays * spread + arm.noise)
        precision += added
        moment += added * (arm.average - own.level)
    centre.plays = 1.0 if precision > 0.0 else 0.0
    if precision > 0.0:
        centre.average, centre.noise = own.level + moment / precision, 1.0 / precision
    else:
        centre.noise = own.variance


@compiled
def likelihood(tree: Links, rows: Floats, node: int, logs: Floats) -> None:
    """Log likelihood of the averages of a cluster's arms, each given the others, at each spread and share of wrong arms."""
    for within in range(tree[node, FIRST], tree[node, FIRST] + tree[node, SIZE]):
        if is_member(tree, within):
            arm = record(rows[within, :ARM_SIZE], ARM)
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
def share_out(odds: Floats, prior: Floats, sums: Floats, cluster: Any) -> None:
    """The posterior of one cluster: chance of each spread, and the share of wrong arms that is expected."""
    sums[:] = 0.0
    sum_up(odds, prior, sums)
    cluster.wrong = (sums * WRONG).sum()
    for j in range(INSIDE):
        cluster.share[j] = min(sums[j].sum(), 1.0)


@compiled
def learn_clusters(tree: Links, rows: Floats, own: Any) -> None:
    """Posterior of each cluster's spread and share of wrong arms, from a prior that all clusters have in common."""
    clusters = nodes_of_clusters(tree, rows)
    odds = np.zeros((clusters.size, INSIDE, WRONG.size))
    prior, sums = np.full((INSIDE, WRONG.size), 1.0 / (INSIDE * WRONG.size)), np.empty((INSIDE, WRONG.size))
    for at in range(clusters.size - 1, -1, -1):
        cluster = record(rows[clusters[at], ARM_SIZE:ROW_SIZE], CLUSTER)
        cluster.level, cluster.around = own.level, own.variance
        explain_by_others(tree, rows, clusters[at], own)
        likelihood(tree, rows, clusters[at], odds[at])
        odds[at] = np.exp(odds[at] - odds[at].max())
        share_out(odds[at], prior, sums, cluster)
        if is_member(tree, clusters[at]):
            find_centre(tree, rows, clusters[at], own)
    for _ in range(ROUNDS):
        sums[:] = SETTINGS.prior_clusters / sums.size
        for at in range(clusters.size):
            sum_up(odds[at], prior, sums)
        prior[:] = sums / (clusters.size + SETTINGS.prior_clusters)
    for at in range(clusters.size):
        share_out(odds[at], prior, sums, record(rows[clusters[at], ARM_SIZE:ROW_SIZE], CLUSTER))
