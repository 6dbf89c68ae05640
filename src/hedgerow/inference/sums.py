"""Rewards of each arm as sums, plain or weighted by propensities."""

from dataclasses import dataclass

import numpy as np

from ..core.types import Floats, Integers

MOST_FREEDOM = 3.0
"""Degrees of freedom of one arm in the pooled noise: pooling by plays lets the leader's noise count for all."""

BORROWED = 5.0
"""Degrees of freedom that an arm's own noise borrows from the pooled one."""


@dataclass(frozen=True)
class Sums:
    """Rows (with propensities: effective rows), rewards and squared rewards of each arm."""

    rows: Floats
    total: Floats
    squares: Floats

    @property
    def mean(self) -> Floats:
        """Of each arm; 0 without rows."""
        return np.divide(self.total, self.rows, out=np.zeros_like(self.total), where=self.rows > 0.0)

    @property
    def overall(self) -> float:
        return float(self.total.sum() / max(self.rows.sum(), 1e-300))

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(self.rows + other.rows, self.total + other.total, self.squares + other.squares)

    def noise_known(self, *, binary: bool) -> bool:
        """Whether an arm has two rewards, or they are 0 and 1, whose rate tells their noise."""
        return binary or bool(self.rows.max(initial=0.0) > 1.0)

    def noise(self) -> Floats:
        """Variance of an arm's rewards: its own, shrunk to the pooled one by as much as five rows would."""
        freedom = np.maximum(self.rows - 1.0, 0.0)
        residual = np.maximum(self.squares - self.rows * self.mean**2, 0.0)
        weight = np.divide(np.minimum(freedom, MOST_FREEDOM), freedom, out=np.zeros_like(freedom), where=freedom > 0.0)
        pooled = float((weight * residual).sum() / max((weight * freedom).sum(), 1e-300))
        return (residual + BORROWED * pooled) / (freedom + BORROWED)

    def rates(self) -> Floats:
        """Rates of 0/1 rewards, shrunk to the overall one as by two events: no arm is certain for lack of events."""
        overall = min(max(self.overall, 1e-12), 1.0)
        return np.minimum((self.total + 2.0) / (self.rows + 2.0 / overall), 1.0 - 1e-9)

    def variances(self, *, binary: bool) -> Floats:
        """Of a single reward of each arm."""
        rates = self.rates()
        return rates * (1.0 - rates) if binary else self.noise()

    def errors(self, *, binary: bool) -> Floats:
        """Variance of each arm's mean; that of Student's t, since the noise is an estimate too."""
        freedom = np.maximum(self.rows - 1.0, 0.0) + BORROWED
        student = 1.0 if binary else freedom / (freedom - 2.0)
        return np.asarray(student * self.variances(binary=binary) / np.where(self.rows > 0.0, self.rows, 1.0))


def tally(arm: Integers, reward: Floats, arms: int) -> Sums:
    """Plain sums."""
    return Sums(*(summed(arm, part, arms) for part in (np.ones(arm.size), reward, reward * reward)))


def summed(group: Integers, values: Floats, groups: int) -> Floats:
    """Sums of values by group."""
    sums: Floats = np.bincount(group, weights=values, minlength=groups).astype(np.float64)
    return sums


def weighted(weight: Floats, total: Floats, squares: Floats, weight_squares: Floats) -> Sums:
    """Self-normalised sums: means sum(w r) / sum(w), and as many effective rows as (sum w)^2 / sum w^2."""
    with np.errstate(invalid="ignore", divide="ignore"):
        rows = np.where(weight > 0.0, weight * weight / weight_squares, 0.0)
        mean, square = (np.where(weight > 0.0, part / weight, 0.0) for part in (total, squares))
    return Sums(rows, mean * rows, square * rows)


def tally_weighted(arm: Integers, reward: Floats, propensity: Floats, arms: int) -> Sums:
    """Sums weighted by 1 / propensity."""
    w = 1.0 / propensity
    return weighted(*(summed(arm, part, arms) for part in (w, w * reward, w * reward * reward, w * w)))


def numbered(labels: tuple[object, ...]) -> Integers:
    """The group of each arm as a number, in the order of first appearance."""
    number: dict[object, int] = {}
    return np.array([number.setdefault(label, len(number)) for label in labels], dtype=np.int64)


def is_binary(reward: Floats) -> bool:
    """Whether all rewards are 0 or 1."""
    return bool(((reward == 0.0) | (reward == 1.0)).all())
