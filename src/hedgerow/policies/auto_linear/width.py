"""How far above its mean an arm's index reaches, and what it cannot exceed.

    bonus = sqrt(sig2 h (floor + log(1 + rate h))),  h = x'S x
    floor = LOWEST + (1 - LOWEST) / (1 + w)
    rate = EXPLORE t / (d K^2) (1 + w (FEW / d)^2) / (1 + w),  w = (n / KNOWN)^2

h / d is about one over an arm's rounds, t are all rounds, K the arms, n their typical rounds. Of many arms one left too early
costs little, for another is nearly as good, and a standard deviation will do; of a few it costs much, and so it does while arms
are hardly known. Once all have been played about ten times, less will do: the contexts themselves see to it that arms are tried,
the more so the more numbers they have.
"""

import math

from ...core.kernel import compiled
from ...core.tree import SIZE
from ...core.types import Floats
from .evidence import ROUNDS, Model, mean_square_of_contexts
from .ledger import FLOOR, LENGTH, RATE, SIG2

EXPLORE, LOWEST = 10.0, 0.1

KNOWN, FEW = 10.0, 5.0
"""Rounds of an arm that is no longer unknown, and numbers of a context beyond which less growth will do."""


@compiled
def typical_rounds(model: Model) -> tuple[float, float]:
    """How many arms there are, and the harmonic mean of their rounds, each with one more: low as long as some are unknown."""
    arms, scarce = 0.0, 0.0
    for node in range(len(model.tree)):
        if model.tree[node, SIZE] == 0:
            arms += 1.0
            scarce += 1.0 / (1.0 + model.seen[node])
    return arms, arms / scarce


@compiled
def set_width(model: Model, ledger: Floats) -> None:
    """Floor and rate of the widths, and the mean of x'x."""
    d = model.info.shape[2]
    arms, rounds = typical_rounds(model)
    w = (rounds / KNOWN) ** 2
    ledger[FLOOR] = LOWEST + (1.0 - LOWEST) / (1.0 + w)
    ledger[RATE] = EXPLORE * model.totals[ROUNDS] / (d * arms * arms) * (1.0 + w * (FEW / d) ** 2) / (1.0 + w)
    ledger[LENGTH] = d * mean_square_of_contexts(model)


@compiled
def growth(ledger: Floats, width: float) -> float:
    """floor + log(1 + rate h), for h = ``width``."""
    grown: float = ledger[FLOOR] + math.log(1.0 + ledger[RATE] * width)
    return grown


@compiled
def bonus(ledger: Floats, width: float) -> float:
    """What an index adds to the mean, for h = ``width``."""
    return math.sqrt(ledger[SIG2] * width * growth(ledger, width))


@compiled
def reach_of(ledger: Floats, length: float) -> float:
    """What a bonus cannot exceed is this times the ceiling of an arm, for a context of x'x = ``length``.

    h <= length c^2 = v L c^2, L the mean length. For v >= 1, u = rate L c^2 and f the floor

        growth(vh) / growth(h) <= 1 + (v - 1) u / (1 + u) / (f + log(1 + u)) <= 1 + (v - 1) / (1 + sqrt(2 f)):

    log((1 + uv) / (1 + u)) <= (v - 1) u / (1 + u), and the second fraction is largest, 1 / (1 + u), where u - log(1 + u) = f,
    hence f <= u^2 / 2.
    """
    longer = max(1.0, length / ledger[LENGTH]) if ledger[LENGTH] > 0.0 else 1.0
    return math.sqrt(ledger[SIG2] * length * (1.0 + (longer - 1.0) / (1.0 + math.sqrt(2.0 * ledger[FLOOR]))))


@compiled
def ceiling_of(ledger: Floats, root: float) -> float:
    """The ceiling of an arm whose S has no eigenvalue above the square of ``root``."""
    return root * math.sqrt(growth(ledger, ledger[LENGTH] * root * root))
