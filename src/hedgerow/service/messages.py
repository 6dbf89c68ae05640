"""What a client and the service hand each other: requests, replies, addresses, JSON, and what is raised when it is no."""

import json
from collections.abc import Generator
from typing import Any, NamedTuple, TypeAlias, TypeVar
from urllib.parse import quote

import msgspec

from .wire import Failed, checked_name

Answer = TypeVar("Answer")


class RefusedError(ValueError):
    """The service answered, and said no.

    Args:
        status: The HTTP status.
        said: One sentence.
    """

    def __init__(self, status: int, said: str):
        super().__init__(said)
        self.status = status


class AwayError(ConnectionError):
    """The service did not answer, however often it was asked."""


class Sent(NamedTuple):
    """A request.

    Args:
        method: The HTTP method.
        path: The address, from the service's root on.
        body: JSON, if there is any.
        pause: Seconds to wait before it is sent.
        timeout: Seconds to wait for its answer.
    """

    method: str
    path: str
    body: bytes | None
    pause: float
    timeout: float

    @property
    def headers(self) -> dict[str, str]:
        """Type of the body, if there is one."""
        return {} if self.body is None else {"Content-Type": "application/json"}


class Reply(NamedTuple):
    """What came back.

    Args:
        status: The HTTP status; 0 if nothing came.
        body: Its bytes.
        retry_after: The header of that name.
        trouble: What happened instead of an answer.
    """

    status: int
    body: bytes = b""
    retry_after: str | None = None
    trouble: str = ""


Steps: TypeAlias = Generator[Sent, Reply, Answer]


def path_to(experiment: str, *parts: str) -> str:
    """An address of an experiment.

    Args:
        experiment: The experiment's name.
        *parts: What follows; names in it are checked.

    Returns:
        The address.

    Raises:
        ValueError: One of them is no name.
    """
    for part in (experiment, *parts):
        if not isinstance(part, str):
            raise ValueError(f"names and ids are texts, such as decision.id, got {part!r:.80}")
    names = [checked_name(part, "a name in an address") for part in parts]
    return "/".join(["/v1/experiments", checked_name(experiment, "the experiment"), *(quote(name, safe=":") for name in names)])


def encoded(given: Any, what: str) -> bytes | None:
    """JSON of what is sent; arrays and their numbers are sent as lists and numbers.

    Args:
        given: What is sent, None for nothing.
        what: What it is, for the error.

    Returns:
        JSON.

    Raises:
        ValueError: It is no JSON.
    """
    try:
        return None if given is None else json.dumps(given, allow_nan=False, default=lambda value: value.tolist()).encode()
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{what} can hold finite numbers and texts only: {error}") from None


def decoded(body: bytes, kind: type[Answer]) -> Answer:
    """An answer.

    Args:
        body: JSON.
        kind: What it must be.

    Returns:
        The answer.

    Raises:
        RefusedError: It is something else.
    """
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RefusedError(200, f"the answer is not that of a decision service; is the address right? {error}") from None


def refused(what: str, problem: Failed) -> RefusedError:
    """An item of a batch that was refused.

    Args:
        what: The batch.
        problem: What the service says.

    Returns:
        An error to be raised, or handed on.
    """
    return RefusedError(problem.status, f"one of the {what} was refused: {problem.detail} ({problem.status} {problem.title})")
