"""Statistics over problems, with bootstrap intervals."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks.wild.scores import Scores

FLOOR = 0.01
"""Added to every score before ratios: below a hundredth of random play's regret nothing counts."""

NEAR_BEST = 1.2
"""Ratio to the best up to which a policy is near it."""

FAR, BAD = 5.0, 0.05
"""A disaster has a ratio to the best above the first, and a score above the second."""

RESAMPLES = 1000
"""Bootstrap samples of the problems."""

BOOTSTRAP_SEED = 2026


class Estimate(NamedTuple):
    """A number and the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    def text(self, digits: int = 2) -> str:
        """Such as "1.05 [0.98, 1.11]"."""
        return f"{self.value:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]"

    def percent(self) -> str:
        """Such as "12 % [9, 16]"."""
        return f"{100 * self.value:.0f} % [{100 * self.low:.0f}, {100 * self.high:.0f}]"


def estimate(values: np.ndarray, then: Callable[[np.ndarray], np.ndarray] = np.asarray) -> Estimate:
    """Return the mean over problems with its bootstrap interval.

    Args:
        values: One for each problem.
        then: What is done to the mean, such as np.exp.

    Returns:
        The mean; nan without problems.
    """
    if values.size == 0:
        return Estimate(np.nan, np.nan, np.nan)
    drawn = np.random.default_rng(BOOTSTRAP_SEED).integers(values.size, size=(RESAMPLES, values.size))
    low, high = np.percentile(then(values[drawn].mean(axis=1)), (2.5, 97.5))
    return Estimate(float(then(values.mean())), float(low), float(high))


def geometric_mean(values: np.ndarray) -> Estimate:
    """Return the geometric mean over problems with its bootstrap interval.

    Args:
        values: One for each problem, all above 0.

    Returns:
        The geometric mean.
    """
    return estimate(np.log(values), np.exp)


def floored(scores: np.ndarray) -> np.ndarray:
    """Return scores as they count in ratios.

    Args:
        scores: Any.

    Returns:
        The scores with FLOOR added.
    """
    return scores + FLOOR


def ratio_to_best(scores: Scores, policy: str) -> np.ndarray:
    """Return a policy's regret over that of the best policy of each problem.

    Args:
        scores: Of the problems.
        policy: Its name.

    Returns:
        At least 1, one for each problem.
    """
    return floored(scores.of(policy)) / floored(np.nanmin(scores.values, axis=1))


def ratio(scores: Scores, policy: str, other: str) -> Estimate:
    """Return the geometric mean of a policy's regret over another's.

    Args:
        scores: Of the problems.
        policy: Its name.
        other: Name of the other.

    Returns:
        Below 1 if the policy has less regret.
    """
    return geometric_mean(floored(scores.of(policy)) / floored(scores.of(other)))


def near_best(scores: Scores, policy: str) -> Estimate:
    """Return in which share of problems a policy is near the best.

    Args:
        scores: Of the problems.
        policy: Its name.

    Returns:
        A share.
    """
    return estimate((ratio_to_best(scores, policy) < NEAR_BEST).astype(float))


def disasters(scores: Scores, policy: str) -> Estimate:
    """Return in which share of problems a policy is far from the best, and bad.

    Args:
        scores: Of the problems.
        policy: Its name.

    Returns:
        A share.
    """
    return estimate(((ratio_to_best(scores, policy) > FAR) & (scores.of(policy) > BAD)).astype(float))
