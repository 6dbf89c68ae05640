"""Arms that nothing speaks for, and that are tried all the same: their labels, or the model, may be wrong about them."""

import math

from ..core.kernel import compiled
from ..core.sums import PLAYS, waiting_at
from ..core.tree import SIZE
from ..core.types import Floats, Links

NEGLECT = 0.5
"""Up to NEGLECT sqrt(t) of the first t rounds go to the arms least known."""

ALIKE = 10.0
"""Arms that were played less than so many times as often are about as unknown."""


@compiled
def plays_of(online: Floats, past: Floats, pending: Floats, node: int) -> float:
    """How often an arm was played, in history and since, or is waited for."""
    plays: float = online[node, PLAYS] + past[node, PLAYS] + waiting_at(pending, node)
    return plays


@compiled
def neglected(tree: Links, online: Floats, past: Floats, pending: Floats, rounds: float) -> int:
    """The arm played least, if it and all that are about as unknown could have had one play more by now; or -1.

    So an arm that is new among others that are known is tried soon; where many are new, what is known of the others decides.
    """
    chosen, fewest, unknown = -1, math.inf, 0.0
    for node in range(1, len(tree)):
        if tree[node, SIZE] == 0 and plays_of(online, past, pending, node) < fewest:
            chosen, fewest = node, plays_of(online, past, pending, node)
    most = NEGLECT * math.sqrt(rounds) / (fewest + 1.0)
    if most < 1.0:
        return -1
    for node in range(1, len(tree)):
        if tree[node, SIZE] == 0 and plays_of(online, past, pending, node) < ALIKE * (fewest + 1.0):
            unknown += 1.0
    return chosen if unknown <= most else -1
