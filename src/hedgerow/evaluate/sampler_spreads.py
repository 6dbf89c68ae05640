"""The judge's sampler: moves of the spreads within and between groups, and of the centres; posterior_sampler.py has the model."""

import math
from typing import Any

import numpy as np

from ..core.kernel import compiled
from ..core.types import Floats
from .sampler_state import SETTINGS


@compiled
def accept(rng: np.random.Generator, logarithm: float) -> bool:
    """Metropolis."""
    return logarithm >= 0.0 or rng.random() < math.exp(logarithm)


@compiled
def log_prior(value: float, width: float) -> float:
    """Of the logarithm of a half-Cauchy variable; minus infinity below the least spread."""
    if value < SETTINGS.least_spread * width:
        return -math.inf
    return math.log(value) - math.log1p((value / width) ** 2)


@compiled
def spread_fit(means: Floats, squares: float, sizes: Floats, freedom: float, within: float, between: float) -> float:
    """Log-likelihood of the spreads given the arms' values, with mu and all mu_i integrated out."""
    weights = moment = fit = 0.0
    for i in range(sizes.size):
        w = 1.0 / (between * between + within * within / sizes[i])
        weights += w
        moment += w * means[i]
        fit += 0.5 * math.log(w) - 0.5 * w * means[i] * means[i]
    fit += 0.5 * moment * moment / weights - 0.5 * math.log(weights)
    return fit - freedom * math.log(within) - 0.5 * squares / (within * within)


@compiled
def move_spreads(
    means: Floats, squares: float, sizes: Floats, freedom: float, levels: Any, unit: float, rng: np.random.Generator
) -> None:
    """Metropolis steps of log t and log s, small and large ones in turn."""
    width = SETTINGS.spread_width * unit
    fit = spread_fit(means, squares, sizes, freedom, levels.within, levels.between)
    for turn in range(4 if levels.between > 0.0 else 2):
        old = levels.within if turn < 2 else levels.between
        new = old * math.exp((SETTINGS.small_step if turn % 2 == 0 else SETTINGS.large_step) * rng.standard_normal())
        within, between = (new, levels.between) if turn < 2 else (levels.within, new)
        new_fit = spread_fit(means, squares, sizes, freedom, within, between)
        if accept(rng, new_fit - fit + log_prior(new, width) - log_prior(old, width)):
            fit = new_fit
            levels.within, levels.between = within, between


@compiled
def draw_centres(means: Floats, sizes: Floats, centres: Floats, levels: Any, rng: np.random.Generator) -> None:
    """Gibbs steps of mu and of the centre of each group."""
    weights = moment = 0.0
    within, between = levels.within**2, levels.between**2
    for i in range(means.size):
        w = 1.0 / (between + within / sizes[i])
        weights += w
        moment += w * means[i]
    levels.centre = moment / weights + rng.standard_normal() / math.sqrt(weights)
    for i in range(means.size):
        centres[i] = levels.centre
        if between > 0.0:
            precision = 1.0 / between + sizes[i] / within
            mean = (levels.centre / between + means[i] * sizes[i] / within) / precision
            centres[i] = mean + rng.standard_normal() / math.sqrt(precision)
