"""The HTTP face: routes made of the table of calls, tokens, errors."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from . import admin_calls, decision_calls, openapi, problems, reading_calls
from .auth import ANYONE, Token, allow, check_host
from .calls import Call
from .declared import declare
from .problems import Problem
from .serving import Service
from .settings import Options
from .wire import Config

LOG = logging.getLogger("hedgerow.service")

DOCUMENT_PATH = "/openapi.json"


async def _document(service: Service, request: Request) -> Response:
    return Response(service.cache["document"], media_type="application/json")


CALLS: tuple[Call, ...] = (
    *decision_calls.CALLS,
    *admin_calls.CALLS,
    *reading_calls.CALLS,
    Call("GET", DOCUMENT_PATH, "read", "openapi", "This document.", _document, answer="application/json", local=True),
)
"""Every call of the API."""


def create(options: Options, *, more: Sequence[Call] = (), experiments: Mapping[str, Config] | None = None) -> Starlette:
    """The service as an ASGI application.

    Args:
        options: What it was told.
        more: Calls beside those of the API, such as pages.
        experiments: That are to be there, by name.

    Returns:
        The application.

    Raises:
        ValueError: Anybody could reach it without a token.
    """
    service = Service(options)
    service.cache["document"] = msgspec.json.encode(openapi.document(CALLS))

    @asynccontextmanager
    async def life(_: Starlette) -> AsyncIterator[dict[str, Any]]:
        try:
            await _begin(service)
        except Exception as trouble:
            application.state.trouble = trouble  # running.py says it in one sentence
            raise
        declaring = asyncio.create_task(declare(service, experiments or {}))
        yield {"service": service}
        declaring.cancel()
        await asyncio.to_thread(service.stop)

    routes = [Route(call.path, _endpoint(service, call), methods=[call.method]) for call in (*CALLS, *more)]
    handlers: Any = {HTTPException: _refused, Exception: _failed}
    application = Starlette(lifespan=life, routes=routes, exception_handlers=handlers)
    application.state.service = service
    return application


async def _begin(service: Service) -> None:
    """Open the store; without a token nobody but this machine may ask."""
    service.start(asyncio.get_running_loop())
    if not service.options.loopback and not service.tokens:
        await asyncio.to_thread(service.stop)
        raise ValueError(f"{service.options.host} can be reached from elsewhere: make a token first, with hedgerow token")


def _endpoint(service: Service, call: Call) -> Any:
    """A call with its token checked, its time taken and its problems answered."""

    async def endpoint(request: Request) -> Response:
        began = time.perf_counter()
        try:
            token = _who(service, request, call)
            if call.role is not None:
                allow(token, call.role, request.path_params.get("experiment") or token.experiment)
            request.state.token = token
            answer = await call.handler(service, request)
        except Problem as problem:
            answer = problems.answer(problem)
            if problem.status == HTTPStatus.UNAUTHORIZED and call.answer == "text/html":
                answer.headers["WWW-Authenticate"] = 'Basic realm="hedgerow", charset="UTF-8"'  # the browser asks for a password
        except (ValueError, KeyError) as error:
            LOG.exception("%s", call.operation)
            answer = problems.answer(Problem(422, str(error.args[0] if error.args else error)))
        service.metrics.requests.labels(call.operation, answer.status_code).observe(time.perf_counter() - began)
        return answer

    return endpoint


def _who(service: Service, request: Request, call: Call) -> Token:
    """Who asks. Without tokens, and for pages on this machine alone: anybody whose address bar says localhost."""
    header, loopback = request.headers.get("authorization"), service.options.loopback
    if call.role is None or (loopback and not service.tokens):
        if loopback and call.role is not None:
            check_host(request.headers.get("host"))
        return ANYONE
    if call.local and loopback and header is None:
        check_host(request.headers.get("host"))
        return ANYONE
    return service.tokens.of(header, browser=call.method == "GET")


async def _refused(request: Request, error: HTTPException) -> Response:
    """What Starlette refuses: no such address, or not by this method."""
    said = {404: "there is nothing at this address; /openapi.json lists what there is", 405: "this address takes other methods"}
    answer = problems.answer(Problem(error.status_code, said.get(error.status_code, str(error.detail))))
    answer.headers.update(error.headers or {})
    return answer


async def _failed(request: Request, error: Exception) -> Response:
    """What nobody thought of; the log has it, the answer does not."""
    LOG.error("unexpected error", exc_info=error)
    return problems.answer(Problem(500, "the service failed; its log says why"))
