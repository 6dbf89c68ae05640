"""Choosing and learning: the arm of the highest bound, and the model brought up to date as rewards come in."""

import math
from typing import Any

from ...core.kernel import compiled
from ...core.records import record
from ...core.sums import PLAYS, observe_reward, waiting_at
from ...core.tree import FIRST, PARENT, SIZE
from ...core.types import Floats, Integers, Links
from ..scan import wait
from .index import bound
from .model import estimate, estimate_noise, pool
from .posterior import learn_clusters, look_at_cluster, nodes_of_clusters, place_clusters_within, weigh
from .settings import GROWTH
from .state import ARM, ARM_SIZE, CLUSTER, ROW_SIZE, STATE


@compiled
def set_ceilings(tree: Links, rows: Floats, own: Any, ceilings: Floats, first: int, last: int) -> None:
    """What the bounds of the arms from ``first`` up to ``last`` cannot pass until all is estimated anew: they grow with rounds.

    The arms of a cluster that were never played are all equal.
    """
    unplayed = 0
    for node in range(first, last):
        if tree[node, SIZE] == 0:
            arm = record(rows[node, :ARM_SIZE], ARM)
            if arm.plays == 0.0 and unplayed > 0 and tree[node, PARENT] == tree[unplayed, PARENT]:
                ceilings[node] = ceilings[unplayed]
                continue
            ceilings[node] = bound(arm, own.due, 0.0)[0]
            unplayed = node if arm.plays == 0.0 else unplayed


@compiled
def refresh(tree: Links, online: Floats, history: Floats, rows: Floats, own: Any, ceilings: Floats) -> None:
    """Everything from the sums, and when it is due again."""
    rounds = 1.0 + online[0, PLAYS]
    own.due = rounds + max(1.0, math.floor(GROWTH * rounds))
    estimate(tree, online, history, rows, own)
    if own.ready == 1.0:
        learn_clusters(tree, rows, own)
        for node in nodes_of_clusters(tree, rows):
            look_at_cluster(tree, online, history, rows, node, own)
            place_clusters_within(tree, rows, node)
        set_ceilings(tree, rows, own, ceilings, 1, len(tree))


@compiled
def least_played(tree: Links, online: Floats, history: Floats, waits: Floats) -> int:
    """The arm played least; of several, that of the cluster played least."""
    chosen, least, least_around = 0, math.inf, math.inf
    for node in range(1, len(tree)):
        if tree[node, SIZE] == 0:
            above = tree[node, PARENT]
            plays = online[node, PLAYS] + history[node, PLAYS] + waiting_at(waits, node)
            around = online[above, PLAYS] + history[above, PLAYS] + waiting_at(waits, above)
            if plays < least or (plays == least and around < least_around):
                chosen, least, least_around = node, plays, around
    return chosen


@compiled
def highest_bound(tree: Links, rows: Floats, ceilings: Floats, waits: Floats, rounds: float, pruned: bool) -> int:
    """The arm of the highest bound.

    Arms whose ceiling is lower than the best so far need not be looked at, nor those that are equal to one before them: of the
    arms of a cluster that were never played the first stands for all.
    """
    chosen, best, unplayed_of = 0, -math.inf, -1
    if pruned:
        for node in range(1, len(tree)):
            if ceilings[node] > best and waiting_at(waits, node) == 0.0:
                chosen, best = node, ceilings[node]
        best = bound(record(rows[chosen, :ARM_SIZE], ARM), rounds, 0.0)[0] if chosen > 0 else best
    for node in range(1, len(tree)):
        waits_here = waiting_at(waits, node)
        if tree[node, SIZE] == 0 and (not pruned or waits_here > 0.0 or ceilings[node] >= best):
            arm = record(rows[node, :ARM_SIZE], ARM)
            if arm.plays == 0.0 and waits_here == 0.0:
                if tree[node, PARENT] == unplayed_of:
                    continue
                unplayed_of = tree[node, PARENT]
            value = bound(arm, rounds, waits_here)[0]
            if value > best or (value == best and node < chosen):
                chosen, best = node, value
    return chosen


@compiled
def choose(tree: Links, online: Floats, history: Floats, waits: Floats, rows: Floats, state: Floats, ceilings: Floats) -> int:
    """The arm to play."""
    own = record(state, STATE)
    if own.ready == 0.0:
        return least_played(tree, online, history, waits)
    rounds = 1.0 + online[0, PLAYS] + waiting_at(waits, 0)
    return highest_bound(tree, rows, ceilings, waits, rounds, rounds <= own.due)


@compiled
def is_third(own: Any, reward: float) -> bool:
    """Whether rewards took two values so far, and this is neither."""
    near = 1e-9 * (own.high - own.low)
    third: bool = own.two_valued == 1.0 and abs(reward - own.low) > near and abs(reward - own.high) > near
    return third


@compiled
def learn(
    tree: Links, online: Floats, history: Floats, rows: Floats, state: Floats, ceilings: Floats, leaf: int, reward: float
) -> None:
    """Add a reward; then the arm is explained anew, its cluster when its plays have grown by a tenth, all when rounds have."""
    own, node = record(state, STATE), leaf
    while node >= 0:
        observe_reward(online, node, reward)
        node = tree[node, PARENT]
    own.least, own.largest = min(own.least, reward), max(own.largest, reward)
    if own.ready == 0.0 or 1.0 + online[0, PLAYS] >= own.due or is_third(own, reward):
        refresh(tree, online, history, rows, own, ceilings)
        return
    arm, above = record(rows[leaf, :ARM_SIZE], ARM), tree[leaf, PARENT]
    cluster = record(rows[above, ARM_SIZE:ROW_SIZE], CLUSTER)
    pool(online, history, leaf, arm, own)
    estimate_noise(arm, own)
    if online[above, PLAYS] + history[above, PLAYS] >= cluster.due:
        look_at_cluster(tree, online, history, rows, above, own)
        set_ceilings(tree, rows, own, ceilings, tree[above, FIRST], tree[above, FIRST] + tree[above, SIZE])
    else:
        weigh(arm, cluster)
        set_ceilings(tree, rows, own, ceilings, leaf, leaf + 1)


@compiled
def settle(
    tree: Links,
    online: Floats,
    history: Floats,
    waits: Floats,
    rows: Floats,
    state: Floats,
    ceilings: Floats,
    leaf: int,
    reward: float,
) -> None:
    """The reward of a decision that was waited for: in one call, so that no other thread sees it half done."""
    wait(tree, waits, leaf, -1.0)
    learn(tree, online, history, rows, state, ceilings, leaf, reward)


@compiled
def fit(tree: Links, online: Floats, history: Floats, rows: Floats, state: Floats, ceilings: Floats) -> None:
    """All rows and the state from the sums, whatever is in the rows."""
    for node in range(1, len(tree)):
        record(rows[node, :ARM_SIZE], ARM).member[:] = 1.0
        if tree[node, SIZE] == 0:
            record(rows[tree[node, PARENT], ARM_SIZE:ROW_SIZE], CLUSTER).arms += 1.0
    refresh(tree, online, history, rows, record(state, STATE), ceilings)


@compiled
def restore_ceilings(tree: Links, rows: Floats, state: Floats, ceilings: Floats) -> None:
    """Ceilings from rows of a file."""
    own = record(state, STATE)
    if own.ready == 1.0:
        set_ceilings(tree, rows, own, ceilings, 1, len(tree))


@compiled
def play(
    tree: Links,
    online: Floats,
    history: Floats,
    waits: Floats,
    rows: Floats,
    state: Floats,
    ceilings: Floats,
    rewards: Floats,
    reward_rows: Integers,
    arm_of: Integers,
    arms: Integers,
) -> None:
    """Live through a whole trial and note the arms."""
    for t in range(reward_rows.size):
        leaf = choose(tree, online, history, waits, rows, state, ceilings)
        arms[t] = arm_of[leaf]
        learn(tree, online, history, rows, state, ceilings, leaf, rewards[reward_rows[t], arms[t]])
