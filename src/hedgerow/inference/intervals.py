"""Intervals: of draws, of values with odds, of means over trials, and of differences between policies over worlds and runs."""

import math
from statistics import NormalDist
from typing import Annotated, NamedTuple

import numpy as np

from ..core.settings import Number
from ..core.types import Floats
from ..present.numbers import numerals

LOW_END, MEDIAN, HIGH_END = 0.05, 0.5, 0.95
"""Quantiles of an estimate: the median, and the ends of a 90 % interval."""

REACH = NormalDist().inv_cdf(HIGH_END)
"""Half of a 90 % interval of a normal estimate, in standard errors."""


class WorldSettings(NamedTuple):
    """Intervals of a mean over worlds in which runs have luck of their own."""

    excess: Annotated[
        float,
        Number(
            "what the variance between worlds may be too small by",
            unit="its standard errors",
            origin="simulated logs of known truth: without it, intervals hold it in 73 % instead of 90",
        ),
    ] = 1.3
    alike: Annotated[
        float,
        Number(
            "share of worlds in which two policies decide alike from which on a difference of exactly 0 is in the interval",
            unit="1",
            origin="chosen: as much as lies beyond one end of the interval",
        ),
    ] = 0.05
    mean_slack: Annotated[
        float,
        Number(
            "squared error of the mean over M worlds that widens an interval",
            unit="variances of the worlds' means / M",
            origin="1.645^2, at 90 %",
        ),
    ] = 2.7


SETTINGS = WorldSettings()


class Estimate(NamedTuple):
    """A number with an interval, of 90 % if nothing else is said.

    Args:
        value: The number.
        low: The lower end.
        high: The upper end.
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        value, low, high = numerals(*self)
        return f"{value} ({low} to {high})"


def estimate(draws: Floats) -> Estimate:
    """Median and 90 % interval of draws.

    Args:
        draws: From a posterior.

    Returns:
        The estimate.
    """
    low, value, high = (float(part) for part in np.quantile(draws, [LOW_END, MEDIAN, HIGH_END]))
    return Estimate(value, low, high)


def weighted_estimate(values: Floats, odds: Floats) -> Estimate:
    """Median and 90 % interval of values that are not equally likely.

    Args:
        values: What may be.
        odds: How likely each is, up to a factor.

    Returns:
        The estimate.
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(odds[order]) / odds.sum()
    low, value, high = (float(values[order][np.searchsorted(reached, q)]) for q in (LOW_END, MEDIAN, HIGH_END))
    return Estimate(value, low, high)


def mean_interval(values: Floats) -> Estimate:
    """Mean of paired values with Student's 95 % interval.

    Args:
        values: One number of each trial.

    Returns:
        The estimate; its ends are infinite for a single trial.
    """
    mean = float(np.mean(values))
    if len(values) < 2:
        return Estimate(mean, -math.inf, math.inf)
    half = student_quantile(len(values) - 1) * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return Estimate(mean, mean - half, mean + half)


def student_quantile(freedom: int) -> float:
    """The 97.5 % quantile of Student's t: exact for 1 and 2 degrees of freedom, else by Cornish-Fisher, within 0.8 %.

    Args:
        freedom: Degrees of freedom.

    Returns:
        The quantile.
    """
    if freedom == 1:
        return math.tan(math.pi * 0.475)
    if freedom == 2:
        return 0.95 * math.sqrt(2.0 / (4.0 * 0.975 * 0.025))
    z = NormalDist().inv_cdf(0.975)
    first = (z**3 + z) / 4.0
    second = (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / 96.0
    third = (3.0 * z**7 + 19.0 * z**5 + 17.0 * z**3 - 15.0 * z) / 384.0
    return z + first / freedom + second / freedom**2 + third / freedom**3


def parted(differences: Floats) -> tuple[float, float]:
    """The variance of the worlds' means, and the part of it that is luck of the runs.

    Args:
        differences: Of two policies, worlds x runs.

    Returns:
        Vt = the variance of the means, and Ve / R.
    """
    runs = differences.shape[1]
    luck = float(differences.var(axis=1, ddof=1).mean()) / runs if runs > 1 else 0.0
    return float(differences.mean(axis=1).var(ddof=1)), luck


def variance_of_worlds(differences: Floats) -> float:
    """An upper limit on the variance between M worlds: max(Vt - Ve / R, 0) + 1.3 sqrt(2 / M) Vt, and at most Vt.

    The second term is what Vt can be too small by.

    Args:
        differences: Of two policies, worlds x runs.

    Returns:
        The variance.
    """
    total, luck = parted(differences)
    return min(max(total - luck, 0.0) + SETTINGS.excess * math.sqrt(2.0 / len(differences)) * total, total)


def credible(differences: Floats) -> Estimate:
    """A difference between two policies in worlds that a judge holds possible, the luck of the runs taken out as far as is safe.

    Args:
        differences: Worlds x runs.

    Returns:
        The mean and its 90 % interval.
    """
    world = differences.mean(axis=1)
    centre, total = float(world.mean()), parted(differences)[0]
    if total == 0.0:
        return Estimate(centre, centre, centre)
    shrunk = centre + np.sqrt(variance_of_worlds(differences) / total) * (world - centre)
    low, high = np.quantile(shrunk, [LOW_END, HIGH_END])
    if np.mean((differences == 0.0).all(axis=1)) >= SETTINGS.alike:
        low, high = min(low, 0.0), max(high, 0.0)
    slack = np.sqrt(SETTINGS.mean_slack * total / len(world))
    return Estimate(centre, float(centre - np.hypot(centre - low, slack)), float(centre + np.hypot(high - centre, slack)))


def bootstrapped(orders: Floats, bootstraps: Floats) -> Estimate:
    """A difference between two policies replayed on logged rows, the luck of the order taken out as far as is safe.

    Args:
        orders: The difference in each of many orders of the rows.
        bootstraps: The same on resampled rows, bootstraps x orders.

    Returns:
        The mean over orders and its 90 % interval.
    """
    reach = REACH * float(np.sqrt(variance_of_worlds(bootstraps) + orders.var(ddof=1) / orders.size))
    centre = float(orders.mean())
    return Estimate(centre, centre - reach, centre + reach)
