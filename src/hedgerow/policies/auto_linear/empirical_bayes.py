"""The spreads that make the rewards likeliest, and with them the noise and the level of all arms.

Spreads are searched as log2 of a spread in units of 1 / mean x_j^2, which frees them from the unit of the contexts. The one below
the top is climbed in steps of 1 from where it was; for each the one at the top is searched on a grid. A flat policy has only the
one at the top, and climbs that.
"""

import math
from typing import NamedTuple

import numpy as np

from ...core.kernel import compiled
from ...core.records import record
from ...core.types import Floats
from .likelihood import TOTALS, Model, eliminate_below, eliminate_top, profile
from .settings import FARTHEST_STEP, FIRST_STEPS, SETTINGS, TOP_REACH, TOP_STEPS
from .state import POLICY


class Candidate(NamedTuple):
    """What is likeliest at a step of the finely searched spread.

    Args:
        value: Log likelihood, less what spreads far from 1 cost.
        log2_top: log2 of the likeliest spread at the top.
        noise: sig2.
        offset: a.
    """

    value: float
    log2_top: float
    noise: float
    offset: float


@compiled
def mean_square_of_contexts(model: Model) -> float:
    """Mean of x_j^2 over all rounds and columns: the unit that frees the spreads from that of the contexts.

    Args:
        model: The sums; the contexts in them are as the policy sees them.

    Returns:
        The mean, in which a round counts by its weight; 1 without rounds, or if all contexts are zero.
    """
    totals = record(model.totals, TOTALS)
    mean: float = totals.trace / (model.cross.shape[2] * totals.weight) if totals.trace > 0.0 else 1.0
    return mean


@compiled
def penalty(log2_top: float, step: float, flat: bool) -> float:
    """What spreads far from 1 cost."""
    return SETTINGS.prior * (log2_top * log2_top + (0.0 if flat else step * step))


@compiled
def appraise(model: Model, unit: float, step: float, flat: bool, around: float, reach: float) -> Candidate:
    """What is likeliest at a step, with spreads at the top as near as ``reach`` to ``around``."""
    products, rest = np.empty(3), np.empty(3)
    log_det = eliminate_below(model, 2.0**step / unit, products)
    best = Candidate(-math.inf, 0.0, 1.0, 0.0)
    steps: Floats = np.full(1, step) if flat else TOP_STEPS
    for position in range(steps.size):
        log2_top: float = steps[position]
        if abs(log2_top - around) > reach and not flat:
            continue
        for i in range(3):
            rest[i] = products[i]
        whole = log_det + eliminate_top(model, 2.0**log2_top / unit, rest)
        fit = profile(model, whole, rest)
        value = fit.log_likelihood - penalty(log2_top, step, flat)
        if value > best.value:
            best = Candidate(value, log2_top, fit.noise, fit.offset)
    return best


@compiled
def first_step(model: Model, unit: float, flat: bool) -> float:
    """The best of a coarse grid of steps."""
    best, chosen = -math.inf, 0.0
    for step in FIRST_STEPS:
        value = appraise(model, unit, step, flat, 0.0, math.inf).value
        if value > best:
            best, chosen = value, step
    return chosen


@compiled
def estimate_spreads(model: Model, state: Floats) -> float:
    """Climb from the step of the last refresh to the likeliest spreads, noise and offset; the log likelihood there."""
    own = record(state, POLICY)
    flat, unit = own.depth == 1.0, mean_square_of_contexts(model)
    if own.due == 1.0:
        own.log2_spread = first_step(model, unit, flat)
    best = appraise(model, unit, own.log2_spread, flat, 0.0, math.inf)
    for way in (-1.0, 1.0):
        while abs(own.log2_spread + way) <= FARTHEST_STEP:
            other = appraise(model, unit, own.log2_spread + way, flat, best.log2_top, TOP_REACH)
            if other.value <= best.value:
                break
            best = other
            own.log2_spread += way
    own.spread_below = 2.0**own.log2_spread / unit
    own.spread_top = 2.0**best.log2_top / unit
    own.noise, own.offset = best.noise, best.offset
    totals = record(model.totals, TOTALS)
    square = totals.squares / totals.weight
    if own.noise <= 1e-11 * square:  # all rewards equal so far: any unit will do
        own.noise = square
    if own.noise == 0.0:
        own.noise = 1.0
    log_likelihood: float = best.value + penalty(best.log2_top, own.log2_spread, flat)
    return log_likelihood
