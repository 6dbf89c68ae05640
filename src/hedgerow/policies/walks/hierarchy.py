"""Straight to the arms by a hierarchical model of rewards: HierUCB and HierTS."""

from collections.abc import Iterable

import numpy as np

from ...core.kernel import compiled
from ...core.sums import PLAYS
from ...core.sums import row_size as row_size
from ...core.tree import POLICY_CLOCK, SIZE, clock_at
from ...core.types import Floats, Integers, Links
from ..arrays import Layout, Nodes
from ..auto_rewards.choices import choose_bound, choose_draw
from ..auto_rewards.rewards import believed, bound, fitted, learn_reward, new_ledger, prepare
from ..auto_rewards.table import (
    ARM_PLAYS,
    ARMS,
    BINARY,
    CENTRE,
    COLUMNS,
    COUNT,
    DRIFT2,
    ERRED,
    INNER,
    LARGEST,
    LAST,
    LEAST,
    MEAN,
    MU0,
    NUMBERS,
    S2,
    SPREAD2,
    TRUST,
    TYPICAL,
    UNIT,
    WITHIN,
)
from ..rules import HIERTS, Rule
from . import Course
from .waiting import expect as expect
from .waiting import pending_size as pending_size
from .waiting import release as release


def shapes(rule: Rule, nodes: int, dimension: int | None) -> tuple[tuple[int, int], tuple[int]]:
    """Rows and ledger as in hierarchy/table.py."""
    return (nodes, COLUMNS), (NUMBERS,)


def derive(
    tree: Links, online: Floats, past: Floats, pending: Floats, rule: Rule, layout: Layout, before: Floats | None
) -> tuple[Floats, Floats]:
    """The model from the sums."""
    return fitted(tree, online, past, before)


def sound(tree: Links, ledger: Floats, dimension: int | None) -> bool:
    """Whether its nodes are in the tree."""
    true = new_ledger()
    prepare(tree, np.zeros((len(tree), COLUMNS)), true)
    return bool((ledger[[INNER, COUNT]] == true[[INNER, COUNT]]).all() and ledger[LAST] in range(len(tree)))


def join(learnt: Floats, own: Floats, other: Floats, since: Floats | None) -> tuple[Floats, Floats]:
    """Rows as they are, the range of the rewards of both, and what labels have been caught at by either."""
    both = own.copy()
    both[LEAST], both[LARGEST] = min(own[LEAST], other[LEAST]), max(own[LARGEST], other[LARGEST])
    both[ERRED] = max(own[ERRED], other[ERRED])
    return learnt, both


def relabelled(ledger: Floats, withdrawn: bool) -> Floats:
    """New labels have not erred yet, nor have those without the arm that erred."""
    return rewarmed(ledger) if withdrawn else ledger


def rewarmed(ledger: Floats) -> Floats:
    """It may have been history that spoke against labels."""
    fresh = ledger.copy()
    fresh[ERRED] = 0.0
    return fresh


@compiled
def _choose(
    rule: int, clock: int, tree: Links, online: Floats, past: Floats, pending: Floats, derived: Floats, ledger: Floats, key: int
) -> int:
    rounds = clock_at(clock, online, pending, 0)
    if rule == HIERTS:
        return choose_draw(tree, online, past, pending, derived, ledger, rounds, key)
    return choose_bound(tree, online, past, pending, derived, ledger, rounds)


def choose(rule: int, clock: int, nodes: Nodes, context: Floats, key: int) -> int:
    """The leaf to play."""
    arms, online, past, pending, derived, ledger, *_ = nodes
    return _choose(rule, clock, arms.tree, online, past, pending, derived, ledger, key)


def learn(rule: int, nodes: Nodes, leaf: int, reward: float, context: Floats) -> bool:
    """Add a reward."""
    arms, online, past, _, derived, ledger, *_ = nodes
    learn_reward(arms.tree, online, past, derived, ledger, leaf, reward)
    return True


def settle(rule: int, nodes: Nodes, leaf: int, reward: float, context: Floats, others: Iterable[tuple[int, Floats]]) -> None:
    """The reward of an expected decision."""
    release(nodes, leaf, context)
    learn(rule, nodes, leaf, reward, context)


def estimates(rule: int, clock: int, nodes: Nodes, context: Floats) -> tuple[Floats, Floats]:
    """Mean and bound of every arm; of a cluster its centre, or its mean reward if it holds clusters alone, and the best bound."""
    arms, online, past, pending, derived, ledger, *_ = nodes
    means, indices = np.full(len(online), np.nan), np.full(len(online), np.inf)
    if ledger[UNIT] == 0.0:  # all rewards are equal so far
        plays = online[:, PLAYS] + past[:, PLAYS]
        seen = plays > 0.0
        means[seen] = (online[:, 1] + past[:, 1])[seen] / plays[seen]
        return means, indices
    rounds = clock_at(clock, online, pending, 0)
    plays, mean = derived[arms.leaves, ARM_PLAYS], derived[arms.leaves, MEAN]
    known = arms.totals(np.column_stack([plays, plays * mean]))
    for node in range(len(online) - 1, 0, -1):
        if arms.tree[node, SIZE] == 0:
            awaited = float(pending[node, 0]) if len(pending) else 0.0
            means[node], indices[node] = derived[node, WITHIN], bound(derived, ledger, node, rounds, awaited)
        else:
            first = arms.tree[node, 0]
            indices[node] = indices[first : first + arms.tree[node, SIZE]].max()
            if derived[node, ARMS] > 0.0:
                means[node] = derived[node, CENTRE]
            else:
                means[node] = known[node, 1] / known[node, 0] if known[node, 0] > 0.0 else ledger[MU0]
    return means, indices


def settings(nodes: Nodes) -> dict[str, float]:
    """Typical noise, the spreads within and between clusters, and how far history is off, as standard deviations.

    ``trusted``: the share of the history's plays that counts. ``labels_believed``: 1 if they are, else 0.
    """
    if nodes.ledger[UNIT] == 0.0:
        return {}
    noise, within, between = np.sqrt(nodes.ledger[[TYPICAL, SPREAD2, S2]])
    found = {"noise": float(noise), "within": float(within)}
    if nodes.arms.clustered:
        found["between"] = float(between)
        found["labels_believed"] = float(believed(nodes.ledger, clock_at(POLICY_CLOCK, nodes.online, nodes.pending, 0)))
    if nodes.past[0, PLAYS] > 0.0:
        plays = nodes.past[nodes.arms.leaves, PLAYS]
        found["drift"] = float(np.sqrt(nodes.ledger[DRIFT2]))
        found["trusted"] = float(nodes.derived[nodes.arms.leaves, TRUST] @ plays / plays.sum())
    return found | {"two_valued": float(nodes.ledger[BINARY])}


@compiled
def _play(
    rule: int,
    clock: int,
    tree: Links,
    online: Floats,
    past: Floats,
    pending: Floats,
    derived: Floats,
    ledger: Floats,
    key: int,
    rewards: Floats,
    rows: Integers,
    arm_of: Integers,
    arms: Integers,
) -> None:
    for t in range(rows.size):
        drawn = key + t if key >= 0 else key
        leaf = _choose(rule, clock, tree, online, past, pending, derived, ledger, drawn)
        arms[t] = arm_of[leaf]
        learn_reward(tree, online, past, derived, ledger, leaf, rewards[rows[t], arms[t]])


def play(rule: int, clock: int, nodes: Nodes, key: int, course: Course) -> None:
    """Live through a whole trial and note the arms."""
    tree, online, past, pending, derived, ledger, *_ = nodes
    _play(rule, clock, tree.tree, online, past, pending, derived, ledger, key, *course[1:])
