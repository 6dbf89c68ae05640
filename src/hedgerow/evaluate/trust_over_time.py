"""Trust over time: what the later rows of a log say of its groups and of its history, as they come in."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..core.types import Floats, Integers
from ..inference.grouping import posterior, share_of
from ..inference.sums import Sums, tally, tally_weighted
from ..policies.auto_rewards.drift import drift
from .split import Split

if TYPE_CHECKING:
    from ..data.log import Log

STEPS = 8
"""Parts of the later rows after which trust is looked at."""


@dataclass(frozen=True)
class Course:
    """After so many later rows: share of real differences that groups explain (median, 5 % and 95 % quantile, a row each), and
    how far arms have moved since the history (a standard deviation); None without groups, without history."""

    rows: Integers
    share: Floats | None
    moved: Floats | None

    def times(self, size: float) -> "Course":
        """The same in a unit of which one is so many of the other."""
        return self if self.moved is None else replace(self, moved=size * self.moved)


def trust_over_time(log: "Log", split: Split, *, weigh: bool, seed: int) -> Course:
    """The two kinds of trust after each eighth of the later rows."""
    cut, arms = log.arm.size - split.future_rows, split.arms
    rows = np.unique(np.ceil(split.future_rows * np.arange(1, STEPS + 1) / STEPS)).astype(np.int64)
    shares, moved = [], []
    for count in rows:
        part = slice(cut, cut + int(count))
        if weigh and log.propensity is not None:
            sums = tally_weighted(log.arm[part], log.reward[part], log.propensity[part], arms)
        else:
            sums = tally(log.arm[part], log.reward[part], arms)
        if split.groups is not None:
            draws = posterior(sums, split.groups, np.random.default_rng([seed, 8]), binary=split.binary)
            shares.append(np.clip(np.quantile(share_of(draws, split.groups), [0.5, 0.05, 0.95]), 0.0, 1.0))
        if split.remembers:
            moved.append(distance(sums, split.past, binary=split.binary))
    return Course(rows, np.array(shares).T if shares else None, np.array(moved) if moved else None)


def distance(now: Sums, then: Sums, *, binary: bool) -> float:
    """Standard deviation of the arms' changes, beyond chance."""
    both = (now.rows > 0.0) & (then.rows > 0.0)
    noise = (now + then).variances(binary=binary)[both]
    errors = noise * (1.0 / now.rows[both] + 1.0 / then.rows[both])
    return float(np.sqrt(drift((now.mean - then.mean)[both] ** 2, errors))) if both.any() else 0.0
