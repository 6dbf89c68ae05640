"""PostgreSQL as a store: any number of replicas."""

from collections.abc import Iterable, Sequence
from typing import Any

from ..core.extras import absent

try:
    import psycopg
except ImportError as missing:
    raise absent("a store in PostgreSQL", "psycopg", "postgres") from missing

from . import schema
from .settings import SETTINGS
from .store import Row, transaction

MIGRATING = 0x68656467
"""The advisory lock under which tables are made: "hedg"."""

INSERT = (
    "INSERT INTO decision(experiment, id, at, due, request, body) "
    "SELECT * FROM unnest(%s::text[], %s::text[], %s::float8[], %s::float8[], %s::text[], %s::text[]) "
    "ON CONFLICT DO NOTHING RETURNING experiment, id"
)


class Postgres:
    """A connection to PostgreSQL; see :class:`Store` for what it does. READ COMMITTED: the counter row is locked before reads.

    Args:
        url: The address of the database.
        writes: Whether it will be written.

    Raises:
        OSError: The database cannot be reached.
        ValueError: The tables are of a newer version.
    """

    def __init__(self, url: str, *, writes: bool = True):
        try:
            self._db = psycopg.connect(url, autocommit=True, prepare_threshold=1, connect_timeout=int(SETTINGS.store_wait))
        except psycopg.OperationalError as error:
            raise OSError(f"the store cannot be reached: {str(error).splitlines()[0]}") from error
        self._db.execute("SET synchronous_commit = on")
        self._db.execute("SET lock_timeout = '10s'")
        if not writes:
            self._db.execute("SET default_transaction_read_only = on")
            return
        if self._version() != schema.VERSION:  # no statement that makes tables beside running replicas: it deadlocks with theirs
            with transaction(self):
                self.run("SELECT pg_advisory_xact_lock(?)", (MIGRATING,))
                self.run("CREATE TABLE IF NOT EXISTS schema_version(version INTEGER NOT NULL)")
                schema.migrate(self, "BYTEA")

    def _version(self) -> int | None:
        if not self.run("SELECT to_regclass('schema_version')::text")[0][0]:
            return None
        found = self.run("SELECT version FROM schema_version")
        return int(found[0][0]) if found else None

    def run(self, sql: str, args: tuple[Any, ...] = ()) -> list[Row]:
        cursor = self._db.execute(sql.replace("?", "%s"), args)
        return cursor.fetchall() if cursor.description else []

    def many(self, sql: str, rows: Sequence[Row]) -> None:
        if rows:
            with self._db.cursor() as cursor:
                cursor.executemany(sql.replace("?", "%s"), rows)

    def among(self, sql: str, args: tuple[Any, ...], texts: Iterable[str]) -> list[Row]:
        return self.run(sql.replace("IN (?)", "= ANY(?::text[])"), (*args, list(texts)))

    def insert_decisions(self, rows: Sequence[Row]) -> set[tuple[str, str]]:
        ordered = sorted(rows, key=lambda row: row[:2])  # always in the order of keys: no deadlock
        columns = [list(column) for column in zip(*ordered, strict=True)]
        return set(self._db.execute(INSERT, columns).fetchall()) if rows else set()

    def now(self) -> float:
        return float(self.run("SELECT extract(epoch FROM clock_timestamp())::float8")[0][0])

    def begin(self) -> None:
        self._db.execute("BEGIN")

    def commit(self) -> None:
        self._db.execute("COMMIT")

    def rollback(self) -> None:
        if not self._db.closed:
            self._db.execute("ROLLBACK")

    def close(self) -> None:
        self._db.close()
