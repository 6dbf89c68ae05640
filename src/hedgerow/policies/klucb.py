"""KL-UCB for rewards between 0 and 1, sharp for 0/1 ones (Garivier and Cappe, 2011)."""

import math
from typing import Any

from ..core.kernel import compiled
from ..core.sums import PLAYS, waiting_at
from ..core.types import Floats, Integers, Links
from .registry import register
from .scan import Kernels, Scan, descend, known_mean, learn, run


@compiled
def bernoulli_divergence(p: float, q: float) -> float:
    """Relative entropy of coins that show heads with probability p and q."""
    p, q = min(max(p, 1e-15), 1.0 - 1e-15), min(max(q, 1e-15), 1.0 - 1e-15)
    return p * math.log(p / q) + (1.0 - p) * math.log((1.0 - p) / (1.0 - q))


@compiled
def index(online: Floats, history: Floats, waiting: Floats, node: int, t: float, own: Any, key: int) -> float:
    """The largest q with N kl(mean, q) <= log(t + H)."""
    H = history[node, PLAYS]
    N = online[node, PLAYS] + H + waiting_at(waiting, node)
    if N == 0.0:
        return math.inf
    mean = min(max(known_mean(online, history, node), 0.0), 1.0)
    level = math.log(t + H) / N
    low, high = mean, min(1.0, mean + math.sqrt(0.5 * level))  # Pinsker: kl(p, q) >= 2 (p - q)^2
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        if bernoulli_divergence(mean, middle) > level:
            high = middle
        else:
            low = middle
    return high


@compiled
def choose(tree: Links, online: Floats, history: Floats, waiting: Floats, state: Floats, key: int) -> int:
    """From the root to an arm."""
    return descend(index, tree, online, history, waiting, state, key)


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
