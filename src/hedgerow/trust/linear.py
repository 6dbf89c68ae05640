"""Trust from ridge sums: the arms' coefficients in their groups, and before and now."""

from typing import TypeAlias

import numpy as np

from ..estimates.chisquare import chi_square_tail
from ..hierarchy.evidence import Model, eliminate_lower, load, mean_square_of_contexts, pose, profile
from ..hierarchy.ledger import EXCESS, OFFSET, SIG2, STANDARD, new_ledger
from ..hierarchy.lens import set_lens
from ..hierarchy.posterior import PRIOR, derived_size
from ..hierarchy.shape import history_weights
from ..nodes import Nodes
from ..statistics import PULLS, SCALARS, SQUARES, TOTAL, second_moments
from ..tree import FIRST, SIZE
from ..types import Floats
from .report import Agreement, Estimate, Grouping

COARSE = np.arange(-14.0, 7.0, 1.0)
"""log2 of the spreads looked at first, in units of 1 / mean x_j^2; each then around its best, three times as finely."""

FINEST = 0.02

MOST = 0.4
"""Odds of one step from which on shorter ones are looked at."""

COMMON = 2.0**20
"""Variance of what all arms have in common, in the same units: it may be anything."""

FARTHEST = 3

LEAST_ROOT = 1e-9
"""Least eigenvalue of an arm's contexts, as a share of the largest, from which on its coefficients can be told apart."""


def grouping(nodes: Nodes, dimension: int, groups: int, ledger: Floats | None) -> Grouping | None:
    """Spreads of the coefficients within and between groups, from the evidence on a grid."""
    if nodes.online[0, PULLS] + nodes.past[0, PULLS] == 0.0 or groups in (1, len(nodes.arms.labels)):
        return None
    derived = np.zeros((len(nodes.online), derived_size(dimension)))
    if ledger is None:
        ledger = new_ledger(False, dimension)
        set_lens(nodes.online, nodes.past, ledger)
    model = pose(nodes.arms.tree, nodes.online, nodes.past, derived, ledger, False)
    unit = mean_square_of_contexts(model)
    rho, phi = COARSE, COARSE
    while True:
        found = _evidence(model, unit, rho, phi)
        odds = np.exp(found[0] - found[0].max())
        table = odds.reshape(rho.size, phi.size) / odds.sum()
        finer_rho, finer_phi = _finer(rho, table.sum(axis=1)), _finer(phi, table.sum(axis=0))
        if finer_rho is rho and finer_phi is phi:
            break
        rho, phi = finer_rho, finer_phi
    _, within, between, _ = found
    parts = (between / (within + between), np.sqrt(within), np.sqrt(between))
    share, inside, across = (_weighted(part, odds) for part in parts)
    return Grouping(share, inside, across, groups, contextual=True)


def _finer(steps: Floats, odds: Floats) -> Floats:
    """Steps a third as long around the best one, while that has most of the odds; else the same."""
    step = float(steps[1] - steps[0])
    if odds.max() < MOST or step < FINEST:
        return steps
    return np.asarray(steps[odds.argmax()] + step / 3.0 * np.arange(-6.0, 7.0))


def _evidence(model: Model, unit: float, rho: Floats, phi: Floats) -> Floats:
    """Log evidence, variances within and between groups, and noise variance, at every pair of log2 spreads."""
    found = []
    products = np.empty(3)
    for step in rho:
        logdet = eliminate_lower(model, 2.0**step / unit, products)
        groups = _Groups(model)
        for phi_step in phi:
            rest = products.copy()
            value, sig2, _ = profile(model, logdet + groups.eliminate(2.0**phi_step / unit, COMMON / unit, rest), rest)
            penalty = PRIOR * (step**2 + phi_step**2)
            found.append((value - penalty, 2.0**step * sig2 / unit, 2.0**phi_step * sig2 / unit, sig2))
    return np.array(found).T


class _Groups:
    """The groups, their arms integrated out: A = U diag(roots) U', and b and f (columns) in the basis U."""

    def __init__(self, model: Model) -> None:
        first = int(model.tree[0, FIRST])
        nodes = range(first, first + int(model.tree[0, SIZE]))
        self.roots, self.basis = np.linalg.eigh(np.stack([self._moments(model, node) for node in nodes]))
        self.roots = np.maximum(self.roots, 0.0)
        self.pair = np.einsum("gij,gyi->gjy", self.basis, model.info[first : nodes.stop])

    @staticmethod
    def _moments(model: Model, node: int) -> Floats:
        lower = np.tril(model.work[0]) if load(model, node) else np.zeros_like(model.work[0])
        return np.asarray(lower + np.tril(lower, -1).T)

    def eliminate(self, phi: float, common: float, products: Floats) -> float:
        """Integrate out the groups, N(theta_0, phi I), and what they have in common, theta_0 ~ N(0, common I); the log det.

        What all arms share is no difference between them, and nothing that groups explain.
        """
        kept = 1.0 / (1.0 + phi * self.roots)
        left = np.einsum("gj,gjy,gjz->yz", phi * kept, self.pair, self.pair)
        shared = np.einsum("gij,gj,gkj->ik", self.basis, self.roots * kept, self.basis) + np.eye(self.roots.shape[1]) / common
        moments = np.einsum("gij,gj,gjy->iy", self.basis, kept, self.pair)
        left += moments.T @ np.linalg.solve(shared, moments)
        products -= np.array([left[0, 0], left[0, 1], left[1, 1]])
        return float(-np.log(kept).sum() + np.linalg.slogdet(common * shared)[1])


def levelless(nodes: Nodes, dimension: int, ledger: Floats | None) -> bool:
    """Whether no sum of the contexts' columns is constant: how near these come to 1, by least squares over all rounds."""
    moments = _levelled((nodes.online + nodes.past)[:1], dimension)[0]
    moments[-1, -1] += 0.0 if ledger is None else ledger[EXCESS]  # online rounds are weighed
    if moments[-1, -1] <= dimension:
        return False
    size = np.sqrt(np.diagonal(moments))
    size[size == 0.0] = 1.0
    scaled = moments / np.outer(size, size)
    near = scaled[-1, :-1] @ np.linalg.lstsq(scaled[:-1, :-1], scaled[:-1, -1], rcond=None)[0]
    return bool(near < 1.0 - 1e-6)


def _weighted(values: Floats, odds: Floats) -> Estimate:
    """Median and 90 % interval of values with these odds."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(odds[order]) / odds.sum()
    low, value, high = (float(values[order][np.searchsorted(reached, q)]) for q in (0.05, 0.5, 0.95))
    return Estimate(value, low, high)


def agreement(nodes: Nodes, dimension: int, ledger: Floats | None) -> Agreement | None:
    """Coefficients before and now, of arms that have rounds enough of both: a Chow test, arm by arm.

    An arm has a level of its own, too. ``ledger``: of a policy that may weigh its rounds; then it knows the noise, the level of
    all arms, and what a round of history weighs.
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
        for rows in (past, online):
            rows[:, SCALARS : SCALARS + dimension] -= weighed[OFFSET] * rows[:, -dimension:]
    fits = _fits(past, online, dimension, levelled=weighed is None)
    level = 0.0 if weighed is None else float(weighed[OFFSET])
    left = sum(before[2] + now[2] for before, now in fits.values())
    freedom = sum(past[k, PULLS] + online[k, PULLS] - 2 * before[0].size for k, (before, _) in fits.items())
    noise = left / max(freedom, 1.0) if weighed is None else float(weighed[SIG2])
    if not fits or noise <= 0.0:
        return Agreement(plays, 0, 1.0)
    statistic, compared, found = 0.0, 0, []
    for k, ((theta, spread, _), (other, spread_now, _)) in fits.items():
        change = other - theta
        square = float(change @ np.linalg.solve(spread + spread_now, change)) / noise
        statistic += square
        compared += theta.size
        context = np.append(usual[k], 1.0)[: theta.size]
        found.append(
            (nodes.arms.labels[k], level + float(context @ theta), level + float(context @ other), float(np.sqrt(square)))
        )
    found.sort(key=lambda entry: -entry[3])
    bent = bool(np.allclose((past + online)[:, TOTAL], (past + online)[:, SQUARES], rtol=1e-12, atol=0.0))  # rewards of 0 and 1
    return Agreement(plays, len(fits), chi_square_tail(statistic, compared), tuple(found[:FARTHEST]), bent=bent)


Fit: TypeAlias = tuple[Floats, Floats, float]


def _fits(past: Floats, online: Floats, d: int, *, levelled: bool) -> dict[int, tuple[Fit, Fit]]:
    """Both fits of the arms with more rounds than coefficients, whose contexts tell these apart, before and now.

    ``levelled``: with a level each, unless that is one of the contexts' numbers already.
    """
    both, found = (_levelled(past, d), _levelled(online, d)), {}
    for k in np.flatnonzero((past[:, PULLS] > d + 2) & (online[:, PULLS] > d + 2)).tolist():
        for size in (d + 1, d) if levelled else (d,):
            parts = [moments[k, :size, :size] for moments in both]
            roots = np.array([_extremes(part) for part in parts])
            if (roots[:, 0] > LEAST_ROOT * roots[:, 1]).all():
                found[k] = _fit(past[k], parts[0], d), _fit(online[k], parts[1], d)
                break
    return found


def _extremes(moments: Floats) -> Floats:
    """Least and largest eigenvalue, every column in a unit of its own."""
    size = np.sqrt(np.diagonal(moments))
    size = np.where(size > 0.0, size, 1.0)
    return np.asarray(np.linalg.eigvalsh(moments / np.outer(size, size))[[0, -1]])


def _levelled(rows: Floats, d: int) -> Floats:
    """sum z z' of z = (x, 1)."""
    moments = np.zeros((len(rows), d + 1, d + 1))
    moments[:, :d, :d] = second_moments(rows, d)
    moments[:, :d, d] = moments[:, d, :d] = rows[:, -d:]
    moments[:, d, d] = rows[:, PULLS]
    return moments


def _fit(row: Floats, moments: Floats, d: int) -> Fit:
    """theta, (sum z z')^-1, and the squared residuals."""
    inverse: Floats = np.asarray(np.linalg.inv(moments), dtype=np.float64)
    moment = np.append(row[SCALARS : SCALARS + d], row[TOTAL])[: len(moments)]
    theta = inverse @ moment
    return theta, inverse, max(float(row[SQUARES] - moment @ theta), 0.0)
