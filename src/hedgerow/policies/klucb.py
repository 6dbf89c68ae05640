"""KL-UCB for rewards between 0 and 1, sharp for 0/1 ones (Garivier and Cappe, 2011)."""

import math
from typing import Any

import numpy as np

from ..core.draws import draw
from ..core.kernel import compiled
from ..core.sums import PLAYS, waiting_at
from ..core.tree import FIRST, SIZE, pick
from ..core.types import Floats, Integers, Links
from .registry import register
from .scan import Kernels, Scan, clock, known_mean, learn, run


@compiled
def bernoulli_divergence(p: float, q: float) -> float:
    """Relative entropy of coins that show heads with probability p and q."""
    p, q = min(max(p, 1e-15), 1.0 - 1e-15), min(max(q, 1e-15), 1.0 - 1e-15)
    return p * math.log(p / q) + (1.0 - p) * math.log((1.0 - p) / (1.0 - q))


@compiled
def by_pinsker(online: Floats, history: Floats, waiting: Floats, node: int, t: float) -> tuple[float, float, float]:
    """Mean, level log(t + H) / N, and a bound above the index without a search: kl(p, q) >= 2 (p - q)^2."""
    H = history[node, PLAYS]
    N = online[node, PLAYS] + H + waiting_at(waiting, node)
    if N == 0.0:
        return 0.0, math.inf, math.inf
    mean = min(max(known_mean(online, history, node), 0.0), 1.0)
    level = math.log(t + H) / N
    return mean, level, min(1.0, mean + math.sqrt(0.5 * level))


@compiled
def largest(mean: float, level: float, high: float) -> float:
    """The largest q below ``high`` with kl(mean, q) <= level."""
    if high == math.inf:
        return math.inf
    low = mean
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        if bernoulli_divergence(mean, middle) > level:
            high = middle
        else:
            low = middle
    return high


@compiled
def index(online: Floats, history: Floats, waiting: Floats, node: int, t: float, own: Any, key: int) -> float:
    """The largest q with N kl(mean, q) <= log(t + H)."""
    mean, level, high = by_pinsker(online, history, waiting, node, t)
    value: float = largest(mean, level, high)
    return value


@compiled
def choose(tree: Links, online: Floats, history: Floats, waiting: Floats, state: Floats, key: int) -> int:
    """From the root to an arm, as ``descend``; an arm that Pinsker's bound keeps below the best so far is not searched."""
    node, level = 0, 0
    t = clock(online, waiting)
    while tree[node, SIZE] > 0:
        first, size = tree[node, FIRST], tree[node, SIZE]
        values, best, node = np.full(size, -math.inf), -math.inf, first
        for child in range(first, first + size):
            mean, allowed, high = by_pinsker(online, history, waiting, child, t)
            if high < best:
                continue
            values[child - first] = largest(mean, allowed, high)
            if values[child - first] > best:
                best, node = values[child - first], child
        if key >= 0:
            node = first + pick(values, best, 0.0, draw(key, level))
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
    run(choose, learn, tree, online, history, waiting, state, key, rewards, rows, arm_of, arms)


KLUCB = register(
    "klucb",
    Scan(Kernels(index, choose, play)),
    summary="The largest q with N kl(mean, q) <= log(t + H), for rewards between 0 and 1",
    title="KLUCB",
    source="Garivier and Cappe 2011",
    unit_rewards=True,
)
