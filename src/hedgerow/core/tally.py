"""Sums of many logged rounds at once: sorted by arm a chunk at a time, so that the contexts of an arm are summed as matrices."""

import numpy as np

from .kernel import compiled
from .sums import LARGEST, dot, observe, observe_reward, rx_of, usable, xx_of
from .types import Floats, Integers

CHUNK, AT_ONCE, NARROW = 8192, 64, 16
"""Rounds sorted by arm at a time; rounds of an arm summed at once; contexts longer than the third do not gain."""


@compiled
def tally(sums: Floats, arms: Integers, rewards: Floats, contexts: Floats) -> int:
    """Add a batch of observations, each to the row of its arm; how many were usable before one was not.

    Args:
        sums: A row for each arm; they change.
        arms: The arm of each observation.
        rewards: The reward of each.
        contexts: The context of each, in rows.

    Returns:
        The number of observations that were added: all, or those before the first that cannot be used.
    """
    blocked = 0 < contexts.shape[1] <= NARROW and AT_ONCE * len(sums) <= CHUNK
    order, ends = np.empty(CHUNK, np.int64), np.empty(len(sums) + 1, np.int64)
    columns = np.empty((contexts.shape[1] + 2, AT_ONCE))
    for start in range(0, rewards.size, CHUNK):
        stop = min(start + CHUNK, rewards.size)
        for t in range(start, stop):
            if not (abs(rewards[t]) < LARGEST and usable(contexts[t])):
                return t
            if blocked:
                observe_reward(sums, arms[t], rewards[t])
            else:
                observe(sums, arms[t], rewards[t], contexts[t])
        if blocked:
            group(arms, start, stop, order, ends)
            for arm in range(len(sums)):
                for at in range(ends[arm], ends[arm + 1], AT_ONCE):
                    observe_block(sums, arm, order[at : min(at + AT_ONCE, ends[arm + 1])], rewards, contexts, columns)
    return rewards.size


@compiled
def group(arms: Integers, start: int, stop: int, order: Integers, ends: Integers) -> None:
    """The rounds from start to stop by arm, those of an arm in their order and from ``ends[arm]`` to ``ends[arm + 1]``."""
    for arm in range(ends.size):
        ends[arm] = 0
    for t in range(start, stop):
        ends[arms[t] + 1] += 1
    for arm in range(1, ends.size):
        ends[arm] += ends[arm - 1]
    for t in range(start, stop):
        order[ends[arms[t]]] = t
        ends[arms[t]] += 1
    for arm in range(ends.size - 1, 0, -1):
        ends[arm] = ends[arm - 1]
    ends[0] = 0


@compiled
def observe_block(sums: Floats, arm: int, rounds: Integers, rewards: Floats, contexts: Floats, columns: Floats) -> None:
    """What rounds of one arm add to its r x, x x' and x; ``columns`` is room for their x, r and ones."""
    d = contexts.shape[1]
    for place in range(rounds.size):
        for i in range(d):
            columns[i, place] = contexts[rounds[place], i]
        columns[d, place] = rewards[rounds[place]]
        columns[d + 1, place] = 1.0
    rx, xx, at = rx_of(sums, arm, d), xx_of(sums, arm, d), 0
    for i in range(d):
        x = columns[i, : rounds.size]
        rx[i] += dot(columns, d, 0, x)
        for j in range(i + 1):
            xx[at + j] += dot(columns, j, 0, x)
        at += i + 1
        sums[arm, sums.shape[1] - d + i] += dot(columns, d + 1, 0, x)
