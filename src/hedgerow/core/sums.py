"""What a node knows, and how an observation is added to it.

Every statistic is a sum, so a node is one row of numbers:

    plays | total reward | total squared reward | sum of r x (d) | sum of x x' (d (d + 1) / 2, packed) | sum of x (d)

Packed: the lower triangle, row by row. The last three parts are there only for policies with contexts. Each node
has two such rows, one for history and one for online rounds; ridge nodes also have a derived one (ridge.py).

Decisions that wait for their reward have rows of their own, which are there only while there are any:

    awaited rewards | sum of x x' of their contexts (packed)

They count in widths, not in means.
"""

import math

import numpy as np

from .kernel import compiled, summing
from .records import Field
from .types import Floats, Integers

PLAYS, TOTAL, SQUARES, SCALARS = 0, 1, 2, 3
WAITS, SHOWN = 0, 1

LARGEST = 1e100
"""Rewards and contexts are squared and summed, so they must be smaller than this."""

LARGEST_SINGLE = 1e15
"""The same where inverses are kept in single precision, which has no numbers below 1e-45."""

LARGE_WAITING = 1e6
"""Sums of x^2 whose rounding errors may show beside the 1 that a ridge regression starts from."""

CHUNK, BLOCK, NARROW = 8192, 64, 16
"""Logged rounds are sorted by arm so many at a time, and so many of an arm are summed at once; longer contexts do not gain."""


def triangle(dimension: int) -> int:
    """Entries of the lower triangle of a symmetric matrix."""
    return dimension * (dimension + 1) // 2


packed_size = compiled(triangle)
"""``triangle`` for kernels; elsewhere, counting need not wait for the compiler."""


def row_size(dimension: int | None) -> int:
    """Length of a node's row of sums."""
    return SCALARS + (2 * dimension + triangle(dimension) if dimension else 0)


def dimension_of(columns: int) -> int:
    """The length of the contexts of rows with so many columns: the d of ``row_size``."""
    return (math.isqrt(25 + 8 * (columns - SCALARS)) - 5) // 2


def fields_of(dimension: int | None, *, whole: bool = False) -> tuple[Field, ...]:
    """The names of the numbers in a row of sums; ``whole``: plays are whole rounds, not parts of a weighted history."""
    scalars = (Field("plays", low=0.0, whole=whole), Field("total"), Field("squares", low=0.0))
    if not dimension:
        return scalars
    return (*scalars, Field("rx", shape=(dimension,)), Field("xx", shape=(triangle(dimension),)), Field("x", shape=(dimension,)))


def second_moments(rows: Floats, dimension: int) -> Floats:
    """sum x x' of each row of sums."""
    moments = np.zeros((len(rows), dimension, dimension))
    lower = np.tril_indices(dimension)
    moments[:, lower[0], lower[1]] = rows[:, SCALARS + dimension : SCALARS + dimension + lower[0].size]
    return moments + np.transpose(np.tril(moments, -1), (0, 2, 1))


def pending_size(dimension: int | None) -> int:
    """Length of a node's row of decisions that wait for their reward."""
    return SHOWN + (triangle(dimension) if dimension else 0)


@compiled
def waiting_at(waiting: Floats, node: int) -> float:
    """Decisions at a node that wait for their reward."""
    if len(waiting) == 0:
        return 0.0
    decisions: float = waiting[node, WAITS]
    return decisions


@compiled
def observe_reward(sums: Floats, node: int, reward: float) -> None:
    """Add one reward to a node's row."""
    sums[node, PLAYS] += 1.0
    sums[node, TOTAL] += reward
    sums[node, SQUARES] += reward * reward


@compiled
def observe(sums: Floats, node: int, reward: float, context: Floats) -> None:
    """Add one observation to a node's row."""
    observe_reward(sums, node, reward)
    d = context.size
    at = SCALARS + d
    for i in range(d):
        sums[node, SCALARS + i] += reward * context[i]
        for j in range(i + 1):
            sums[node, at + j] += context[i] * context[j]
        at += i + 1
    for i in range(d):
        sums[node, at + i] += context[i]


@compiled
def tally(sums: Floats, arms: Integers, rewards: Floats, contexts: Floats) -> int:
    """Add a batch of observations, each to the row of its arm; how many were usable before one was not."""
    blocked = 0 < contexts.shape[1] <= NARROW and BLOCK * len(sums) <= CHUNK
    order, ends = np.empty(CHUNK, np.int64), np.empty(len(sums) + 1, np.int64)
    columns = np.empty((contexts.shape[1] + 2, BLOCK))
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
                for at in range(ends[arm], ends[arm + 1], BLOCK):
                    observe_block(sums, arm, order[at : min(at + BLOCK, ends[arm + 1])], rewards, contexts, columns)
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
    at = SCALARS + d
    for i in range(d):
        x = columns[i, : rounds.size]
        sums[arm, SCALARS + i] += dot(columns, d, 0, x)
        for j in range(i + 1):
            sums[arm, at + j] += dot(columns, j, 0, x)
        at += i + 1
        sums[arm, sums.shape[1] - d + i] += dot(columns, d + 1, 0, x)


@compiled
def usable(context: Floats, largest: float = LARGEST) -> bool:
    """Whether all numbers are finite and small enough to be squared; NaN is not."""
    for value in context:
        if not abs(value) < largest:
            return False
    return True


@compiled
def await_reward(pending: Floats, node: int, context: Floats, sign: float) -> None:
    """Add a decision to a node's waiting ones (sign 1), or take it away (-1)."""
    pending[node, WAITS] += sign
    at = SHOWN
    for i in range(context.size):
        for j in range(i + 1):
            pending[node, at] += sign * context[i] * context[j]
            at += 1


@compiled
def leaves_residue(pending: Floats, node: int, context: Floats) -> bool:
    """Whether taking a context's x x' away would leave rounding errors that show: it is large, and most of what waits there."""
    for i in range(context.size):
        waits = pending[node, SHOWN + i * (i + 3) // 2]
        if waits > LARGE_WAITING and waits - context[i] * context[i] < 0.1 * waits:
            return True
    return False


@summing
def dot(rows: Floats, node: int, start: int, vector: Floats) -> float:
    """A part of a row times a vector."""
    part = rows[node, start:]  # whose indices from 0 on the compiler can take several at a time; start + j it cannot
    total = 0.0
    for j in range(vector.size):
        total += part[j] * vector[j]
    return total


@compiled
def reward_moments(online: Floats, past: Floats, node: int) -> tuple[float, float]:
    """Pooled mean of history and online rounds, eqs. (2) and (4), and variance of those rewards; NaN without any."""
    plays = online[node, PLAYS] + past[node, PLAYS]
    if plays == 0.0:
        return math.nan, math.nan
    mean = (past[node, TOTAL] + online[node, TOTAL]) / plays
    return mean, max((past[node, SQUARES] + online[node, SQUARES]) / plays - mean * mean, 0.0)
