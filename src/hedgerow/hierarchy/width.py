"""How far above its mean an arm's index reaches, and what it cannot exceed.

    bonus = sqrt(sig2 h (1 + log(1 + rate h))),  h = x'S x,  rate = EXPLORE t / (d K^2)

h / d is about one over an arm's rounds, t are all rounds, K the arms. Of many arms one left too early costs little, for another
is nearly as good, and a standard deviation will do; of a few it costs much, and so it does while arms are hardly known.
"""

import math

from ..kernel import compiled
from ..types import Floats
from .ledger import LENGTH, RATE, SIG2

EXPLORE = 10.0


@compiled
def growth(rate: float, width: float) -> float:
    """1 + log(1 + rate h)."""
    return 1.0 + math.log(1.0 + rate * width)


@compiled
def bonus(ledger: Floats, width: float) -> float:
    """What an index adds to the mean, for h = ``width``."""
    return math.sqrt(ledger[SIG2] * width * growth(ledger[RATE], width))


@compiled
def reach_of(ledger: Floats, length: float) -> float:
    """What a bonus cannot exceed is this times the ceiling of an arm, for a context of x'x = ``length``.

    h <= length c^2 and log(1 + uv) <= log(1 + u) + log v for v >= 1, hence with the mean length L
    growth(h) <= growth(L c^2) growth', growth' = 1 + log(max(1, length / L)).
    """
    longer = max(1.0, length / ledger[LENGTH]) if ledger[LENGTH] > 0.0 else 1.0
    return math.sqrt(ledger[SIG2] * length * (1.0 + math.log(longer)))


@compiled
def ceiling_of(ledger: Floats, root: float) -> float:
    """The ceiling of an arm whose S has no eigenvalue above the square of ``root``."""
    return root * math.sqrt(growth(ledger[RATE], ledger[LENGTH] * root * root))
