"""The newest rounds in which no arm, and no cluster as a whole, is seen to have changed.

Before and after a border an arm has n1 and n2 plays with means m1 and m2, together n with mean m. The evidence of a change is the
log likelihood ratio of two means against one (Lai 1995; for Bernoulli rewards Besson, Kaufmann, Maillard and Seznec 2022):

    normal        (m1 - m2)^2 n1 n2 / (2 n v)          v: the arm's own variance drawn to the typical one, and at least that
    two values    n1 kl(m1, m) + n2 kl(m2, m)          one of which is 0: rewards 0 and 1, or 0 and a price
    a cluster     (sum h_k d_k)^2 / (2 sum h_k)        d_k = m1 - m2 and h_k = n1 n2 / (n v_k) of its arms

It counts beyond MARGIN + log(arms) + log(1 + log(1 + rounds)). The border of the strongest evidence cuts, then again in what is
newer, until nothing is left. So the window follows from the sums alone: nothing is latched.
"""

import math

import numpy as np

from ..core.kernel import compiled
from ..core.noise import shrunken_noise
from ..core.sums import PLAYS, SCALARS, SQUARES, TOTAL
from ..core.types import Floats, Integers

MARGIN = 5.0
"""Nats by which a change must be likelier than none, beyond what the number of arms and borders asks for. Chosen on 16 trials of
other seeds: 8 is slower to see changes, and sees fewer that are none."""

BORROWED = 5.0
"""Plays that the typical variance counts as in an arm's own, as in Auto's model (freedom in auto_rewards/settings.py)."""

SAME = 1e-9
"""Rewards are 0 or one price if the squares of all arms are that price times their totals, to this part."""

NEVER_QUITE = 1e-12


@compiled
def price_of(total: Floats) -> float:
    """The other value, if all rewards are 0 or one other; else 0."""
    squares, totals = 0.0, 0.0
    for k in range(len(total)):
        squares += total[k, SQUARES]
        totals += total[k, TOTAL]
    if totals <= 0.0:
        return 0.0
    price = squares / totals
    for k in range(len(total)):
        if abs(total[k, SQUARES] - price * total[k, TOTAL]) > SAME * total[k, SQUARES]:
            return 0.0
        if total[k, TOTAL] > price * total[k, PLAYS] * (1.0 + SAME):
            return 0.0
    return price


@compiled
def relative_entropy(p: float, q: float) -> float:
    """kl(p, q) of two Bernoulli distributions."""
    q = min(max(q, NEVER_QUITE), 1.0 - NEVER_QUITE)
    found = 0.0
    if p > 0.0:
        found += p * math.log(p / q)
    if p < 1.0:
        found += (1.0 - p) * math.log((1.0 - p) / (1.0 - q))
    return found


@compiled
def evidence(n1: float, s1: float, n2: float, s2: float, variance: float, price: float, needed: float) -> float:
    """Log likelihood ratio of two means against one; below ``needed`` it may be a bound from above."""
    d = s1 / n1 - s2 / n2
    if price == 0.0:
        return 0.5 * d * d * n1 * n2 / ((n1 + n2) * variance)
    rate = (s1 + s2) / ((n1 + n2) * price)
    spread = rate * (1.0 - rate)
    if spread <= 0.0:
        return 0.0
    bound = d * d * n1 * n2 / ((n1 + n2) * price * price * spread)  # kl(p, q) <= (p - q)^2 / (q (1 - q))
    if bound <= needed:
        return bound
    one, two = min(s1 / (n1 * price), 1.0), min(s2 / (n2 * price), 1.0)
    return n1 * relative_entropy(one, rate) + n2 * relative_entropy(two, rate)


@compiled
def variances_of(total: Floats, price: float) -> Floats:
    """Noise variance of each arm: its own, drawn to the typical one; where rewards do not take two values, at least that."""
    arms = len(total)
    columns = np.zeros((SCALARS, arms + 1))  # an arm that was never played has the typical variance
    for k in range(arms):
        for part in range(SCALARS):
            columns[part, k] = total[k, part]
    found, _ = shrunken_noise(columns[0], columns[1], columns[2], BORROWED)
    for k in range(arms):
        if price == 0.0:
            found[k] = max(found[k], found[arms])
    return found[:arms]


@compiled
def strongest(blocks: Floats, first: int, cluster_of: Integers, clusters: int) -> tuple[int, Floats]:
    """The border of the strongest evidence, as the number of the block after it, or -1; and what each arm has beyond its need."""
    arms, last = blocks.shape[1], len(blocks)
    total, before = np.zeros((arms, SCALARS)), np.zeros((arms, SCALARS))
    for at in range(first, last):
        total += blocks[at, :, :SCALARS]
    price = price_of(total)
    variances, played, rounds = variances_of(total, price), 0.0, 0.0
    for k in range(arms):
        played += 1.0 if total[k, PLAYS] >= 2.0 else 0.0
        rounds += total[k, PLAYS]
    needed = MARGIN + math.log(max(played, 1.0)) + math.log(1.0 + math.log(1.0 + rounds))
    best, border, found, told = needed, -1, np.zeros(arms), np.zeros(arms)
    shifts, weights = np.zeros(clusters + 1), np.zeros(clusters + 1)
    for at in range(first, last - 1):
        shifts[:], weights[:] = 0.0, 0.0
        highest = 0.0
        for k in range(arms):
            told[k] = 0.0
            for part in range(SCALARS):
                before[k, part] += blocks[at, k, part]
            n1, n2 = before[k, PLAYS], total[k, PLAYS] - before[k, PLAYS]
            if n1 < 0.5 or n2 < 0.5 or variances[k] <= 0.0:
                continue
            s1, s2 = before[k, TOTAL], total[k, TOTAL] - before[k, TOTAL]
            told[k] = evidence(n1, s1, n2, s2, variances[k], price, needed)
            highest = max(highest, told[k])
            h = n1 * n2 / ((n1 + n2) * variances[k])
            shifts[cluster_of[k]] += h * (s1 / n1 - s2 / n2)
            weights[cluster_of[k]] += h
        for cluster in range(1, clusters + 1):
            if weights[cluster] > 0.0:
                highest = max(highest, 0.5 * shifts[cluster] ** 2 / weights[cluster])
        if highest > best:
            best, border = highest, at + 1
            found[:] = told - needed
    return border, found


@compiled
def newest_window(blocks: Floats, cluster_of: Integers, clusters: int) -> tuple[int, int, Floats]:
    """The first block that shows no change, how many changes are visible, and which arms the newest one shows in.

    Args:
        blocks: Sums by age: blocks x arms x sums, the oldest first.
        cluster_of: The cluster of each arm, counted from 1; 0 for none.
        clusters: How many there are.

    Returns:
        The number of the block, the number of changes, and by how many nats each arm's evidence is more than it needs.
    """
    first, changes, newest = 0, 0, np.zeros(blocks.shape[1])
    while len(blocks) - first > 1:
        border, found = strongest(blocks, first, cluster_of, clusters)
        if border < 0:
            break
        first, changes, newest = border, changes + 1, found
    return first, changes, newest
