"""The client of the decision service, ``hr.Client``, and its async twin ``hr.AsyncClient``: two ways to send one request."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from ..core.extras import absent
from . import client_calls
from .exchange import Exchange
from .messages import Reply, Sent, Steps

try:
    import httpx
except ImportError as missing:
    raise absent("a client of the decision service", "httpx", "service") from missing

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
Operation = Callable[Concatenate[Exchange, Given], Steps[Answer]]

TRY_SECONDS, CALL_SECONDS = 1.0, 2.0
"""Of one try, and of all tries of a call: what a page may wait for its arm. Chosen, not measured."""


def _blocking(operation: Operation[Given, Answer]) -> "Callable[Concatenate[Client, Given], Answer]":
    """A method that blocks until there is an answer."""

    @wraps(operation)
    def call(client: "Client", /, *args: Given.args, **kwargs: Given.kwargs) -> Answer:
        return client._talk(operation(client._exchange, *args, **kwargs))

    return call


def _awaiting(operation: Operation[Given, Answer]) -> "Callable[Concatenate[AsyncClient, Given], Coroutine[Any, Any, Answer]]":
    """A method that is awaited."""

    @wraps(operation)
    async def call(client: "AsyncClient", /, *args: Given.args, **kwargs: Given.kwargs) -> Answer:
        return await client._talk(operation(client._exchange, *args, **kwargs))

    return call


def _reply(answer: httpx.Response) -> Reply:
    return Reply(answer.status_code, answer.content, answer.headers.get("Retry-After"))


def _nothing(error: httpx.TransportError) -> Reply:
    kind = "did not answer in time" if isinstance(error, httpx.TimeoutException) else "cannot be reached"
    return Reply(0, trouble=f"{kind} ({error})" if str(error) else kind)


class Client:
    """A client that blocks. Threads may share one; close it, or use it in a ``with`` block.

    Args:
        url: Where the service is; the environment's ``HEDGEROW_URL``, else this machine, if left out.
        token: Who asks; the environment's ``HEDGEROW_TOKEN`` if left out.
        timeout: Seconds that one try may take.
        patience: Seconds that all tries of a call may take together.
        transport: A transport of httpx, such as one with a certificate of your own.

    Raises:
        ValueError: The address is none, or a time is not above 0.

    Examples:
        >>> with Client("http://127.0.0.1:9", patience=0.1) as ads:
        ...     decision = ads.decide("ads", among=["ad-1", "ad-3"], fallback="ad-1")
        ...     ads.reward("ads", decision.id, 1.0)
        >>> decision.arm, decision.mode, decision.id
        ('ad-1', 'fallback', None)
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        token: str | None = None,
        timeout: float = TRY_SECONDS,
        patience: float = CALL_SECONDS,
        transport: httpx.BaseTransport | None = None,
    ):
        self._exchange = Exchange(url, token=token, timeout=timeout, patience=patience)
        self._http = httpx.Client(base_url=self._exchange.url, headers=self._exchange.headers, transport=transport)

    put = _blocking(client_calls.put)
    decide = _blocking(client_calls.decide)
    decide_many = _blocking(client_calls.decide_many)
    reward = _blocking(client_calls.reward)
    reward_many = _blocking(client_calls.reward_many)
    cancel = _blocking(client_calls.cancel)

    def _talk(self, steps: Steps[Answer]) -> Answer:
        try:
            sent = next(steps)
            while True:
                sent = steps.send(self._send(sent))
        except StopIteration as done:
            answer: Answer = done.value
            return answer

    def _send(self, sent: Sent) -> Reply:
        time.sleep(sent.pause)
        try:
            return _reply(
                self._http.request(sent.method, sent.path, content=sent.body, headers=sent.headers, timeout=sent.timeout)
            )
        except httpx.TransportError as error:
            return _nothing(error)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class AsyncClient:
    """The same client for ``async`` code: every method of ``Client`` is there, to be awaited.

    Args:
        url: Where the service is; the environment's ``HEDGEROW_URL``, else this machine, if left out.
        token: Who asks; the environment's ``HEDGEROW_TOKEN`` if left out.
        timeout: Seconds that one try may take.
        patience: Seconds that all tries of a call may take together.
        transport: An async transport of httpx.

    Raises:
        ValueError: The address is none, or a time is not above 0.

    Examples:
        >>> async def choose():
        ...     async with AsyncClient("http://127.0.0.1:9", patience=0.1) as ads:
        ...         return await ads.decide("ads", fallback="ad-1")
        >>> asyncio.run(choose()).arm
        'ad-1'
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        token: str | None = None,
        timeout: float = TRY_SECONDS,
        patience: float = CALL_SECONDS,
        transport: httpx.AsyncBaseTransport | None = None,
    ):
        self._exchange = Exchange(url, token=token, timeout=timeout, patience=patience)
        self._http = httpx.AsyncClient(base_url=self._exchange.url, headers=self._exchange.headers, transport=transport)

    put = _awaiting(client_calls.put)
    decide = _awaiting(client_calls.decide)
    decide_many = _awaiting(client_calls.decide_many)
    reward = _awaiting(client_calls.reward)
    reward_many = _awaiting(client_calls.reward_many)
    cancel = _awaiting(client_calls.cancel)

    async def _talk(self, steps: Steps[Answer]) -> Answer:
        try:
            sent = next(steps)
            while True:
                sent = steps.send(await self._send(sent))
        except StopIteration as done:
            answer: Answer = done.value
            return answer

    async def _send(self, sent: Sent) -> Reply:
        await asyncio.sleep(sent.pause)
        try:
            answer = await self._http.request(
                sent.method, sent.path, content=sent.body, headers=sent.headers, timeout=sent.timeout
            )
        except httpx.TransportError as error:
            return _nothing(error)
        return _reply(answer)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()
