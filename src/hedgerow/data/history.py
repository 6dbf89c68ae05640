"""History: what was played before, as sums per arm."""

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..core import state_file
from ..core.labels import as_label, shown
from ..core.sums import LARGEST, PLAYS, fields_of, row_size
from ..core.tally import tally
from ..core.types import Floats, Label, tuples
from ..present.numbers import numeral
from .columns import as_frame
from .context_column import Column
from .encoding import Encoding, column_names
from .files import read_with
from .group_by import Sums, grouped
from .history_fit import check_fit, listed_reasons, shared_encoding
from .history_view import HistoryView
from .log import Log
from .roles import ColumnRoles
from .rounds import as_dimension, sums_of_rounds
from .sql import read_sums, statement

Context: TypeAlias = str | Sequence[str] | Encoding | None


class History(HistoryView):
    """Sums of logged rounds per arm: plays, rewards, squared rewards and, with contexts, r x, x x' and x.

    Args:
        arms: the arms, each once.
        sums: a row of sums for each arm; the ``from_`` methods make them.
        dimension: how many numbers a context has, None for none.
        encoding: how raw contexts became these numbers.
        missing: rows of the log that were left out, by reason.

    Examples:
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
        self.arms: tuple[Label, ...] = tuple(arms)
        self.encoding = encoding
        self.missing: dict[str, int] = dict(missing or {})
        self.sums: Floats = np.ascontiguousarray(sums, dtype=np.float64)
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
        """The sums of logged rounds.

        Args:
            arms: the arm of each round.
            rewards: the reward of each round.
            contexts: one row of numbers per round, or None.

        Returns:
            The history.

        Examples:
            >>> History.from_rounds(arms=["a", "b", "a"], rewards=[1.0, 0.0, 0.5])
            History(2 arms, 3 plays)
        """
        return cls(*sums_of_rounds(arms, rewards, contexts))

    @classmethod
    def from_frame(cls, frame: Any, *, arm: str, reward: str, context: Context = None, scale: bool = False) -> "History":
        """The sums of a log as a data frame: pandas, polars, pyarrow, DuckDB, Dask, Spark or any other that narwhals takes.

        The sums are one GROUP BY, which a lazy frame leaves to its engine. Rows without an arm, a reward or a number of
        the context are left out and counted in ``missing``.

        Args:
            frame: the log.
            arm: column of the arm that was chosen.
            reward: column of the reward.
            context: columns of numbers, truth values or text, in this order; each text is a category, with one number for
                each of its levels. Or the ``encoding`` of another history, so that the two can be added.
            scale: subtract from each column of numbers its mean and divide by its standard deviation, which takes one
                more pass over the log.

        Returns:
            The history.
        """
        sums, encoding = grouped(as_frame(frame), ColumnRoles(arm, reward), context, scale=scale)
        return cls._of(sums, encoding, None if encoding is None else encoding.dimension)

    @classmethod
    def from_file(
        cls,
        path: str | Path,
        *,
        arm: str,
        reward: str,
        context: Context = None,
        scale: bool = False,
        separator: str | None = None,
    ) -> "History":
        """The sums of a log in Parquet, CSV or TSV files, read in a stream, so that the log may be long.

        Args:
            path: a file, a folder or a pattern of files.
            arm: column of the arm that was chosen.
            reward: column of the reward.
            context: as in :meth:`from_frame`.
            scale: as in :meth:`from_frame`.
            separator: what stands between the cells of text files; a comma if left out, a tab in .tsv.

        Returns:
            The history.
        """
        roles = ColumnRoles(arm, reward, context=column_names(context), separator=separator)
        sums, encoding = read_with(path, roles, lambda log: grouped(as_frame(log), roles, context, scale=scale))
        return cls._of(sums, encoding, None if encoding is None else encoding.dimension)

    @classmethod
    def from_log(cls, log: Log, *, scale: bool = False) -> "History":
        """The sums of a log that was read row by row, its contexts encoded.

        Args:
            log: the log.
            scale: as in :meth:`from_frame`.

        Returns:
            The history.

        Raises:
            ValueError: if it is no log.
        """
        if not isinstance(log, Log):
            raise ValueError(f"log must be a hedgerow.Log, got {type(log).__name__}: from_frame takes a frame, from_file a path")
        encoding = Encoding.of(log.context, scale=scale) if log.context else None
        vectors = encoding.matrix(log.context) if encoding is not None else np.zeros((len(log), 0))
        dimension = encoding.dimension if encoding is not None else None
        sums = np.zeros((log.tried, row_size(dimension)))
        tally(sums, log.arm, log.reward, vectors)
        return cls(log.arms[: log.tried], sums, dimension, encoding=encoding, missing=log.missing)

    @classmethod
    def from_sums(cls, table: Any, *, arm: str = "arm", context: Context = None) -> "History":
        """Sums that were computed elsewhere.

        Args:
            table: a frame with the columns that the query of :meth:`sql` gives.
            arm: its column of arms.
            context: what the numbers x_1, x_2 and so on are: names of columns, or the encoding given to ``sql``.

        Returns:
            The history.
        """
        sums, dimension = read_sums(table, arm)
        plain = Encoding(tuple(Column(name) for name in column_names(context))) if context else None
        return cls._of(sums, context if isinstance(context, Encoding) else plain, dimension or None)

    @classmethod
    def _of(cls, sums: Sums, encoding: Encoding | None, dimension: int | None) -> "History":
        """A history of these sums, with a warning of the rows that were left out."""
        if sums.missing:
            warnings.warn(f"rows of the log were left out: {listed_reasons(sums.missing)}", UserWarning, stacklevel=3)
        return cls(sums.arms, sums.rows, dimension, encoding=encoding, missing=sums.missing)

    @staticmethod
    def sql(table: str, *, arm: str, reward: str, context: Context = None, dialect: str = "duckdb") -> str:
        """The GROUP BY that computes a history inside a database; :meth:`from_sums` takes its result.

        Args:
            table: a name, with dots between its parts, or a query in parentheses. Names are quoted as they are given.
            arm: column of the arm that was chosen.
            reward: column of the reward.
            context: columns of numbers, or an encoding.
            dialect: duckdb, spark, bigquery, snowflake or postgres.

        Returns:
            The query.
        """
        return statement(table, ColumnRoles(arm, reward), context, dialect)

    def plays(self, arm: Label) -> float:
        """How often an arm was played.

        Args:
            arm: its label.

        Returns:
            Its plays, 0 for an arm that the history does not have.
        """
        return float(self.sums[self._row_of[arm], PLAYS]) if arm in self._row_of else 0.0

    def weighted(self, weight: float) -> "History":
        """The same history, each round counted ``weight`` times.

        Args:
            weight: below 1 the history is trusted less.

        Returns:
            Another history.

        Raises:
            ValueError: if the weight is negative or no number.

        Examples:
            >>> History.from_rounds(arms=["a", "a"], rewards=[1.0, 0.0]).weighted(0.5).plays("a")
            1.0
        """
        if isinstance(weight, bool) or not isinstance(weight, int | float | np.number) or not 0.0 <= weight < LARGEST:
            raise ValueError(f"weight must be a number of at least 0, got {weight!r}")
        return History(self.arms, self.sums * weight, self.dimension, encoding=self.encoding, missing=self.missing)

    def only(self, arms: Iterable[Label]) -> "History":
        """The part of the history about some arms.

        Args:
            arms: their labels.

        Returns:
            Another history.

        Examples:
            >>> History.from_rounds(arms=["a", "b"], rewards=[1.0, 0.0]).only(["a"]).arms
            ('a',)
        """
        wanted = set(arms)
        kept = [arm for arm in self.arms if arm in wanted]
        if self.arms and not kept:
            warnings.warn(f"none of {shown(wanted)} is in the history, whose arms are {shown(self.arms)}", stacklevel=2)
        rows = self.sums[[self._row_of[arm] for arm in kept]]
        return History(kept, rows, self.dimension, encoding=self.encoding, missing=self.missing)

    def rows_for(self, arms: Sequence[Label], dimension: int | None) -> Floats:
        """Rows of sums in the order of a policy's arms, as wide as its contexts need.

        Args:
            arms: the arms of the policy.
            dimension: how many numbers its contexts have, None for none.

        Returns:
            A row for each arm, zeros for an arm that the history does not have.

        Raises:
            ValueError: if the history has other arms, or contexts of another length.
        """
        known = arms if isinstance(arms, range) else dict(zip(arms, range(len(arms)), strict=True))
        check_fit(self.arms, self.dimension, known, dimension)
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
        encoding = shared_encoding(self.encoding, other.encoding, bool(self.arms and other.arms))
        both = Sums(self.arms, self.sums, self.missing).plus(Sums(other.arms, other.sums, other.missing), row_size(dimension))
        return History(both.arms, both.rows, dimension, encoding=encoding, missing=both.missing)

    def save(self, path: str | Path) -> None:
        """Write the history to a file that ``hedgerow.load`` reads.

        Args:
            path: the file.
        """
        state_file.save(path, *self._state(True))

    def _state(self, _waiting: bool) -> tuple[state_file.Manifest, dict[str, state_file.Block]]:
        encoding = None if self.encoding is None else self.encoding.to_json()
        manifest = {"kind": "history", "arms": list(self.arms), "dimension": self.dimension, "encoding": encoding}
        return {**manifest, "missing": self.missing}, {"sums": state_file.Block(self.sums, fields_of(self.dimension))}

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
        left_out = f"; left out: {listed_reasons(self.missing)}" if self.missing else ""
        return f"History({len(self.arms)} arms, {numeral(self.sums[:, PLAYS].sum(), 6)} plays{contexts}{left_out})"
