"""Trust from ridge sums: the arms' coefficients in their groups, and before and now."""

from typing import TypeAlias

import numpy as np

from ..hierarchy.evidence import Model, eliminate_lower, eliminate_upper, mean_square_of_contexts, pose, profile
from ..hierarchy.ledger import SIG2, STANDARD, new_ledger
from ..hierarchy.posterior import PRIOR, derived_size
from ..hierarchy.shape import history_weights
from ..nodes import Nodes
from ..statistics import PULLS, SCALARS, SQUARES, second_moments
from ..types import Floats
from ..verdict.chisquare import chi_square_tail
from .report import Agreement, Estimate, Grouping

COARSE = np.arange(-14.0, 7.0, 1.0)
"""log2 of the spreads looked at first, in units of 1 / mean x_j^2; then again around the best, three times as finely."""

FINEST = 0.02

FARTHEST = 3

LEAST_ROOT = 1e-9
"""Least eigenvalue of an arm's contexts, as a share of the largest, from which on its coefficients can be told apart."""


def grouping(nodes: Nodes, dimension: int, groups: int, ledger: Floats | None) -> Grouping | None:
    """Spreads of the coefficients within and between groups, from the evidence on a grid."""
    if nodes.online[0, PULLS] + nodes.past[0, PULLS] == 0.0 or groups in (1, len(nodes.arms.labels)):
        return None
    derived = np.zeros((len(nodes.online), derived_size(dimension)))
    model = pose(nodes.arms.tree, nodes.online, nodes.past, derived, new_ledger(False) if ledger is None else ledger, False)
    unit = mean_square_of_contexts(model)
    rho, phi = COARSE, COARSE
    while True:
        found = _evidence(model, unit, rho, phi)
        odds = np.exp(found[0] - found[0].max())
        if odds.max() < 0.2 * odds.sum() or rho[1] - rho[0] < FINEST:
            break
        best, step = found[:, odds.argmax()], (rho[1] - rho[0]) / 3.0
        rho, phi = (np.log2(unit * best[at] / best[3]) + step * np.arange(-6.0, 7.0) for at in (1, 2))
    _, within, between, _ = found
    parts = (between / (within + between), np.sqrt(within), np.sqrt(between))
    share, inside, across = (_weighted(part, odds) for part in parts)
    return Grouping(share, inside, across, groups, contextual=True)


def _evidence(model: Model, unit: float, rho: Floats, phi: Floats) -> Floats:
    """Log evidence, variances within and between groups, and noise variance, at every pair of log2 spreads."""
    found = []
    products, rest = np.empty(3), np.empty(3)
    for step in rho:
        logdet = eliminate_lower(model, 2.0**step / unit, products)
        for phi_step in phi:
            rest[:] = products
            value, sig2, _ = profile(model, logdet + eliminate_upper(model, 2.0**phi_step / unit, rest), rest)
            penalty = PRIOR * (step**2 + phi_step**2)
            found.append((value - penalty, 2.0**step * sig2 / unit, 2.0**phi_step * sig2 / unit, sig2))
    return np.array(found).T


def _weighted(values: Floats, odds: Floats) -> Estimate:
    """Median and 90 % interval of values with these odds."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(odds[order]) / odds.sum()
    low, value, high = (float(values[order][np.searchsorted(reached, q)]) for q in (0.05, 0.5, 0.95))
    return Estimate(value, low, high)


def agreement(nodes: Nodes, dimension: int, ledger: Floats | None) -> Agreement | None:
    """Coefficients before and now, of arms that have rounds enough of both: a Chow test, arm by arm.

    ``ledger``: of a policy that may weigh its rounds; then it knows the noise, and what a round of history weighs.
    """
    leaves = nodes.arms.leaves
    past, online = nodes.past[leaves], nodes.online[leaves]
    plays = float(past[:, PULLS].sum())
    if plays == 0.0:
        return None
    weighed = None if ledger is None or ledger[STANDARD] == 0.0 else ledger
    usual = past[:, -dimension:] / np.maximum(past[:, PULLS], 1.0)[:, None]  # the mean context of an arm's history
    if weighed is not None:
        past[:, SCALARS:] *= history_weights(nodes.past, weighed, leaves)[:, None]
    fits = _fits(past, online, dimension)
    left = sum(before[2] + now[2] for before, now in fits.values())
    freedom = sum(past[k, PULLS] + online[k, PULLS] - 2 * dimension for k in fits)
    noise = left / max(freedom, 1.0) if weighed is None else float(weighed[SIG2])
    if not fits or noise <= 0.0:
        return Agreement(plays, 0, 1.0)
    statistic, found = 0.0, []
    for k, ((theta, spread, _), (other, spread_now, _)) in fits.items():
        change = other - theta
        square = float(change @ np.linalg.solve(spread + spread_now, change)) / noise
        statistic += square
        found.append((nodes.arms.labels[k], float(usual[k] @ theta), float(usual[k] @ other), float(np.sqrt(square))))
    found.sort(key=lambda entry: -entry[3])
    return Agreement(plays, len(fits), chi_square_tail(statistic, len(fits) * dimension), tuple(found[:FARTHEST]))


Fit: TypeAlias = tuple[Floats, Floats, float]


def _fits(past: Floats, online: Floats, d: int) -> dict[int, tuple[Fit, Fit]]:
    """Both fits of the arms with more rounds than coefficients, whose contexts tell these apart, before and now."""
    moments = second_moments(past, d), second_moments(online, d)
    enough = (past[:, PULLS] > d + 1) & (online[:, PULLS] > d + 1)
    for part in moments:
        roots = np.linalg.eigvalsh(part)
        enough &= roots[:, 0] > LEAST_ROOT * roots[:, -1]
    found = {}
    for k in np.flatnonzero(enough):
        found[int(k)] = _fit(past[k], moments[0][k]), _fit(online[k], moments[1][k])
    return found


def _fit(row: Floats, moments: Floats) -> Fit:
    """theta, (sum x x')^-1, and the squared residuals."""
    inverse: Floats = np.asarray(np.linalg.inv(moments), dtype=np.float64)
    moment = row[SCALARS : SCALARS + len(moments)]
    theta = inverse @ moment
    return theta, inverse, max(float(row[SQUARES] - moment @ theta), 0.0)
