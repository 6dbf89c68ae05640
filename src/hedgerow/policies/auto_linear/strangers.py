"""Arms that do not belong to their cluster, as their own rounds show: what the others are says little of them."""

import math

import numpy as np

from ...core.kernel import compiled
from ...core.sums import PLAYS, packed_size
from ...core.tree import PARENT, SIZE
from ...core.types import Floats, Links
from .evidence import MEAN, ODD
from .ledger import OFFSET, PHI, SIG2
from .lens import dimension_seen, packed, seen_sums
from .matrices import reduce

ENOUGH, MARGIN = 8, 10.0
"""An arm is looked at after every ENOUGH of its rounds; that it then seems not to belong by chance has odds of exp(-MARGIN)."""

FREE = 1e6
"""Spread of an arm that may be anything, in units of what its rounds leave open."""


@compiled
def strangeness(online: Floats, derived: Floats, ledger: Floats, node: int) -> tuple[float, float]:
    """How far the rewards of an arm are from what is expected of it by now, and the spread of theta that would explain it.

    g = sum w (r - a - mu'x) x;  g' A^-1 g / sig2 is a chi-square of d degrees of freedom where that is noise.
    """
    d = dimension_seen(ledger)
    sums = seen_sums(ledger, online, node)
    work, rest, products, trace = np.zeros((3, d, d)), np.zeros((2, d)), np.zeros(3), 1e-300
    for i in range(d):
        rest[0, i] = sums[i] - ledger[OFFSET] * sums[d + packed_size(d) + i]
        for j in range(d):
            work[0, i, j] = sums[d + packed(i, j)]
            rest[0, i] -= work[0, i, j] * derived[node, MEAN + j]
        trace += work[0, i, i]
    reduce(work, rest, FREE * d / trace, products)
    far = -products[0] / ledger[SIG2]
    return far, far / trace


@compiled
def strange(tree: Links, online: Floats, past: Floats, derived: Floats, ledger: Floats, node: int) -> float:
    """The spread that explains an arm which does not seem to belong to its cluster, else 0; history may lie, and exempts an arm.

    A chi-square exceeds d + 2 sqrt(d x) + 2 x with a chance of at most exp(-x) (Laurent and Massart, 2000).
    """
    if tree[node, PARENT] <= 0 or derived[node, ODD] > 0.0 or online[node, PLAYS] < ENOUGH or past[node, PLAYS] > 0.0:
        return 0.0
    d = dimension_seen(ledger)
    far, spread = strangeness(online, derived, ledger, node)
    return spread if far > d + 2.0 * math.sqrt(d * MARGIN) + 2.0 * MARGIN else 0.0


@compiled
def mark_strangers(tree: Links, online: Floats, past: Floats, derived: Floats, ledger: Floats) -> bool:
    """Give arms that turn out not to belong a wider spread, at least that of the clusters; whether there are new ones."""
    found = False
    for node in range(1, len(tree)):
        spread = strange(tree, online, past, derived, ledger, node) if tree[node, SIZE] == 0 else 0.0
        if spread > 0.0:
            derived[node, ODD] = max(ledger[PHI], spread)
            found = True
    return found
