"""Coefficients before and now, arm by arm, from ridge sums: whether one regression does for both times (Chow's test)."""

from collections.abc import Mapping
from typing import Annotated, NamedTuple

import numpy as np

from ..core.noise import shrunken
from ..core.settings import Number
from ..core.sums import PLAYS, SCALARS, SQUARES, TOTAL, second_moments
from ..core.types import Floats
from .shift import SETTINGS as SHIFT
from .sums import SETTINGS as NOISE
from .sums import student_variance


class CoefficientSettings(NamedTuple):
    """Directions in which contexts say nothing."""

    least_root: Annotated[
        float,
        Number(
            "least eigenvalue of an arm's scaled contexts from which on coefficients are told apart in its direction",
            unit="largest eigenvalue",
            origin="rounding: sums of thousands of rounds are off by 1e-12 or so; not tuned",
        ),
    ] = 1e-9
    constant: Annotated[
        float,
        Number("how near a sum of columns must come to 1 to count as constant", unit="1", origin="rounding, as above; not tuned"),
    ] = 1e-6


SETTINGS = CoefficientSettings()


class Regression(NamedTuple):
    """A regression of rewards on contexts and a level. Where contexts do not tell coefficients apart, those of least length.

    Args:
        theta: The coefficients, the level last.
        rank: Directions in which there is something to learn.
        explained: Sum of squares that it explains.
        left: Sum of squares that it leaves.
    """

    theta: Floats
    rank: int
    explained: float
    left: float


class Pair(NamedTuple):
    """An arm before and now.

    Args:
        before: Its regression before.
        now: Its regression now.
        change: Squares that one regression for both leaves unexplained beyond two.
        freedom: Number of directions compared.
        rounds: Of both times.
    """

    before: Regression
    now: Regression
    change: float
    freedom: int
    rounds: float

    @property
    def spare(self) -> float:
        """Rounds beyond the coefficients."""
        return self.rounds - self.before.rank - self.now.rank


def regression(row: Floats, dimension: int) -> Regression:
    """Least squares from a row of sums, each column in a unit of its own.

    Args:
        row: Sums of an arm (core/sums.py).
        dimension: Numbers in a context.

    Returns:
        The regression.
    """
    scaled, unit = _scaled(_levelled(row[None], dimension)[0])
    roots, basis = np.linalg.eigh(scaled)
    kept = roots > SETTINGS.least_root * roots[-1]
    moment = np.append(row[SCALARS : SCALARS + dimension], row[TOTAL])
    along = basis[:, kept].T @ (moment / unit)
    theta = basis[:, kept] @ (along / roots[kept]) / unit
    explained = float(along @ (along / roots[kept]))
    return Regression(theta, int(kept.sum()), explained, max(float(row[SQUARES]) - explained, 0.0))


def pairs(before: Floats, now: Floats, plays: Floats, dimension: int) -> dict[int, Pair]:
    """The arms with more rounds than coefficients, before and now.

    Args:
        before: Sums of each arm before, which may be weighed.
        now: The same now.
        plays: Plays of each arm, before and now (2 x arms).
        dimension: Numbers in a context.

    Returns:
        A pair for each of these arms, by its number.
    """
    found = {}
    for k in np.flatnonzero((plays > SHIFT.least_rows).all(axis=0)).tolist():
        first, second, both = (regression(row, dimension) for row in (before[k], now[k], before[k] + now[k]))
        freedom = first.rank + second.rank - both.rank
        if freedom > 0 and plays[0, k] > first.rank + 1 and plays[1, k] > second.rank + 1:
            change = max(first.explained + second.explained - both.explained, 0.0)
            found[k] = Pair(first, second, change, freedom, float(plays[:, k].sum()))
    return found


def noise_of(found: Mapping[int, Pair]) -> dict[int, float]:
    """Variance of each arm's rewards around its regressions, drawn to that of all arms; that of Student's t, for an estimate.

    Args:
        found: The arms before and now.

    Returns:
        A variance for each arm.
    """
    left = {k: pair.before.left + pair.now.left for k, pair in found.items()}
    typical = sum(left.values()) / max(sum(pair.spare for pair in found.values()), 1.0)
    variances = {}
    for k, pair in found.items():
        freedom = pair.spare + NOISE.borrowed
        variances[k] = float(student_variance(shrunken(left[k], pair.spare, typical, NOISE.borrowed), freedom))
    return variances


def levelless(row: Floats, dimension: int) -> bool:
    """Whether no sum of the contexts' columns is constant: how near these come to 1, by least squares over all rounds.

    Args:
        row: Sums over all rounds.
        dimension: Numbers in a context.

    Returns:
        True if so, and there are rounds enough to tell.
    """
    moments = _levelled(row[None], dimension)[0]
    if moments[-1, -1] <= dimension:
        return False
    scaled, _ = _scaled(moments)
    near = scaled[-1, :-1] @ np.linalg.lstsq(scaled[:-1, :-1], scaled[:-1, -1], rcond=None)[0]
    return bool(near < 1.0 - SETTINGS.constant)


def _levelled(rows: Floats, d: int) -> Floats:
    """sum z z' of z = (x, 1)."""
    moments = np.zeros((len(rows), d + 1, d + 1))
    moments[:, :d, :d] = second_moments(rows, d)
    moments[:, :d, d] = moments[:, d, :d] = rows[:, -d:]
    moments[:, d, d] = rows[:, PLAYS]
    return moments


def _scaled(moments: Floats) -> tuple[Floats, Floats]:
    """The moments with every column in a unit of its own, and these units."""
    unit = np.sqrt(np.diagonal(moments))
    unit = np.where(unit > 0.0, unit, 1.0)
    return moments / np.outer(unit, unit), unit
