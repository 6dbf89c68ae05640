"""History: what was played before, as sums per arm."""

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..core import state_file
from ..core.labels import as_label, shown
from ..core.sums import LARGEST, PLAYS, fields_of, row_size
from ..core.tally import tally
from ..core.types import Floats, Label, tuples
from ..present.numbers import numeral
from .columns import as_frame
from .encoding import Column, Encoding
from .files import Wanted, read_with
from .group_by import grouped
from .log import Log
from .rounds import as_numbers, context_vectors, numbered
from .sql import read_sums, statement

WITH_CONTEXTS = "make it with from_rounds(contexts=), or with from_frame or from_file and context="
"""The way out for a history without contexts."""


class History:
    """Sums of logged rounds per arm: plays, rewards, squared rewards and, with contexts, r x, x x' and x.

    >>> log = History.from_rounds(arms=["a", "b", "a"], rewards=[1, 0, 0.5])
    >>> log
    History(2 arms, 3 plays)
    >>> log.weighted(0.5).plays("a")
    1.0
    """

    def __init__(
        self,
        arms: Iterable[Label],
        sums: Floats,
        dimension: int | None = None,
        *,
        encoding: Encoding | None = None,
        missing: Mapping[str, int] | None = None,
    ):
        self.arms = tuple(arms)
        self.encoding = encoding
        self.missing = dict(missing or {})
        self.sums = np.ascontiguousarray(sums, dtype=np.float64)
        self.dimension = dimension
        expected = (len(self.arms), row_size(dimension))
        if len(set(self.arms)) < len(self.arms):
            twice = [arm for arm, times in Counter(self.arms).items() if times > 1]
            raise ValueError(f"sums must be one row for each arm, there are several for {shown(twice)}: add them up first")
        if self.sums.shape != expected:
            raise ValueError(f"sums must be a row of {expected[1]} numbers for each arm, got shape {self.sums.shape}")
        if not np.isfinite(self.sums).all() or (self.sums[:, PLAYS] < 0.0).any():
            raise ValueError("a history must hold finite sums of at least no plays")
        if encoding is not None and encoding.dimension != dimension:
            raise ValueError(f"the encoding gives {encoding.dimension} numbers, the history has contexts of {dimension}")
        self._row_of = {arm: row for row, arm in enumerate(self.arms)}

    @classmethod
    def from_rounds(cls, *, arms: Iterable[Label], rewards: ArrayLike, contexts: ArrayLike | None = None) -> "History":
        """Logged rounds, one arm, reward and (if any) context vector each."""
        labels, rows = numbered(arms)
        values = as_numbers(rewards, "rewards must give one number per round")
        if values.shape != (rows.size,):
            raise ValueError(f"rewards must give one number per round: {rows.size} arms, rewards of shape {values.shape}")
        vectors, dimension = context_vectors(contexts, rows.size)
        sums = np.zeros((len(labels), row_size(dimension)))
        if (at := tally(sums, rows, values, vectors)) < rows.size:
            what, seen = ("contexts", vectors[at]) if abs(values[at]) < LARGEST else ("rewards", values[at])
            raise ValueError(f"{what} must be finite, and below {LARGEST:g}, round {at} has {seen}")
        return cls(labels, sums, dimension)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        arm: str,
        reward: str,
        context: str | Sequence[str] | Encoding | None = None,
        scale: bool = False,
    ) -> "History":
        """A log as a data frame: pandas, polars, pyarrow, DuckDB, Dask, Spark or any other that narwhals takes.

        The sums are one GROUP BY, which a lazy frame leaves to its engine. Rows without an arm, a reward or a number of
        the context are left out and counted in ``missing``.

        Arguments
            context: columns of numbers, truth values or text, in this order; each text is a category, with one number for
                each of its levels. Or the ``encoding`` of another history, so that the two can be added.
            scale: subtract from each column of numbers its mean and divide by its standard deviation, which takes one
                more pass over the log.
        """
        history = _summed(as_frame(frame), arm, reward, context, scale)
        _warn(history.missing)
        return history

    @classmethod
    def from_file(
        cls,
        path: str | Path,
        *,
        arm: str,
        reward: str,
        context: str | Sequence[str] | Encoding | None = None,
        scale: bool = False,
        separator: str | None = None,
    ) -> "History":
        """A log in Parquet, CSV or TSV files: one, a folder or a pattern of them; read in a stream, so it may be long.

        ``separator`` stands between the cells of text files: a comma if left out, a tab in .tsv.
        """
        names = [column.name for column in context.columns] if isinstance(context, Encoding) else _listed(context)
        wanted = Wanted([arm, reward, *names], [reward, *names], [arm], names, separator)
        history = read_with(path, wanted, lambda log: _summed(as_frame(log), arm, reward, context, scale))
        _warn(history.missing)
        return history

    @classmethod
    def from_log(cls, log: Log, *, scale: bool = False) -> "History":
        """The sums of a log that was read row by row, its contexts encoded; ``scale`` as in :meth:`from_frame`."""
        if not isinstance(log, Log):
            raise ValueError(f"log must be a hedgerow.Log, got {type(log).__name__}: from_frame takes a frame, from_file a path")
        encoding = Encoding.of(log.context, scale=scale) if log.context else None
        vectors = encoding.matrix(log.context) if encoding is not None else np.zeros((len(log), 0))
        dimension = encoding.dimension if encoding is not None else None
        sums = np.zeros((log.tried, row_size(dimension)))
        tally(sums, log.arm, log.reward, vectors)
        return cls(log.arms[: log.tried], sums, dimension, encoding=encoding, missing=log.missing)

    @classmethod
    def from_sums(cls, table: Any, *, arm: str = "arm", context: str | Sequence[str] | Encoding | None = None) -> "History":
        """Sums that were computed elsewhere: a frame with the columns that :meth:`sql` names.

        ``context`` tells what the numbers x_1, x_2 and so on are: names of columns, or the encoding given to ``sql``.
        """
        sums, dimension = read_sums(table, arm)
        history = cls(sums.arms, sums.rows, dimension or None, encoding=_encoding(context), missing=sums.missing)
        _warn(history.missing)
        return history

    @staticmethod
    def sql(
        table: str,
        *,
        arm: str,
        reward: str,
        context: str | Sequence[str] | Encoding | None = None,
        dialect: str = "duckdb",
    ) -> str:
        """The GROUP BY that computes a history inside a database; :meth:`from_sums` takes its result.

        Arguments
            table: a name, with dots between its parts, or a query in parentheses. Names are quoted as they are given.
            context: columns of numbers, or an encoding.
            dialect: duckdb, spark, bigquery, snowflake or postgres.
        """
        return statement(table, arm, reward, context if isinstance(context, Encoding) else _listed(context), dialect)

    def plays(self, arm: Label) -> float:
        """How often an arm was played."""
        return float(self.sums[self._row_of[arm], PLAYS]) if arm in self._row_of else 0.0

    def weighted(self, weight: float) -> "History":
        """The same history, each round counted ``weight`` times: below 1 it is trusted less."""
        if isinstance(weight, bool) or not isinstance(weight, int | float | np.number) or not 0.0 <= weight < 1e100:
            raise ValueError(f"weight must be a number of at least 0, got {weight!r}")
        return History(self.arms, self.sums * weight, self.dimension, encoding=self.encoding, missing=self.missing)

    def only(self, arms: Iterable[Label]) -> "History":
        """The part of the history about these arms."""
        wanted = set(arms)
        kept = [arm for arm in self.arms if arm in wanted]
        if self.arms and not kept:
            warnings.warn(f"none of {shown(wanted)} is in the history, whose arms are {shown(self.arms)}", stacklevel=2)
        rows = self.sums[[self._row_of[arm] for arm in kept]]
        return History(kept, rows, self.dimension, encoding=self.encoding, missing=self.missing)

    def rows_for(self, arms: Sequence[Label], dimension: int | None) -> Floats:
        """Rows of sums in the order of a policy's arms, as wide as its contexts need."""
        known = arms if isinstance(arms, range) else dict(zip(arms, range(len(arms)), strict=True))
        if strangers := [arm for arm in self.arms if arm not in known]:
            text = {str(arm) for arm in known} & {str(arm) for arm in strangers}
            way = "drop them with history.only(arms)"
            if text:
                way = f"{shown(sorted(text))} is a number in one of them and text in the other: write them alike"
            raise ValueError(f"history has arms that the policy does not: {shown(strangers)}; {way}")
        if dimension is not None and self.arms and self.dimension != dimension:
            have = f"contexts of {self.dimension} numbers" if self.dimension else "no contexts"
            way = "" if self.dimension else f": {WITH_CONTEXTS}"
            raise ValueError(f"history has {have}, the policy needs contexts of {dimension}{way}")
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
        encoding = _shared_encoding(self, other)
        missing = dict(Counter(self.missing) + Counter(other.missing))
        arms = tuple(dict.fromkeys((*self.arms, *other.arms)))
        sums = np.zeros((len(arms), row_size(dimension)))
        sums[: len(self.arms)] = self.sums if self.arms else 0.0
        row_of = {arm: row for row, arm in enumerate(arms)}
        sums[[row_of[arm] for arm in other.arms]] += other.sums[:, : sums.shape[1]]
        return History(arms, sums, dimension, encoding=encoding, missing=missing)

    def save(self, path: str | Path) -> None:
        """Write the history to a file that ``hedgerow.load`` reads."""
        encoding = None if self.encoding is None else self.encoding.to_json()
        manifest: state_file.Manifest = {"kind": "history", "arms": list(self.arms), "dimension": self.dimension}
        manifest |= {"encoding": encoding, "missing": self.missing}
        state_file.save(path, manifest, {"sums": state_file.Block(self.sums, fields_of(self.dimension))})

    @classmethod
    def _restore(cls, file: state_file.StateFile) -> "History":
        arms = tuple(as_label(tuples(arm), "an arm label") for arm in file.manifest["arms"])
        dimension = as_dimension(file.manifest["dimension"])
        columns = file.manifest["encoding"]
        encoding = None if columns is None else Encoding.from_json(columns)
        missing = {str(reason): int(rows) for reason, rows in file.manifest["missing"].items()}
        sums = file.array("sums", fields_of(dimension), len(arms))
        return cls(arms, sums, dimension, encoding=encoding, missing=missing)

    def __repr__(self) -> str:
        contexts = f", contexts of {self.dimension}" if self.dimension else ""
        left_out = f"; left out: {_reasons(self.missing)}" if self.missing else ""
        return f"History({len(self.arms)} arms, {numeral(self.sums[:, PLAYS].sum(), 6)} plays{contexts}{left_out})"


def as_dimension(value: Any) -> int | None:
    """A length of context vectors, or None for none."""
    if value is None:
        return None
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"dimension must be a whole number of at least 1, got {value!r}")
    return int(value)


def _listed(context: str | Sequence[str] | None) -> list[str]:
    return [context] if isinstance(context, str) else list(context or ())


def _encoding(context: str | Sequence[str] | Encoding | None) -> Encoding | None:
    """An encoding as given, or of columns of plain numbers."""
    if isinstance(context, Encoding):
        return context
    return Encoding(tuple(Column(name) for name in _listed(context))) if context else None


def _summed(data: Any, arm: str, reward: str, context: str | Sequence[str] | Encoding | None, scale: bool) -> History:
    if scale and isinstance(context, Encoding):
        raise ValueError("a given encoding says already how columns are scaled: leave scale=True out")
    columns = context if isinstance(context, Encoding) else _listed(context)
    encoding, parts = grouped(data, arm, reward, columns, scale=scale)
    dimension = None if encoding is None else encoding.dimension
    total = History((), np.zeros((0, row_size(dimension))), dimension, encoding=encoding)
    for sums in parts:
        total = total + History(sums.arms, sums.rows, dimension, encoding=encoding, missing=sums.missing)
    return total


def common_encoding(given: Iterable[Encoding | None], refusal: str) -> Encoding | None:
    """The one encoding among those given, None for contexts without names; two different ones would mix numbers up."""
    known = list(dict.fromkeys(encoding for encoding in given if encoding is not None))
    if len(known) > 1:
        raise _different(refusal, known[0], known[1])
    return known[0] if known else None


def _different(refusal: str, one: Encoding | None, other: Encoding | None) -> ValueError:
    """What to raise for two encodings, with the first column that they read differently."""
    pairs = zip(one.columns if one else (), other.columns if other else (), strict=False)
    differ = next(((mine, theirs) for mine, theirs in pairs if mine != theirs), (one, other))
    return ValueError(
        f"{refusal}: {differ[0]} and {differ[1]}; give the encoding of the first as context= when you make the second history"
    )


def _shared_encoding(one: History, other: History) -> Encoding | None:
    """The encoding of the sum of two histories; numbers as they are may be added to those of unnamed contexts."""
    if one.arms and other.arms:
        check_alike(one.encoding, other.encoding, "histories with different encodings cannot be added")
    return common_encoding((one.encoding, other.encoding), "histories with different encodings cannot be added")


def check_alike(one: Encoding | None, other: Encoding | None, refusal: str) -> None:
    """Refuse two encodings that read contexts differently; None: numbers as they are, without names."""
    shared = common_encoding((one, other), refusal)
    if shared is not None and None in (one, other) and not shared.plain:
        raise _different(refusal, one, other)


def _reasons(missing: Mapping[str, int]) -> str:
    return ", ".join(f"{rows} {reason}" for reason, rows in missing.items())


def _warn(missing: Mapping[str, int]) -> None:
    if missing:
        warnings.warn(f"rows of the log were left out: {_reasons(missing)}", UserWarning, stacklevel=3)
