"""Means of the arms: a shape of seven, equally likely, stretched to 0..1 = x; mean = top (floor + (1 - floor) x).

    beta        Beta(a, b), a ~ logU(.2, 20), b ~ logU(.2, 100)
    equal       equally spaced
    one_good    one arm above, the rest level
    two_point   a share U(.02, .5) of the arms is good, the rest level
    gaussian    normal
    lognormal   log-sd U(.3, 2)
    pareto      index U(1, 3)

floor ~ U(0, .95). top = 1; with 0/1 rewards it is logU(.005, 1) or U(.05, 1), half each, so click rates of .5 % and less occur.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .draws import Array, Generator, log_uniform, one_of


class Means(NamedTuple):
    """Means of the arms before units, and what they were made of."""

    shape: str
    floor: float
    top: float
    of_arms: Array


def _beta(rng: Generator, arms: int) -> Array:
    return rng.beta(log_uniform(rng, 0.2, 20), log_uniform(rng, 0.2, 100), arms)


def _equal(rng: Generator, arms: int) -> Array:
    return rng.permutation(np.linspace(0, 1, arms))


def _one_good(rng: Generator, arms: int) -> Array:
    return rng.permutation(np.eye(1, arms)[0])


def _two_point(rng: Generator, arms: int) -> Array:
    good = np.clip(round(rng.uniform(0.02, 0.5) * arms), 1, arms - 1)
    return rng.permutation((np.arange(arms) < good).astype(float))


def _gaussian(rng: Generator, arms: int) -> Array:
    return rng.normal(size=arms)


def _lognormal(rng: Generator, arms: int) -> Array:
    return np.exp(rng.uniform(0.3, 2) * rng.normal(size=arms))


def _pareto(rng: Generator, arms: int) -> Array:
    return rng.pareto(rng.uniform(1, 3), arms)


SHAPES_OF_MEANS: dict[str, Callable[[Generator, int], Array]] = {
    "beta": _beta,
    "equal": _equal,
    "one_good": _one_good,
    "two_point": _two_point,
    "gaussian": _gaussian,
    "lognormal": _lognormal,
    "pareto": _pareto,
}


def means(rng: Generator, arms: int, *, binary: bool) -> Means:
    """Draw the means of the arms.

    Args:
        rng: Of this factor.
        arms: How many.
        binary: Whether rewards are 0 or 1.

    Returns:
        The means before units, between 0 and 1.
    """
    shape = one_of(rng, dict.fromkeys(SHAPES_OF_MEANS, 1.0))
    drawn = SHAPES_OF_MEANS[shape](rng, arms)
    if np.ptp(drawn) < 1e-12:
        drawn = _equal(rng, arms)
    stretched = (drawn - drawn.min()) / np.ptp(drawn)
    floor = rng.uniform(0, 0.95)
    top = 1.0
    if binary:
        top = log_uniform(rng, 0.005, 1) if rng.random() < 0.5 else rng.uniform(0.05, 1)
    return Means(shape, floor, top, top * (floor + (1 - floor) * stretched))
