"""Choosing walks down, learning walks up.

The tree is one row of integers per node: first child, number of children, parent. Node 0 is the root; the
children of a node stand side by side, in the order in which their first arm was given; a node without
children is an arm.
"""

import math

import numpy as np

from .kernel import compiled
from .rules import score
from .statistics import PULLS, estimate, follow, observe
from .types import Floats, Integers

FIRST, SIZE, PARENT = 0, 1, 2

POLICY_CLOCK, PARENT_CLOCK = 0, 1
"""Whose online rounds t counts: the whole policy's (the paper's), or those of the node one stands at (UCT's)."""

TIE = 1e-10
"""Ridge scores closer than this, relatively, are equal: their last digits depend on the order of the sums."""


@compiled
def choose(
    rule: int,
    parameters: Floats,
    means: Floats,
    spreads: Floats,
    online: Floats,
    past: Floats,
    first: int,
    rounds: float,
    tie: float,
    uniform: float,
) -> int:
    """The best of the nodes side by side from ``first`` on; of equal ones the first, or one at random by ``uniform`` >= 0."""
    best = -math.inf
    winner = first
    for offset in range(means.size):
        node = first + offset
        value = score(rule, means[offset], spreads[offset], online[node, PULLS], past[node, PULLS], rounds, parameters)
        if offset == 0 or value - best > tie * abs(best):
            best = value
            winner = node
        means[offset] = value
    if uniform < 0.0:
        return winner
    equal = 0
    for value in means:
        if value == best or abs(value - best) <= tie * abs(best):
            equal += 1
    skip = int(uniform * equal)
    for offset in range(means.size):
        value = means[offset]
        if value == best or abs(value - best) <= tie * abs(best):
            if skip == 0:
                return first + offset
            skip -= 1
    return winner


@compiled
def descend(
    rule: int,
    parameters: Floats,
    clock: int,
    tree: Integers,
    online: Floats,
    past: Floats,
    derived: Floats,
    context: Floats,
    uniforms: Floats,
) -> int:
    """From the root to an arm, at each level to the best child (Algorithm 1; Algorithm 2, lines 4-5)."""
    tie = TIE if context.size > 0 else 0.0
    node = 0
    level = 0
    while tree[node, SIZE] > 0:
        first, size = tree[node, FIRST], tree[node, SIZE]
        means, spreads = np.empty(size), np.empty(size)
        estimate(online, past, derived, context, first, means, spreads)
        rounds = 1.0 + online[node if clock == PARENT_CLOCK else 0, PULLS]
        uniform = uniforms[level] if uniforms.size > 0 else -1.0
        node = choose(rule, parameters, means, spreads, online, past, first, rounds, tie, uniform)
        level += 1
    return node


@compiled
def descend_many(
    rule: int,
    parameters: Floats,
    clock: int,
    tree: Integers,
    online: Floats,
    past: Floats,
    means: Floats,
    spreads: Floats,
    uniforms: Floats,
    chosen: Integers,
) -> None:
    """``descend`` for a batch of contexts whose means and spreads (batch x nodes) are at hand."""
    for b in range(chosen.size):
        node = 0
        level = 0
        while tree[node, SIZE] > 0:
            first, size = tree[node, FIRST], tree[node, SIZE]
            rounds = 1.0 + online[node if clock == PARENT_CLOCK else 0, PULLS]
            uniform = uniforms[b, level] if uniforms.size > 0 else -1.0
            node = choose(
                rule,
                parameters,
                means[b, first : first + size],
                spreads[b, first : first + size],
                online,
                past,
                first,
                rounds,
                TIE,
                uniform,
            )
            level += 1
        chosen[b] = node


@compiled
def credit(tree: Integers, online: Floats, past: Floats, derived: Floats, leaf: int, reward: float, context: Floats) -> None:
    """Add an observation to an arm and to every node above it (Algorithm 2, lines 6-7)."""
    node = leaf
    while node >= 0:
        observe(online, node, reward, context)
        if context.size > 0 and node > 0:
            follow(online, past, derived, node, reward, context)
        node = tree[node, PARENT]
