"""History: what was played before, as sums per arm."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from . import state
from .arms import as_label, shown
from .statistics import LARGEST, PULLS, SCALARS, row_size, tally
from .types import Floats, Integers, Label, tuples

if TYPE_CHECKING:
    import narwhals as nw

SLICE = 1 << 18
"""Rows of an in-memory frame that are summed at a time, so that memory stays bounded."""


class History:
    """Sums of logged rounds per arm: plays, rewards, squared rewards and, with contexts, r x, x x' and x.

    >>> log = History.from_rounds(arms=["a", "b", "a"], rewards=[1, 0, 0.5])
    >>> log
    History(2 arms, 3 plays)
    >>> log.weighted(0.5).plays("a")
    1.0
    """

    def __init__(self, arms: Iterable[Label], sums: Floats, dimension: int | None = None):
        self.arms = tuple(arms)
        self.sums = np.ascontiguousarray(sums, dtype=np.float64)
        self.dimension = dimension
        expected = (len(self.arms), row_size(dimension))
        if self.sums.shape != expected or len(set(self.arms)) < len(self.arms):
            raise ValueError(f"sums must be a row of {expected[1]} numbers for each distinct arm, got shape {self.sums.shape}")
        if not np.isfinite(self.sums).all() or (self.sums[:, PULLS] < 0.0).any():
            raise ValueError("a history must hold finite sums of at least no plays")
        self._row_of = {arm: row for row, arm in enumerate(self.arms)}

    @classmethod
    def from_rounds(cls, *, arms: Iterable[Label], rewards: ArrayLike, contexts: ArrayLike | None = None) -> "History":
        """Logged rounds, one arm, reward and (if any) context vector each."""
        labels, rows = _numbered(arms)
        values = np.asarray(rewards, dtype=np.float64)
        if values.shape != (rows.size,):
            raise ValueError(f"rewards must give one number per round: {rows.size} arms, rewards of shape {values.shape}")
        vectors, dimension = _contexts(contexts, rows.size)
        sums = np.zeros((len(labels), row_size(dimension)))
        if (at := tally(sums, rows, values, vectors)) < rows.size:
            what, seen = ("contexts", vectors[at]) if abs(values[at]) < LARGEST else ("rewards", values[at])
            raise ValueError(f"{what} must be finite, and below {LARGEST:g}, round {at} has {seen}")
        return cls(labels, sums, dimension)

    @classmethod
    def from_frame(cls, frame: Any, *, arm: str, reward: str, context: str | Sequence[str] | None = None) -> "History":
        """A log as a data frame: pandas, polars, pyarrow, DuckDB or any other that narwhals takes, eager or lazy.

        The sums are one GROUP BY, which a lazy frame leaves to its engine.
        """
        import narwhals as nw

        data: Any = nw.from_native(frame)
        columns = [context] if isinstance(context, str) else list(context or ())
        _check_columns(data, arm, reward, columns)
        if isinstance(data, nw.LazyFrame):
            return _grouped(data, arm, reward, columns)
        total = cls((), np.zeros((0, row_size(len(columns)))), len(columns) or None)
        for start in range(0, len(data), SLICE):
            total = total + _grouped(data[start : start + SLICE], arm, reward, columns)
        return total

    def plays(self, arm: Label) -> float:
        """How often an arm was played."""
        return float(self.sums[self._row_of[arm], PULLS]) if arm in self._row_of else 0.0

    def weighted(self, weight: float) -> "History":
        """The same history, each round counted ``weight`` times: below 1 it is trusted less."""
        if isinstance(weight, bool) or not isinstance(weight, int | float | np.number) or not 0.0 <= weight < 1e100:
            raise ValueError(f"weight must be a number of at least 0, got {weight!r}")
        return History(self.arms, self.sums * weight, self.dimension)

    def only(self, arms: Iterable[Label]) -> "History":
        """The part of the history about these arms."""
        wanted = set(arms)
        kept = [arm for arm in self.arms if arm in wanted]
        return History(kept, self.sums[[self._row_of[arm] for arm in kept]], self.dimension)

    def rows_for(self, arms: Sequence[Label], dimension: int | None) -> Floats:
        """Rows of sums in the order of a policy's arms, as wide as its contexts need."""
        known = arms if isinstance(arms, range) else dict(zip(arms, range(len(arms)), strict=True))
        if strangers := [arm for arm in self.arms if arm not in known]:
            raise ValueError(f"history has arms that the policy does not: {shown(strangers)}; drop them with history.only(arms)")
        if dimension is not None and self.arms and self.dimension != dimension:
            have = f"contexts of {self.dimension} numbers" if self.dimension else "no contexts"
            raise ValueError(f"history has {have}, the policy needs contexts of {dimension}")
        rows = np.zeros((len(arms), row_size(dimension)))
        position: Callable[[Any], int] = known.index if isinstance(known, range) else known.__getitem__
        rows[[position(arm) for arm in self.arms]] = self.sums[:, : rows.shape[1]]
        return rows

    def __add__(self, other: "History") -> "History":
        if not isinstance(other, History):
            return NotImplemented
        if self.arms and other.arms and self.dimension != other.dimension:
            raise ValueError(f"histories with contexts of {self.dimension} and {other.dimension} numbers cannot be added")
        dimension = self.dimension if self.arms else other.dimension
        arms = tuple(dict.fromkeys((*self.arms, *other.arms)))
        sums = np.zeros((len(arms), row_size(dimension)))
        sums[: len(self.arms)] = self.sums if self.arms else 0.0
        row_of = {arm: row for row, arm in enumerate(arms)}
        sums[[row_of[arm] for arm in other.arms]] += other.sums[:, : sums.shape[1]]
        return History(arms, sums, dimension)

    def save(self, path: str | Path) -> None:
        """Write the history to a file that ``hedgerow.load`` reads."""
        manifest = {"kind": "history", "arms": list(self.arms), "dimension": self.dimension}
        state.save(path, manifest, {"sums": self.sums})

    @classmethod
    def load(cls, path: str | Path) -> "History":
        """The history that ``save`` wrote."""
        loaded = state.load(path)
        if not isinstance(loaded, cls):
            raise ValueError(f"{path} holds a {type(loaded).__name__}, not a history; use hedgerow.load")
        return loaded

    @classmethod
    def _restore(cls, file: state.StateFile) -> "History":
        arms = tuple(as_label(tuples(arm), "an arm label") for arm in file.manifest["arms"])
        dimension = as_dimension(file.manifest["dimension"])
        return cls(arms, file.array("sums", (len(arms), row_size(dimension))), dimension)

    def __repr__(self) -> str:
        contexts = f", contexts of {self.dimension}" if self.dimension else ""
        return f"History({len(self.arms)} arms, {self.sums[:, PULLS].sum():g} plays{contexts})"


def as_dimension(value: Any) -> int | None:
    """A length of context vectors, or None for none."""
    if value is None:
        return None
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"dimension must be a whole number of at least 1, got {value!r}")
    return int(value)


def _numbered(arms: Iterable[Any]) -> tuple[list[Label], Integers]:
    """Distinct labels, and for each round the number of its label."""
    if isinstance(arms, np.ndarray) and arms.dtype.kind in "iu" and arms.size and np.ptp(arms) < 4 * arms.size:
        least = int(arms.min())
        numbers = arms.astype(np.int64) - least  # small whole numbers need no sorting
        distinct = np.flatnonzero(np.bincount(numbers))
        place = np.zeros(int(distinct[-1]) + 1, dtype=np.int64)
        place[distinct] = np.arange(distinct.size)
        labels: list[Label] = [*(distinct + least).tolist()]
        return labels, place[numbers]
    if isinstance(arms, np.ndarray) and arms.dtype != object and arms.ndim == 1:
        distinct, numbers = np.unique(arms, return_inverse=True)
        return [as_label(arm, "an arm label") for arm in distinct], numbers.astype(np.int64)
    number_of: dict[Any, int] = {}
    try:
        rows = [number_of.setdefault(arm, len(number_of)) for arm in arms]
    except TypeError as error:
        raise ValueError(f"arms must be a list of labels, one per round: {error}") from error
    return [as_label(arm, "an arm label") for arm in number_of], np.array(rows, dtype=np.int64)


def _contexts(contexts: ArrayLike | None, rounds: int) -> tuple[Floats, int | None]:
    if contexts is None:
        return np.zeros((rounds, 0)), None
    vectors = np.ascontiguousarray(contexts, dtype=np.float64)
    if vectors.ndim != 2 or vectors.shape[0] != rounds or vectors.shape[1] == 0:
        raise ValueError(f"contexts must be one row of numbers per round: {rounds} rounds, shape {vectors.shape}")
    return vectors, vectors.shape[1]


def _check_columns(data: Any, arm: str, reward: str, context: Sequence[str]) -> None:
    schema = data.collect_schema()
    if missing := [name for name in (arm, reward, *context) if name not in schema.names()]:
        raise ValueError(f"the frame has no column {shown(missing)}; its columns are {shown(schema.names(), 20)}")
    for name in (reward, *context):
        dtype = schema[name]
        if not (dtype.is_numeric() or dtype.is_boolean()):
            raise ValueError(f"column {name!r} must hold numbers, it holds {dtype}")


def _grouped(data: Any, arm: str, reward: str, context: Sequence[str]) -> History:
    """The sums of ``statistics.observe`` as a GROUP BY."""
    import narwhals as nw

    inputs = {"r": reward, **{f"x{i}": name for i, name in enumerate(context)}}
    plain = data.select(nw.col(arm).alias("arm"), *(nw.col(name).cast(nw.Float64).alias(key) for key, name in inputs.items()))
    products = {"rr": ("r", "r"), **{f"rx{i}": ("r", f"x{i}") for i in range(len(context))}}
    products |= {f"xx{i}_{j}": (f"x{i}", f"x{j}") for i in range(len(context)) for j in range(i + 1)}
    widened = plain.with_columns(**{key: nw.col(a) * nw.col(b) for key, (a, b) in products.items()})
    sums = widened.group_by("arm").agg(
        nw.len().alias("rows"),
        *(nw.col(key).count().alias(f"given_{key}") for key in inputs),
        *(nw.col(key).sum().alias(key) for key in (*inputs, *products)),
    )
    table = sums.collect() if isinstance(sums, nw.LazyFrame) else sums
    labels = table["arm"].to_list()
    values = np.column_stack([table[key].to_numpy() for key in ("rows", "r", *products, *list(inputs)[1:])]).astype(np.float64)
    _check_sums(table, labels, inputs, values)
    return History([as_label(label, "an arm label") for label in labels], values, len(context) or None)


def _check_sums(table: "nw.DataFrame[Any]", labels: list[Any], inputs: dict[str, str], values: Floats) -> None:
    rows = table["rows"].to_numpy()
    if missing := int(rows[table["arm"].is_null().to_numpy().astype(bool)].sum()):
        raise ValueError(f"{missing} rows have no arm; drop or fill them first")
    for key, name in inputs.items():
        if missing := int((rows - table[f"given_{key}"].to_numpy()).sum()):
            raise ValueError(f"{missing} rows have no value in column {name!r}; drop or fill them first")
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0]
        where = "rewards" if column < SCALARS else "contexts"
        raise ValueError(f"{where} must be finite, those of arm {labels[row]!r} are not")
