"""How good an arm may be: a price that its expected gain pays for.

An explanation of chance p says of the arm N(E, V), sd = sqrt(V). v is the noise of its rewards; M is what it is expected to pay,
all explanations together. To learn the arm takes about v / V plays. Each costs b - M if b is what the best other arm pays. If the
explanation is true, the arm may bring E(theta - b)+ = sd psi((b - E) / sd) a round, over ``horizon`` t rounds to come. The bound
b = E + z sd is the price at which gain and cost are equal:

    x psi(z) = z + a,   x = p horizon t V / v,   a = (E - M) / sd,   psi(z) = phi(z) - z Phi(-z)

That is a one-step Gittins index. For a = 0 and x = 100, 1e4, 1e6 z^2 / 2 is 1.5, 4.7, 8.5.
"""

import math
from typing import Any

import numpy as np

from ...core.kernel import compiled
from ...core.types import Floats
from .settings import SETTINGS
from .state import EXPLANATIONS

STEP, STEPS, FARTHEST = 0.05, 500, 12.0
"""The table for a = 0: z^2 / 2 at log(1 + x) = 0, STEP, 2 STEP ...; beyond its end it goes on in a line. No z is larger there."""

NEWTON = 4
"""Steps from the table's z to that of another a: from the second one on they come from below."""

NEAR = 1e-3
"""A step after which the next would be too small to matter: each squares the error."""


def _levels() -> Floats:
    z = np.linspace(0.0, FARTHEST, 4001)
    tail = np.array([0.5 * math.erfc(each / math.sqrt(2.0)) for each in z])
    psi = np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi) - z * tail
    found: Floats = np.interp(STEP * np.arange(STEPS + 1), np.log1p(z / psi), 0.5 * z * z)
    return found


LEVELS = _levels()
ROOT_TWO, ROOT_TWO_PI = math.sqrt(2.0), math.sqrt(2.0 * math.pi)


@compiled
def level_of(x: float) -> float:
    """z^2 / 2 for which x psi(z) = z."""
    place = math.log1p(x) / STEP
    at = max(0, min(int(min(place, float(STEPS))), STEPS - 1))
    level: float = LEVELS[at] + (place - at) * (LEVELS[at + 1] - LEVELS[at])
    return level


@compiled
def standing(x: float, ahead: float) -> float:
    """The z for which x psi(z) = z + a.

    Args:
        x: Plays that the gain pays for, at a cost of one standard deviation and a gain of one.
        ahead: a: how far the explanation's mean is above what the arm is expected to pay, in standard deviations.

    Returns:
        z: how far the bound is above the explanation's mean, in standard deviations.
    """
    z = math.sqrt(2.0 * level_of(x))
    for _ in range(NEWTON):
        tail = 0.5 * math.erfc(z / ROOT_TWO)
        psi = math.exp(-0.5 * z * z) / ROOT_TWO_PI - z * tail
        step = (x * psi - z - ahead) / (x * tail + 1.0)
        z += step
        if abs(step) < NEAR:
            break
    return z


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
def bound(arm: Any, rounds: float, waits: float) -> tuple[float, int]:
    """The highest bound over all explanations, and which of them has it.

    A decision that waits counts as a play with the reward that is expected.

    Args:
        arm: Record of the arm.
        rounds: Rounds so far, those that wait included.
        waits: Decisions for the arm that wait for their reward.

    Returns:
        The bound, and the position of its explanation.
    """
    highest, carrier, mean = -math.inf, 0, expected_reward(arm)
    for j in range(EXPLANATIONS - 1, -1, -1):
        if arm.chance[j] == 0.0:
            continue
        kept = arm.noise / (arm.noise + arm.plays * arm.spread[j])
        expected, variance = arm.average + kept * (arm.expected[j] - arm.average), kept * arm.spread[j]
        if waits > 0.0:
            kept = arm.noise / (arm.noise + waits * variance)
            expected, variance = mean + kept * (expected - mean), kept * variance
        deviation = math.sqrt(variance)
        x = arm.chance[j] * SETTINGS.horizon * rounds * variance / arm.noise
        if max(expected, mean) + math.sqrt(2.0 * level_of(x)) * deviation <= highest:  # no a gives a higher bound
            continue
        value = expected + standing(x, (expected - mean) / deviation) * deviation
        if value > highest:
            highest, carrier = value, j
    return highest, carrier
