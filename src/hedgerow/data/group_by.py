"""The sums of a history as one GROUP BY, which a lazy frame leaves to its engine."""

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..core.labels import as_label
from ..core.sums import LARGEST, SCALARS, row_size
from ..core.types import Floats, Label
from .columns import check_names, check_numbers, check_parts, collected
from .encoding import Column, Encoding, learnt

SLICE = 1 << 18
"""Rows of an in-memory frame that are summed at a time, so that memory stays bounded."""


class Sums(NamedTuple):
    """Rows of sums of distinct arms, and the rows of the log left out, by reason."""

    arms: list[Label]
    rows: Floats
    missing: dict[str, int]


class Roles(NamedTuple):
    """Which columns play which part; ``texts`` are the context columns that hold categories."""

    arm: str
    reward: str
    context: tuple[str, ...]
    texts: tuple[str, ...]

    @property
    def reasons(self) -> list[str]:
        """Why a row may be of no use, in the order in which it is asked."""
        return ["no arm", "no reward", *(f"no {name}" for name in self.context)]


def grouped(
    data: Any, arm: str, reward: str, context: Sequence[str] | Encoding, *, scale: bool = False
) -> tuple[Encoding | None, Iterator[Sums]]:
    """The encoding of the contexts, if there are any, and the sums of the frame or of its slices."""
    import narwhals as nw

    names = [column.name for column in context.columns] if isinstance(context, Encoding) else list(context)
    check_names(data, [arm, reward, *names])
    check_parts([("arm", arm), ("reward", reward), *(("context", name) for name in names)])
    schema = data.collect_schema()
    texts = tuple(name for name in names if schema[name] in (nw.String, nw.Categorical, nw.Enum))
    check_numbers(data, [reward, *(name for name in names if name not in texts)])
    roles = Roles(arm, reward, tuple(names), texts)
    encoding = _checked(context, roles) if isinstance(context, Encoding) else _learnt(data, roles, scale)
    if isinstance(data, nw.LazyFrame):
        return encoding, iter([_summed(data, roles, encoding)])
    parts = (data[start : start + SLICE] for start in range(0, len(data), SLICE))
    return encoding, (_summed(part, roles, encoding) for part in parts)


def _checked(encoding: Encoding, roles: Roles) -> Encoding:
    """A given encoding must be of columns of the same kind."""
    for column in encoding.columns:
        if (column.name in roles.texts) != (column.levels is not None):
            kind = "numbers" if column.levels is None else "text"
            raise ValueError(f"column {column.name!r} must hold {kind}, as in the given encoding")
    return encoding


def _learnt(data: Any, roles: Roles, scale: bool) -> Encoding | None:
    """The encoding of the context columns, from the rows that will be summed; numbers as they are need no look at them."""
    import narwhals as nw

    schema = data.collect_schema()
    keys = {f"c{i}": name for i, name in enumerate(roles.context)}
    scaled = [key for key, name in keys.items() if scale and schema[name].is_numeric()]
    if not keys:
        return None
    if not scaled and not roles.texts:
        return Encoding(tuple(Column(name) for name in roles.context))
    return learnt(_judged(data, roles).filter(nw.col("reason") == 0), keys, scaled)


def _judged(data: Any, roles: Roles) -> Any:
    """The columns by their part, numbers as doubles, and for each row the number of the reason why it is of no use, else 0."""
    import narwhals as nw

    columns = [nw.col(roles.arm).alias("arm"), nw.col(roles.reward).cast(nw.Float64).alias("r")]
    unfit = [_absent("arm", data.collect_schema()[roles.arm].is_float()), _absent("r", True)]
    for i, name in enumerate(roles.context):
        kind, test = (nw.String, None) if name in roles.texts else (nw.Float64, _absent(f"c{i}", True))
        columns.append(nw.col(name).cast(kind).alias(f"c{i}"))
        unfit.append(test)  # a missing category is one that is not known, all zeros, so the row is of use
    reason = nw.lit(0)
    for number, test in reversed(list(enumerate(unfit, start=1))):
        reason = reason if test is None else nw.when(test).then(nw.lit(number)).otherwise(reason)
    return data.select(*columns).with_columns(reason=reason)


def _absent(key: str, is_float: bool) -> Any:
    import narwhals as nw

    empty = nw.col(key).is_null()
    return empty | nw.col(key).is_nan() if is_float else empty


def _features(encoding: Encoding | None) -> dict[str, Any]:
    """The numbers of a context vector, as expressions of its columns."""
    import narwhals as nw

    forms: list[Any] = []
    for i, column in enumerate(encoding.columns if encoding is not None else ()):
        raw = nw.col(f"c{i}")
        if column.levels is not None:
            forms += [(raw == level).cast(nw.Float64) for level in column.levels]
        elif (column.mean, column.deviation) == (0.0, 1.0):
            forms.append(raw)
        else:
            forms.append((raw - column.mean) / column.deviation)
    return {f"x{i}": form for i, form in enumerate(forms)}


def _summed(data: Any, roles: Roles, encoding: Encoding | None) -> Sums:
    """The sums of ``statistics.observe``; products are made first, since not every engine sums an expression."""
    import narwhals as nw

    features = _features(encoding)
    xs = list(features)
    products = {"rr": ("r", "r"), **{f"r{x}": ("r", x) for x in xs}}
    products |= {f"{x}{y}": (x, y) for i, x in enumerate(xs) for y in xs[: i + 1]}
    plain = _judged(data, roles).select("arm", "reason", "r", **features)
    widened = plain.with_columns(**{key: nw.col(a) * nw.col(b) for key, (a, b) in products.items()})
    order = ["r", *products, *xs]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "DataFrame is highly fragmented")  # narwhals adds columns to a pandas frame one by one
        table = collected(widened.group_by("arm", "reason").agg(nw.len().alias("rows"), *(nw.col(key).sum() for key in order)))
    reason, rows = table["reason"].to_numpy(), table["rows"].to_numpy()
    missing = Counter[str]()
    for number, name in enumerate(roles.reasons, start=1):
        missing[name] += int(rows[reason == number].sum())
    table = table.filter(nw.col("reason") == 0)
    labels = [as_label(label, "an arm label") for label in table["arm"].to_list()]
    values = np.column_stack([table[key].to_numpy() for key in ("rows", *order)]).astype(np.float64)
    check_finite(labels, values)
    order_of_labels = sorted(range(len(labels)), key=partial(_rank, labels))  # engines return groups in any order
    sums = values.reshape(len(labels), row_size(len(xs)))[order_of_labels]
    return Sums([labels[row] for row in order_of_labels], sums, dict(+missing))


def _rank(labels: Sequence[Label], row: int) -> tuple[bool, Any]:
    """Where a label stands in the order of labels: numbers before texts, whatever else by how it is written."""
    label: Any = labels[row]
    return not isinstance(label, int | float), label if isinstance(label, int | float | str) else repr(label)


def check_finite(labels: Sequence[Label], values: Floats) -> None:
    """Refuse sums of values that are infinite or too large, by their squares."""
    sound = np.abs(values) < LARGEST * LARGEST
    if not sound.all():
        row, column = np.argwhere(~sound)[0]
        where = "rewards" if column < SCALARS else "contexts"
        raise ValueError(f"{where} must be finite, and below {LARGEST:g}, those of arm {labels[row]!r} are not")
