"""From the store to a fold: the newest snapshot and the rows after it, or the whole log; and the log learnt again."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

import hedgerow as hr

from ..policies.bandit import Bandit
from ..policies.meta import Meta
from . import plans
from .entries import SETTLING, Entry, Kind
from .fold import Fold, state_of
from .journal import tail
from .plans import Blobs, State
from .settings import SETTINGS
from .snapshots import digest
from .store import Store
from .tallies import Tallies


class Head(NamedTuple):
    """Where an experiment stands.

    Args:
        name: Of the experiment.
        salt: Its secret.
        seq: The last row of its log.
        epoch: How often its log was learnt again.
        revision: Of its configuration.
        archived: When it was archived, None if it is in use.
    """

    name: str
    salt: bytes
    seq: int
    epoch: int
    revision: int
    archived: float | None


def heads(store: Store) -> list[Head]:
    """All experiments.

    Args:
        store: Any.

    Returns:
        Where each stands.
    """
    rows = store.run("SELECT name, salt, seq, epoch, revision, archived FROM experiment ORDER BY name")
    return [Head(name, bytes(salt), *rest) for name, salt, *rest in rows]


def head(store: Store, name: str) -> Head:
    """One experiment.

    Args:
        store: Any.
        name: Of the experiment.

    Returns:
        Where it stands.

    Raises:
        KeyError: There is none.
    """
    rows = store.run("SELECT name, salt, seq, epoch, revision, archived FROM experiment WHERE name = ?", (name,))
    if not rows:
        raise KeyError(f"there is no experiment {name!r}")
    return Head(name, bytes(rows[0][1]), *rows[0][2:])


def blobs_of(store: Store, name: str) -> Blobs:
    """Where the histories of an experiment are.

    Args:
        store: Any.
        name: Of the experiment.

    Returns:
        A function from sha256 to the stored state.
    """

    def read(sha256: str) -> bytes:
        return bytes(store.run("SELECT state FROM history WHERE experiment = ? AND sha256 = ?", (name, sha256))[0][0])

    return read


def entries(store: Store, name: str, after: int, upto: int) -> Iterator[Entry]:
    """The rows of a stretch of the log.

    Args:
        store: Any.
        name: Of the experiment.
        after: The row before the first.
        upto: The last row.

    Returns:
        The rows, in their order.
    """
    while after < upto:
        found = tail(store, name, after, min(SETTINGS.tailed, upto - after))
        if not found:
            return
        yield from found
        after = found[-1].seq


def restore(store: Store, where: Head) -> Fold:
    """The fold of an experiment's log.

    Args:
        store: Any.
        where: It stands.

    Returns:
        The fold of every row.
    """
    found = _from_snapshot(store, where)
    if found is None:
        return replay(store, where, where.seq)
    return advance(found, store, where.seq)


def replay(store: Store, where: Head, upto: int) -> Fold:
    """The fold of the log without any snapshot.

    Args:
        store: Any.
        where: The experiment stands.
        upto: The last row to be learnt.

    Returns:
        The fold.
    """
    return advance(beginning(store, where, upto), store, upto)


def beginning(store: Store, where: Head, upto: int) -> Fold:
    """The fold that a replay begins with: of the first row, or of the last refold.

    Args:
        store: Any.
        where: The experiment stands.
        upto: The last row that may be looked at.

    Returns:
        The fold.

    Raises:
        ValueError: The log has no beginning.
    """
    sql = "SELECT max(seq) FROM log WHERE experiment = ? AND kind = 'refold' AND seq <= ?"
    latest = store.run(sql, (where.name, upto))[0][0]
    if latest is not None:
        (row,) = entries(store, where.name, latest - 1, latest)
        return refolded_at(store, where, row)
    first = next(iter(entries(store, where.name, 0, 1)), None)
    if first is None or first.kind != Kind.CHANGE:
        raise ValueError(f"the log of {where.name!r} does not begin with its configuration")
    state = state_of(first)
    policy = plans.build(state, blobs_of(store, where.name))
    return Fold(where.name, where.salt, state, policy, seq=1, epoch=0, tallies=Tallies())


def advance(fold: Fold, store: Store, upto: int) -> Fold:
    """Learn what follows.

    Args:
        fold: Of the rows so far.
        store: Any.
        upto: The last row to be learnt.

    Returns:
        The fold, or the one that a row of kind refold begins.
    """
    blobs = blobs_of(store, fold.name)
    for entry in entries(store, fold.name, fold.seq, upto):
        if entry.kind == Kind.REFOLD:
            where = Head(fold.name, fold.salt, upto, fold.epoch + 1, fold.state.revision, None)
            fold = _at_refold(store, where, entry)
        else:
            fold.apply(entry, blobs)
    return fold


def _at_refold(store: Store, where: Head, entry: Entry) -> Fold:
    """The fold that a refold begins: as whoever did it stored it, or learnt again."""
    found = _from_snapshot(store, where._replace(seq=entry.seq))
    return found if found is not None and found.seq == entry.seq else refolded_at(store, where, entry)


def refolded_at(store: Store, where: Head, entry: Entry) -> Fold:
    """The fold that a row of kind refold begins, learnt again from the log.

    Args:
        store: Any.
        where: The experiment stands.
        entry: The row.

    Returns:
        The fold up to that row, the row included.
    """
    state = state_of(entry)
    epoch = store.run("SELECT count(*) FROM log WHERE experiment = ? AND kind = 'refold' AND seq <= ?", (where.name, entry.seq))[
        0
    ][0]
    fold = relearnt(store, where, state, state.upto or 0)
    fold = advance(fold, store, entry.seq - 1)
    fold.seq, fold.epoch = entry.seq, epoch
    return fold


def relearnt(store: Store, where: Head, state: State, upto: int) -> Fold:
    """The whole log as one would learn it today: with amended rewards, into a new policy.

    Rounds of an arm that was withdrawn meanwhile are left out, also if it came back later.

    Args:
        store: Any.
        where: The experiment stands.
        state: What it is to be.
        upto: The last row to be looked at.

    Returns:
        The fold of these rows; rows after it are to be learnt as they come.
    """
    sql = "SELECT decision, value FROM log WHERE experiment = ? AND kind = 'amend' AND seq <= ? ORDER BY seq"
    amended: dict[str | None, float | None] = dict(store.run(sql, (where.name, upto)))
    gone = _withdrawals(store, where.name, upto)
    policy = plans.build(state, blobs_of(store, where.name))
    fold = Fold(where.name, where.salt, state, policy, seq=0, epoch=where.epoch, tallies=Tallies())
    for entry in entries(store, where.name, 0, upto):
        if entry.kind in SETTLING and entry.made is not None:
            value = amended.get(entry.decision, entry.value)
            kind = entry.kind if value == entry.value else Kind.OUTCOME
            if value is None or gone.get(entry.made.arm, 0) > entry.seq:
                kind = Kind.CANCEL
            fold.seq = entry.seq - 1
            fold.apply(entry._replace(kind=kind, value=value), _nothing)
    fold.seq = upto
    return fold


def _nothing(_: str) -> bytes:
    raise RuntimeError("a settled decision needs no history")


def _withdrawals(store: Store, name: str, upto: int) -> dict[str, int]:
    """The last row that withdrew each arm."""
    sql = "SELECT seq, body FROM log WHERE experiment = ? AND kind IN ('change', 'refold') AND seq <= ? ORDER BY seq"
    found: dict[str, int] = {}
    before: frozenset[str] = frozenset()
    for seq, body in store.run(sql, (name, upto)):
        arms = frozenset(read_state(body).config.arms)
        found |= {arm: int(seq) for arm in before - arms}
        before = arms
    return found


def _from_snapshot(store: Store, where: Head) -> Fold | None:
    """The newest snapshot that is sound, of this version, and not of a log that is longer than this one."""
    sql = (
        "SELECT epoch, seq, sha256, tallies, state FROM snapshot WHERE experiment = ? AND seq <= ? AND epoch <= ? "
        "AND version = ? ORDER BY seq DESC"
    )
    for epoch, seq, sha256, tallies, blob in store.run(sql, (where.name, where.seq, where.epoch, hr.__version__)):
        data = bytes(blob)
        if digest(tallies, data) != sha256:
            continue
        try:
            policy: Any = hr.from_bytes(data)
        except ValueError:
            continue
        if isinstance(policy, Bandit | Meta):
            state = state_at(store, where.name, seq)
            counted = msgspec.json.decode(tallies, type=Tallies)
            return Fold(where.name, where.salt, state, policy, seq=seq, epoch=epoch, tallies=counted)
    return None


def state_at(store: Store, name: str, seq: int) -> State:
    """What an experiment was at a row of its log.

    Args:
        store: Any.
        name: Of the experiment.
        seq: The row.

    Returns:
        The latest configuration up to it.
    """
    sql = "SELECT body FROM log WHERE experiment = ? AND kind IN ('change', 'refold') AND seq <= ? ORDER BY seq DESC LIMIT 1"
    return read_state(store.run(sql, (name, seq))[0][0])


def read_state(body: str) -> State:
    """What an experiment was, from the body of a row.

    Args:
        body: Of a row of kind change or refold.

    Returns:
        The configuration.
    """
    return msgspec.json.decode(body, type=State)
