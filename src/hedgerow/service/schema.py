"""The tables of a store, as numbered migrations. The same statements on SQLite and PostgreSQL."""

from typing import Any, Protocol

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE experiment(name TEXT PRIMARY KEY, config TEXT NOT NULL, history TEXT NOT NULL, revision BIGINT NOT NULL,
        seq BIGINT NOT NULL, epoch BIGINT NOT NULL, salt BLOB NOT NULL, created DOUBLE PRECISION NOT NULL,
        archived DOUBLE PRECISION)""",
        """CREATE TABLE decision(experiment TEXT NOT NULL, id TEXT NOT NULL, at DOUBLE PRECISION NOT NULL, due DOUBLE PRECISION,
        request TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY(experiment, id))""",
        "CREATE INDEX decision_due ON decision(experiment, due) WHERE due IS NOT NULL",
        """CREATE TABLE reward(experiment TEXT NOT NULL, decision TEXT NOT NULL, key TEXT NOT NULL,
        value DOUBLE PRECISION NOT NULL, at DOUBLE PRECISION NOT NULL, orphan INTEGER NOT NULL,
        PRIMARY KEY(experiment, decision, key))""",
        "CREATE INDEX reward_orphan ON reward(experiment) WHERE orphan > 0",
        """CREATE TABLE log(experiment TEXT NOT NULL, seq BIGINT NOT NULL, kind TEXT NOT NULL, decision TEXT,
        value DOUBLE PRECISION, body TEXT, at DOUBLE PRECISION NOT NULL, PRIMARY KEY(experiment, seq))""",
        "CREATE UNIQUE INDEX log_once ON log(experiment, decision) WHERE kind IN ('outcome', 'default', 'cancel')",
        "CREATE INDEX log_amend ON log(experiment, decision, seq) WHERE kind = 'amend'",
        "CREATE INDEX log_change ON log(experiment, seq) WHERE kind IN ('change', 'refold')",
        """CREATE TABLE history(experiment TEXT NOT NULL, sha256 TEXT NOT NULL, state BLOB NOT NULL,
        PRIMARY KEY(experiment, sha256))""",
        """CREATE TABLE snapshot(experiment TEXT NOT NULL, epoch BIGINT NOT NULL, seq BIGINT NOT NULL, version TEXT NOT NULL,
        sha256 TEXT NOT NULL, tallies TEXT NOT NULL, state BLOB NOT NULL, PRIMARY KEY(experiment, epoch, seq))""",
        """CREATE TABLE token(hash TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, experiment TEXT,
        expires DOUBLE PRECISION)""",
        """CREATE TABLE replica(id TEXT NOT NULL, experiment TEXT NOT NULL, seq BIGINT NOT NULL, at DOUBLE PRECISION NOT NULL,
        PRIMARY KEY(id, experiment))""",
    ),
)
"""The statements of each version, from 1 on. A version that was released never changes; a new one is added."""

VERSION = len(MIGRATIONS)


class Database(Protocol):
    """What a migration needs of a store."""

    def run(self, sql: str, args: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Run one statement.

        Args:
            sql: With a ``?`` for each argument.
            args: The arguments.

        Returns:
            The rows.
        """


def migrate(database: Database, blob: str) -> None:
    """Bring the tables up to this version, within a transaction that nobody else runs beside.

    Args:
        database: The store; its table ``schema_version`` is there.
        blob: What the store calls a column of bytes.

    Raises:
        ValueError: The store is of a newer version.
    """
    found = database.run("SELECT version FROM schema_version")
    version = found[0][0] if found else 0
    check(version)
    for statements in MIGRATIONS[version:]:
        for statement in statements:
            database.run(statement.replace("BLOB", blob))
    if version < VERSION:
        database.run("DELETE FROM schema_version")
        database.run("INSERT INTO schema_version(version) VALUES(?)", (VERSION,))


def check(version: int) -> None:
    """Refuse a store that a newer hedgerow has changed.

    Args:
        version: Of the store's tables.

    Raises:
        ValueError: It is newer than this hedgerow.
    """
    if version > VERSION:
        raise ValueError(f"the store has tables of version {version}, this hedgerow knows {VERSION}: upgrade hedgerow")
