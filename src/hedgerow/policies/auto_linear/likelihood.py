"""How likely the rewards are under given spreads.

A node is integrated out given its parent (A: sums of w xx' of an arm, of messages for an inner node; b, f: sums of w r x and w x,
or of messages):

    M = (A + I / rho)^-1      message to the parent: I / rho - M / rho^2,  M b / rho,  M f / rho
    <y, z> = sum w y z - sum over nodes of b_y' M b_z      for y, z in {r, 1}, b_r = b, b_1 = f:  y' V^-1 z
    a = <1, r> / <1, 1>      sig2 = (<r, r> - <1, r>^2 / <1, 1>) / n
    log likelihood = -1/2 [n log sig2 + sum over nodes of log det (I + rho A)] + constant

An arm that was found not to belong where it is has a wider spread than rho (misplaced_arms.py).

A round's weight w is fixed when it arrives; history, known as sums, gets one per arm (``history_weight``) at each refresh.
Where history is off, it is that of a theta_then ~ N(c theta_k, delta sig2 I), integrated out before all others, as a child of its
arm: its message takes the place of its sums. c is the share that is left of what it says: with c = 0 it says nothing, however
widely its arms differ.
"""

import math
from typing import NamedTuple

import numpy as np

from ...core.kernel import compiled, inlined, summing
from ...core.records import Field, kind_of, record, width
from ...core.sums import PLAYS, SQUARES, TOTAL, packed_size
from ...core.tree import FIRST, PARENT, SIZE
from ...core.types import Floats, Links
from .cholesky import integrate_out, invert, pass_on
from .noise_shape import history_weight
from .standardize import standardized_sums
from .state import POLICY, Parts, covariance_start, dimension_given, dimension_seen, spread_at, tells_nothing
from .sums import weighed

TOTALS_FIELDS = (
    Field("rounds"),  # n
    Field("products", shape=(3,)),  # <r, r>, <1, r>, <1, 1> before any node is integrated out
    Field("trace"),  # of sum w x x'
    Field("weight"),  # sum w
    Field("squares"),  # sum w r^2
    Field("log_det"),  # of the histories that were integrated out
)
TOTALS, TOTALS_SIZE = kind_of(TOTALS_FIELDS), width(TOTALS_FIELDS)


class Model(NamedTuple):
    """The sums as the likelihood takes them, and room for those of inner nodes.

    Args:
        tree: First child, number of children and parent of each node.
        rows: What is known of each node.
        totals: Sums over all rounds, by the names of TOTALS.
        moments: A of the arms, packed.
        messages: A of the inner nodes.
        cross: b and f of all nodes.
        rounds: Rounds of all nodes.
        work: Room for four matrices.
    """

    tree: Links
    rows: Floats
    totals: Floats
    moments: Floats
    messages: Floats
    cross: Floats
    rounds: Floats
    work: Floats


class Fit(NamedTuple):
    """What is likeliest under given spreads.

    Args:
        log_likelihood: Up to a constant.
        noise: sig2.
        offset: a.
    """

    log_likelihood: float
    noise: float
    offset: float


@compiled
def pose(parts: Parts, whole: bool) -> Model:
    """The sums of a policy as the likelihood takes them; no node is integrated out yet.

    A history that was found to say nothing of the arms says nothing of the noise either, and is left out.

    Args:
        parts: The arrays of the policy. The model shares their ``tree`` and ``rows``.
        whole: Whether such a history is included all the same, so that its likelihood can be compared.

    Returns:
        The model.
    """
    tree, online, history, rows, state = parts
    heard = whole or not tells_nothing(record(state, POLICY))
    nodes, d, inner = len(tree), dimension_seen(state), 0
    for node in range(nodes):
        if tree[node, SIZE] > 0:
            inner = node
    sums, given = np.zeros(TOTALS_SIZE), dimension_given(state)
    totals = record(sums, TOTALS)
    totals.rounds = online[0, PLAYS]
    totals.products[0] = totals.squares = weighed(online, 0, SQUARES, given)
    totals.products[1] = weighed(online, 0, TOTAL, given)
    totals.products[2] = totals.weight = weighed(online, 0, PLAYS, given)
    moments, cross, work = np.zeros((nodes, packed_size(d))), np.zeros((nodes, 2, d)), np.zeros((4, d, d))
    rounds = online[:, PLAYS] + heard * history[:, PLAYS]
    model = Model(tree, rows, sums, moments, np.zeros((inner + 1, d, d)), cross, rounds, work)
    for node in range(nodes):
        if tree[node, SIZE] == 0:
            bring_in(model, standardized_sums(state, online, node), node, 1.0)
            if heard and history[node, PLAYS] > 0.0:
                bring_in_history(model, history, state, node)
    return model


@compiled
def bring_in(model: Model, sums: Floats, node: int, weight: float) -> None:
    """Add sums with contexts, as they are seen, to those of an arm."""
    d, totals = model.cross.shape[2], record(model.totals, TOTALS)
    at = d
    for i in range(d):
        model.cross[node, 0, i] += weight * sums[i]
        for j in range(i + 1):
            model.moments[node, at - d + j] += weight * sums[at + j]
        totals.trace += weight * sums[at + i]
        at += i + 1
    for i in range(d):
        model.cross[node, 1, i] += weight * sums[at + i]


@compiled
def bring_in_history(model: Model, history: Floats, state: Floats, node: int) -> None:
    """Add an arm's history, or what can be told from it if it is off."""
    weight, own, totals = history_weight(history, state, node), record(state, POLICY), record(model.totals, TOTALS)
    totals.rounds += history[node, PLAYS]
    totals.products[0] += weight * history[node, SQUARES]
    totals.products[1] += weight * history[node, TOTAL]
    totals.products[2] += weight * history[node, PLAYS]
    totals.weight += weight * history[node, PLAYS]
    totals.squares += weight * history[node, SQUARES]
    sums = standardized_sums(state, history, node)
    if own.drift == 0.0:
        bring_in(model, sums, node, weight)
        return
    pair = at_the_time(model, sums, weight)
    totals.log_det += integrate_out(model.work, pair, own.drift, totals.products)
    if own.kept > 0.0:
        inverse = np.empty((1, model.work.shape[1] ** 2))
        invert(model.work, inverse, 0, 0)
        pass_on(inverse[0], pair, 1.0 / own.drift, own.kept, model.moments[node], model.cross[node])


@inlined
def at_the_time(model: Model, sums: Floats, weight: float) -> Floats:
    """A of a history that is off into work[0], lower triangle; its b and f."""
    d, trace = model.cross.shape[2], 0.0
    pair, at = np.zeros((2, d)), d
    for i in range(d):
        pair[0, i] = weight * sums[i]
        for j in range(i + 1):
            model.work[0, i, j] = weight * sums[at + j]
        trace += weight * sums[at + i]
        at += i + 1
    for i in range(d):
        pair[1, i] = weight * sums[at + i]
    record(model.totals, TOTALS).trace += trace
    return pair


@compiled
def load(model: Model, node: int) -> bool:
    """Copy A of a node into the lower triangle of work[0].

    Args:
        model: The sums; ``work`` changes.
        node: An arm, or an inner node that has the messages of its children.

    Returns:
        False for an arm without rounds: its A is zero, and nothing is copied.
    """
    d = model.cross.shape[2]
    if model.tree[node, SIZE] > 0:
        for i in range(d):
            for j in range(i + 1):
                model.work[0, i, j] = model.messages[node, i, j]
        return True
    if model.rounds[node] == 0.0:
        return False
    at = 0
    for i in range(d):
        for j in range(i + 1):
            model.work[0, i, j] = model.moments[node, at]
            at += 1
    return True


@compiled
def weigh(model: Model, node: int, spread: float, products: Floats) -> float:
    """Lower the products by a node's part; log det (I + spread A)."""
    if not load(model, node):
        return 0.0
    log_det: float = integrate_out(model.work, model.cross[node], spread, products)
    return log_det


@summing
def send(model: Model, node: int, scale: float) -> None:
    """A node's messages to its parent, M in place: I / rho - M / rho^2, M b / rho, M f / rho; scale = 1 / rho."""
    d = model.cross.shape[2]
    parent, at = model.tree[node, PARENT], covariance_start(d)
    for i in range(d):
        first, second = 0.0, 0.0
        for j in range(d):
            entry = scale * model.rows[node, at + j]
            first += entry * model.cross[node, 0, j]
            second += entry * model.cross[node, 1, j]
            model.messages[parent, i, j] -= scale * entry
        at += d
        model.cross[parent, 0, i] += first
        model.cross[parent, 1, i] += second
        model.messages[parent, i, i] += scale


@compiled
def eliminate(model: Model, node: int, spread: float, products: Floats) -> float:
    """Integrate a node out given its parent: M into its row, messages to the parent; the rest as ``weigh``."""
    d = model.cross.shape[2]
    start = covariance_start(d)
    if model.tree[node, SIZE] == 0 and model.rounds[node] == 0.0:
        for i in range(d):
            for j in range(d):
                model.rows[node, start + i * d + j] = spread if i == j else 0.0
        return 0.0
    log_det: float = weigh(model, node, spread, products)
    invert(model.work, model.rows, node, start)
    if model.tree[node, PARENT] > 0:
        send(model, node, 1.0 / spread)
    return log_det


@compiled
def clear_messages(model: Model, node: int) -> None:
    """Forget the messages to an inner node."""
    for i in range(model.cross.shape[2]):
        model.cross[node, 0, i] = 0.0
        model.cross[node, 1, i] = 0.0
        for j in range(model.cross.shape[2]):
            model.messages[node, i, j] = 0.0


@compiled
def eliminate_below(model: Model, spread_below: float, products: Floats) -> float:
    """Integrate out all nodes but those right under the root; children come before their parents.

    Args:
        model: The sums. M of these nodes goes into ``rows``, their messages into ``messages`` and ``cross``.
        spread_below: rho: variance of a coefficient around that of the parent node, in noise variances.
        products: Room for three numbers, which become <r, r>, <1, r> and <1, 1> less the parts of these nodes.

    Returns:
        Sum of log det (I + rho A) over these nodes, plus that of the histories that ``pose`` integrated out.
    """
    for node in range(len(model.messages)):
        if model.tree[node, SIZE] > 0:
            clear_messages(model, node)
    totals = record(model.totals, TOTALS)
    for i in range(3):
        products[i] = totals.products[i]
    log_det: float = totals.log_det
    for node in range(len(model.tree) - 1, 0, -1):
        if model.tree[node, PARENT] > 0:
            log_det += eliminate(model, node, spread_at(model.rows, node, spread_below), products)
    return log_det


@compiled
def eliminate_top(model: Model, spread_top: float, products: Floats) -> float:
    """Integrate out the nodes right under the root, after the others; nothing is kept of it."""
    first = model.tree[0, FIRST]
    log_det = 0.0
    for node in range(first, first + model.tree[0, SIZE]):
        log_det += weigh(model, node, spread_top, products)
    return log_det


@compiled
def profile(model: Model, log_det: float, products: Floats) -> Fit:
    """The likeliest noise variance and offset, and the log likelihood at these two.

    Args:
        model: The sums; there is at least one round.
        log_det: Sum of log det (I + rho A) over all that was integrated out.
        products: <r, r>, <1, r> and <1, 1> less the parts of all that was integrated out.

    Returns:
        Log likelihood in nats up to a constant, noise variance in squared rewards, offset in rewards.
    """
    totals = record(model.totals, TOTALS)
    offset = products[1] / products[2] if products[2] > 1e-9 * totals.weight else 0.0
    squares = max(products[0] - products[1] * offset, 1e-12 * totals.squares + 1e-300)
    return Fit(-0.5 * (totals.rounds * math.log(squares) + log_det), squares / totals.rounds, offset)


@compiled
def fit_at(model: Model, spread_top: float, spread_below: float) -> Fit:
    """The same under these spreads."""
    products = np.empty(3)
    log_det = eliminate_below(model, spread_below, products)
    log_det += eliminate_top(model, spread_top, products)
    return profile(model, log_det, products)
