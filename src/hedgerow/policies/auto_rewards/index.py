"""How good an arm may be: a price that its expected gain pays for.

To learn an arm takes about v / V plays (v its noise, V the variance of what is known of it), each of which costs b - E = z sd if b is
what the best other arm pays. What it may bring, if an explanation of chance p is true, is p E(theta - b)+ = p sd psi(z) a round,
over ``horizon`` t rounds. The bound E + z sd is the price b at which both are equal:

    x psi(z) = z,   x = p horizon t V / v,   psi(z) = phi(z) - z Phi(-z)

That is a one-step Gittins index. For x = 100, 1e4, 1e6 z^2 / 2 is 1.5, 4.7, 8.5. Where the noise is estimated, z is that of a Student
t of equal density: z^2 -> f (exp(z^2 / (f + 1)) - 1).
"""

import math
from typing import Any

import numpy as np

from ...core.kernel import compiled
from ...core.types import Floats
from .settings import SETTINGS
from .state import EXPLANATIONS

STEP, STEPS, FARTHEST = 0.05, 500, 12.0
"""The table: z^2 / 2 at log(1 + x) = 0, STEP, 2 STEP ...; beyond its end it goes on in a line. No z is larger there."""

MOST_WIDE = 50.0
"""Logarithm of the widest Student t, in its scales."""


def _levels() -> Floats:
    z = np.linspace(0.0, FARTHEST, 4001)
    tail = np.array([0.5 * math.erfc(each / math.sqrt(2.0)) for each in z])
    psi = np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi) - z * tail
    return np.interp(STEP * np.arange(STEPS + 1), np.log1p(z / psi), 0.5 * z * z)


LEVELS = _levels()


@compiled
def level_of(x: float) -> float:
    """z^2 / 2 for which x psi(z) = z."""
    place = math.log1p(x) / STEP
    at = max(0, min(int(min(place, float(STEPS))), STEPS - 1))
    level: float = LEVELS[at] + (place - at) * (LEVELS[at + 1] - LEVELS[at])
    return level


@compiled
def expected_reward(arm: Any) -> float:
    """Posterior mean of an arm."""
    mean = 0.0
    for j in range(EXPLANATIONS):
        mean += arm.chance[j] * (
            arm.average + arm.noise / (arm.noise + arm.plays * arm.spread[j]) * (arm.expected[j] - arm.average)
        )
    return mean


@compiled
def bound(arm: Any, rounds: float, waits: float) -> float:
    """The highest bound over all explanations; a decision that waits counts as a play with the reward that is expected."""
    highest, freedom = -math.inf, arm.freedom + SETTINGS.freedom
    mean = expected_reward(arm) if waits > 0.0 else 0.0
    for j in range(EXPLANATIONS):
        if arm.chance[j] == 0.0:
            continue
        kept = arm.noise / (arm.noise + arm.plays * arm.spread[j])
        expected, variance = arm.average + kept * (arm.expected[j] - arm.average), kept * arm.spread[j]
        if waits > 0.0:
            kept = arm.noise / (arm.noise + waits * variance)
            expected, variance = mean + kept * (expected - mean), kept * variance
        level = level_of(arm.chance[j] * SETTINGS.horizon * rounds * variance / arm.noise)
        wide = freedom * math.expm1(min(2.0 * level / (freedom + 1.0), MOST_WIDE))
        highest = max(highest, expected + math.sqrt(variance * wide))
    return highest
