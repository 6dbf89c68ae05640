"""The model's evidence: how likely the rewards are under given spreads.

r = a + theta_k'x + noise of variance sig2 / w, x as the lens shows it; theta_v ~ N(theta_parent, rho sig2 I) for a node v,
N(0, phi sig2 I) right under the root. One rho serves all levels below the first. A node is integrated out given its parent
(A: sums of w xx' of an arm, of messages for an inner node; b, f: sums of w r x and w x, or of messages):

    M = (A + I / rho)^-1      message to the parent: I / rho - M / rho^2,  M b / rho,  M f / rho
    <y, z> = sum w y z - sum over nodes of b_y' M b_z      for y, z in {r, 1}, b_r = b, b_1 = f:  y' V^-1 z
    a = <1, r> / <1, 1>      sig2 = (<r, r> - <1, r>^2 / <1, 1>) / n
    log evidence = -1/2 [n log sig2 + sum over nodes of log det (I + rho A)] + constant

An arm that was found not to belong where it is has a wider spread than rho, by ODD of its derived row (strangers.py).

A round's weight w is fixed when it arrives; history, known as sums, gets one per arm (``history_weight``) at each refresh.
Where history is off, it is that of a theta_then ~ N(c theta_k, delta sig2 I), integrated out before all others, as a child of its
arm: its message takes the place of its sums. c is the share that is left of what it says: with c = 0 it says nothing, however
widely its arms differ.
"""

import math
from typing import NamedTuple

import numpy as np

from ...core.kernel import compiled, summing
from ...core.sums import PLAYS, SQUARES, TOTAL, packed_size
from ...core.tree import FIRST, PARENT, SIZE
from ...core.types import Floats, Links
from .ledger import DRIFT, KEPT, void
from .lens import dimension_given, dimension_seen, seen_sums
from .matrices import invert, pass_on, reduce
from .shape import history_weight
from .sums import weighed

CEILING, ODD, MEAN = 0, 1, 2
"""Of a derived row: what bonuses cannot exceed, what is added to rho, where the mean starts."""


class Model(NamedTuple):
    """The arrays of a policy, and room for the sums on the way up."""

    tree: Links
    derived: Floats
    totals: Floats  # see below
    sums: Floats  # A of the arms, packed
    below: Floats  # A of the inner nodes
    info: Floats  # b and f of all nodes
    seen: Floats  # rounds of all nodes
    work: Floats  # three matrices


ROUNDS, PRODUCTS, TRACE, WEIGHT, SQUARE, LOGDET = 0, 1, 4, 5, 6, 7
"""Totals: n; <r, r>, <1, r>, <1, 1> before any node is integrated out; trace of sum w x x'; sum w; sum w r^2; log det of the
histories."""


@compiled
def spread_at(derived: Floats, node: int, rho: float) -> float:
    """Variance of a node around its parent, in units of sig2."""
    spread: float = rho + derived[node, ODD]
    return spread


@compiled
def covariance_start(dimension: int) -> int:
    """Where the covariance of a derived row starts."""
    return MEAN + dimension


@compiled
def pose(tree: Links, online: Floats, past: Floats, derived: Floats, ledger: Floats, whole: bool) -> Model:
    """The model of a policy's sums. A history that says nothing of the arms says nothing of the noise either, and is left out,
    unless the ``whole`` is wanted, to compare it with others."""
    heard = whole or not void(ledger)
    nodes, d, inner = len(tree), dimension_seen(ledger), 0
    for node in range(nodes):
        if tree[node, SIZE] > 0:
            inner = node
    totals = np.zeros(LOGDET + 1)
    totals[ROUNDS] = online[0, PLAYS]
    for place, part in enumerate((SQUARES, TOTAL, PLAYS)):
        totals[PRODUCTS + place] = weighed(online, 0, part, dimension_given(ledger))
    totals[WEIGHT], totals[SQUARE] = totals[PRODUCTS + 2], totals[PRODUCTS]
    sums, info, work = np.zeros((nodes, packed_size(d))), np.zeros((nodes, 2, d)), np.zeros((3, d, d))
    model = Model(tree, derived, totals, sums, np.zeros((inner + 1, d, d)), info, online[:, PLAYS] + heard * past[:, PLAYS], work)
    for node in range(nodes):
        if tree[node, SIZE] == 0:
            bring_in(model, seen_sums(ledger, online, node), node, 1.0)
            if heard and past[node, PLAYS] > 0.0:
                bring_in_history(model, past, ledger, node)
    return model


@compiled
def bring_in(model: Model, sums: Floats, node: int, weight: float) -> None:
    """Add sums with contexts, as they are seen, to those of an arm."""
    d = model.info.shape[2]
    at = d
    for i in range(d):
        model.info[node, 0, i] += weight * sums[i]
        for j in range(i + 1):
            model.sums[node, at - d + j] += weight * sums[at + j]
        model.totals[TRACE] += weight * sums[at + i]
        at += i + 1
    for i in range(d):
        model.info[node, 1, i] += weight * sums[at + i]


@compiled
def bring_in_history(model: Model, past: Floats, ledger: Floats, node: int) -> None:
    """Add an arm's history, or what can be told from it if it is off."""
    weight = history_weight(past, ledger, node)
    model.totals[ROUNDS] += past[node, PLAYS]
    model.totals[PRODUCTS] += weight * past[node, SQUARES]
    model.totals[PRODUCTS + 1] += weight * past[node, TOTAL]
    model.totals[PRODUCTS + 2] += weight * past[node, PLAYS]
    model.totals[WEIGHT] += weight * past[node, PLAYS]
    model.totals[SQUARE] += weight * past[node, SQUARES]
    sums = seen_sums(ledger, past, node)
    if ledger[DRIFT] == 0.0:
        bring_in(model, sums, node, weight)
        return
    d, spread = model.info.shape[2], ledger[DRIFT]
    then = np.zeros((2, d))
    at = d
    for i in range(d):
        then[0, i] = weight * sums[i]
        for j in range(i + 1):
            model.work[0, i, j] = weight * sums[at + j]
        model.totals[TRACE] += weight * sums[at + i]
        at += i + 1
    for i in range(d):
        then[1, i] = weight * sums[at + i]
    model.totals[LOGDET] += reduce(model.work, then, spread, model.totals[PRODUCTS:TRACE])
    if ledger[KEPT] > 0.0:
        inverse = np.empty((1, d * d))
        invert(model.work, inverse, 0, 0)
        pass_on(inverse[0], then, 1.0 / spread, ledger[KEPT], model.sums[node], model.info[node])


@compiled
def mean_square_of_contexts(model: Model) -> float:
    """Mean of x_j^2 over rounds and coordinates: what makes the spreads free of the contexts' unit."""
    trace: float = model.totals[TRACE]
    mean: float = trace / (model.info.shape[2] * model.totals[WEIGHT]) if trace > 0.0 else 1.0
    return mean


@compiled
def unseen(model: Model, node: int) -> bool:
    """Whether an arm has no rounds."""
    none: bool = model.seen[node] == 0.0
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
    at = 0
    for i in range(d):
        for j in range(i + 1):
            model.work[0, i, j] = model.sums[node, at]
            at += 1
    return True


@compiled
def weigh(model: Model, node: int, spread: float, products: Floats) -> float:
    """Lower the products by a node's part; log det (I + spread A)."""
    if not load(model, node):
        return 0.0
    logdet: float = reduce(model.work, model.info[node], spread, products)
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
        products[i] = model.totals[PRODUCTS + i]
    logdet: float = model.totals[LOGDET]
    for node in range(len(model.tree) - 1, 0, -1):
        if model.tree[node, PARENT] > 0:
            logdet += eliminate(model, node, spread_at(model.derived, node, rho), products)
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
    rounds, weight, square = model.totals[ROUNDS], model.totals[WEIGHT], model.totals[SQUARE]
    offset = products[1] / products[2] if products[2] > 1e-9 * weight else 0.0
    squares = max(products[0] - products[1] * offset, 1e-12 * square + 1e-300)
    return -0.5 * (rounds * math.log(squares) + logdet), squares / rounds, offset
