"""The service without its HTTP face: ask, reward, withdraw, and read."""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from typing import Any, TypeVar, cast

import msgspec

from . import journal
from .auth import Tokens
from .journal import Give, Stored
from .metrics import Metrics
from .operations import Deciding, Giving, Job, Withdrawing
from .problems import Problem, away
from .rewarding import Result
from .runtimes import Runtime, Runtimes
from .settings import Options
from .store import Store, connect
from .wire import Ask, Decided, Rewarded, Withdrawn
from .writer import Writer

Found = TypeVar("Found")
_ENCODER = msgspec.json.Encoder(order="sorted")

LOG = logging.getLogger("hedgerow.service")

REFUSED_BY = (Problem, ValueError, KeyError)
"""What a request may be refused with; anything else is the store's, or a mistake of ours."""


class Service:
    """What all requests share.

    Args:
        options: What the service was told.
    """

    def __init__(self, options: Options):
        self.options: Options = options
        self.metrics: Metrics = Metrics()
        self.writer: Writer = Writer(options, self.metrics)
        self.runtimes: Runtimes = self.writer.runtimes
        self.tokens: Tokens = self.writer.chores.tokens
        self._reader: Store | None = None
        self._reading = ThreadPoolExecutor(1, "reader")
        self.cache: dict[Any, Any] = {}

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Open the store.

        Args:
            loop: Where answers go.

        Raises:
            OSError: The store cannot be reached.
            ValueError: It is of a newer version, or anybody could reach the service without a token.
        """
        self.writer.start(loop)

    def stop(self) -> None:
        """Write what is queued, then end."""
        self.writer.stop()
        self._reading.shutdown()
        if self._reader is not None:
            self._reader.close()

    async def read(self, work: Callable[[Store], Found]) -> Found:
        """Read from the store, beside the writer.

        Args:
            work: What is read.

        Returns:
            What it returned.

        Raises:
            Problem: The store cannot be reached.
        """
        return await asyncio.get_running_loop().run_in_executor(self._reading, self._read, work)

    def _read(self, work: Callable[[Store], Found]) -> Found:
        try:
            if self._reader is None:
                self._reader = connect(self.options.store, writes=False)
            return work(self._reader)
        except REFUSED_BY:
            raise
        except Exception as error:
            if self._reader is not None:
                with suppress(Exception):
                    self._reader.close()
            self._reader = None
            raise _unreadable(error) from error

    async def apart(self, work: Callable[[Store], Found]) -> Found:
        """Work that takes long, on a connection and a thread of its own.

        Args:
            work: What is done.

        Returns:
            What it returned.
        """

        def done() -> Found:
            try:
                with closing(connect(self.options.store, writes=False)) as store:
                    return work(store)
            except REFUSED_BY:
                raise
            except Exception as error:
                raise _unreadable(error) from error

        return await asyncio.to_thread(done)

    async def job(self, experiment: str, work: Callable[[Store], Found]) -> Found:
        """Change an experiment, in a transaction of its own.

        Args:
            experiment: Its name.
            work: What is done.

        Returns:
            What it returned.
        """
        answer = asyncio.get_running_loop().create_future()
        self.writer.put(Job(experiment, answer, work))
        found: Found = await answer
        return found

    async def decide(self, runtime: Runtime, ask: Ask) -> Decided:
        """One decision, stored.

        Args:
            runtime: The experiment.
            ask: The request.

        Returns:
            The decision; the one of before if it was asked for before.

        Raises:
            Problem: It cannot be made.
        """
        fold = runtime.usable()
        if runtime.where.archived is not None:
            raise Problem(409, f"experiment {runtime.name!r} is archived: PUT it again to go on")
        id = ask.decision_id or secrets.token_hex(12)
        request = _ENCODER.encode((ask.context, ask.among, ask.baseline, ask.unit)).decode()
        try:
            made = fold.decide(ask, id)
        except (ValueError, KeyError) as error:
            return await self._decided_before(runtime.name, ask.decision_id, request, str(error.args[0]))
        answer = asyncio.get_running_loop().create_future()
        operation = Deciding(runtime.name, answer, id, request, made, fold.expect(id, made))
        try:
            self.writer.put(operation)
        except Problem:
            if operation.expected:
                fold.dismiss(id)
            raise
        stored: Stored = await answer
        self.metrics.decisions.labels(runtime.name, stored.made.mode).inc()
        return decided(stored)

    async def _decided_before(self, name: str, id: str | None, request: str, refusal: str) -> Decided:
        """The decision that was made when the request still made sense, such as before one of its arms was withdrawn."""
        found = None if id is None else await self.read(lambda store: journal.stored(store, name, str(id)))
        if found is None or found.request != request:
            raise Problem(422, refusal)
        return decided(found)

    def give(self, runtime: Runtime, give: Give) -> "asyncio.Future[tuple[Result, int]]":
        """Queue a reward.

        Args:
            runtime: The experiment.
            give: The reward.

        Returns:
            What becomes of it, and the seq, to come.

        Raises:
            Problem: It is refused at once.
        """
        self._in_range(runtime, give)
        answer: asyncio.Future[tuple[Result, int]] = asyncio.get_running_loop().create_future()
        self.writer.put(Giving(runtime.name, answer, give))
        return answer

    def rewarded(self, found: tuple[Result, int]) -> tuple[int, Rewarded]:
        """What became of a reward, as it is answered.

        Args:
            found: As ``give`` promised.

        Returns:
            The HTTP status, and the answer.

        Raises:
            Problem: It was refused.
        """
        result, seq = found
        if result.status >= 400:
            raise Problem(result.status, result.said)
        self.metrics.rewards.labels(result.said).inc()
        return result.status, Rewarded(cast(Any, result.said), seq)

    def _in_range(self, runtime: Runtime, give: Give) -> None:
        declared = runtime.usable().state.config.reward_range
        if declared is not None and not declared[0] <= give.value <= declared[1]:
            raise Problem(422, f"value must lie between {declared[0]:g} and {declared[1]:g}, got {give.value!r}")

    async def withdraw(self, runtime: Runtime, id: str) -> Withdrawn:
        """Cancel a decision that was never shown.

        Args:
            runtime: The experiment.
            id: Of the decision.

        Returns:
            That it is withdrawn.

        Raises:
            Problem: It is not known, or was learnt already.
        """
        runtime.usable()
        answer = asyncio.get_running_loop().create_future()
        self.writer.put(Withdrawing(runtime.name, answer, id))
        said, seq = await answer
        if said == "unknown":
            raise Problem(404, f"there is no decision {id!r}")
        if said != "withdrawn":
            how = {"outcome": "its reward was learnt", "default": "its default was learnt"}.get(said, "its wait was over")
            raise Problem(409, f"decision {id!r} cannot be withdrawn any more: {how}")
        return Withdrawn(id, seq)

    def not_ready(self) -> list[str]:
        """Why the service is not ready, if it is not."""
        found = [] if self.writer.connected else ["the store cannot be reached"]
        return found + self.runtimes.reasons(time.monotonic())


def _unreadable(error: Exception) -> Problem:
    """The store is away, or broke off; the log says how."""
    LOG.warning("the store cannot be read: %s", error, exc_info=error)
    return away(f"the store cannot be read: {type(error).__name__}")


def decided(stored: Stored) -> Decided:
    """A stored decision as it is answered.

    Args:
        stored: The decision.

    Returns:
        The answer, the same each time.
    """
    made = stored.made
    expires = None if made.wait is None else stored.at + made.wait
    return Decided(
        stored.id,
        made.arm,
        made.cluster,
        made.propensity,
        made.mode,
        made.explored,
        made.seq,
        made.epoch,
        expires,
    )
