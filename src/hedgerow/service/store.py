"""What the service asks of a database: the same plain SQL on SQLite and on PostgreSQL."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeAlias

Row: TypeAlias = tuple[Any, ...]


class Store(Protocol):
    """A connection to the store, used by one thread."""

    def run(self, sql: str, args: tuple[Any, ...] = ()) -> list[Row]:
        """Run one statement.

        Args:
            sql: With a ``?`` for each argument.
            args: The arguments.

        Returns:
            The rows.
        """

    def many(self, sql: str, rows: Sequence[Row]) -> None:
        """Run one statement for each of many rows.

        Args:
            sql: With a ``?`` for each value of a row.
            rows: The values.
        """

    def among(self, sql: str, args: tuple[Any, ...], texts: Iterable[str]) -> list[Row]:
        """Run a statement about rows with one of several texts.

        Args:
            sql: With a ``?`` for each argument, then ``IN (?)`` for the texts.
            args: The arguments before the texts.
            texts: The texts.

        Returns:
            The rows.
        """

    def insert_decisions(self, rows: Sequence[Row]) -> set[tuple[str, str]]:
        """Insert decisions whose id is new.

        Args:
            rows: Experiment, id, at, due, request, body.

        Returns:
            Experiment and id of those that were new.
        """

    def now(self) -> float:
        """The store's clock, in seconds since 1970.

        Returns:
            The time.
        """

    def begin(self) -> None:
        """Begin a transaction that writes."""

    def commit(self) -> None:
        """End it; what it wrote is durable."""

    def rollback(self) -> None:
        """End it; nothing was written."""

    def close(self) -> None:
        """Close the connection."""


@contextmanager
def transaction(store: Store) -> Iterator[None]:
    """A transaction that is committed at the end, or rolled back by an exception.

    Args:
        store: The connection.

    Returns:
        A context manager.
    """
    store.begin()
    try:
        yield
    except BaseException:
        store.rollback()
        raise
    store.commit()


def connect(url: str, *, relaxed: bool = False, writes: bool = True) -> Store:
    """Open a store, and bring its tables up to date if it is to be written.

    Args:
        url: ``sqlite:///path`` or ``postgresql://...``.
        relaxed: Whether commits may be lost at power loss (SQLite only).
        writes: Whether it will be written.

    Returns:
        A connection.

    Raises:
        ValueError: The address is neither, or the tables are of a newer version.
        OSError: The store cannot be reached.
    """
    if url.startswith("sqlite:///"):
        from .sqlite import Sqlite

        return Sqlite(url.removeprefix("sqlite:///"), relaxed=relaxed, writes=writes)
    if url.startswith(("postgresql://", "postgres://")):
        from .postgres import Postgres

        return Postgres(url, writes=writes)
    raise ValueError(f"a store is sqlite:///file.db or postgresql://user@host/name, got {url!r}")
