"""Rows of the log, and decisions as they are stored."""

import json
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

from ..core.types import Decision
from .wire import Mode


class Kind(StrEnum):
    """What a log row says."""

    OUTCOME = "outcome"
    DEFAULT = "default"
    CANCEL = "cancel"
    AMEND = "amend"
    CHANGE = "change"
    REFOLD = "refold"


SETTLING = (Kind.OUTCOME, Kind.DEFAULT, Kind.CANCEL)
"""At most one of these a decision, which the database sees to."""

WITHDRAWN, EXPIRED = '"withdrawn"', '"expired"'
"""Why a decision was cancelled: it was never shown; or its wait was over and there is no default."""


class Made(msgspec.Struct, frozen=True):
    """A decision as it is stored.

    Args:
        arm: What was answered.
        cluster: The arm's cluster.
        context: In which context, as numbers.
        experts: Under a policy of policies, those that were followed.
        policy: Identity of the policy; empty if the arm was not the policy's.
        propensity: The probability of the answer.
        explored: Whether the arm was drawn.
        mode: live, control or shadow.
        greedy: The policy's choice.
        eligible: How many arms it had.
        seq: Of the latest log row it knew.
        epoch: Of that log row.
        revision: Of the configuration.
        waiting: How many decisions the process waited for.
        wait: Seconds until it expires, None for never.
    """

    arm: str
    cluster: str | None
    context: tuple[float, ...] | None
    experts: tuple[str, ...]
    policy: str
    propensity: float | None
    explored: bool
    mode: Mode
    greedy: str
    eligible: int
    seq: int
    epoch: int
    revision: int
    waiting: int
    wait: float | None

    def decision(self, identity: str) -> Decision:
        """What the policy learns from.

        Args:
            identity: Of the policy; decisions of another are somebody else's.

        Returns:
            The decision.
        """
        if self.policy != identity:
            return Decision(self.arm, self.cluster, self.context)
        return Decision(self.arm, self.cluster, self.context, self.experts, identity, None, self.explored)


_DECODER = msgspec.json.Decoder(Made)


def made_of(body: str) -> Made:
    """A stored decision.

    Args:
        body: Of its row.

    Returns:
        The decision.
    """
    return _DECODER.decode(body)


class Entry(NamedTuple):
    """A row of the log.

    Args:
        seq: Its number: 1, 2, 3 and so on without gaps.
        kind: What it says.
        decision: The decision it is about, if any.
        value: The reward, if any.
        body: More, as JSON.
        made: The decision, of rows that settle one.
    """

    seq: int
    kind: str
    decision: str | None
    value: float | None
    body: str | None
    made: Made | None

    @property
    def said(self) -> Any:
        """The body, read."""
        return None if self.body is None else json.loads(self.body)
