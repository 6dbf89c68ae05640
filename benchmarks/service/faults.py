"""Faults planted into a service from outside, to see that the harness catches them. The product has no switch for them."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from hedgerow.service import chores, journal, restore, runtimes, snapshots, writer
from hedgerow.service.entries import Kind


def answers_before_commit() -> None:
    """Answers leave while the transaction is still open."""
    genuine = {name: getattr(writer.Writer, name) for name in ("_decide", "_reward", "_withdraw")}

    def early(name: str) -> Callable[..., Any]:
        def answered(self: writer.Writer, *given: Any) -> Any:
            found = genuine[name](self, *given)
            self._answer(found)
            return found

        return answered

    @contextmanager
    def slow(store: Any) -> Iterator[None]:
        with journal_transaction(store):
            yield
            time.sleep(0.03)

    journal_transaction = writer.transaction
    for name in genuine:
        setattr(writer.Writer, name, early(name))
    writer.transaction = slow  # type: ignore[assignment]


def folds_twice() -> None:
    """The last outcome is learnt again after a restart."""
    genuine = runtimes.Runtime.load

    def load(self: runtimes.Runtime, store: Any) -> None:
        genuine(self, store)
        fold = self.fold
        rows = [entry for entry in restore.entries(store, self.name, 0, fold.seq) if entry.kind == Kind.OUTCOME] if fold else []
        if fold is not None and rows and rows[-1].made is not None:
            with suppress(KeyError):  # its arm may have been withdrawn since
                fold.policy.update(rows[-1].made.decision(fold.policy.identity), float(rows[-1].value or 0.0))

    runtimes.Runtime.load = load  # type: ignore[method-assign]


def counter_not_locked() -> None:
    """The counter is read, but another replica may read it, too."""
    genuine = journal.Ledger.__init__

    class Unlocked:
        """A store whose counter row is only read."""

        def __init__(self, store: Any):
            self.store = store

        def __getattr__(self, name: str) -> Any:
            return getattr(self.store, name)

        def run(self, sql: str, args: tuple[Any, ...] = ()) -> Any:
            if sql.startswith("UPDATE experiment SET seq = seq "):
                sql = "SELECT seq, epoch, revision FROM experiment WHERE name = ?"
            return self.store.run(sql, args)

    def begin(self: journal.Ledger, store: Any, experiment: str) -> None:
        genuine(self, Unlocked(store), experiment)  # type: ignore[arg-type]

    journal.Ledger.__init__ = begin  # type: ignore[method-assign]


def waiting_in_snapshot() -> None:
    """A snapshot holds what waits, and a start takes it for true."""
    genuine = snapshots.snapshot

    class Kept:
        """A policy whose bytes hold what waits."""

        def __init__(self, policy: Any):
            self.policy = policy

        def to_bytes(self, **_: bool) -> bytes:
            return bytes(self.policy.to_bytes(waiting=True))

    class Fold:
        """A fold of such a policy."""

        def __init__(self, fold: Any):
            self.fold, self.policy = fold, Kept(fold.policy)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.fold, name)

    def snapshot(store: Any, fold: Any) -> None:
        genuine(store, Fold(fold))  # type: ignore[arg-type]

    chores.snapshots.snapshot = snapshot  # type: ignore[assignment]


FAULTS: dict[str, Callable[[], None]] = {
    fault.__name__: fault for fault in (answers_before_commit, folds_twice, counter_not_locked, waiting_in_snapshot)
}
"""The faults by name."""
