"""Snapshots: what was learnt, so that a start need not learn it again. A cache; the log is the truth."""

import hashlib

import msgspec

import hedgerow as hr

from .fold import Fold
from .store import Store

KEPT = 2
"""Snapshots of an experiment that stay: the newest, and one before it."""


def digest(tallies: str, state: bytes) -> str:
    """What a snapshot is known by.

    Args:
        tallies: Its counts.
        state: Its policy.

    Returns:
        A sha256.
    """
    return hashlib.sha256(tallies.encode() + state).hexdigest()


def snapshot(store: Store, fold: Fold) -> None:
    """Store what was learnt, without what waits; older snapshots go.

    Args:
        store: In a transaction.
        fold: Nobody else folds meanwhile.
    """
    tallies, state = msgspec.json.encode(fold.tallies).decode(), fold.policy.to_bytes(waiting=False)
    row = (fold.name, fold.epoch, fold.seq, hr.__version__, digest(tallies, state), tallies, state)
    store.run(
        "INSERT INTO snapshot(experiment, epoch, seq, version, sha256, tallies, state) VALUES(?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT DO NOTHING",
        row,
    )
    found = store.run("SELECT seq FROM snapshot WHERE experiment = ? ORDER BY seq DESC", (fold.name,))
    if len(found) > KEPT:
        store.run("DELETE FROM snapshot WHERE experiment = ? AND seq < ?", (fold.name, found[KEPT - 1][0]))
