"""The sums of a history as one GROUP BY, which a lazy frame leaves to its engine."""

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..core.labels import as_label
from ..core.sums import LARGEST, PLAYS, SCALARS, row_size
from ..core.types import Floats, Label
from .aged_rows import Aging, time_of, weight_of
from .columns import check_names, check_numbers, collected, hint_at_sums
from .context_column import Column
from .context_sample import learnt_columns
from .encoding import Encoding, column_names
from .roles import ColumnRoles

SLICE_ROWS = 1 << 18
"""Rows of an in-memory frame that are summed at a time, so that memory stays bounded."""


class Sums(NamedTuple):
    """Sums of distinct arms.

    Args:
        arms: the arms.
        rows: a row of sums for each.
        missing: rows of the log that were left out, by reason.
    """

    arms: Sequence[Label]
    rows: Floats
    missing: Mapping[str, int]

    def plus(self, other: "Sums", width: int) -> "Sums":
        """Both together.

        Args:
            other: sums of the same kind.
            width: how many sums a row has; sums without an arm may have rows of another width.

        Returns:
            The sums of all arms, those of this one first.
        """
        arms = tuple(dict.fromkeys((*self.arms, *other.arms)))
        rows = np.zeros((len(arms), width))
        rows[: len(self.arms)] = self.rows if self.arms else 0.0
        row_of = {arm: row for row, arm in enumerate(arms)}
        rows[[row_of[arm] for arm in other.arms]] += other.rows[:, :width]
        return Sums(arms, rows, dict(Counter(self.missing) + Counter(other.missing)))


@dataclass(frozen=True)
class Grouping:
    """What is summed: the columns of a log by their role, the context columns among them that hold text, and their encoding."""

    roles: ColumnRoles
    texts: frozenset[str]
    encoding: Encoding | None = None
    aging: Aging | None = None

    @property
    def reasons(self) -> list[str]:
        """Why a row may be of no use, in the order in which it is asked."""
        timed = [] if self.aging is None else ["no time"]
        return ["no arm", "no reward", *(f"no {name}" for name in self.roles.context), *timed]


class Grouped(NamedTuple):
    """The sums of a log.

    Args:
        sums: Of each arm.
        encoding: Of the contexts, None if there are none.
        newest: The time of the newest row, if there is a column of times.
    """

    sums: Sums
    encoding: Encoding | None
    newest: float | None


def grouped(
    data: Any,
    roles: ColumnRoles,
    context: str | Sequence[str] | Encoding | None,
    *,
    scale: bool = False,
    aging: Aging | None = None,
) -> Grouped:
    """The sums of a log.

    Args:
        data: a frame of narwhals.
        roles: its arm and its reward.
        context: its context columns, or how they are encoded.
        scale: whether numbers of the context are scaled.
        aging: how rows age, if there is a column of times.

    Returns:
        The sums, the encoding of the contexts, and the newest time.

    Raises:
        ValueError: if a column is missing or unfit.
    """
    if scale and isinstance(context, Encoding):
        raise ValueError("a given encoding says already how columns are scaled: leave scale=True out")
    plan = _planned(data, replace(roles, context=column_names(context)), context, scale, aging)
    width = row_size(None if plan.encoding is None else plan.encoding.dimension)
    total = Sums((), np.zeros((0, width)), {})
    for part in _parts(data):
        total = total.plus(_summed(part, plan), width)
    hint_at_sums(set(data.collect_schema().names()) - set(plan.roles.columns), len(total.arms), round(total.rows[:, PLAYS].sum()))
    return Grouped(total, plan.encoding, None if plan.aging is None else plan.aging.newest)


def _parts(data: Any) -> list[Any]:
    """A lazy frame whole, for its engine; of an in-memory one slices, so that memory stays bounded."""
    import narwhals as nw

    if isinstance(data, nw.LazyFrame):
        return [data]
    starts = range(0, len(data), SLICE_ROWS)
    return [data[start:end] for start, end in pairwise([*starts, len(data)])]


def _planned(
    data: Any, roles: ColumnRoles, context: str | Sequence[str] | Encoding | None, scale: bool, aging: Aging | None
) -> Grouping:
    """What is to be summed, once it is known that the columns are fit for it."""
    import narwhals as nw

    check_names(data, roles.columns)
    roles.check()
    schema = data.collect_schema()
    texts = frozenset(name for name in roles.context if schema[name] in (nw.String, nw.Categorical, nw.Enum))
    check_numbers(data, [roles.reward, *(name for name in roles.context if name not in texts)])
    plan = Grouping(roles, texts, aging=aging)
    if aging is not None:
        plan = replace(plan, aging=aging._replace(newest=_newest(data, plan)))
    return replace(plan, encoding=_checked(context, plan) if isinstance(context, Encoding) else _learnt(data, plan, scale))


def _newest(data: Any, plan: Grouping) -> float:
    """The time of the newest row that is of use."""
    import narwhals as nw

    times = collected(_judged(data, plan).filter(nw.col("reason") == 0).select(nw.col("t").max()))["t"].to_list()
    return float(times[0]) if times and times[0] is not None else 0.0


def _checked(encoding: Encoding, plan: Grouping) -> Encoding:
    """A given encoding must be of columns of the same kind."""
    for column in encoding.columns:
        if (column.name in plan.texts) != (column.levels is not None):
            kind = "numbers" if column.levels is None else "text"
            raise ValueError(f"column {column.name!r} must hold {kind}, as in the given encoding")
    return encoding


def _learnt(data: Any, plan: Grouping, scale: bool) -> Encoding | None:
    """The encoding of the context columns, from the rows that will be summed; numbers as they are need no look at them."""
    import narwhals as nw

    schema = data.collect_schema()
    keys = {f"c{i}": name for i, name in enumerate(plan.roles.context)}
    scaled = [key for key, name in keys.items() if scale and schema[name].is_numeric()]
    if not keys:
        return None
    if not scaled and not plan.texts:
        return Encoding(tuple(Column(name) for name in plan.roles.context))
    return Encoding(learnt_columns(_judged(data, plan).filter(nw.col("reason") == 0), keys, scaled))


def _judged(data: Any, plan: Grouping) -> Any:
    """The columns by their part, numbers as doubles, and for each row the number of the reason why it is of no use, else 0."""
    import narwhals as nw

    roles = plan.roles
    columns = [nw.col(roles.arm).alias("arm"), nw.col(roles.reward).cast(nw.Float64).alias("r")]
    unfit = [_absent("arm", data.collect_schema()[roles.arm].is_float()), _absent("r", True)]
    for i, name in enumerate(roles.context):
        kind, test = (nw.String, None) if name in plan.texts else (nw.Float64, _absent(f"c{i}", True))
        columns.append(nw.col(name).cast(kind).alias(f"c{i}"))
        unfit.append(test)  # a missing category is one that is not known, all zeros, so the row is of use
    if plan.aging is not None and roles.time is not None:
        columns.append(time_of(roles.time, data.collect_schema()).alias("t"))
        unfit.append(_absent("t", True))
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


def _summed(data: Any, plan: Grouping) -> Sums:
    """The sums of each arm; products are made first, since not every engine sums an expression."""
    import narwhals as nw

    features = _features(plan.encoding)
    xs = list(features)
    products = {"rr": ("r", "r"), **{f"r{x}": ("r", x) for x in xs}}
    products |= {f"{x}{y}": (x, y) for i, x in enumerate(xs) for y in xs[: i + 1]}
    aged = {} if plan.aging is None or plan.aging.half_life is None else {"w": weight_of(plan.aging)}
    plain = _judged(data, plan).select("arm", "reason", "r", **features, **aged)
    widened = plain.with_columns(**{key: nw.col(a) * nw.col(b) for key, (a, b) in products.items()})
    order = ["r", *products, *xs]
    if aged:
        widened = widened.with_columns(**{key: nw.col(key) * nw.col("w") for key in order})
    plays = ["w"] if aged else []
    summed = [nw.len().alias("rows"), *(nw.col(key).sum() for key in (*plays, *order))]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "DataFrame is highly fragmented")  # narwhals adds columns to a pandas frame one by one
        summed = [nw.len().alias("rows"), *(nw.col(key).sum() for key in (*plays, *order))]
        table = collected(widened.group_by("arm", "reason").agg(*summed))
    reason, rows = table["reason"].to_numpy(), table["rows"].to_numpy()
    missing = Counter[str]()
    for number, name in enumerate(plan.reasons, start=1):
        missing[name] += int(rows[reason == number].sum())
    table = table.filter(nw.col("reason") == 0)
    labels = [as_label(label, "an arm label") for label in table["arm"].to_list()]
    values = np.column_stack([table[key].to_numpy() for key in (*(plays or ["rows"]), *order)]).astype(np.float64)
    check_finite(labels, values)
    order_of_labels = sorted(range(len(labels)), key=partial(_rank, labels))  # engines return groups in any order
    sums = values.reshape(len(labels), row_size(len(xs)))[order_of_labels]
    return Sums([labels[row] for row in order_of_labels], sums, dict(+missing))


def _rank(labels: Sequence[Label], row: int) -> tuple[bool, Any]:
    """Where a label stands in the order of labels: numbers before texts, whatever else by how it is written."""
    label: Any = labels[row]
    return not isinstance(label, int | float), label if isinstance(label, int | float | str) else repr(label)


def check_finite(labels: Sequence[Label], values: Floats) -> None:
    """Refuse sums of values that are infinite or too large, by their squares.

    Args:
        labels: the arm of each row.
        values: the sums.

    Raises:
        ValueError: with the first such arm.
    """
    sound = np.abs(values) < LARGEST * LARGEST
    if not sound.all():
        row, column = np.argwhere(~sound)[0]
        where = "rewards" if column < SCALARS else "contexts"
        raise ValueError(f"{where} must be finite, and below {LARGEST:g}, those of arm {labels[row]!r} are not")
