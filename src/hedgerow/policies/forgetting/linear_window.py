"""The newest rounds in which no arm's regression on the context is seen to have changed.

The evidence at a border is the log Bayes factor of two ridge regressions, one before it and one after, against one, with
theta ~ N(0, v I) in both and v the noise (Chow 1960 asked for two regressions; Kass and Raftery 1995 for the factor):

    (RSS - RSS1 - RSS2) / 2v - (log |A1| + log |A2| - log |A|) / 2,   A = I + sum x x',  RSS = sum r^2 - b' A^-1 b

It counts beyond MARGIN + log(arms x borders). The rest is as without contexts (inference/change_point.py).
"""

import math

import numpy as np

from ...core.kernel import compiled
from ...core.sums import PLAYS, SCALARS, SQUARES
from ...core.types import Floats
from ...inference.change_point import MARGIN

LEAST_PLAYS = 2.0
"""Of an arm on each side of a border."""


@compiled
def residuals(row: Floats, d: int, factor: Floats, image: Floats) -> tuple[float, float]:
    """RSS of a ridge regression on a row of sums, and log |A|; ``factor`` and ``image`` are room to work in."""
    at, determinant, explained = SCALARS + d, 0.0, 0.0
    for i in range(d):  # A = L L' and L y = b, row by row
        for j in range(i + 1):
            entry = row[at] + (1.0 if i == j else 0.0)
            at += 1
            for k in range(j):
                entry -= factor[i, k] * factor[j, k]
            factor[i, j] = entry / factor[j, j] if j < i else math.sqrt(max(entry, 1e-12))
        determinant += 2.0 * math.log(factor[i, i])
        image[i] = row[SCALARS + i]
        for k in range(i):
            image[i] -= factor[i, k] * image[k]
        image[i] /= factor[i, i]
        explained += image[i] * image[i]
    return max(row[SQUARES] - explained, 0.0), determinant


@compiled
def strongest(blocks: Floats, first: int, d: int) -> tuple[int, Floats]:
    """The border of the strongest evidence, as the number of the block after it, or -1; and each arm's there."""
    arms, last, columns = blocks.shape[1], len(blocks), blocks.shape[2]
    total, whole, found, told = np.zeros((arms, columns)), np.zeros((arms, 2)), np.zeros(arms), np.zeros(arms)
    factor, image, noise, freedom = np.zeros((d, d)), np.zeros(d), 0.0, 0.0
    for at in range(first, last):
        total += blocks[at]
    for k in range(arms):
        whole[k, 0], whole[k, 1] = residuals(total[k], d, factor, image)
        if total[k, PLAYS] > d + 1.0:
            noise += whole[k, 0]
            freedom += total[k, PLAYS] - d
    if freedom < 5.0 or noise <= 0.0:
        return -1, found
    noise /= freedom
    before, best, border = np.zeros((arms, columns)), 0.0, -1
    needed = MARGIN + math.log(float(arms * (last - first)))
    for at in range(first, last - 1):
        highest = 0.0
        for k in range(arms):
            told[k] = 0.0
            before[k] += blocks[at, k]
            n1 = before[k, PLAYS]
            if n1 < LEAST_PLAYS or total[k, PLAYS] - n1 < LEAST_PLAYS or total[k, PLAYS] <= d + 1.0:
                continue
            one, size1 = residuals(before[k], d, factor, image)
            two, size2 = residuals(total[k] - before[k], d, factor, image)
            told[k] = 0.5 * (whole[k, 0] - one - two) / noise - 0.5 * (size1 + size2 - whole[k, 1]) - needed
            highest = max(highest, told[k])
        if highest > best:
            best, border = highest, at + 1
            found[:] = told
    return border, found


@compiled
def newest_window(blocks: Floats, d: int) -> tuple[int, int, Floats]:
    """The first block that shows no change, how many changes are visible, and which arms the newest one shows in.

    Args:
        blocks: Sums by age: blocks x arms x sums, the oldest first.
        d: Length of the contexts.

    Returns:
        The number of the block, the number of changes, and by how many nats each arm's evidence is more than it needs.
    """
    first, changes, newest = 0, 0, np.zeros(blocks.shape[1])
    while len(blocks) - first > 1:
        border, found = strongest(blocks, first, d)
        if border < 0:
            break
        first, changes, newest = border, changes + 1, found
    return first, changes, newest
