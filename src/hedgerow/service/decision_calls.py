"""Calls about decisions and their rewards."""

import asyncio
from typing import TypeAlias

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from . import limits
from .calls import Call, Query
from .journal import Give
from .kept import kept
from .problems import Problem
from .replies import reply
from .rewarding import Result
from .runtimes import Runtime
from .serving import Service
from .wire import (
    Ask,
    AskBatch,
    Decided,
    DecidedBatch,
    DecidedItem,
    Failed,
    Item,
    Kept,
    Reward,
    RewardBatch,
    Rewarded,
    RewardedBatch,
    RewardedItem,
    Withdrawn,
    checked_name,
)

Promise: TypeAlias = "asyncio.Future[tuple[Result, int]] | Problem"
_ASK, _ASKS = msgspec.json.Decoder(Ask), msgspec.json.Decoder(AskBatch)
_REWARD, _REWARDS = msgspec.json.Decoder(Reward), msgspec.json.Decoder(RewardBatch)


def named(given: str, what: str) -> str:
    """A name in an address, or in a body.

    Args:
        given: What was given.
        what: What it is, for the message.

    Returns:
        The name.

    Raises:
        Problem: It is none.
    """
    try:
        return checked_name(given, what)
    except ValueError as error:
        raise Problem(422, str(error)) from None


def _named_ask(ask: Ask) -> Ask:
    if ask.decision_id is not None:
        named(ask.decision_id, "decision_id")
    return ask


async def _decide(service: Service, request: Request) -> Response:
    ask = _named_ask(limits.parsed(request, await limits.read(request, limits.BODY), _ASK))
    return reply(await service.decide(service.runtimes.get(request.path_params["experiment"]), ask))


async def _decide_batch(service: Service, request: Request) -> Response:
    asks = limits.parsed(request, await limits.read(request, limits.BATCH_BODY), _ASKS).decisions
    runtime = service.runtimes.get(request.path_params["experiment"])

    async def one(ask: Ask) -> DecidedItem:
        try:
            return DecidedItem(200, decision=await service.decide(runtime, _named_ask(ask)))
        except Problem as problem:
            return DecidedItem(problem.status, problem=_failed(problem))

    return reply(DecidedBatch(await asyncio.gather(*map(one, asks))))


async def _reward(service: Service, request: Request) -> Response:
    given = limits.parsed(request, await limits.read(request, limits.BODY), _REWARD)
    parts, amend = request.path_params, _amends(request)
    give = Give(named(parts["id"], "a decision's id"), named(parts["key"], "a reward's key"), given.value, given.final, amend)
    status, found = service.rewarded(await service.give(service.runtimes.get(parts["experiment"]), give))
    return reply(found, status)


def _amends(request: Request) -> bool:
    given = request.query_params.get("amend", "0")
    if given not in ("0", "1"):
        raise Problem(422, f"amend must be 0 or 1, got {given!r:.80}")
    return given == "1"


async def _reward_batch(service: Service, request: Request) -> Response:
    items = limits.parsed(request, await limits.read(request, limits.BATCH_BODY), _REWARDS).rewards
    runtime = service.runtimes.get(request.path_params["experiment"])

    queued = [_queued(service, runtime, item) for item in items]
    return reply(RewardedBatch([await _rewarded_item(service, answer) for answer in queued]))


def _queued(service: Service, runtime: Runtime, item: Item) -> Promise:
    """A reward on its way to the store, or why it is not."""
    try:
        give = Give(named(item.decision_id, "decision_id"), named(item.key, "key"), item.value, item.final, False)
        return service.give(runtime, give)
    except Problem as problem:
        return problem


async def _rewarded_item(service: Service, answer: Promise) -> RewardedItem:
    try:
        if isinstance(answer, Problem):
            raise answer
        status, found = service.rewarded(await answer)
    except Problem as problem:
        return RewardedItem(problem.status, problem=_failed(problem))
    return RewardedItem(status, reward=found)


def _failed(problem: Problem) -> Failed:
    return Failed(problem.title, problem.status, problem.detail)


async def _withdraw(service: Service, request: Request) -> Response:
    runtime = service.runtimes.get(request.path_params["experiment"])
    return reply(await service.withdraw(runtime, named(request.path_params["id"], "a decision's id")))


async def _show(service: Service, request: Request) -> Response:
    name = service.runtimes.get(request.path_params["experiment"]).name
    id = named(request.path_params["id"], "a decision's id")
    return reply(await service.read(lambda store: kept(store, name, id)))


_ONE = "/v1/experiments/{experiment}"
_AMEND = Query("amend", {"type": "integer", "enum": [0, 1]}, "1: replace another value of this key; it counts at the next refold")

CALLS = (
    Call("POST", f"{_ONE}/decisions", "decide", "decide", "Choose an arm, and remember it.", _decide, answer=Decided, body=Ask),
    Call(
        "POST",
        f"{_ONE}/decisions:batch",
        "decide",
        "decideBatch",
        "Choose several arms; each item has a status of its own.",
        _decide_batch,
        answer=DecidedBatch,
        body=AskBatch,
    ),
    Call(
        "PUT",
        f"{_ONE}/decisions/{{id}}/rewards/{{key}}",
        "decide",
        "reward",
        "Say what a decision earned; 202 if the decision is not known yet.",
        _reward,
        (200, 202),
        Rewarded,
        Reward,
        (_AMEND,),
    ),
    Call(
        "POST",
        f"{_ONE}/rewards:batch",
        "decide",
        "rewardBatch",
        "Say what several decisions earned; each item has a status of its own.",
        _reward_batch,
        answer=RewardedBatch,
        body=RewardBatch,
    ),
    Call(
        "DELETE",
        f"{_ONE}/decisions/{{id}}",
        "decide",
        "withdraw",
        "Cancel a decision that was never shown.",
        _withdraw,
        answer=Withdrawn,
    ),
    Call(
        "GET",
        f"{_ONE}/decisions/{{id}}",
        "read",
        "decision",
        "A decision, its rewards, and what was learnt from it.",
        _show,
        answer=Kept,
    ),
)
"""Calls about decisions and their rewards."""
