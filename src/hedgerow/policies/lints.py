"""Thompson sampling over ridge regressions, at every level of the tree (Agrawal and Goyal, 2013)."""

import math
from typing import Any

from ..core.draws import draw, normal
from ..core.kernel import compiled
from ..core.records import record
from ..core.sums import usable
from ..core.tree import FIRST, SIZE
from ..core.types import Floats, Integers, Links
from .parameter import Parameter
from .registry import Constructor, register
from .ridge import packed_products
from .ridge_tree import KIND, Kernels, RidgeTree, choose_scored, largest_in, learn, one_of_best


@compiled
def score(mean: float, spread: float, node: int, own: Any, key: int) -> float:
    """theta'x + alpha z sqrt(x' A^-1 x), z normal."""
    value: float = mean + own.alpha * math.sqrt(spread) * normal(key, node)
    return value


@compiled
def choose(tree: Links, rows: Floats, state: Floats, context: Floats, key: int) -> int:
    """From the root to an arm; -1 for a context that is not finite or too large."""
    if not usable(context, largest_in(rows)):
        return -1
    node, level, products, own = 0, 0, packed_products(context), record(state, KIND)
    while tree[node, SIZE] > 0:
        first, size = tree[node, FIRST], tree[node, SIZE]
        node = one_of_best(score, own, rows, context, products, first, size, key, draw(key, level))
        level += 1
    return node


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


LinTSC: Constructor = register(
    "lints",
    RidgeTree(Kernels(score, choose, choose_batch, play)),
    summary="theta'x + alpha z sqrt(x' A^-1 x), z normal, at every level",
    title="LinTSC",
    source="Agrawal and Goyal 2013",
    parameters={"alpha": Parameter(1.0, "Width of the draws, in standard errors.")},
    contextual=True,
    draws=True,
    example={"alpha": 0.25},
    precisions=("double", "single"),
)
