"""How noisy rewards are, from the sums: what ``scale="auto"`` stands for."""

import math

from .kernel import compiled
from .rules import NEXT, SCALE
from .statistics import PULLS, SQUARES, TOTAL
from .types import Floats, Links

FREEDOM = 3.0
"""Degrees of freedom that an arm counts at most, so that the noise is not that of the arm played most."""

GROWTH = 1.1
"""The scale is estimated anew each time the rounds have grown by so much."""


@compiled
def arm_noise(online: Floats, past: Floats, node: int, trust: float) -> tuple[float, float, float]:
    """Plays, mean and sum of squared deviations of a node; a play of its history counts as ``trust`` plays."""
    plays = online[node, PULLS] + trust * past[node, PULLS]
    if plays <= 0.0:
        return 0.0, 0.0, 0.0
    mean = (online[node, TOTAL] + trust * past[node, TOTAL]) / plays
    squares = online[node, SQUARES] + trust * past[node, SQUARES]
    deviations = squares - plays * mean * mean
    return plays, mean, deviations if deviations > 1e-12 * squares else 0.0


@compiled
def typical_noise(tree: Links, online: Floats, past: Floats) -> tuple[float, float]:
    """Typical variance of an arm's rewards, with the variance of all rewards as one more arm; and that total variance."""
    plays, _, deviations = arm_noise(online, past, 0, 1.0)
    total = deviations / max(plays - 1.0, 1.0)
    sum_of_variances, freedom = 0.0, 1.0
    for node in range(1, len(tree)):
        if tree[node, 1] == 0:
            plays, _, deviations = arm_noise(online, past, node, 1.0)
            if plays > 1.0:
                weight = min(plays - 1.0, FREEDOM)
                sum_of_variances += weight * deviations / (plays - 1.0)
                freedom += weight
    return (sum_of_variances + total) / freedom, total


@compiled
def two_values(pulls: float, total: float, squares: float, low: float, high: float) -> bool:
    """Whether all rewards with these sums are ``low`` or ``high``: then sum (r - low)(high - r) = 0."""
    between = (low + high) * total - squares - pulls * low * high
    return abs(between) <= 1e-9 * pulls * (high - low) ** 2


@compiled
def rescale(tree: Links, online: Floats, past: Floats, ledger: Floats) -> None:
    """The scale in use: the typical standard deviation; while all rewards are equal, their size or 1: so all arms are tried."""
    typical, total = typical_noise(tree, online, past)
    plays, mean, _ = arm_noise(online, past, 0, 1.0)
    if total > 0.0:
        ledger[SCALE] = math.sqrt(typical)
    else:
        ledger[SCALE] = abs(mean) if plays > 0.0 and mean != 0.0 else 1.0
    ledger[NEXT] = max(online[0, PULLS] + 1.0, GROWTH * online[0, PULLS])
