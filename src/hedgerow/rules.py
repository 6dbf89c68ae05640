"""One function per index. A rule scores a node; the tree plays the best.

Every index has the same arguments, all numbers:

    mean, spread     of the node: see ``statistics.reward_estimate`` and ``statistics.ridge_estimate``
    pulls, history   online plays n and historical plays H of the node
    rounds           t, one more than the online rounds learnt from
    parameters       the rule's own, as an array

To add a rule: write its index, add a line to ``score``, and a constructor to ``RULES``.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .kernel import compiled
from .types import Floats

UCB, LINUCB = 0, 1


@compiled
def ucb_index(mean: float, spread: float, pulls: float, history: float, rounds: float, parameters: Floats) -> float:
    """mean + scale sqrt(2 log(t + H) / (n + H)), eqs. (3) and (5); a node without data comes first."""
    if pulls + history == 0.0:
        return math.inf
    bonus: float = parameters[0] * math.sqrt(2.0 * math.log(rounds + history) / (pulls + history))
    return mean + bonus


@compiled
def linucb_index(mean: float, spread: float, pulls: float, history: float, rounds: float, parameters: Floats) -> float:
    """theta'x + alpha sqrt(x' A^-1 x), equations HLINUCBCcl and HLINUCBCarm."""
    bonus: float = parameters[0] * math.sqrt(spread)
    return mean + bonus


@compiled
def score(rule: int, mean: float, spread: float, pulls: float, history: float, rounds: float, parameters: Floats) -> float:
    """The index of a rule by its number.

    A chain of direct calls, since Numba can pass a function from Python only at 40 us a call.
    """
    if rule == UCB:
        return ucb_index(mean, spread, pulls, history, rounds, parameters)
    return linucb_index(mean, spread, pulls, history, rounds, parameters)


class Rule(NamedTuple):
    """How a node is scored: made by the functions in :data:`RULES`."""

    name: str
    number: int
    parameters: tuple[float, ...]
    contextual: bool
    tournament: bool
    """Whether the index is mean + scale sqrt(2 log(t + H) / (n + H)), as tournament.py takes it to be."""


def ucb(scale: float = 1.0) -> Rule:
    """The paper's optimistic index; ``scale`` multiplies the bonus, which suits rewards in [0, 1] as it is."""
    return Rule("ucb", UCB, (_parameter("scale", scale),), contextual=False, tournament=True)


def linucb(alpha: float = 1.0) -> Rule:
    """Ridge regression with a bonus of ``alpha`` standard errors."""
    return Rule("linucb", LINUCB, (_parameter("alpha", alpha),), contextual=True, tournament=False)


def _parameter(name: str, value: float) -> float:
    if isinstance(value, np.integer | np.floating):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value < 1e100:
        raise ValueError(f"{name} must be a number of at least 0, got {value!r}")
    return float(value)


RULES: dict[str, Callable[..., Rule]] = {"ucb": ucb, "linucb": linucb}
