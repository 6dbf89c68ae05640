"""Sums by age: blocks of epochs that grow with their age, so that some 30 to 50 hold all rounds.

A block is an aligned run of 2^l epochs. Which blocks there are follows from the newest epoch alone, and so from no order of
rounds: a run of 2^l epochs is one block once it ended KEEP 2^l epochs ago. This is an exponential histogram (Datar, Gionis, Indyk
and Motwani 2002) with fixed borders.
"""

import numpy as np

from ...core.kernel import compiled
from ...core.types import Floats, Integers

KEEP = 4
"""How many of its own lengths ago a block ended before it is one: a change is placed to within a quarter of its age."""


@compiled
def level_of(epoch: int, newest: int) -> int:
    """The block of an epoch has 2^level epochs."""
    level = 0
    while (((epoch >> (level + 1)) + 1 + KEEP) << (level + 1)) <= newest:
        level += 1
    return level


@compiled
def borders(starts: Integers, newest: int) -> Integers:
    """The first epoch of the block that each block is part of when ``newest`` is the newest epoch."""
    found = np.empty(starts.size, np.int64)
    for at in range(starts.size):
        level = level_of(starts[at], newest)
        found[at] = starts[at] >> level << level
    return found


def placed(starts: Integers, blocks: Floats, newest: int) -> tuple[Integers, Floats]:
    """Blocks as they are once ``newest`` is the newest epoch.

    Args:
        starts: First epoch of each block, in any order; blocks of one border are added up.
        blocks: Sums of each.
        newest: The newest epoch.

    Returns:
        First epochs in rising order, and the sums of each block.
    """
    found = borders(starts, newest)
    if found.size == starts.size and (found == starts).all() and (starts[1:] > starts[:-1]).all():
        return starts, blocks
    unique, place = np.unique(found, return_inverse=True)
    sums = np.zeros((unique.size, *blocks.shape[1:]))
    for at, into in enumerate(place):
        sums[into] += blocks[at]
    return unique, sums


@compiled
def middles(starts: Integers, newest: int) -> Floats:
    """The middle of each block, in epochs."""
    found = np.empty(starts.size)
    for at in range(starts.size):
        found[at] = starts[at] + 0.5 * (1 << level_of(starts[at], newest))
    return found
