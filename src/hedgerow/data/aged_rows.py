"""Rows of a log that count less the older they are: 2^(-age / half_life), by a column of times."""

import datetime
from typing import Any, NamedTuple

import numpy as np


class Aging(NamedTuple):
    """How rows of a log age.

    Args:
        half_life: After how much time a row counts half, in the unit of the column: seconds for dates and times; None: all rows
            count the same, and only the newest time is noted.
        newest: The time of the newest row, once it is known.
    """

    half_life: float | None
    newest: float | None = None


def aging_of(time: str | None, half_life: Any) -> Aging | None:
    """How rows age, by what the user gave.

    Args:
        time: The column of times.
        half_life: A number in its unit, or a timedelta.

    Returns:
        How they age; None without a column of times.

    Raises:
        ValueError: There is no column, or no such half-life.
    """
    if half_life is None:
        return None if time is None else Aging(None)
    if time is None:
        raise ValueError("half_life= needs time=, the column that says how old a row is")
    value = half_life.total_seconds() if isinstance(half_life, datetime.timedelta) else half_life
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not value > 0.0:
        raise ValueError(f"half_life must be a number above 0, in the unit of the times, or a timedelta, got {half_life!r}")
    return Aging(float(value))


def time_of(name: str, schema: Any) -> Any:
    """A column of times as doubles: numbers as they are, moments as whole seconds since 1970.

    Args:
        name: Of the column.
        schema: The kinds of all columns.

    Returns:
        An expression of narwhals.

    Raises:
        ValueError: The column holds neither.
    """
    import narwhals as nw

    kind = schema[name]
    if kind.is_numeric():
        return nw.col(name).cast(nw.Float64)
    if isinstance(kind, nw.Datetime) and kind.time_zone is not None:
        return nw.col(name).dt.timestamp("us").cast(nw.Float64) / 1e6
    if kind == nw.Date or kind == nw.Datetime:
        return (nw.col(name).cast(nw.Datetime("us")) - datetime.datetime(1970, 1, 1)).dt.total_seconds().cast(nw.Float64)
    raise ValueError(f"column {name!r} must hold numbers, dates or times, got {kind}")


def weight_of(aging: Aging) -> Any:
    """What a row counts: 2^((time - newest) / half_life), as an expression of the column "t".

    Args:
        aging: How rows age; the newest time is known.

    Returns:
        An expression of narwhals.
    """
    import narwhals as nw

    age: Any = (nw.col("t") - aging.newest) * (np.log(2.0) / (aging.half_life or np.inf))
    return age.exp()
