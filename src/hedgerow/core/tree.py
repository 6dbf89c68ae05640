"""The tree of arms and clusters, and what every way through it needs.

The tree is one row of integers per node: first child, number of children, parent. Node 0 is the root; the
children of a node stand side by side, in the order in which their first arm was given; a node without
children is an arm.
"""

import math

from .kernel import compiled
from .types import Floats

FIRST, SIZE, PARENT = 0, 1, 2

TIE = 1e-10
"""Ridge scores closer than this, relatively, are equal: their last digits depend on the order of the sums."""


@compiled
def least_best(best: float, tie: float) -> float:
    """The least score that counts as the best.

    Args:
        best: The highest score.
        tie: How far, relatively, equal scores may be apart.

    Returns:
        The score.
    """
    return best if math.isinf(best) else best - tie * abs(best)


@compiled
def pick(values: Floats, best: float, tie: float, drawn: float) -> int:
    """The position of the best score; of equal ones the first, or one at random by ``drawn`` >= 0.

    Args:
        values: The scores.
        best: The highest of them.
        tie: How far, relatively, equal scores may be apart.
        drawn: A number in [0, 1) that picks one of the equal ones; negative: the first.

    Returns:
        The position.
    """
    skip, least = 0, least_best(best, tie)
    if drawn >= 0.0:
        equal = 0
        for value in values:
            if value >= least:
                equal += 1
        skip = int(drawn * equal)
    for position in range(values.size):
        if values[position] >= least:
            if skip == 0:
                return position
            skip -= 1
    return 0
