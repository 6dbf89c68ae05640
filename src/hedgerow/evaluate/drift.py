"""Whether the arms' rewards moved between the earlier and the later part of a log."""

from dataclasses import dataclass, replace

from ..inference.chi_square import chi_square_tail
from ..inference.sums import Sums

BEYOND_CHANCE = 0.01
"""A common move that chance makes with a lower probability than this is told."""


@dataclass(frozen=True)
class Drift:
    """How far all arms moved together and its standard error, and the test of whether some moved more than others."""

    shift: float
    error: float
    statistic: float
    freedom: int
    p: float

    def times(self, size: float) -> "Drift":
        """The same in a unit of which one is so many of the other."""
        return replace(self, shift=size * self.shift, error=size * self.error)

    @property
    def together(self) -> bool:
        """Whether all arms moved together, beyond chance."""
        return chi_square_tail((self.shift / self.error) ** 2, 1) < BEYOND_CHANCE


def drift(future: Sums, past: Sums, *, binary: bool) -> Drift | None:
    """D = sum (m_k - m'_k - b)^2 / v_k against chi-square(K - 1), b the weighted mean difference; None if it cannot be done."""
    both = (future.rows > 0.0) & (past.rows > 0.0)
    if both.sum() < 2:
        return None
    noise = (future + past).variances(binary=binary)[both]
    variance = noise * (1.0 / future.rows[both] + 1.0 / past.rows[both])
    if not (variance > 0.0).all():
        return None
    change = (future.mean - past.mean)[both]
    weight = float((1.0 / variance).sum())
    shift = float((change / variance).sum()) / weight
    statistic = float(((change - shift) ** 2 / variance).sum())
    freedom = int(both.sum()) - 1
    return Drift(shift, weight**-0.5, statistic, freedom, chi_square_tail(statistic, freedom))
