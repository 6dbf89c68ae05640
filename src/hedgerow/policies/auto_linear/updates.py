"""A round between two refreshes: a rank-one change of the posterior, all the way up from the arm.

With u_k = M_k x at the arm, and at each node above it u = M y for y = u_below / rho (``climb`` in state.py):

    h = x'u_k + sum over the nodes above of y'u      gain = 1 / (1 / w + h)
    mu_v += gain (r - a - mu_k'x) c_v,   c_v = M_v c_parent / rho, plus u_v on the path:  the covariance of theta_v and theta_k'x
    M_v -= u u' / (1 / w + h up to and with v)      on the path
"""

from typing import Any

import numpy as np

from ...core.kernel import compiled, summing
from ...core.records import record
from ...core.sums import PLAYS, SCALARS, SQUARES, TOTAL, dot, usable
from ...core.tree import FIRST, PARENT, SIZE
from ...core.types import Floats, Links
from .misplaced_arms import spread_if_misplaced
from .noise_shape import add_residuals, noise_at
from .refresh import refresh
from .settings import SETTINGS
from .standardize import constant_varies, standardized
from .state import NODE_SIZE, POLICY, Parts, climb, covariance_start, depth_of, room_for, spread_at

LARGEST_LEVERAGE = 1e6
"""A rank-one step subtracts u u' / (1 / w + x'u); beyond this w x'u it would cancel too many digits."""


@summing
def narrow_node(posterior: Floats, node: int, images: Floats, level: int, factor: float) -> None:
    """M -= factor u u'."""
    d = images.shape[1]
    at = covariance_start(d)
    for i in range(d):
        entry = factor * images[level, i]
        for j in range(d):
            posterior[node, at + j] -= entry * images[level, j]
        at += d


@compiled
def narrow_path(tree: Links, posterior: Floats, spread_below: float, leaf: int, images: Floats, inverse_weight: float) -> None:
    """An observation's effect on the covariances along its path."""
    node, scale, variance = leaf, 1.0, inverse_weight
    for level in range(depth_of(tree, leaf), 0, -1):
        for i in range(images.shape[1]):
            variance += scale * images[level, i] * images[level - 1, i]
        narrow_node(posterior, node, images, level - 1, 1.0 / variance)
        scale = 1.0 / spread_at(posterior, node, spread_below)
        node = tree[node, PARENT]


@compiled
def path_to(tree: Links, leaf: int, depth: int) -> Links:
    """The nodes above a leaf from the level right under the root, and the leaf; -1 below it."""
    path = np.full(depth, -1, dtype=np.int32)
    for level in range(depth_of(tree, leaf), 0, -1):
        path[level - 1] = leaf
        leaf = tree[leaf, PARENT]
    return path


@summing
def follow(rows: Floats, node: int, scale: float, moves: Floats, level: int) -> None:
    """The move of a node off the path, scale M y with y the move of its parent."""
    d = moves.shape[1]
    at = covariance_start(d)
    for i in range(d):
        entry = 0.0
        for j in range(d):
            entry += rows[node, at + j] * moves[level, j]
        at += d
        moves[level + 1, i] = scale * entry


@compiled
def move_means(tree: Links, rows: Floats, own: Any, leaf: int, images: Floats, step: float) -> None:
    """Move the means of the branch of a leaf by ``step`` times their covariances with its reward."""
    path = path_to(tree, leaf, int(own.depth))
    moves = np.zeros(images.shape)  # row i + 1: of the node i + 1 levels below the root; row 0: the root's, none
    node, level = path[0], 0
    while True:
        follow(rows, node, 1.0 / spread_at(rows, node, own.spread_below), moves, level)
        for i in range(images.shape[1]):
            if node == path[level]:
                moves[level + 1, i] += step * images[level, i]
            rows[node, NODE_SIZE + i] += moves[level + 1, i]
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
def observe(sums: Floats, node: int, reward: float, context: Floats, weight: float) -> None:
    """Add an observation to a row.

    Args:
        sums: Rows of sums, which change.
        node: The row.
        reward: What the round earned.
        context: Its context, each column in the unit that the user gave.
        weight: w: noise variance of a round of weight 1 over that of this round.
    """
    sums[node, PLAYS] += 1.0
    sums[node, TOTAL] += reward
    sums[node, SQUARES] += reward * reward
    d = context.size
    at = SCALARS + d
    for i in range(d):
        sums[node, SCALARS + i] += weight * reward * context[i]
        for j in range(i + 1):
            sums[node, at + j] += weight * context[i] * context[j]
        at += i + 1
    for i in range(d):
        sums[node, at + i] += weight * context[i]
    at += d
    sums[node, at + PLAYS] += weight - 1.0
    sums[node, at + TOTAL] += (weight - 1.0) * reward
    sums[node, at + SQUARES] += (weight - 1.0) * reward * reward


@compiled
def add_round(tree: Links, online: Floats, leaf: int, reward: float, context: Floats, weight: float) -> None:
    """Add a round to the sums of its arm and every node above it."""
    node = leaf
    while node >= 0:
        observe(online, node, reward, context, weight)
        node = tree[node, PARENT]


@compiled
def prediction_of(own: Any, mean: float, width: float) -> float:
    """z: how far, squared, a round is expected to lie from the level that all arms share, so that no shift of rewards matters."""
    prediction: float = (mean - own.offset) ** 2 + own.noise * width
    return prediction


@compiled
def step(parts: Parts, leaf: int, reward: float, context: Floats) -> float:
    """Add a round to the sums, and to the posterior by a Kalman step; its leverage w h.

    Its residual says something of the noise, unless it is mostly error of estimation, or no unit is known yet.
    """
    tree, online, _, rows, state = parts
    own, inverse_weight, leverage = record(state, POLICY), 1.0, 0.0
    if own.due > 1.0:
        seen = standardized(state, context)
        images = room_for(own, seen)
        width = climb(tree, rows, own.spread_below, leaf, seen, images)
        mean = own.offset + dot(rows, leaf, NODE_SIZE, seen)
        prediction, error = prediction_of(own, mean, width), reward - mean
        inverse_weight = noise_at(own, prediction)
        leverage = width / inverse_weight
        if width <= 1.0 and own.reward_variance > 0.0:
            add_residuals(state, 1.0, prediction, error * error / (1.0 + width))
        move_means(tree, rows, own, leaf, images, error / (inverse_weight + width))
        narrow_path(tree, rows, own.spread_below, leaf, images, inverse_weight)
    add_round(tree, online, leaf, reward, context, 1.0 / inverse_weight)
    own.rounds += 1.0
    own.least, own.largest = min(own.least, reward), max(own.largest, reward)
    return leverage


@compiled
def refresh_due(parts: Parts, leaf: int, leverage: float) -> bool:
    """Whether a refresh is due, after a round of an arm."""
    _, online, history, _, state = parts
    rounds = online[0, PLAYS] + history[0, PLAYS]
    if rounds >= record(state, POLICY).due or leverage > LARGEST_LEVERAGE:
        return True
    if constant_varies(online, history, state):
        return True
    return online[leaf, PLAYS] % SETTINGS.misplaced_every == 0.0 and spread_if_misplaced(parts, leaf) > 0.0


@compiled
def learn(
    tree: Links, online: Floats, history: Floats, rows: Floats, state: Floats, leaf: int, reward: float, context: Floats
) -> bool:
    """Add a round to the sums and bring the posterior up to date; not if the context is unusable."""
    if not usable(context):
        return False
    parts = Parts(tree, online, history, rows, state)
    leverage = step(parts, leaf, reward, context)
    if refresh_due(parts, leaf, leverage):
        refresh(parts)
    return True
