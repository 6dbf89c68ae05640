"""Hierarchical linear UCB: choosing scans the arms, learning moves a whole branch of the tree.

Between refreshes an observation is a rank-one change all the way up. With u_k = M_k x at the arm, and at each node above it
u = M y for y = u_below / rho:

    h = x'u_k + sum over the nodes above of y'u      (= x'S_k x)      gain = 1 / (1 / w + h)
    mu_v += gain (r - a - mu_k'x) c_v,   c_v = M_v c_parent / rho, plus u_v on the path:  the covariance of theta_v and theta_k'x
    M_v -= u u' / (1 / w + h up to and with v)      on the path
"""

import math

import numpy as np

from ...core.kernel import compiled, summing
from ...core.sums import PLAYS, WAITS, dot, usable
from ...core.tree import FIRST, PARENT, SIZE, TIE, least_best, pick
from ...core.types import Floats, Links
from .evidence import CEILING, MEAN, ODD, covariance_start, spread_at
from .ledger import COUNT, DEPTH, LARGEST, LEAST, NEXT, OFFSET, RHO, SIG2, VARIANCE, record
from .lens import dimension_seen, outdated, seen
from .posterior import depth_of
from .rebuild import rebuild
from .shape import noise
from .strangers import ENOUGH, strange
from .sums import observe
from .width import bonus, reach_of

LARGE_LEVERAGE = 1e6
"""A rank-one step subtracts u u' / (1 / w + x'u); beyond this w x'u it would cancel too many digits."""


@summing
def _image(derived: Floats, node: int, scale: float, vectors: Floats, source: int, target: int) -> float:
    """u = scale M y, y and u rows of ``vectors``; returns scale y'u."""
    d = vectors.shape[1]
    at = covariance_start(d)
    product = 0.0
    for i in range(d):
        entry = 0.0
        for j in range(d):
            entry += derived[node, at + j] * vectors[source, j]
        at += d
        vectors[target, i] = scale * entry
        product += scale * entry * scale * vectors[source, i]
    return product


@compiled
def _room(ledger: Floats, context: Floats) -> Floats:
    """Room for a vector per level of the tree, and one for the context."""
    return np.empty((int(ledger[DEPTH]) + 1, context.size))


@compiled
def _climb(tree: Links, derived: Floats, ledger: Floats, node: int, context: Floats, images: Floats) -> float:
    """h = x'S x of a node; row i of ``images`` becomes the u of the node i + 1 levels below the root."""
    depth = depth_of(tree, node)
    for i in range(context.size):
        images[depth, i] = context[i]
    scale, width = 1.0, 0.0
    for level in range(depth, 0, -1):
        width += _image(derived, node, scale, images, level, level - 1)
        scale = 1.0 / spread_at(derived, node, ledger[RHO])
        node = tree[node, PARENT]
    return max(width, 0.0)


@compiled
def choose(tree: Links, rows: Floats, derived: Floats, ledger: Floats, context: Floats, uniform: float) -> int:
    """The arm of the highest index mu'x + bonus, or -1 for a context that is not usable.

    Of equal ones the first, or one at random by ``uniform`` >= 0. S only shrinks until the next refresh, so the ceilings of that
    refresh tell which arms could not be the best; the arm of the highest mean goes first.
    """
    if not usable(context):
        return -1
    context = seen(ledger, context)
    values, highest, images = np.empty(len(tree)), np.full(len(tree), -math.inf), _room(ledger, context)
    length = 0.0
    for value in context:
        length += value * value
    reach = reach_of(ledger, length)
    lead, top = 0, -math.inf
    for node in range(1, len(tree)):
        if tree[node, SIZE] == 0:
            values[node] = dot(derived, node, MEAN, context)
            highest[node] = values[node] + reach * rows[node, CEILING]
            if values[node] > top:
                lead, top = node, values[node]
    values[lead] += bonus(ledger, _climb(tree, derived, ledger, lead, context, images))
    best, highest[lead] = values[lead], math.inf
    least = least_best(best, TIE)
    finalists, count = np.full(len(tree), lead), 0
    for node in range(1, len(tree)):
        if highest[node] >= least:
            value = values[node]
            if node != lead:
                value += bonus(ledger, _climb(tree, derived, ledger, node, context, images))
                if value > best:
                    best = value
                    least = least_best(best, TIE)
            finalists[count] = node
            values[count] = value  # those of earlier nodes are no longer needed
            count += 1
    chosen: int = finalists[pick(values[:count], best, TIE, uniform)]
    return chosen


@compiled
def estimate(tree: Links, derived: Floats, ledger: Floats, context: Floats, node: int) -> tuple[float, float]:
    """Mean and variance of the expected reward of an arm, or of a cluster's centroid."""
    context = seen(ledger, context)
    width = _climb(tree, derived, ledger, node, context, _room(ledger, context))
    return ledger[OFFSET] + dot(derived, node, MEAN, context), ledger[SIG2] * width


@summing
def _narrow_node(derived: Floats, node: int, images: Floats, level: int, factor: float) -> None:
    d = images.shape[1]
    at = covariance_start(d)
    for i in range(d):
        entry = factor * images[level, i]
        for j in range(d):
            derived[node, at + j] -= entry * images[level, j]
        at += d


@compiled
def _narrow(tree: Links, derived: Floats, ledger: Floats, leaf: int, images: Floats, inverse_weight: float) -> None:
    """An observation's effect on the covariances along its path."""
    node, scale, variance = leaf, 1.0, inverse_weight
    for level in range(depth_of(tree, leaf), 0, -1):
        for i in range(images.shape[1]):
            variance += scale * images[level, i] * images[level - 1, i]
        _narrow_node(derived, node, images, level - 1, 1.0 / variance)
        scale = 1.0 / spread_at(derived, node, ledger[RHO])
        node = tree[node, PARENT]


@compiled
def _path(tree: Links, leaf: int, depth: int) -> Links:
    """The nodes above a leaf from the level right under the root, and the leaf; -1 below it."""
    path = np.full(depth, -1, dtype=np.int32)
    for level in range(depth_of(tree, leaf), 0, -1):
        path[level - 1] = leaf
        leaf = tree[leaf, PARENT]
    return path


@summing
def _follow(derived: Floats, node: int, scale: float, moves: Floats, level: int) -> None:
    """The move of a node off the path, scale M y with y the move of its parent."""
    d = moves.shape[1]
    at = covariance_start(d)
    for i in range(d):
        entry = 0.0
        for j in range(d):
            entry += derived[node, at + j] * moves[level, j]
        at += d
        moves[level + 1, i] = scale * entry


@compiled
def _move(tree: Links, derived: Floats, ledger: Floats, leaf: int, images: Floats, step: float) -> None:
    """Move the means of the branch of a leaf by ``step`` times their covariances with its reward."""
    path = _path(tree, leaf, int(ledger[DEPTH]))
    moves = np.zeros(images.shape)  # row i + 1: of the node i + 1 levels below the root; row 0: the root's, none
    node, level = path[0], 0
    while True:
        _follow(derived, node, 1.0 / spread_at(derived, node, ledger[RHO]), moves, level)
        for i in range(images.shape[1]):
            if node == path[level]:
                moves[level + 1, i] += step * images[level, i]
            derived[node, MEAN + i] += moves[level + 1, i]
        if tree[node, SIZE] > 0:
            node = tree[node, FIRST]
            level += 1
            continue
        while level > 0 and node + 1 == tree[tree[node, PARENT], FIRST] + tree[tree[node, PARENT], SIZE]:
            node = tree[node, PARENT]
            level -= 1
        if level == 0:
            return
        node += 1


@compiled
def _add(tree: Links, online: Floats, ledger: Floats, leaf: int, reward: float, context: Floats, weight: float) -> None:
    """Add an observation to an arm, every node above it and the ledger."""
    node = leaf
    while node >= 0:
        observe(online, node, reward, context, weight)
        node = tree[node, PARENT]
    ledger[COUNT] += 1.0
    ledger[LEAST] = min(ledger[LEAST], reward)
    ledger[LARGEST] = max(ledger[LARGEST], reward)


@compiled
def _due(tree: Links, online: Floats, past: Floats, derived: Floats, ledger: Floats, leaf: int, leverage: float) -> bool:
    """Whether a refresh is due, after a round of an arm."""
    if online[0, PLAYS] + past[0, PLAYS] >= ledger[NEXT] or leverage > LARGE_LEVERAGE or outdated(online, past, ledger):
        return True
    return online[leaf, PLAYS] % ENOUGH == 0.0 and strange(tree, online, past, derived, ledger, leaf) > 0.0


@compiled
def _lean(ledger: Floats, mean: float, width: float) -> float:
    """z: how far, squared, a round is expected to lie from the level that all arms share, so that no shift of rewards matters."""
    lean: float = (mean - ledger[OFFSET]) ** 2 + ledger[SIG2] * width
    return lean


@compiled
def _note(ledger: Floats, mean: float, width: float, error: float) -> None:
    """Record a residual for the noise shape, unless it is mostly error of estimation, or no unit is known yet."""
    if width <= 1.0 and ledger[VARIANCE] > 0.0:
        record(ledger, _lean(ledger, mean, width), error * error / (1.0 + width))


@compiled
def _step(tree: Links, online: Floats, derived: Floats, ledger: Floats, leaf: int, reward: float, context: Floats) -> float:
    """Add an observation to the sums, and to the posterior by a Kalman step; its leverage w h."""
    inverse_weight, leverage = 1.0, 0.0
    if ledger[NEXT] > 1.0:
        view = seen(ledger, context)
        images = _room(ledger, view)
        width = _climb(tree, derived, ledger, leaf, view, images)
        mean = ledger[OFFSET] + dot(derived, leaf, MEAN, view)
        inverse_weight = noise(ledger, _lean(ledger, mean, width))
        leverage = width / inverse_weight
        _note(ledger, mean, width, reward - mean)
        _move(tree, derived, ledger, leaf, images, (reward - mean) / (inverse_weight + width))
        _narrow(tree, derived, ledger, leaf, images, inverse_weight)
    _add(tree, online, ledger, leaf, reward, context, 1.0 / inverse_weight)
    return leverage


@compiled
def learn(
    tree: Links, online: Floats, past: Floats, derived: Floats, ledger: Floats, leaf: int, reward: float, context: Floats
) -> bool:
    """Add an observation to the sums and bring the posterior up to date; not if the context is unusable."""
    if not usable(context):
        return False
    leverage = _step(tree, online, derived, ledger, leaf, reward, context)
    if _due(tree, online, past, derived, ledger, leaf, leverage):
        rebuild(tree, online, past, derived, ledger)
    return True


@compiled
def _count(tree: Links, waiting: Floats, leaf: int, more: float) -> None:
    """So many more decisions wait at an arm and every node above it."""
    node = leaf
    while node >= 0:
        waiting[node, WAITS] += more
        node = tree[node, PARENT]


@compiled
def expect(tree: Links, waiting: Floats, rows: Floats, ledger: Floats, leaf: int, context: Floats) -> None:
    """A decision whose reward is still to come: covariances move as they will, means stay.

    The posterior with such decisions is kept in the rows of what waits, beside their counts.
    """
    if waiting[0, WAITS] == 0.0:
        waiting[:, ODD:] = rows[:, ODD:]
    _count(tree, waiting, leaf, 1.0)
    narrow(tree, waiting, ledger, leaf, context)


@compiled
def forget(tree: Links, waiting: Floats, rows: Floats, leaf: int) -> None:
    """A decision whose reward will not come: the posterior without any that wait; those that still wait must narrow it again."""
    waiting[:, MEAN:] = rows[:, MEAN:]
    _count(tree, waiting, leaf, -1.0)


@compiled
def narrow(tree: Links, derived: Floats, ledger: Floats, leaf: int, context: Floats) -> None:
    """The covariances as they will be once a decision has its reward."""
    context = seen(ledger, context)
    images = _room(ledger, context)
    width = _climb(tree, derived, ledger, leaf, context, images)
    mean = ledger[OFFSET] + dot(derived, leaf, MEAN, context)
    _narrow(tree, derived, ledger, leaf, images, noise(ledger, _lean(ledger, mean, width)))


@compiled
def settle(
    tree: Links,
    online: Floats,
    past: Floats,
    waiting: Floats,
    rows: Floats,
    ledger: Floats,
    leaf: int,
    reward: float,
    context: Floats,
) -> bool:
    """The reward of an expected decision, learnt by the posterior without those that wait; whether there was a refresh.

    After a refresh the decisions that still wait must narrow the covariances again.
    """
    leverage = _step(tree, online, rows, ledger, leaf, reward, context)
    _count(tree, waiting, leaf, -1.0)
    if _due(tree, online, past, rows, ledger, leaf, leverage):
        rebuild(tree, online, past, rows, ledger)
        waiting[:, ODD:] = rows[:, ODD:]
        return True
    last = covariance_start(dimension_seen(ledger))
    waiting[:, MEAN:last] = rows[:, MEAN:last]
    return False
