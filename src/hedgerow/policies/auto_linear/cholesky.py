"""Integrate out a Gaussian vector that has A and b, f: Cholesky factor, inverse, what is left of the rest, message.

``work`` is room for four matrices: A (lower triangle), then L of A + ridge I = L L' with one over its diagonal in place, since
multiplying is cheaper than dividing, then whatever is solved with it, two vectors at a time.
"""

import math

from ...core.kernel import summing
from ...core.types import Floats


@summing
def factor(work: Floats, ridge: float) -> float:
    """L of A + ridge I = L L' into work[1], A the lower triangle of work[0]; log det (A + ridge I)."""
    matrix, lower = work[0], work[1]
    logdet = 0.0
    for i in range(matrix.shape[0]):
        for j in range(i):
            entry = matrix[i, j]
            for k in range(j):
                entry -= lower[i, k] * lower[j, k]
            lower[i, j] = entry * lower[j, j]
        entry = matrix[i, i] + ridge
        for k in range(i):
            entry -= lower[i, k] * lower[i, k]
        entry = max(entry, ridge)  # A is a sum of squares
        lower[i, i] = 1.0 / math.sqrt(entry)
        logdet += math.log(entry)
    return logdet


@summing
def invert(work: Floats, rows: Floats, node: int, start: int) -> None:
    """(L L')^-1 into a row, L in work[1]."""
    lower, upper = work[1], work[2]  # upper = L^-T: rows, so that the sums run along them
    d = lower.shape[0]
    for j in range(d):
        upper[j, j] = lower[j, j]
        for i in range(j + 1, d):
            entry = 0.0
            for k in range(j, i):
                entry -= upper[j, k] * lower[i, k]
            upper[j, i] = entry * lower[i, i]
    for i in range(d):
        for j in range(i + 1):
            entry = 0.0
            for k in range(i, d):
                entry += upper[j, k] * upper[i, k]
            rows[node, start + i * d + j] = entry
            rows[node, start + j * d + i] = entry


@summing
def integrate_out(work: Floats, pair: Floats, spread: float, products: Floats) -> float:
    """Integrate out what has A in work[0] and b, f: lower <y, z> by b_y' M b_z = (L^-1 b_y)'L^-1 b_z; log det (I + spread A)."""
    d = pair.shape[1]
    logdet: float = factor(work, 1.0 / spread) + d * math.log(spread)
    lower, one, other = work[1], work[2, 0], work[3, 0]
    for i in range(d):
        first, second = pair[0, i], pair[1, i]
        for k in range(i):
            first -= lower[i, k] * one[k]
            second -= lower[i, k] * other[k]
        one[i], other[i] = first * lower[i, i], second * lower[i, i]
        products[0] -= one[i] * one[i]
        products[1] -= one[i] * other[i]
        products[2] -= other[i] * other[i]
    return logdet


@summing
def pass_on(inverse: Floats, pair: Floats, scale: float, kept: float, moments: Floats, cross: Floats) -> None:
    """Add the message of a history to the sums of its arm, scale = 1 / delta.

    c^2 (I / delta - M / delta^2),  c M b / delta,  c M f / delta
    """
    d = pair.shape[1]
    at = 0
    for i in range(d):
        first, second = 0.0, 0.0
        for j in range(d):
            entry = kept * scale * inverse[i * d + j]
            first += entry * pair[0, j]
            second += entry * pair[1, j]
            if j <= i:
                moments[at + j] -= kept * scale * entry
        at += i + 1
        moments[at - 1] += kept * kept * scale
        cross[0, i] += first
        cross[1, i] += second
