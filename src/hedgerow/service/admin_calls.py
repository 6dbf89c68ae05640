"""Calls about experiments: create, change, archive, history, refold."""

import asyncio
from contextlib import suppress
from copy import copy

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from ..data.history import History
from . import experiments, limits, plans, refold
from .calls import Call, Query
from .decision_calls import named
from .history_file import SUFFIXES, history_of_file
from .plans import State
from .problems import Problem
from .replies import reply
from .reports import Refolded
from .runtimes import Runtime
from .serving import Service
from .settings import SETTINGS
from .wire import Config, Experiment, Experiments, HistoryOfSums, HistoryRow, Weight

_CONFIG, _SUMS = msgspec.json.Decoder(Config), msgspec.json.Decoder(HistoryOfSums)


async def _put(service: Service, request: Request) -> Response:
    name = named(request.path_params["experiment"], "an experiment's name")
    match = _revision(request.headers.get("if-match"))
    config = limits.parsed(request, await limits.read(request, limits.BATCH_BODY), _CONFIG)
    new = await put(service, name, config, match)
    found = await service.read(lambda store: experiments.shown(store, name))
    return reply(found, 201 if new else 200, {"ETag": f'"{found.revision}"'})


async def put(service: Service, name: str, config: Config, match: int | None = None) -> bool:
    """Create an experiment, or change it.

    Args:
        service: The service.
        name: Of the experiment.
        config: What it is to be.
        match: The revision that is to be changed, None for any.

    Returns:
        Whether it is new.

    Raises:
        Problem: The configuration makes no sense, or another revision is there.
    """
    policy = await asyncio.to_thread(_built, config)
    await asyncio.to_thread(_tried, service, name, config)
    new, other = await service.job(name, experiments.put(name, config, policy, match))
    if other:
        await refolded(service, name, config)
    await _until_warm(service, name)
    return new


def _revision(given: str | None) -> int | None:
    """The revision that If-Match asks for."""
    if given is None or given.strip() == "*":
        return None
    text = given.strip().removeprefix("W/").strip('"')
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise Problem(412, f"If-Match must be the ETag of a revision, got {given!r:.80}")
    return int(text)


def _built(config: Config) -> plans.Policy:
    """A policy of the configuration, or what is wrong with it."""
    try:
        policy = plans.build(State(config), _no_history)
        experiments.check(config, policy)
    except (ValueError, KeyError) as error:
        raise Problem(422, str(error.args[0])) from None
    return policy


def _no_history(sha256: str) -> bytes:
    raise KeyError(sha256)


def _tried(service: Service, name: str, config: Config) -> None:
    """Refuse a change that the policy would refuse: it is tried on a copy."""
    runtime = service.runtimes.by_name.get(name)
    if runtime is None or runtime.fold is None:
        return
    before = runtime.fold.state
    after = State(config, before.history, before.revision + 1)
    found = plans.difference(before, after)
    if found is None:
        return
    try:
        plans.change(copy(runtime.fold.policy), found, after, _no_history)
    except (ValueError, KeyError) as error:
        raise Problem(422, str(error.args[0])) from None


async def _until_warm(service: Service, name: str) -> None:
    """Wait for the machine code, so that the next request is answered; not for ever."""
    with suppress(TimeoutError):
        async with asyncio.timeout(SETTINGS.warm_wait):
            while (runtime := service.runtimes.by_name.get(name)) is None or not (runtime.fold or runtime.trouble):
                await asyncio.sleep(SETTINGS.tail)


async def refolded(service: Service, name: str, wanted: Config | None) -> Refolded:
    """Learn the log again, beside the service, then begin a new epoch.

    Args:
        service: The service.
        name: Of the experiment.
        wanted: Another configuration, None for the present one.

    Returns:
        The new epoch.

    Raises:
        Problem: The experiment changed meanwhile, or the configuration does not fit what was logged.
    """
    try:
        fold, state = await service.apart(lambda store: refold.relearn(store, name, wanted))
    except (ValueError, KeyError) as error:
        raise Problem(422, str(error.args[0])) from None
    before = state.revision - (wanted is not None)
    return await service.job(name, refold.begin_epoch(name, fold, state, before))


async def _refold(service: Service, request: Request) -> Response:
    runtime = service.runtimes.get(request.path_params["experiment"])
    runtime.usable()
    return reply(await refolded(service, runtime.name, None))


async def _list(service: Service, request: Request) -> Response:
    only = request.state.token.experiment
    names = sorted(name for name in service.runtimes.by_name if only in (None, name))
    return reply(Experiments(await service.read(lambda store: [experiments.shown(store, name) for name in names])))


async def _get(service: Service, request: Request) -> Response:
    name = service.runtimes.get(request.path_params["experiment"]).name
    found = await service.read(lambda store: experiments.shown(store, name))
    return reply(found, 200, {"ETag": f'"{found.revision}"'})


async def _archive(service: Service, request: Request) -> Response:
    name = service.runtimes.get(request.path_params["experiment"]).name
    await service.job(name, experiments.archive(name))
    return Response(status_code=204)


async def _add_history(service: Service, request: Request) -> Response:
    runtime = _changeable(service, request)
    body = await limits.read(request, limits.BATCH_BODY)
    try:
        history, weight = await asyncio.to_thread(_history, request, body, runtime.usable().state.config)
        found = await service.job(runtime.name, experiments.add_history(runtime.name, history, weight))
    except (ValueError, KeyError) as error:
        raise Problem(422, str(error.args[0])) from None
    return reply(found, 201)


def _history(request: Request, body: bytes, config: Config) -> tuple[History, float]:
    """What was sent: sums in JSON, or a file."""
    media = limits.media_of(request)
    if media not in SUFFIXES:
        sums = limits.parsed(request, body, _SUMS)
        return experiments.history_of(sums), sums.weight
    weight = msgspec.convert(request.query_params.get("weight", "1"), Weight, strict=False)
    try:
        return history_of_file(body, media, request.query_params, config), weight
    except (ValueError, KeyError):
        raise
    except Exception as error:  # whatever a damaged file makes its reader raise
        raise ValueError(f"the file cannot be read: {error}"[:300]) from None


def _changeable(service: Service, request: Request) -> Runtime:
    runtime = service.runtimes.get(request.path_params["experiment"])
    runtime.usable()
    return runtime


async def _remove_history(service: Service, request: Request) -> Response:
    runtime = _changeable(service, request)
    sha256 = named(request.path_params["sha256"], "the sha256 of a history")
    await service.job(runtime.name, experiments.remove_history(runtime.name, sha256))
    return Response(status_code=204)


_OF_FILES = {
    "arm": "of a file: its column of arms",
    "reward": "of a file: its column of rewards",
    "context": "of a file: its columns of the context, with commas between",
    "weight": "of a file: how much each of its rounds counts",
}
_ONE = "/v1/experiments/{experiment}"

CALLS = (
    Call("GET", "/v1/experiments", "read", "experiments", "All experiments.", _list, answer=Experiments),
    Call(
        "PUT",
        _ONE,
        "admin",
        "putExperiment",
        "Create an experiment, or change it; what was learnt stays.",
        _put,
        (200, 201),
        Experiment,
        Config,
        match=True,
    ),
    Call("GET", _ONE, "read", "experiment", "An experiment.", _get, answer=Experiment),
    Call("DELETE", _ONE, "admin", "archive", "Take an experiment out of use; nothing is forgotten.", _archive, (204,)),
    Call(
        "POST",
        f"{_ONE}/history",
        "admin",
        "addHistory",
        "Start from a history, given as sums or as a file with a row a round.",
        _add_history,
        (201,),
        HistoryRow,
        HistoryOfSums,
        tuple(Query(name, {"type": "string"}, said) for name, said in _OF_FILES.items()),
        files=tuple(SUFFIXES),
    ),
    Call("DELETE", f"{_ONE}/history/{{sha256}}", "admin", "removeHistory", "Start without a history.", _remove_history, (204,)),
    Call(
        "POST", f"{_ONE}/refold", "admin", "refold", "Learn the whole log again, with amended rewards.", _refold, answer=Refolded
    ),
)
"""Calls about experiments."""
