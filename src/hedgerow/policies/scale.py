"""The scale of a bonus where it is estimated: what ``scale="auto"`` stands for."""

import math

from ..core.kernel import compiled
from ..core.noise import arm_noise, known_noise, total_noise, unknown_noise
from ..core.sums import PLAYS
from ..core.types import Floats, Links
from .rules import NEXT, SCALE

GROWTH = 1.1
"""The scale is estimated anew each time the rounds have grown by so much."""


@compiled
def rescale(tree: Links, online: Floats, past: Floats, ledger: Floats) -> None:
    """The scale in use: the typical standard deviation, where an arm with a single play may be as noisy as arms differ; while all
    rewards are equal, their size or 1. So all arms are tried, even beside one that always pays the same."""
    total = total_noise(online, past)
    if total > 0.0:
        sum_of_variances, freedom = known_noise(tree, online, past)
        single, spread = unknown_noise(tree, online, past)
        ledger[SCALE] = math.sqrt((sum_of_variances + total + single * spread) / (freedom + 1.0 + single))
        ledger[NEXT] = max(online[0, PLAYS] + 1.0, GROWTH * online[0, PLAYS])
    else:
        level = abs(arm_noise(online, past, 0, 1.0)[1])
        ledger[SCALE] = level if level > 0.0 else 1.0
        ledger[NEXT] = online[0, PLAYS] + 1.0
