"""The optimistic index of the paper on plain numbers: eqs. (3) and (5)."""

import math

from ..core.kernel import compiled


@compiled
def ucb_level(t: float, history: float) -> float:
    """2 log(t + H), which sets the width of the bonus.

    Args:
        t: Number of the round, counted from 1.
        history: H: plays of the node in the history.

    Returns:
        The level: the squared bonus at scale 1, times the plays of the node.
    """
    return 2.0 * math.log(t + history)


@compiled
def ucb_value(mean: float, plays: float, level: float, scale: float) -> float:
    """mean + scale sqrt(2 log(t + H) / (n + H)); a node without data comes first."""
    if plays == 0.0:
        return math.inf
    return mean + scale * math.sqrt(level / plays)
