"""Intervals for the difference between two policies that learn."""

from typing import NamedTuple

import numpy as np

from ..types import Floats

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

    def __str__(self) -> str:
        return f"{self.value:+.1f} ({self.low:+.1f} to {self.high:+.1f})"


def credible(differences: Floats) -> Gain:
    """From differences of draws x runs, the noise of the runs taken out as far as that is safe.

    Vup = Vt (1 + 1.3 sqrt(2 / M)) - Ve / R is an upper limit on the variance between worlds: subtracting the noise from the
    variance itself makes intervals collapse. 2.7 Vt / M is the error of the mean over worlds, at 90 %.
    """
    draws, runs = differences.shape
    world = differences.mean(axis=1)
    centre, total = float(world.mean()), float(world.var(ddof=1))
    if total == 0.0:
        return Gain(centre, centre, centre)
    within = float(differences.var(axis=1, ddof=1).mean()) if runs > 1 else 0.0
    upper = total * (1.0 + 1.3 * np.sqrt(2.0 / draws)) - within / runs
    shrunk = centre + np.sqrt(np.clip(upper / total, 0.0, 1.0)) * (world - centre)
    low, high = np.quantile(shrunk, [0.05, 0.95])
    if np.mean((differences == 0.0).all(axis=1)) >= ALIKE:
        low, high = min(low, 0.0), max(high, 0.0)
    slack = 2.7 * total / draws
    return Gain(
        centre, float(centre - np.hypot(centre - low, np.sqrt(slack))), float(centre + np.hypot(high - centre, np.sqrt(slack)))
    )


def hull(blind: Gain, grouped: Gain) -> Gain:
    """The widest interval of the two judges around the grouped one's centre."""
    return Gain(grouped.value, min(blind.low, grouped.low), max(blind.high, grouped.high))
