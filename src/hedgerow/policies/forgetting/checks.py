"""Which rules and histories go with a half-life: errors with the value and the way out."""

from typing import Any

from ...data.history import History
from ..registry import Rule
from .half_life import HalfLife


def forgetful(rule: Rule, half_life: Any, name: str) -> None:
    """Refuse a half-life for a rule that cannot forget.

    Args:
        rule: How the policy chooses.
        half_life: What the user gave.
        name: What the policy is called, for messages.

    Raises:
        ValueError: The rule cannot forget.
    """
    if half_life is not None and not rule.kind.forgets:
        raise ValueError(
            f"{name} cannot forget: its prices depend on the order of rounds, which no sums tell; "
            'leave half_life out and give its experts one, or choose by rule="ucb"'
        )


def epoch_of(history: History | None, half_life: HalfLife | None, name: str) -> int | None:
    """The epoch of a history, for a policy with a half-life.

    Args:
        history: The history.
        half_life: That of the policy.
        name: What the policy is called, for messages.

    Returns:
        Its epoch; None if the history is as old as the policy's first round.

    Raises:
        ValueError: The half-life is a time, and nobody knows how old the history is.
    """
    if history is None or half_life is None or not half_life.seconds or not history.arms:
        return None
    if history.newest is None:
        raise ValueError(
            f"{name} forgets by time and cannot tell how old the history is: make it with time=, the column of its times"
        )
    return half_life.epoch(history.newest)
