"""D3RB: choosing among experts by balancing what each could still owe (Pacchiano, Dann and Gentile, 2024).

Every expert has a price d, from 1 on, and a potential d sqrt(n); the lowest potential is followed. When an expert's rewards,
with all benefit of doubt, fall short of what another has shown, its price doubles. Prices are in units of the rewards' noise.
"""

import math

from ..core.kernel import compiled
from ..core.sums import PLAYS, TOTAL, waiting
from ..core.types import Floats, Links
from .rules import OWN, SCALE

PRICES = OWN
"""Where prices begin in the ledger, one for each node. They depend on the order of rounds, so that no sums tell them."""

DOUBT = 0.1
"""delta: the chance of a wrong doubling, over all experts and rounds."""

WIDTH = 0.5
"""c, in units of the noise: about half the rewards' standard deviation."""


@compiled
def cheapest(tree: Links, online: Floats, pending: Floats, ledger: Floats) -> int:
    """The expert of lowest potential; the first of equal ones."""
    chosen = 1
    least = math.inf
    for node in range(1, len(tree)):
        potential = ledger[PRICES + node] * math.sqrt(online[node, PLAYS] + waiting(pending, node))
        if potential < least:
            least = potential
            chosen = node
    return chosen


@compiled
def doubt(plays: float, experts: int, scale: float) -> float:
    """w(n) = c sqrt(log(M log(n + e - 1) / delta) / n), M experts."""
    return WIDTH * scale * math.sqrt(math.log(experts * math.log(plays + math.e - 1.0) / DOUBT) / plays)


@compiled
def balance(tree: Links, online: Floats, ledger: Floats, expert: int) -> None:
    """Double an expert's price if its rewards fall short, after a reward was added to it."""
    experts = len(tree) - 1
    shown = -math.inf
    for node in range(1, len(tree)):
        plays = online[node, PLAYS]
        if plays > 0.0:
            shown = max(shown, online[node, TOTAL] / plays - doubt(plays, experts, ledger[SCALE]))
    plays = online[expert, PLAYS]
    if plays > 0.0:
        hoped = online[expert, TOTAL] / plays + doubt(plays, experts, ledger[SCALE])
        if hoped + ledger[SCALE] * ledger[PRICES + expert] / math.sqrt(plays) < shown:
            ledger[PRICES + expert] *= 2.0
