"""Intervals for the difference between two policies that learn."""

from typing import NamedTuple

import numpy as np

from ..core.types import Floats

CLOSE = 0.07
"""Share of an interval's length: so near 0, an end may lie on its other side with another seed (the 5 % quantile of 200 draws has
a standard error of 0.15 standard deviations, an interval a length of 3.3)."""

ALIKE = 0.05
"""Share of worlds in which two policies decide alike from which on a gain of exactly 0 is in the interval."""


class Gain(NamedTuple):
    """A gain per 1000 decisions and its 90 % interval."""

    value: float
    low: float
    high: float

    @property
    def error(self) -> float:
        """Standard error, as if the interval were a normal one."""
        return (self.high - self.low) / (2.0 * 1.645)

    @property
    def close(self) -> bool:
        """Whether an end is so near 0 that another seed might put it on its other side."""
        return min(abs(self.low), abs(self.high)) < CLOSE * (self.high - self.low)

    def times(self, size: float) -> "Gain":
        """The same in a unit of which one is so many of the other."""
        return Gain(*(size * part for part in self))

    def __str__(self) -> str:
        return f"{self.value:+.1f} ({self.low:+.1f} to {self.high:+.1f})"


def parted(differences: Floats) -> tuple[float, float]:
    """Of differences (worlds x runs) the variance of the worlds' means, Vt, and the part that is luck of the runs, Ve / R."""
    runs = differences.shape[1]
    luck = float(differences.var(axis=1, ddof=1).mean()) / runs if runs > 1 else 0.0
    return float(differences.mean(axis=1).var(ddof=1)), luck


def between(differences: Floats) -> float:
    """An upper limit on the variance between M worlds: max(Vt - Ve / R, 0) + 1.3 sqrt(2 / M) Vt, and at most Vt.

    The second term is what Vt can be too small by: without it, or taken together with the first, intervals collapse.
    """
    total, luck = parted(differences)
    return min(max(total - luck, 0.0) + 1.3 * float(np.sqrt(2.0 / len(differences))) * total, total)


def credible(differences: Floats) -> Gain:
    """From differences of draws x runs, the noise of the runs taken out as far as that is safe.

    2.7 Vt / M is the error of the mean over worlds, at 90 %.
    """
    world = differences.mean(axis=1)
    centre, total = float(world.mean()), parted(differences)[0]
    if total == 0.0:
        return Gain(centre, centre, centre)
    shrunk = centre + np.sqrt(between(differences) / total) * (world - centre)
    low, high = np.quantile(shrunk, [0.05, 0.95])
    if np.mean((differences == 0.0).all(axis=1)) >= ALIKE:
        low, high = min(low, 0.0), max(high, 0.0)
    slack = 2.7 * total / len(world)
    return Gain(
        centre, float(centre - np.hypot(centre - low, np.sqrt(slack))), float(centre + np.hypot(high - centre, np.sqrt(slack)))
    )


def hull(blind: Gain, grouped: Gain) -> Gain:
    """The widest interval of the two judges around the grouped one's centre."""
    return Gain(grouped.value, min(blind.low, grouped.low), max(blind.high, grouped.high))
