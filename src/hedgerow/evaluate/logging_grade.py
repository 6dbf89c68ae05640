"""How far a log can be believed: how its arms were chosen decides what may be said."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..core.types import Floats, Integers
from ..inference.significance import chi_square_tail
from ..present.numbers import numeral
from .settings import GRADE

if TYPE_CHECKING:
    from ..data.log import Log


@dataclass(frozen=True)
class Check:
    """How arms were chosen, in one respect.

    Args:
        what: In words.
        measure: Cramer's V, or a coefficient of variation.
        size: Of the effect.
        p: The probability of so large a one by chance.
    """

    what: str
    measure: Literal["V", "CV"]
    size: float
    p: float

    @property
    def passed(self) -> bool:
        """Whether the effect is small, or could well be chance."""
        limit = GRADE.most_association if self.measure == "V" else GRADE.most_variation
        return self.size <= limit or self.p >= GRADE.least_p


@dataclass(frozen=True)
class Grade:
    """How far a log can be believed.

    Args:
        letter: A: arms chosen at random; B: with known propensities; C: neither.
        assumed: Whether that is only as far as the log can show.
        uniform: Whether arms were chosen evenly.
        checks: Whether they were chosen independently of each context and of time.
        unchecked: Whether no arm has rows enough to tell if the propensities are right.
    """

    letter: Literal["A", "B", "C"]
    assumed: bool
    uniform: Check
    checks: tuple[Check, ...]
    unchecked: bool = False

    @property
    def near_uniform(self) -> bool:
        """Whether arms were chosen about evenly."""
        return self.uniform.passed


def association(first: Integers, second: Integers) -> tuple[float, float]:
    """Bias-corrected Cramer's V of two columns, and the p-value of chi-square.

    V^2 = max(0, X2 / n - (r - 1)(c - 1) / (n - 1)) / min(r' - 1, c' - 1), r' = r - (r - 1)^2 / (n - 1).

    Args:
        first: Categories as numbers from 0.
        second: The same of another column.

    Returns:
        V and p.
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
    """CV = sqrt(max(0, (X2 - (K - 1)) / n)) of the arms' counts against equal ones, and its p-value.

    Args:
        counts: Rows of each arm.

    Returns:
        CV and p.
    """
    n, arms = float(counts.sum()), counts.size
    square = float(((counts - n / arms) ** 2).sum() / (n / arms))
    return float(np.sqrt(max(0.0, (square - (arms - 1)) / n))), chi_square_tail(square, arms - 1)


def binned(column: np.ndarray[Any, Any]) -> Integers:
    """Categories as numbers, rare ones together; numbers with many values in five quantile bins.

    Args:
        column: Of a log.

    Returns:
        Numbers from 0.
    """
    values, codes, counts = np.unique(column, return_inverse=True, return_counts=True)
    codes = codes.astype(np.int64).ravel()
    if column.dtype.kind in "fiu" and values.size > GRADE.few_values:
        edges = np.unique(np.quantile(column, np.linspace(0.0, 1.0, GRADE.context_bins + 1)[1:-1]))
        return np.searchsorted(edges, column, side="left").astype(np.int64)
    if values.size > GRADE.most_categories:
        rank = np.argsort(np.argsort(-counts, kind="stable"), kind="stable")
        return np.asarray(np.minimum(rank, GRADE.most_categories - 1)[codes], dtype=np.int64)
    return codes


def checked(log: "Log") -> tuple[Check, tuple[Check, ...]]:
    """Whether arms were chosen evenly, and independently of each context column and of time.

    Args:
        log: The log.

    Returns:
        The first check, and the others.
    """
    counts = np.bincount(log.arm, minlength=len(log.arms)).astype(np.float64)
    uniform = Check("arms chosen evenly", "CV", *variation(counts))
    slices = np.arange(log.arm.size) * GRADE.time_slices // log.arm.size
    columns = {**{f"arm and {name}": binned(column) for name, column in log.context.items()}, "arm and time": slices}
    return uniform, tuple(Check(what, "V", *association(log.arm, column)) for what, column in columns.items())


def graded(log: "Log", *, logging: str | None) -> Grade:
    """The grade of evidence.

    Args:
        log: The log.
        logging: "random" if arms are known to have been drawn by chance alone.

    Returns:
        The grade.

    Raises:
        ValueError: ``logging`` is something else, or the propensities do not fit the log.
    """
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
    """Refuse propensities that differ between rows of an arm: then it was not drawn by chance alone.

    Args:
        arm: Of each row.
        propensity: Of each row.

    Raises:
        ValueError: They differ.
    """
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
    """Refuse propensities that cannot be right.

    Each arm's sum of 1 / p must be the number of rows, and so the mean of 1 / p over all rows the number of arms.

    Within three standard errors, with a margin for looking at many arms; arms that happen to have no row are allowed for. Only
    arms with a hundred effective rows can tell that sums are too small: others may lack the rare rows of large weight, which
    are then not in their error either; nor are the rounds in which an arm was improbable and not drawn. Of many rows, though, a
    mean of half the number of arms is too small in any case. A log may have rounded its propensities by a percent or two.

    Args:
        log: With propensities.

    Returns:
        Whether most arms have rows enough to tell.

    Raises:
        ValueError: They cannot be right.
    """
    assert log.propensity is not None
    w, n, arms = 1.0 / log.propensity, log.arm.size, len(log.arms)
    if arms > 1 and w.max() == 1.0:
        raise ValueError("every propensity is 1: nothing was drawn when this was logged, so leave the column out")
    sums, squares = (np.bincount(log.arm, weights=part, minlength=arms) for part in (w, w * w))
    known = (sums > 0.0) & (sums * sums >= GRADE.least_effective * squares)
    found, expected = float(w[known[log.arm]].sum() / n), int(known.sum())
    error = float(np.sqrt(w.var() / n))
    unseen = float((w * (1.0 - log.propensity) ** n).mean())  # expected number of arms without a row
    most = arms + unseen + GRADE.misfit * (error + np.sqrt(unseen)) + GRADE.rounded * arms
    few = n >= GRADE.many_rows * arms and w.mean() + GRADE.misfit * error < 0.5 * arms
    if found < expected - GRADE.misfit * error - GRADE.rounded * arms or few or w.mean() > most:
        raise ValueError(
            f"propensities do not fit the log: the mean of 1 / propensity is {numeral(w.mean())} (standard error "
            f"{numeral(error, 2)}), it should be the number of arms, {arms}; check that it is the chance of the logged arm in "
            "its context, not of a reward or a position, and that each arm could be chosen in every context"
        )
    most_off = GRADE.misfit + np.sqrt(2.0 * np.log(max(arms, 2)))
    never_drawn = 0.5 * most_off**2 / -np.log1p(-min(1.0 / w.max(), 0.999))  # rounds of least propensity, by the same chance
    apart = np.where(sums < n, n - sums - never_drawn, sums - n) - GRADE.rounded * n
    off = np.where(known, np.maximum(apart, 0.0) / np.sqrt(np.maximum(squares - n, 1.0)), 0.0)
    worst = int(off.argmax())
    if off[worst] > most_off:
        raise ValueError(
            f"propensities do not fit the log: those of arm {log.arms[worst]!r} stand for {sums[worst]:,.0f} rows, "
            f"where each arm should stand for all {n:,}; check the column, or leave it out"
        )
    return bool(2 * expected >= arms)
