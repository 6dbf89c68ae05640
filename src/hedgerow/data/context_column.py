"""A context column: a number, scaled or as it is, or a category of text."""

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core.types import Floats
from .columns import is_number
from .rounds import as_numbers

MOST_LEVELS = 1000
"""A column with more distinct texts is no category: each would be a dimension of its own."""

NULL_TYPES = ("NAType", "NaTType")
"""Types of what pandas has where there is no value."""


@dataclass(frozen=True)
class Column:
    """A context column: a number, scaled or as it is, or a category.

    Args:
        name: the column's name.
        levels: the texts of a category, None for a number.
        mean: what is subtracted from a number.
        deviation: by what it is divided.
        usual: what a missing number counts as; ``mean`` if left out. Columns that differ in it alone read values alike.
    """

    name: str
    levels: tuple[str, ...] | None = None
    mean: float = 0.0
    deviation: float = 1.0
    usual: float | None = field(default=None, compare=False, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each number that the column becomes."""
        return (self.name,) if self.levels is None else tuple(f"{self.name}={level}" for level in self.levels)

    def encode(self, value: Any) -> tuple[float, ...]:
        """The numbers of one value.

        Args:
            value: a number, or a text of the category.

        Returns:
            One number, or a 1 at the level. A level that is not known is all zeros, and so is a missing one. A missing number is
            the usual one.

        Raises:
            ValueError: if it is no finite number, or no text.
        """
        if self.levels is not None:
            text = self.text(value)
            return tuple(float(text == level) for level in self.levels)
        if is_missing(value):
            return (0.0 if self.usual is None else (self.usual - self.mean) / self.deviation,)
        number = float(value) if isinstance(value, int | float | np.number | np.bool_) else math.nan
        if not math.isfinite(number):
            raise ValueError(f"context {self.name!r} must be a finite number, got {value!r}; give None where it is missing")
        return ((number - self.mean) / self.deviation,)

    def knows(self, value: Any) -> bool:
        """Whether a value is there and, in a category, one of the levels.

        Args:
            value: one that :meth:`encode` takes.

        Returns:
            False for a missing number, and for a level that is missing or not known.
        """
        return not is_missing(value) if self.levels is None else self.text(value) in self.levels

    def encode_all(self, raw: "np.ndarray[Any, Any]") -> list[Floats]:
        """The numbers of many values.

        Args:
            raw: an array of values.

        Returns:
            One array for each of ``names``.
        """
        if self.levels is None:
            return [(as_numbers(raw, f"context {self.name!r} must be numbers") - self.mean) / self.deviation]
        found = np.array([self.text(value) for value in np.asarray(raw, dtype=object)], dtype=object)
        return [np.asarray(found == level, dtype=np.float64) for level in self.levels]

    def text(self, value: Any) -> str | None:
        """A level as text.

        Args:
            value: a text, or something that is written like one of the levels.

        Returns:
            The text; None if the value is missing.

        Raises:
            ValueError: if it is no text and not written like a level; a whole number need not be, where all levels are such.
        """
        if isinstance(value, str):
            return value
        if is_missing(value):
            return None
        if str(value) not in (self.levels or ()) and not (isinstance(value, int | np.integer) and self._of_whole_numbers):
            raise ValueError(f"context {self.name!r} is a category of text such as {(self.levels or ('',))[0]!r}, got {value!r}")
        return str(value)

    @property
    def _of_whole_numbers(self) -> bool:
        return all(level.isdecimal() for level in self.levels or ())

    def check(self) -> "Column":
        """The column with exact types, for one that was read from a file.

        Returns:
            A column of texts and doubles.

        Raises:
            ValueError: if its name, its levels or its scale are unsound.
        """
        levels = None if self.levels is None else tuple(self.levels)
        if not isinstance(self.name, str) or not all(isinstance(level, str) for level in levels or ()) or levels == ():
            raise ValueError(f"there is no context column {self!r:.200}")
        if not (math.isfinite(self.mean) and math.isfinite(self.deviation) and self.deviation > 0.0):
            raise ValueError(f"context column {self.name!r} is scaled by {self.mean!r} and {self.deviation!r}")
        if self.usual is not None and not math.isfinite(self.usual):
            raise ValueError(f"context column {self.name!r} takes {self.usual!r} for a missing number")
        usual = None if self.usual is None else float(self.usual)
        return Column(self.name, levels, float(self.mean), float(self.deviation), usual)


def is_missing(value: Any) -> bool:
    """Whether there is no value.

    Args:
        value: anything.

    Returns:
        True for None, NaN, and what pandas has in their place.
    """
    return value is None or type(value).__name__ in NULL_TYPES or (isinstance(value, float | np.floating) and math.isnan(value))


def column_of(name: str, raw: "np.ndarray[Any, Any]", *, scale: bool) -> Column:
    """The column of an array of raw values: text is a category, all else a number; values that are missing do not count.

    Args:
        name: its name.
        raw: its values.
        scale: whether a number is scaled by its mean and its standard deviation; truth values are not.

    Returns:
        The column.

    Raises:
        ValueError: if the values are neither numbers nor text.
    """
    if raw.dtype.kind in "OUS":
        values = [value for value in raw.ravel().tolist() if not is_missing(value)]
        if not values or any(isinstance(value, str) for value in values):
            return category(name, {str(value) for value in values})
        raw = np.array(values)
    if raw.dtype.kind not in "fiub":
        raise ValueError(f"context {name!r} must hold numbers or text, got {raw.ravel()[0]!r:.80}")
    present = raw[~np.isnan(raw)]
    mean = float(np.mean(present)) if present.size else math.nan
    if not scale or not present.size or raw.dtype.kind == "b":
        return plain_number(name, mean)
    return scaled(name, mean, float(np.std(present)))


def plain_number(name: str, mean: float) -> Column:
    """A number that is taken as it is.

    Args:
        name: its name.
        mean: its mean, which a missing number counts as; NaN if it is not known.

    Returns:
        The column.
    """
    return Column(name, usual=mean if math.isfinite(mean) else None)


def scaled(name: str, mean: float, deviation: float) -> Column:
    """A scaled number. A column that never varies stays as it is: a constant is an intercept.

    Args:
        name: its name.
        mean: its mean.
        deviation: its standard deviation.

    Returns:
        The column.

    Raises:
        ValueError: if they are not finite.
    """
    if not (math.isfinite(mean) and math.isfinite(deviation)):
        raise ValueError(f"contexts must be finite, those of column {name!r} are not")
    return Column(name, mean=mean, deviation=deviation) if deviation > 0.0 else plain_number(name, mean)


def category(name: str, found: Iterable[Any]) -> Column:
    """A category with the distinct texts of a column as its levels.

    Args:
        name: its name.
        found: its distinct values; those that are no text are missing ones.

    Returns:
        The column.

    Raises:
        ValueError: if there is no text, or more than 1000.
    """
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
    return Column(name, levels=tuple(levels))
