"""UCB-V: the bonus follows each arm's own variance (Audibert, Munos and Szepesvari, 2009)."""

import math
from typing import Any

from ..core.kernel import compiled
from ..core.records import Field, kind_of, record
from ..core.sums import PLAYS, reward_moments, waiting_at
from ..core.types import Floats, Integers, Links
from .parameter import Parameter
from .registry import register
from .scan import Kernels, Scan, descend, known_mean, learn, run

OWN = (Field("reward_range", low=0.0, high=1e100),)
KIND = kind_of(OWN)


@compiled
def index(online: Floats, history: Floats, waiting: Floats, node: int, t: float, own: Any, key: int) -> float:
    """mean + sqrt(2 V L / N) + 3 b L / N, with L = log(t + H), V the variance of the rewards and b their range.

    While all of a node's rewards are still to come, V is the variance of all.
    """
    H = history[node, PLAYS]
    N = online[node, PLAYS] + H + waiting_at(waiting, node)
    if N == 0.0:
        return math.inf
    known = node if online[node, PLAYS] + H > 0.0 else 0
    V = reward_moments(online, history, known)[1] if online[known, PLAYS] + history[known, PLAYS] > 0.0 else 0.0
    level = math.log(t + H) / N
    value: float = known_mean(online, history, node) + math.sqrt(2.0 * max(V, 0.0) * level) + 3.0 * own.reward_range * level
    return value


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
    run(choose, learn, tree, online, history, waiting, state, key, rewards, rows, arm_of, arms)


UCBV = register(
    "ucbv",
    Scan(Kernels(index, choose, play), OWN),
    summary="mean + sqrt(2 V L / N) + 3 b L / N, L = log(t + H), V the arm's variance, b the range of the rewards",
    title="UCBV",
    source="Audibert, Munos and Szepesvari 2009",
    parameters={"reward_range": Parameter(1.0, "Width of the interval that rewards lie in: maximum minus minimum.")},
)
