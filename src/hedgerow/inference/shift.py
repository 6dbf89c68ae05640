"""Whether arms moved between two times, and how far: the same arms' rewards before and now."""

import math
from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple

import numpy as np

from ..core.settings import Number
from ..core.types import Floats
from .significance import chi_square_tail, total_variance
from .sums import Sums


class ShiftSettings(NamedTuple):
    """What counts as a change."""

    least_rows: Annotated[
        float,
        Number(
            "rows of an arm, both before and now, from which on its means are compared",
            unit="rows",
            origin="chosen: a single row says next to nothing of a mean; not tuned",
        ),
    ] = 2.0
    beyond_chance: Annotated[
        float,
        Number("p-value below which arms are said to have changed", unit="1", origin="chosen: one false alarm in a hundred logs"),
    ] = 0.01
    margin: Annotated[
        float,
        Number(
            "by how much squared changes must exceed what is expected before their spread is estimated",
            unit="standard deviations of their sum",
            origin="chosen: arms are not played at random, and their noise is only estimated; not tuned",
        ),
    ] = 4.0
    halvings: Annotated[
        int, Number("steps of the bisection that finds the spread", unit="steps", origin="2^-40 of the largest change")
    ] = 40


SETTINGS = ShiftSettings()


class Changes(NamedTuple):
    """The arms with rows enough before and now.

    Args:
        arms: True for these of all arms.
        change: Of each of them its mean now less its mean before.
        before: Variance of its mean before, by chance.
        now: Variance of its mean now, by chance.
    """

    arms: Any
    change: Floats
    before: Floats
    now: Floats

    @property
    def variance(self) -> Floats:
        """Variance of each change, by chance."""
        return self.before + self.now

    @property
    def scores(self) -> Floats:
        """Each change in standard errors."""
        return np.asarray(self.change / np.sqrt(self.variance))


@dataclass(frozen=True)
class Drift:
    """How arms moved from an earlier part of a log to a later one.

    Args:
        shift: By how much all arms moved together.
        error: Its standard error.
        statistic: Squared changes beyond the common one, in units of their variances.
        freedom: Degrees of freedom of this sum.
        p: The probability of so large a sum by chance: whether some arms moved more than others.
    """

    shift: float
    error: float
    statistic: float
    freedom: int
    p: float

    def times(self, size: float) -> "Drift":
        """The same in another unit.

        Args:
            size: How many of the new unit make one of the old.

        Returns:
            A new drift.
        """
        return replace(self, shift=size * self.shift, error=size * self.error)

    @property
    def together(self) -> bool:
        """Whether all arms moved together, beyond chance."""
        return chi_square_tail((self.shift / self.error) ** 2, 1) < SETTINGS.beyond_chance


def changes(now: Sums, before: Sums, *, binary: bool) -> Changes:
    """The arms' changes, by the noise of both times together.

    Args:
        now: Sums of each arm now.
        before: Sums of the same arms before.
        binary: Whether rewards are 0 and 1.

    Returns:
        The changes of the arms with rows enough in both, and with noise.
    """
    noise = (now + before).variances(binary=binary)
    arms = (now.rows >= SETTINGS.least_rows) & (before.rows >= SETTINGS.least_rows) & (noise > 0.0)
    kept = noise[arms]
    return Changes(arms, (now.mean - before.mean)[arms], kept / before.rows[arms], kept / now.rows[arms])


def drift(now: Sums, before: Sums, *, binary: bool) -> Drift | None:
    """Whether arms moved together, and whether some moved more: D = sum (m_k - m'_k - b)^2 / v_k against chi-square(K - 1).

    Args:
        now: Sums of each arm in the later part.
        before: Sums of the same arms in the earlier part.
        binary: Whether rewards are 0 and 1.

    Returns:
        The test, b the weighted mean change; None with fewer than two arms to compare.
    """
    found = changes(now, before, binary=binary)
    if found.change.size < 2:
        return None
    weight = 1.0 / found.variance
    shift = float((found.change * weight).sum() / weight.sum())
    statistic = float(((found.change - shift) ** 2 * weight).sum())
    freedom = found.change.size - 1
    return Drift(shift, float(weight.sum()) ** -0.5, statistic, freedom, chi_square_tail(statistic, freedom))


def spread_of_changes(found: Changes) -> float:
    """Standard deviation of the arms' changes beyond chance, by the estimate of Paule and Mandel (1982).

    It is the d for which sum (change^2 / (d^2 + variance)) is the number of arms.

    Args:
        found: The changes.

    Returns:
        The standard deviation; 0 as long as chance explains the changes, give or take a margin.
    """
    squares, errors, arms = found.change**2, found.variance, found.change.size

    def excess(spread2: float) -> float:
        return float((squares / (spread2 + errors)).sum()) - arms

    if excess(0.0) <= SETTINGS.margin * math.sqrt(2.0 * arms):
        return 0.0
    low, high = 0.0, float(squares.max())
    for _ in range(SETTINGS.halvings):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if excess(middle) > 0.0 else (low, middle)
    return math.sqrt(high)


def chance_of_changes(found: Changes, now: Sums, before: Sums, *, binary: bool) -> float:
    """The probability of such changes if no arm has moved, though arms may have been played because they were lucky before.

    Such arms must differ from what their history says of an arm among the others, too: from a mean that is drawn to that of all.

    Args:
        found: The changes.
        now: Sums of each arm now.
        before: Sums of the same arms before.
        binary: Whether rewards are 0 and 1.

    Returns:
        The larger of two p-values.
    """
    noise = (now + before).variances(binary=binary)
    known = before.rows > 0.0
    errors = np.divide(noise, before.rows, out=np.zeros_like(noise), where=known)
    known &= errors > 0.0
    likely, left = before.mean[found.arms], found.before
    if np.count_nonzero(known) >= 3:
        spread = total_variance(before.mean[known], errors[known])
        apart = 1.0 / (spread + errors[known])
        level = float(apart @ before.mean[known] / apart.sum())
        kept = spread / (spread + found.before)
        likely, left = level + kept * (likely - level), kept * found.before + (1.0 - kept) ** 2 / apart.sum()
    fair = (now.mean[found.arms] - likely) / np.sqrt(left + found.now)
    return max(chi_square_tail(float(scores @ scores), scores.size) for scores in (found.scores, fair))


def worth(before: Sums, spread: float, *, binary: bool) -> Floats:
    """Rows that a row of history counts as, if means have moved by ``spread`` since: H rows are worth H / (1 + H d^2 / v).

    Args:
        before: Sums of each arm in the history.
        spread: Standard deviation d of the arms' changes.
        binary: Whether rewards are 0 and 1.

    Returns:
        A share for each arm.
    """
    noise = np.maximum(before.variances(binary=binary), 1e-300)
    return np.asarray(1.0 / (1.0 + before.rows * spread * spread / noise))
