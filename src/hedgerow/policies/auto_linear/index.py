"""The index of an arm: its mean, and a bonus for what is not known of it.

    index = mu'x + sqrt(sig2 h (floor + log(1 + rate h))),  h = x'S x
    floor = LEAST + (1 - LEAST) / (1 + w)
    rate = HORIZON t / (d K^2) (1 + w (FEW / d)^2) / (1 + w),  w = (n / KNOWN)^2

LEAST, HORIZON, FEW and KNOWN are least_width, horizon, few_columns and known_rounds of the settings. h / d is about one over an
arm's rounds, t are all rounds, K the arms, n their typical rounds. Of many arms one left too early costs little, for another is
nearly as good, and a standard deviation will do; of a few it costs much, and so it does while arms are hardly known. Once all
have been played about ten times, less will do: the contexts themselves see to it that arms are tried, the more so the more
columns they have.
"""

import math
from typing import Any

import numpy as np

from ...core.kernel import compiled
from ...core.records import record
from ...core.sums import dot, usable
from ...core.tree import SIZE, TIE, least_best, pick
from ...core.types import Floats, Links
from .empirical_bayes import mean_square_of_contexts
from .likelihood import TOTALS, Model
from .settings import SETTINGS
from .standardize import standardized
from .state import NODE_SIZE, POLICY, ceilings_of, climb, room_for


@compiled
def typical_rounds(model: Model) -> tuple[float, float]:
    """How many arms there are, and the harmonic mean of their rounds, each with one more: low as long as some are unknown."""
    arms, scarce = 0.0, 0.0
    for node in range(len(model.tree)):
        if model.tree[node, SIZE] == 0:
            arms += 1.0
            scarce += 1.0 / (1.0 + model.rounds[node])
    return arms, arms / scarce


@compiled
def set_width(model: Model, own: Any) -> None:
    """Floor and rate of the bonus, and the mean of x'x."""
    d = model.cross.shape[2]
    arms, rounds = typical_rounds(model)
    w = (rounds / SETTINGS.known_rounds) ** 2
    own.width_floor = SETTINGS.least_width + (1.0 - SETTINGS.least_width) / (1.0 + w)
    rate = SETTINGS.horizon * record(model.totals, TOTALS).rounds / (d * arms * arms)
    own.width_rate = rate * (1.0 + w * (SETTINGS.few_columns / d) ** 2) / (1.0 + w)
    own.mean_square = d * mean_square_of_contexts(model)


@compiled
def growth(own: Any, width: float) -> float:
    """floor + log(1 + rate h), for h = ``width``."""
    grown: float = own.width_floor + math.log(1.0 + own.width_rate * width)
    return grown


@compiled
def bonus(own: Any, width: float) -> float:
    """What an index adds to the mean, for h = ``width``."""
    return math.sqrt(own.noise * width * growth(own, width))


@compiled
def ceiling_of(own: Any, root: float) -> float:
    """The ceiling of an arm whose S has no eigenvalue above the square of ``root``."""
    return root * math.sqrt(growth(own, own.mean_square * root * root))


@compiled
def reach_of(own: Any, context: Floats) -> float:
    """What a bonus cannot exceed is this times the ceiling of an arm, in a context of x'x = length.

    h <= length c^2 = v L c^2, L the mean length. For v >= 1, u = rate L c^2 and f the floor

        growth(vh) / growth(h) <= 1 + (v - 1) u / (1 + u) / (f + log(1 + u)) <= 1 + (v - 1) / (1 + sqrt(2 f)):

    log((1 + uv) / (1 + u)) <= (v - 1) u / (1 + u), and the second fraction is largest, 1 / (1 + u), where u - log(1 + u) = f,
    hence f <= u^2 / 2.
    """
    length = 0.0
    for value in context:
        length += value * value
    longer = max(1.0, length / own.mean_square) if own.mean_square > 0.0 else 1.0
    return math.sqrt(own.noise * length * (1.0 + (longer - 1.0) / (1.0 + math.sqrt(2.0 * own.width_floor))))


@compiled
def limits_of(tree: Links, ceilings: Floats, posterior: Floats, reach: float, context: Floats) -> tuple[int, Floats, Floats]:
    """The arm of the highest mean, the means of all arms, and what their indices cannot exceed."""
    means, limits = np.empty(len(tree)), np.full(len(tree), -math.inf)
    lead, top = 0, -math.inf
    for node in range(1, len(tree)):
        if tree[node, SIZE] == 0:
            means[node] = dot(posterior, node, NODE_SIZE, context)
            limits[node] = means[node] + reach * ceilings[node]
            if means[node] > top:
                lead, top = node, means[node]
    return lead, means, limits


@compiled
def best_arm(tree: Links, rows: Floats, posterior: Floats, state: Floats, context: Floats, drawn: float) -> int:
    """The arm of the highest index, or -1 for a context that is not usable.

    Of equal ones the first, or one at random by ``drawn`` >= 0. S only shrinks until the next refresh, so the ceilings of that
    refresh tell which arms could not be the best; the arm of the highest mean goes first. ``posterior``: the rows, or those
    narrowed by what waits.
    """
    if not usable(context):
        return -1
    own, context = record(state, POLICY), standardized(state, context)
    images = room_for(own, context)
    lead, values, limits = limits_of(tree, ceilings_of(rows), posterior, reach_of(own, context), context)
    values[lead] += bonus(own, climb(tree, posterior, own.spread_below, lead, context, images))
    best, limits[lead] = values[lead], math.inf
    least = least_best(best, TIE)
    finalists, count = np.full(len(tree), lead), 0
    for node in range(1, len(tree)):
        if limits[node] >= least:
            value = values[node]
            if node != lead:
                value += bonus(own, climb(tree, posterior, own.spread_below, node, context, images))
                if value > best:
                    best = value
                    least = least_best(best, TIE)
            finalists[count] = node
            values[count] = value  # those of earlier nodes are no longer needed
            count += 1
    chosen: int = finalists[pick(values[:count], best, TIE, drawn)]
    return chosen


@compiled
def expected_reward(tree: Links, posterior: Floats, state: Floats, context: Floats, node: int) -> tuple[float, float]:
    """Mean of an arm's expected reward, or of a cluster's centroid, and what its index adds."""
    own, context = record(state, POLICY), standardized(state, context)
    width = climb(tree, posterior, own.spread_below, node, context, room_for(own, context))
    return own.offset + dot(posterior, node, NODE_SIZE, context), bonus(own, width)
