"""Arms that do not belong to their cluster, as their own rounds show: what the others are says little of them."""

import math

import numpy as np

from ...core.kernel import compiled
from ...core.records import record
from ...core.sums import PLAYS, packed_size
from ...core.tree import PARENT, SIZE
from ...core.types import Floats
from .cholesky import integrate_out
from .settings import SETTINGS
from .standardize import packed, standardized_sums
from .state import NODE_SIZE, POLICY, Parts, dimension_seen, extra_spreads_of

FREE_SPREAD = 1e6
"""Spread of an arm that may be anything, in units of what its rounds leave open."""


@compiled
def distance(online: Floats, rows: Floats, state: Floats, node: int) -> tuple[float, float]:
    """How far the rewards of an arm are from what is expected of it by now, and the spread of theta that would explain it.

    g = sum w (r - a - mu'x) x;  g' A^-1 g / sig2 is a chi-square of d degrees of freedom where that is noise.
    """
    d, own = dimension_seen(state), record(state, POLICY)
    sums = standardized_sums(state, online, node)
    work, rest, products, trace = np.zeros((4, d, d)), np.zeros((2, d)), np.zeros(3), 1e-300
    for i in range(d):
        rest[0, i] = sums[i] - own.offset * sums[d + packed_size(d) + i]
        for j in range(d):
            work[0, i, j] = sums[d + packed(i, j)]
            rest[0, i] -= work[0, i, j] * rows[node, NODE_SIZE + j]
        trace += work[0, i, i]
    integrate_out(work, rest, FREE_SPREAD * d / trace, products)
    far = -products[0] / own.noise
    return far, far / trace


@compiled
def spread_if_misplaced(parts: Parts, node: int) -> float:
    """The spread that explains an arm which does not seem to belong to its cluster, else 0; an arm with history is exempt.

    A chi-square exceeds d + 2 sqrt(d x) + 2 x with a chance of at most exp(-x) (Laurent and Massart, 2000).
    """
    tree, online, history, rows, state = parts
    if tree[node, PARENT] <= 0 or extra_spreads_of(rows)[node] > 0.0:
        return 0.0
    if online[node, PLAYS] < SETTINGS.misplaced_every or history[node, PLAYS] > 0.0:
        return 0.0
    d, margin = dimension_seen(state), SETTINGS.misplaced_margin
    far, spread = distance(online, rows, state, node)
    return spread if far > d + 2.0 * math.sqrt(d * margin) + 2.0 * margin else 0.0


@compiled
def mark_misplaced(parts: Parts) -> bool:
    """Give arms that turn out to be misplaced a wider spread, at least that at the top; whether there are new ones."""
    own, found = record(parts.state, POLICY), False
    for node in range(1, len(parts.tree)):
        spread = spread_if_misplaced(parts, node) if parts.tree[node, SIZE] == 0 else 0.0
        if spread > 0.0:
            extra_spreads_of(parts.rows)[node] = max(own.spread_top, spread)
            found = True
    return found
