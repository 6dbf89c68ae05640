"""History: none .35; else plays of an arm ~ Poisson, logU(.3, 300) on average, on all arms (.4) or a share U(.1, .9) of them.

A coin: evenly, or as a policy would that favoured some arms (weights exp(b z), z = r score + sqrt(1 - r^2) N(0, 1), score the
normal score of the mean's rank, b ~ U(.5, 2), r ~ U(-.3, .9); of a share: the arms of largest z). What it tells:

    honest  .39    the means of the rounds
    biased  .078   means off by N(0, b^2), b = sd of the means times logU(.1, 3)
    swapped .0585  means of other arms
    scaled  .0585  means times logU(.3, 3)
    changed .065   one arm, half the time the best, had a mean of U(lowest - range / 2, highest)

The noise is that of the rounds. History is part of the problem: all replications have the same.
"""

from typing import NamedTuple

import numpy as np

from .draws import Array, Generator, log_uniform, normal_scores

CLASSICAL_HISTORIES = {"none": 0.35, "honest": 0.39, "biased": 0.078, "swapped": 0.0585, "scaled": 0.0585, "changed": 0.065}
"""How likely each kind of history is."""


class Logged(NamedTuple):
    """The arms of the logged rounds, and the mean that each arm had in them."""

    arms: Array
    means: Array


def logged(rng: Generator, kind: str, means: Array, *, binary: bool, negative: bool) -> Logged:
    """Draw which arms were played before, and with what means.

    Args:
        rng: Of this factor.
        kind: One of CLASSICAL_HISTORIES.
        means: Of the arms in the rounds, before units.
        binary: Whether rewards are 0 or 1.
        negative: Whether a mean may be negative.

    Returns:
        An arm for each logged round, and the means of the arms in them.
    """
    if kind == "none":
        return Logged(np.zeros(0, int), means)
    arms = np.repeat(np.arange(means.size), rng.poisson(_plays(rng, means)))
    told = _told(rng, kind, means)
    if binary:
        told = np.clip(told, 0, 1)
    elif not negative:
        told = np.maximum(told, 0)
    return Logged(arms, told)


def _plays(rng: Generator, means: Array) -> Array:
    """Expected plays of each arm."""
    per_arm = log_uniform(rng, 0.3, 300)
    share = 1.0 if rng.random() < 0.4 else rng.uniform(0.1, 0.9)
    favoured = rng.random() < 0.5
    r = rng.uniform(-0.3, 0.9)
    z = r * normal_scores(means, rng) + np.sqrt(1 - r * r) * rng.normal(size=means.size)
    weight = np.exp(rng.uniform(0.5, 2) * z) if favoured else np.ones(means.size)
    known = np.argsort(-z if favoured else rng.random(means.size))[: max(1, round(share * means.size))]
    plays = np.zeros(means.size)
    plays[known] = per_arm * weight[known] / weight[known].mean()
    return plays


def _told(rng: Generator, kind: str, means: Array) -> Array:
    """Means of the arms in the logged rounds."""
    if kind == "biased":
        return means + means.std() * log_uniform(rng, 0.1, 3) * rng.normal(size=means.size)
    if kind == "swapped":
        return rng.permutation(means)
    if kind == "scaled":
        return means * log_uniform(rng, 0.3, 3)
    told = means.copy()
    if kind == "changed":
        arm = int(means.argmax()) if rng.random() < 0.5 else int(rng.integers(means.size))
        told[arm] = rng.uniform(means.min() - np.ptp(means) / 2, means.max())
    return told
