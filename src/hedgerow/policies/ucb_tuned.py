"""UCB-tuned: the bonus follows each arm's variance, but is never wider than that of a coin (Auer, Cesa-Bianchi, Fischer 2002)."""

import math
from typing import Any

from ..core.kernel import compiled
from ..core.sums import PLAYS, reward_moments, waiting_at
from ..core.types import Floats, Integers, Links
from .registry import Constructor, register
from .scan import Kernels, Scan, descend, known_mean, learn, run

LARGEST_VARIANCE = 0.25
"""Of rewards between 0 and 1: that of a fair coin."""


@compiled
def index(online: Floats, history: Floats, waiting: Floats, node: int, t: float, own: Any, key: int) -> float:
    """mean + sqrt(L / N min(1/4, V + sqrt(2 L / N))), with L = log(t + H) and V the variance of the rewards.

    While all of a node's rewards are still to come, V is the largest that can be.
    """
    H = history[node, PLAYS]
    N = online[node, PLAYS] + H + waiting_at(waiting, node)
    if N == 0.0:
        return math.inf
    level = math.log(t + H) / N
    V = reward_moments(online, history, node)[1] if online[node, PLAYS] + H > 0.0 else LARGEST_VARIANCE
    value: float = known_mean(online, history, node) + math.sqrt(level * min(LARGEST_VARIANCE, V + math.sqrt(2.0 * level)))
    return value


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


UCBTuned: Constructor = register(
    "ucb_tuned",
    Scan(Kernels(index, choose, play)),
    summary="mean + sqrt(L / N min(1/4, V + sqrt(2 L / N))), L = log(t + H), V the variance of the rewards, which lie in [0, 1]",
    title="UCBTuned",
    source="Auer, Cesa-Bianchi and Fischer 2002",
    unit_rewards=True,
)
