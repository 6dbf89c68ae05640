"""The tail of the chi-square distribution, by the incomplete gamma function; and how a probability is written."""

import math

TERMS = 100_000
"""More terms than any sensible number of degrees of freedom needs."""


def chi_square_tail(value: float, freedom: float) -> float:
    """The probability of at least ``value`` with ``freedom`` degrees of freedom.

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
    for k in range(1, TERMS):
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
    for k in range(1, TERMS):
        b += 2.0
        step = -k * (k - a)
        d = 1.0 / (step * d + b)
        c = b + step / c
        value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return value


def p_value(p: float) -> str:
    """The permutation test cannot go below 1 in 2000.

    >>> p_value(0.0004), p_value(0.0612)
    ('p < 0.001', 'p = 0.061')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
