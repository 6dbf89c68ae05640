"""Ridge regression of a node: a rows row beside its sums.

    ceiling | theta (d) | packed inverse of A (d (d + 1) / 2)

A = I + the sums of x x' of both rows (the identity counted once), theta = A^-1 b, and the ceiling is an upper bound on the
largest eigenvalue of A^-1: x' A^-1 x <= ceiling x'x. It holds on while A grows. With decisions that wait for their reward the
inverse is that of A and their x x' together, theta stays that of A alone.
"""

import math
from typing import Any

import numpy as np

from ..core.kernel import compiled, inlined, summing
from ..core.sums import dot, packed_size, rx_of, waiting_at, waiting_xx_of, xx_of
from ..core.types import Floats

THETA = 1
"""Where theta starts in a row; the ceiling stands before it, the packed inverse after it."""

REFRESH_EVERY = 512
"""Online observations of a node after which its inverse is made anew from the sums."""

CEILING_STEP = 4
"""A node's ceiling is lowered each time its online observations have grown by about a quarter."""

STEEP_LEVERAGE = 1e3
"""A rank-one step subtracts u u' / (1 + x'u); beyond this x'u it would cancel too many digits."""


@inlined
def theta_of(rows: Any, node: Any, d: Any) -> Any:
    """theta of a node."""
    return rows[node, 1 : 1 + d]


@inlined
def inverse_of(rows: Any, node: Any, d: Any) -> Any:
    """The packed inverse of a node."""
    return rows[node, 1 + d :]


@compiled
def ceiling_of(rows: Floats, node: int) -> float:
    """The ceiling of a node."""
    ceiling: float = rows[node, 0]
    return ceiling


@compiled
def inverse_factor(online: Floats, history: Floats, waiting: Floats, node: int, d: int) -> Floats:
    """L^-1 of A = L L', A = I + history + online (+ waiting) sums of x x'."""
    factor = np.zeros((d, d))
    logged, seen, at = xx_of(history, node, d), xx_of(online, node, d), 0
    for i in range(d):
        for j in range(i + 1):
            factor[i, j] = logged[at] + seen[at]
            if len(waiting) > 0:
                factor[i, j] += waiting_xx_of(waiting, node)[at]
            at += 1
        factor[i, i] += 1.0
    for j in range(d):  # A = L L'; no pivot is below 1, since A - I is a sum of squares
        for k in range(j):
            factor[j, j] -= factor[j, k] * factor[j, k]
        factor[j, j] = math.sqrt(max(factor[j, j], 1.0))
        for i in range(j + 1, d):
            for k in range(j):
                factor[i, j] -= factor[i, k] * factor[j, k]
            factor[i, j] /= factor[j, j]
    for j in range(d):  # L^-1, in place
        factor[j, j] = 1.0 / factor[j, j]
        for i in range(j + 1, d):
            entry = 0.0
            for k in range(j, i):
                entry -= factor[i, k] * factor[k, j]
            factor[i, j] = entry / factor[i, i]
    return factor


@compiled
def refresh(online: Floats, history: Floats, waiting: Floats, rows: Floats, node: int, d: int) -> None:
    """Derived row from the sums: theta and A^-1 by Cholesky, A = I + history + online (Algorithm 2, lines 1-2, 6-7)."""
    factor = inverse_factor(online, history, waiting[:0], node, d)
    theta, inverse = theta_of(rows, node, d), inverse_of(rows, node, d)
    for i in range(d):  # theta = L^-T (L^-1 b)
        theta[i] = 0.0
    logged, seen = rx_of(history, node, d), rx_of(online, node, d)
    for k in range(d):
        entry = 0.0
        for j in range(k + 1):
            entry += factor[k, j] * (logged[j] + seen[j])
        for i in range(k + 1):
            theta[i] += factor[k, i] * entry
    if waiting_at(waiting, node) > 0.0:
        factor = inverse_factor(online, history, waiting, node, d)
    at = 0
    for i in range(d):  # A^-1 = L^-T L^-1
        for j in range(i + 1):
            entry = 0.0
            for k in range(i, d):
                entry += factor[k, i] * factor[k, j]
            inverse[at] = entry
            at += 1
    set_ceiling(rows, node, d)


@compiled
def set_ceiling(rows: Floats, node: int, d: int) -> None:
    """The largest eigenvalue of M = A^-1 is at most (tr M^8)^(1/8), and no more than d^(1/8) below that."""
    power, inverse = np.empty((d, d)), inverse_of(rows, node, d)
    at = 0
    for i in range(d):
        for j in range(i + 1):
            power[i, j] = inverse[at]
            power[j, i] = inverse[at]
            at += 1
    scale = 0.0
    for i in range(d):
        scale = max(scale, power[i, i])
    for i in range(d):  # so that the eighth power neither overflows nor vanishes
        for j in range(d):
            power[i, j] /= scale
    for _ in range(2):
        power = squared(power)
    trace = 0.0
    for i in range(d):
        for j in range(d):
            trace += power[i, j] * power[i, j]
    rows[node, 0] = scale * trace**0.125 * (1.0 + 1e-9)


@summing
def squared(matrix: Floats) -> Floats:
    """The square of a symmetric matrix.

    Args:
        matrix: The matrix.

    Returns:
        A new matrix.
    """
    d = matrix.shape[0]
    result = np.empty((d, d))
    for i in range(d):
        for j in range(i + 1):
            entry = 0.0
            for k in range(d):
                entry += matrix[i, k] * matrix[j, k]
            result[i, j] = entry
            result[j, i] = entry
    return result


@compiled
def rank_one(rows: Floats, node: int, reward: float, context: Floats) -> float:
    """Sherman-Morrison step of a rows row; returns x' A^-1 x of before.

    u = A^-1 x,  A^-1 <- A^-1 - u u' / (1 + x'u),  theta <- theta + u (r - theta'x) / (1 + x'u).
    """
    d = context.size
    u, theta, inverse = np.zeros(d), theta_of(rows, node, d), inverse_of(rows, node, d)
    at = 0
    for i in range(d):
        for j in range(i):
            u[i] += inverse[at] * context[j]
            u[j] += inverse[at] * context[i]
            at += 1
        u[i] += inverse[at] * context[i]
        at += 1
    leverage = 0.0
    error = reward
    for i in range(d):
        leverage += context[i] * u[i]
        error -= theta[i] * context[i]
    gain = 1.0 / (1.0 + leverage)
    at = 0
    for i in range(d):
        theta[i] += u[i] * error * gain
        for j in range(i + 1):
            inverse[at] -= u[i] * u[j] * gain
            at += 1
    return leverage


@compiled
def follow(rows: Floats, node: int, plays: float, reward: float, context: Floats) -> bool:
    """Bring a rows row up to date with an observation that the sums already hold; or say that it must be made anew."""
    count = int(plays)  # the remainder of whole numbers takes less time
    good = rank_one(rows, node, reward, context) <= STEEP_LEVERAGE and count % REFRESH_EVERY != 0
    if good and count % (1 + count // CEILING_STEP) == 0:
        set_ceiling(rows, node, context.size)
    return good


@compiled
def _fill_products(context: Floats, products: Floats) -> None:
    at = 0
    for i in range(context.size):
        row = products[at:]
        for j in range(i):
            row[j] = 2.0 * context[i] * context[j]
        row[i] = context[i] * context[i]
        at += i + 1


@compiled
def packed_products(context: Floats) -> Floats:
    """z with x' M x = sum of M packed times z: the products x_i x_j, those off the diagonal twice."""
    products = np.empty(packed_size(context.size))
    _fill_products(context, products)
    return products


@compiled
def all_packed_products(contexts: Floats) -> Floats:
    """``packed_products`` of many contexts, a row each."""
    products = np.empty((contexts.shape[0], packed_size(contexts.shape[1])))
    for b in range(contexts.shape[0]):
        _fill_products(contexts[b], products[b])
    return products


@compiled
def ridge_estimate(rows: Floats, context: Floats, products: Floats, first: int, means: Floats, spreads: Floats) -> None:
    """theta'x and x' A^-1 x of neighbouring nodes."""
    for offset in range(means.size):
        means[offset] = dot(rows, first + offset, THETA, context)
        spreads[offset] = max(dot(rows, first + offset, THETA + context.size, products), 0.0)
