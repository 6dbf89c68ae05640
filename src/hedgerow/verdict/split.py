"""What the verdict knows of a log: sums per arm of its later and of its earlier part."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..estimates.sums import Sums, is_binary, numbered, tally, tally_weighted
from ..types import Floats, Integers

if TYPE_CHECKING:
    from ..logs.log import Log


@dataclass(frozen=True)
class Split:
    """A log as the judge sees it: the future it is judged by, and the history a policy would start from.

    ``groups`` numbers the group of each arm in the order of first appearance; ``shares`` is how often the log itself
    played each arm of the future; ``scale`` multiplies the bonus of every policy.
    """

    future: Sums
    past: Sums
    groups: Integers | None
    shares: Floats
    binary: bool
    scale: float
    future_rows: int
    past_rows: int

    @property
    def arms(self) -> int:
        return self.future.rows.size

    @property
    def remembers(self) -> bool:
        return self.past_rows > 0


def levelled(log: "Log") -> tuple["Log", float]:
    """The log with rewards less their mean, and that mean: beside squares of large numbers small differences would be lost.

    0/1 rewards stay as they are, and those that are all the same.
    """
    if is_binary(log.reward) or np.ptp(log.reward) == 0.0:
        return log, 0.0
    level = float(log.reward.mean())
    return replace(log, reward=log.reward - level), level


def split(log: "Log", *, share: float, history: bool, weigh: bool) -> Split:
    """The earlier ``share`` of the rows as history, the others as the future; without history all rows are future."""
    arms, rows = len(log.arms), log.arm.size
    cut = int(rows * share) if history else 0
    later = slice(cut, rows)
    past = tally(log.arm[:cut], log.reward[:cut], arms)
    plain = tally(log.arm[later], log.reward[later], arms)
    future = plain
    if weigh and log.propensity is not None:
        future = tally_weighted(log.arm[later], log.reward[later], log.propensity[later], arms)
    return Split(
        future=future,
        past=past,
        groups=None if log.clusters is None else numbered(log.clusters),
        shares=plain.rows / max(rows - cut, 1),
        binary=is_binary(log.reward),
        scale=float(log.reward.std()),
        future_rows=rows - cut,
        past_rows=cut,
    )
