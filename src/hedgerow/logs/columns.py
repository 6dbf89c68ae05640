"""Columns of a log: which there are, what they hold, and as arrays."""

import datetime
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arms import shown
from ..types import Floats

ROWS_TO_SHOW = 100_000
"""Rows among which an error message looks for a value to show, if they are no texts."""

NUMBER = r"(?i)^\s*[+-]?(?:(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:e[+-]?[0-9]+)?|inf|infinity|nan)\s*$"
"""A text that reads as a number."""


def check_parts(parts: Sequence[tuple[str, str]]) -> None:
    """Refuse a column that plays two parts; parts are (part, column)."""
    for name, times in Counter(column for _, column in parts).items():
        if times > 1:
            given = " and ".join(part for part, column in parts if column == name)
            raise ValueError(f"column {name!r} is given twice, as {given}; each column plays one part")


def as_frame(frame: Any) -> Any:
    """A frame of any kind as one of narwhals, eager or lazy."""
    import narwhals as nw

    try:
        data: Any = nw.from_native(frame)
        names = list(data.collect_schema())
    except nw.exceptions.DuplicateError as error:
        raise ValueError(f"the frame has two columns of the same name: {' '.join(str(error).split())}") from error
    except TypeError as error:
        raise ValueError(
            f"a log must be a data frame of pandas, polars, pyarrow, DuckDB, Dask or Spark, got {type(frame).__name__}"
        ) from error
    if data.implementation.is_duckdb() or data.implementation.is_spark_like():
        names = list(frame.columns)  # a schema would hold a repeated name once
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise ValueError(f"the frame has two columns of the same name: {shown(twice)}")
    return data


def check_names(data: Any, names: Sequence[str | None]) -> None:
    """Refuse a frame that lacks a column."""
    there = data.collect_schema().names()
    if missing := [name for name in names if name is not None and name not in there]:
        several = any("," in name and set(name.replace(" ", "").split(",")) <= set(there) for name in missing)
        hint = '; give each by itself: --context age --context city, or context=["age", "city"]' if several else ""
        raise ValueError(
            f"the log has no column {shown(missing)}; its columns are {shown(there, 20)}{separator_hint(there) or hint}"
        )


def separator_hint(names: Sequence[str]) -> str:
    """What to do about a text file that has but one column, since its cells are parted by another sign."""
    between = next((sign for sign in ";\t|," if len(names) == 1 and sign in names[0]), None)
    return "" if between is None else f"; it seems to be separated by {between!r}: give separator={between!r} (--separator)"


def check_numbers(data: Any, names: Sequence[str]) -> None:
    """Refuse columns of something else than numbers or truth values, with a value to see why."""
    import narwhals as nw

    schema = data.collect_schema()
    for name in names:
        dtype = schema[name]
        if not (dtype.is_numeric() or dtype == nw.Boolean):
            raise ValueError(f"column {name!r} must hold numbers, it {_content(data, name, dtype)}")


def _content(data: Any, name: str, dtype: Any) -> str:
    """What a column holds, with the first value that is no number."""
    values = collected(data.select(name).head(ROWS_TO_SHOW))[name].to_list()
    given = [value for value in values if value is not None]
    if not values:
        return "has no rows"
    if not given:
        return "has no values"
    odd = next((value for value in _odd_texts(data, name, dtype) or given if not is_number(value)), given[0])
    hint = ": write 1 and 0 for it" if str(odd).strip().lower() in ("yes", "no", "y", "n", "true", "false", "t", "f") else ""
    return f"holds {dtype} such as {odd!r:.80}{hint}"


def _odd_texts(data: Any, name: str, dtype: Any) -> list[Any]:
    """The first of the texts that are no numbers, wherever it stands."""
    import narwhals as nw

    if dtype != nw.String:
        return []
    given = data.select(name).filter(~nw.col(name).is_null())
    return list(collected(given.filter(~nw.col(name).str.contains(NUMBER)).head(1))[name].to_list())


def is_number(value: Any) -> bool:
    """Whether a value reads as a number."""
    try:
        return math.isfinite(float(value)) or isinstance(value, float)
    except (TypeError, ValueError, OverflowError):
        return False


def collected(data: Any) -> Any:
    """An eager frame; polars streams, so that memory stays bounded."""
    import narwhals as nw

    if not isinstance(data, nw.LazyFrame):
        return data
    return data.collect(engine="streaming") if data.implementation.is_polars() else data.collect()


def doubles(series: Any) -> Floats:
    """A column of numbers, NaN where there is none."""
    import narwhals as nw

    return np.array(series.cast(nw.Float64).to_numpy(), dtype=np.float64)


def seconds(series: Any) -> Floats:
    """A column of times as numbers: moments as seconds since 1970, numbers as they are."""
    import narwhals as nw

    if series.dtype.is_numeric():
        return doubles(series)
    if series.dtype == nw.String:
        given = [value for value in series.to_list() if value is not None]
        found = next((value for value in given if not _is_time(value)), given[0] if given else "")
        raise ValueError(
            f"column {series.name!r} must hold times or numbers, it holds text such as {found!r}: write times as 2024-02-01 or "
            "2024-02-01T13:45:00"
        )
    if not series.dtype.is_temporal() or series.dtype in (nw.Duration, nw.Time):
        raise ValueError(f"column {series.name!r} must hold times or numbers, it holds {series.dtype}")
    if series.dtype == nw.Date:
        series = series.cast(nw.Datetime("us"))
    return doubles(series.dt.timestamp("us")) / 1e6


def _is_time(text: str) -> bool:
    """Whether a text reads as a moment or a number."""
    try:
        datetime.datetime.fromisoformat(text)
    except ValueError:
        return is_number(text)
    return True


def texts(series: Any) -> "np.ndarray[Any, Any]":
    """A column of text or categories, None where there is none."""
    import narwhals as nw

    values = series.cast(nw.String).to_list()
    return np.array([value if isinstance(value, str) else None for value in values], dtype=object)
