"""Where a history comes from: rounds, frames, files, logs, sums and databases."""

import warnings
from collections.abc import Iterable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..core.sums import row_size
from ..core.tally import tally
from ..core.types import Label
from .aged_rows import aging_of
from .columns import as_frame
from .context_column import Column
from .encoding import Encoding, column_names
from .files import read_with
from .group_by import Grouped, grouped
from .history_fit import listed_reasons
from .log import Log
from .roles import ColumnRoles
from .rounds import sums_of_rounds
from .sql import read_sums, statement

Context: TypeAlias = str | Sequence[str] | Encoding | None
HalfLife: TypeAlias = float | timedelta | None


class HistorySources:
    """The constructors of a history."""

    @classmethod
    def _made(cls, *given: Any, **named: Any) -> Self:
        made: Any = cls
        history: Self = made(*given, **named)
        return history

    @classmethod
    def from_rounds(cls, *, arms: Iterable[Label], rewards: ArrayLike, contexts: ArrayLike | None = None) -> Self:
        """The sums of logged rounds.

        Args:
            arms: the arm of each round.
            rewards: the reward of each round.
            contexts: one row of numbers per round, or None.

        Returns:
            The history.
        """
        return cls._made(*sums_of_rounds(arms, rewards, contexts))

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        arm: str,
        reward: str,
        context: Context = None,
        scale: bool = False,
        time: str | None = None,
        half_life: HalfLife = None,
    ) -> Self:
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
            time: column of the time, numbers or moments; the newest is kept in ``newest``.
            half_life: a row that is so much older than the newest counts half: a timedelta, or a number in the unit of the times.

        Returns:
            The history.

        Examples:
            >>> import hedgerow, polars
            >>> log = polars.DataFrame({"ad": ["a", "a"], "click": [0, 1], "day": [1, 31]})
            >>> hedgerow.History.from_frame(log, arm="ad", reward="click", time="day", half_life=30).plays("a")
            1.5
        """
        roles = ColumnRoles(arm, reward, time=time)
        found = grouped(as_frame(frame), roles, context, scale=scale, aging=aging_of(time, half_life))
        return cls._of(found, None if found.encoding is None else found.encoding.dimension)

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
        time: str | None = None,
        half_life: HalfLife = None,
    ) -> Self:
        """The sums of a log in Parquet, CSV or TSV files, read in a stream, so that the log may be long.

        Args:
            path: a file, a folder or a pattern of files.
            arm: column of the arm that was chosen.
            reward: column of the reward.
            context: as in :meth:`from_frame`.
            scale: as in :meth:`from_frame`.
            separator: what stands between the cells of text files; a comma if left out, a tab in .tsv.
            time: as in :meth:`from_frame`.
            half_life: as in :meth:`from_frame`.

        Returns:
            The history.
        """
        roles = ColumnRoles(arm, reward, context=column_names(context), time=time, separator=separator)
        aging = aging_of(time, half_life)
        found = read_with(path, roles, lambda log: grouped(as_frame(log), roles, context, scale=scale, aging=aging))
        return cls._of(found, None if found.encoding is None else found.encoding.dimension)

    @classmethod
    def from_log(cls, log: Log, *, scale: bool = False) -> Self:
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
        return cls._made(log.arms[: log.tried], sums, dimension, encoding=encoding, missing=log.missing)

    @classmethod
    def from_sums(cls, table: Any, *, arm: str = "arm", context: Context = None) -> Self:
        """Sums that were computed elsewhere.

        Args:
            table: a frame with the columns that the query of :meth:`sql` gives.
            arm: its column of arms.
            context: what the numbers x_1, x_2 and so on are: names of columns, or the encoding given to ``sql``.

        Returns:
            The history.
        """
        sums, dimension, newest = read_sums(table, arm)
        plain = Encoding(tuple(Column(name) for name in column_names(context))) if context else None
        read = context if isinstance(context, Encoding) else plain
        return cls._of(Grouped(sums, read, newest), dimension or None)

    @classmethod
    def _of(cls, found: Grouped, dimension: int | None) -> Self:
        """A history of these sums, with a warning of the rows that were left out."""
        sums, encoding, newest = found
        if sums.missing:
            warnings.warn(f"rows of the log were left out: {listed_reasons(sums.missing)}", UserWarning, stacklevel=3)
        return cls._made(sums.arms, sums.rows, dimension, encoding=encoding, missing=sums.missing, newest=newest)

    @staticmethod
    def sql(
        table: str,
        *,
        arm: str,
        reward: str,
        context: Context = None,
        dialect: str = "duckdb",
        time: str | None = None,
        half_life: HalfLife = None,
    ) -> str:
        """The GROUP BY that computes a history inside a database; :meth:`from_sums` takes its result.

        Args:
            table: a name, with dots between its parts, or a query in parentheses. Names are quoted as they are given.
            arm: column of the arm that was chosen.
            reward: column of the reward.
            context: columns of numbers, or an encoding.
            dialect: duckdb, spark, bigquery, snowflake or postgres.
            time: column of the time, which must hold numbers here, such as seconds since 1970.
            half_life: as in :meth:`from_frame`.

        Returns:
            The query.
        """
        return statement(table, ColumnRoles(arm, reward, time=time), context, dialect, aging_of(time, half_life))
