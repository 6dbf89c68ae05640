"""The posterior of every node from the sums, and the spreads that make the rewards likeliest.

    mu_v = M_v (b_v - a f_v + mu_parent / rho)      S_v = M_v + M_v S_parent M_v / rho^2

A derived row is what rounds are played from until the next refresh:

    ceiling (see width.py; arms) | mu (d) | M (d x d), both in units of sig2 for one round
"""

import math

import numpy as np

from ...core.kernel import compiled, summing
from ...core.tree import PARENT, SIZE
from ...core.types import Floats, Links
from ..ridge import squared
from .evidence import (
    CEILING,
    MEAN,
    SQUARE,
    WEIGHT,
    Model,
    clear,
    covariance_start,
    eliminate,
    eliminate_lower,
    eliminate_upper,
    mean_square_of_contexts,
    profile,
    spread_at,
)
from .ledger import DEPTH, NEXT, OFFSET, PHI, RHO, SIG2, STEP
from .width import ceiling_of

PRIOR = 0.02
"""Weight of log2(spread)^2 against the log evidence: keeps the spreads near 1 as long as the data say nothing."""

FIRST_STEPS, FARTHEST = 2.0 * np.arange(-7, 10), 24.0
"""log2 of the spreads tried at the first refresh, and the largest ever; later ones climb in steps of 1."""

PHI_STEPS, NEAR = 3.0 * np.arange(-5, 9), 3.0
"""log2 of the phis tried with a rho; with the next rho only those as near as this to the best so far."""


def derived_size(dimension: int) -> int:
    """Length of a node's derived row: there is room for a level."""
    return MEAN + (dimension + 1) + (dimension + 1) ** 2


@compiled
def depth_of(tree: Links, node: int) -> int:
    """Levels from the root down to a node."""
    depth = 0
    while tree[node, PARENT] >= 0:
        node = tree[node, PARENT]
        depth += 1
    return depth


@compiled
def penalty(phi_step: float, step: float, flat: bool) -> float:
    """What spreads far from 1 cost."""
    return PRIOR * (phi_step * phi_step + (0.0 if flat else step * step))


@compiled
def appraise(
    model: Model, unit: float, step: float, flat: bool, around: float = 0.0, reach: float = math.inf
) -> tuple[float, float, float, float]:
    """Penalised log evidence at a step of the finely searched spread, with the best phi; log2 phi, noise variance, offset."""
    products, rest = np.empty(3), np.empty(3)
    steps = np.full(1, step) if flat else PHI_STEPS
    logdet = eliminate_lower(model, 2.0**step / unit, products)
    best = (-math.inf, 0.0, 1.0, 0.0)
    for position in range(steps.size):
        phi_step: float = steps[position]
        if abs(phi_step - around) > reach and not flat:
            continue
        for i in range(3):
            rest[i] = products[i]
        whole = logdet + eliminate_upper(model, 2.0**phi_step / unit, rest)
        value, sig2, offset = profile(model, whole, rest)
        value -= penalty(phi_step, step, flat)
        if value > best[0]:
            best = (value, phi_step, sig2, offset)
    return best


@compiled
def start(model: Model, unit: float, flat: bool) -> float:
    """The best of a coarse grid of steps."""
    best, chosen = -math.inf, 0.0
    for step in FIRST_STEPS:
        value = appraise(model, unit, step, flat)[0]
        if value > best:
            best, chosen = value, step
    return chosen


@compiled
def search(model: Model, ledger: Floats) -> float:
    """Empirical Bayes: climb from the step of the last refresh to the likeliest spreads, noise variance and offset.

    Returns the log evidence.
    """
    flat = ledger[DEPTH] == 1.0
    unit = mean_square_of_contexts(model)
    if ledger[NEXT] == 1.0:
        ledger[STEP] = start(model, unit, flat)
    best = appraise(model, unit, ledger[STEP], flat)
    for way in (-1.0, 1.0):
        while abs(ledger[STEP] + way) <= FARTHEST:
            other = appraise(model, unit, ledger[STEP] + way, flat, best[1], NEAR)
            if other[0] <= best[0]:
                break
            best = other
            ledger[STEP] += way
    ledger[RHO] = 2.0 ** ledger[STEP] / unit
    ledger[PHI] = 2.0 ** best[1] / unit
    ledger[SIG2] = best[2]
    ledger[OFFSET] = best[3]
    square = model.totals[SQUARE] / model.totals[WEIGHT]
    if ledger[SIG2] <= 1e-11 * square:  # all rewards equal so far: any unit will do
        ledger[SIG2] = square
    if ledger[SIG2] == 0.0:
        ledger[SIG2] = 1.0
    return best[0] + penalty(best[1], ledger[STEP], flat)


@compiled
def largest(matrix: Floats) -> float:
    """Root of (tr S^8)^(1/8), which is no less than the largest eigenvalue of S and at most d^(1/8) of it."""
    scale = 0.0
    for i in range(matrix.shape[0]):
        scale = max(scale, matrix[i, i])
    power = np.empty(matrix.shape)
    for i in range(matrix.shape[0]):  # so that the eighth power neither overflows nor vanishes
        for j in range(matrix.shape[0]):
            power[i, j] = matrix[i, j] / scale
    power = squared(squared(power))
    trace = 0.0
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[0]):
            trace += power[i, j] * power[i, j]
    return math.sqrt(scale * trace**0.125) * (1.0 + 1e-9)


@summing
def widen(derived: Floats, node: int, scale: float, above: Floats, half: Floats, whole: Floats) -> None:
    """S = M + (scale M) S_parent (scale M)."""
    d = above.shape[0]
    at = covariance_start(d)
    for i in range(d):
        for j in range(d):
            entry = 0.0
            for k in range(d):
                entry += derived[node, at + i * d + k] * above[j, k]
            half[i, j] = entry * scale
    for i in range(d):
        for j in range(d):
            entry = 0.0
            for k in range(d):
                entry += derived[node, at + i * d + k] * half[j, k]
            whole[i, j] = derived[node, at + i * d + j] + entry * scale


@compiled
def set_mean(model: Model, node: int, scale: float, offset: float) -> None:
    """The mean of a node whose parent has its own."""
    d = model.info.shape[2]
    parent, at = model.tree[node, PARENT], covariance_start(d)
    for i in range(d):
        mean = 0.0
        for j in range(d):
            entry = model.info[node, 0, j] - offset * model.info[node, 1, j]
            if parent > 0:
                entry += scale * model.derived[parent, MEAN + j]
            mean += model.derived[node, at + i * d + j] * entry
        model.derived[node, MEAN + i] = mean


@compiled
def solve(model: Model, ledger: Floats) -> None:
    """The derived rows from the sums and the settings of the ledger."""
    products, d = np.empty(3), model.info.shape[2]
    model.derived[:, covariance_start(d) + d * d :] = 0.0
    eliminate_lower(model, ledger[RHO], products)
    clear(model, 0)
    for node in range(1, len(model.tree)):
        if model.tree[node, PARENT] == 0:
            eliminate(model, node, ledger[PHI], products)
        scale = 1.0 / spread_at(model.derived, node, ledger[RHO])
        set_mean(model, node, scale, ledger[OFFSET])
        inner = model.tree[node, SIZE] > 0
        whole = model.below[node] if inner else model.work[0]  # S of an inner node takes the place of its A
        widen(model.derived, node, scale, model.below[model.tree[node, PARENT]], model.work[1], whole)
        if not inner:
            model.derived[node, CEILING] = ceiling_of(ledger, largest(whole))
