"""Contexts as a hierarchical linear policy sees them: each column in a unit of its own, so that ages may stand beside incomes.

    z_j = (x_j - m_j x_c) / D_j

If a column c is constant, m_j x_c is the mean of column j, and D_j its standard deviation; if none is, m_j = 0 and D_j is the
root of the mean square. Columns of 0 and 1 stay as they are. Means and squares are those of all rounds at the last refresh.

Where no column is constant, but arms are found to have levels of their own (``set_levels`` in rebuild.py), a 1 is seen after the
columns of each context, and is that constant.
"""

import math

import numpy as np

from ...core.kernel import compiled
from ...core.sums import PLAYS, SCALARS, TOTAL, packed_size
from ...core.types import Floats
from .ledger import CONSTANT, LENS, LEVELS
from .sums import weighed

SAME, EXACT = 1e-9, 1e-12
"""Relative difference of sums up to which they are equal; and, for few rounds, the least that a sum can tell."""

LEAST = 1e-280
"""A mean square below this is nothing."""


@compiled
def dimension_given(ledger: Floats) -> int:
    """Length of the contexts that a ledger is made for."""
    return (len(ledger) - LENS) // 2 - 1


@compiled
def dimension_seen(ledger: Floats) -> int:
    """Length of the contexts as the policy sees them."""
    return dimension_given(ledger) + int(ledger[LEVELS])


@compiled
def packed(row: int, column: int) -> int:
    """Where an entry of a symmetric matrix stands in its packed lower triangle."""
    low, high = min(row, column), max(row, column)
    return high * (high + 1) // 2 + low


@compiled
def moments(online: Floats, past: Floats, column: int, dimension: int) -> tuple[float, float]:
    """Mean square and mean of a column over all rounds; 0 without any."""
    weight = weighed(online, 0, PLAYS, dimension) + past[0, PLAYS]
    if weight == 0.0:
        return 0.0, 0.0
    at, last = SCALARS + dimension + packed(column, column), SCALARS + dimension + packed_size(dimension) + column
    return (online[0, at] + past[0, at]) / weight, (online[0, last] + past[0, last]) / weight


@compiled
def varies(online: Floats, past: Floats, square: float, mean: float) -> bool:
    """Whether a column of this mean square and mean has more than one value."""
    tolerance = max(EXACT, 1e-15 * (online[0, PLAYS] + past[0, PLAYS]))  # rounding errors of a sum grow with its terms
    varied: bool = square - mean * mean > tolerance * square
    return varied


@compiled
def outdated(online: Floats, past: Floats, ledger: Floats) -> bool:
    """Whether the column that was constant at the last refresh no longer is."""
    constant, d = int(ledger[CONSTANT]), dimension_given(ledger)
    if not 0 <= constant < d:
        return False
    square, mean = moments(online, past, constant, d)
    return varies(online, past, square, mean)


@compiled
def set_lens(online: Floats, past: Floats, ledger: Floats) -> None:
    """Units and means of the columns from all rounds; without any, contexts are seen as they are."""
    d, constant, level = dimension_given(ledger), -1, 1.0
    for j in range(d):
        square, mean = moments(online, past, j, d)
        if square > 0.0 and not varies(online, past, square, mean):
            constant, level = j, mean
            break
    if constant >= 0:
        ledger[LEVELS] = 0.0
    levelled = constant >= 0 or ledger[LEVELS] > 0.0
    ledger[CONSTANT] = d if ledger[LEVELS] > 0.0 else constant
    for j in range(d):
        square, mean = moments(online, past, j, d)
        unit, centre = square, 0.0
        if abs(square - mean) <= SAME * square:  # 0 and 1 only: x^2 = x
            unit = 1.0
        elif levelled and j != constant and varies(online, past, square, mean):
            unit, centre = square - mean * mean, mean / level
        ledger[LENS + j] = 1.0 / math.sqrt(unit) if unit > LEAST else 1.0
        ledger[LENS + d + 1 + j] = centre


@compiled
def seen(ledger: Floats, context: Floats) -> Floats:
    """A context as the policy sees it."""
    d, constant = context.size, int(ledger[CONSTANT])
    level = 1.0 if constant == d else (context[constant] if constant >= 0 else 0.0)
    view = np.empty(dimension_seen(ledger))
    for j in range(d):
        view[j] = ledger[LENS + j] * (context[j] - ledger[LENS + d + 1 + j] * level)
    for j in range(d, view.size):
        view[j] = 1.0
    return view


@compiled
def given_sums(ledger: Floats, sums: Floats, node: int) -> Floats:
    """The sums with contexts of a row: sum r x, sum x x' packed, sum x; with a 1 after each x if it is seen so."""
    d = dimension_given(ledger)
    if ledger[LEVELS] == 0.0:
        return sums[node, SCALARS : SCALARS + 2 * d + packed_size(d)]
    size, last = packed_size(d), SCALARS + d + packed_size(d)
    longer = np.empty(2 * (d + 1) + packed_size(d + 1))
    for i in range(d):
        longer[i] = sums[node, SCALARS + i]
        longer[d + 1 + size + i] = sums[node, last + i]
        longer[d + 1 + packed_size(d + 1) + i] = sums[node, last + i]
    for at in range(size):
        longer[d + 1 + at] = sums[node, SCALARS + d + at]
    longer[d] = weighed(sums, node, TOTAL, d)
    longer[d + size + d + 1] = weighed(sums, node, PLAYS, d)
    longer[2 * d + 1 + packed_size(d + 1)] = weighed(sums, node, PLAYS, d)
    return longer


@compiled
def seen_sums(ledger: Floats, sums: Floats, node: int) -> Floats:
    """The sums with contexts of a row, as if its contexts had been seen: sum r z, sum z z' packed, sum z."""
    given, d, size = given_sums(ledger, sums, node), dimension_seen(ledger), dimension_given(ledger) + 1
    constant = max(int(ledger[CONSTANT]), 0)  # without one all m are 0
    last = d + packed_size(d)
    view = np.empty(given.size)
    for i in range(d):
        unit, mean = ledger[LENS + i], ledger[LENS + size + i]
        view[i] = unit * (given[i] - mean * given[constant])
        view[last + i] = unit * (given[last + i] - mean * given[last + constant])
        for j in range(i + 1):
            other = ledger[LENS + size + j]
            entry = given[d + packed(i, j)] + mean * other * given[d + packed(constant, constant)]
            entry -= mean * given[d + packed(constant, j)] + other * given[d + packed(constant, i)]
            view[d + packed(i, j)] = unit * entry * ledger[LENS + j]
    return view


def viewed(rows: Floats, ledger: Floats) -> Floats:
    """Rows of sums as if their contexts had been seen."""
    return np.array([[*row[:SCALARS], *seen_sums(ledger, rows, number)] for number, row in enumerate(rows)])
