"""Logged rounds as arrays: labels numbered, contexts checked."""

from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..core.labels import as_label
from ..core.types import Floats, Integers, Label
from .columns import is_number


def numbered(arms: Iterable[Any]) -> tuple[list[Label], Integers]:
    """Distinct labels, and for each round the number of its label."""
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
    """An array of doubles, or an error that begins with what it should be and ends with the first place where it is not."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
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
    """The contexts of so many rounds, and the length of each; none have no length."""
    if contexts is None:
        return np.zeros((rounds, 0)), None
    vectors = np.ascontiguousarray(as_numbers(contexts, "contexts must be one row of numbers per round"))
    if vectors.ndim != 2 or vectors.shape[0] != rounds or vectors.shape[1] == 0:
        raise ValueError(f"contexts must be one row of numbers per round: {rounds} rounds, shape {vectors.shape}")
    return vectors, vectors.shape[1]
