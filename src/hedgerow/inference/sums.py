"""Rewards of each arm as sums, plain or weighted by propensities, and what they say of the noise."""

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from ..core.noise import shrunken_noise
from ..core.settings import Number
from ..core.types import Floats, Integers


class NoiseSettings(NamedTuple):
    """How the noise of arms that were played little is borrowed from the others."""

    borrowed: Annotated[
        float,
        Number(
            "degrees of freedom that an arm's own noise borrows from the typical one",
            unit="rows",
            origin="chosen: as the prior of Auto without contexts; not tuned",
        ),
    ] = 5.0
    borrowed_events: Annotated[
        float,
        Number(
            "events at the overall rate that an arm of 0/1 rewards borrows, so that no arm is certain for lack of events",
            unit="events",
            origin="with none, no event in 60 rows makes an arm 13 times too certain",
        ),
    ] = 2.0


SETTINGS = NoiseSettings()


@dataclass(frozen=True)
class Sums:
    """The sums of each arm.

    Args:
        rows: How many rows; with propensities, effective ones.
        total: Sum of rewards.
        squares: Sum of squared rewards.
    """

    rows: Floats
    total: Floats
    squares: Floats

    @property
    def mean(self) -> Floats:
        """Mean reward of each arm; 0 without rows."""
        return np.divide(self.total, self.rows, out=np.zeros_like(self.total), where=self.rows > 0.0)

    @property
    def overall(self) -> float:
        """Mean reward of all rows."""
        return float(self.total.sum() / max(self.rows.sum(), 1e-300))

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(self.rows + other.rows, self.total + other.total, self.squares + other.squares)

    def times(self, weight: Floats) -> "Sums":
        """The sums, each row of an arm counted as ``weight`` rows.

        Args:
            weight: Of each arm.

        Returns:
            New sums.
        """
        return Sums(weight * self.rows, weight * self.total, weight * self.squares)

    def noise_known(self, *, binary: bool) -> bool:
        """Whether the noise can be told: an arm has two rewards, or they are 0 and 1, whose rate tells their noise.

        Args:
            binary: Whether rewards are 0 and 1.

        Returns:
            True if it can.
        """
        return binary or bool(self.rows.max(initial=0.0) > 1.0)

    def noise(self) -> Floats:
        """Variance of an arm's rewards: its own, drawn to the typical one of all arms (core/noise.py).

        Returns:
            A variance for each arm.
        """
        noise: Floats = self._noise()[0]
        return noise

    def _noise(self) -> tuple[Floats, Floats]:
        """Noise of each arm, and the degrees of freedom behind it."""
        rows, total, squares = (np.ascontiguousarray(part) for part in (self.rows, self.total, self.squares))
        return shrunken_noise(rows, total, squares, SETTINGS.borrowed)

    def rates(self) -> Floats:
        """Rates of 0/1 rewards, drawn to the overall one as by some events.

        Returns:
            A rate for each arm, below 1.
        """
        overall, events = min(max(self.overall, 1e-12), 1.0), SETTINGS.borrowed_events
        return np.minimum((self.total + events) / (self.rows + events / overall), 1.0 - 1e-9)

    def variances(self, *, binary: bool) -> Floats:
        """Variance of a single reward of each arm.

        Args:
            binary: Whether rewards are 0 and 1.

        Returns:
            A variance for each arm.
        """
        rates = self.rates()
        return rates * (1.0 - rates) if binary else self.noise()

    def errors(self, *, binary: bool) -> Floats:
        """Variance of each arm's mean; that of Student's t where the noise is an estimate too.

        Args:
            binary: Whether rewards are 0 and 1.

        Returns:
            A variance for each arm; of an arm without rows that of one row.
        """
        rows = np.where(self.rows > 0.0, self.rows, 1.0)
        if binary:
            return np.asarray(self.variances(binary=True) / rows)
        noise, freedom = self._noise()
        return np.asarray(student_variance(noise, freedom) / rows)


def student_variance(noise: Any, freedom: Any) -> Any:
    """Variance of a Student's t whose scale is an estimated noise.

    Args:
        noise: The estimated variance, or an array of such.
        freedom: Degrees of freedom behind it, more than 2.

    Returns:
        The variance.
    """
    return noise * freedom / (freedom - 2.0)


def tally(arm: Integers, reward: Floats, arms: int) -> Sums:
    """Plain sums of logged rows.

    Args:
        arm: The arm of each row, as a number.
        reward: Its reward.
        arms: How many arms there are.

    Returns:
        The sums of each arm.
    """
    return Sums(*(summed(arm, part, arms) for part in (np.ones(arm.size), reward, reward * reward)))


def summed(group: Integers, values: Floats, groups: int) -> Floats:
    """Sums of values by group.

    Args:
        group: The group of each value, as a number.
        values: The values.
        groups: How many groups there are.

    Returns:
        A sum for each group.
    """
    sums: Floats = np.bincount(group, weights=values, minlength=groups).astype(np.float64)
    return sums


def weighted(weight: Floats, total: Floats, squares: Floats, weight_squares: Floats) -> Sums:
    """Self-normalised sums: means sum(w r) / sum(w), and as many effective rows as (sum w)^2 / sum w^2.

    Args:
        weight: Sum of the weights w of each arm.
        total: Sum of w r.
        squares: Sum of w r^2.
        weight_squares: Sum of w^2.

    Returns:
        The sums of as many rows as count.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        rows = np.where(weight > 0.0, weight * weight / weight_squares, 0.0)
        mean, square = (np.where(weight > 0.0, part / weight, 0.0) for part in (total, squares))
    return Sums(rows, mean * rows, square * rows)


def tally_weighted(arm: Integers, reward: Floats, propensity: Floats, arms: int) -> Sums:
    """Sums of logged rows, weighted by 1 / propensity.

    Args:
        arm: The arm of each row, as a number.
        reward: Its reward.
        propensity: The probability with which it was chosen.
        arms: How many arms there are.

    Returns:
        The sums of each arm, of effective rows.
    """
    w = 1.0 / propensity
    return weighted(*(summed(arm, part, arms) for part in (w, w * reward, w * reward * reward, w * w)))


def numbered(labels: tuple[object, ...]) -> Integers:
    """The group of each arm as a number, in the order of first appearance.

    Args:
        labels: The group of each arm.

    Returns:
        Numbers from 0.
    """
    number: dict[object, int] = {}
    return np.array([number.setdefault(label, len(number)) for label in labels], dtype=np.int64)
