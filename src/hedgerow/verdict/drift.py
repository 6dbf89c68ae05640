"""Whether the arms' rewards moved between the earlier and the later part of a log."""

from dataclasses import dataclass

from .chisquare import chi_square_tail
from .sums import Sums


@dataclass(frozen=True)
class Drift:
    """How far all arms moved together, and the test of whether some moved more than others; None where it cannot be done."""

    shift: float
    statistic: float
    freedom: int
    p: float


def drift(future: Sums, past: Sums, *, binary: bool) -> Drift | None:
    """D = sum (m_k - m'_k - b)^2 / v_k against chi-square(K - 1), b the weighted mean difference."""
    both = (future.rows > 0.0) & (past.rows > 0.0)
    if both.sum() < 2:
        return None
    noise = (future + past).variances(binary=binary)[both]
    variance = noise * (1.0 / future.rows[both] + 1.0 / past.rows[both])
    if not (variance > 0.0).all():
        return None
    change = (future.mean - past.mean)[both]
    shift = float((change / variance).sum() / (1.0 / variance).sum())
    statistic = float(((change - shift) ** 2 / variance).sum())
    freedom = int(both.sum()) - 1
    return Drift(shift, statistic, freedom, chi_square_tail(statistic, freedom))
