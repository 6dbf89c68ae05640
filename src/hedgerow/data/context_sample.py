"""Context columns, learnt from a sample: a frame of any kind, or a mapping of lists and declarations."""

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from .columns import as_frame, check_numbers, collected
from .context_column import MOST_LEVELS, Column, category, column_of, plain_number, scaled

NUMBER = "number"
"""Declares a column of numbers, of which there is no sample."""


def columns_of(sample: Any, *, scale: bool) -> tuple[Column, ...]:
    """The context columns of a sample.

    Args:
        sample: a frame, or a mapping from each column to its values; to the levels of a category; or to "number".
        scale: whether numbers are scaled by their mean and their standard deviation.

    Returns:
        A column for each, in the order of the sample.

    Raises:
        ValueError: if it is no sample, or if a column is neither numbers nor text.
    """
    import narwhals as nw

    if isinstance(sample, Mapping):
        _check_names(sample)
        return tuple(_of_values(name, given, scale) for name, given in sample.items())
    if isinstance(nw.from_native(sample, pass_through=True), nw.DataFrame | nw.LazyFrame):
        return _of_frame(as_frame(sample), scale)
    example = '{"age": "number", "device": ["mobile", "desktop"]}'
    raise ValueError(f"contexts are described by a data frame of some, or by a mapping such as {example}, got {sample!r:.80}")


def _check_names(names: Iterable[Any]) -> None:
    """Refuse columns that no mapping could name, or none."""
    if not (there := list(names)) or not all(isinstance(name, str) for name in there):
        raise ValueError(f"context columns must have names of text, and there must be one, got {there!r:.80}")


def _of_values(name: str, given: Any, scale: bool) -> Column:
    """The column of a list of values or levels, or the one that is declared."""
    if isinstance(given, str):
        if given == NUMBER:
            return Column(name)
        raise ValueError(f'context {name!r} must be "{NUMBER}" or a list of its levels or values, got {given!r:.80}')
    given = list(given) if isinstance(given, Set) else given
    raw = np.asarray(given)
    if raw.dtype.kind in "US" and not isinstance(given, np.ndarray):
        raw = np.array(list(given), dtype=object)  # else a NaN among texts would become the text "nan"
    if raw.ndim > 1 or not raw.size:
        raise ValueError(f'context {name!r} must be "{NUMBER}" or a list of its levels or values, got {given!r:.80}')
    return column_of(name, raw, scale=scale)


def _of_frame(data: Any, scale: bool) -> tuple[Column, ...]:
    """The columns of a frame of narwhals; missing numbers do not count in the means."""
    import narwhals as nw

    schema = data.collect_schema()
    _check_names(schema)
    texts = {name for name, kind in schema.items() if kind in (nw.String, nw.Categorical, nw.Enum)}
    check_numbers(data, [name for name in schema if name not in texts])
    keys = {f"c{i}": name for i, name in enumerate(schema)}
    kinds = {key: nw.String if name in texts else nw.Float64 for key, name in keys.items()}
    usable = data.select(*(nw.col(name).cast(kinds[key]).alias(key) for key, name in keys.items()))
    usable = usable.with_columns(*(nw.col(key).fill_nan(None) for key, kind in kinds.items() if kind == nw.Float64))
    numbers = [key for key, name in keys.items() if name not in texts]
    return learnt_columns(usable, keys, [key for key in numbers if scale and schema[keys[key]].is_numeric()], numbers)


def learnt_columns(usable: Any, keys: Mapping[str, str], scale: Sequence[str], known: Sequence[str] = ()) -> tuple[Column, ...]:
    """The context columns of a frame.

    Args:
        usable: the frame of narwhals.
        keys: its context columns, each with the name it goes by.
        scale: those columns that are scaled.
        known: those columns whose mean is to be known.

    Returns:
        A column for each.
    """
    import narwhals as nw

    measured = list(dict.fromkeys((*scale, *known)))
    moments = _moments(usable, measured) if measured else {}
    schema = usable.collect_schema()
    columns = []
    for key, name in keys.items():
        if schema[key] == nw.String:
            columns.append(category(name, collected(usable.select(key).unique().head(MOST_LEVELS + 2))[key].to_list()))
        elif key in scale:
            columns.append(scaled(name, *moments[key]))
        else:
            columns.append(plain_number(name, moments[key][0] if key in moments else math.nan))
    return tuple(columns)


def _moments(usable: Any, keys: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Mean and standard deviation of each of the columns, NaN if there is no row."""
    import narwhals as nw

    means = [nw.col(key).mean().alias(f"mean_{key}") for key in keys]
    deviations = [nw.col(key).std(ddof=0).alias(f"deviation_{key}") for key in keys]
    row = collected(usable.select(*means, *deviations))
    found = {name: math.nan if row[name][0] is None else float(row[name][0]) for name in row.columns}
    return {key: (found[f"mean_{key}"], found[f"deviation_{key}"]) for key in keys}
