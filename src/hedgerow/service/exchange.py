"""One request of a client until it is answered: tries, pauses, patience. The network is not in here.

Each operation is a generator. It yields what to send, is given what came back, and returns the answer. So the client that blocks
and the one that awaits share every word of it (client.py).
"""

import os
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from random import random
from typing import Any

import msgspec

from .messages import AwayError, RefusedError, Reply, Sent, Steps, decoded, encoded, refused
from .wire import Failed

TRY_AGAIN = (408, 429, 500, 502, 503, 504)
"""Statuses of a service that is busy, starting, broken or away, and of a proxy before it."""

FIRST_PAUSE, LONGEST_PAUSE = 0.05, 1.0
"""Seconds between two tries; each pause is twice the one before, and up to a half of it is drawn away."""

HERE = "http://127.0.0.1:8080"
"""Where ``hedgerow serve`` listens."""

MOST_GIVEN_UP = 1000
"""Decisions to withdraw that a client remembers."""

MOST_SAID = 200
"""Letters of an answer that is no problem document, in an error."""


class Exchange:
    """What the calls of a client share.

    Args:
        url: Where the service is; the environment's ``HEDGEROW_URL``, else this machine, if left out.
        token: Who asks; the environment's ``HEDGEROW_TOKEN`` if left out.
        timeout: Seconds that one try may take.
        patience: Seconds that all tries of a call may take together.
    """

    def __init__(self, url: str | None, *, token: str | None, timeout: float, patience: float):
        url = os.environ.get("HEDGEROW_URL", HERE) if url is None else url
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"url must begin with http:// or https://, got {url!r:.100}")
        if not (timeout > 0.0 and patience > 0.0):
            raise ValueError(f"timeout and patience must be above 0 seconds, got {timeout!r} and {patience!r}")
        self.url: str = url.rstrip("/")
        self.timeout: float = timeout
        self.patience: float = patience
        known = os.environ.get("HEDGEROW_TOKEN") if token is None else token
        self.headers: dict[str, str] = {"Authorization": f"Bearer {known}"} if known else {}
        self._given_up: dict[str, None] = {}

    def insist(
        self, method: str, path: str, given: Any, what: str, *, pause: float = 0.0, patience: float | None = None
    ) -> Steps[bytes]:
        """Send until there is an answer, or patience ends.

        Args:
            method: The HTTP method.
            path: The address.
            given: What is sent, as JSON; None for nothing.
            what: What it is, for the errors.
            pause: Seconds to wait before the first try.
            patience: Seconds that the tries may take, each of them, too; the client's own if left out.

        Returns:
            The body of the answer.

        Raises:
            RefusedError: The service said no.
            AwayError: Nobody answered.
        """
        body, most = encoded(given, what), self.patience if patience is None else patience
        end = time.monotonic() + most
        while True:
            left = max(end - time.monotonic() - pause, FIRST_PAUSE)
            reply = yield Sent(method, path, body, pause, min(self.timeout, left) if patience is None else left)
            if reply.status and reply.status not in TRY_AGAIN:
                return self._body(reply, what)
            pause = max(next_pause(pause), _seconds(reply.retry_after))
            if time.monotonic() + pause >= end:
                raise AwayError(f"{what} was not answered within {most:g} s: {self._said(reply)}")

    def insist_on_all(self, path: str, name: str, given: list[dict[str, Any]], kind: Any, what: str) -> Steps[list[Any]]:
        """Send a batch; items that the service had no time for are sent again.

        Args:
            path: The address.
            name: What the batch calls its items, and its answer theirs.
            given: The items.
            kind: Type of the answer.
            what: What it is, for the errors.

        Returns:
            For each item its answer, RefusedError or AwayError.
        """
        found: list[Any] = [None] * len(given)
        left, end, pause = list(range(len(given))), time.monotonic() + self.patience, 0.0
        while left:
            try:
                body = yield from self.insist("POST", path, {name: [given[at] for at in left]}, what, pause=pause)
            except AwayError as away:
                return _with(found, dict.fromkeys(left, away))
            for at, answer in zip(left, getattr(decoded(body, kind), name), strict=True):
                found[at] = answer if answer.problem is None else refused(what, answer.problem)
            left = [at for at in left if isinstance(found[at], RefusedError) and found[at].status in TRY_AGAIN]
            pause = next_pause(pause)
            if time.monotonic() + pause >= end:
                break
        return _with(found, {at: AwayError(str(found[at])) for at in left})

    def give_up(self, path: str) -> None:
        """Remember a decision that nobody was shown: the service may have stored it all the same.

        Args:
            path: Its address.
        """
        self._given_up[path] = None
        while len(self._given_up) > MOST_GIVEN_UP:
            self._given_up.pop(next(iter(self._given_up)), None)

    def settle(self, ids: Iterable[str | None], where: str) -> Steps[None]:
        """The service answers again: withdraw a decision that was given up, if there is one.

        Args:
            ids: Decisions that were answered now, and so are not given up any more.
            where: Address of the experiment's decisions.
        """
        for id in ids:
            self._given_up.pop(f"{where}/{id}", None)
        for path in list(self._given_up)[:1]:
            reply = yield Sent("DELETE", path, None, 0.0, self.timeout)
            if reply.status and reply.status not in TRY_AGAIN:
                self._given_up.pop(path, None)

    def _body(self, reply: Reply, what: str) -> bytes:
        if reply.status < HTTPStatus.MULTIPLE_CHOICES:
            return reply.body
        raise RefusedError(reply.status, f"{what} was refused: {self._said(reply)}")

    def _said(self, reply: Reply) -> str:
        """The sentence of a problem document, or what came instead of one."""
        if not reply.status:
            return f"{self.url} {reply.trouble}"
        try:
            problem = msgspec.json.decode(reply.body, type=Failed)
        except (msgspec.DecodeError, UnicodeDecodeError):
            text = " ".join(reply.body.decode(errors="replace").split())[:MOST_SAID]
            return f"{self.url} answered {reply.status}, not as a decision service does; is the address right? It said {text!r}"
        return f"{problem.detail} ({problem.status} {problem.title})"


def next_pause(pause: float) -> float:
    """The pause after this one, with chance in it so that many clients do not come back at once.

    Args:
        pause: The pause before, in seconds.

    Returns:
        Seconds.
    """
    longest = min(max(2.0 * pause, FIRST_PAUSE), LONGEST_PAUSE)
    return longest * (1.0 - random() / 2.0)


def _seconds(retry_after: str | None) -> float:
    """RFC 9110, 10.2.3: seconds, or a date."""
    if not retry_after:
        return 0.0
    if retry_after.strip().isdecimal():
        return float(retry_after)
    try:
        return max((parsedate_to_datetime(retry_after) - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, TypeError):
        return 0.0


def _with(found: list[Any], others: dict[int, Any]) -> list[Any]:
    return [others.get(at, answer) for at, answer in enumerate(found)]
