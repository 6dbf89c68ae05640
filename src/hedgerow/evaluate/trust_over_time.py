"""Trust over time: what the later rows of a log say of its groups and of its history, as they come in."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..core.types import Floats, Integers
from ..inference.explained import spreads_of
from ..inference.intervals import estimate
from ..inference.shift import changes, spread_of_changes
from ..inference.sums import tally, tally_weighted
from ..inference.two_level import posterior
from .settings import VERDICT
from .split import Split

if TYPE_CHECKING:
    from ..data.log import Log


@dataclass(frozen=True)
class Course:
    """What later rows said after each part of them.

    Args:
        rows: So many later rows.
        share: Of the real differences that groups explain: median, 5 % and 95 % quantile (a row each); None without groups.
        moved: Standard deviation by which arms have moved since the history; None without history.
    """

    rows: Integers
    share: Floats | None
    moved: Floats | None

    def times(self, size: float) -> "Course":
        """The same in another unit.

        Args:
            size: How many of the new unit make one of the old.

        Returns:
            A new course.
        """
        return self if self.moved is None else replace(self, moved=size * self.moved)


def trust_over_time(log: "Log", split: Split, *, weigh: bool, seed: int) -> Course:
    """The two kinds of trust after each eighth of the later rows.

    Args:
        log: The log, with rewards as they are judged.
        split: The same as sums.
        weigh: Whether rows are weighed by their propensities.
        seed: Of all draws.

    Returns:
        What was found.
    """
    cut, arms = log.arm.size - split.future_rows, split.arms
    rows = np.unique(np.ceil(split.future_rows * np.arange(1, VERDICT.looks + 1) / VERDICT.looks)).astype(np.int64)
    shares, moved = [], []
    for count in rows:
        part = slice(cut, cut + int(count))
        if weigh and log.propensity is not None:
            sums = tally_weighted(log.arm[part], log.reward[part], log.propensity[part], arms)
        else:
            sums = tally(log.arm[part], log.reward[part], arms)
        if split.groups is not None:
            draws = posterior(sums, split.groups, np.random.default_rng([seed, 8]), binary=split.binary)
            shares.append(np.clip(estimate(spreads_of(draws, split.groups).share), 0.0, 1.0))
        if split.remembers:
            moved.append(spread_of_changes(changes(sums, split.history, binary=split.binary)))
    return Course(rows, np.array(shares).T if shares else None, np.array(moved) if moved else None)
