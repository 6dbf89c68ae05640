"""The judge: a posterior of the arms' expected rewards in the future, with or without a look at their groups."""

from typing import NamedTuple

import numpy as np

from ..core.records import named
from ..core.types import Floats, Integers
from ..inference.sums import Sums
from ..inference.two_level import spread_of_means
from .posterior_sampler import sample
from .sampler_state import COMMON, COMMON_SIZE, MEMBER, MEMBER_SIZE, SETTINGS, SIDE, SIDE_SIZE
from .split import Split


class Draws(NamedTuple):
    """What a judge holds possible.

    Args:
        means: Draws of the arms' expected rewards in the future (draws x arms).
        drift: Draws of the standard deviation of the arms' changes since the history: in log odds for 0/1 rewards.
    """

    means: Floats
    drift: Floats


def judge(split: Split, *, grouped: bool, draws: int, rng: np.random.Generator, tails: float = SETTINGS.tails) -> Draws:
    """Draws from the posterior of the arms' expected rewards, by the grouped judge or the label-blind one.

    Args:
        split: The log.
        grouped: Whether the judge looks at the groups.
        draws: How many draws.
        rng: Where randomness comes from.
        tails: Degrees of freedom of the arms around their centre; the more, the closer they are to normal.

    Returns:
        The draws.
    """
    groups: Integers = np.zeros(split.arms, dtype=np.int64)
    if grouped and split.groups is not None:
        groups = split.groups
    unit = 1.0 if split.binary else spread_of_means(split.future)
    futures, histories = (_side(sums, split.binary) for sums in (split.future, split.history))
    arms, state = np.zeros((split.arms, MEMBER_SIZE)), np.zeros(COMMON_SIZE)
    each, levels, now, then = arms.view(MEMBER)[:, 0], named(state, COMMON), futures.view(SIDE)[:, 0], histories.view(SIDE)[:, 0]
    each["group"], each["weight"] = groups, 1.0
    levels.centre, levels.drift = now["value"].mean(), SETTINGS.drift_width * unit
    levels.within, levels.between = SETTINGS.spread_width * unit, SETTINGS.spread_width * unit if grouped else 0.0
    if split.remembers:
        levels.shift = (then["value"] - now["value"])[then["rows"] > 0.0].mean()
    kept, drifts = np.empty((draws, split.arms)), np.empty(draws)
    sample(arms, futures, histories, state, int(groups.max()) + 1, tails, split.binary, unit, kept, drifts, rng)
    return Draws(1.0 / (1.0 + np.exp(-np.maximum(kept, -700.0))) if split.binary else kept, drifts)


def _side(sums: Sums, binary: bool) -> Floats:
    """What the log says of each arm on one side, and where the sampler starts: shrunk rates, or means."""
    side = np.zeros((sums.rows.size, SIDE_SIZE))
    arm, noise = side.view(SIDE)[:, 0], np.maximum(sums.variances(binary=binary), 1e-12)
    arm["rows"], arm["total"], arm["noise"] = sums.rows, sums.total, noise
    arm["information"] = sums.rows * noise if binary else sums.rows / noise
    if binary:
        rates = np.clip(sums.rates(), 1e-6, 1.0 - 1e-6)
        arm["value"] = np.log(rates / (1.0 - rates))
    else:
        arm["value"] = np.where(sums.rows > 0.0, sums.mean, sums.overall)
    return side
