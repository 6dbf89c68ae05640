"""What a client can ask: decisions, rewards, withdrawals, one or many. Each call is a generator of requests (exchange.py)."""

import secrets
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .exchange import Exchange
from .messages import AwayError, RefusedError, Steps, decoded, path_to
from .wire import Decided, DecidedBatch, Experiment, Rewarded, RewardedBatch, Withdrawn

MOST_ITEMS = 1000
"""Of a batch, as wire.py has it."""

PUT_PATIENCE = 180.0
"""Seconds that making an experiment may take: the first of its kind on a machine compiles its policy."""

ID_BYTES = 12
"""Of an id that the client makes."""


class ServedDecision(NamedTuple):
    """A decision of the service, or the fallback.

    Args:
        id: What to reward it by; None for a fallback, which the service is not to learn from.
        arm: What was chosen.
        cluster: Its cluster, if there are any.
        propensity: The probability that this arm was answered; None where it is not known.
        mode: ``live``, ``control``, ``shadow`` or ``fallback``.
        explored: Whether the arm was drawn.
        expires_at: When its wait is over, in seconds since 1970.
        away: Why this is the fallback; empty if it is not.
    """

    id: str | None
    arm: str
    cluster: str | None
    propensity: float | None
    mode: str
    explored: bool
    expires_at: float | None
    away: str = ""


def put(exchange: Exchange, experiment: str, config: Mapping[str, Any]) -> Steps[Experiment]:
    """Make an experiment, or change it. The same configuration again changes nothing, and nothing that was learnt is lost.

    Args:
        exchange: With the service.
        experiment: The experiment's name.
        config: What it is, such as ``{"arms": ["ad-1", "ad-2"], "wait": 3600, "default": 0}``.

    Returns:
        The experiment, with its revision.

    Raises:
        ValueError: The service refused; the message says what is wrong with the configuration.
        ConnectionError: The service is away.
    """
    if not isinstance(config, Mapping):
        raise ValueError(f"config must be a dict such as {{'arms': ['ad-1', 'ad-2']}}, got {config!r:.80}")
    body = yield from exchange.insist(
        "PUT", path_to(experiment), dict(config), f"experiment {experiment!r}", patience=PUT_PATIENCE
    )
    return decoded(body, Experiment)


def decide(
    exchange: Exchange,
    experiment: str,
    *,
    context: Any = None,
    among: Iterable[str] | None = None,
    fallback: str | None = None,
    baseline: str | None = None,
    unit: str | None = None,
    id: str | None = None,
) -> Steps[ServedDecision]:
    """Ask for an arm. It is asked again with the same id until there is an answer, so that nothing is counted twice.

    A decision that ended in the fallback is withdrawn when the service is back, for its arm may not be the fallback.

    Args:
        exchange: With the service.
        experiment: The experiment's name.
        context: Numbers, or raw values by name.
        among: The arms to choose from; all if left out.
        fallback: The arm to play if the service is away. Without one, that is an error.
        baseline: What would be played without the service: the answer in shadow mode and of the control share.
        unit: Who the decision is for, so that he stays in the control share or out of it.
        id: Your own id of the decision; one is made if left out.

    Returns:
        The decision; ``mode`` is "fallback" and ``away`` says why if the service did not answer.

    Raises:
        ValueError: The service refused, or what was given cannot be sent.
        ConnectionError: The service is away, and there is no fallback.
    """
    given = _ask(context=context, among=among, baseline=baseline, unit=unit, id=id)
    where = f"{path_to(experiment)}/decisions"
    try:
        body = yield from exchange.insist("POST", where, given, f"a decision of {experiment!r}")
    except AwayError as away:
        return _fall_back(exchange, where, given, fallback, away)
    yield from exchange.settle([given["decision_id"]], where)
    return _served(decoded(body, Decided))


def decide_many(
    exchange: Exchange, experiment: str, asks: Iterable[Mapping[str, Any]]
) -> Steps[list[ServedDecision | RefusedError]]:
    """Ask for several arms in one request of at most 1000.

    Args:
        exchange: With the service.
        experiment: The experiment's name.
        asks: The keywords of ``decide`` for each, such as ``{"context": {"age": 31}, "fallback": "ad-1"}``.

    Returns:
        A decision for each, in their order; where the service refused one, its ``RefusedError`` stands there and is not raised.

    Raises:
        ValueError: The service refused the whole, or what was given cannot be sent.
        ConnectionError: The service is away, and there is no fallback.
    """
    each = [dict(ask) for ask in asks]
    fallbacks = [ask.pop("fallback", None) for ask in each]
    given = [_ask(**ask) for ask in each]
    where = f"{path_to(experiment)}/decisions"
    found: list[ServedDecision | RefusedError] = []
    for first in range(0, len(given), MOST_ITEMS):
        part = given[first : first + MOST_ITEMS]
        answers = yield from exchange.insist_on_all(
            f"{where}:batch", "decisions", part, DecidedBatch, f"decisions of {experiment!r}"
        )
        for ask, fallback, answer in zip(part, fallbacks[first:], answers, strict=False):
            if isinstance(answer, AwayError):
                found.append(_fall_back(exchange, where, ask, fallback, answer))
            else:
                found.append(answer if isinstance(answer, RefusedError) else _served(answer.decision))
    yield from exchange.settle([answer.id for answer in found if isinstance(answer, ServedDecision)], where)
    return found


def reward(
    exchange: Exchange,
    experiment: str,
    id: str | None,
    value: float,
    *,
    key: str = "reward",
    final: bool = False,
    amend: bool = False,
) -> Steps[Rewarded | None]:
    """Say what a decision earned. Saying it twice is safe: a repeated key with the same value changes nothing.

    Args:
        exchange: With the service.
        experiment: The experiment's name.
        id: The decision's ``id``. None, the id of a fallback, sends nothing.
        value: The reward.
        key: Which of the decision's rewards this is.
        final: Whether no other will come, so that it is learnt now.
        amend: Whether it replaces another value of this key; that counts at the next refold.

    Returns:
        What became of it, None for a fallback.

    Raises:
        ValueError: The service refused, or what was given cannot be sent.
        ConnectionError: The service is away.
    """
    if id is None:
        return None
    where = path_to(experiment, "decisions", id, "rewards", key) + ("?amend=1" if amend else "")
    body = yield from exchange.insist("PUT", where, {"value": value, "final": final}, f"a reward of {id!r}")
    return decoded(body, Rewarded)


def reward_many(
    exchange: Exchange, experiment: str, rewards: Iterable[Mapping[str, Any]]
) -> Steps[list[Rewarded | RefusedError | None]]:
    """Say what several decisions earned, in one request of at most 1000.

    Args:
        exchange: With the service.
        experiment: The experiment's name.
        rewards: The arguments of ``reward`` for each, such as ``{"id": decision.id, "value": 1.0}``, without ``amend``.

    Returns:
        What became of each, in their order; where the service refused one, its ``RefusedError`` stands there and is not raised.

    Raises:
        ValueError: The service refused the whole, or what was given cannot be sent.
        ConnectionError: The service is away.
    """
    given = [_item(**reward) for reward in rewards]
    known = [item for item in given if item["decision_id"] is not None]
    where, what = f"{path_to(experiment)}/rewards:batch", f"rewards of {experiment!r}"
    answers: list[Any] = []
    for first in range(0, len(known), MOST_ITEMS):
        answers += yield from exchange.insist_on_all(where, "rewards", known[first : first + MOST_ITEMS], RewardedBatch, what)
    for answer in answers:
        if isinstance(answer, AwayError):
            raise answer
    each = iter(answer if isinstance(answer, RefusedError) else answer.reward for answer in answers)
    return [None if item["decision_id"] is None else next(each) for item in given]


def cancel(exchange: Exchange, experiment: str, id: str | None) -> Steps[Withdrawn | None]:
    """Withdraw a decision that was never shown.

    Args:
        exchange: With the service.
        experiment: The experiment's name.
        id: The decision's ``id``. None, the id of a fallback, sends nothing.

    Returns:
        That it is withdrawn, None for a fallback.

    Raises:
        ValueError: There is none, or it was learnt already.
        ConnectionError: The service is away.
    """
    if id is None:
        return None
    body = yield from exchange.insist("DELETE", path_to(experiment, "decisions", id), None, f"the withdrawal of {id!r}")
    return decoded(body, Withdrawn)


def _ask(
    *,
    context: Any = None,
    among: Iterable[str] | None = None,
    baseline: str | None = None,
    unit: str | None = None,
    id: str | None = None,
) -> dict[str, Any]:
    """The body of a request for a decision."""
    if isinstance(among, str):
        raise ValueError(f"among must be a list of arms, got the text {among!r:.80}")
    given = {
        "decision_id": secrets.token_hex(ID_BYTES) if id is None else id,
        "context": dict(context) if isinstance(context, Mapping) else context,
        "among": None if among is None else list(among),
        "baseline": baseline,
        "unit": unit,
    }
    return {name: value for name, value in given.items() if value is not None}


def _item(id: str | None, value: float, key: str = "reward", *, final: bool = False) -> dict[str, Any]:
    """A reward of a batch."""
    return {"decision_id": id, "value": value, "key": key, "final": final}


def _served(answer: Decided) -> ServedDecision:
    return ServedDecision(
        answer.decision_id, answer.arm, answer.cluster, answer.propensity, answer.mode, answer.explored, answer.expires_at
    )


def _fall_back(exchange: Exchange, where: str, given: dict[str, Any], fallback: str | None, away: AwayError) -> ServedDecision:
    """The fallback, or the error."""
    if fallback is None:
        raise away
    exchange.give_up(f"{where}/{given['decision_id']}")
    return ServedDecision(None, fallback, None, None, "fallback", False, None, str(away))
