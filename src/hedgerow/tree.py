"""Choosing walks down, learning walks up.

The tree is one row of integers per node: first child, number of children, parent. Node 0 is the root; the
children of a node stand side by side, in the order in which their first arm was given; a node without
children is an arm.
"""

import math

import numpy as np

from .kernel import compiled
from .rules import score
from .statistics import (
    CEILING,
    PULLS,
    THETA,
    dot,
    follow,
    observe,
    observe_reward,
    packed_products,
    reward_estimate,
    reward_moments,
    ridge_estimate,
    usable,
)
from .tournament import HEAP, LEAVES, ORDER, spoil, winner
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
    return value == best or value >= best - tie * abs(best)


@compiled
def pick(values: Floats, best: float, tie: float, uniform: float) -> int:
    """The position of the best score; of equal ones the first, or one at random by ``uniform`` >= 0."""
    skip = 0
    if uniform >= 0.0:
        equal = 0
        for value in values:
            if is_best(value, best, tie):
                equal += 1
        skip = int(uniform * equal)
    for position in range(values.size):
        if is_best(values[position], best, tie):
            if skip == 0:
                return position
            skip -= 1
    return 0


@compiled
def score_all(
    rule: int, parameters: Floats, rounds: float, online: Floats, past: Floats, first: int, means: Floats, spreads: Floats
) -> float:
    """Turn the means of neighbouring nodes into their scores; the best of them."""
    best = -math.inf
    for offset in range(means.size):
        node = first + offset
        value = score(rule, means[offset], spreads[offset], online[node, PULLS], past[node, PULLS], rounds, parameters)
        means[offset] = value
        best = max(best, value)
    return best


@compiled
def first_best(rule: int, parameters: Floats, rounds: float, online: Floats, past: Floats, first: int, size: int) -> int:
    """The first of the best of neighbouring nodes with reward sums, eqs. (2)-(5)."""
    best = -math.inf
    chosen = first
    for node in range(first, first + size):
        pulls, history = online[node, PULLS], past[node, PULLS]
        mean, spread = reward_moments(online, past, node)
        value = score(rule, mean, spread, pulls, history, rounds, parameters)
        if value > best:
            best = value
            chosen = node
    return chosen


@compiled
def score_ridge(
    rule: int,
    parameters: Floats,
    rounds: float,
    online: Floats,
    past: Floats,
    derived: Floats,
    context: Floats,
    products: Floats,
    first: int,
    values: Floats,
) -> float:
    """Scores of neighbouring ridge nodes, as far as they could be the best; the others get -inf.

    An index grows with the spread, and x' A^-1 x <= ceiling x'x, so a node whose index would not be the best even with
    that spread need not be scored. The node that promises most goes first.
    """
    d = context.size
    length = 0.0
    for i in range(d):
        length += context[i] * context[i]
    promises = np.empty(values.size)
    most = 0
    for offset in range(values.size):
        node = first + offset
        mean = dot(derived, node, THETA, context)
        ceiling = derived[node, CEILING] * length
        values[offset] = mean
        promises[offset] = score(rule, mean, ceiling, online[node, PULLS], past[node, PULLS], rounds, parameters)
        if promises[offset] > promises[most]:
            most = offset
    best = -math.inf
    for turn in range(-1, values.size):
        offset = most if turn < 0 else turn
        if turn == most:
            continue
        if is_best(promises[offset], best, TIE):
            node = first + offset
            spread = max(dot(derived, node, THETA + d, products), 0.0)
            values[offset] = score(rule, values[offset], spread, online[node, PULLS], past[node, PULLS], rounds, parameters)
            best = max(best, values[offset])
        else:
            values[offset] = -math.inf
    return best


@compiled
def any_best(
    rule: int, parameters: Floats, rounds: float, online: Floats, past: Floats, first: int, size: int, uniform: float
) -> int:
    """One of the best of neighbouring nodes with reward sums, at random by ``uniform``."""
    values, spreads = np.empty(size), np.empty(size)
    reward_estimate(online, past, first, values, spreads)
    best = score_all(rule, parameters, rounds, online, past, first, values, spreads)
    return first + pick(values, best, 0.0, uniform)


@compiled
def descend_rewards(
    rule: int,
    parameters: Floats,
    clock: int,
    tree: Links,
    online: Floats,
    past: Floats,
    places: Integers,
    seats: Links,
    heap: Floats,
    uniforms: Floats,
) -> int:
    """From the root to an arm, at each level to the best child (Algorithm 1)."""
    node = 0
    level = 0
    while tree[node, SIZE] > 0:
        first, size = tree[node, FIRST], tree[node, SIZE]
        rounds = 1.0 + online[node if clock == PARENT_CLOCK else 0, PULLS]
        if uniforms.size > 0:
            node = any_best(rule, parameters, rounds, online, past, first, size, uniforms[level])
        elif node < len(places) and places[node, LEAVES] > 0:
            order, start, blocks = places[node, ORDER], places[node, HEAP], places[node, LEAVES]
            node = winner(rule, parameters, rounds, online, past, seats[order : order + size], heap, start, blocks)
        else:
            node = first_best(rule, parameters, rounds, online, past, first, size)
        level += 1
    return node


@compiled
def descend_ridge(
    rule: int,
    parameters: Floats,
    clock: int,
    tree: Links,
    online: Floats,
    past: Floats,
    derived: Floats,
    context: Floats,
    uniforms: Floats,
) -> int:
    """From the root to an arm, at each level to the best child (Algorithm 2, lines 4-5).

    -1 for a context that is not finite or too large.
    """
    if not usable(context):
        return -1
    products = packed_products(context)
    node = 0
    level = 0
    while tree[node, SIZE] > 0:
        first, size = tree[node, FIRST], tree[node, SIZE]
        rounds = 1.0 + online[node if clock == PARENT_CLOCK else 0, PULLS]
        values = np.empty(size)
        if products.size * size < PRUNING:
            spreads = np.empty(size)
            ridge_estimate(derived, context, products, first, values, spreads)
            best = score_all(rule, parameters, rounds, online, past, first, values, spreads)
        else:
            best = score_ridge(rule, parameters, rounds, online, past, derived, context, products, first, values)
        node = first + pick(values, best, TIE, uniforms[level] if uniforms.size > 0 else -1.0)
        level += 1
    return node


@compiled
def descend_many(
    rule: int,
    parameters: Floats,
    clock: int,
    tree: Links,
    online: Floats,
    past: Floats,
    means: Floats,
    spreads: Floats,
    uniforms: Floats,
    chosen: Integers,
) -> None:
    """``descend_ridge`` for a batch of contexts whose means and spreads (batch x nodes) are at hand."""
    for b in range(chosen.size):
        node = 0
        level = 0
        while tree[node, SIZE] > 0:
            first, last = tree[node, FIRST], tree[node, FIRST] + tree[node, SIZE]
            rounds = 1.0 + online[node if clock == PARENT_CLOCK else 0, PULLS]
            uniform = uniforms[b, level] if uniforms.size > 0 else -1.0
            values = means[b, first:last]
            best = score_all(rule, parameters, rounds, online, past, first, values, spreads[b, first:last])
            node = first + pick(values, best, TIE, uniform)
            level += 1
        chosen[b] = node


@compiled
def credit_rewards(tree: Links, online: Floats, places: Integers, seat_of: Links, heap: Floats, leaf: int, reward: float) -> None:
    """Add a reward to an arm and to every node above it."""
    node = leaf
    while node >= 0:
        observe_reward(online, node, reward)
        above = tree[node, PARENT]
        if 0 <= above < len(places) and places[above, LEAVES] > 0:
            spoil(heap, places[above, HEAP], places[above, LEAVES], seat_of[node])
        node = above


@compiled
def credit_ridge(tree: Links, online: Floats, past: Floats, derived: Floats, leaf: int, reward: float, context: Floats) -> bool:
    """Add an observation to an arm and to every node above it (Algorithm 2, lines 6-7); not if the context is unusable."""
    if not usable(context):
        return False
    node = leaf
    while node >= 0:
        observe(online, node, reward, context)
        if node > 0:
            follow(online, past, derived, node, reward, context)
        node = tree[node, PARENT]
    return True
