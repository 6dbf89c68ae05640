"""Trust from ridge sums: the arms' coefficients in their groups, and before and now."""

import numpy as np

from ..core.arms import Arms
from ..core.records import named
from ..core.sums import PLAYS, SCALARS, SQUARES, TOTAL
from ..core.tree import FIRST, SIZE
from ..core.types import Floats, Integers
from ..inference.coefficients import noise_of, pairs
from ..inference.intervals import weighted_estimate
from ..inference.rates import values_in
from ..inference.significance import chi_square_tail
from ..inference.sums import Sums
from ..policies.auto_linear.empirical_bayes import mean_square_of_contexts
from ..policies.auto_linear.likelihood import Model, eliminate_below, load, pose, profile
from ..policies.auto_linear.noise_shape import history_weights
from ..policies.auto_linear.settings import SETTINGS as MODEL
from ..policies.auto_linear.standardize import set_units
from ..policies.auto_linear.state import POLICY, Parts, new_state, row_width
from ..policies.auto_linear.sums import EXCESS
from .nodes import Nodes
from .report import Agreement, Grouping
from .settings import GRID, SETTINGS

COARSE = np.arange(GRID.lowest, GRID.highest)


def grouping(nodes: Nodes, dimension: int, groups: Integers, state: Floats | None) -> Grouping | None:
    """Spreads of the coefficients within and between groups, from the evidence on a grid; of nested groups the innermost.

    Args:
        nodes: What the policy has seen.
        dimension: Numbers in a context.
        groups: The group of each arm.
        state: Of Auto, which finds units and levels by itself; None for other policies.

    Returns:
        The grouping; None without rounds.
    """
    if nodes.online[0, PLAYS] + nodes.history[0, PLAYS] == 0.0:
        return None
    arms = Arms(range(groups.size), groups.tolist())
    online, before = (arms.totals(rows[nodes.arms.leaves]) for rows in (nodes.online, nodes.history))
    if state is None:
        state = new_state(False, dimension)
        named(state, POLICY).levels = 0.0
        set_units(online, before, state)
    rows = np.zeros((len(online), row_width(dimension)))
    model = pose(Parts(arms.tree, online, before, rows, state), False)
    unit = mean_square_of_contexts(model)
    rho, phi = COARSE, COARSE
    while True:
        found = evidence(model, unit, rho, phi)
        odds = np.exp(found[0] - found[0].max())
        table = odds.reshape(rho.size, phi.size) / odds.sum()
        finer_rho, finer_phi = _finer(rho, table.sum(axis=1)), _finer(phi, table.sum(axis=0))
        if finer_rho is rho and finer_phi is phi:
            break
        rho, phi = finer_rho, finer_phi
    _, within, between, _ = found
    parts = (between / (within + between), np.sqrt(within), np.sqrt(between))
    share, inside, across = (weighted_estimate(part, odds) for part in parts)
    return Grouping(share, inside, across, int(groups.max()) + 1, contextual=True)


def _finer(steps: Floats, odds: Floats) -> Floats:
    """Steps farther up while the last one is the best, a third as long around the best one while that has most of the odds."""
    step = float(steps[1] - steps[0])
    around = np.arange(-GRID.around, GRID.around + 1.0)
    if odds.argmax() == odds.size - 1 and steps[-1] < GRID.farthest:
        return np.asarray(steps[-1] + step * around)
    if odds.max() < GRID.likely or step < GRID.finest:
        return steps
    return np.asarray(steps[odds.argmax()] + step / 3.0 * around)


def evidence(model: Model, unit: float, rho: Floats, phi: Floats, common: float = GRID.common) -> Floats:
    """Log evidence, variances within and between groups, and noise variance, at every pair of spreads.

    Args:
        model: The arms' sums.
        unit: Mean x_j^2.
        rho: log2 of the variances within groups, in units of the noise variance / ``unit``.
        phi: The same between groups.
        common: Variance of what all arms have in common, in units of 1 / ``unit``.

    Returns:
        A column for each pair.
    """
    found = []
    products = np.empty(3)
    for step in rho:
        logdet = eliminate_below(model, 2.0**step / unit, products)
        groups = _Groups(model)
        for phi_step in phi:
            rest = products.copy()
            value, sig2, _ = profile(model, logdet + groups.eliminate(2.0**phi_step / unit, common / unit, rest), rest)
            penalty = MODEL.prior * (step**2 + phi_step**2)
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
        """Integrate out the groups, N(theta_0, phi I), and what they have in common, theta_0 ~ N(0, common I).

        What all arms share is no difference between them, and nothing that groups explain.

        Args:
            phi: Variance between groups.
            common: Variance of what they have in common.
            products: Weighted products of rewards and ones, from which what groups take is subtracted.

        Returns:
            The log determinant.
        """
        kept = 1.0 / (1.0 + phi * self.roots)
        left = np.einsum("gj,gjy,gjz->yz", phi * kept, self.pair, self.pair)
        shared = np.einsum("gij,gj,gkj->ik", self.basis, self.roots * kept, self.basis) + np.eye(self.roots.shape[1]) / common
        moments = np.einsum("gij,gj,gjy->iy", self.basis, kept, self.pair)
        left += moments.T @ np.linalg.solve(shared, moments)
        products -= np.array([left[0, 0], left[0, 1], left[1, 1]])
        return float(-np.log(kept).sum() + np.linalg.slogdet(common * shared)[1])


def agreement(nodes: Nodes, dimension: int, state: Floats | None) -> Agreement | None:
    """Coefficients before and now, arm by arm, in what the contexts of both have in common: Chow's test.

    An arm has a level of its own, too, and its own noise.

    Args:
        nodes: What the policy has seen.
        dimension: Numbers in a context.
        state: Of Auto, which may weigh its rounds: it then knows the noise, the level of all arms, and what a round of history
            weighs. None for other policies.

    Returns:
        The agreement; None without history.
    """
    leaves = nodes.arms.leaves
    before, online = nodes.history[leaves], nodes.online[leaves, : nodes.history.shape[1]]
    plays = np.stack([before[:, PLAYS], online[:, PLAYS]])
    if not plays[0].any():
        return None
    both = np.vstack([before, online])
    bent = values_in(Sums(both[:, PLAYS], both[:, TOTAL], both[:, SQUARES])) is not None
    own = None if state is None or named(state, POLICY).unit_noise == 0.0 else named(state, POLICY)
    usual = before[:, -dimension:] / np.maximum(plays[0], 1.0)[:, None]  # the mean context of an arm's history
    if state is not None and own is not None:
        before *= history_weights(nodes.history, state, leaves)[:, None]
        online[:, :SCALARS] += nodes.online[leaves, -EXCESS:]
        for rows in (before, online):
            rows[:, SCALARS : SCALARS + dimension] -= own.offset * rows[:, -dimension:]
            rows[:, TOTAL] -= own.offset * rows[:, PLAYS]
    compared = pairs(before, online, plays, dimension)
    level = 0.0 if own is None else float(own.offset)
    noise = noise_of(compared) if own is None else dict.fromkeys(compared, float(own.noise))
    statistic, freedom, found = 0.0, 0, []
    for k, pair in compared.items():
        if noise[k] > 0.0:
            square = pair.change / noise[k]
            statistic += square
            freedom += pair.freedom
            context = np.append(usual[k], 1.0)
            then, now = (level + float(context @ fit.theta) for fit in (pair.before, pair.now))
            found.append((nodes.arms.labels[k], then, now, float(np.sqrt(square))))
    found.sort(key=lambda entry: -entry[3])
    return Agreement(
        plays=float(plays[0].sum()),
        known=int(np.count_nonzero(plays[0])),
        arms=len(found),
        p=chi_square_tail(statistic, freedom),
        farthest=tuple(found[: SETTINGS.named]),
        contextual=True,
        bent=bent,
    )
