"""Logged rounds as arrays: labels numbered, contexts checked."""

from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..core.labels import as_label
from ..core.sums import LARGEST, row_size
from ..core.tally import tally
from ..core.types import Floats, Integers, Label
from .columns import is_number


def numbered(arms: Iterable[Any]) -> tuple[list[Label], Integers]:
    """Number the arms of logged rounds.

    Args:
        arms: the arm of each round.

    Returns:
        The distinct labels, and for each round the number of its label.

    Raises:
        ValueError: if they are no list of labels.
    """
    if isinstance(arms, str | bytes | Set | Mapping):
        raise ValueError(f"arms must be a list of labels, one per round, in their order, got {type(arms).__name__}")
    if isinstance(arms, np.ndarray) and arms.dtype.kind in "iu" and arms.size and _span(arms) < 4 * arms.size:
        return _counted(arms)
    if isinstance(arms, np.ndarray) and arms.dtype != object and arms.ndim == 1:
        distinct, numbers = np.unique(arms, return_inverse=True)
        return [as_label(arm, "an arm label") for arm in distinct], numbers.astype(np.int64)
    number_of: dict[Any, int] = {}
    try:
        rows = [number_of.setdefault(arm, len(number_of)) for arm in arms]
    except TypeError as error:
        raise ValueError(f"arms must be a list of labels, one per round: {error}") from error
    return [as_label(arm, "an arm label") for arm in number_of], np.array(rows, dtype=np.int64)


def _span(arms: "np.ndarray[Any, Any]") -> int:
    return int(arms.max()) - int(arms.min())


def _counted(arms: "np.ndarray[Any, Any]") -> tuple[list[Label], Integers]:
    """Whole numbers near each other need no sorting."""
    wide = arms.astype(np.int64 if arms.dtype.kind == "i" else np.uint64)
    numbers = (wide - wide.min()).astype(np.int64)
    distinct = np.flatnonzero(np.bincount(numbers))
    place = np.zeros(int(distinct[-1]) + 1, dtype=np.int64)
    place[distinct] = np.arange(distinct.size)
    least = int(arms.min())
    return [as_label(least + number, "an arm label") for number in distinct.tolist()], place[numbers]


def as_numbers(values: Any, what: str) -> Floats:
    """An array of doubles.

    Args:
        values: numbers, nested as the array will be.
        what: what they must be, as the beginning of the error message.

    Returns:
        The array.

    Raises:
        ValueError: with the first place where there is no number.
    """
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{what}, {_fault(values)}") from None


def _fault(values: Any) -> str:
    """The first value that is no number, or the first row of another length than the one before."""
    rows = list(values) if isinstance(values, list | tuple) else list(np.atleast_1d(np.asarray(values, dtype=object)))
    before = None
    for at, row in enumerate(rows):
        cells = list(row) if isinstance(row, list | tuple | np.ndarray) else [row]
        odd = [cell for cell in cells if not is_number(cell)]
        if odd:
            return f"row {at} has {odd[0]!r:.80}"
        if before not in (None, len(cells)):
            return f"row {at} is {len(cells)} long, row {at - 1} is {before}"
        before = len(cells)
    return f"got {values!r:.80}"


def context_vectors(contexts: ArrayLike | None, rounds: int) -> tuple[Floats, int | None]:
    """The contexts of logged rounds as an array.

    Args:
        contexts: one row of numbers per round, or None.
        rounds: how many rounds there are.

    Returns:
        The array, and the length of each context; None if there are no contexts.

    Raises:
        ValueError: if there is not one row of numbers per round.
    """
    if contexts is None:
        return np.zeros((rounds, 0)), None
    vectors = np.ascontiguousarray(as_numbers(contexts, "contexts must be one row of numbers per round"))
    if vectors.ndim != 2 or vectors.shape[0] != rounds or vectors.shape[1] == 0:
        raise ValueError(f"contexts must be one row of numbers per round: {rounds} rounds, shape {vectors.shape}")
    return vectors, vectors.shape[1]


def as_dimension(value: Any) -> int | None:
    """A length of context vectors.

    Args:
        value: what the user gives, None for no contexts.

    Returns:
        The same as an int.

    Raises:
        ValueError: if it is no whole number of at least 1.
    """
    if value is None:
        return None
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"dimension must be a whole number of at least 1, got {value!r}")
    return int(value)


def sums_of_rounds(arms: Iterable[Any], rewards: ArrayLike, contexts: ArrayLike | None) -> tuple[list[Label], Floats, int | None]:
    """The sums of logged rounds.

    Args:
        arms: the arm of each round.
        rewards: the reward of each round.
        contexts: one row of numbers per round, or None.

    Returns:
        The distinct arms, a row of sums for each, and the length of the contexts.

    Raises:
        ValueError: if their lengths differ, or if a number is not finite.
    """
    labels, rows = numbered(arms)
    values = as_numbers(rewards, "rewards must give one number per round")
    if values.shape != (rows.size,):
        raise ValueError(f"rewards must give one number per round: {rows.size} arms, rewards of shape {values.shape}")
    vectors, dimension = context_vectors(contexts, rows.size)
    sums = np.zeros((len(labels), row_size(dimension)))
    if (at := tally(sums, rows, values, vectors)) < rows.size:
        what, seen = ("contexts", vectors[at]) if abs(values[at]) < LARGEST else ("rewards", values[at])
        raise ValueError(f"{what} must be finite, and below {LARGEST:g}, round {at} has {seen}")
    return labels, sums, dimension
