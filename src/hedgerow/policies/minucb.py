"""MIN-UCB: history counts as far as its mean may be off by at most a given bias (Cheung and Lyu, 2024)."""

import math
from typing import Any

from ..core.kernel import compiled
from ..core.records import Field, kind_of, record
from ..core.sums import PLAYS, TOTAL, waiting_at
from ..core.types import Floats, Integers, Links
from . import estimated_scale
from .estimated_scale import fraction_of
from .optimism import ucb_level, ucb_value
from .parameter import SCALE, Parameter
from .registry import register
from .scan import Kernels, Scan, descend, known_mean, learn_scaled, run

OWN = (*estimated_scale.FIELDS, Field("bias", low=0.0, high=1e100))
KIND = kind_of(OWN)


@compiled
def index(online: Floats, history: Floats, waiting: Floats, node: int, t: float, own: Any, key: int) -> float:
    """min(online mean + rad(n), pooled mean + rad(N) + H / N bias), rad the width of UCB."""
    H = history[node, PLAYS]
    n = online[node, PLAYS] + waiting_at(waiting, node)
    fresh = math.inf
    if n > 0.0:
        plays = online[node, PLAYS]
        mean = online[node, TOTAL] / plays if plays > 0.0 else known_mean(online, history, node)
        fresh = ucb_value(mean, n, ucb_level(t, 0.0), own.scale)
    if H == 0.0:
        return fresh
    pooled = ucb_value(known_mean(online, history, node), n + H, ucb_level(t, H), own.scale)
    biased: float = pooled + own.bias * H / (n + H)
    return min(fresh, biased)


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


MINUCB = register(
    "minucb",
    lambda values: Scan(Kernels(index, choose, play, learn_scaled), OWN, fraction=fraction_of(values["scale"])),
    summary="min(online mean + rad(n), pooled mean + rad(N) + bias H / N), rad the width of UCB",
    title="MINUCB",
    source="Cheung and Lyu 2024",
    parameters={
        "bias": Parameter(None, "How far, at most, the history's means may be off, in units of the reward."),
        "scale": SCALE,
    },
    example={"bias": 0.5, "scale": "auto"},
)
