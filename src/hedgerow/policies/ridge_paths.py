"""Ridge regressions in the tree: choosing walks down to an arm, learning walks up from it."""

import math

import numpy as np

from ..core.draws import draw
from ..core.kernel import compiled
from ..core.sums import LARGEST, LARGEST_SINGLE, PLAYS, dot, observe, usable, waiting
from ..core.tree import FIRST, PARENT, SIZE, TIE, least_best, pick
from ..core.types import Floats, Links
from .ridge import CEILING, THETA, follow, packed_products, refresh, ridge_estimate
from .rules import LINUCB, SCALE, ridge_score

PRUNING = 4000
"""Numbers in the packed inverses side by side from which on it pays to look for nodes that need not be scored."""


@compiled
def largest_in(derived: Floats) -> float:
    """What contexts must be smaller than, by the precision of the derived rows."""
    return LARGEST if derived.itemsize == 8 else LARGEST_SINGLE


@compiled
def score_all(rule: int, ledger: Floats, first: int, means: Floats, spreads: Floats, key: int) -> float:
    """Turn the means of neighbouring ridge nodes into their scores; the best of them."""
    best = -math.inf
    for offset in range(means.size):
        means[offset] = ridge_score(rule, means[offset], spreads[offset], first + offset, ledger, key)
        best = max(best, means[offset])
    return best


@compiled
def widest(derived: Floats, ledger: Floats) -> Floats:
    """The bonus of each node in no context of length 1 is larger: alpha sqrt(x' A^-1 x) <= alpha sqrt(ceiling) |x|."""
    bonuses = np.empty(len(derived))
    for node in range(len(derived)):
        bonuses[node] = ledger[SCALE] * math.sqrt(derived[node, CEILING])
    return bonuses


@compiled
def score_promising(
    rule: int,
    ledger: Floats,
    derived: Floats,
    bonuses: Floats,
    context: Floats,
    products: Floats,
    first: int,
    values: Floats,
    key: int,
) -> tuple[float, int]:
    """Turn the means of neighbouring ridge nodes into their scores as far as they could be the best, else into -inf.

    Returns the best score, and how many nodes were scored. A node whose LinUCB index would not be the best even with its widest
    bonus need not be scored. What promises most goes first.
    """
    d = context.size
    length = 0.0
    for i in range(d):
        length += context[i] * context[i]
    length = math.sqrt(length)
    promises = np.empty(values.size)
    for offset in range(values.size):
        promises[offset] = values[offset] + bonuses[offset] * length
    most = 0
    for offset in range(values.size):
        if promises[offset] > promises[most]:
            most = offset
    best, least, scored = -math.inf, -math.inf, 0
    for turn in range(-1, values.size):
        offset = most if turn < 0 else turn
        if turn == most:
            continue
        if promises[offset] >= least:
            node = first + offset
            spread = max(dot(derived, node, THETA + d, products), 0.0)
            values[offset] = ridge_score(rule, values[offset], spread, node, ledger, key)
            best = max(best, values[offset])
            least = least_best(best, TIE)
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
            tied = best >= least_best(value, TIE)
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
        bonuses = widest(derived[first : first + size], ledger)
        best, _ = score_promising(rule, ledger, derived, bonuses, context, products, first, values, key)
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
    fine = usable(context, largest_in(derived))
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
def credit_ridge(
    tree: Links, online: Floats, past: Floats, pending: Floats, derived: Floats, leaf: int, reward: float, context: Floats
) -> bool:
    """Add an observation to an arm and to every node above it (Algorithm 2, lines 6-7); not if the context is unusable."""
    fine = usable(context, largest_in(derived))
    node = leaf if fine else -1
    while node >= 0:
        observe(online, node, reward, context)
        if node > 0 and (waiting(pending, node) > 0.0 or not follow(derived, node, online[node, PLAYS], reward, context)):
            refresh(online, past, pending, derived, node, context.size)
        node = tree[node, PARENT]
    return fine
