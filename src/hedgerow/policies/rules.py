"""One function per index. A rule scores a node; the tree plays the best.

Every index over reward sums has the same arguments:

    online, past, pending   the rows of all nodes (statistics.py), and the node's number
    rounds                  t, one more than the online rounds learnt from and waited for
    ledger                  the rule's own numbers, the scale of its bonus first
    key                     where draws come from (randomness.py)

An index over ridge statistics gets the node's mean theta'x and spread x' A^-1 x instead of the rows.
To add a rule: write its index, add a line to ``score`` or ``ridge_score``, and a constructor to ``RULES``.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core.draws import normal
from ..core.kernel import compiled
from ..core.sums import PLAYS, TOTAL, reward_moments, waiting
from ..core.types import Floats

UCB, UCBV, KLUCB, MINUCB, THOMPSON, D3RB, BAST, HIERUCB = range(8)
LINUCB, LINTS, HIERLINUCB = range(100, 103)

SCALE, NEXT, OWN = 0, 1, 2
"""The ledger of a rule over rewards: the scale in use, the round at which it is estimated anew, the rule's own parameters."""

NEVER = 1e300
"""A round that does not come: a scale that was given is not estimated."""


@compiled
def ucb_level(rounds: float, history: float) -> float:
    """2 log(t + H)."""
    return 2.0 * math.log(rounds + history)


@compiled
def ucb_value(mean: float, plays: float, level: float, scale: float) -> float:
    """mean + scale sqrt(2 log(t + H) / (n + H)), eqs. (3) and (5); a node without data comes first."""
    if plays == 0.0:
        return math.inf
    return mean + scale * math.sqrt(level / plays)


@compiled
def known_mean(online: Floats, past: Floats, node: int) -> float:
    """The node's mean; while all its rewards are still to come, that of all nodes."""
    plays = online[node, PLAYS] + past[node, PLAYS]
    if plays > 0.0:
        mean: float = (past[node, TOTAL] + online[node, TOTAL]) / plays
        return mean
    everything: float = online[0, PLAYS] + past[0, PLAYS]
    return 0.0 if everything == 0.0 else (past[0, TOTAL] + online[0, TOTAL]) / everything


@compiled
def ucb_index(online: Floats, past: Floats, pending: Floats, node: int, rounds: float, ledger: Floats, key: int) -> float:
    """The paper's index; a decision that waits for its reward counts in n, not in the mean."""
    history = past[node, PLAYS]
    plays = online[node, PLAYS] + waiting(pending, node) + history
    return ucb_value(known_mean(online, past, node), plays, ucb_level(rounds, history), ledger[SCALE])


@compiled
def ucbv_index(online: Floats, past: Floats, pending: Floats, node: int, rounds: float, ledger: Floats, key: int) -> float:
    """mean + sqrt(2 V L / N) + 3 b L / N, with L = log(t + H), V the variance of the rewards and b their range (UCB-V).

    While all of a node's rewards are still to come, V is the variance of all.
    """
    history = past[node, PLAYS]
    plays = online[node, PLAYS] + history + waiting(pending, node)
    if plays == 0.0:
        return math.inf
    known = node if online[node, PLAYS] + past[node, PLAYS] > 0.0 else 0
    variance = reward_moments(online, past, known)[1] if online[known, PLAYS] + past[known, PLAYS] > 0.0 else 0.0
    level = math.log(rounds + history) / plays
    index: float = known_mean(online, past, node) + math.sqrt(2.0 * max(variance, 0.0) * level) + 3.0 * ledger[OWN] * level
    return index


@compiled
def bernoulli_divergence(p: float, q: float) -> float:
    """Relative entropy of coins that show heads with probability p and q."""
    p, q = min(max(p, 1e-15), 1.0 - 1e-15), min(max(q, 1e-15), 1.0 - 1e-15)
    return p * math.log(p / q) + (1.0 - p) * math.log((1.0 - p) / (1.0 - q))


@compiled
def klucb_index(online: Floats, past: Floats, pending: Floats, node: int, rounds: float, ledger: Floats, key: int) -> float:
    """The largest q with N kl(mean, q) <= log(t + H), for rewards in [0, 1] (KL-UCB)."""
    history = past[node, PLAYS]
    plays = online[node, PLAYS] + history + waiting(pending, node)
    if plays == 0.0:
        return math.inf
    mean = min(max(known_mean(online, past, node), 0.0), 1.0)
    level = math.log(rounds + history) / plays
    low, high = mean, min(1.0, mean + math.sqrt(0.5 * level))  # Pinsker: kl(p, q) >= 2 (p - q)^2
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        if bernoulli_divergence(mean, middle) > level:
            high = middle
        else:
            low = middle
    return high


@compiled
def minucb_index(online: Floats, past: Floats, pending: Floats, node: int, rounds: float, ledger: Floats, key: int) -> float:
    """min(online mean + rad(n), pooled mean + rad(N) + H / N bias): MIN-UCB of Cheung and Lyu (2024)."""
    plays, history = online[node, PLAYS], past[node, PLAYS]
    awaited = plays + waiting(pending, node)
    fresh = math.inf
    if awaited > 0.0:
        mean = online[node, TOTAL] / plays if plays > 0.0 else known_mean(online, past, node)
        fresh = ucb_value(mean, awaited, ucb_level(rounds, 0.0), ledger[SCALE])
    if history == 0.0:
        return fresh
    pooled = ucb_value(known_mean(online, past, node), awaited + history, ucb_level(rounds, history), ledger[SCALE])
    biased: float = pooled + ledger[OWN] * history / (awaited + history)
    return min(fresh, biased)


@compiled
def thompson_index(online: Floats, past: Floats, pending: Floats, node: int, rounds: float, ledger: Floats, key: int) -> float:
    """A draw of the mean, which is normal with standard deviation scale / sqrt(N) (Carlsson et al., 2021, at every level)."""
    plays = online[node, PLAYS] + past[node, PLAYS] + waiting(pending, node)
    if plays == 0.0:
        return math.inf
    drawn: float = known_mean(online, past, node) + ledger[SCALE] * normal(key, node) / math.sqrt(plays)
    return drawn


@compiled
def score(rule: int, online: Floats, past: Floats, pending: Floats, node: int, rounds: float, ledger: Floats, key: int) -> float:
    """The index of a rule over reward sums by its number.

    A chain of direct calls, since Numba can pass a function from Python only at 40 us a call.
    """
    if rule in (UCB, BAST):
        return ucb_index(online, past, pending, node, rounds, ledger, key)
    if rule == UCBV:
        return ucbv_index(online, past, pending, node, rounds, ledger, key)
    if rule == KLUCB:
        return klucb_index(online, past, pending, node, rounds, ledger, key)
    if rule == MINUCB:
        return minucb_index(online, past, pending, node, rounds, ledger, key)
    return thompson_index(online, past, pending, node, rounds, ledger, key)


@compiled
def ridge_score(rule: int, mean: float, spread: float, node: int, ledger: Floats, key: int) -> float:
    """theta'x + alpha sqrt(x' A^-1 x), equations HLINUCBCcl and HLINUCBCarm; Thompson's draw multiplies the bonus."""
    bonus: float = ledger[SCALE] * math.sqrt(spread)
    if rule == LINTS:
        return mean + bonus * normal(key, node)
    return mean + bonus


class Rule(NamedTuple):
    """How a node is scored: made by the functions in :data:`RULES`."""

    name: str
    number: int
    parameters: tuple[float | str | bool, ...]
    """What its constructor was given."""
    scale: float | str = 1.0
    own: tuple[float, ...] = ()
    walk: str = "rewards"
    """How the tree is walked: a module of hedgerow.walks."""
    contextual: bool = False
    tournament: bool = False
    """Whether the index is mean + scale sqrt(2 log(t + H) / (n + H)), as tournament.py takes it to be."""
    unit: bool = False
    """Whether rewards must lie between 0 and 1."""
    draws: bool = False
    """Whether choosing draws, from the caller's generator or else from the count of rounds."""

    def ledger(self) -> Floats:
        """The rule's numbers as its index takes them; an automatic scale is estimated when the policy is made."""
        first = (1.0, 0.0) if isinstance(self.scale, str) else (self.scale, NEVER)
        return np.array([*first, *self.own])


def ucb(scale: float | str = 1.0) -> Rule:
    """The paper's optimistic index; ``scale`` multiplies the bonus, which suits noise of standard deviation 1 as it is."""
    scale = _scale(scale)
    return Rule("ucb", UCB, (scale,), scale, tournament=True)


def ucbv(reward_range: float = 1.0) -> Rule:
    """UCB-V: the bonus follows each arm's own variance; ``reward_range`` is largest less least reward that can be."""
    reward_range = _number("reward_range", reward_range)
    return Rule("ucbv", UCBV, (reward_range,), own=(reward_range,))


def klucb() -> Rule:
    """KL-UCB for rewards in [0, 1], sharp for 0/1 ones."""
    return Rule("klucb", KLUCB, (), unit=True)


def minucb(bias: float, scale: float | str = 1.0) -> Rule:
    """MIN-UCB: history counts as far as its mean may be off by at most ``bias``."""
    bias, scale = _number("bias", bias), _scale(scale)
    return Rule("minucb", MINUCB, (bias, scale), scale, (bias,))


def thompson(scale: float | str = "auto") -> Rule:
    """Thompson sampling with normal draws; ``scale`` is the standard deviation of a reward."""
    scale = _scale(scale)
    return Rule("thompson", THOMPSON, (scale,), scale, draws=True)


def bast(diameter: float, scale: float | str = 1.0) -> Rule:
    """BAST: a cluster's bound is the least of its arms' best bound and its own plus ``diameter``."""
    diameter, scale = min(_number("diameter", diameter, largest=math.inf), 1e100), _scale(scale)
    return Rule("bast", BAST, (diameter, scale), scale, (diameter,))


def d3rb(scale: float | str = "auto") -> Rule:
    """D3RB for choosing among experts: doubles an expert's price when its rewards fall short; ``scale`` as the noise."""
    scale = _scale(scale)
    return Rule("d3rb", D3RB, (scale,), scale)


def linucb(alpha: float = 1.0) -> Rule:
    """Ridge regression with a bonus of ``alpha`` standard errors."""
    alpha = _number("alpha", alpha)
    return Rule("linucb", LINUCB, (alpha,), alpha, walk="ridge", contextual=True)


def lints(alpha: float = 1.0) -> Rule:
    """Thompson sampling over ridge regressions, ``alpha`` standard errors wide."""
    alpha = _number("alpha", alpha)
    return Rule("lints", LINTS, (alpha,), alpha, walk="ridge", contextual=True, draws=True)


def hierucb() -> Rule:
    """Hierarchical model of rewards with estimated spreads and noise, by bounds."""
    return Rule("hierucb", HIERUCB, (), walk="hierarchy")


def hierlinucb(weights: str | bool = "auto") -> Rule:
    """Hierarchical linear model with estimated spreads and noise; ``weights="auto"``: rounds may weigh by how noisy they are."""
    if weights not in ("auto", False) or not isinstance(weights, str | bool):
        raise ValueError(f'weights must be "auto" or False, got {weights!r}')
    return Rule("hierlinucb", HIERLINUCB, (weights,), walk="linear", contextual=True)


def _scale(value: float | str) -> float | str:
    return "auto" if isinstance(value, str) and value == "auto" else _number("scale", value, hint=' or "auto"')


def _number(name: str, value: Any, *, largest: float = 1e100, hint: str = "") -> float:
    if isinstance(value, np.integer | np.floating):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= largest:
        raise ValueError(f"{name} must be a number of at least 0{hint}, got {value!r}")
    return float(value)


RULES: dict[str, Callable[..., Rule]] = {
    rule.__name__: rule for rule in (ucb, ucbv, klucb, minucb, thompson, bast, d3rb, linucb, lints, hierucb, hierlinucb)
}
"""The rules by name."""
