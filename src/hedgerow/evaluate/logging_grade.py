"""How far a log can be believed: how its arms were chosen decides what may be said."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..core.types import Floats, Integers
from ..inference.chi_square import chi_square_tail
from ..present.numbers import numeral

if TYPE_CHECKING:
    from ..data.log import Log

LARGEST_ASSOCIATION, LARGEST_VARIATION, LEAST_P = 0.05, 0.15, 0.001
"""A check passes by the size of an effect, or if it could well be chance: in a large log every trifle is significant."""

CONTEXT_BINS, TIME_SLICES, MOST_CATEGORIES = 5, 7, 50
FEW_VALUES = 10
"""A number with so few values is a category."""

MISFIT = 3.0
"""Standard errors by which propensities may miss their sum."""

ROUNDED, MANY = 0.02, 20
"""Share by which propensities may be off, and rows an arm that are many."""

LEAST_EFFECTIVE = 100.0
"""Effective rows of an arm from which on its own propensities are looked at."""


@dataclass(frozen=True)
class Check:
    """The size of an effect and its p-value; it passes if the effect is small or could well be chance."""

    what: str
    measure: Literal["V", "CV"]
    size: float
    p: float

    @property
    def passed(self) -> bool:
        limit = LARGEST_ASSOCIATION if self.measure == "V" else LARGEST_VARIATION
        return self.size <= limit or self.p >= LEAST_P


@dataclass(frozen=True)
class Grade:
    """A: arms chosen at random; B: with known propensities; C: neither. ``assumed``: as far as the log can show.

    ``unchecked``: no arm has rows enough to tell whether the propensities are right.
    """

    letter: Literal["A", "B", "C"]
    assumed: bool
    uniform: Check
    checks: tuple[Check, ...]
    unchecked: bool = False

    @property
    def near_uniform(self) -> bool:
        return self.uniform.passed


def association(first: Integers, second: Integers) -> tuple[float, float]:
    """Bias-corrected Cramer's V of two columns of numbers from 0, and the p-value of chi-square.

    V^2 = max(0, X2 / n - (r - 1)(c - 1) / (n - 1)) / min(r' - 1, c' - 1), r' = r - (r - 1)^2 / (n - 1).
    """
    table = np.bincount(first * (int(second.max()) + 1) + second, minlength=(int(first.max()) + 1) * (int(second.max()) + 1))
    counts = table.reshape(int(first.max()) + 1, int(second.max()) + 1).astype(np.float64)
    counts = counts[counts.sum(axis=1) > 0.0][:, counts.sum(axis=0) > 0.0]
    n, (r, c) = counts.sum(), counts.shape
    if r < 2 or c < 2 or n < 3:
        return 0.0, 1.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n
    square = float(((counts - expected) ** 2 / expected).sum())
    excess = max(0.0, square / n - (r - 1) * (c - 1) / (n - 1))
    room = min(r - 1 - (r - 1) ** 2 / (n - 1), c - 1 - (c - 1) ** 2 / (n - 1))
    size = float(np.sqrt(excess / room)) if room > 0.0 else 0.0
    return size, chi_square_tail(square, (r - 1) * (c - 1))


def variation(counts: Floats) -> tuple[float, float]:
    """CV = sqrt(max(0, (X2 - (K - 1)) / n)) of the arms' counts against equal ones, and its p-value."""
    n, arms = float(counts.sum()), counts.size
    square = float(((counts - n / arms) ** 2).sum() / (n / arms))
    return float(np.sqrt(max(0.0, (square - (arms - 1)) / n))), chi_square_tail(square, arms - 1)


def binned(column: np.ndarray[Any, Any]) -> Integers:
    """Categories as numbers, rare ones together; numbers with many values in five quantile bins."""
    values, codes, counts = np.unique(column, return_inverse=True, return_counts=True)
    codes = codes.astype(np.int64).ravel()
    if column.dtype.kind in "fiu" and values.size > FEW_VALUES:
        edges = np.unique(np.quantile(column, np.linspace(0.0, 1.0, CONTEXT_BINS + 1)[1:-1]))
        return np.searchsorted(edges, column, side="left").astype(np.int64)
    if values.size > MOST_CATEGORIES:
        rank = np.argsort(np.argsort(-counts, kind="stable"), kind="stable")
        return np.asarray(np.minimum(rank, MOST_CATEGORIES - 1)[codes], dtype=np.int64)
    return codes


def checked(log: "Log") -> tuple[Check, tuple[Check, ...]]:
    """Whether arms were chosen evenly, and independently of each context column and of time."""
    counts = np.bincount(log.arm, minlength=len(log.arms)).astype(np.float64)
    uniform = Check("arms chosen evenly", "CV", *variation(counts))
    slices = np.arange(log.arm.size) * TIME_SLICES // log.arm.size
    columns = {**{f"arm and {name}": binned(column) for name, column in log.context.items()}, "arm and time": slices}
    return uniform, tuple(Check(what, "V", *association(log.arm, column)) for what, column in columns.items())


def graded(log: "Log", *, logging: str | None) -> Grade:
    """The grade of evidence; raises if propensities do not fit the log."""
    if logging not in (None, "random"):
        raise ValueError(f"logging must be 'random' (arms were drawn by chance alone) or left out, got {logging!r}")
    uniform, checks = checked(log)
    p, unchecked = log.propensity, False
    if p is not None:
        unchecked = not check_propensities(log)
        if logging == "random":
            check_random(log.arm, p)
    if logging == "random" or (p is not None and np.ptp(p) <= 1e-9 * p.max()):
        return Grade("A", False, uniform, checks)
    if p is not None:
        return Grade("B", False, uniform, checks, unchecked)
    return Grade("A" if all(check.passed for check in checks) else "C", True, uniform, checks)


def check_random(arm: Integers, propensity: Floats) -> None:
    """Raise if an arm was likelier in some rows than in others: then it was not drawn by chance alone."""
    arms = int(arm.max()) + 1
    low, high = np.full(arms, np.inf), np.zeros(arms)
    np.minimum.at(low, arm, propensity)
    np.maximum.at(high, arm, propensity)
    if (high > low * (1.0 + 1e-9)).any():
        raise ValueError(
            "logging='random' says that arms were drawn by chance alone, but propensities differ between rows of one arm: "
            "leave logging out, and they are used"
        )


def check_propensities(log: "Log") -> bool:
    """Raise if propensities cannot be right; whether most arms have rows enough to tell.

    Each arm's sum of 1 / p must be the number of rows, and so the mean of 1 / p over all rows the number of arms.

    Within three standard errors, with a margin for looking at many arms; arms that happen to have no row are allowed for. Only
    arms with a hundred effective rows can tell that sums are too small: others may lack the rare rows of large weight, which
    are then not in their error either. Of many rows, though, a mean of half the number of arms is too small in any case. A log
    may have rounded its propensities by a percent or two.
    """
    assert log.propensity is not None
    w, n, arms = 1.0 / log.propensity, log.arm.size, len(log.arms)
    sums, squares = (np.bincount(log.arm, weights=part, minlength=arms) for part in (w, w * w))
    known = (sums > 0.0) & (sums * sums >= LEAST_EFFECTIVE * squares)
    found, expected = float(w[known[log.arm]].sum() / n), int(known.sum())
    error = float(np.sqrt(w.var() / n))
    unseen = float((w * (1.0 - log.propensity) ** n).mean())  # expected number of arms without a row
    most = arms + unseen + MISFIT * (error + np.sqrt(unseen)) + ROUNDED * arms
    few = n >= MANY * arms and w.mean() + MISFIT * error < 0.5 * arms
    if found < expected - MISFIT * error - ROUNDED * arms or few or w.mean() > most:
        raise ValueError(
            f"propensities do not fit the log: the mean of 1 / propensity is {numeral(w.mean())} (standard error "
            f"{numeral(error, 2)}), it should be the number of arms, {arms}; check that it is the chance of the logged arm in "
            "its context, not of a reward or a position, and that each arm could be chosen in every context"
        )
    off = np.where(known, np.maximum(np.abs(sums - n) - ROUNDED * n, 0.0) / np.sqrt(np.maximum(squares - n, 1.0)), 0.0)
    worst = int(off.argmax())
    if off[worst] > MISFIT + np.sqrt(2.0 * np.log(max(arms, 2))):
        raise ValueError(
            f"propensities do not fit the log: those of arm {log.arms[worst]!r} stand for {sums[worst]:,.0f} rows, "
            f"where each arm should stand for all {n:,}; check the column, or leave it out"
        )
    return bool(2 * expected >= arms)
