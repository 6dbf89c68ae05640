"""What the verdict knows of a log: sums per arm of its later and of its earlier part."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..core.types import Floats, Integers
from ..inference.rates import COIN, values_of
from ..inference.sums import Sums, numbered, tally, tally_weighted

if TYPE_CHECKING:
    from ..data.log import Log


@dataclass(frozen=True)
class Split:
    """A log as the judge sees it: the future it is judged by, and the history a policy would start from.

    Args:
        future: Sums of each arm in the later part.
        history: Sums of each arm in the earlier part.
        groups: The group of each arm as a number, in the order of first appearance; None without groups.
        shares: How often the log itself played each arm of the future.
        binary: Whether rewards are 0 and 1.
        scale: Standard deviation of the rewards, which multiplies the bonus of every policy.
        future_rows: Rows of the later part.
        history_rows: Rows of the earlier part.
        loaded: What a policy starts from, if that is not the history as the judge sees it.
        earned: What the log got per row, where its choices knew more than the arm.
    """

    future: Sums
    history: Sums
    groups: Integers | None
    shares: Floats
    binary: bool
    scale: float
    future_rows: int
    history_rows: int
    loaded: Sums | None = None
    earned: float | None = None

    @property
    def arms(self) -> int:
        """How many arms there are."""
        return self.future.rows.size

    @property
    def remembers(self) -> bool:
        """Whether there is a history."""
        return self.history_rows > 0

    @property
    def start(self) -> Sums:
        """The history that a policy is given."""
        return self.history if self.loaded is None else self.loaded


class Units(NamedTuple):
    """How rewards that are judged become those of the log.

    Args:
        level: What is added.
        size: What they are multiplied by before.
    """

    level: float
    size: float


def levelled(log: "Log") -> tuple["Log", Units]:
    """The log with rewards of two values as 0 and 1, others as standard deviations from their mean, and what they were before.

    So the verdict is the same in any unit, and small differences are not lost beside squares of large numbers. Rewards that are
    all the same stay as they are.

    Args:
        log: The log.

    Returns:
        The log as it is judged, and the way back.
    """
    low, high, values = float(log.reward.min()), float(log.reward.max()), values_of(log.reward)
    if low == high or values == COIN:
        return log, Units(0.0, 1.0)
    if values is not None:
        return replace(log, reward=(log.reward == high).astype(np.float64)), Units(low, high - low)
    share = (log.reward - low) / (high - low)
    centre, size = float(share.mean()), float(share.std())
    return replace(log, reward=(share - centre) / size), Units(low + (high - low) * centre, (high - low) * size)


def split(log: "Log", *, share: float, history: bool, weigh: bool) -> Split:
    """The earlier rows as history, the others as the future; without history all rows are future.

    Args:
        log: The log, its rewards as they are judged.
        share: Of the rows, that are history.
        history: Whether there is one.
        weigh: Whether rows are weighed by their propensities.

    Returns:
        The log as sums.

    Raises:
        ValueError: One part has no row.
    """
    arms, rows = len(log.arms), log.arm.size
    cut = int(rows * share) if history else 0
    if history and not 0 < cut < rows:
        part = "history" if cut == 0 else "future"
        raise ValueError(f"a split of {share:g} leaves no row of {rows:,} for the {part}")
    later = slice(cut, rows)
    earlier, future = (tally(log.arm[part], log.reward[part], arms) for part in (slice(cut), later))
    loaded, earned, shares = None, None, future.rows / max(rows - cut, 1)
    if weigh and log.propensity is not None:
        p, loaded, earned = log.propensity, earlier, float(log.reward[later].mean())
        earlier, future = (tally_weighted(log.arm[part], log.reward[part], p[part], arms) for part in (slice(cut), later))
    return Split(
        future=future,
        history=earlier,
        groups=None if log.clusters is None else numbered(log.clusters),
        shares=shares,
        binary=values_of(log.reward) == COIN,
        scale=float(log.reward.std()),
        future_rows=rows - cut,
        history_rows=cut,
        loaded=loaded,
        earned=earned,
    )
