"""Significance: the tail of the chi-square distribution, and whether groups part the arms better than shuffled ones."""

import math
from typing import Annotated, NamedTuple

import numpy as np

from ..core.settings import Number
from ..core.types import Floats, Integers
from .sums import Sums


class PermutationSettings(NamedTuple):
    """The permutation test of a grouping, and what series are summed up to."""

    permutations: Annotated[
        int,
        Number(
            "shuffled groupings that the given one is compared with", unit="groupings", origin="chosen: p as small as 1 in 2000"
        ),
    ] = 1999
    most_cells: Annotated[
        int,
        Number("cells of a table of shuffled groupings, so that memory does not grow with arms", unit="numbers", origin="80 MB"),
    ] = 10_000_000
    terms: Annotated[
        int,
        Number("terms of a series, at most", unit="terms", origin="more than any sensible number of degrees of freedom needs"),
    ] = 100_000


SETTINGS = PermutationSettings()


def chi_square_tail(value: float, freedom: float) -> float:
    """The probability of at least ``value`` with ``freedom`` degrees of freedom, by the incomplete gamma function.

    Args:
        value: What a sum of squares came to.
        freedom: Degrees of freedom.

    Returns:
        A probability; 1 without degrees of freedom.

    Examples:
        >>> round(chi_square_tail(3.841, 1), 3), round(chi_square_tail(100.0, 80), 3)
        (0.05, 0.065)
    """
    if freedom <= 0.0 or value <= 0.0:
        return 1.0
    a, x = freedom / 2.0, value / 2.0
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    tail = 1.0 - front * _series(a, x) if x < a + 1.0 else front * _fraction(a, x)
    return min(max(tail, 0.0), 1.0)


def _series(a: float, x: float) -> float:
    """Abramowitz and Stegun 6.5.29, for x < a + 1."""
    term = total = 1.0 / a
    for k in range(1, SETTINGS.terms):
        term *= x / (a + k)
        total += term
        if term < 1e-15 * total:
            break
    return total


def _fraction(a: float, x: float) -> float:
    """Abramowitz and Stegun 6.5.31 by Lentz's method, for x >= a + 1."""
    b = x + 1.0 - a
    c, d = 1e300, 1.0 / b
    value = d
    for k in range(1, SETTINGS.terms):
        b += 2.0
        step = -k * (k - a)
        d = 1.0 / (step * d + b)
        c = b + step / c
        value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return value


def p_value(p: float) -> str:
    """A probability in words; the permutation test cannot go below 1 in 2000.

    Args:
        p: The probability.

    Returns:
        "p = ..." to two digits, or "p < 0.001".

    Examples:
        >>> p_value(0.0004), p_value(0.0612)
        ('p < 0.001', 'p = 0.061')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def total_variance(mean: Floats, variance: Floats) -> float:
    """Variance between arms beyond chance, by the estimate of DerSimonian and Laird (1986).

    Args:
        mean: Mean of each arm.
        variance: Of each mean, by chance.

    Returns:
        The variance, at least 0.
    """
    w = 1.0 / variance
    centre = float((w * mean).sum() / w.sum())
    excess = float((w * (mean - centre) ** 2).sum()) - (mean.size - 1)
    room = float(w.sum() - (w * w).sum() / w.sum())
    return max(excess / room, 0.0) if room > 0.0 else 0.0


def between_squares(groups: Integers, mean: Floats, weight: Floats) -> Floats:
    """Sum of squares between groups, Q = sum_i X_i^2 / W_i - X^2 / W with X = sum w m.

    Args:
        groups: Groupings, a row each: the group of each arm.
        mean: Mean m of each arm.
        weight: Weight w of each arm.

    Returns:
        Q of each grouping.
    """
    rows = len(groups)
    count = int(groups.max()) + 1
    at = (groups + count * np.arange(rows)[:, None]).ravel()
    moments = np.bincount(at, weights=np.tile(weight * mean, rows), minlength=rows * count)
    weights = np.bincount(at, weights=np.tile(weight, rows), minlength=rows * count)
    parts = np.divide(moments * moments, weights, out=np.zeros_like(moments), where=weights > 0.0)
    squares: Floats = parts.reshape(rows, count).sum(axis=1) - (weight * mean).sum() ** 2 / weight.sum()
    return squares


def permutation(sums: Sums, groups: Integers, rng: np.random.Generator, *, binary: bool) -> float:
    """The share of shuffled groupings that part the arms at least as well; exact if the groups are random.

    Args:
        sums: Of each arm.
        groups: The group of each arm.
        rng: Where shuffles come from.
        binary: Whether rewards are 0 and 1.

    Returns:
        A p-value, 1 / 2000 at least.
    """
    seen = sums.rows > 0.0
    overall = sums.overall
    noise = overall * (1.0 - overall) if binary else float(sums.noise().mean())
    mean = sums.mean[seen]
    variance = max(noise, 1e-12 * float(mean @ mean) + 1e-100) / sums.rows[seen]
    weight = 1.0 / (total_variance(mean, variance) + variance)
    centred = mean - (weight * mean).sum() / weight.sum()
    own = groups[seen]
    found = between_squares(own[None, :], centred, weight)[0]
    beaten, step = 0, max(SETTINGS.most_cells // own.size, 1)
    for start in range(0, SETTINGS.permutations, step):
        shuffled = rng.permuted(np.tile(own, (min(step, SETTINGS.permutations - start), 1)), axis=1)
        beaten += int(np.count_nonzero(between_squares(shuffled, centred, weight) >= found * (1.0 - 1e-12)))
    return float((1 + beaten) / (SETTINGS.permutations + 1))
