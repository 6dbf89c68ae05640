"""Calls that only read: status, trust, explanations, health, metrics, the document of the API."""

import json
import math
from copy import copy
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ..policies.explanation import Score
from . import metrics
from .calls import Call, Query
from .export import WRITERS, events
from .problems import Problem
from .replies import reply
from .reports import Explained, Health, ScoreRow, Status, Trusted, Verified
from .serving import Service
from .status import status_of, trust_of
from .store import Store
from .verify import Live, verify

MOST_EVENTS = 100_000
"""Log rows that one export looks at."""


async def _status(service: Service, request: Request) -> Response:
    return reply(await status_of(service, service.runtimes.get(request.path_params["experiment"])))


async def _trust(service: Service, request: Request) -> Response:
    fold = service.runtimes.get(request.path_params["experiment"]).usable()
    return reply(await service.read(lambda _: Trusted(trust_of(copy(fold.policy)).words())))


async def _explain(service: Service, request: Request) -> Response:
    fold = service.runtimes.get(request.path_params["experiment"]).usable()
    context = _context(request.query_params.get("context"))
    policy, seq = copy(fold.policy), fold.seq
    try:
        return reply(await service.read(lambda _: Explained(seq, [_score(score) for score in policy.explain(context)])))
    except (ValueError, KeyError) as error:
        raise Problem(422, str(error.args[0])) from None


def _context(text: str | None) -> Any:
    """A context in a query: JSON, an array of numbers or an object of raw values."""
    if text is None:
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise Problem(422, f"context must be JSON, such as [0.1, 2] or an object, got {text!r:.80}") from None
    plain = found.values() if isinstance(found, dict) else found if isinstance(found, list) else [()]
    if any(not isinstance(value, str | int | float | None) or _infinite(value) for value in plain):
        raise Problem(422, f"context must be an array of numbers, or an object of numbers and texts, got {text!r:.80}")
    return found


def _infinite(value: Any) -> bool:
    return isinstance(value, int | float) and not -1e300 < value < 1e300


def _score(score: Score) -> ScoreRow:
    mean, width, index = (value if math.isfinite(value) else None for value in (score.mean, score.width, score.index))
    return ScoreRow(score.kind, str(score.label), mean, width, index, score.plays, score.history, score.waiting, score.reason)


async def _events(service: Service, request: Request) -> Response:
    name = service.runtimes.get(request.path_params["experiment"]).name
    given = request.query_params
    write, media = WRITERS.get(given.get("format", "ndjson"), (None, ""))
    if write is None:
        raise Problem(422, f"format must be ndjson or parquet, got {given.get('format')!r:.80}")
    after, limit = _count(given.get("after", "0"), "after"), _count(given.get("limit", str(MOST_EVENTS)), "limit")
    read = partial(events, name=name, after=after, limit=min(limit, MOST_EVENTS))
    return Response(await service.apart(lambda store: write(read(store))), media_type=media)


def _count(text: str, what: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise Problem(422, f"{what} must be a whole number of at least 0, got {text!r:.80}")
    return int(text)


async def _verify(service: Service, request: Request) -> Response:
    fold = service.runtimes.get(request.path_params["experiment"]).usable()

    def work(store: Store) -> Verified:
        seq, state_hash, _, _ = fold.view()
        return verify(store, fold.name, live=Live(seq, state_hash))

    return reply(await service.apart(work))


async def _health(service: Service, request: Request) -> Response:
    return reply(Health(True))


async def _ready(service: Service, request: Request) -> Response:
    reasons = service.not_ready()
    return reply(Health(not reasons, reasons), 503 if reasons else 200, {"Retry-After": "1"} if reasons else None)


async def _metrics(service: Service, request: Request) -> Response:
    return Response(service.metrics.text(service.runtimes), media_type=metrics.METRICS_MEDIA)


_ONE = "/v1/experiments/{experiment}"

CALLS = (
    Call("GET", f"{_ONE}/status", "read", "status", "All that the page shows.", _status, answer=Status),
    Call("GET", f"{_ONE}/trust", "read", "trust", "What groups and history are worth, in sentences.", _trust, answer=Trusted),
    Call(
        "GET",
        f"{_ONE}/explain",
        "read",
        "explain",
        "Why the next choice would be what it is.",
        _explain,
        answer=Explained,
        queries=(Query("context", {"type": "string"}, "JSON: an array of numbers, or an object of raw values"),),
    ),
    Call(
        "GET",
        f"{_ONE}/events",
        "read",
        "events",
        "What was learnt, one row a decision; ask again after the last seq.",
        _events,
        answer="application/x-ndjson",
        queries=(
            Query("after", {"type": "integer", "minimum": 0, "maximum": 10**15}, "the log row before the first"),
            Query("limit", {"type": "integer", "minimum": 0, "maximum": 10**15}, f"log rows to look at, at most {MOST_EVENTS}"),
            Query("format", {"type": "string", "enum": list(WRITERS)}, "ndjson or parquet"),
        ),
    ),
    Call("GET", f"{_ONE}/verify", "read", "verify", "Check every invariant.", _verify, answer=Verified),
    Call("GET", "/healthz", None, "healthz", "Whether the process is alive.", _health, answer=Health),
    Call("GET", "/readyz", None, "readyz", "Whether it can answer: store, policies, folds.", _ready, (200, 503), answer=Health),
    Call("GET", "/metrics", "read", "metrics", "Metrics for Prometheus.", _metrics, answer=metrics.METRICS_MEDIA, local=True),
)
"""Calls that only read."""
