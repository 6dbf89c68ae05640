"""Rewards of two values: whether they are, as rows or as sums; and rates, whose noise follows from their mean."""

from typing import Annotated, NamedTuple

import numpy as np

from ..core.noise import only_values
from ..core.settings import Number
from ..core.types import Floats
from .sums import Sums


class RateSettings(NamedTuple):
    """Rates of rare events."""

    few_events: Annotated[
        float,
        Number(
            "events expected of an arm below which the variance of its rate is taken from the binomial distribution",
            unit="events",
            origin="above it 1 / (4 n) is off by less than 2 %, by the sums of arcsine_variance",
        ),
    ] = 20.0


SETTINGS = RateSettings()


class TwoValues(NamedTuple):
    """The two values that rewards take.

    Args:
        low: The lower one.
        high: The higher one.
    """

    low: float
    high: float

    def rates(self, sums: Sums) -> Sums:
        """The sums of the same rewards with 0 for the lower value and 1 for the higher one.

        Args:
            sums: Of rewards that take these values only.

        Returns:
            Sums of 0/1 rewards.
        """
        hits = np.clip((sums.total - self.low * sums.rows) / (self.high - self.low), 0.0, sums.rows)
        return Sums(sums.rows, hits, hits)

    def hold(self, sums: Sums) -> bool:
        """Whether all rewards with these sums are one or the other (core/noise.py).

        Args:
            sums: Of rewards of any kind.

        Returns:
            True if they are, as far as sums can tell.
        """
        rows = zip(sums.rows.tolist(), sums.total.tolist(), sums.squares.tolist(), strict=True)
        return all(only_values(n, total, squares, self.low, self.high) for n, total, squares in rows if n > 0.0)


COIN = TwoValues(0.0, 1.0)
"""0 and 1, as clicks are."""


def values_of(reward: Floats) -> TwoValues | None:
    """The two values that rewards take, from the rewards themselves.

    Args:
        reward: The reward of each row.

    Returns:
        0 and 1 where no other occurs; else the least and the largest if there is none between. None for rewards of more values,
        or of one other than 0 and 1.

    Examples:
        >>> values_of(np.array([3.0, -1.0, 3.0])), values_of(np.array([1.0, 1.0])), values_of(np.array([0.0, 1.0, 2.0]))
        (TwoValues(low=-1.0, high=3.0), TwoValues(low=0.0, high=1.0), None)
    """
    if ((reward == 0.0) | (reward == 1.0)).all():
        return COIN
    low, high = float(reward.min()), float(reward.max())
    return TwoValues(low, high) if low < high and ((reward == low) | (reward == high)).all() else None


def values_in(sums: Sums) -> TwoValues | None:
    """The two values that rewards take, from the sums of each arm: then sum r^2 = (low + high) sum r - low high n in every arm.

    Any two arms fit such a line, so it takes three with different means; before, only 0 and 1 are known.

    Args:
        sums: Of each arm.

    Returns:
        The values, or None if rewards take more than two, as far as sums can tell.

    Examples:
        >>> found = values_in(Sums(*np.array([[3.0, 4.0, 2.0], [200.0, 100.0, 100.0], [20000.0, 10000.0, 10000.0]])))
        >>> round(found.low), round(found.high)
        (0, 100)
    """
    if COIN.hold(sums):
        return COIN
    seen = sums.rows > 0.0
    mean, square = sums.mean[seen], sums.squares[seen] / sums.rows[seen]
    unit = np.sqrt(square.max(initial=0.0))
    if mean.size < 3 or unit == 0.0 or np.ptp(mean) <= 1e-9 * unit:
        return None
    columns = np.column_stack([mean / unit, np.ones_like(mean)])
    (total, product), *_ = np.linalg.lstsq(columns, square / unit**2, rcond=None)
    apart = total * total + 4.0 * product
    if apart <= 0.0:
        return None
    found = TwoValues(*(float(0.5 * (total + sign * np.sqrt(apart)) * unit) for sign in (-1.0, 1.0)))
    return found if found.hold(sums) else None


def arcsine(events: Floats, rows: Floats) -> Floats:
    """The arcsine of the root of a rate: near normal, with a variance that hardly goes with the rate.

    Args:
        events: How many rewards are 1.
        rows: How many rewards there are.

    Returns:
        A number between 0 and pi / 2.
    """
    return np.asarray(np.arcsin(np.sqrt((events + 0.25) / (rows + 0.5))))


def arcsine_variance(rows: Floats, rate: float) -> Floats:
    """Variance of ``arcsine``: 1 / (4 n + 2), or from the binomial distribution where few events are expected.

    Args:
        rows: How many rows n of each arm.
        rate: The rate at which events come.

    Returns:
        A variance for each arm.
    """
    rare = min(rate, 1.0 - rate)
    found = 1.0 / (4.0 * rows + 2.0)
    counts, at = np.unique(np.maximum(np.round(rows), 1.0), return_inverse=True)
    few = counts * rare < SETTINGS.few_events
    n = counts[few]
    chance, first, second = (1.0 - rare) ** n, np.zeros(n.size), np.zeros(n.size)
    for events in range(int(min(n.max(initial=0.0), 4.0 * SETTINGS.few_events)) + 1):
        value = arcsine(np.minimum(n, events), n)
        first += chance * value
        second += chance * value * value
        chance = chance * np.maximum(n - events, 0.0) / (events + 1.0) * rare / (1.0 - rare)
    factor = np.ones(counts.size)
    factor[few] = (second - first**2) * (4.0 * n + 2.0)
    return np.asarray(found * factor[at])
