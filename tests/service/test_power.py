"""Power loss: the database and its write-ahead log, cut at each frame and within it. What was answered is there."""

import shutil
from pathlib import Path

import pytest

from hedgerow.service import experiments, journal, plans, rewarding
from hedgerow.service.fold import Fold
from hedgerow.service.journal import Give, Ledger
from hedgerow.service.plans import State
from hedgerow.service.restore import head, restore
from hedgerow.service.sqlite import Sqlite
from hedgerow.service.store import transaction
from hedgerow.service.tallies import Tallies
from hedgerow.service.verify import verify
from hedgerow.service.wire import Ask, Config

HEADER, FRAME, PAGE_SIZE_AT = 32, 24, 8  # https://www.sqlite.org/fileformat.html#the_write_ahead_log
CONFIG = Config(arms=["a", "b", "c"], policy="UCB", wait=1e6, default=0.0, learn="at once")


def committed(store, path):
    """Bytes of the log that are on the disk."""
    assert store.run("PRAGMA synchronous") == [(2,)]  # FULL: a commit waits for them
    return Path(f"{path}-wal").stat().st_size


def lived(path):
    """A store after some transactions, and what was promised when its log had how many bytes."""
    store = Sqlite(str(path))
    store.run("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copy(path, f"{path}.before")
    promises = []
    with transaction(store):
        experiments.put("ads", CONFIG, plans.build(State(CONFIG), None), None)(store)
    promises.append((committed(store, path), "SELECT name FROM experiment", ("ads",)))
    fold = Fold("ads", b"salt", State(CONFIG), plans.build(State(CONFIG), None), seq=1, epoch=0, tallies=Tallies())
    for number in range(12):
        id = f"d{number}"
        with transaction(store):
            journal.decide(store, "ads", {id: ("[null,null,null,null]", fold.decide(Ask(), id))}, float(number))
        promises.append((committed(store, path), "SELECT id FROM decision", (id,)))
        with transaction(store):
            ledger = Ledger(store, "ads")
            rewarding.reward(ledger, CONFIG, [Give(id, "click", 1.0, False, False)])
            ledger.close()
        promises.append((committed(store, path), "SELECT decision FROM reward", (id,)))
    log = Path(f"{path}-wal").read_bytes()
    store.close()
    return log, promises


def cuts(log):
    """Every frame's end, and a place within each."""
    page = int.from_bytes(log[PAGE_SIZE_AT : PAGE_SIZE_AT + 4])
    step = FRAME + page
    ends = range(HEADER, len(log) + 1, step)
    return [0, *(place for end in ends for place in (end, end + step // 2) if place <= len(log))]


def test_what_was_answered_is_there_wherever_the_log_ends(tmp_path):
    log, promises = lived(tmp_path / "store.db")
    places = cuts(log)
    assert len(places) > 100
    for number, place in enumerate(places):
        path = tmp_path / f"cut{number}.db"
        shutil.copy(tmp_path / "store.db.before", path)
        Path(f"{path}-wal").write_bytes(log[:place])
        store = Sqlite(str(path))
        for size, sql, row in promises:
            if size <= place:
                assert row in store.run(sql), (place, sql, row)
        if store.run("SELECT 1 FROM experiment"):
            found = verify(store, "ads", settled=False)
            assert found.ok, (place, found)
            assert restore(store, head(store, "ads")).seq == found.seq
        store.close()


def test_relaxed_durability_is_asked_for(tmp_path):
    store = Sqlite(str(tmp_path / "store.db"), relaxed=True)
    assert store.run("PRAGMA synchronous") == [(1,)]
    store.close()


def test_a_store_of_a_newer_version_is_refused(tmp_path):
    store = Sqlite(str(tmp_path / "store.db"))
    store.run("UPDATE schema_version SET version = 99")
    store.close()
    with pytest.raises(ValueError, match="upgrade hedgerow"):
        Sqlite(str(tmp_path / "store.db"))


def test_a_damaged_snapshot_is_not_used(tmp_path):
    path = tmp_path / "store.db"
    lived(path)
    store = Sqlite(str(path))
    where = head(store, "ads")
    whole = restore(store, where)
    store.run(
        "INSERT INTO snapshot(experiment, epoch, seq, version, sha256, tallies, state) VALUES(?, 0, 5, ?, 'x', '{}', ?)",
        ("ads", "0.1.0", b"damaged"),
    )
    assert restore(store, where).policy.state_hash() == whole.policy.state_hash()
    store.close()
