"""Contexts as users have them, ages and cities, turned into the numbers that policies take."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.labels import shown
from ..core.types import Floats
from .columns import collected
from .context_column import MOST_LEVELS, Column, category, column_of, scaled
from .roles import absent_from, listed


@dataclass(frozen=True, repr=False)
class Encoding:
    """How context columns become numbers: levels of categories, means and deviations of scaled numbers.

    Examples:
        >>> encoding = Encoding((Column("age", mean=30.0, deviation=10.0), Column("city", levels=("Oslo", "Rome"))))
        >>> encoding.names
        ('age', 'city=Oslo', 'city=Rome')
        >>> encoding.vector({"age": 31, "city": "Oslo"})
        (0.1, 1.0, 0.0)
    """

    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each number of a context."""
        return tuple(name for column in self.columns for name in column.names)

    @property
    def dimension(self) -> int:
        """How many numbers a context has."""
        return len(self.names)

    @property
    def plain(self) -> bool:
        """Whether every column is a number taken as it is."""
        return all(column == Column(column.name) for column in self.columns)

    def vector(self, values: Mapping[str, Any]) -> tuple[float, ...]:
        """The numbers of one context.

        Args:
            values: raw values by column; other keys are not looked at.

        Returns:
            One number for each of ``names``.

        Raises:
            ValueError: if a column is missing.
        """
        if absent := [column.name for column in self.columns if column.name not in values]:
            raise ValueError(f"the context lacks {shown(absent)}; it needs {shown(column_names(self), 20)}")
        return tuple(number for column in self.columns for number in column.encode(values[column.name]))

    def matrix(self, values: Mapping[str, "np.ndarray[Any, Any]"]) -> Floats:
        """The numbers of many contexts.

        Args:
            values: arrays of raw values by column, such as ``Log.context``.

        Returns:
            One row for each context.

        Raises:
            ValueError: if a column is missing.
        """
        if absent := absent_from(values, column_names(self)):
            raise ValueError(f"the contexts lack {shown(absent)}; they need {shown(column_names(self), 20)}")
        return np.column_stack([part for column in self.columns for part in column.encode_all(values[column.name])])

    @classmethod
    def of(cls, values: Mapping[str, "np.ndarray[Any, Any]"], *, scale: bool = False) -> "Encoding":
        """The encoding of raw values: text is a category, all else a number.

        Args:
            values: arrays of raw values by column, such as ``Log.context``.
            scale: whether numbers are scaled by their mean and their standard deviation.

        Returns:
            The encoding.

        Examples:
            >>> Encoding.of({"age": [31, 45], "city": ["Oslo", "Rome"]})
            Encoding(age, city=Oslo, city=Rome)
        """
        return cls(tuple(column_of(name, np.asarray(raw), scale=scale) for name, raw in values.items()))

    def to_json(self) -> list[dict[str, Any]]:
        """The columns as dicts, for a file.

        Returns:
            One dict for each column.
        """
        return [column._asdict() for column in self.columns]

    @classmethod
    def from_json(cls, columns: Any) -> "Encoding":
        """The encoding that :meth:`to_json` wrote.

        Args:
            columns: one dict for each column.

        Returns:
            The encoding.
        """
        return cls(tuple(Column(**column).check() for column in columns))

    def __repr__(self) -> str:
        return f"Encoding({', '.join(self.names)})"


def column_names(context: str | Sequence[str] | Encoding | None) -> tuple[str, ...]:
    """The context columns of a log, however they are given.

    Args:
        context: a name, several, an encoding, or None.

    Returns:
        Their names in their order.
    """
    return tuple(column.name for column in context.columns) if isinstance(context, Encoding) else listed(context)


def encoded(context: Any, policy: Any) -> Any:
    """A context as numbers.

    Args:
        context: raw values, as a mapping or a row of a frame; or numbers, which stay as they are.
        policy: the policy, whose ``encoding`` says how.

    Returns:
        The numbers.

    Raises:
        ValueError: if it is no single context, or if raw values meet a policy without an encoding.
    """
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


def all_encoded(contexts: Any, policy: Any) -> Any:
    """Many contexts as numbers.

    Args:
        contexts: a list of contexts, or a frame with a row for each.
        policy: the policy, whose ``encoding`` says how.

    Returns:
        The numbers of each.

    Raises:
        ValueError: if it is one context.
    """
    if isinstance(contexts, Mapping):
        raise ValueError(f"contexts must be a list with a mapping for each, or a frame, got one mapping: {contexts!r:.80}")
    if hasattr(contexts, "columns") and _names_some(contexts.columns, policy):
        import narwhals as nw

        contexts = nw.from_native(contexts, eager_only=True).rows(named=True)
    raw = isinstance(contexts, Sequence) and any(isinstance(context, Mapping) or _is_row(context) for context in contexts)
    return [encoded(context, policy) for context in contexts] if raw else contexts


def _is_row(context: Any) -> bool:
    """Whether it is a row of a frame, with a name for each value."""
    return hasattr(context, "to_dict") and hasattr(context, "keys")


def _names_some(names: Iterable[Any], policy: Any) -> bool:
    """Whether a row or a frame goes by names of the policy's contexts; else its numbers are taken as they are.

    Names that are not the policy's are refused, unless it takes all numbers as they are.
    """
    if policy.encoding is None:
        return False
    given, known = list(names), list(column_names(policy.encoding))
    if not set(known).isdisjoint(given):
        return True
    if any(isinstance(name, str) for name in given) and not policy.encoding.plain and given != list(policy.encoding.names):
        raise ValueError(f"the contexts of {policy.name} are made of {shown(known, 20)}, got columns {shown(given, 20)}")
    return False


def learnt(usable: Any, keys: Mapping[str, str], scale: Sequence[str]) -> Encoding:
    """The encoding of a frame whose rows lack no number.

    Args:
        usable: the frame.
        keys: its context columns, each with the name it goes by.
        scale: those columns that are scaled.

    Returns:
        The encoding.
    """
    import narwhals as nw

    moments = _moments(usable, scale) if scale else {}
    schema = usable.collect_schema()
    columns = []
    for key, name in keys.items():
        if schema[key] == nw.String:
            columns.append(category(name, collected(usable.select(key).unique().head(MOST_LEVELS + 2))[key].to_list()))
        else:
            columns.append(scaled(name, *moments.get(key, (0.0, 1.0))))
    return Encoding(tuple(columns))


def _moments(usable: Any, keys: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Mean and standard deviation of each of the columns, NaN if there is no row."""
    import narwhals as nw

    means = [nw.col(key).mean().alias(f"mean_{key}") for key in keys]
    deviations = [nw.col(key).std(ddof=0).alias(f"deviation_{key}") for key in keys]
    row = collected(usable.select(*means, *deviations))
    found = {name: math.nan if row[name][0] is None else float(row[name][0]) for name in row.columns}
    return {key: (found[f"mean_{key}"], found[f"deviation_{key}"]) for key in keys}


def common_encoding(given: Iterable[Encoding | None], refusal: str) -> Encoding | None:
    """The one encoding among those given; two different ones would mix numbers up.

    Args:
        given: encodings, None for contexts without names.
        refusal: the beginning of the error message.

    Returns:
        The encoding, None if there is none.

    Raises:
        ValueError: if there are two.
    """
    known = list(dict.fromkeys(encoding for encoding in given if encoding is not None))
    if len(known) > 1:
        raise _different(refusal, known[0], known[1])
    return known[0] if known else None


def check_alike(one: Encoding | None, other: Encoding | None, refusal: str) -> None:
    """Refuse two encodings that read contexts differently.

    Args:
        one: an encoding, None for numbers as they are, without names.
        other: the other.
        refusal: the beginning of the error message.

    Raises:
        ValueError: if they differ.
    """
    shared = common_encoding((one, other), refusal)
    if shared is not None and None in (one, other) and not shared.plain:
        raise _different(refusal, one, other)


def _different(refusal: str, one: Encoding | None, other: Encoding | None) -> ValueError:
    """What to raise for two encodings, with the first column that they read differently."""
    pairs = zip(one.columns if one else (), other.columns if other else (), strict=False)
    differ = next(((mine, theirs) for mine, theirs in pairs if mine != theirs), (one, other))
    return ValueError(
        f"{refusal}: {differ[0]} and {differ[1]}; give the encoding of the first as context= when you make the second history"
    )
