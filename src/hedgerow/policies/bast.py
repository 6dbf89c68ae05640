"""BAST: bounds that climb from the arms to their clusters (Coquelin and Munos, 2007)."""

import math
from typing import Any

import numpy as np

from ..core.draws import draw
from ..core.kernel import compiled
from ..core.records import Field, kind_of, record
from ..core.sums import PLAYS, waiting_at
from ..core.tree import FIRST, SIZE, pick
from ..core.types import Floats, Integers, Links
from . import estimated_scale
from .estimated_scale import fraction_of
from .family import Arrays
from .optimism import ucb_level, ucb_value
from .parameter import SCALE, Parameter
from .registry import register
from .scan import Kernels, Scan, as_record, clock, known_mean, learn_scaled, run

OWN = (*estimated_scale.FIELDS, Field("diameter", low=0.0, high=1e100))
KIND = kind_of(OWN)


@compiled
def index(online: Floats, history: Floats, waiting: Floats, node: int, t: float, own: Any, key: int) -> float:
    """The index of UCB."""
    H = history[node, PLAYS]
    return ucb_value(
        known_mean(online, history, node), online[node, PLAYS] + waiting_at(waiting, node) + H, ucb_level(t, H), own.scale
    )


@compiled
def bounds(tree: Links, online: Floats, history: Floats, waiting: Floats, own: Any, key: int) -> Floats:
    """B of every node: an arm's index; a cluster's, plus its diameter, but no more than the best B below it."""
    found, t = np.empty(len(tree)), clock(online, waiting)
    found[0] = math.inf
    for node in range(len(tree) - 1, 0, -1):  # children have higher numbers than their parents
        found[node] = index(online, history, waiting, node, t, own, key)
        if tree[node, SIZE] > 0:
            below = -math.inf
            for child in range(tree[node, FIRST], tree[node, FIRST] + tree[node, SIZE]):
                below = max(below, found[child])
            found[node] = min(below, found[node] + own.diameter)
    return found


@compiled
def choose(tree: Links, online: Floats, history: Floats, waiting: Floats, state: Floats, key: int) -> int:
    """From the root to an arm, at each level to the child of highest bound."""
    found = bounds(tree, online, history, waiting, record(state, KIND), key)
    node, level = 0, 0
    while tree[node, SIZE] > 0:
        first, size = tree[node, FIRST], tree[node, SIZE]
        values = found[first : first + size]
        node = first + pick(values, values.max(), 0.0, draw(key, level))
        level += 1
    return node


@compiled
def play(
    tree: Links,
    online: Floats,
    history: Floats,
    waiting: Floats,
    state: Floats,
    key: int,
    rewards: Floats,
    rows: Integers,
    arm_of: Integers,
    arms: Integers,
) -> None:
    """A whole trial."""
    run(choose, learn_scaled, tree, online, history, waiting, state, key, rewards, rows, arm_of, arms)


def _bounds(arrays: Arrays) -> Floats:
    """B of every node, as an explanation shows it."""
    tree, online, history, waiting, _, state, _ = arrays
    found: Floats = bounds(tree, online, history, waiting, as_record(state, KIND), -1)
    return found


BAST = register(
    "bast",
    lambda values: Scan(Kernels(index, choose, play, learn_scaled), OWN, fraction=fraction_of(values["scale"]), scores=_bounds),
    summary="An arm's bound is its index; a cluster's its index + diameter, but at most the best bound below it",
    title="BAST",
    source="Coquelin and Munos 2007",
    parameters={
        "diameter": Parameter(
            None, "How far the means of a cluster's arms may lie apart, in units of the reward.", largest=math.inf, capped=1e100
        ),
        "scale": SCALE,
    },
    example={"diameter": 0.5, "scale": "auto"},
)
