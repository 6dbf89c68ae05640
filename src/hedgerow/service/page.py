"""The status page: a list of experiments and each of them, from templates that escape all that they show.

A page fetches itself with ``?part=1`` each second, and puts in place what changed. Without script it is read again by hand.
"""

import asyncio
import secrets
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ..present.numbers import numeral
from ..present.pages import rendered
from . import page_view
from .calls import Call, Query
from .problems import Problem
from .runtimes import Runtime
from .serving import Service
from .settings import Options
from .status import status_of

HOME, ONE = "./", "../"
"""The list of experiments, seen from itself and from the page of one: relative, so that a proxy may put both under a prefix."""

NONCE_BYTES = 16

HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

CONTENT_POLICY = (
    "default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy: this page's own style and script, its own address, and an empty icon."""


class Listed(NamedTuple):
    """An experiment in the list.

    Args:
        name: Its name.
        address: Of its page.
        policy: How it chooses.
        state: Whether it answers.
        arms: How many it has.
        learnt: Rewards that it has learnt.
        mean: Of these.
    """

    name: str
    address: str
    policy: str
    state: str
    arms: str
    learnt: str
    mean: str


def example(options: Options, name: str, *, make: bool) -> str:
    """Lines for a terminal.

    Args:
        options: What the service was told.
        name: Of an experiment.
        make: Whether it is to be made first.

    Returns:
        Commands of curl.
    """
    shown = f"[{options.host}]" if ":" in options.host else options.host
    address = f"http://{shown}:{options.port}/v1/experiments/{name}"
    json = "-H 'content-type: application/json'"
    made = f'curl -X PUT {address} {json} -d \'{{"arms": ["ad-1", "ad-2"]}}\'\n' if make else ""
    return (
        f'{made}curl {address}/decisions {json} -d \'{{"decision_id": "first"}}\'\n'
        f"curl -X PUT {address}/decisions/first/rewards/click {json} -d '{{\"value\": 1}}'"
    )


async def _experiments(service: Service, request: Request) -> Response:
    only = request.state.token.experiment
    runtimes = [runtime for name, runtime in sorted(service.runtimes.by_name.items()) if only in (None, name)]
    lines = example(service.options, "ads", make=True)
    part = rendered("service/experiments.html", rows=[_listed(runtime) for runtime in runtimes], lines=lines)
    return _page(request, part, title="hedgerow", home=HOME)


def _listed(runtime: Runtime) -> Listed:
    address, fold = f"experiments/{runtime.name}", runtime.fold
    if fold is None:
        return Listed(runtime.name, address, "", runtime.trouble or "is being read", "", "", "")
    modes = list(fold.tallies.modes.values())
    count, total = sum(mode.count for mode in modes), sum(mode.total for mode in modes)
    config = fold.state.config
    state = "archived" if runtime.where.archived is not None else config.mode
    mean = numeral(total / count) if count else page_view.NO_NUMBER
    return Listed(runtime.name, address, config.policy, state, f"{len(config.arms):,}", f"{count:,}", mean)


async def _experiment(service: Service, request: Request) -> Response:
    name = request.path_params["experiment"]
    try:
        part = await _described(service, service.runtimes.get(name))
    except Problem as problem:
        part = rendered("service/trouble.html", title=problem.title, said=_sentence(problem.detail), home=ONE)
        return _page(request, part, title=problem.title, home=ONE, status=problem.status)
    return _page(request, part, title=name, home=ONE)


def _sentence(said: str) -> str:
    return f"{said[:1].upper()}{said[1:]}."


async def _described(service: Service, runtime: Runtime) -> str:
    """The page of an experiment without its frame, made once for each status."""
    status = await status_of(service, runtime)
    known, part = service.cache.get(("page", runtime.name), (None, ""))
    if known is not status:
        lines = example(service.options, runtime.name, make=False)
        given: dict[str, Any] = page_view.shown(status) | {"lines": lines, "data": f"../v1/experiments/{runtime.name}/status"}
        part = await asyncio.to_thread(rendered, "service/experiment.html", **given)
        service.cache["page", runtime.name] = status, part
    return str(part)


def _page(request: Request, part: str, *, title: str, home: str, status: int = 200) -> Response:
    """The whole page, or what its script asks for."""
    from markupsafe import Markup

    nonce = secrets.token_urlsafe(NONCE_BYTES)
    inner = Markup(part)  # made by templates, which escaped what they were given
    text = (
        part
        if request.query_params.get("part")
        else rendered("service/page.html", part=inner, title=title, home=home, nonce=nonce)
    )
    return HTMLResponse(text, status, HEADERS | {"Content-Security-Policy": CONTENT_POLICY.format(nonce=nonce)})


_PART = (Query("part", {"type": "string"}, "1: without the frame, for the script of the page"),)

CALLS = (
    Call("GET", "/", "read", "page", "A page of all experiments.", _experiments, answer="text/html", queries=_PART, local=True),
    Call(
        "GET",
        "/experiments/{experiment}",
        "read",
        "experimentPage",
        "A page of an experiment: counts, shares, means, lift, trust.",
        _experiment,
        (200, 404, 503),
        answer="text/html",
        queries=_PART,
        local=True,
    ),
)
"""The pages."""
