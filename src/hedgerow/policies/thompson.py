"""Thompson sampling with normal draws, at every level of the tree (Carlsson, Dubhashi and Johansson, 2021)."""

import math
from typing import Any

from ..core.draws import normal
from ..core.kernel import compiled
from ..core.records import kind_of, record
from ..core.sums import PLAYS, waiting_at
from ..core.types import Floats, Integers, Links
from . import estimated_scale
from .estimated_scale import fraction_of
from .parameter import SCALE
from .registry import register
from .scan import Kernels, Scan, descend, known_mean, learn_scaled, run

OWN = estimated_scale.FIELDS
KIND = kind_of(OWN)


@compiled
def index(online: Floats, history: Floats, waiting: Floats, node: int, t: float, own: Any, key: int) -> float:
    """A draw of the mean, which is normal with standard deviation scale / sqrt(N)."""
    N = online[node, PLAYS] + history[node, PLAYS] + waiting_at(waiting, node)
    if N == 0.0:
        return math.inf
    drawn: float = known_mean(online, history, node) + own.scale * normal(key, node) / math.sqrt(N)
    return drawn


@compiled
def choose(tree: Links, online: Floats, history: Floats, waiting: Floats, state: Floats, key: int) -> int:
    """From the root to an arm."""
    return descend(index, tree, online, history, waiting, record(state, KIND), key)


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


TSC = register(
    "thompson",
    lambda values: Scan(Kernels(index, choose, play, learn_scaled), OWN, fraction=fraction_of(values["scale"])),
    summary="mean + scale z / sqrt(N), z normal, at every level",
    title="TSC",
    source="Thompson 1933; Carlsson, Dubhashi and Johansson 2021",
    parameters={"scale": SCALE._replace(default="auto", doc="Noise of the rewards, as a standard deviation.")},
    draws=True,
)
