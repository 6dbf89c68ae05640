"""Contexts as the model sees them: each column in a unit of its own, so that ages may stand beside incomes.

    z_j = (x_j - m_j x_c) / D_j

If a column c is constant, m_j x_c is the mean of column j, and D_j its standard deviation; if none is, m_j = 0 and D_j is the
root of the mean square. Columns of 0 and 1 stay as they are. Means and squares are those of all rounds at the last refresh.

Where no column is constant, but arms are found to have levels of their own (levels.py), a 1 is seen after the columns of each
context, and is that constant.
"""

import math

import numpy as np

from ...core.kernel import compiled
from ...core.records import record
from ...core.sums import PLAYS, SCALARS, TOTAL, packed_size
from ...core.types import Floats
from .settings import SETTINGS
from .state import POLICY, centres, dimension_given, dimension_seen, inverse_units
from .sums import weighed

EXACT = 1e-12
"""Least relative difference of sums that means something."""

NO_SQUARE = 1e-280
"""A mean square below this is nothing."""


@compiled
def packed(row: int, column: int) -> int:
    """Where an entry of a symmetric matrix stands in its packed lower triangle."""
    low, high = min(row, column), max(row, column)
    return high * (high + 1) // 2 + low


@compiled
def moments(online: Floats, history: Floats, column: int, dimension: int) -> tuple[float, float]:
    """Mean square and mean of a column over all rounds; 0 without any."""
    weight = weighed(online, 0, PLAYS, dimension) + history[0, PLAYS]
    if weight == 0.0:
        return 0.0, 0.0
    at, last = SCALARS + dimension + packed(column, column), SCALARS + dimension + packed_size(dimension) + column
    return (online[0, at] + history[0, at]) / weight, (online[0, last] + history[0, last]) / weight


@compiled
def varies(online: Floats, history: Floats, square: float, mean: float) -> bool:
    """Whether a column of this mean square and mean has more than one value."""
    tolerance = max(EXACT, 1e-15 * (online[0, PLAYS] + history[0, PLAYS]))  # rounding errors of a sum grow with its terms
    varied: bool = square - mean * mean > tolerance * square
    return varied


@compiled
def constant_varies(online: Floats, history: Floats, state: Floats) -> bool:
    """Whether the column that was constant at the last refresh no longer is."""
    constant, d = int(record(state, POLICY).constant_column), dimension_given(state)
    if not 0 <= constant < d:
        return False
    square, mean = moments(online, history, constant, d)
    return varies(online, history, square, mean)


@compiled
def find_constant(online: Floats, history: Floats, state: Floats) -> float:
    """Find the column that never changes, and return its value; 1 if it is seen after the columns, or if there is none."""
    own, d = record(state, POLICY), dimension_given(state)
    own.constant_column, value = -1.0, 1.0
    for j in range(d):
        square, mean = moments(online, history, j, d)
        if square > 0.0 and not varies(online, history, square, mean):
            own.levels, own.constant_column, value = 0.0, float(j), mean
            break
    if own.levels > 0.0:
        own.constant_column = float(d)
    return value


@compiled
def set_units(online: Floats, history: Floats, state: Floats) -> None:
    """Find units and centres of the columns, and the column that is constant, from all rounds.

    Without any round, units are 1 and centres 0. If a column is constant, a 1 is no longer seen after the columns.

    Args:
        online: Sums of the online rounds.
        history: Sums of the history.
        state: Of the policy; what is found is noted in it.
    """
    value = find_constant(online, history, state)
    constant, d = int(record(state, POLICY).constant_column), dimension_given(state)
    for j in range(d):
        square, mean = moments(online, history, j, d)
        unit, centre = square, 0.0
        if abs(square - mean) <= SETTINGS.binary_tolerance * square:  # 0 and 1 only: x^2 = x
            unit = 1.0
        elif constant >= 0 and j != constant and varies(online, history, square, mean):
            unit, centre = square - mean * mean, mean / value
        inverse_units(state)[j] = 1.0 / math.sqrt(unit) if unit > NO_SQUARE else 1.0
        centres(state)[j] = centre


@compiled
def standardized(state: Floats, context: Floats) -> Floats:
    """A context as the model sees it."""
    own, inverse_unit, centre = record(state, POLICY), inverse_units(state), centres(state)
    d, constant = context.size, int(own.constant_column)
    value = 1.0 if constant == d else (context[constant] if constant >= 0 else 0.0)
    seen = np.empty(d + int(own.levels))
    for j in range(d):
        seen[j] = inverse_unit[j] * (context[j] - centre[j] * value)
    for j in range(d, seen.size):
        seen[j] = 1.0
    return seen


@compiled
def context_sums(state: Floats, sums: Floats, node: int) -> Floats:
    """The sums with contexts of a row: sum r x, sum x x' packed, sum x; with a 1 after each x if it is seen so."""
    d = dimension_given(state)
    if dimension_seen(state) == d:
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
def standardized_sums(state: Floats, sums: Floats, node: int) -> Floats:
    """The sums with contexts of a row, as if its contexts had been seen: sum r z, sum z z' packed, sum z."""
    given, d = context_sums(state, sums, node), dimension_seen(state)
    constant = max(int(record(state, POLICY).constant_column), 0)  # without one all centres are 0
    inverse_unit, centre = inverse_units(state), centres(state)
    last = d + packed_size(d)
    seen = np.empty(given.size)
    for i in range(d):
        unit, mean = inverse_unit[i], centre[i]
        seen[i] = unit * (given[i] - mean * given[constant])
        seen[last + i] = unit * (given[last + i] - mean * given[last + constant])
        for j in range(i + 1):
            entry = given[d + packed(i, j)] + mean * centre[j] * given[d + packed(constant, constant)]
            entry -= mean * given[d + packed(constant, j)] + centre[j] * given[d + packed(constant, i)]
            seen[d + packed(i, j)] = unit * entry * inverse_unit[j]
    return seen


def standardized_rows(rows: Floats, state: Floats) -> Floats:
    """Rows of sums as if their contexts had been seen.

    Args:
        rows: Sums, a row for each node or arm.
        state: Of the policy.

    Returns:
        As many rows, without what the weights add.
    """
    return np.array([[*row[:SCALARS], *standardized_sums(state, rows, number)] for number, row in enumerate(rows)])
