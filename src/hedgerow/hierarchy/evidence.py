"""The model's evidence: how likely the rewards are under given spreads.

r = a + theta_k'x + noise of variance sig2 / w; theta_v ~ N(theta_parent, rho sig2 I) for a node v, N(0, phi sig2 I) right under
the root. One rho serves all levels below the first. A node is integrated out given its parent (A: sums of w xx' of an arm, of
messages for an inner node; b, f: sums of w r x and w x, or of messages):

    M = (A + I / rho)^-1      message to the parent: I / rho - M / rho^2,  M b / rho,  M f / rho
    <y, z> = sum w y z - sum over nodes of b_y' M b_z      for y, z in {r, 1}, b_r = b, b_1 = f:  y' V^-1 z
    a = <1, r> / <1, 1>      sig2 = (<r, r> - <1, r>^2 / <1, 1>) / n
    log evidence = -1/2 [n log sig2 + sum over nodes of log det (I + rho A)] + constant

A round's weight w is fixed when it arrives; history, known as sums, gets one per arm (``history_weight``) at each refresh.
"""

import math
from typing import NamedTuple

import numpy as np

from ..kernel import compiled, summing
from ..statistics import PULLS, SCALARS, SQUARES, TOTAL, packed_size
from ..tree import FIRST, PARENT, SIZE
from ..types import Floats, Links
from .ledger import EXCESS
from .shape import history_weight

CEILING, MEAN = 0, 1


class Model(NamedTuple):
    """The arrays of a policy, and room for the sums on the way up."""

    tree: Links
    online: Floats
    past: Floats
    derived: Floats
    totals: Floats  # n, <r, r>, <1, r>, <1, 1> without any node integrated out
    below: Floats  # A of the inner nodes
    info: Floats  # b and f of all nodes
    work: Floats  # three matrices
    shares: Floats  # weights of the arms' histories


@compiled
def covariance_start(dimension: int) -> int:
    """Where the covariance of a derived row starts."""
    return MEAN + dimension


@compiled
def pose(tree: Links, online: Floats, past: Floats, derived: Floats, ledger: Floats) -> Model:
    """The model of a policy's sums."""
    nodes = len(tree)
    d = dimension_of(online)
    inner = 0
    for node in range(nodes):
        if tree[node, SIZE] > 0:
            inner = node
    totals = np.empty(4)
    totals[0] = online[0, PULLS] + past[0, PULLS]
    totals[1] = online[0, SQUARES] + ledger[EXCESS + 2]
    totals[2] = online[0, TOTAL] + ledger[EXCESS + 1]
    totals[3] = online[0, PULLS] + ledger[EXCESS]
    info, shares = np.zeros((nodes, 2, d)), np.ones(nodes)
    model = Model(tree, online, past, derived, totals, np.zeros((inner + 1, d, d)), info, np.zeros((3, d, d)), shares)
    for node in range(nodes):
        if tree[node, SIZE] == 0:
            shares[node] = history_weight(past, ledger, node)
            bring_in(model, node)
    return model


@compiled
def bring_in(model: Model, node: int) -> None:
    """An arm's sums, and the share of its history in those of the policy."""
    share = model.shares[node]
    model.totals[1] += share * model.past[node, SQUARES]
    model.totals[2] += share * model.past[node, TOTAL]
    model.totals[3] += share * model.past[node, PULLS]
    d = model.info.shape[2]
    for i in range(d):
        at = SCALARS + i
        model.info[node, 0, i] = model.online[node, at] + share * model.past[node, at]
        at += d + packed_size(d)
        model.info[node, 1, i] = model.online[node, at] + share * model.past[node, at]


@compiled
def dimension_of(sums: Floats) -> int:
    """The d whose rows of sums have this length: 3 + 2 d + d (d + 1) / 2."""
    return round((math.sqrt(1.0 + 8.0 * sums.shape[1]) - 5.0) / 2.0)


@compiled
def mean_square_of_contexts(model: Model) -> float:
    """Mean of x_j^2 over rounds and coordinates: what makes rho and phi free of the contexts' unit."""
    d = model.info.shape[2]
    trace = 0.0
    for node in range(len(model.tree)):
        if model.tree[node, SIZE] == 0:
            at = SCALARS + d
            for i in range(d):
                at += i
                trace += model.online[node, at] + model.shares[node] * model.past[node, at]
                at += 1
    mean: float = trace / (d * model.totals[3]) if trace > 0.0 else 1.0
    return mean


@summing
def factor(work: Floats, ridge: float) -> float:
    """L of A + ridge I = L L' into work[1], A the lower triangle of work[0]; log det (A + ridge I)."""
    matrix, lower = work[0], work[1]
    logdet = 0.0
    for i in range(matrix.shape[0]):
        for j in range(i):
            entry = matrix[i, j]
            for k in range(j):
                entry -= lower[i, k] * lower[j, k]
            lower[i, j] = entry / lower[j, j]
        entry = matrix[i, i] + ridge
        for k in range(i):
            entry -= lower[i, k] * lower[i, k]
        lower[i, i] = math.sqrt(max(entry, ridge))  # A is a sum of squares
        logdet += 2.0 * math.log(lower[i, i])
    return logdet


@summing
def invert(work: Floats, rows: Floats, node: int, start: int) -> None:
    """(L L')^-1 into a row, L in work[1]."""
    lower, upper = work[1], work[2]  # upper = L^-T: rows, so that the sums run along them
    d = lower.shape[0]
    for j in range(d):
        upper[j, j] = 1.0 / lower[j, j]
        for i in range(j + 1, d):
            entry = 0.0
            for k in range(j, i):
                entry -= upper[j, k] * lower[i, k]
            upper[j, i] = entry / lower[i, i]
    for i in range(d):
        for j in range(i + 1):
            entry = 0.0
            for k in range(i, d):
                entry += upper[j, k] * upper[i, k]
            rows[node, start + i * d + j] = entry
            rows[node, start + j * d + i] = entry


@compiled
def unseen(model: Model, node: int) -> bool:
    """Whether an arm has no rounds."""
    none: bool = model.online[node, PULLS] + model.past[node, PULLS] == 0.0
    return none


@compiled
def load(model: Model, node: int) -> bool:
    """A of a node into work[0], lower triangle; False if it is zero."""
    d = model.info.shape[2]
    if model.tree[node, SIZE] > 0:
        for i in range(d):
            for j in range(i + 1):
                model.work[0, i, j] = model.below[node, i, j]
        return True
    if unseen(model, node):
        return False
    at = SCALARS + d
    for i in range(d):
        for j in range(i + 1):
            model.work[0, i, j] = model.online[node, at] + model.shares[node] * model.past[node, at]
            at += 1
    return True


@summing
def weigh(model: Model, node: int, spread: float, products: Floats) -> float:
    """Lower the products <y, z> by a node's part, b_y' M b_z = (L^-1 b_y)'(L^-1 b_z); log det (I + spread A)."""
    if not load(model, node):
        return 0.0
    d = model.info.shape[2]
    logdet: float = factor(model.work, 1.0 / spread) + d * math.log(spread)
    lower, solved = model.work[1], model.work[2]
    for i in range(d):
        first, second = model.info[node, 0, i], model.info[node, 1, i]
        for k in range(i):
            first -= lower[i, k] * solved[0, k]
            second -= lower[i, k] * solved[1, k]
        solved[0, i] = first / lower[i, i]
        solved[1, i] = second / lower[i, i]
        products[0] -= solved[0, i] * solved[0, i]
        products[1] -= solved[0, i] * solved[1, i]
        products[2] -= solved[1, i] * solved[1, i]
    return logdet


@summing
def send(model: Model, node: int, scale: float) -> None:
    """A node's messages to its parent, M in place: I / rho - M / rho^2, M b / rho, M f / rho; scale = 1 / rho."""
    d = model.info.shape[2]
    parent, at = model.tree[node, PARENT], covariance_start(d)
    for i in range(d):
        first, second = 0.0, 0.0
        for j in range(d):
            entry = scale * model.derived[node, at + j]
            first += entry * model.info[node, 0, j]
            second += entry * model.info[node, 1, j]
            model.below[parent, i, j] -= scale * entry
        at += d
        model.info[parent, 0, i] += first
        model.info[parent, 1, i] += second
        model.below[parent, i, i] += scale


@compiled
def eliminate(model: Model, node: int, spread: float, products: Floats) -> float:
    """Integrate a node out given its parent: M into its derived row, messages to the parent; the rest as ``weigh``."""
    d = model.info.shape[2]
    start = covariance_start(d)
    if model.tree[node, SIZE] == 0 and unseen(model, node):
        for i in range(d):
            for j in range(d):
                model.derived[node, start + i * d + j] = spread if i == j else 0.0
        return 0.0
    logdet: float = weigh(model, node, spread, products)
    invert(model.work, model.derived, node, start)
    if model.tree[node, PARENT] > 0:
        send(model, node, 1.0 / spread)
    return logdet


@compiled
def clear(model: Model, node: int) -> None:
    """Forget the messages to an inner node."""
    for i in range(model.info.shape[2]):
        model.info[node, 0, i] = 0.0
        model.info[node, 1, i] = 0.0
        for j in range(model.info.shape[2]):
            model.below[node, i, j] = 0.0


@compiled
def eliminate_lower(model: Model, rho: float, products: Floats) -> float:
    """Integrate out all nodes but those right under the root; children come before their parents."""
    for node in range(len(model.below)):
        if model.tree[node, SIZE] > 0:
            clear(model, node)
    for i in range(3):
        products[i] = model.totals[1 + i]
    logdet = 0.0
    for node in range(len(model.tree) - 1, 0, -1):
        if model.tree[node, PARENT] > 0:
            logdet += eliminate(model, node, rho, products)
    return logdet


@compiled
def eliminate_upper(model: Model, phi: float, products: Floats) -> float:
    """Integrate out the nodes right under the root, after the others; nothing is kept of it."""
    first = model.tree[0, FIRST]
    logdet = 0.0
    for node in range(first, first + model.tree[0, SIZE]):
        logdet += weigh(model, node, phi, products)
    return logdet


@compiled
def profile(model: Model, logdet: float, products: Floats) -> tuple[float, float, float]:
    """Log evidence up to a constant at the likeliest noise variance and offset; those two."""
    pulls = model.totals[0]
    offset = products[1] / products[2] if products[2] > 1e-9 * model.totals[3] else 0.0
    squares = max(products[0] - products[1] * offset, 1e-12 * model.totals[1] + 1e-300)
    return -0.5 * (pulls * math.log(squares) + logdet), squares / pulls, offset
