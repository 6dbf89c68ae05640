"""What all factors draw with: a generator each, log-uniform numbers, names with chances, and normal scores."""

from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

import numpy as np

Generator = np.random.Generator
Array = np.ndarray[Any, Any]

SALT = 20261118
"""Part of every seed, so that no other draws of this repository are the same."""

CLASSICAL_KIND, CONTEXTUAL_KIND = 0, 1
"""Kinds of problems in a seed."""

FIRST_TABLE = 100
"""Number of the generator of replication 0; the factors have lower ones."""


def generator(kind: int, seed: int, factor: int) -> Generator:
    """Return the generator of one factor of one problem.

    Args:
        kind: CLASSICAL_KIND or CONTEXTUAL_KIND.
        seed: Of the problem.
        factor: Number of the factor.

    Returns:
        A generator that no other factor or problem has.
    """
    return np.random.default_rng([SALT, kind, seed, factor])


def log_uniform(rng: Generator, low: float, high: float) -> float:
    """Draw a number whose logarithm is uniform.

    Args:
        rng: Where it is drawn from.
        low: The least number, above 0.
        high: The largest.

    Returns:
        The number.
    """
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def one_of(rng: Generator, chances: Mapping[str, float]) -> str:
    """Draw a name.

    Args:
        rng: Where it is drawn from.
        chances: The names and how likely each is; they need not sum to 1.

    Returns:
        The name.
    """
    shares = np.array(list(chances.values()))
    return list(chances)[int(np.searchsorted(np.cumsum(shares) / shares.sum(), rng.random(), side="right"))]


def normal_scores(values: Array, rng: Generator) -> Array:
    """Return the normal quantiles of the ranks of some values.

    Args:
        values: What is ranked.
        rng: Breaks ties.

    Returns:
        As many scores, in the order of the values.
    """
    order = np.lexsort((rng.random(values.size), values))
    quantile = NormalDist().inv_cdf
    scores = np.empty(values.size)
    scores[order] = [quantile((place + 0.5) / values.size) for place in range(values.size)]
    return scores
