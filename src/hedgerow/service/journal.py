"""The transactions of an experiment, in plain SQL, the same for both stores.

Whoever writes rewards or log rows holds the counter row of the experiment until the commit: so ``seq`` is the order of commits,
without gaps, and what was read after it was locked stays so. Decisions are inserted without it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from .aggregate import aggregated
from .entries import SETTLING, WITHDRAWN, Entry, Kind, Made, made_of
from .store import Store

MOST_KEYS = 32
"""Rewards that a decision may have."""


class Give(NamedTuple):
    """A reward to be stored.

    Args:
        id: Of its decision.
        key: Of the reward.
        value: The reward.
        final: Whether no other will come.
        amend: Whether it replaces another value of that key.
    """

    id: str
    key: str
    value: float
    final: bool
    amend: bool


class Stored(NamedTuple):
    """A decision as its row has it.

    Args:
        id: Of the decision.
        at: When it was made.
        request: What was asked, as canonical JSON.
        made: What was decided.
        new: Whether this transaction inserted it.
    """

    id: str
    at: float
    request: str
    made: Made
    new: bool


class Known(NamedTuple):
    """What stands about a decision when its counter is locked.

    Args:
        body: Of its row.
        settled: Kind of the log row that settled it, if any.
        why: Body of that row.
        worth: What a fold of the whole log would learn from it now.
    """

    body: str
    settled: str | None
    why: str | None
    worth: float | None


def decide(store: Store, experiment: str, asks: Mapping[str, tuple[str, Made]], at: float) -> dict[str, Stored]:
    """Store decisions whose id is new.

    Args:
        store: In a transaction.
        experiment: Its name.
        asks: Request and decision by id.
        at: The store's time.

    Returns:
        What stands under each id: this decision, or the one of before.
    """
    rows = [
        (experiment, id, at, None if made.wait is None else at + made.wait, request, msgspec.json.encode(made).decode())
        for id, (request, made) in asks.items()
    ]
    new = store.insert_decisions(rows)
    found = {id: Stored(id, at, request, made, True) for id, (request, made) in asks.items() if (experiment, id) in new}
    old = [id for id in asks if id not in found]
    if old:
        sql = "SELECT id, at, request, body FROM decision WHERE experiment = ? AND id IN (?)"
        for id, made_at, request, body in store.among(sql, (experiment,), old):
            found[id] = Stored(id, made_at, request, made_of(body), False)
    return found


def stored(store: Store, experiment: str, id: str) -> Stored | None:
    """A decision as it is stored.

    Args:
        store: Any.
        experiment: Its name.
        id: Of the decision.

    Returns:
        The decision, None if there is none.
    """
    rows = store.run("SELECT at, request, body FROM decision WHERE experiment = ? AND id = ?", (experiment, id))
    return Stored(id, rows[0][0], rows[0][1], made_of(rows[0][2]), False) if rows else None


class Ledger:
    """The log of one experiment within a transaction: its counter is locked from the beginning on.

    Args:
        store: In a transaction.
        experiment: Its name.

    Raises:
        KeyError: There is no such experiment.
    """

    def __init__(self, store: Store, experiment: str):
        found = store.run("UPDATE experiment SET seq = seq WHERE name = ? RETURNING seq, epoch, revision", (experiment,))
        if not found:
            raise KeyError(experiment)
        self.store: Store = store
        self.experiment: str = experiment
        self.seq: int = found[0][0]
        self.epoch: int = found[0][1]
        self.revision: int = found[0][2]
        self.at: float = store.now()
        self.entries: list[Entry] = []

    def append(self, kind: str, id: str | None, value: float | None, body: str | None, made: Made | None = None) -> Entry:
        """The next row.

        Args:
            kind: What it says.
            id: The decision it is about, if any.
            value: The reward, if any.
            body: More, as JSON.
            made: The decision, of rows that settle one.

        Returns:
            The row; ``close`` writes it.
        """
        self.seq += 1
        self.entries.append(Entry(self.seq, kind, id, value, body, made))
        return self.entries[-1]

    def close(self) -> list[Entry]:
        """Write the rows and the counter.

        Returns:
            The rows, to be learnt after the commit.
        """
        if self.entries:
            sql = "INSERT INTO log(experiment, seq, kind, decision, value, body, at) VALUES(?, ?, ?, ?, ?, ?, ?)"
            self.store.many(sql, [(self.experiment, e.seq, e.kind, e.decision, e.value, e.body, self.at) for e in self.entries])
            self.store.run("UPDATE experiment SET seq = ? WHERE name = ?", (self.seq, self.experiment))
            settled = [str(e.decision) for e in self.entries if e.kind in SETTLING]
            if settled:
                sql = "UPDATE decision SET due = NULL WHERE experiment = ? AND id IN (?)"
                self.store.among(sql, (self.experiment,), settled)
        return self.entries

    def known(self, ids: Iterable[str]) -> dict[str, Known]:
        """What stands about decisions.

        Args:
            ids: Of the decisions.

        Returns:
            Those that are there.
        """
        asked, key = sorted(set(ids)), (self.experiment,)
        bodies: dict[str, str] = dict(
            self.store.among("SELECT id, body FROM decision WHERE experiment = ? AND id IN (?)", key, asked)
        )
        sql = (
            "SELECT decision, kind, value, body FROM log WHERE experiment = ? AND kind IN ('outcome', 'default', 'cancel') "
            "AND decision IN (?)"
        )
        settled = {id: rest for id, *rest in self.store.among(sql, key, bodies)}
        sql = "SELECT decision, value FROM log WHERE experiment = ? AND kind = 'amend' AND decision IN (?) ORDER BY seq"
        amended: dict[str, float | None] = dict(self.store.among(sql, key, settled)) if settled else {}
        found = {}
        for id, body in bodies.items():
            kind, value, why = settled.get(id, (None, None, None))
            found[id] = Known(body, kind, why, amended.get(id, value))
        return found

    def rewards(self, ids: Iterable[str]) -> dict[str, dict[str, tuple[float, float]]]:
        """The rewards of decisions.

        Args:
            ids: Of the decisions.

        Returns:
            Value and time by decision and key.
        """
        sql = "SELECT decision, key, value, at FROM reward WHERE experiment = ? AND decision IN (?)"
        found: dict[str, dict[str, tuple[float, float]]] = {}
        for id, key, value, at in self.store.among(sql, (self.experiment,), sorted(set(ids))):
            found.setdefault(id, {})[key] = value, at
        return found

    def settle(self, id: str, known: Known, rewards: Mapping[str, tuple[float, float]], how: str) -> Entry:
        """Learn an open decision by its rewards.

        Args:
            id: Of the decision.
            known: What stands about it.
            rewards: Its rewards, at least one.
            how: They are aggregated.

        Returns:
            The row.
        """
        body = json.dumps(sorted(rewards), separators=(",", ":"))
        return self.append(Kind.OUTCOME, id, aggregated(rewards, how), body, made_of(known.body))


def withdraw(ledger: Ledger, ids: Sequence[str]) -> dict[str, str]:
    """Cancel decisions that were never shown.

    Args:
        ledger: The log.
        ids: Of the decisions.

    Returns:
        By id: "withdrawn", "unknown", or the kind of the row that settled it before.
    """
    found, known = {}, ledger.known(ids)
    for id in dict.fromkeys(ids):
        if id not in known:
            found[id] = "unknown"
        elif known[id].settled is None:
            ledger.append(Kind.CANCEL, id, None, WITHDRAWN, made_of(known[id].body))
            found[id] = "withdrawn"
        else:
            found[id] = "withdrawn" if known[id].why == WITHDRAWN else str(known[id].settled)
    return found


def tail(store: Store, experiment: str, seq: int, limit: int) -> list[Entry]:
    """Rows of the log after one, with their decisions.

    Args:
        store: Any.
        experiment: Its name.
        seq: The last row that is known.
        limit: At most so many.

    Returns:
        The rows, in their order.
    """
    sql = (
        "SELECT l.seq, l.kind, l.decision, l.value, l.body, d.body FROM log l LEFT JOIN decision d "
        "ON d.experiment = l.experiment AND d.id = l.decision WHERE l.experiment = ? AND l.seq > ? ORDER BY l.seq LIMIT ?"
    )
    return [_entry(row) for row in store.run(sql, (experiment, seq, limit))]


def _entry(row: tuple[Any, ...]) -> Entry:
    seq, kind, id, value, body, made = row
    return Entry(seq, kind, id, value, body, made_of(made) if made is not None and kind in SETTLING else None)
