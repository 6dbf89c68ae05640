"""Forced exploration: arms that nothing speaks for are tried all the same.

Their clusters, or the model, may be wrong about them.
"""

import math

from ...core.draws import mixed
from ...core.kernel import compiled
from ...core.sums import PLAYS, waiting_at
from ...core.tree import SIZE
from ...core.types import Floats, Links
from .settings import SETTINGS


@compiled
def plays_of(online: Floats, history: Floats, waiting: Floats, node: int) -> float:
    """How often an arm was played, in history and since, or is waited for."""
    plays: float = online[node, PLAYS] + history[node, PLAYS] + waiting_at(waiting, node)
    return plays


@compiled
def neglected(tree: Links, online: Floats, history: Floats, waiting: Floats, rounds: float) -> int:
    """The arm played least, if it and all that are about as unknown could have had one play more by now; or -1.

    So an arm that is new among others that are known is tried soon; where many are new, what is known of the others decides.

    Args:
        tree: First child, number of children and parent of each node.
        online: Sums of the online rounds.
        history: Sums of the history.
        waiting: Decisions that wait.
        rounds: How many there were, this one included.

    Returns:
        A leaf, or -1.
    """
    chosen, fewest, unknown = -1, math.inf, 0.0
    for node in range(1, len(tree)):
        if tree[node, SIZE] == 0 and plays_of(online, history, waiting, node) < fewest:
            chosen, fewest = node, plays_of(online, history, waiting, node)
    most = SETTINGS.forced_share * math.sqrt(rounds) / (fewest + 1.0)
    if most < 1.0:
        return -1
    for node in range(1, len(tree)):
        if tree[node, SIZE] == 0 and plays_of(online, history, waiting, node) < SETTINGS.forced_alike * (fewest + 1.0):
            unknown += 1.0
    return chosen if unknown <= most else -1


@compiled
def forced_arm(tree: Links, online: Floats, history: Floats, waiting: Floats) -> int:
    """The arm that this round is for whatever the context, or -1; one round in some is looked at, by a fixed shuffle."""
    rounds = 1.0 + online[0, PLAYS] + waiting_at(waiting, 0)
    looked_at = mixed(int(rounds)) % SETTINGS.forced_every == 0
    return neglected(tree, online, history, waiting, rounds) if looked_at else -1
