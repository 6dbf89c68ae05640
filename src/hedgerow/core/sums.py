"""What a node knows, and how an observation is added to it.

Every statistic is a sum, so a node is one row of numbers:

    plays | total reward | total squared reward | sum of r x (d) | sum of x x' (d (d + 1) / 2, packed) | sum of x (d)

Packed: the lower triangle, row by row. The last three parts are there only for policies with contexts. Each node
has two such rows, one for history and one for online rounds; ridge nodes also have a derived one (ridge.py).

Decisions that wait for their reward have rows of their own, which are there only while there are any:

    decisions | sum of x x' of their contexts (packed)

They count in widths, not in means.
"""

import math
from typing import Any

import numpy as np

from .kernel import compiled, inlined, summing
from .records import Field
from .types import Floats

PLAYS, TOTAL, SQUARES, SCALARS = 0, 1, 2, 3
WAITS, AFTER_COUNT = 0, 1

LARGEST = 1e100
"""Rewards and contexts are squared and summed, so they must be smaller than this."""

LARGEST_SINGLE = 1e15
"""The same where inverses are kept in single precision, which has no numbers below 1e-45."""


def triangle(dimension: int) -> int:
    """Entries of the lower triangle of a symmetric matrix.

    Args:
        dimension: Rows of the matrix.

    Returns:
        The number of entries.
    """
    return dimension * (dimension + 1) // 2


packed_size = compiled(triangle)
"""``triangle`` for kernels; elsewhere, counting need not wait for the compiler."""


def row_size(dimension: int | None) -> int:
    """Length of a node's row of sums.

    Args:
        dimension: Length of the contexts, None for none.

    Returns:
        The number of floats.
    """
    return SCALARS + (2 * dimension + triangle(dimension) if dimension else 0)


def dimension_of(columns: int) -> int:
    """The length of the contexts of rows with this many columns: the d of ``row_size``.

    Args:
        columns: Length of a row of sums with contexts.

    Returns:
        Length of the contexts.
    """
    return (math.isqrt(25 + 8 * (columns - SCALARS)) - 5) // 2


MOST_PLAYS = 2.0**53
"""Beyond it, a double no longer counts one by one."""


def fields_of(dimension: int | None, *, whole: bool = False) -> tuple[Field, ...]:
    """The names of the numbers in a row of sums; ``whole``: plays are whole rounds, not parts of a weighted history.

    Args:
        dimension: Length of the contexts, None for none.
        whole: Whether plays are whole rounds, not parts of a weighted history.

    Returns:
        The fields of a row, in their order.
    """
    scalars = (Field("plays", low=0.0, high=MOST_PLAYS, whole=whole), Field("total"), Field("squares", low=0.0))
    if not dimension:
        return scalars
    return (*scalars, Field("rx", shape=(dimension,)), Field("xx", shape=(triangle(dimension),)), Field("x", shape=(dimension,)))


def second_moments(rows: Floats, dimension: int) -> Floats:
    """sum x x' of each row of sums.

    Args:
        rows: Rows of sums.
        dimension: Length of the contexts.

    Returns:
        A matrix for each row.
    """
    moments = np.zeros((len(rows), dimension, dimension))
    lower = np.tril_indices(dimension)
    moments[:, lower[0], lower[1]] = rows[:, SCALARS + dimension : SCALARS + dimension + lower[0].size]
    return moments + np.transpose(np.tril(moments, -1), (0, 2, 1))


def scalars_of(rows: Floats) -> Floats:
    """Plays, totals and squares of all rows.

    Args:
        rows: Rows of sums.

    Returns:
        Their first three columns.
    """
    return rows[:, :SCALARS]


@inlined
def rx_of(sums: Any, node: Any, d: Any) -> Any:
    """The sum of r x of a node.

    Args:
        sums: Rows of sums.
        node: The node.
        d: Length of the contexts.

    Returns:
        A part of its row.
    """
    return sums[node, SCALARS : SCALARS + d]


@inlined
def xx_of(sums: Any, node: Any, d: Any) -> Any:
    """The packed sum of x x' of a node.

    Args:
        sums: Rows of sums.
        node: The node.
        d: Length of the contexts.

    Returns:
        A part of its row, and what stands after it.
    """
    return sums[node, SCALARS + d :]


@inlined
def waiting_xx_of(waiting: Any, node: Any) -> Any:
    """The packed sum of x x' of the decisions that wait at a node.

    Args:
        waiting: Rows of waiting decisions.
        node: The node.

    Returns:
        A part of its row.
    """
    return waiting[node, AFTER_COUNT:]


@compiled
def waiting_at(waiting: Floats, node: int) -> float:
    """Decisions at a node that wait for their reward.

    Args:
        waiting: Rows of waiting decisions; none while nothing waits.
        node: The node.

    Returns:
        Their number.
    """
    if len(waiting) == 0:
        return 0.0
    decisions: float = waiting[node, WAITS]
    return decisions


@compiled
def observe_reward(sums: Floats, node: int, reward: float) -> None:
    """Add one reward to a node's row.

    Args:
        sums: Rows of sums; that of the node changes.
        node: The node.
        reward: The reward.
    """
    sums[node, PLAYS] += 1.0
    sums[node, TOTAL] += reward
    sums[node, SQUARES] += reward * reward


@compiled
def observe(sums: Floats, node: int, reward: float, context: Floats) -> None:
    """Add one observation to a node's row.

    Args:
        sums: Rows of sums with contexts; that of the node changes.
        node: The node.
        reward: The reward.
        context: The context.
    """
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
def usable(context: Floats, largest: float = LARGEST) -> bool:
    """Whether all numbers are finite and small enough to be squared; NaN is not.

    Args:
        context: The numbers.
        largest: What they must be smaller than.

    Returns:
        True if they can be used.
    """
    for value in context:
        if not abs(value) < largest:
            return False
    return True


@compiled
def count_waiting(waiting: Floats, node: int, times: float) -> None:
    """Count decisions that wait at a node.

    Args:
        waiting: Rows of waiting decisions; that of the node changes.
        node: The node.
        times: How many more.
    """
    waiting[node, WAITS] += times


@summing
def dot(rows: Floats, node: int, start: int, vector: Floats) -> float:
    """A part of a row times a vector.

    Args:
        rows: Rows of numbers.
        node: Which row.
        start: Where its part begins.
        vector: As many numbers as the part has.

    Returns:
        The product.
    """
    part = rows[node, start:]  # whose indices from 0 on the compiler can take several at a time; start + j it cannot
    total = 0.0
    for j in range(vector.size):
        total += part[j] * vector[j]
    return total


@compiled
def reward_moments(online: Floats, history: Floats, node: int) -> tuple[float, float]:
    """Pooled mean of history and online rounds, eqs. (2) and (4), and variance of those rewards; NaN without any.

    Args:
        online: Sums of the online rounds.
        history: Sums of the history.
        node: The node.

    Returns:
        Mean and variance.
    """
    plays = online[node, PLAYS] + history[node, PLAYS]
    if plays == 0.0:
        return math.nan, math.nan
    mean = (history[node, TOTAL] + online[node, TOTAL]) / plays
    return mean, max((history[node, SQUARES] + online[node, SQUARES]) / plays - mean * mean, 0.0)
