"""The experiments of this process: each with its fold, and whether it can answer yet."""

import logging
import threading
import time
from collections.abc import Callable

from . import plans, restore
from .entries import made_of
from .fold import Fold
from .plans import State
from .problems import Problem, away
from .restore import Head
from .settings import SETTINGS
from .store import Store

LOG = logging.getLogger("hedgerow.service")


class Runtime:
    """An experiment in this process.

    Args:
        where: It stands, as the store says.
    """

    def __init__(self, where: Head):
        self.where: Head = where
        self.fold: Fold | None = None
        self.trouble = ""
        self.seen: float = 0.0
        self.snapped: int = 0
        self.warm: threading.Event = threading.Event()

    @property
    def name(self) -> str:
        """The experiment's name."""
        return self.where.name

    def usable(self) -> Fold:
        """The fold, if it can answer.

        Returns:
            The fold.

        Raises:
            Problem: It is not read yet, or cannot be read.
        """
        if self.fold is not None:
            return self.fold
        if self.trouble:
            raise Problem(503, f"experiment {self.name!r} cannot be read: {self.trouble}")
        raise away(f"experiment {self.name!r} is being read, and its policy compiled: try again in a second")

    def load(self, store: Store) -> None:
        """Fold the log, and count the latest decisions that wait.

        Args:
            store: Any.
        """
        self.where = restore.head(store, self.name)
        fold = restore.restore(store, self.where)
        self.expect_open(store, fold)
        self.snapped, self.fold, self.trouble = fold.seq, fold, ""
        self.seen = time.monotonic()

    def catch_up(self, store: Store, upto: int) -> None:
        """Learn the rows that others wrote.

        Args:
            store: Any.
            upto: The last row.
        """
        if self.fold is None or self.fold.seq >= upto:
            return
        found = restore.advance(self.fold, store, upto)
        if found is not self.fold:
            self.expect_open(store, found)
            self.snapped, self.fold = found.seq, found

    def expect_open(self, store: Store, fold: Fold) -> None:
        """Count the latest decisions that wait.

        Args:
            store: Any.
            fold: To count them in.
        """
        sql = "SELECT id, body FROM decision WHERE experiment = ? AND due IS NOT NULL ORDER BY due DESC LIMIT ?"
        for id, body in reversed(store.run(sql, (self.name, SETTINGS.waiting))):
            fold.expect(id, made_of(body))


class Runtimes:
    """All experiments of this process, by name.

    Args:
        when_warm: Called with the name of an experiment whose machine code is there.
    """

    def __init__(self, when_warm: Callable[[str], None]):
        self.by_name: dict[str, Runtime] = {}
        self._when_warm = when_warm
        self._compiling = threading.Lock()

    def get(self, name: str) -> Runtime:
        """An experiment.

        Args:
            name: Of the experiment.

        Returns:
            The experiment.

        Raises:
            Problem: There is none.
        """
        found = self.by_name.get(name)
        if found is None:
            raise Problem(404, f"there is no experiment {name!r:.140}")
        return found

    def add(self, where: Head, state: State, blobs: plans.Blobs) -> Runtime:
        """An experiment that this process has not seen: its machine code is made, then it is read.

        Args:
            where: It stands.
            state: What it is.
            blobs: Where its histories are; read before this returns.

        Returns:
            The experiment.
        """
        runtime = self.by_name[where.name] = Runtime(where)
        stored = {part.sha256: blobs(part.sha256) for part in state.history}
        threading.Thread(target=self._warm, args=(runtime, state, stored), daemon=True).start()
        return runtime

    def _warm(self, runtime: Runtime, state: State, stored: dict[str, bytes]) -> None:
        try:
            with self._compiling:
                plans.warm(plans.build(state, stored.__getitem__))
        except Exception as error:
            LOG.exception("experiment %s cannot be made", runtime.name)
            runtime.trouble = str(error)
        else:
            runtime.warm.set()
            self._when_warm(runtime.name)

    def reasons(self, now: float) -> list[str]:
        """Why this process is not ready, if it is not.

        Args:
            now: The process's clock.

        Returns:
            A sentence for each reason.
        """
        found = []
        for runtime in list(self.by_name.values()):
            if runtime.trouble:
                found.append(f"experiment {runtime.name!r} cannot be read: {runtime.trouble}")
            elif runtime.fold is None:
                found.append(f"experiment {runtime.name!r} is being read, and its policy compiled")
            elif now - runtime.seen > SETTINGS.stale:
                found.append(f"experiment {runtime.name!r} was folded up to its log {now - runtime.seen:.0f} s ago")
        return found
