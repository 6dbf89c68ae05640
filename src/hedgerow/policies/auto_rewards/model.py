"""What is estimated of all arms together: the noise, the mean and variance of the arms, how far they moved since their history.

rewards    r ~ N(theta_k, v_k), v_k ~ scaled inverse chi square: ``freedom`` degrees around the typical variance.
           Of two values: theta_k = asin sqrt(rate), whose noise 1/4 is known.
arms       theta_k ~ N(level, A), by maximum likelihood
history    mean of H rewards ~ N(theta_k, d^2 + v_k / H): H plays count as E[H / (1 + H d^2 / v_k)]
"""

import math
from typing import Any

import numpy as np

from ...core.kernel import compiled
from ...core.noise import arm_noise, counted, freedom_of, only_values, shrunken, total_noise
from ...core.records import record
from ...core.sums import PLAYS, SQUARES, TOTAL
from ...core.tree import SIZE
from ...core.types import Floats, Links
from .settings import MOVED, SETTINGS
from .state import ARM, ARM_SIZE

COIN_NOISE, KNOWN = 0.25, 1e9
"""Noise variance of 0/1 rewards as arcsines, and degrees of freedom that stand for a noise that is known."""

EQUAL = 1e-280
"""A variance of all rewards below which they are equal, as far as double precision can tell."""

EM_STEPS = 10
"""Of expectation and maximisation: the variance of the arms then changes by less than chance does."""

LEAST_VARIANCE = 1e-4
"""Of the arms, as a part of the variance of all rewards: arms are never quite equal."""


@compiled
def sums_of(online: Floats, history: Floats, node: int) -> tuple[float, float, float]:
    """Plays, total and squares of a node, its history included."""
    return (
        online[node, PLAYS] + history[node, PLAYS],
        online[node, TOTAL] + history[node, TOTAL],
        online[node, SQUARES] + history[node, SQUARES],
    )


@compiled
def find_two_values(tree: Links, online: Floats, history: Floats, own: Any) -> None:
    """Whether all rewards, the history's too, take two values only.

    While the online rewards are all equal, the other value is found from the sums of the history.
    """
    plays, total, squares = sums_of(online, history, 0)
    low, high = own.least, own.largest
    if low == high and total != plays * low:
        other = low + (squares - 2.0 * low * total + plays * low * low) / (total - plays * low)
        low, high = min(low, other), max(low, other)
    own.two_valued, own.low, own.high = 1.0 if low < high else 0.0, low, high
    node, arms, rates = 1, 0.0, 0.0
    while own.two_valued == 1.0 and node < len(tree):
        plays, total, squares = sums_of(online, history, node)
        if tree[node, SIZE] == 0 and plays > 0.0:
            arms += 1.0
            rates += min(max((total / plays - low) / (high - low), 0.0), 1.0)
            if not only_values(plays, total, squares, low, high):
                own.two_valued = 0.0
        node += 1
    own.rate = rates / arms if own.two_valued == 1.0 else 0.0


@compiled
def arcsine(plays: float, mean: float, own: Any) -> float:
    """asin sqrt(rate), with some hits and misses added, and half a play of the typical arm."""
    hits = plays * min(max((mean - own.low) / (own.high - own.low), 0.0), 1.0)
    return math.asin(math.sqrt((hits + 0.5 * own.rate + SETTINGS.hits) / (plays + 0.5 + 2.0 * SETTINGS.hits)))


@compiled
def pool(online: Floats, history: Floats, node: int, arm: Any, own: Any) -> None:
    """Plays, average and squared deviations of an arm: of its rounds, and of its history as far as it is trusted."""
    plays, mean, deviations = arm_noise(online, history, node, arm.trust)
    now, then = online[node, PLAYS], arm.trust * history[node, PLAYS]
    arm.plays, arm.average, arm.deviations, arm.freedom = plays, mean, deviations, freedom_of(plays, deviations)
    if plays > 0.0 and own.two_valued == 1.0:
        arm.average = arcsine(plays, mean, own)
        arm.deviations, arm.freedom = COIN_NOISE * KNOWN, KNOWN
    elif own.moved == 1.0 and now > 0.0 and then > 0.0:  # what sets the two apart is not noise
        apart = online[node, TOTAL] / now - history[node, TOTAL] / history[node, PLAYS]
        arm.deviations = max(deviations - now * then / plays * apart * apart, 0.0)
        arm.freedom = max(now - 1.0, 0.0) + arm.trust * max(history[node, PLAYS] - 1.0, 0.0)


@compiled
def estimate_noise(arm: Any, own: Any) -> None:
    """Posterior noise variance of an arm."""
    arm.noise = shrunken(arm.deviations, arm.freedom, own.typical, SETTINGS.freedom)


@compiled
def estimate_typical_noise(tree: Links, rows: Floats, own: Any) -> float:
    """Typical noise of the arms, the variance of all rewards being one more arm; that variance, and the mean of the averages."""
    plays, total, played, own.level = 0.0, 0.0, 0.0, 0.0
    for node in range(1, len(tree)):
        arm = record(rows[node, :ARM_SIZE], ARM)
        if tree[node, SIZE] == 0 and arm.plays > 0.0:
            plays += arm.plays
            total += arm.plays * arm.average
            played += 1.0
            own.level += (arm.average - own.level) / played
    squares, variances, weights = 0.0, 0.0, 0.0
    for node in range(1, len(tree)):
        arm = record(rows[node, :ARM_SIZE], ARM)
        if tree[node, SIZE] == 0 and arm.plays > 0.0:
            variance, weight = counted(arm.deviations, arm.freedom)
            variances += weight * variance
            weights += weight
            squares += min(arm.freedom, arm.plays) * variance + arm.plays * (arm.average - total / plays) ** 2
    everything: float = squares / max(plays - 1.0, 1.0)
    own.typical = (variances + everything) / (weights + 1.0)
    return everything


@compiled
def estimate_arms(tree: Links, rows: Floats, own: Any, everything: float) -> None:
    """Level and variance of the arms by expectation and maximisation; the variance of all rewards is one more arm."""
    played, moment = 0.0, everything
    for node in range(1, len(tree)):
        if tree[node, SIZE] == 0:
            arm = record(rows[node, :ARM_SIZE], ARM)
            estimate_noise(arm, own)
            if arm.plays > 0.0:
                played += 1.0
                moment += (arm.average - own.level) ** 2
    own.variance = max(moment / played, LEAST_VARIANCE * everything)
    for _ in range(EM_STEPS):
        weights, total, squares, cross, left = 0.0, 0.0, 0.0, 0.0, everything
        for node in range(1, len(tree)):
            arm = record(rows[node, :ARM_SIZE], ARM)
            if tree[node, SIZE] == 0 and arm.plays > 0.0:
                kept = own.variance * arm.plays / (own.variance * arm.plays + arm.noise)
                off = arm.average - own.level
                weights += kept
                total += kept * off
                squares += kept * kept
                cross += kept * kept * off
                left += kept * kept * off * off + (1.0 - kept) * own.variance
        shift = total / weights
        own.level += shift
        own.variance = max((left + shift * (shift * squares - 2.0 * cross)) / played, LEAST_VARIANCE * everything)


@compiled
def estimate_rewards(tree: Links, online: Floats, history: Floats, rows: Floats, own: Any) -> None:
    """All of this, history as far as it is trusted."""
    for node in range(1, len(tree)):
        if tree[node, SIZE] == 0:
            pool(online, history, node, record(rows[node, :ARM_SIZE], ARM), own)
    estimate_arms(tree, rows, own, estimate_typical_noise(tree, rows, own))


@compiled
def chances_of_drift(tree: Links, online: Floats, history: Floats, rows: Floats, own: Any, chances: Floats) -> None:
    """Posterior of d^2: averages then and now differ by a Student t of variance d^2 + v / H + v / n."""
    chances[:] = math.log((1.0 - SETTINGS.holds) / (MOVED.size - 1))
    chances[0] = math.log(SETTINGS.holds)
    for node in range(1, len(tree)):
        now, then = online[node, PLAYS], history[node, PLAYS]
        if tree[node, SIZE] == 0 and now > 0.0 and then > 0.0:
            arm = record(rows[node, :ARM_SIZE], ARM)
            one, other = online[node, TOTAL] / now, history[node, TOTAL] / then
            if own.two_valued == 1.0:
                one, other = arcsine(now, one, own), arcsine(then, other, own)
            freedom = arm.freedom + SETTINGS.freedom
            for step in range(MOVED.size):
                variance = MOVED[step] * own.variance + arm.noise * (1.0 / now + 1.0 / then)
                unlikely = (freedom + 1.0) * math.log1p((one - other) ** 2 / (freedom * variance))
                chances[step] -= 0.5 * (math.log(variance / own.typical) + unlikely)
    chances[:] = np.exp(chances - chances.max())
    chances[:] = chances / chances.sum()


@compiled
def trust_of(plays: float, noise: float, variance: float, chances: Floats) -> float:
    """Plays that a play of an arm's history counts as: H plays that are off by d^2 are worth H / (1 + H d^2 / v)."""
    found: float = (chances / (1.0 + plays * MOVED * variance / noise)).sum()
    return min(found, 1.0)


@compiled
def estimate(tree: Links, online: Floats, history: Floats, rows: Floats, own: Any) -> None:
    """The model from the sums; without a unit, while all rewards are equal."""
    own.ready, own.moved, own.drift = 0.0, 0.0, 0.0
    if total_noise(online, history) <= EQUAL:
        return
    find_two_values(tree, online, history, own)
    for node in range(1, len(tree)):
        record(rows[node, :ARM_SIZE], ARM).trust = 1.0
    estimate_rewards(tree, online, history, rows, own)
    own.ready = 1.0
    if history[0, PLAYS] > 0.0:
        chances = np.zeros(MOVED.size)
        chances_of_drift(tree, online, history, rows, own, chances)
        if chances[0] < 0.5:
            own.moved, own.drift = 1.0, (chances * MOVED).sum() * own.variance
        for node in range(1, len(tree)):
            if tree[node, SIZE] == 0:
                arm = record(rows[node, :ARM_SIZE], ARM)
                arm.trust = trust_of(history[node, PLAYS], arm.noise, own.variance, chances)
        estimate_rewards(tree, online, history, rows, own)
