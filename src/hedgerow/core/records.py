"""Numbers with names: the parts of a row of floats, viewed as a record.

A kernel that works on a row of mixed quantities views it as a record, ``arm = record(rows[node], ARM)``, and reads ``arm.noise``
where it would otherwise have to know that noise stands third. The floats stay where they are: what is assigned to a field is
assigned to the row. Compiled, a field costs what an index costs; in plain Python it is several times slower.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from .kernel import COMPILED, inlined
from .types import Floats


class Field(NamedTuple):
    """A named part of a row.

    Args:
        name: What it is called.
        low: The least value that a state file may give it.
        high: The largest.
        shape: How many numbers it has, if it is not just one.
        whole: Whether it must be a whole number.
    """

    name: str
    low: float = -math.inf
    high: float = math.inf
    shape: tuple[int, ...] = ()
    whole: bool = False

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)


def kind_of(fields: Iterable[Field]) -> np.dtype[np.void]:
    """The structured type of a row with these fields.

    Args:
        fields: The fields in their order.

    Returns:
        A dtype of float64 fields, for :func:`record`.
    """
    return np.dtype([(field.name, np.float64, field.shape) for field in fields])


def width(fields: Iterable[Field]) -> int:
    """How many numbers a row of these fields has.

    Args:
        fields: The fields of a row.

    Returns:
        The number of floats.
    """
    return sum(field.size for field in fields)


def check_ranges(rows: Floats, fields: Sequence[Field]) -> None:
    """Refuse numbers outside the ranges that fields declare: kernels do not ask.

    Args:
        rows: One row, or one in each line.
        fields: The fields of a row.

    Raises:
        ValueError: A number is out of range; the message names its field.
    """
    at = 0
    for field in fields:
        values = rows[..., at : at + field.size]
        if values.size and not (values.min() >= field.low and values.max() <= field.high):
            raise ValueError(f"{field.name} must be between {field.low:g} and {field.high:g}")
        if field.whole and (values % 1.0 != 0.0).any():
            raise ValueError(f"{field.name} must be a whole number")
        at += field.size


class Named:
    """A record in plain Python: NumPy's own kind has no attributes.

    Args:
        row: An element of a structured array.
    """

    __slots__ = ("_row",)

    def __init__(self, row: Any):
        object.__setattr__(self, "_row", row)

    def __getattr__(self, name: str) -> Any:
        return object.__getattribute__(self, "_row")[name]

    def __setattr__(self, name: str, value: Any) -> None:
        object.__getattribute__(self, "_row")[name] = value


def named(floats: Floats, kind: Any) -> Any:
    """A row of floats as a record, outside of kernels; what is assigned to its fields is assigned to the row.

    Args:
        floats: The row: as many numbers as the record has, or more.
        kind: Its type, by :func:`kind_of`.

    Returns:
        An object with an attribute for each field.

    Examples:
        >>> state = np.array([2.0, 0.5])
        >>> named(state, kind_of([Field("rounds"), Field("noise")])).noise = 0.7
        >>> state.tolist()
        [2.0, 0.7]
    """
    return Named(floats[: kind.itemsize // floats.itemsize].view(kind)[0])


def _pointed() -> Callable[[Any, Any], Any]:
    """A record as Numba has it, a pointer to its first number.

    ``floats.view(kind)[0]`` means the same, but counts references to the array: 15 ns, thirty times what reading a number takes.
    """
    from numba.extending import intrinsic

    @intrinsic
    def pointed(_typing: Any, floats: Any, kind: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            return builder.bitcast(array.data, context.get_value_type(signature.return_type))

        return kind.dtype(floats, kind), generate

    return cast(Callable[[Any, Any], Any], pointed)


record: Callable[[Any, Any], Any] = _pointed() if COMPILED else named
"""A row of floats as a record, within kernels; the row may go on beyond the record: ``record(rows[node], ARM)``."""


def _viewed_all(floats: Floats, kind: Any) -> Any:
    return floats.view(kind)[:, 0]


def _named_all(floats: Floats, kind: Any) -> Any:
    return [named(row, kind) for row in floats]


records: Callable[[Any, Any], Any] = inlined(_viewed_all) if COMPILED else _named_all
"""All rows as records, within kernels, viewed once before a loop: ``arms = records(rows, ARM)``, then ``arms[k].noise``. The rows
have just the record's numbers."""
