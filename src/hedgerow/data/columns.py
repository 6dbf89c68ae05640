"""Columns of a log: which there are, what they hold, and as arrays."""

import datetime
import math
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..core.labels import shown
from ..core.types import Floats
from .roles import absent_from

ROWS_TO_SHOW = 100_000
"""Rows among which an error message looks for a value to show, if they are no texts."""

READS_AS_NUMBER = r"(?i)^\s*[+-]?(?:(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:e[+-]?[0-9]+)?|inf|infinity|nan)\s*$"
"""A text that reads as a number."""


def as_frame(frame: Any) -> Any:
    """A frame of any kind as one of narwhals, eager or lazy.

    Args:
        frame: a frame of pandas, polars, pyarrow, DuckDB, Dask or Spark.

    Returns:
        The same frame behind the interface of narwhals.

    Raises:
        ValueError: if it is no frame, or has two columns of the same name.
    """
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


def check_names(data: Any, names: Sequence[str]) -> None:
    """Refuse a frame that lacks a column.

    Args:
        data: a frame of narwhals.
        names: the columns that it must have.

    Raises:
        ValueError: if it lacks one.
    """
    there = data.collect_schema().names()
    if missing := absent_from(there, names):
        several = any("," in name and not absent_from(there, name.replace(" ", "").split(",")) for name in missing)
        hint = '; give each by itself: --context age --context city, or context=["age", "city"]' if several else ""
        raise ValueError(
            f"the log has no column {shown(missing)}; its columns are {shown(there, 20)}{separator_hint(there) or hint}"
        )


def separator_hint(names: Sequence[str]) -> str:
    """What to do about a text file that has but one column, since its cells are parted by another sign.

    Args:
        names: the columns of the file.

    Returns:
        The end of an error message; empty if there are several columns.
    """
    between = next((sign for sign in ";\t|," if len(names) == 1 and sign in names[0]), None)
    return "" if between is None else f"; it seems to be separated by {between!r}: give separator={between!r} (--separator)"


def check_numbers(data: Any, names: Sequence[str]) -> None:
    """Refuse columns of something else than numbers or truth values.

    Args:
        data: a frame of narwhals.
        names: columns that it has.

    Raises:
        ValueError: with a value of the column, to see why.
    """
    import narwhals as nw

    schema = data.collect_schema()
    for name in names:
        dtype = schema[name]
        if not (dtype.is_numeric() or dtype == nw.Boolean):
            raise ValueError(f"column {name!r} must hold numbers, it {_content(data, name, dtype)}")


def _content(data: Any, name: str, dtype: Any) -> str:
    """What a column holds, with the first value that is no number."""
    import narwhals as nw

    given = collected(data.select(name).filter(~nw.col(name).is_null()).head(ROWS_TO_SHOW))[name].to_list()
    if not given:
        return "has no values" if len(collected(data.select(name).head(1))) else "has no rows"
    if dtype == nw.String and not (odd := _odd_texts(data, name))[1]:
        return f"holds text such as {given[0]!r:.80}: make numbers of it first"
    if dtype == nw.String and not any(is_number(value) for value in given):
        return f"holds text such as {given[0]!r:.80}{_way_out(str(given[0]).strip(), 0) or ': is it the right column?'}"
    first, rows = odd if dtype == nw.String else (next((value for value in given if not is_number(value)), given[0]), 0)
    return f"holds {dtype} such as {first!r:.80}{_way_out(str(first).strip(), rows)}"


def _way_out(odd: str, rows: int) -> str:
    """What to write instead of a value that is no number."""
    if odd.lower() in ("yes", "no", "y", "n", "true", "false", "t", "f"):
        return ": write 1 and 0 for it"
    if re.fullmatch(r"[+-]?\d+,\d+", odd):
        return f": write {odd.replace(',', '.')} for it"
    return f" in {rows} row{'' if rows == 1 else 's'}: leave such cells empty, and their rows are left out" if rows else ""


def _odd_texts(data: Any, name: str) -> tuple[Any, int]:
    """The first of the texts that are no numbers, wherever it stands, and how many there are."""
    import narwhals as nw

    odd = data.select(name).filter(~nw.col(name).is_null()).filter(~nw.col(name).str.contains(READS_AS_NUMBER))
    first = collected(odd.head(1))[name].to_list()
    return (first[0], int(collected(odd.select(nw.len()))["len"][0])) if first else (None, 0)


def is_number(value: Any) -> bool:
    """Whether a value reads as a number.

    Args:
        value: a cell of any kind.

    Returns:
        True for numbers, NaN and infinity, and for texts that write one.
    """
    try:
        return math.isfinite(float(value)) or isinstance(value, float)
    except (TypeError, ValueError, OverflowError):
        return False


def collected(data: Any) -> Any:
    """An eager frame; polars streams, so that memory stays bounded.

    Args:
        data: a frame of narwhals.

    Returns:
        Its rows.
    """
    import narwhals as nw

    if not isinstance(data, nw.LazyFrame):
        return data
    return data.collect(engine="streaming") if data.implementation.is_polars() else data.collect()


def doubles(series: Any) -> Floats:
    """A column of numbers as doubles.

    Args:
        series: a column of narwhals.

    Returns:
        The numbers, NaN where there is none.
    """
    import narwhals as nw

    return np.array(series.cast(nw.Float64).to_numpy(), dtype=np.float64)


def seconds(series: Any) -> Floats:
    """A column of times as numbers.

    Args:
        series: a column of narwhals: moments, numbers, or texts in ISO 8601.

    Returns:
        Moments as seconds since 1970, numbers as they are, NaN where there is none.

    Raises:
        ValueError: if the column holds something else.
    """
    import narwhals as nw

    if series.dtype.is_numeric():
        return doubles(series)
    if series.dtype == nw.String:
        return np.array([math.nan if text is None else _moment(text, series.name) for text in series.to_list()])
    if not series.dtype.is_temporal() or series.dtype in (nw.Duration, nw.Time):
        raise ValueError(f"column {series.name!r} must hold times or numbers, it holds {series.dtype}")
    if series.dtype == nw.Date:
        series = series.cast(nw.Datetime("us"))
    return doubles(series.dt.timestamp("us")) / 1e6


def _moment(text: str, name: str) -> float:
    """A text that writes a moment as ISO 8601 does, in seconds since 1970; without a zone it is taken as UTC."""
    try:
        moment = datetime.datetime.fromisoformat(text.strip())
    except ValueError:
        raise ValueError(
            f"column {name!r} must hold times or numbers, it holds text such as {text!r}: write times as 2024-02-01 or "
            "2024-02-01T13:45:00"
        ) from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)).timestamp()


def texts(series: Any) -> "np.ndarray[Any, Any]":
    """A column of text or categories.

    Args:
        series: a column of narwhals.

    Returns:
        The texts, None where there is none.
    """
    import narwhals as nw

    values = series.cast(nw.String).to_list()
    return np.array([value if isinstance(value, str) else None for value in values], dtype=object)


COUNTS = {"n", "count", "counts", "plays", "pulls", "trials", "impressions", "views", "shows", "rows"}
"""Usual names of a column that counts the rounds of each arm."""


def hint_at_sums(others: Iterable[str], arms: int, rows: int) -> None:
    """Warn about a table that seems to hold sums of each arm, not rounds.

    Args:
        others: columns that play no role.
        arms: distinct arms.
        rows: rows of the table.
    """
    counts = sorted(name for name in others if name.lower() in COUNTS)
    if counts and arms == rows > 1:
        warnings.warn(
            f"each arm has one row, and column {counts[0]!r} seems to count its rounds: each row is taken as one round; "
            "hedgerow.History.from_sums takes sums, in the columns plays, total and squares",
            UserWarning,
            stacklevel=2,
        )
