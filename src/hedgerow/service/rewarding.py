"""Rewards: stored once, settled once, and what comes later is an amendment."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from .aggregate import aggregated
from .entries import EXPIRED, WITHDRAWN, Kind, made_of
from .journal import MOST_KEYS, Give, Known, Ledger
from .wire import Config

ORPHAN, FINAL_ORPHAN = 1, 2
"""Marks of a reward whose decision has not come: it is to be settled when that comes, with others, or as the final one."""

TICK = 1e-6
"""Seconds between two rewards of one transaction."""


class Result(NamedTuple):
    """What became of a reward.

    Args:
        status: The HTTP status.
        said: The word for it, or the reason why it was refused.
    """

    status: int
    said: str


class _Book:
    """The rewards of a transaction: what was there, what is new, what is replaced."""

    def __init__(self, ledger: Ledger, config: Config, ids: Sequence[str]):
        self.ledger, self.config = ledger, config
        self.known, self.rewards = ledger.known(ids), ledger.rewards(ids)
        self.settled: dict[str, float | None] = {}
        self.new: dict[tuple[str, str], tuple[float, int]] = {}
        self.replaced: dict[tuple[str, str], float] = {}
        self.at = ledger.at

    def give(self, give: Give) -> Result:
        """One reward; in memory, as the counter is locked and nobody else writes rewards."""
        known, there = self.known.get(give.id), self.rewards.setdefault(give.id, {})
        if known is not None and known.why == WITHDRAWN:
            return Result(409, f"decision {give.id!r} was withdrawn: a decision that was never shown earns nothing")
        old = there.get(give.key)
        if old is not None and old[0] != give.value and not give.amend:
            return Result(
                409, f"reward {give.key!r} of decision {give.id!r} is {old[0]!r}, got {give.value!r}: amend=1 replaces it"
            )
        if old is None and len(there) >= MOST_KEYS:
            return Result(409, f"decision {give.id!r} has {MOST_KEYS} rewards, which is the most")
        changed = old is None or old[0] != give.value
        if changed:
            self._store(give, None if old is None else old[1])
        if known is None:
            self._mark(give)
            return Result(202, "unknown")
        return Result(200, self._folded(give, known, None if old is None else old[0], changed))

    def _store(self, give: Give, at: float | None) -> None:
        place = give.id, give.key
        if at is None:
            self.at += TICK  # rewards of one transaction keep their order
        self.rewards[give.id][give.key] = give.value, self.at if at is None else at
        if at is None or place in self.new:
            self.new[place] = give.value, self.new.get(place, (0.0, 0))[1]
        else:
            self.replaced[place] = give.value

    def _mark(self, give: Give) -> None:
        """Remember that the decision has to come."""
        mark, place = FINAL_ORPHAN if give.final else ORPHAN, (give.id, give.key)
        if place in self.new:
            self.new[place] = give.value, max(mark, self.new[place][1])
        elif give.final:
            sql = "UPDATE reward SET orphan = ? WHERE experiment = ? AND decision = ? AND key = ? AND orphan > 0"
            self.ledger.store.run(sql, (mark, self.ledger.experiment, *place))

    def _folded(self, give: Give, known: Known, old: float | None, changed: bool) -> str:
        """Settle an open decision, or amend a settled one."""
        id, there = give.id, self.rewards[give.id]
        if known.settled is None and id not in self.settled:
            if not (give.final or self.config.learns_at_once):
                return "waiting"
            entry = self.ledger.settle(id, known, there, self.config.aggregate)
            self.settled[id] = entry.value
            return "folded"
        worth = self.settled.get(id, known.worth)
        value = aggregated(there, self.config.aggregate)
        if changed and (value != worth or old is not None):
            self.settled[id] = value
            self.ledger.append(Kind.AMEND, id, value, json.dumps({"key": give.key, "old": old, "new": give.value}))
        if changed:
            return "late"
        return "folded" if known.settled in (None, Kind.OUTCOME) else "late"

    def write(self) -> None:
        """Write the rewards."""
        experiment, store = self.ledger.experiment, self.ledger.store
        rows = [(experiment, id, key, value, self.rewards[id][key][1], orphan) for (id, key), (value, orphan) in self.new.items()]
        if rows:
            store.many("INSERT INTO reward(experiment, decision, key, value, at, orphan) VALUES(?, ?, ?, ?, ?, ?)", rows)
        if self.replaced:
            changes = [(value, experiment, *place) for place, value in self.replaced.items()]
            store.many("UPDATE reward SET value = ? WHERE experiment = ? AND decision = ? AND key = ?", changes)


def reward(ledger: Ledger, config: Config, gives: Sequence[Give]) -> list[Result]:
    """Store rewards; settle the decisions that are to be learnt now.

    Args:
        ledger: The log.
        config: How rewards are aggregated, and when they are learnt.
        gives: The rewards.

    Returns:
        What became of each.
    """
    book = _Book(ledger, config, [give.id for give in gives])
    results = [book.give(give) for give in gives]
    book.write()
    return results


def sweep(ledger: Ledger, config: Config, limit: int) -> None:
    """Rewards whose decision came after them; then decisions whose wait is over.

    Args:
        ledger: The log.
        config: How rewards are aggregated, and what a decision without rewards is worth.
        limit: At most so many rows of each.
    """
    _adopt(ledger, config, limit)
    done = {entry.decision for entry in ledger.entries}
    sql = "SELECT id FROM decision WHERE experiment = ? AND due IS NOT NULL AND due < ? ORDER BY due LIMIT ?"
    due = [id for (id,) in ledger.store.run(sql, (ledger.experiment, ledger.at, limit)) if id not in done]
    if due:
        _expire(ledger, config, due)


def _adopt(ledger: Ledger, config: Config, limit: int) -> None:
    """Orphans whose decision is there by now."""
    sql = (
        "SELECT r.decision, r.key, r.value, r.orphan FROM reward r JOIN decision d ON d.experiment = r.experiment "
        "AND d.id = r.decision WHERE r.experiment = ? AND r.orphan > 0 ORDER BY r.at, r.decision, r.key LIMIT ?"
    )
    rows = ledger.store.run(sql, (ledger.experiment, limit))
    if not rows:
        return
    ids = list(dict.fromkeys(row[0] for row in rows))
    known, rewards = ledger.known(ids), ledger.rewards(ids)
    for id in ids:
        final = config.learns_at_once or any(row[3] == FINAL_ORPHAN for row in rows if row[0] == id)
        found = known[id]
        if found.settled is None and final:
            ledger.settle(id, found, rewards[id], config.aggregate)
        elif found.settled is not None and found.why != WITHDRAWN:
            _amend(ledger, id, found, rewards[id], config)
    marks = [(ledger.experiment, row[0], row[1]) for row in rows]
    ledger.store.many("UPDATE reward SET orphan = 0 WHERE experiment = ? AND decision = ? AND key = ?", marks)


def _amend(ledger: Ledger, id: str, known: Known, rewards: dict[str, tuple[float, float]], config: Config) -> None:
    value = aggregated(rewards, config.aggregate)
    if value != known.worth:
        ledger.append(Kind.AMEND, id, value, json.dumps({"key": None, "old": None, "new": value}))


def _expire(ledger: Ledger, config: Config, due: Iterable[str]) -> None:
    """Decisions whose wait is over, by their rewards, by the default, or not at all."""
    ids = list(due)
    known, rewards = ledger.known(ids), ledger.rewards(ids)
    for id in ids:
        found: Any = known[id]
        if found.settled is not None:
            continue
        if rewards.get(id):
            ledger.settle(id, found, rewards[id], config.aggregate)
        elif config.default is not None:
            ledger.append(Kind.DEFAULT, id, config.default, None, made_of(found.body))
        else:
            ledger.append(Kind.CANCEL, id, None, EXPIRED, made_of(found.body))
