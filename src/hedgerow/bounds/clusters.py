"""How well clusters part the arms."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..core.types import Floats, Label
from .bound import as_vector, require

Clusters: TypeAlias = Iterable[Label]


@dataclass(frozen=True)
class Clustering:
    """How well clusters part the arms: l_i, u_i and delta_i = l_i* - u_i (nan for i* itself), in the order of ``labels``."""

    labels: tuple[Label, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    delta: tuple[float, ...]
    optimal: Label
    tight: bool


def clustering(means: ArrayLike, clusters: Clusters) -> Clustering:
    """Intervals and gaps of clusters, given the expected reward and the cluster of each arm (definition before theo:tight).

    The optimal cluster i* holds the best arm, so a cluster with a disjoint interval lies wholly below it: u_i < l_i*.
    Intervals that share an end point are not disjoint, hence clusters that share the best reward are never tight.

    Args:
        means: expected reward of each arm.
        clusters: cluster of each arm.

    Returns:
        The intervals and gaps, the optimal cluster, and whether the clusters are tight.

    Examples:
        >>> found = clustering([0.9, 0.7, 0.5, 0.1], ["news", "news", "sport", "sport"])
        >>> found.tight, found.optimal, found.lower, found.upper, round(found.delta[1], 6)
        (True, 'news', (0.7, 0.1), (0.9, 0.5), 0.2)
    """
    return parted(as_vector(means, "means", "arm"), clusters)[0]


def parted(values: Floats, clusters: Clusters) -> tuple[Clustering, dict[Label, list[int]]]:
    """The clustering, and the arms of each cluster.

    Args:
        values: expected reward of each arm.
        clusters: cluster of each arm.

    Returns:
        Both.

    Raises:
        ValueError: if there is not one cluster per arm.
    """
    require(not isinstance(clusters, str | bytes | Mapping), "clusters", "the cluster of each arm, in order", clusters)
    labels = clusters.tolist() if isinstance(clusters, np.ndarray) else list(clusters)
    if len(labels) != values.size:
        raise ValueError(f"clusters must name one cluster per arm: {values.size} arms, {len(labels)} given")
    arms: dict[Label, list[int]] = {}
    for arm, label in enumerate(labels):
        arms.setdefault(label, []).append(arm)
    lower, upper = (tuple(float(end(values[rows])) for rows in arms.values()) for end in (np.min, np.max))
    best = labels[int(values.argmax())]
    floor = float(values[arms[best]].min())
    delta = tuple(math.nan if label == best else floor - u for label, u in zip(arms, upper, strict=True))
    return Clustering(tuple(arms), lower, upper, delta, optimal=best, tight=not any(gap <= 0.0 for gap in delta)), arms
