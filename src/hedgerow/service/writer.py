"""The one thread that writes: it takes what is queued, commits it together, learns it, and then lets it be answered."""

import asyncio
import logging
import queue
import threading
from contextlib import suppress
from typing import Any

from . import journal, rewarding
from .chores import Chores
from .entries import Entry
from .journal import Ledger, Stored
from .metrics import Metrics
from .operations import Deciding, Giving, Job, Operation, Withdrawing
from .problems import Problem, away
from .runtimes import Runtimes
from .settings import SETTINGS, Options
from .store import Store, connect, transaction

LOG = logging.getLogger("hedgerow.service")
Answer = tuple["asyncio.Future[Any]", Any]


class Writer:
    """Group commit: whatever waits is one transaction.

    Args:
        options: What the service was told.
        metrics: Where commits are counted.
    """

    def __init__(self, options: Options, metrics: Metrics):
        self.options: Options = options
        self.metrics: Metrics = metrics
        self.queue: queue.SimpleQueue[Operation | None] = queue.SimpleQueue()
        self.runtimes: Runtimes = Runtimes(self._queue_load)
        self.chores: Chores = Chores(options, self.runtimes, metrics)
        self._store: Store | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = self._away = False
        self._thread = threading.Thread(target=self._run, name="writer")

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Open the store and begin to write.

        Args:
            loop: Where answers go.

        Raises:
            OSError: The store cannot be reached.
            ValueError: It is of a newer version.
        """
        self._loop, self._store = loop, connect(self.options.store, relaxed=self.options.relaxed)
        self.chores.begin(self._store)
        self._thread.start()

    def stop(self) -> None:
        """Write what is queued, then end."""
        self._stopping = True
        self.queue.put(None)
        self._thread.join()

    def put(self, operation: Operation) -> None:
        """Queue something to be written.

        Args:
            operation: What.

        Raises:
            Problem: Too much is queued, or the service is ending.
        """
        if self._stopping:
            raise away("the service is stopping")
        if self.queue.qsize() >= SETTINGS.backlog:
            raise away(f"{SETTINGS.backlog} requests wait to be written: try again in a second")
        self.queue.put(operation)

    @property
    def connected(self) -> bool:
        """Whether the store could be reached the last time."""
        return not self._away

    def _queue_load(self, name: str) -> None:
        self.chores.to_load.put(name)
        self.queue.put(None)

    def _run(self) -> None:
        while not (self._stopping and self.queue.empty()):
            batch = self._gather()
            try:
                store = self._connected()
                if batch:
                    self._answer(self._write(store, batch))
                self.chores.run(store)
                self._away = False
            except Exception as error:
                self._failed(batch, error)
        if self._store is not None:
            with suppress(Exception):
                self.chores.end(self._store)
            self._store.close()

    def _connected(self) -> Store:
        if self._store is None:
            self._store = connect(self.options.store, relaxed=self.options.relaxed)
        return self._store

    def _gather(self) -> list[Operation]:
        """What is queued, a job alone."""
        batch: list[Operation] = []
        with suppress(queue.Empty):
            operation = self.queue.get(timeout=self.chores.pause())
            while True:
                if operation is not None:
                    batch.append(operation)
                if len(batch) >= SETTINGS.batch:
                    break
                operation = self.queue.get_nowait()
        return batch

    def _write(self, store: Store, batch: list[Operation]) -> list[Answer]:
        jobs = [operation for operation in batch if isinstance(operation, Job)]
        others = [operation for operation in batch if not isinstance(operation, Job)]
        answers = self._commit(store, others) if others else []
        return answers + [self._done(store, job) for job in jobs]

    def _done(self, store: Store, job: Job) -> Answer:
        """A job in a transaction of its own; what it refuses changes nothing."""
        try:
            with transaction(store):
                found = job.work(store)
        except (Problem, ValueError, KeyError) as error:
            return job.answer, error
        self.chores.look(store)
        return job.answer, found

    def _commit(self, store: Store, batch: list[Operation]) -> list[Answer]:
        """One transaction: counters in the order of names, then decisions in the order of ids, then rewards."""
        answers: list[Answer] = []
        learnt: dict[str, list[Entry]] = {}
        with self.metrics.commit_seconds.time(), transaction(store):
            names = sorted({operation.experiment for operation in batch if not isinstance(operation, Deciding)})
            ledgers = {name: Ledger(store, name) for name in names}
            answers += self._decide(store, [operation for operation in batch if isinstance(operation, Deciding)])
            for name, ledger in ledgers.items():
                mine = [operation for operation in batch if operation.experiment == name]
                answers += self._reward(ledger, [operation for operation in mine if isinstance(operation, Giving)])
                answers += self._withdraw(ledger, [operation for operation in mine if isinstance(operation, Withdrawing)])
                learnt[name] = ledger.close()
        for name, entries in learnt.items():
            self.chores.learn(store, name, entries)
        return answers

    def _decide(self, store: Store, batch: list[Deciding]) -> list[Answer]:
        answers: list[Answer] = []
        for name in sorted({operation.experiment for operation in batch}):
            mine = [operation for operation in batch if operation.experiment == name]
            first = {operation.id: operation for operation in reversed(mine)}
            asks = {id: (operation.request, operation.made) for id, operation in first.items()}
            found = journal.decide(store, name, asks, store.now())
            fold = self.runtimes.get(name).fold
            for operation in mine:
                stored = found[operation.id]
                if fold is not None and operation.expected and not (stored.new and operation is first[operation.id]):
                    fold.dismiss(operation.id)
                answers.append((operation.answer, _same(operation, stored)))
        return answers

    def _reward(self, ledger: Ledger, batch: list[Giving]) -> list[Answer]:
        if not batch:
            return []
        found = rewarding.reward(ledger, self.chores.config_of(ledger), [operation.give for operation in batch])
        return [(operation.answer, (result, ledger.seq)) for operation, result in zip(batch, found, strict=True)]

    def _withdraw(self, ledger: Ledger, batch: list[Withdrawing]) -> list[Answer]:
        found = journal.withdraw(ledger, [operation.id for operation in batch]) if batch else {}
        return [(operation.answer, (found[operation.id], ledger.seq)) for operation in batch]

    def _failed(self, batch: list[Operation], error: Exception) -> None:
        """Nothing of this batch is known to be stored: whoever asked asks again with the same id."""
        if not self._away:
            LOG.warning("the store failed: %s", error, exc_info=error)
        self._away = True
        self._reset()
        for operation in batch:
            runtime = self.runtimes.by_name.get(operation.experiment)
            if isinstance(operation, Deciding) and operation.expected and runtime is not None and runtime.fold is not None:
                runtime.fold.dismiss(operation.id)
        refused = away("the store cannot be reached: try again in a second with the same id")
        self._answer([(operation.answer, refused) for operation in batch])

    def _reset(self) -> None:
        """Leave the transaction; a connection that is of no use any more is made anew."""
        if self._store is None:
            return
        try:
            self._store.rollback()
            self._store.run("SELECT 1")
        except Exception:
            with suppress(Exception):
                self._store.close()
            self._store = None

    def _answer(self, answers: list[Answer]) -> None:
        if answers and self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(_resolve, answers)


def _same(operation: Deciding, stored: Stored) -> Stored | Problem:
    if stored.request == operation.request:
        return stored
    return Problem(409, f"decision {operation.id!r} was asked for with another request: give each request an id of its own")


def _resolve(answers: list[Answer]) -> None:
    for future, answer in answers:
        if future.done():
            continue
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)
