"""What the writer does between batches: learn what others wrote, settle what is due, snapshots, tokens, signs of life."""

import logging
import os
import queue
import secrets
import socket
import time

import msgspec

from . import restore, snapshots
from .auth import Tokens
from .entries import Entry
from .journal import Ledger
from .metrics import Metrics
from .rewarding import sweep
from .runtimes import Runtime, Runtimes
from .settings import SETTINGS, Options
from .store import Store, transaction
from .wire import Config

LOG = logging.getLogger("hedgerow.service")


class Chores:
    """Each is done when its time has come.

    Args:
        options: What the service was told.
        runtimes: The experiments of this process.
        metrics: Where they are counted.
    """

    def __init__(self, options: Options, runtimes: Runtimes, metrics: Metrics):
        self.options: Options = options
        self.runtimes: Runtimes = runtimes
        self.metrics: Metrics = metrics
        self.tokens: Tokens = Tokens(options.tokens)
        self.to_load: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.replica: str = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"
        self._alone = options.store.startswith("sqlite:")
        self._configs: dict[str, tuple[int, Config]] = {}
        self._next = {"look": 0.0, "sweep": 0.0, "refresh": 0.0, "alive": 0.0}
        self._told: list[tuple[str, int]] = []

    def begin(self, store: Store) -> None:
        """Find the experiments.

        Args:
            store: The writer's.
        """
        self._refresh(store)
        self.look(store)

    def pause(self) -> float:
        """How long the writer may wait for something to write, in seconds."""
        return SETTINGS.sweep if self._alone else self.options.tail

    def run(self, store: Store) -> None:
        """Do what is due.

        Args:
            store: The writer's.
        """
        while not self.to_load.empty():
            self._load(store, self.to_load.get())
        if self._due("look", SETTINGS.refresh if self._alone else self.options.tail):
            self.look(store)
        if self._due("sweep", SETTINGS.sweep):
            for runtime in list(self.runtimes.by_name.values()):
                self._sweep(store, runtime)
        if self._due("refresh", SETTINGS.refresh):
            self._refresh(store)
        for runtime in list(self.runtimes.by_name.values()):
            if runtime.fold is not None and runtime.fold.seq - runtime.snapped >= self.options.snapshot:
                self._snapshot(store, runtime)

    def _load(self, store: Store, name: str) -> None:
        """Read an experiment whose machine code is there; again later, if the store is away."""
        runtime = self.runtimes.by_name[name]
        try:
            runtime.load(store)
        except (ValueError, KeyError, RuntimeError) as error:
            LOG.exception("experiment %s cannot be read", name)
            runtime.trouble = str(error)
        except Exception:
            self.to_load.put(name)
            raise

    def end(self, store: Store) -> None:
        """Leave: a snapshot of what was learnt since the last, and no sign of life.

        Args:
            store: The writer's.
        """
        for runtime in self.runtimes.by_name.values():
            if runtime.fold is not None and runtime.fold.seq > runtime.snapped:
                self._snapshot(store, runtime)
        with transaction(store):
            store.run("DELETE FROM replica WHERE id = ?", (self.replica,))

    def _due(self, chore: str, every: float) -> bool:
        now = time.monotonic()
        if now < self._next[chore]:
            return False
        self._next[chore] = now + every
        return True

    def look(self, store: Store) -> None:
        """Find experiments that are new, and learn what others wrote.

        Args:
            store: The writer's.
        """
        now = time.monotonic()
        for where in restore.heads(store):
            runtime = self.runtimes.by_name.get(where.name)
            if runtime is None:
                state = restore.state_at(store, where.name, where.seq)
                runtime = self.runtimes.add(where, state, restore.blobs_of(store, where.name))
            runtime.where = where
            if runtime.fold is not None:  # a part at a time, so that what is queued need not wait for all of it
                runtime.catch_up(store, min(where.seq, runtime.fold.seq + SETTINGS.tailed))
            if runtime.fold is not None and runtime.fold.seq >= where.seq:
                runtime.seen = now

    def learn(self, store: Store, name: str, entries: list[Entry]) -> None:
        """Learn rows of one's own that were committed.

        Args:
            store: The writer's.
            name: Of the experiment.
            entries: The rows.
        """
        runtime = self.runtimes.get(name)
        fold = runtime.fold
        if fold is None or not entries:
            return
        if entries[0].seq != fold.seq + 1:  # another replica committed in between
            runtime.catch_up(store, entries[-1].seq)
            return
        for entry in entries:
            fold.apply(entry, restore.blobs_of(store, name))

    def config_of(self, ledger: Ledger) -> Config:
        """The configuration as it stands, while the counter is locked.

        Args:
            ledger: Of the experiment.

        Returns:
            The configuration.
        """
        revision, config = self._configs.get(ledger.experiment, (0, None))
        if config is None or revision != ledger.revision:
            text = ledger.store.run("SELECT config FROM experiment WHERE name = ?", (ledger.experiment,))[0][0]
            config = msgspec.json.decode(text, type=Config)
            self._configs[ledger.experiment] = ledger.revision, config
        return config

    def _sweep(self, store: Store, runtime: Runtime) -> None:
        """Settle what is due, if anything is: the counter is locked only then."""
        sql = (
            "SELECT EXISTS(SELECT 1 FROM decision WHERE experiment = ? AND due IS NOT NULL AND due < ?), "
            "EXISTS(SELECT 1 FROM reward r JOIN decision d ON d.experiment = r.experiment AND d.id = r.decision "
            "WHERE r.experiment = ? AND r.orphan > 0)"
        )
        if runtime.fold is None or not any(store.run(sql, (runtime.name, store.now(), runtime.name))[0]):
            return
        with transaction(store):
            ledger = Ledger(store, runtime.name)
            sweep(ledger, self.config_of(ledger), SETTINGS.swept)
            entries = ledger.close()
        self.learn(store, runtime.name, entries)
        self._next["sweep"] = 0.0 if len(entries) >= SETTINGS.swept else self._next["sweep"]

    def _snapshot(self, store: Store, runtime: Runtime) -> None:
        if runtime.fold is not None:
            with transaction(store):
                snapshots.snapshot(store, runtime.fold)
            runtime.snapped = runtime.fold.seq

    def _refresh(self, store: Store) -> None:
        """Tokens; and a sign of life, where there is something to tell or the last one grows old."""
        self.tokens.read(store)
        stands = [(runtime.name, runtime.fold.seq) for runtime in self.runtimes.by_name.values() if runtime.fold is not None]
        if stands and (self._due("alive", SETTINGS.alive) or stands != self._told):
            now, self._told = store.now(), stands
            rows = [(self.replica, name, seq, now) for name, seq in stands]
            with transaction(store):
                store.run("DELETE FROM replica WHERE id = ? OR at < ?", (self.replica, now - SETTINGS.silent))
                store.many("INSERT INTO replica(id, experiment, seq, at) VALUES(?, ?, ?, ?)", rows)
