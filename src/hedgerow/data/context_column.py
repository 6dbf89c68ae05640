"""A context column: a number, scaled or as it is, or a category of text."""

import math
import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ..core.types import Floats
from ..present.numbers import numeral
from .columns import is_number
from .rounds import as_numbers

MOST_LEVELS = 1000
"""A column with more distinct texts is no category: each would be a dimension of its own."""

NULL_TYPES = ("NAType", "NaTType")
"""Types of what pandas has where there is no value."""


class Column(NamedTuple):
    """A context column: a number, scaled or as it is, or a category.

    Args:
        name: the column's name.
        levels: the texts of a category, None for a number.
        mean: what is subtracted from a number.
        deviation: by what it is divided.
    """

    name: str
    levels: tuple[str, ...] | None = None
    mean: float = 0.0
    deviation: float = 1.0

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each number that the column becomes."""
        return (self.name,) if self.levels is None else tuple(f"{self.name}={level}" for level in self.levels)

    def encode(self, value: Any) -> tuple[float, ...]:
        """The numbers of one value.

        Args:
            value: a number, or a text of the category.

        Returns:
            One number, or a 1 at the level. A level that the history did not have is all zeros, and so is a missing one.

        Raises:
            ValueError: if a number is missing or not finite.
        """
        if self.levels is not None:
            text = self.text(value)
            return tuple(float(text == level) for level in self.levels)
        number = float(value) if isinstance(value, int | float | np.number | np.bool_) else math.nan
        if not math.isfinite(number):
            usual = f"its mean in the log, {numeral(self.mean, 4)}," if self.deviation != 1.0 or self.mean else "a usual value"
            raise ValueError(f"context {self.name!r} must be a finite number, got {value!r}; give {usual} where it is missing")
        return ((number - self.mean) / self.deviation,)

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
            ValueError: if it is no text and not written like a level.
        """
        if isinstance(value, str):
            return value
        if value is None or type(value).__name__ in NULL_TYPES or (isinstance(value, float) and math.isnan(value)):
            return None
        if str(value) not in (self.levels or ()):
            raise ValueError(f"context {self.name!r} is a category of text such as {(self.levels or ('',))[0]!r}, got {value!r}")
        return str(value)

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
        return Column(self.name, levels, float(self.mean), float(self.deviation))


def column_of(name: str, raw: "np.ndarray[Any, Any]", *, scale: bool) -> Column:
    """The column of an array of raw values: text is a category, all else a number.

    Args:
        name: its name.
        raw: its values.
        scale: whether a number is scaled by its mean and its standard deviation.

    Returns:
        The column.
    """
    if raw.dtype.kind in "OUS":
        return category(name, set(raw.tolist()))
    truth = raw.dtype.kind == "b"
    return scaled(name, float(np.mean(raw)), float(np.std(raw))) if scale and raw.size and not truth else Column(name)


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
    return Column(name, mean=mean, deviation=deviation) if deviation > 0.0 else Column(name)


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
