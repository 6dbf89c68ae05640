"""Contexts as users have them, ages and cities, turned into the numbers that policies take."""

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..core.labels import shown
from ..core.types import Floats
from ..present.numbers import numeral
from .columns import collected, is_number
from .rounds import as_numbers

MOST_LEVELS = 1000
"""A column with more distinct texts is no category: each would be a dimension of its own."""


MISSING = ("NAType", "NaTType")
"""Types of what pandas has where there is no value."""


class Column(NamedTuple):
    """A context column: a number, from which ``mean`` is taken and by whose ``deviation`` it is divided, or a category."""

    name: str
    levels: tuple[str, ...] | None = None
    mean: float = 0.0
    deviation: float = 1.0

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,) if self.levels is None else tuple(f"{self.name}={level}" for level in self.levels)

    def encode(self, value: Any) -> tuple[float, ...]:
        """One number, or a 1 at the level; a level that the history did not have is all zeros, and so is a missing one."""
        if self.levels is not None:
            text = self.text(value)
            return tuple(float(text == level) for level in self.levels)
        number = float(value) if isinstance(value, int | float | np.number | np.bool_) else math.nan
        if not math.isfinite(number):
            usual = f"its mean in the log, {numeral(self.mean, 4)}," if self.deviation != 1.0 or self.mean else "a usual value"
            raise ValueError(f"context {self.name!r} must be a finite number, got {value!r}; give {usual} where it is missing")
        return ((number - self.mean) / self.deviation,)

    def text(self, value: Any) -> str | None:
        """A level as text, None if it is missing; what is no text must look like a level that the history had."""
        if isinstance(value, str):
            return value
        if value is None or type(value).__name__ in MISSING or (isinstance(value, float) and math.isnan(value)):
            return None
        if str(value) not in (self.levels or ()):
            raise ValueError(f"context {self.name!r} is a category of text such as {(self.levels or ('',))[0]!r}, got {value!r}")
        return str(value)


@dataclass(frozen=True, repr=False)
class Encoding:
    """How context columns become numbers: levels of categories, means and deviations of scaled numbers.

    >>> encoding = Encoding((Column("age", mean=30.0, deviation=10.0), Column("city", levels=("Oslo", "Rome"))))
    >>> encoding.names
    ('age', 'city=Oslo', 'city=Rome')
    >>> encoding.vector({"age": 31, "city": "Oslo"})
    (0.1, 1.0, 0.0)
    """

    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for column in self.columns for name in column.names)

    @property
    def dimension(self) -> int:
        return len(self.names)

    @property
    def plain(self) -> bool:
        """Whether every column is a number taken as it is."""
        return all(column == Column(column.name) for column in self.columns)

    def vector(self, values: Mapping[str, Any]) -> tuple[float, ...]:
        """The numbers of one context, given as a mapping column -> raw value; other keys are not looked at."""
        if absent := [column.name for column in self.columns if column.name not in values]:
            raise ValueError(f"the context lacks {shown(absent)}; it needs {shown([c.name for c in self.columns], 20)}")
        return tuple(number for column in self.columns for number in column.encode(values[column.name]))

    def matrix(self, values: Mapping[str, "np.ndarray[Any, Any]"]) -> Floats:
        """The numbers of many contexts, given as arrays of raw values such as ``Log.context``: one row each."""
        if absent := [column.name for column in self.columns if column.name not in values]:
            raise ValueError(f"the contexts lack {shown(absent)}; they need {shown([c.name for c in self.columns], 20)}")
        parts: list[Floats] = []
        for column in self.columns:
            raw = values[column.name]
            if column.levels is None:
                numbers = as_numbers(raw, f"context {column.name!r} must be numbers")
                parts.append((numbers - column.mean) / column.deviation)
            else:
                found = np.array([column.text(value) for value in np.asarray(raw, dtype=object)], dtype=object)
                parts.extend(np.asarray(found == level, dtype=np.float64) for level in column.levels)
        return np.column_stack(parts)

    @classmethod
    def of(cls, values: Mapping[str, "np.ndarray[Any, Any]"], *, scale: bool = False) -> "Encoding":
        """The encoding of arrays of raw values such as ``Log.context``: text is a category, all else a number."""
        return cls(tuple(_array_column(name, np.asarray(raw), scale) for name, raw in values.items()))

    def to_json(self) -> list[dict[str, Any]]:
        """As lists and dicts, for a file."""
        return [column._asdict() for column in self.columns]

    @classmethod
    def from_json(cls, columns: Any) -> "Encoding":
        """What :meth:`to_json` wrote."""
        return cls(tuple(_sound(Column(**column)) for column in columns))

    def __repr__(self) -> str:
        return f"Encoding({', '.join(self.names)})"


def encoded(context: Any, policy: Any) -> Any:
    """A context of raw values, a mapping or a row of a frame, as numbers, by the ``encoding`` of a policy; numbers stay."""
    if hasattr(context, "columns") and _names_some(context.columns, policy):
        raise ValueError("a context is one row: give a mapping such as frame.iloc[0], or the whole frame to select_many")
    if _is_row(context):
        context = context.to_dict() if _names_some(context.keys(), policy) else context
    if not isinstance(context, Mapping):
        return context
    if policy.encoding is None:
        raise ValueError(
            f"{policy.name} has no history that says what its contexts are made of: give numbers, got {context!r:.80}"
        )
    return policy.encoding.vector(context)


def _is_row(context: Any) -> bool:
    """Whether it is a row of a frame, with a name for each value."""
    return hasattr(context, "to_dict") and hasattr(context, "keys")


def _names_some(names: Iterable[Any], policy: Any) -> bool:
    """Whether a row or a frame goes by names of the policy's contexts; else its numbers are taken as they are.

    Names that are not the policy's are refused, unless it takes all numbers as they are.
    """
    if policy.encoding is None:
        return False
    given, known = list(names), [column.name for column in policy.encoding.columns]
    if not set(known).isdisjoint(given):
        return True
    if any(isinstance(name, str) for name in given) and not policy.encoding.plain and given != list(policy.encoding.names):
        raise ValueError(f"the contexts of {policy.name} are made of {shown(known, 20)}, got columns {shown(given, 20)}")
    return False


def all_encoded(contexts: Any, policy: Any) -> Any:
    """``encoded`` for a list of contexts, or a frame with a row for each."""
    if isinstance(contexts, Mapping):
        raise ValueError(f"contexts must be a list with a mapping for each, or a frame, got one mapping: {contexts!r:.80}")
    if hasattr(contexts, "columns") and _names_some(contexts.columns, policy):
        import narwhals as nw

        contexts = nw.from_native(contexts, eager_only=True).rows(named=True)
    raw = isinstance(contexts, Sequence) and any(isinstance(context, Mapping) or _is_row(context) for context in contexts)
    return [encoded(context, policy) for context in contexts] if raw else contexts


def learnt(usable: Any, keys: Mapping[str, str], scaled: Sequence[str]) -> Encoding:
    """The encoding of a frame whose rows lack no number: ``keys`` are its columns, each with the name it goes by."""
    import narwhals as nw

    moments = {}
    if scaled:
        means = [nw.col(key).mean().alias(f"mean_{key}") for key in scaled]
        deviations = [nw.col(key).std(ddof=0).alias(f"deviation_{key}") for key in scaled]
        row = collected(usable.select(*means, *deviations))
        moments = {key: (_number(row[f"mean_{key}"][0]), _number(row[f"deviation_{key}"][0])) for key in scaled}
    schema = usable.collect_schema()
    columns = []
    for key, name in keys.items():
        if schema[key] == nw.String:
            found = collected(usable.select(key).unique().head(MOST_LEVELS + 2))[key].to_list()
            columns.append(Column(name, levels=_levels(name, found)))
        else:
            columns.append(_scaled(name, *moments.get(key, (0.0, 1.0))))
    return Encoding(tuple(columns))


def _array_column(name: str, raw: "np.ndarray[Any, Any]", scale: bool) -> Column:
    if raw.dtype.kind in "OUS":
        return Column(name, levels=_levels(name, set(raw.tolist())))
    truth = raw.dtype.kind == "b"
    return _scaled(name, float(np.mean(raw)), float(np.std(raw))) if scale and raw.size and not truth else Column(name)


def _scaled(name: str, mean: float, deviation: float) -> Column:
    """A column that never varies stays as it is: a constant is an intercept."""
    if not (math.isfinite(mean) and math.isfinite(deviation)):
        raise ValueError(f"contexts must be finite, those of column {name!r} are not")
    return Column(name, mean=mean, deviation=deviation) if deviation > 0.0 else Column(name)


def _levels(name: str, found: Sequence[Any] | set[Any]) -> tuple[str, ...]:
    levels = sorted(level for level in found if isinstance(level, str))
    if len(levels) > MOST_LEVELS:
        raise ValueError(f"column {name!r} has more than {MOST_LEVELS} distinct texts, too many for categories; group them first")
    if not levels:
        raise ValueError(f"column {name!r} holds no text at all, so it has no levels")
    words = [level for level in levels if not is_number(level)]
    if 0 < len(words) < 0.5 * len(levels):
        warnings.warn(
            f"column {name!r} is taken as a category of {len(levels)} levels: beside numbers it holds text such as {words[0]!r}; "
            "leave such cells empty to have it as a number",
            UserWarning,
            stacklevel=2,
        )
    return tuple(levels)


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _sound(column: Column) -> Column:
    """A column read from a file, which may say anything."""
    levels = None if column.levels is None else tuple(column.levels)
    if not isinstance(column.name, str) or not all(isinstance(level, str) for level in levels or ()) or levels == ():
        raise ValueError(f"there is no context column {column!r:.200}")
    if not (math.isfinite(column.mean) and math.isfinite(column.deviation) and column.deviation > 0.0):
        raise ValueError(f"context column {column.name!r} is scaled by {column.mean!r} and {column.deviation!r}")
    return Column(column.name, levels, float(column.mean), float(column.deviation))
