"""Rewards in the tree: choosing walks down to an arm, learning walks up from it."""

import math

import numpy as np

from ..core.draws import draw
from ..core.kernel import compiled
from ..core.sums import PLAYS, TOTAL, observe_reward
from ..core.tree import FIRST, PARENT, PARENT_CLOCK, SIZE, clock_at, pick
from ..core.types import Floats, Integers, Links
from .balance import balance, cheapest
from .rules import BAST, D3RB, NEXT, OWN, SCALE, UCB, score, ucb_level, ucb_value
from .scale import rescale
from .tournament import HEAP, LEAVES, ORDER, spoil, spoil_all, winner


@compiled
def first_ucb(online: Floats, past: Floats, scale: float, rounds: float, first: int, size: int) -> int:
    """``first_best`` for UCB, whose logarithm is the same for nodes of equal history."""
    best = -math.inf
    chosen = first
    history, level = 0.0, ucb_level(rounds, 0.0)
    for node in range(first, first + size):
        if past[node, PLAYS] != history:
            history = past[node, PLAYS]
            level = ucb_level(rounds, history)
        plays = online[node, PLAYS] + history
        if plays == 0.0:
            return node
        value = ucb_value((past[node, TOTAL] + online[node, TOTAL]) / plays, plays, level, scale)
        if value > best:
            best = value
            chosen = node
    return chosen


@compiled
def descend_ucb(clock: int, tree: Links, online: Floats, past: Floats, ledger: Floats) -> int:
    """``descend_rewards`` for UCB while nothing waits and no node has a tournament: less to compile and to hand over."""
    node = 0
    while tree[node, SIZE] > 0:
        rounds = 1.0 + online[node if clock == PARENT_CLOCK else 0, PLAYS]
        node = first_ucb(online, past, ledger[SCALE], rounds, tree[node, FIRST], tree[node, SIZE])
    return node


@compiled
def first_best(
    rule: int, online: Floats, past: Floats, pending: Floats, ledger: Floats, rounds: float, first: int, size: int, key: int
) -> int:
    """The first of the best of neighbouring nodes with reward sums, eqs. (2)-(5)."""
    if rule == UCB and len(pending) == 0:
        return first_ucb(online, past, ledger[SCALE], rounds, first, size)
    best = -math.inf
    chosen = first
    for node in range(first, first + size):
        value = score(rule, online, past, pending, node, rounds, ledger, key)
        if value > best:
            best = value
            chosen = node
    return chosen


@compiled
def any_best(
    rule: int,
    online: Floats,
    past: Floats,
    pending: Floats,
    ledger: Floats,
    rounds: float,
    first: int,
    size: int,
    key: int,
    level: int,
) -> int:
    """One of the best of neighbouring nodes with reward sums, at random by the key."""
    values = np.empty(size)
    best = -math.inf
    for offset in range(size):
        values[offset] = score(rule, online, past, pending, first + offset, rounds, ledger, key)
        best = max(best, values[offset])
    return first + pick(values, best, 0.0, draw(key, level))


@compiled
def bounds_from_below(
    rule: int, clock: int, tree: Links, online: Floats, past: Floats, pending: Floats, ledger: Floats, key: int
) -> Floats:
    """B of every node (BAST): an arm's index; a cluster's, plus its diameter, but no more than the best B below it."""
    bounds = np.empty(len(tree))
    bounds[0] = math.inf
    for node in range(len(tree) - 1, 0, -1):  # children have higher numbers than their parents
        rounds = clock_at(clock, online, pending, tree[node, PARENT])
        bounds[node] = score(rule, online, past, pending, node, rounds, ledger, key)
        if tree[node, SIZE] > 0:
            below = -math.inf
            for child in range(tree[node, FIRST], tree[node, FIRST] + tree[node, SIZE]):
                below = max(below, bounds[child])
            bounds[node] = min(below, bounds[node] + ledger[OWN])
    return bounds


@compiled
def descend_bounds(
    rule: int, clock: int, tree: Links, online: Floats, past: Floats, pending: Floats, ledger: Floats, key: int
) -> int:
    """From the root to an arm, at each level to the child of highest bound (BAST)."""
    bounds = bounds_from_below(rule, clock, tree, online, past, pending, ledger, key)
    node = 0
    level = 0
    while tree[node, SIZE] > 0:
        first, size = tree[node, FIRST], tree[node, SIZE]
        values = bounds[first : first + size]
        node = first + pick(values, values.max(), 0.0, draw(key, level))
        level += 1
    return node


@compiled
def descend_rewards(
    rule: int,
    clock: int,
    tree: Links,
    online: Floats,
    past: Floats,
    pending: Floats,
    ledger: Floats,
    places: Integers,
    seats: Links,
    heap: Floats,
    key: int,
) -> int:
    """From the root to an arm, at each level to the best child (Algorithm 1)."""
    if rule == BAST:
        return descend_bounds(rule, clock, tree, online, past, pending, ledger, key)
    if rule == D3RB:
        return cheapest(tree, online, pending, ledger)
    node = 0
    level = 0
    while tree[node, SIZE] > 0:
        first, size = tree[node, FIRST], tree[node, SIZE]
        rounds = clock_at(clock, online, pending, node)
        if key >= 0:
            node = any_best(rule, online, past, pending, ledger, rounds, first, size, key, level)
        elif len(pending) == 0 and node < len(places) and places[node, LEAVES] > 0:
            order, start, blocks = places[node, ORDER], places[node, HEAP], places[node, LEAVES]
            node = winner(ledger, rounds, online, past, seats[order : order + size], heap, start, blocks)
        else:
            node = first_best(rule, online, past, pending, ledger, rounds, first, size, key)
        level += 1
    return node


@compiled
def credit_sums(tree: Links, online: Floats, ledger: Floats, leaf: int, reward: float) -> bool:
    """Add a reward to an arm and to every node above it; whether an automatic scale is due to be estimated anew."""
    node = leaf
    while node >= 0:
        observe_reward(online, node, reward)
        node = tree[node, PARENT]
    due: bool = online[0, PLAYS] >= ledger[NEXT]
    return due


@compiled
def spoil_above(tree: Links, places: Integers, seat_of: Links, heap: Floats, leaf: int) -> None:
    """What the tournaments above a leaf say is no longer certain."""
    node = leaf
    while node > 0:
        above = tree[node, PARENT]
        if above < len(places) and places[above, LEAVES] > 0:
            spoil(heap, places[above, HEAP], places[above, LEAVES], seat_of[node])
        node = above


@compiled
def credit_rewards(
    rule: int,
    tree: Links,
    online: Floats,
    past: Floats,
    ledger: Floats,
    places: Integers,
    seat_of: Links,
    heap: Floats,
    leaf: int,
    reward: float,
) -> None:
    """Learn a reward: the sums, the tournaments above the arm, an automatic scale when it is due, and prices."""
    due = credit_sums(tree, online, ledger, leaf, reward)
    if len(places) > 0:
        spoil_above(tree, places, seat_of, heap, leaf)
    if due:
        rescale(tree, online, past, ledger)
        spoil_all(heap)
    if rule == D3RB:
        balance(tree, online, ledger, leaf)
