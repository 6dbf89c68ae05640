"""The judge: a posterior of the arms' expected rewards in the future, with or without a look at their groups."""

from typing import NamedTuple

import numpy as np

from ..core.types import Floats, Integers
from ..inference.sums import Sums
from . import posterior_sampler
from .split import Split

TAILS = 4.0
"""Degrees of freedom of Student's distribution of arms around their group's centre."""


class Draws(NamedTuple):
    """Draws of expected rewards (draws x arms), and of the spreads within groups, between groups, and of the drift."""

    means: Floats
    within: Floats
    between: Floats
    drift: Floats


def judge(split: Split, *, grouped: bool, draws: int, rng: np.random.Generator, tails: float = TAILS) -> Draws:
    """The grouped judge, or the label-blind one; the more ``tails``, the closer arms are to normal around their centre."""
    groups: Integers = np.zeros(split.arms, dtype=np.int64)
    if grouped and split.groups is not None:
        groups = split.groups
    arms = np.zeros((split.arms, posterior_sampler.COLUMNS))
    for part, at, sums in (
        (0, posterior_sampler.ETA, split.future),
        (posterior_sampler.PAST, posterior_sampler.SEEN, split.past),
    ):
        arms[:, part : part + posterior_sampler.PAST] = _row(sums, split.binary)
        arms[:, at] = _start(sums, split.binary)
    arms[:, posterior_sampler.GROUP] = groups
    arms[:, posterior_sampler.LOOSE] = 1.0
    unit = 1.0 if split.binary else _spread(split.future)
    levels = np.array([arms[:, posterior_sampler.ETA].mean(), 0.0, 0.5 * unit, 0.5 * unit if grouped else 0.0, 0.3 * unit])
    if split.remembers:
        levels[posterior_sampler.BETA] = (arms[:, posterior_sampler.SEEN] - arms[:, posterior_sampler.ETA])[
            split.past.rows > 0.0
        ].mean()
    kept, kept_levels = np.empty((draws, split.arms)), np.empty((draws, posterior_sampler.LEVELS))
    posterior_sampler.sample(arms, int(groups.max()) + 1, tails, levels, split.binary, unit, kept, kept_levels, rng)
    _, _, within, between, drift = kept_levels.T
    return Draws(1.0 / (1.0 + np.exp(-np.maximum(kept, -700.0))) if split.binary else kept, within, between, drift)


def _row(sums: Sums, binary: bool) -> Floats:
    """Rows, total, noise of a reward, and the information in all of an arm's."""
    noise = np.maximum(sums.variances(binary=binary), 1e-12)
    return np.column_stack([sums.rows, sums.total, noise, sums.rows * noise if binary else sums.rows / noise])


def _spread(sums: Sums) -> float:
    """Standard deviation of the arms' means, and never quite 0: the unit of the priors' widths."""
    means = sums.mean[sums.rows > 0.0]
    return max(float(means.std()), 1e-9 * (1.0 + float(np.abs(means).max(initial=0.0))))


def _start(sums: Sums, binary: bool) -> Floats:
    """Where the sampler starts: shrunk rates, or means with those of empty arms filled in."""
    if binary:
        rates = np.clip(sums.rates(), 1e-6, 1.0 - 1e-6)
        return np.log(rates / (1.0 - rates))
    return np.where(sums.rows > 0.0, sums.mean, sums.overall)
