"""A gain of one policy over another, with its interval."""

from typing import NamedTuple

from ..inference.intervals import REACH
from .settings import VERDICT


class Gain(NamedTuple):
    """A gain per 1000 decisions and its 90 % interval.

    Args:
        value: The gain.
        low: The lower end.
        high: The upper end.
    """

    value: float
    low: float
    high: float

    @property
    def error(self) -> float:
        """Standard error, as if the interval were a normal one."""
        return (self.high - self.low) / (2.0 * REACH)

    @property
    def close(self) -> bool:
        """Whether an end is so near 0 that another seed might put it on its other side."""
        return min(abs(self.low), abs(self.high)) < VERDICT.close * (self.high - self.low)

    def times(self, size: float) -> "Gain":
        """The same in another unit.

        Args:
            size: How many of the new unit make one of the old.

        Returns:
            A new gain.
        """
        return Gain(*(size * part for part in self))

    def __str__(self) -> str:
        return f"{self.value:+.1f} ({self.low:+.1f} to {self.high:+.1f})"


def hull(blind: Gain, grouped: Gain) -> Gain:
    """The widest interval of the two judges around the grouped one's centre.

    Args:
        blind: By the label-blind judge.
        grouped: By the grouped judge.

    Returns:
        A gain.
    """
    return Gain(grouped.value, min(blind.low, grouped.low), max(blind.high, grouped.high))
