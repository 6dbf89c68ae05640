"""Noise of the rewards. D is the mean of the best arm less the mean of all arms, before units.

    bernoulli .35   0 or 1
    gaussian  .15   normal, sd = D logU(.1, 20)
    uniform   .10   on 0..2 mean
    growing   .08   normal, sd = mean logU(.1, 3)
    arm_sd    .10   normal, sd of arm k = D logU(.1, 10) exp(N(0, s^2)), s ~ U(.3, 1.5)
    heavy     .10   half: mean times lognormal of log-sd U(.5, 2); half: D logU(.1, 5) times Student t, U(2.1, 4) degrees
    revenue   .12   zero but with probability p_k, then lognormal of log-sd U(.3, 1.5); p_k = p (mean_k / best)^w,
                    p ~ logU(.005, .5), w one of 0, .5, 1: arms differ in how often they pay, or how much, or both

Units, not with 0/1 rewards: rewards are unit (r + shift), unit ~ logU(1e-3, 1e3), shift 0 (half) or U(-10, 10).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .draws import Array, Generator, log_uniform

CLASSICAL_NOISES = {
    "bernoulli": 0.35,
    "gaussian": 0.15,
    "uniform": 0.10,
    "growing": 0.08,
    "arm_sd": 0.10,
    "heavy": 0.10,
    "revenue": 0.12,
}
"""How likely each kind of noise is."""

NEGATIVE = ("gaussian", "arm_sd")
"""Kinds of noise under which a mean may be negative."""


class Noise(NamedTuple):
    """How rewards vary about their means; both functions take means and the arms that they are of.

    Args:
        draw: Draws rewards, from a generator that comes third.
        sd: Their true standard deviation.
    """

    draw: Callable[[Array, Array, Generator], Array]
    sd: Callable[[Array, Array], Array]


class Units(NamedTuple):
    """What one unit of reward is, and where its zero lies."""

    unit: float
    shift: float

    def of(self, rewards: Array) -> Array:
        """Rewards in these units."""
        return self.unit * (rewards + self.shift)


def units(rng: Generator, *, binary: bool) -> Units:
    """Draw the units of a problem.

    Args:
        rng: Of this factor.
        binary: Whether rewards are 0 or 1, which stay as they are.

    Returns:
        The units.
    """
    if binary:
        return Units(1.0, 0.0)
    unit = log_uniform(rng, 1e-3, 1e3)
    return Units(unit, 0.0 if rng.random() < 0.5 else rng.uniform(-10, 10))


def noise(rng: Generator, kind: str, means: Array) -> Noise:
    """Draw what is random about a kind of noise.

    Args:
        rng: Of this factor.
        kind: One of CLASSICAL_NOISES.
        means: Of the arms, before units.

    Returns:
        The noise.
    """
    return _MAKERS[kind](rng, means)


def _gap(means: Array) -> float:
    """D."""
    return float(means.max() - means.mean())


def _bernoulli(rng: Generator, means: Array) -> Noise:
    return Noise(
        lambda m, _, rng: (rng.random(m.shape) < m).astype(float),
        lambda m, _: np.sqrt(np.clip(m * (1 - m), 0, 1)),
    )


def _gaussian(rng: Generator, means: Array) -> Noise:
    s = _gap(means) * log_uniform(rng, 0.1, 20)
    return Noise(lambda m, _, rng: m + s * rng.standard_normal(m.shape), lambda m, _: np.full(m.shape, s))


def _uniform(rng: Generator, means: Array) -> Noise:
    return Noise(lambda m, _, rng: 2 * m * rng.random(m.shape), lambda m, _: m / np.sqrt(3))


def _growing(rng: Generator, means: Array) -> Noise:
    c = log_uniform(rng, 0.1, 3)
    return Noise(lambda m, _, rng: m + c * m * rng.standard_normal(m.shape), lambda m, _: c * m)


def _arm_sd(rng: Generator, means: Array) -> Noise:
    level = _gap(means) * log_uniform(rng, 0.1, 10)
    s = level * np.exp(rng.uniform(0.3, 1.5) * rng.normal(size=means.size))
    return Noise(lambda m, arms, rng: m + s[arms] * rng.standard_normal(m.shape), lambda m, arms: s[arms] + 0 * m)


def _heavy(rng: Generator, means: Array) -> Noise:
    if rng.random() < 0.5:
        s = rng.uniform(0.5, 2)
        return Noise(
            lambda m, _, rng: m * np.exp(s * rng.standard_normal(m.shape) - s * s / 2),
            lambda m, _: m * np.sqrt(np.expm1(s * s)),
        )
    s, freedom = _gap(means) * log_uniform(rng, 0.1, 5), rng.uniform(2.1, 4)
    return Noise(
        lambda m, _, rng: m + s * rng.standard_t(freedom, m.shape),
        lambda m, _: np.full(m.shape, s * np.sqrt(freedom / (freedom - 2))),
    )


def _revenue(rng: Generator, means: Array) -> Noise:
    s, w, best = rng.uniform(0.3, 1.5), (0.0, 0.5, 1.0)[rng.integers(3)], means.max()
    p = np.maximum(log_uniform(rng, 0.005, 0.5) * (np.maximum(means, 1e-3 * best) / best) ** w, 1e-5)

    def draw(m: Array, arms: Array, rng: Generator) -> Array:
        rewards = (rng.random(m.shape) < p[arms]) * (m / p[arms])
        paid = np.nonzero(rewards)
        rewards[paid] *= np.exp(s * rng.standard_normal(paid[0].size) - s * s / 2)
        return rewards

    return Noise(draw, lambda m, arms: np.sqrt(np.maximum((m / p[arms]) ** 2 * np.exp(s * s) * p[arms] - m * m, 0)))


_MAKERS: dict[str, Callable[[Generator, Array], Noise]] = {
    "bernoulli": _bernoulli,
    "gaussian": _gaussian,
    "uniform": _uniform,
    "growing": _growing,
    "arm_sd": _arm_sd,
    "heavy": _heavy,
    "revenue": _revenue,
}
