"""Exploration by chance: a share of the decisions is drawn uniformly, so that a log of them can be judged later."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.draws import KEYS, uniform
from ..core.types import Integers

WHETHER, WHICH = -1, -2
"""Places of the two draws: whether to explore, and which arm. Rules draw at places from 0 on."""

STRIDE = 0x9E3779B97F4A7C15
"""What sets the keys of the places of a ranking, or of the rows of a batch, apart."""


class Drawn(NamedTuple):
    """What became of a choice.

    Args:
        arm: The arm to play.
        propensity: The probability with which it was chosen; None if the policy draws in a way that has no simple one.
        explored: Whether the arm was drawn.
    """

    arm: Any
    propensity: float | None
    explored: bool


def checked_share(explore: Any) -> float:
    """A share of decisions, or an error that names it.

    Args:
        explore: What the user gave.

    Returns:
        A number from 0 to 1.

    Raises:
        ValueError: It is none.
    """
    if isinstance(explore, bool) or not isinstance(explore, int | float) or not 0.0 <= explore <= 1.0:
        raise ValueError(f"explore must be a share of the decisions, from 0 to 1 such as 0.02, got {explore!r}")
    return float(explore)


def explore(chosen: Any, eligible: Sequence[Any] | Integers, share: float, key: int, sure: bool) -> Drawn:
    """Replace a choice, with a probability of ``share``, by a uniform draw among all that may be chosen.

    Args:
        chosen: What the policy would play.
        eligible: What it may play, the choice included.
        share: The probability of a draw.
        key: Where the draw comes from.
        sure: Whether the choice itself was certain.

    Returns:
        What is played.
    """
    explored = uniform(key, WHETHER) < share
    played = eligible[int(uniform(key, WHICH) * len(eligible))] if explored else chosen
    propensity = share / len(eligible) + (1.0 - share) * (played == chosen)
    return Drawn(played, propensity if sure else None, explored)


def key_at(key: int, place: int) -> int:
    """The key of one place in a ranking, or of one row of a batch; the first has the key itself.

    Args:
        key: Where draws come from, -1 for none.
        place: From 0 on.

    Returns:
        A key, or -1.
    """
    return key if key < 0 else (key + place * STRIDE) % KEYS


def checked_count(count: Any, name: str = "n") -> int:
    """A whole number above 0, or an error that names it.

    Args:
        count: What the user gave.
        name: What it is called, for the message.

    Returns:
        The number.

    Raises:
        ValueError: It is none.
    """
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {count!r}")
    return int(count)
