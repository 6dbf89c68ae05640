"""Trust from ridge sums: the arms' coefficients in their groups, and before and now."""

from typing import NamedTuple

import numpy as np

from ..core.arms import Arms
from ..core.records import named
from ..core.sums import PLAYS, SCALARS, SQUARES, TOTAL, second_moments
from ..core.tree import FIRST, SIZE
from ..core.types import Floats, Integers
from ..inference.chi_square import chi_square_tail
from ..inference.sums import BORROWED
from ..policies.auto_linear.likelihood import Model, eliminate_below, load, mean_square_of_contexts, pose, profile
from ..policies.auto_linear.noise_shape import history_weights
from ..policies.auto_linear.settings import SETTINGS
from ..policies.auto_linear.standardize import set_units
from ..policies.auto_linear.state import POLICY, Parts, new_state, row_width
from ..policies.auto_linear.sums import EXCESS
from .report import Agreement, Estimate, Grouping
from .seen import Nodes

COARSE = np.arange(-14.0, 7.0, 1.0)
"""log2 of the spreads looked at first, in units of 1 / mean x_j^2; each then around its best, three times as finely."""

FINEST = 0.02

MOST = 0.4
"""Odds of one step from which on shorter ones are looked at."""

COMMON, MOST_STEP = 2.0**30, 24.0
"""Variance of what all arms have in common, in the same units: it may be anything. log2 of the largest spread looked at."""

FARTHEST = 3

LEAST_ROOT = 1e-9
"""Least eigenvalue of an arm's contexts, as a share of the largest, from which on coefficients can be told apart."""

SAME = 1e-9
"""Relative difference of sums up to which they are equal."""

ENOUGH = 2.0
"""Rounds of an arm, both before and now, that are too few to compare."""


def grouping(nodes: Nodes, dimension: int, groups: Integers, state: Floats | None) -> Grouping | None:
    """Spreads of the coefficients within and between groups, from the evidence on a grid; of nested groups the innermost."""
    if nodes.online[0, PLAYS] + nodes.past[0, PLAYS] == 0.0:
        return None
    arms = Arms(range(groups.size), groups.tolist())
    online, past = (arms.totals(rows[nodes.arms.leaves]) for rows in (nodes.online, nodes.past))
    rows = np.zeros((len(online), row_width(dimension)))
    if state is None:
        state = new_state(False, dimension)
        named(state, POLICY).levels = 0.0
        set_units(online, past, state)
    model = pose(Parts(arms.tree, online, past, rows, state), False)
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
    return Grouping(share, inside, across, int(groups.max()) + 1, contextual=True)


def _finer(steps: Floats, odds: Floats) -> Floats:
    """Steps farther up while the last one is the best, a third as long around the best one while that has most of the odds."""
    step = float(steps[1] - steps[0])
    if odds.argmax() == odds.size - 1 and steps[-1] < MOST_STEP:
        return np.asarray(steps[-1] + step * np.arange(-6.0, 7.0))
    if odds.max() < MOST or step < FINEST:
        return steps
    return np.asarray(steps[odds.argmax()] + step / 3.0 * np.arange(-6.0, 7.0))


def _evidence(model: Model, unit: float, rho: Floats, phi: Floats) -> Floats:
    """Log evidence, variances within and between groups, and noise variance, at every pair of log2 spreads."""
    found = []
    products = np.empty(3)
    for step in rho:
        logdet = eliminate_below(model, 2.0**step / unit, products)
        groups = _Groups(model)
        for phi_step in phi:
            rest = products.copy()
            value, sig2, _ = profile(model, logdet + groups.eliminate(2.0**phi_step / unit, COMMON / unit, rest), rest)
            penalty = SETTINGS.prior * (step**2 + phi_step**2)
            found.append((value - penalty, 2.0**step * sig2 / unit, 2.0**phi_step * sig2 / unit, sig2))
    return np.array(found).T


class _Groups:
    """The groups, their arms integrated out: A = U diag(roots) U', and b and f (columns) in the basis U."""

    def __init__(self, model: Model) -> None:
        first = int(model.tree[0, FIRST])
        nodes = range(first, first + int(model.tree[0, SIZE]))
        self.roots, self.basis = np.linalg.eigh(np.stack([self._moments(model, node) for node in nodes]))
        self.roots = np.maximum(self.roots, 0.0)
        self.pair = np.einsum("gij,gyi->gjy", self.basis, model.cross[first : nodes.stop])

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


def levelless(nodes: Nodes, dimension: int) -> bool:
    """Whether no sum of the contexts' columns is constant: how near these come to 1, by least squares over all rounds."""
    moments = _levelled((nodes.online + nodes.past)[:1], dimension)[0]
    if moments[-1, -1] <= dimension:
        return False
    scaled, _ = _scaled(moments)
    near = scaled[-1, :-1] @ np.linalg.lstsq(scaled[:-1, :-1], scaled[:-1, -1], rcond=None)[0]
    return bool(near < 1.0 - 1e-6)


def _weighted(values: Floats, odds: Floats) -> Estimate:
    """Median and 90 % interval of values with these odds."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(odds[order]) / odds.sum()
    low, value, high = (float(values[order][np.searchsorted(reached, q)]) for q in (0.05, 0.5, 0.95))
    return Estimate(value, low, high)


def agreement(nodes: Nodes, dimension: int, state: Floats | None) -> Agreement | None:
    """Coefficients before and now, arm by arm, in what the contexts of both have in common: Chow's test.

    An arm has a level of its own, too, and its own noise. ``state``: of a policy that may weigh its rounds; then it knows the
    noise, the level of all arms, and what a round of history weighs.
    """
    leaves = nodes.arms.leaves
    past, online = nodes.past[leaves], nodes.online[leaves, : nodes.past.shape[1]]
    plays = np.stack([past[:, PLAYS], online[:, PLAYS]])
    if not plays[0].any():
        return None
    bent = two_valued(np.vstack([past, online]))
    own = None if state is None or named(state, POLICY).unit_noise == 0.0 else named(state, POLICY)
    usual = past[:, -dimension:] / np.maximum(plays[0], 1.0)[:, None]  # the mean context of an arm's history
    if state is not None and own is not None:
        past *= history_weights(nodes.past, state, leaves)[:, None]
        online[:, :SCALARS] += nodes.online[leaves, -EXCESS:]
        for rows in (past, online):
            rows[:, SCALARS : SCALARS + dimension] -= own.offset * rows[:, -dimension:]
            rows[:, TOTAL] -= own.offset * rows[:, PLAYS]
    pairs = _pairs(past, online, plays, dimension)
    level = 0.0 if own is None else float(own.offset)
    noise = _noise(pairs) if own is None else dict.fromkeys(pairs, float(own.noise))
    statistic, compared, found = 0.0, 0, []
    for k, pair in pairs.items():
        if noise[k] > 0.0:
            square = pair.change / noise[k]
            statistic += square
            compared += pair.freedom
            context = np.append(usual[k], 1.0)
            then, now = (level + float(context @ fit.theta) for fit in (pair.before, pair.now))
            found.append((nodes.arms.labels[k], then, now, float(np.sqrt(square))))
    found.sort(key=lambda entry: -entry[3])
    p = chi_square_tail(statistic, compared)
    return Agreement(
        float(plays[0].sum()), int(np.count_nonzero(plays[0])), len(found), p, tuple(found[:FARTHEST]), contextual=True, bent=bent
    )


def two_valued(rows: Floats) -> bool:
    """Whether rewards take two values, as far as sums can tell: then sum r^2 = (low + high) sum r - low high n in every row.

    >>> two_valued(np.array([[3.0, 200.0, 20000.0], [4.0, 100.0, 10000.0], [2.0, 100.0, 10000.0]]))
    True
    """
    plays, total, squares = rows[rows[:, PLAYS] > 0.0][:, [PLAYS, TOTAL, SQUARES]].T
    if len(plays) <= 2:  # any two rows fit
        return bool(np.allclose(total, squares, rtol=1e-12, atol=0.0))
    unit = np.sqrt(squares.sum() / plays.sum()) or 1.0
    mean, square = total / plays / unit, squares / plays / unit**2
    columns = np.column_stack([mean, np.ones_like(mean)])
    line = columns @ np.linalg.lstsq(columns, square, rcond=None)[0]
    return bool(np.allclose(line, square, rtol=SAME, atol=SAME))


class _Fit(NamedTuple):
    """A regression of rewards on contexts that need not tell all coefficients apart: those of least length."""

    theta: Floats
    rank: int
    explained: float
    left: float


class _Pair(NamedTuple):
    """An arm before and now: ``change`` is what one regression for both leaves unexplained beyond two, in so many directions."""

    before: _Fit
    now: _Fit
    change: float
    freedom: int
    rounds: float

    @property
    def spare(self) -> float:
        """Rounds beyond the coefficients."""
        return self.rounds - self.before.rank - self.now.rank


def _pairs(past: Floats, online: Floats, plays: Floats, d: int) -> dict[int, _Pair]:
    """The arms with more rounds than coefficients, before and now, by rows of sums that may be weighed."""
    found = {}
    for k in np.flatnonzero((plays > ENOUGH).all(axis=0)).tolist():
        before, now, both = (_fit(row, d) for row in (past[k], online[k], past[k] + online[k]))
        freedom = before.rank + now.rank - both.rank
        if freedom > 0 and plays[0, k] > before.rank + 1 and plays[1, k] > now.rank + 1:
            change = max(before.explained + now.explained - both.explained, 0.0)
            found[k] = _Pair(before, now, change, freedom, float(plays[:, k].sum()))
    return found


def _noise(pairs: dict[int, _Pair]) -> dict[int, float]:
    """Variance of each arm's rewards around its regressions, drawn to that of all arms; that of Student's t, for an estimate."""
    left = {k: pair.before.left + pair.now.left for k, pair in pairs.items()}
    pooled = sum(left.values()) / max(sum(pair.spare for pair in pairs.values()), 1.0)
    return {k: (left[k] + BORROWED * pooled) / (pair.spare + BORROWED - 2.0) for k, pair in pairs.items()}


def _levelled(rows: Floats, d: int) -> Floats:
    """sum z z' of z = (x, 1)."""
    moments = np.zeros((len(rows), d + 1, d + 1))
    moments[:, :d, :d] = second_moments(rows, d)
    moments[:, :d, d] = moments[:, d, :d] = rows[:, -d:]
    moments[:, d, d] = rows[:, PLAYS]
    return moments


def _scaled(moments: Floats) -> tuple[Floats, Floats]:
    """The moments with every column in a unit of its own, and these units."""
    unit = np.sqrt(np.diagonal(moments))
    unit = np.where(unit > 0.0, unit, 1.0)
    return moments / np.outer(unit, unit), unit


def _fit(row: Floats, d: int) -> _Fit:
    """theta and level of least length, each column in a unit of its own, and the squares that they explain and leave."""
    scaled, unit = _scaled(_levelled(row[None], d)[0])
    roots, basis = np.linalg.eigh(scaled)
    kept = roots > LEAST_ROOT * roots[-1]
    moment = np.append(row[SCALARS : SCALARS + d], row[TOTAL])
    along = basis[:, kept].T @ (moment / unit)
    theta = basis[:, kept] @ (along / roots[kept]) / unit
    explained = float(along @ (along / roots[kept]))
    return _Fit(theta, int(kept.sum()), explained, max(float(row[SQUARES]) - explained, 0.0))
