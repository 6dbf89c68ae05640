"""The invariants of an experiment, checked against its store: what a crash must not break."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

import hedgerow as hr

from ..policies.bandit import Bandit
from ..policies.meta import Meta
from . import restore
from .aggregate import aggregated
from .entries import Entry, Kind, made_of
from .fold import Fold
from .reports import Check, Verified
from .restore import Head
from .store import Store
from .wire import Ask, Config

SHOWN = 5
"""Failures that are told of each check."""

DERIVED = 1000
"""Latest decisions whose choice is made again."""

GRACE = 10.0
"""Seconds after which a decision past due must have been settled, while a service runs."""


class Live(NamedTuple):
    """What a process has in memory.

    Args:
        seq: The last row it learnt.
        state_hash: Of its policy.
    """

    seq: int
    state_hash: str


def verify(store: Store, name: str, *, live: Live | None = None, settled: bool = True) -> Verified:
    """Check every invariant.

    Args:
        store: Any.
        name: Of the experiment.
        live: What a process has in memory, to be compared.
        settled: Whether a service runs, so that decisions past due must be settled.

    Returns:
        What was checked, and what does not hold.

    Raises:
        KeyError: There is no such experiment.
    """
    where = restore.head(store, name)
    checks = [
        _check("the log has the rows 1, 2, 3 and so on, up to the counter", _gaps(store, where)),
        _check("a decision is settled at most once, and once it is past due", _settled(store, where, settled)),
        _check("what is learnt is the aggregate of the rewards, or the default", _values(store, where)),
        _check("an answered arm was one of those that might be chosen", _eligible(store, where)),
    ]
    replayed = _Replay(store, where, live)
    replayed.run()
    return Verified(all(not check.failures for check in (*checks, *replayed.checks)), where.seq, [*checks, *replayed.checks])


def _check(name: str, found: Iterator[str | None]) -> Check:
    """Count what was looked at, and keep the first failures."""
    checked, failures = 0, []
    for failure in found:
        checked += 1
        if failure is not None:
            failures.append(failure)
    return Check(name, checked, failures[:SHOWN] + ([f"and {len(failures) - SHOWN} more"] if len(failures) > SHOWN else []))


def _gaps(store: Store, where: Head) -> Iterator[str | None]:
    count, least, most = store.run("SELECT count(*), min(seq), max(seq) FROM log WHERE experiment = ?", (where.name,))[0]
    fine = (count, least, most) == (where.seq, 1, where.seq)
    yield None if fine else f"{count} rows from {least} to {most}, the counter is {where.seq}"


def _settled(store: Store, where: Head, running: bool) -> Iterator[str | None]:
    sql = (
        "SELECT d.id, d.due, count(l.seq) FROM decision d LEFT JOIN log l ON l.experiment = d.experiment AND l.decision = d.id "
        "AND l.kind IN ('outcome', 'default', 'cancel') WHERE d.experiment = ? GROUP BY d.id, d.due"
    )
    late = store.now() - GRACE
    for id, due, count in store.run(sql, (where.name,)):
        if count > 1:
            yield f"decision {id} was settled {count} times"
        elif count == 1 and due is not None:
            yield f"decision {id} is settled, and still due"
        elif count == 0 and due is not None and due < late and running:
            yield f"decision {id} is past due, and not settled"
        else:
            yield None


def _values(store: Store, where: Head) -> Iterator[str | None]:
    rewards: dict[str, dict[str, tuple[float, float]]] = {}
    for id, key, value, at in store.run("SELECT decision, key, value, at FROM reward WHERE experiment = ?", (where.name,)):
        rewards.setdefault(id, {})[key] = value, at
    before = _before_amendments(store, where)
    config: Config | None = None
    for entry in restore.entries(store, where.name, 0, where.seq):
        if entry.kind in (Kind.CHANGE, Kind.REFOLD):
            config = restore.read_state(entry.body or "").config
        elif entry.kind == Kind.DEFAULT and config is not None:
            yield (
                None if entry.value == config.default else f"row {entry.seq} is a default of {entry.value}, not {config.default}"
            )
        elif entry.kind == Kind.OUTCOME and config is not None:
            yield _value(entry, rewards.get(str(entry.decision), {}), before, config)


def _before_amendments(store: Store, where: Head) -> dict[tuple[str, str], float]:
    """The first value of each reward that was amended after its decision was learnt."""
    sql = "SELECT decision, body FROM log WHERE experiment = ? AND kind = 'amend' ORDER BY seq"
    found: dict[tuple[str, str], float] = {}
    for id, body in store.run(sql, (where.name,)):
        said = json.loads(body)
        if said["old"] is not None:
            found.setdefault((id, said["key"]), said["old"])
    return found


def _value(entry: Entry, there: dict[str, Any], before: dict[tuple[str, str], float], config: Config) -> str | None:
    id, keys = str(entry.decision), json.loads(entry.body or "[]")
    if missing := [key for key in keys if key not in there]:
        return f"row {entry.seq} was learnt from the reward {missing[0]!r} of decision {id}, which is not there"
    used = {key: (before.get((id, key), there[key][0]), there[key][1]) for key in keys}
    wanted = aggregated(used, config.aggregate) if used else None
    return None if entry.value == wanted else f"row {entry.seq} is {entry.value}, the rewards of decision {id} are {wanted}"


def _eligible(store: Store, where: Head) -> Iterator[str | None]:
    for id, request, body in store.run("SELECT id, request, body FROM decision WHERE experiment = ?", (where.name,)):
        made, among = made_of(body), json.loads(request)[1]
        if among is not None and made.arm not in among:
            yield f"decision {id} is {made.arm!r}, which was not to be chosen"
        elif made.propensity is not None and not 0.0 < made.propensity <= 1.0 + 1e-12:
            yield f"decision {id} has the propensity {made.propensity}"
        else:
            yield None


class _Replay:
    """The log learnt again from its beginning, or from the last refold, beside what was kept of it."""

    def __init__(self, store: Store, where: Head, live: Live | None):
        self.store, self.where, self.live = store, where, live
        self.wanted = dict(self._snapshots())
        self.decisions = self._decisions()
        self.failures: dict[str, list[str]] = {"live": [], "snapshot": [], "greedy": []}
        self.counts = {"live": 0, "snapshot": 0, "greedy": 0}

    def _snapshots(self) -> Iterator[tuple[int, tuple[int, str]]]:
        """Epoch and hash of the snapshots by their row; a damaged or foreign one is not used by anybody."""
        sql = "SELECT epoch, seq, state FROM snapshot WHERE experiment = ? AND version = ?"
        for epoch, seq, state in self.store.run(sql, (self.where.name, hr.__version__)):
            with suppress(ValueError):
                policy: Any = hr.from_bytes(bytes(state))
                if isinstance(policy, Bandit | Meta):
                    yield seq, (epoch, policy.state_hash())

    def _decisions(self) -> dict[tuple[int, int], list[tuple[str, str, str]]]:
        """The latest decisions, by the epoch and row that they were made at, where nothing waited."""
        sql = "SELECT id, request, body FROM decision WHERE experiment = ? ORDER BY at DESC LIMIT ?"
        found: dict[tuple[int, int], list[tuple[str, str, str]]] = {}
        for id, request, body in self.store.run(sql, (self.where.name, DERIVED)):
            made = made_of(body)
            if made.waiting == 0:
                found.setdefault((made.epoch, made.seq), []).append((id, request, made.greedy))
        return found

    def run(self) -> None:
        """Learn the log; look at each row that something was kept of."""
        blobs = restore.blobs_of(self.store, self.where.name)
        fold = restore.beginning(self.store, self.where, self.where.seq)
        self._look(fold)
        for entry in restore.entries(self.store, self.where.name, fold.seq, self.where.seq):
            fold.apply(entry, blobs)
            self._look(fold)

    def _look(self, fold: Fold) -> None:
        epoch, state_hash = self.wanted.get(fold.seq, (None, ""))
        if epoch == fold.epoch:
            self._compare("snapshot", fold, state_hash, f"the snapshot of row {fold.seq}")
        if self.live is not None and self.live.seq == fold.seq:
            self._compare("live", fold, self.live.state_hash, f"the state in memory after row {fold.seq}")
        for id, request, greedy in self.decisions.get((fold.epoch, fold.seq), ()):
            context, among, *_ = msgspec.json.decode(request)
            ask = msgspec.convert({"context": context, "among": among}, Ask)
            found = str(fold.policy.select(ask.context, among=ask.among).arm)
            self.counts["greedy"] += 1
            if found != greedy:
                self.failures["greedy"].append(f"decision {id} was {greedy!r}, the log gives {found!r}")

    def _compare(self, what: str, fold: Fold, state_hash: str, said: str) -> None:
        self.counts[what] += 1
        if fold.policy.state_hash() != state_hash:
            self.failures[what].append(f"{said} is not the fold of the log")

    @property
    def checks(self) -> list[Check]:
        """What was found."""
        said = {
            "live": "the state in memory is the fold of the log",
            "snapshot": "a snapshot is the fold of the log up to its row",
            "greedy": "the policy's choice follows from the log and the request",
        }
        return [Check(said[what], self.counts[what], found[:SHOWN]) for what, found in self.failures.items()]
