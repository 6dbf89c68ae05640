"""How much better live decisions are than control, with an interval that holds at any time.

Empirical Bernstein: Howard, Ramdas, McAuliffe and Sekhon 2021, "Time-uniform, nonparametric, nonasymptotic confidence
sequences", theorem 4 with the stitched boundary of equation 10. It holds for the mean of conditional expectations, so the policy
may learn meanwhile; rewards must lie in a known range.
"""

import math

from .reports import Lift, ModeStatus
from .tallies import ModeTally

MISS = 0.1
"""The probability that the interval ever misses."""

ETA, POWER = 2.0, 1.4
"""eta and s of the boundary, as the paper's section 3.1 uses them."""

TERMS = 1000
"""Of the sum zeta(s) that are added up."""

RIEMANN = sum(k**-POWER for k in range(1, TERMS + 1)) + TERMS ** (1.0 - POWER) / (POWER - 1.0)
"""zeta(s), from above: the first terms, and an integral that is larger than the others."""


def radius(tally: ModeTally, span: float, miss: float) -> float:
    """Half the width of an interval around the mean of rewards seen so far that holds at all times at once.

    Args:
        tally: Count and spread of the rewards.
        span: Largest less smallest reward.
        miss: The probability that it ever misses, on either side.

    Returns:
        The radius.
    """
    if tally.count == 0:
        return math.inf
    unit = span * span
    variance = tally.spread + unit  # the first reward has none before it, and adds at most this
    level = POWER * math.log(math.log(ETA * variance / unit)) + math.log(2.0 * RIEMANN / (miss * math.log(ETA) ** POWER))
    spread_factor = (ETA**0.25 + ETA**-0.25) / math.sqrt(2.0)
    span_factor = (math.sqrt(ETA) + 1.0) / 2.0
    linear = span_factor * span * level
    return (math.sqrt(spread_factor**2 * variance * level + linear**2) + linear) / tally.count


def lift(modes: dict[str, ModeTally], reward_range: tuple[float, float] | None) -> Lift:
    """Mean of live less mean of control, with an interval.

    Args:
        modes: Rewards by mode.
        reward_range: Least and largest reward.

    Returns:
        The lift; without an interval where there is no range, or no control.
    """
    live, control = modes.get("live", ModeTally()), modes.get("control", ModeTally())
    shown = ModeStatus(live.count, live.mean), ModeStatus(control.count, control.mean)
    if live.mean is None or control.mean is None:
        return Lift(*shown, None, None, None, "there is nothing to compare: set control= to a share of the decisions")
    found = live.mean - control.mean
    if reward_range is None:
        return Lift(*shown, found, None, None, "an interval needs reward_range=, the least and the largest reward")
    span = reward_range[1] - reward_range[0]
    width = radius(live, span, MISS / 2.0) + radius(control, span, MISS / 2.0)
    return Lift(*shown, found, found - width, found + width)
