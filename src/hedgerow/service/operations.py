"""What the writer's queue holds: a decision, a reward, a withdrawal, or a job of its own."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .entries import Made
from .journal import Give
from .store import Store


@dataclass(slots=True)
class Operation:
    """Something to be written.

    Args:
        experiment: Its name.
        answer: Where the answer goes.
    """

    experiment: str
    answer: "asyncio.Future[Any]"


@dataclass(slots=True)
class Deciding(Operation):
    """A decision to be stored; the answer is a ``Stored``, or a Problem where its id has another request.

    Args:
        id: Of the decision.
        request: Canonical JSON of what was asked.
        made: What was chosen.
        expected: Whether it was counted as waiting for this operation.
    """

    id: str
    request: str
    made: Made
    expected: bool


@dataclass(slots=True)
class Giving(Operation):
    """A reward to be stored; the answer is a ``Result`` and the seq.

    Args:
        give: The reward.
    """

    give: Give


@dataclass(slots=True)
class Withdrawing(Operation):
    """A decision that was never shown; the answer is what ``withdraw`` says of it, and the seq.

    Args:
        id: Of the decision.
    """

    id: str


@dataclass(slots=True)
class Job(Operation):
    """A change of an experiment, in a transaction of its own; the answer is what it returns.

    Args:
        work: What is done in the transaction.
    """

    work: Callable[[Store], Any]
