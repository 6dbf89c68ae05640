"""Clusters: none .15; else their sizes are drawn, then how well they fit the means.

Sizes

    even .50   the same size, their number ~ logU(2, K)
    crp  .35   Chinese restaurant process, theta ~ logU(.5, 20)
    big  .15   one cluster of a share U(.5, .95) of the arms, the rest single arms

Clusters are blocks of arms in the order of their means, and their quality is what is done to that order:

    perfect     .12   nothing
    noisy       .18   the order of the normal score of the rank + logU(.1, 3) N(0, 1)
    mixed       .13   of a share U(.3, .8) of the clusters the arms are dealt out anew among them
    wrong       .12   a share U(.05, .3) of the arms has the cluster of any other arm
    shuffled    .13   all are dealt out anew
    adversarial .09   the best arm changes places with one of the worst cluster
    nested      .08   clusters of clusters, joined in the order of their means + noise; a coin says which of both levels is told

The number before each is the chance of the quality; they sum to 1 with the .15 of none.
"""

from collections.abc import Callable

import numpy as np

from .draws import Array, Generator, log_uniform, normal_scores

QUALITIES = {
    "none": 0.15,
    "perfect": 0.12,
    "noisy": 0.18,
    "mixed": 0.13,
    "wrong": 0.12,
    "shuffled": 0.13,
    "adversarial": 0.09,
    "nested": 0.08,
}
SIZES = {"even": 0.5, "crp": 0.35, "big": 0.15}


def clusters(rng: Generator, means: Array, quality: str, sizes: str) -> Array | None:
    """Draw the clusters of the arms.

    Args:
        rng: Of this factor.
        means: Of the arms, before units.
        quality: One of QUALITIES.
        sizes: One of SIZES.

    Returns:
        The cluster of each arm, a number; None without clusters.
    """
    if quality == "none":
        return None
    blocks, scores = _BLOCKS[sizes](rng, means.size), normal_scores(means, rng)
    if quality == "noisy":
        scores = scores + log_uniform(rng, 0.1, 3) * rng.normal(size=means.size)
    fitting = np.empty(means.size, int)
    fitting[np.argsort(scores)] = blocks
    spoil = _SPOILERS.get(quality)
    told = fitting if spoil is None else spoil(rng, fitting, means)
    return rng.permutation(means.size)[told]


def redealt(rng: Generator, cluster: Array) -> Array:
    """Deal out the arms of a share U(.3, .8) of the clusters anew among these.

    Args:
        rng: Where it is drawn from.
        cluster: Of each arm, a number from 0 on.

    Returns:
        The new cluster of each arm.
    """
    count = cluster.max() + 1
    loose = rng.permutation(count)[: int(np.ceil(rng.uniform(0.3, 0.8) * count))]
    at = np.flatnonzero(np.isin(cluster, loose))
    dealt = cluster.copy()
    dealt[at] = rng.permutation(cluster[at])
    return dealt


def mistaken(rng: Generator, cluster: Array) -> Array:
    """Give a share U(.05, .3) of the arms the cluster of any other arm.

    Args:
        rng: Where it is drawn from.
        cluster: Of each arm.

    Returns:
        The new cluster of each arm.
    """
    at = np.flatnonzero(rng.random(cluster.size) < rng.uniform(0.05, 0.3))
    given = cluster.copy()
    given[at] = cluster[rng.integers(cluster.size, size=at.size)]
    return given


def _even(rng: Generator, arms: int) -> Array:
    count = int(np.clip(round(log_uniform(rng, 2, max(arms, 2.0001))), 1, arms))
    return np.arange(arms) * count // arms


def _restaurant(rng: Generator, arms: int) -> Array:
    theta, tables = log_uniform(rng, 0.5, 20), list[int]()
    for seated in range(arms):
        drawn = rng.random() * (seated + theta)
        table = int(np.searchsorted(np.cumsum(tables), drawn, side="right")) if tables else 0
        if table == len(tables):
            tables.append(0)
        tables[table] += 1
    return np.repeat(np.arange(len(tables)), rng.permutation(tables))


def _one_big(rng: Generator, arms: int) -> Array:
    big = int(np.clip(round(rng.uniform(0.5, 0.95) * arms), 1, arms))
    sizes = np.ones(arms - big + 1, int)
    sizes[rng.integers(sizes.size)] = big
    return np.repeat(np.arange(sizes.size), sizes)


_BLOCKS: dict[str, Callable[[Generator, int], Array]] = {"even": _even, "crp": _restaurant, "big": _one_big}


def _means_of(cluster: Array, means: Array) -> Array:
    return np.array([means[cluster == c].mean() for c in range(cluster.max() + 1)])


def _against_the_best(rng: Generator, cluster: Array, means: Array) -> Array:
    worst = np.flatnonzero(cluster == _means_of(cluster, means).argmin())
    best, other = int(means.argmax()), int(rng.choice(worst))
    changed = cluster.copy()
    changed[best], changed[other] = cluster[other], cluster[best]
    return changed


def _one_level_of_two(rng: Generator, cluster: Array, means: Array) -> Array:
    centres = _means_of(cluster, means)
    order = np.argsort(normal_scores(centres, rng) + 0.5 * rng.normal(size=centres.size))
    outer = np.empty(centres.size, int)
    outer[order] = np.arange(centres.size) * max(1, round(centres.size**0.5)) // centres.size
    return outer[cluster] if rng.random() < 0.5 else cluster


_SPOILERS: dict[str, Callable[[Generator, Array, Array], Array]] = {
    "mixed": lambda rng, cluster, _: redealt(rng, cluster),
    "wrong": lambda rng, cluster, _: mistaken(rng, cluster),
    "shuffled": lambda rng, cluster, _: rng.permutation(cluster),
    "adversarial": _against_the_best,
    "nested": _one_level_of_two,
}
