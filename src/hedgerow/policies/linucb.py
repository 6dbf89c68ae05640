"""LinUCB: ridge regression with a bonus of some standard errors (Li, Chu, Langford and Schapire, 2010; the paper's Algorithm 2).

Of many nodes side by side only those are scored whose widest bonus could make them the best.
"""

import math
from typing import Any

import numpy as np

from ..core.draws import draw
from ..core.kernel import compiled
from ..core.records import record
from ..core.sums import dot, usable
from ..core.tree import FIRST, SIZE, TIE, least_best, pick
from ..core.types import Floats, Integers, Links
from .parameter import Parameter
from .registry import register
from .ridge import THETA, ceiling_of, packed_products
from .ridge_tree import KIND, Kernels, RidgeTree, choose_scored, largest_in, learn, one_of_best

PRUNING = 4000
"""Numbers in the packed inverses side by side from which on it pays to look for nodes that need not be scored (measured)."""

TRIED = 16
"""Contexts of a batch after which it is known whether many nodes need not be scored."""

MOST_SCORED = 4
"""One product for all nodes is quicker, once more than one in this many must be scored (measured)."""


@compiled
def score(mean: float, spread: float, node: int, own: Any, key: int) -> float:
    """theta'x + alpha sqrt(x' A^-1 x)."""
    value: float = mean + own.alpha * math.sqrt(spread)
    return value


@compiled
def widest(rows: Floats, own: Any) -> Floats:
    """The bonus of each node in no context of length 1 is larger: alpha sqrt(x' A^-1 x) <= alpha sqrt(ceiling) |x|."""
    bonuses = np.empty(len(rows))
    for node in range(len(rows)):
        bonuses[node] = own.alpha * math.sqrt(ceiling_of(rows, node))
    return bonuses


@compiled
def score_promising(
    own: Any, rows: Floats, bonuses: Floats, context: Floats, products: Floats, first: int, values: Floats
) -> tuple[float, int]:
    """Turn the means of neighbouring nodes into their scores as far as they could be the best, else into -inf.

    Returns the best score, and how many nodes were scored. A node that would not be the best even with its widest bonus need not
    be scored. What promises most goes first.
    """
    d, length = context.size, 0.0
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
            spread = max(dot(rows, first + offset, THETA + d, products), 0.0)
            values[offset] = score(values[offset], spread, first + offset, own, -1)
            best = max(best, values[offset])
            least = least_best(best, TIE)
            scored += 1
        else:
            values[offset] = -math.inf
    return best, scored


@compiled
def first_of_best(own: Any, rows: Floats, context: Floats, products: Floats, first: int, size: int) -> int:
    """The first of the best of neighbouring nodes in one pass, or -1 if the best ties with a lower score before it."""
    best, chosen, tied = -math.inf, first, False
    for node in range(first, first + size):
        spread = max(dot(rows, node, THETA + context.size, products), 0.0)
        value = score(dot(rows, node, THETA, context), spread, node, own, -1)
        if value > best:
            tied = best >= least_best(value, TIE)
            best, chosen = value, node
    return -1 if tied else chosen


@compiled
def most_promising(own: Any, rows: Floats, context: Floats, products: Floats, first: int, size: int, drawn: float) -> int:
    """One of the best of many neighbouring nodes: the first, or one at random by ``drawn`` >= 0."""
    values = np.empty(size)
    for offset in range(size):
        values[offset] = dot(rows, first + offset, THETA, context)
    best, _ = score_promising(own, rows, widest(rows[first : first + size], own), context, products, first, values)
    return first + pick(values, best, TIE, drawn)


@compiled
def choose(tree: Links, rows: Floats, state: Floats, context: Floats, key: int) -> int:
    """From the root to an arm; -1 for a context that is not finite or too large."""
    if not usable(context, largest_in(rows)):
        return -1
    node, level, products, own = 0, 0, packed_products(context), record(state, KIND)
    while tree[node, SIZE] > 0:
        first, size = tree[node, FIRST], tree[node, SIZE]
        if products.size * size >= PRUNING:
            node = most_promising(own, rows, context, products, first, size, draw(key, level))
        else:
            node = first_of_best(own, rows, context, products, first, size) if key < 0 else -1
            if node < 0:
                node = one_of_best(score, own, rows, context, products, first, size, key, draw(key, level))
        level += 1
    return node


@compiled
def choose_promising(
    tree: Links, rows: Floats, state: Floats, contexts: Floats, means: Floats, keys: Integers, chosen: Integers
) -> int:
    """``choose`` for contexts whose means (batch x nodes) are at hand; how many, until too much had to be scored."""
    seen, scored, own = 0, 0, record(state, KIND)
    bonuses = widest(rows, own)
    for b in range(chosen.size):
        if b >= TRIED and MOST_SCORED * scored > seen:
            return b
        products = packed_products(contexts[b])
        node, level = 0, 0
        while tree[node, SIZE] > 0:
            first, size = tree[node, FIRST], tree[node, SIZE]
            values, most = means[b, first : first + size], bonuses[first : first + size]
            best, more = score_promising(own, rows, most, contexts[b], products, first, values)
            node = first + pick(values, best, TIE, draw(keys[b], level))
            level += 1
            seen += size
            scored += more
        chosen[b] = node
    return chosen.size


@compiled
def choose_batch(tree: Links, state: Floats, means: Floats, spreads: Floats, keys: Integers, chosen: Integers) -> None:
    """``choose`` for a batch of contexts whose means and spreads are at hand."""
    choose_scored(score, tree, record(state, KIND), means, spreads, keys, chosen)


@compiled
def play(
    tree: Links,
    online: Floats,
    history: Floats,
    waiting: Floats,
    rows: Floats,
    state: Floats,
    key: int,
    contexts: Floats,
    rewards: Floats,
    drawn: Integers,
    arm_of: Integers,
    arms: Integers,
) -> None:
    """A whole trial."""
    for t in range(drawn.size):
        leaf = choose(tree, rows, state, contexts[t], key + t if key >= 0 else key)
        arms[t] = arm_of[leaf]
        learn(tree, online, history, waiting, rows, leaf, rewards[drawn[t], arms[t]], contexts[t])


register(
    "linucb",
    RidgeTree(Kernels(score, choose, choose_batch, play, choose_promising)),
    summary="theta'x + alpha sqrt(x' A^-1 x), theta = A^-1 b",
    source="Li, Chu, Langford and Schapire 2010; Bouneffouf, Parthasarathy, Samulowitz and Wistuba 2019",
    parameters={"alpha": Parameter(1.0, "Width of the bonus, in standard errors.")},
    contextual=True,
    precisions=("double", "single"),
)
