"""Contexts as users have them, ages and cities, turned into the numbers that policies take."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from threading import Lock
from typing import Any

import numpy as np

from ..core.labels import shown
from ..core.types import Floats
from .context_column import Column
from .context_sample import columns_of
from .roles import absent_from, listed

_COUNTING = Lock()

ENCODE_ALIKE = "give the encoding of the first as context= when you make the second history"
"""The way out where two histories read contexts differently."""


@dataclass(frozen=True, repr=False)
class Encoding:
    """How context columns become numbers; :meth:`of` makes one.

    A number is one number, as it is or scaled. A category is a number for each level: 1 at its level, 0 elsewhere. A level that
    is not known, or missing, is all zeros. A missing number (None, NaN) is its mean; 0 if no mean is known.

    Examples:
        >>> encoding = Encoding.of({"age": [20, 40], "city": ["Oslo", "Rome"]}, scale=True)
        >>> encoding.names
        ('age', 'city=Oslo', 'city=Rome')
        >>> encoding.vector({"age": 31, "city": "Oslo"})
        (0.1, 1.0, 0.0)
        >>> encoding.vector({"age": None, "city": "Paris"})
        (0.0, 0.0, 0.0)
        >>> encoding.unknown
        Counter({'age': 1, 'city': 1})
    """

    columns: tuple[Column, ...]
    unknown: Counter[str] = field(default_factory=Counter, init=False, compare=False)
    """By column, how many values :meth:`vector` met that were missing or no known level. Never saved; a copy begins anew."""

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
            One number for each of ``names``. Values that are missing or unknown are counted in ``unknown``.

        Raises:
            ValueError: if a column is missing, or a value is neither a number nor text where it must be.
        """
        if absent := [column.name for column in self.columns if column.name not in values]:
            raise ValueError(f"the context lacks {shown(absent)}; it needs {shown(column_names(self), 20)}")
        numbers = tuple(number for column in self.columns for number in column.encode(values[column.name]))
        if unknown := [column.name for column in self.columns if not column.knows(values[column.name])]:
            with _COUNTING:
                self.unknown.update(unknown)
        return numbers

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
    def of(cls, sample: Any, *, scale: bool = False) -> "Encoding":
        """The encoding of a sample, or of columns that you declare: text is a category, all else a number.

        Args:
            sample: a frame of pandas, polars, pyarrow or narwhals, of which every column is taken; or a mapping from each column
                to a list of values, to the levels of a category, or to "number".
            scale: whether numbers are scaled by their mean and their standard deviation in the sample.

        Returns:
            The encoding. Levels are in alphabetical order.

        Raises:
            ValueError: if it is no sample, or if a column is neither numbers nor text.

        Examples:
            >>> Encoding.of({"age": [31, 45], "city": ["Rome", "Oslo", "Rome"]})
            Encoding(age, city=Oslo, city=Rome)
            >>> Encoding.of({"age": "number", "device": ["mobile", "desktop"]})
            Encoding(age, device=desktop, device=mobile)
            >>> import pandas
            >>> Encoding.of(pandas.DataFrame({"age": [31, 45], "new": [True, False]}))
            Encoding(age, new)
        """
        return cls(columns_of(sample, scale=scale))

    def with_means(self, means: Iterable[float]) -> "Encoding":
        """The same encoding, which knows the mean of its numbers.

        Args:
            means: for each of ``names``; not looked at for categories and where a mean is known already.

        Returns:
            An encoding that reads all but missing values alike.
        """
        found = dict(zip(self.names, means, strict=True))
        new = {c.name: found[c.name] for c in self.columns if c.usual is None and c == Column(c.name)}
        return Encoding(tuple(replace(c, usual=float(new[c.name])) if c.name in new else c for c in self.columns))

    def to_json(self) -> list[dict[str, Any]]:
        """The columns as dicts, for a file.

        Returns:
            One dict for each column.
        """
        return [asdict(column) for column in self.columns]

    @classmethod
    def from_json(cls, columns: Any) -> "Encoding":
        """The encoding that :meth:`to_json` wrote.

        Args:
            columns: one dict for each column.

        Returns:
            The encoding.
        """
        return cls(tuple(Column(**column).check() for column in columns))

    def __reduce__(self) -> tuple[Any, ...]:
        return Encoding, (self.columns,)  # what was counted stays behind

    def __repr__(self) -> str:
        return f"Encoding({', '.join(self.names)})"


def as_encoding(context: Any) -> Encoding:
    """An encoding of its own, which counts for itself.

    Args:
        context: an encoding, or a sample that :meth:`Encoding.of` takes.

    Returns:
        The encoding.

    Raises:
        ValueError: if it is neither.
    """
    return Encoding(context.columns) if isinstance(context, Encoding) else Encoding.of(context)


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
    if context is None and policy.dimension and policy.encoding is not None:
        names = ", ".join(repr(column.name) for column in policy.encoding.columns)
        raise ValueError(f"{policy.name} needs a context: a mapping with {names}, or {policy.dimension} numbers; got none")
    if not isinstance(context, Mapping):
        return context
    if policy.encoding is None:
        raise ValueError(
            f"{policy.name} has no history that says what its contexts are made of: make it with context=, or give numbers, "
            f"got {context!r:.80}"
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
        raise _different(refusal, known[0], known[1], ENCODE_ALIKE)
    return known[0] if known else None


def check_alike(one: Encoding | None, other: Encoding | None, refusal: str, way_out: str = ENCODE_ALIKE) -> None:
    """Refuse two encodings that read contexts differently.

    Args:
        one: an encoding, None for numbers as they are, without names.
        other: the other.
        refusal: the beginning of the error message.
        way_out: its end.

    Raises:
        ValueError: if they differ.
    """
    known = [encoding for encoding in (one, other) if encoding is not None]
    if (len(known) == 2 and one != other) or (len(known) == 1 and not known[0].plain):
        raise _different(refusal, one, other, way_out)


def _different(refusal: str, one: Encoding | None, other: Encoding | None, way_out: str) -> ValueError:
    """What to raise for two encodings, with the first column that they read differently."""
    pairs = zip(one.columns if one else (), other.columns if other else (), strict=False)
    differ = next(((mine, theirs) for mine, theirs in pairs if mine != theirs), (one, other))
    return ValueError(f"{refusal}: {differ[0]} and {differ[1]}; {way_out}")
