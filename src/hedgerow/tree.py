"""Choosing walks down, learning walks up.

The tree is one row of integers per node: first child, number of children, parent. Node 0 is the root; the
children of a node stand side by side, in the order in which their first arm was given; a node without
children is an arm.
"""

import math

import numpy as np

from .balance import balance, cheapest
from .kernel import compiled
from .noise import rescale
from .randomness import draw
from .rules import BAST, D3RB, LINUCB, NEXT, OWN, SCALE, UCB, ridge_score, score, ucb_level, ucb_value
from .statistics import (
    CEILING,
    PULLS,
    THETA,
    TOTAL,
    await_reward,
    dot,
    follow,
    observe,
    observe_reward,
    packed_products,
    refresh,
    ridge_estimate,
    usable,
    waiting,
)
from .tournament import HEAP, LEAVES, ORDER, spoil, spoil_all, winner
from .types import Floats, Integers, Links

FIRST, SIZE, PARENT = 0, 1, 2

POLICY_CLOCK, PARENT_CLOCK = 0, 1
"""Whose online rounds t counts: the whole policy's (the paper's), or those of the node one stands at (UCT's)."""

PRUNING = 4000
"""Numbers in the packed inverses side by side from which on it pays to look for nodes that need not be scored."""

TIE = 1e-10
"""Ridge scores closer than this, relatively, are equal: their last digits depend on the order of the sums."""


@compiled
def is_best(value: float, best: float, tie: float) -> bool:
    """Whether a score counts as the best."""
    return value == best or (tie > 0.0 and value >= best - tie * abs(best))


@compiled
def pick(values: Floats, best: float, tie: float, drawn: float) -> int:
    """The position of the best score; of equal ones the first, or one at random by ``drawn`` >= 0."""
    skip = 0
    if drawn >= 0.0:
        equal = 0
        for value in values:
            if is_best(value, best, tie):
                equal += 1
        skip = int(drawn * equal)
    for position in range(values.size):
        if is_best(values[position], best, tie):
            if skip == 0:
                return position
            skip -= 1
    return 0


@compiled
def clock_at(clock: int, online: Floats, pending: Floats, node: int) -> float:
    """t, one more than the online rounds learnt from and waited for, of the policy or of a node."""
    at = node if clock == PARENT_CLOCK else 0
    rounds: float = 1.0 + online[at, PULLS] + waiting(pending, at)
    return rounds


@compiled
def first_ucb(online: Floats, past: Floats, scale: float, rounds: float, first: int, size: int) -> int:
    """``first_best`` for UCB, whose logarithm is the same for nodes of equal history."""
    best = -math.inf
    chosen = first
    history, level = 0.0, ucb_level(rounds, 0.0)
    for node in range(first, first + size):
        if past[node, PULLS] != history:
            history = past[node, PULLS]
            level = ucb_level(rounds, history)
        plays = online[node, PULLS] + history
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
        rounds = 1.0 + online[node if clock == PARENT_CLOCK else 0, PULLS]
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
    derived: Floats,
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
        return cheapest(tree, online, pending, derived)
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
def score_all(rule: int, ledger: Floats, first: int, means: Floats, spreads: Floats, key: int) -> float:
    """Turn the means of neighbouring ridge nodes into their scores; the best of them."""
    best = -math.inf
    for offset in range(means.size):
        means[offset] = ridge_score(rule, means[offset], spreads[offset], first + offset, ledger, key)
        best = max(best, means[offset])
    return best


@compiled
def score_promising(
    rule: int, ledger: Floats, derived: Floats, context: Floats, products: Floats, first: int, values: Floats, key: int
) -> tuple[float, int]:
    """Turn the means of neighbouring ridge nodes into their scores as far as they could be the best, else into -inf.

    Returns the best score, and how many nodes were scored. LinUCB's index grows with the spread, and x' A^-1 x <= ceiling x'x,
    so a node whose index would not be the best even with that spread need not be scored. What promises most goes first.
    """
    d = context.size
    length = 0.0
    for i in range(d):
        length += context[i] * context[i]
    promises = np.empty(values.size)
    ceilings = derived[first:, CEILING]
    for offset in range(values.size):
        promises[offset] = ridge_score(rule, values[offset], ceilings[offset] * length, first + offset, ledger, key)
    most = 0
    for offset in range(values.size):
        if promises[offset] > promises[most]:
            most = offset
    best, scored = -math.inf, 0
    for turn in range(-1, values.size):
        offset = most if turn < 0 else turn
        if turn == most:
            continue
        if is_best(promises[offset], best, TIE):
            node = first + offset
            spread = max(dot(derived, node, THETA + d, products), 0.0)
            values[offset] = ridge_score(rule, values[offset], spread, node, ledger, key)
            best = max(best, values[offset])
            scored += 1
        else:
            values[offset] = -math.inf
    return best, scored


@compiled
def first_ridge(
    rule: int, ledger: Floats, derived: Floats, context: Floats, products: Floats, first: int, size: int, key: int
) -> int:
    """The first of the best of neighbouring ridge nodes in one pass, or -1 if the best ties with a lower score before it."""
    best = -math.inf
    chosen = first
    tied = False
    for node in range(first, first + size):
        spread = max(dot(derived, node, THETA + context.size, products), 0.0)
        value = ridge_score(rule, dot(derived, node, THETA, context), spread, node, ledger, key)
        if value > best:
            tied = is_best(best, value, TIE)
            best = value
            chosen = node
    return -1 if tied else chosen


@compiled
def any_ridge(
    rule: int, ledger: Floats, derived: Floats, context: Floats, products: Floats, first: int, size: int, key: int, drawn: float
) -> int:
    """One of the best of neighbouring ridge nodes: the first, or one at random by ``drawn`` >= 0."""
    values = np.empty(size)
    if rule == LINUCB and products.size * size >= PRUNING:
        for offset in range(size):
            values[offset] = dot(derived, first + offset, THETA, context)
        best, _ = score_promising(rule, ledger, derived, context, products, first, values, key)
    else:
        spreads = np.empty(size)
        ridge_estimate(derived, context, products, first, values, spreads)
        best = score_all(rule, ledger, first, values, spreads, key)
    return first + pick(values, best, TIE, drawn)


@compiled
def descend_ridge(rule: int, tree: Links, derived: Floats, ledger: Floats, context: Floats, key: int) -> int:
    """From the root to an arm, at each level to the best child (Algorithm 2, lines 4-5).

    -1 for a context that is not finite or too large.
    """
    fine = usable(context)
    products = packed_products(context if fine else context[:0])
    node = 0 if fine else -1
    level = 0
    while node >= 0 and tree[node, SIZE] > 0:
        first, size = tree[node, FIRST], tree[node, SIZE]
        node = -1
        if key < 0 and (rule != LINUCB or products.size * size < PRUNING):
            node = first_ridge(rule, ledger, derived, context, products, first, size, key)
        if node < 0:
            node = any_ridge(rule, ledger, derived, context, products, first, size, key, draw(key, level))
        level += 1
    return node


@compiled
def credit_sums(tree: Links, online: Floats, ledger: Floats, leaf: int, reward: float) -> bool:
    """Add a reward to an arm and to every node above it; whether an automatic scale is due to be estimated anew."""
    node = leaf
    while node >= 0:
        observe_reward(online, node, reward)
        node = tree[node, PARENT]
    due: bool = online[0, PULLS] >= ledger[NEXT]
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
    derived: Floats,
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
        balance(tree, online, derived, ledger, leaf)


@compiled
def credit_ridge(
    tree: Links, online: Floats, past: Floats, pending: Floats, derived: Floats, leaf: int, reward: float, context: Floats
) -> bool:
    """Add an observation to an arm and to every node above it (Algorithm 2, lines 6-7); not if the context is unusable."""
    fine = usable(context)
    node = leaf if fine else -1
    while node >= 0:
        observe(online, node, reward, context)
        if node > 0 and (waiting(pending, node) > 0.0 or not follow(derived, node, online[node, PULLS], reward, context)):
            refresh(online, past, pending, derived, node, context.size)
        node = tree[node, PARENT]
    return fine


@compiled
def await_at(
    tree: Links, online: Floats, past: Floats, pending: Floats, derived: Floats, leaf: int, context: Floats, sign: float
) -> None:
    """Count a decision as waiting for its reward, or no longer, at its arm and every node above it."""
    node = leaf
    while node >= 0:
        await_reward(pending, node, context, sign)
        if context.size > 0 and node > 0:
            refresh(online, past, pending, derived, node, context.size)
        node = tree[node, PARENT]
