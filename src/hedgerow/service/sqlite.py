"""SQLite as a store: one process, one writer at a time, WAL."""

import json
import sqlite3
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from . import schema
from .settings import SETTINGS
from .store import Row, transaction


class Sqlite:
    """A connection to a SQLite file; see :class:`Store` for what it does.

    Args:
        path: The file; it is made if it is not there and is to be written.
        relaxed: Whether a commit may be lost at power loss.
        writes: Whether it will be written.

    Raises:
        OSError: The file cannot be opened.
        ValueError: It is no SQLite file, or of a newer version.
    """

    def __init__(self, path: str, *, relaxed: bool = False, writes: bool = True):
        self.path = path
        if not writes and not Path(path).exists():
            raise FileNotFoundError(f"there is no store {path!r}")
        try:
            self._open(path, relaxed, writes)
        except sqlite3.DatabaseError as error:
            raise OSError(f"the store {path!r} cannot be opened: {error}") from error

    def _open(self, path: str, relaxed: bool, writes: bool) -> None:
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=SETTINGS.store_wait)
        self._db.execute("PRAGMA cache_size=-32000")
        if not writes:
            self._db.execute("PRAGMA query_only=1")
            schema.check(self.run("SELECT version FROM schema_version")[0][0])
            return
        for pragma in ("journal_mode=WAL", f"synchronous={'NORMAL' if relaxed else 'FULL'}", "wal_autocheckpoint=2000"):
            self._db.execute(f"PRAGMA {pragma}")
        with transaction(self):
            self.run("CREATE TABLE IF NOT EXISTS schema_version(version INTEGER NOT NULL)")
            schema.migrate(self, "BLOB")

    def run(self, sql: str, args: tuple[Any, ...] = ()) -> list[Row]:
        return self._db.execute(sql, args).fetchall()

    def many(self, sql: str, rows: Sequence[Row]) -> None:
        self._db.executemany(sql, rows)

    def among(self, sql: str, args: tuple[Any, ...], texts: Iterable[str]) -> list[Row]:
        return self.run(sql.replace("IN (?)", "IN (SELECT value FROM json_each(?))"), (*args, json.dumps(list(texts))))

    def insert_decisions(self, rows: Sequence[Row]) -> set[tuple[str, str]]:
        there: set[tuple[str, str]] = set()
        for experiment in {row[0] for row in rows}:
            ids = [row[1] for row in rows if row[0] == experiment]
            found = self.among("SELECT id FROM decision WHERE experiment = ? AND id IN (?)", (experiment,), ids)
            there.update((experiment, id) for (id,) in found)
        new = [row for row in rows if row[:2] not in there]
        self.many("INSERT INTO decision(experiment, id, at, due, request, body) VALUES(?, ?, ?, ?, ?, ?)", new)
        return {row[:2] for row in new}

    def now(self) -> float:
        return time.time()

    def begin(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        self._db.execute("COMMIT")

    def rollback(self) -> None:
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    def close(self) -> None:
        self._db.close()


def backup(path: str, out: str) -> None:
    """Copy a store as it is at one moment, while others write it.

    Args:
        path: The store's file.
        out: The copy, which is not there yet.

    Raises:
        OSError: The store is not there, or the copy is.
    """
    if not Path(path).exists():
        raise FileNotFoundError(f"there is no store {path!r}")
    if Path(out).exists():
        raise FileExistsError(f"{out} is there already")
    source = sqlite3.connect(path)
    try:
        source.execute("VACUUM INTO ?", (out,))
    finally:
        source.close()
