"""Ridge regression of a node: a derived row beside its sums.

    ceiling | theta (d) | packed inverse of A (d (d + 1) / 2)

A = I + the sums of x x' of both rows (the identity counted once), theta = A^-1 b, and the ceiling is an upper bound on the
largest eigenvalue of A^-1: x' A^-1 x <= ceiling x'x. It holds on while A grows. With decisions that wait for their reward the
inverse is that of A and their x x' together, theta stays that of A alone.
"""

import math

import numpy as np

from ..core.kernel import compiled, summing
from ..core.sums import SCALARS, SHOWN, dot, packed_size, waiting
from ..core.types import Floats

CEILING, THETA = 0, 1

REFRESH_EVERY = 512
"""Online observations of a node after which its inverse is made anew from the sums."""

CEILING_STEP = 4
"""A node's ceiling is lowered each time its online observations have grown by about a quarter."""

LARGE_LEVERAGE = 1e3
"""A rank-one step subtracts u u' / (1 + x'u); beyond this x'u it would cancel too many digits."""


@compiled
def inverse_factor(online: Floats, past: Floats, pending: Floats, node: int, d: int) -> Floats:
    """L^-1 of A = L L', A = I + past + online (+ pending) sums of x x'."""
    factor = np.zeros((d, d))
    at = SCALARS + d
    for i in range(d):
        for j in range(i + 1):
            factor[i, j] = past[node, at] + online[node, at]
            if len(pending) > 0:
                factor[i, j] += pending[node, SHOWN + at - SCALARS - d]
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
def refresh(online: Floats, past: Floats, pending: Floats, derived: Floats, node: int, d: int) -> None:
    """Derived row from the sums: theta and A^-1 by Cholesky, A = I + past + online (Algorithm 2, lines 1-2, 6-7)."""
    factor = inverse_factor(online, past, pending[:0], node, d)
    for i in range(d):  # theta = L^-T (L^-1 b)
        derived[node, THETA + i] = 0.0
    for k in range(d):
        entry = 0.0
        for j in range(k + 1):
            entry += factor[k, j] * (past[node, SCALARS + j] + online[node, SCALARS + j])
        for i in range(k + 1):
            derived[node, THETA + i] += factor[k, i] * entry
    if waiting(pending, node) > 0.0:
        factor = inverse_factor(online, past, pending, node, d)
    at = THETA + d
    for i in range(d):  # A^-1 = L^-T L^-1
        for j in range(i + 1):
            entry = 0.0
            for k in range(i, d):
                entry += factor[k, i] * factor[k, j]
            derived[node, at] = entry
            at += 1
    set_ceiling(derived, node, d)


@compiled
def set_ceiling(derived: Floats, node: int, d: int) -> None:
    """The largest eigenvalue of M = A^-1 is at most (tr M^8)^(1/8), and no more than d^(1/8) below that."""
    power = np.empty((d, d))
    at = THETA + d
    for i in range(d):
        for j in range(i + 1):
            power[i, j] = derived[node, at]
            power[j, i] = derived[node, at]
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
    derived[node, CEILING] = scale * trace**0.125 * (1.0 + 1e-9)


@summing
def squared(matrix: Floats) -> Floats:
    """The square of a symmetric matrix."""
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
def rank_one(derived: Floats, node: int, reward: float, context: Floats) -> float:
    """Sherman-Morrison step of a derived row; returns x' A^-1 x of before.

    u = A^-1 x,  A^-1 <- A^-1 - u u' / (1 + x'u),  theta <- theta + u (r - theta'x) / (1 + x'u).
    """
    d = context.size
    u = np.zeros(d)
    at = THETA + d
    for i in range(d):
        for j in range(i):
            u[i] += derived[node, at] * context[j]
            u[j] += derived[node, at] * context[i]
            at += 1
        u[i] += derived[node, at] * context[i]
        at += 1
    leverage = 0.0
    error = reward
    for i in range(d):
        leverage += context[i] * u[i]
        error -= derived[node, THETA + i] * context[i]
    gain = 1.0 / (1.0 + leverage)
    at = THETA + d
    for i in range(d):
        derived[node, THETA + i] += u[i] * error * gain
        for j in range(i + 1):
            derived[node, at] -= u[i] * u[j] * gain
            at += 1
    return leverage


@compiled
def follow(derived: Floats, node: int, plays: float, reward: float, context: Floats) -> bool:
    """Bring a derived row up to date with an observation that the sums already hold; or say that it must be made anew."""
    count = int(plays)  # the remainder of whole numbers takes less time
    good = rank_one(derived, node, reward, context) <= LARGE_LEVERAGE and count % REFRESH_EVERY != 0
    if good and count % (1 + count // CEILING_STEP) == 0:
        set_ceiling(derived, node, context.size)
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
def ridge_estimate(derived: Floats, context: Floats, products: Floats, first: int, means: Floats, spreads: Floats) -> None:
    """theta'x and x' A^-1 x of neighbouring nodes."""
    for offset in range(means.size):
        means[offset] = dot(derived, first + offset, THETA, context)
        spreads[offset] = max(dot(derived, first + offset, THETA + context.size, products), 0.0)
