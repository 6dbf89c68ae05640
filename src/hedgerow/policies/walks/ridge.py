"""Down the levels by an index over ridge regressions: LinUCB, HLinUCBC and the like."""

from collections.abc import Iterable

import numpy as np

from ...core.draws import draw
from ...core.kernel import compiled
from ...core.sums import await_reward, leaves_residue, triangle
from ...core.sums import row_size as row_size
from ...core.tree import FIRST, PARENT, SIZE, TIE, pick
from ...core.types import Floats, Integers, Links
from ..arrays import PRECISIONS, Layout, Nodes
from ..ridge import THETA, all_packed_products, packed_products, refresh, ridge_estimate
from ..ridge_paths import credit_ridge, descend_ridge, score_all, score_promising, widest
from ..rules import LINUCB, Rule, ridge_score
from . import Course
from .waiting import expect as expect
from .waiting import pending_size as pending_size
from .waiting import release as subtract

TRIED = 16
"""Contexts of a batch after which it is known whether many nodes need not be scored."""

MOST_SCORED = 4
"""One product for all nodes is quicker, once more than one in so many must be scored."""


def shapes(rule: Rule, nodes: int, dimension: int | None) -> tuple[tuple[int, int], tuple[int]]:
    """Derived rows: ceiling, theta and packed inverse."""
    d = dimension or 0
    return (nodes, THETA + d + triangle(d)), (len(rule.ledger()),)


def derive(
    tree: Links, online: Floats, past: Floats, pending: Floats, rule: Rule, layout: Layout, before: Floats | None
) -> tuple[Floats, Floats]:
    """theta and the inverse of every node."""
    d = layout.dimension or 0
    derived = np.zeros(shapes(rule, len(online), d)[0], dtype=PRECISIONS[layout.precision])
    for node in range(1, len(online)):
        refresh(online, past, pending, derived, node, d)
    return derived, rule.ledger()


def sound(tree: Links, ledger: Floats, dimension: int | None) -> bool:
    """There are no rows in it."""
    return True


def join(learnt: Floats, own: Floats, other: Floats, since: Floats | None) -> tuple[Floats, Floats]:
    """Rows as they are; nothing in the ledger is learnt apart from the sums."""
    return learnt, own


def relabelled(ledger: Floats, withdrawn: bool) -> Floats:
    """Nothing in it speaks of labels that is not estimated anew."""
    return ledger


def rewarmed(ledger: Floats) -> Floats:
    """Nor of history."""
    return ledger


def choose(rule: int, clock: int, nodes: Nodes, context: Floats, key: int) -> int:
    """The leaf to play, or -1 for a context that cannot be used."""
    arms, _, _, _, derived, ledger, _, _, _, _ = nodes
    return descend_ridge(rule, arms.tree, derived, ledger, context, key)


def choose_many(rule: int, clock: int, nodes: Nodes, contexts: Floats, keys: Integers, chosen: Integers) -> None:
    """Fill in the leaf for each row of contexts, by one matrix product."""
    d = contexts.shape[1]
    tree, derived, ledger = nodes.arms.tree, nodes.derived, nodes.ledger
    means = contexts @ derived[:, THETA : THETA + d].T
    done = _choose_promising(rule, tree, derived, ledger, contexts, means, keys, chosen) if rule == LINUCB else 0
    if done < len(chosen):
        spreads = np.maximum(all_packed_products(contexts[done:]) @ derived[:, THETA + d :].T, 0.0)
        _choose_scored(rule, tree, ledger, means[done:], spreads, keys[done:], chosen[done:])


@compiled
def _choose_promising(
    rule: int, tree: Links, derived: Floats, ledger: Floats, contexts: Floats, means: Floats, keys: Integers, chosen: Integers
) -> int:
    """``descend_ridge`` for contexts whose means (batch x nodes) are at hand; how many, until too much had to be scored."""
    seen, scored = 0, 0
    bonuses = widest(derived, ledger)
    for b in range(chosen.size):
        if b >= TRIED and MOST_SCORED * scored > seen:
            return b
        products = packed_products(contexts[b])
        node = 0
        level = 0
        while tree[node, SIZE] > 0:
            first, size = tree[node, FIRST], tree[node, SIZE]
            values, most = means[b, first : first + size], bonuses[first : first + size]
            best, more = score_promising(rule, ledger, derived, most, contexts[b], products, first, values, keys[b])
            node = first + pick(values, best, TIE, draw(keys[b], level))
            level += 1
            seen += size
            scored += more
        chosen[b] = node
    return chosen.size


@compiled
def _choose_scored(
    rule: int, tree: Links, ledger: Floats, means: Floats, spreads: Floats, keys: Integers, chosen: Integers
) -> None:
    """``descend_ridge`` for a batch of contexts whose means and spreads (batch x nodes) are at hand."""
    for b in range(chosen.size):
        node = 0
        level = 0
        while tree[node, SIZE] > 0:
            first, last = tree[node, FIRST], tree[node, FIRST] + tree[node, SIZE]
            values = means[b, first:last]
            best = score_all(rule, ledger, first, values, spreads[b, first:last], keys[b])
            node = first + pick(values, best, TIE, draw(keys[b], level))
            level += 1
        chosen[b] = node


def learn(rule: int, nodes: Nodes, leaf: int, reward: float, context: Floats) -> bool:
    """Add a reward, unless the context cannot be used."""
    arms, online, past, pending, derived, _, _, _, _, _ = nodes
    return credit_ridge(arms.tree, online, past, pending, derived, leaf, reward, context)


def release(nodes: Nodes, leaf: int, context: Floats, others: Iterable[tuple[int, Floats]]) -> None:
    """Count it no longer; a large one cannot be subtracted beside small ones, so what still waits is then summed anew."""
    path = _path(nodes.arms.tree, leaf)
    if not any(leaves_residue(nodes.pending, node, context) for node in path):
        subtract(nodes, leaf, context)
        return
    nodes.pending[path] = 0.0
    for other, shown in others:
        for node in set(path).intersection(_path(nodes.arms.tree, other)):
            await_reward(nodes.pending, node, shown, 1.0)
    for node in path[:-1]:
        refresh(nodes.online, nodes.past, nodes.pending, nodes.derived, node, context.size)


def _path(tree: Links, leaf: int) -> list[int]:
    """A leaf and the nodes above it, the root last."""
    path = [leaf]
    while path[-1] > 0:
        path.append(int(tree[path[-1], PARENT]))
    return path


def settle(rule: int, nodes: Nodes, leaf: int, reward: float, context: Floats, others: Iterable[tuple[int, Floats]]) -> None:
    """The reward of an expected decision."""
    release(nodes, leaf, context, others)
    learn(rule, nodes, leaf, reward, context)


def estimates(rule: int, clock: int, nodes: Nodes, context: Floats) -> tuple[Floats, Floats]:
    """theta'x and index of every node."""
    means, spreads = np.empty(len(nodes.online)), np.empty(len(nodes.online))
    ridge_estimate(nodes.derived, context, packed_products(context), 0, means, spreads)
    indices = [ridge_score(rule, means[node], spreads[node], node, nodes.ledger, -1) for node in range(len(means))]
    return means, np.array(indices)


def settings(nodes: Nodes) -> dict[str, float]:
    """Nothing is estimated."""
    return {}


@compiled
def _play(
    rule: int,
    tree: Links,
    online: Floats,
    past: Floats,
    pending: Floats,
    derived: Floats,
    ledger: Floats,
    key: int,
    contexts: Floats,
    rewards: Floats,
    rows: Integers,
    arm_of: Integers,
    arms: Integers,
) -> None:
    for t in range(rows.size):
        context = contexts[t]
        leaf = descend_ridge(rule, tree, derived, ledger, context, key + t if key >= 0 else key)
        arm = arm_of[leaf]
        credit_ridge(tree, online, past, pending, derived, leaf, rewards[rows[t], arm], context)
        arms[t] = arm


def play(rule: int, clock: int, nodes: Nodes, key: int, course: Course) -> None:
    """Live through a whole trial and note the arms."""
    arms_, online, past, pending, derived, ledger, *_ = nodes
    _play(rule, arms_.tree, online, past, pending, derived, ledger, key, *course)
