"""Trust from reward sums: the arms' means in their groups, and before and now."""

import numpy as np

from ..core.sums import PLAYS, SQUARES, TOTAL
from ..core.types import Floats, Integers
from ..inference.chi_square import chi_square_tail
from ..inference.grouping import posterior, share_of, spreads_of, total_variance
from ..inference.sums import Sums
from ..policies.auto_rewards.policy import chances_of_misfit
from .report import SHOWN, Agreement, Estimate, Grouping, Misfit
from .seen import Nodes

ENOUGH = 2.0
"""Plays of an arm, both before and now, from which on its means are compared."""

DOUBTFUL = 0.9
"""Chance of not belonging to its group beyond which an arm is named."""


def _sums(rows: Floats) -> Sums:
    return Sums(rows[:, PLAYS], rows[:, TOTAL], rows[:, SQUARES])


def _binary(sums: Sums) -> bool:
    """0/1 rewards are their own squares."""
    return bool(np.allclose(sums.total, sums.squares, rtol=1e-12, atol=0.0) and (sums.total <= sums.rows).all())


def estimate(draws: Floats) -> Estimate:
    """Median and 90 % interval."""
    low, value, high = (float(part) for part in np.quantile(draws, [0.05, 0.5, 0.95]))
    return Estimate(value, low, high)


def _believed(past: Sums, drift: float) -> Sums:
    """History that is off by ``drift``, as far as it can be trusted."""
    trust = 1.0 / (1.0 + past.rows * drift * drift / np.maximum(past.variances(binary=_binary(past)), 1e-300))
    return Sums(trust * past.rows, trust * past.total, trust * past.squares)


def grouping(nodes: Nodes, groups: Integers, drift: float) -> Grouping | None:
    """Spreads within and between groups and the share explained, from draws of the arms' expected rewards."""
    past, online = _sums(nodes.past[nodes.arms.leaves]), _sums(nodes.online[nodes.arms.leaves])
    sums = online + (_believed(past, drift) if drift > 0.0 else past)
    binary = _binary(sums)
    if not sums.noise_known(binary=binary) or np.count_nonzero(sums.rows) < 3:
        return None
    if np.ptp(sums.mean[sums.rows > 0.0]) == 0.0:
        return None
    draws = posterior(sums, groups, np.random.default_rng(0), binary=binary)
    within, between = map(estimate, spreads_of(draws, groups))
    shares = estimate(np.clip(share_of(draws, groups), 0.0, 1.0))
    return Grouping(shares, within, between, int(groups.max()) + 1, contextual=False)


def misfits(nodes: Nodes) -> tuple[Misfit, ...]:
    """Arms whose group is wrong about them by the model of Auto, the clearest first; none if the groups say nothing."""
    past = nodes.arms.totals(nodes.past[nodes.arms.leaves])
    binary = _binary(_sums(nodes.online[nodes.arms.leaves]) + _sums(past[nodes.arms.leaves]))
    chance = chances_of_misfit(nodes.arms.tree, nodes.online, past, (0.0, 1.0) if binary else None)[nodes.arms.leaves]
    groups = nodes.arms.clusters or ()
    order = [k for k in np.argsort(-chance, kind="stable").tolist() if chance[k] > DOUBTFUL]
    return tuple(Misfit(nodes.arms.labels[k], groups[k], float(chance[k])) for k in order)


def _drawn(means: Floats, error: Floats) -> tuple[Floats, Floats]:
    """What past means say of an arm among the others, N(m, A): mean and variance; A by DerSimonian and Laird's estimate."""
    known = np.isfinite(error)
    error = np.where(known, error, 1.0)
    if known.sum() < 3:
        return means, np.where(known, error, 0.0)
    spread = total_variance(means[known], error[known])
    apart = np.where(known, 1.0 / (spread + error), 0.0)
    level = apart @ means / apart.sum()
    kept = np.where(known, spread / (spread + error), 0.0)
    return level + kept * (means - level), np.where(known, kept * error, spread) + (1.0 - kept) ** 2 / apart.sum()


def agreement(nodes: Nodes) -> Agreement | None:
    """Means before and now, arm by arm.

    Arms are played because their history was good, and it may have been luck; so they must differ from what it says of an arm
    among the others, too.
    """
    leaves = nodes.arms.leaves
    past, online = _sums(nodes.past[leaves]), _sums(nodes.online[leaves])
    if past.rows.sum() == 0.0:
        return None
    known = int(np.count_nonzero(past.rows))
    both = (past.rows >= ENOUGH) & (online.rows >= ENOUGH)
    together = past + online
    noise = together.variances(binary=_binary(together))
    both &= noise > 0.0
    if not both.any():
        return Agreement(float(past.rows.sum()), known, 0, 1.0)
    error = np.divide(noise, past.rows, out=np.full_like(noise, np.inf), where=past.rows > 0.0)
    now = np.divide(noise, online.rows, out=np.ones_like(noise), where=online.rows > 0.0)
    z = np.where(both, (online.mean - past.mean) / np.sqrt(np.where(both, error, 0.0) + now), 0.0)
    drawn, left = _drawn(past.mean, error)
    fair = np.where(both, (online.mean - drawn) / np.sqrt(left + now), 0.0)
    p = max(chi_square_tail(float(found @ found), int(both.sum())) for found in (z, fair))
    order = np.argsort(-np.abs(z), kind="stable")[: min(SHOWN, int(both.sum()))]
    labels = nodes.arms.labels
    farthest = tuple((labels[k], float(past.mean[k]), float(online.mean[k]), float(z[k])) for k in order.tolist())
    return Agreement(float(past.rows.sum()), known, int(both.sum()), p, farthest)
