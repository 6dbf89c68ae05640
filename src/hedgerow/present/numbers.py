"""Numbers as people read them."""

import math
from collections.abc import Iterable


def numeral(value: float, digits: int = 3) -> str:
    """A number with thousands set apart; a power of ten only for very small and very large numbers.

    Args:
        value: the number.
        digits: significant digits.

    Returns:
        The number as text.

    Examples:
        >>> numeral(46257.3), numeral(0.0123456), numeral(0.5), numeral(2.5e-7)
        ('46,257', '0.0123', '0.5', '2.5e-07')
    """
    size = _magnitude(value)
    if not -5 <= size < 15:
        return f"{value:.{digits}g}"
    text = f"{value:,.{max(0, digits - 1 - size)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def numerals(value: float, low: float, high: float, sign: str = "") -> tuple[str, str, str]:
    """A number and the ends of its interval, to two digits of the interval's width, and no more than four of the largest.

    Args:
        value: the number.
        low: the lower end.
        high: the upper end.
        sign: "+" to show the sign of numbers above 0.

    Returns:
        The three as texts.

    Examples:
        >>> numerals(0.10372, 0.08854, 0.1189), numerals(16511.2, 16497.0, 16526.0)
        (('0.104', '0.089', '0.119'), ('16,511', '16,497', '16,526'))
        >>> numerals(2.4881, 2.4881, 2.4881), numerals(2.5, -math.inf, math.inf, sign="+")
        (('2.488', '2.488', '2.488'), ('+2.500', '-inf', '+inf'))
    """
    numbers, width = (value, low, high), high - low
    kind = "g" if not all(-5 <= _magnitude(number) < 15 for number in numbers) else "f"
    digits = 4 if kind == "g" else decimals(numbers, 4)
    if kind == "f" and 0.0 < width < math.inf:
        digits = min(digits, decimals([width], 2))
    return f"{value:{sign},.{digits}{kind}}", f"{low:{sign},.{digits}{kind}}", f"{high:{sign},.{digits}{kind}}"


def decimals(sizes: Iterable[float], digits: int) -> int:
    """Digits after the point that show enough digits of the largest number.

    Args:
        sizes: the numbers.
        digits: significant digits to show of the largest.

    Returns:
        Digits after the point.

    Examples:
        >>> decimals([0.02, 1.7], 3), decimals([120_000.0], 3), decimals([], 3)
        (2, 0, 0)
    """
    largest = max((abs(size) for size in sizes if math.isfinite(size)), default=0.0)
    return max(0, digits - 1 - _magnitude(largest)) if largest > 0.0 else 0


def _magnitude(value: float) -> int:
    return math.floor(math.log10(abs(value))) if value != 0.0 and math.isfinite(value) else 0
