"""Every call of the API, once: the routes, the roles, the OpenAPI document and the tests are made of this table."""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeAlias

from starlette.requests import Request
from starlette.responses import Response

from .serving import Service

Handler: TypeAlias = Callable[[Service, Request], Awaitable[Response]]


class Query(NamedTuple):
    """A parameter of the query.

    Args:
        name: Of the parameter.
        schema: What it may be, as JSON schema.
        said: What it means.
    """

    name: str
    schema: dict[str, Any]
    said: str


class Call(NamedTuple):
    """A call of the API.

    Args:
        method: The HTTP method.
        path: The address, with ``{names}`` in it.
        role: What its token must at least have; None for anybody.
        operation: Its name.
        said: What it does, in one sentence.
        handler: What does it.
        statuses: Statuses of success.
        answer: What it answers; None for nothing, text for a media type.
        body: What it takes, if anything.
        queries: Parameters of the query.
        match: Whether it takes ``If-Match``.
        files: Media types that it takes beside JSON.
        local: Whether it is open to anybody where the service listens to this machine alone.
    """

    method: str
    path: str
    role: str | None
    operation: str
    said: str
    handler: Handler
    statuses: tuple[int, ...] = (200,)
    answer: Any = None
    body: Any = None
    queries: tuple[Query, ...] = ()
    match: bool = False
    files: tuple[str, ...] = ()
    local: bool = False
