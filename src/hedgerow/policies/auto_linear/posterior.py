"""The posterior of every node from the sums and the model.

mu_v = M_v (b_v - a f_v + mu_parent / rho)      S_v = M_v + M_v S_parent M_v / rho^2
"""

import math

import numpy as np

from ...core.kernel import compiled, summing
from ...core.records import record
from ...core.tree import PARENT, SIZE
from ...core.types import Floats
from ..ridge import squared
from .index import ceiling_of
from .likelihood import Model, clear_messages, eliminate, eliminate_below
from .state import NODE_SIZE, POLICY, ceilings_of, covariance_start, spread_at


@compiled
def largest_root(matrix: Floats) -> float:
    """Root of (tr S^8)^(1/8), which is no less than the largest eigenvalue of S and at most d^(1/8) of it."""
    scale = 0.0
    for i in range(matrix.shape[0]):
        scale = max(scale, matrix[i, i])
    power = np.empty(matrix.shape)
    for i in range(matrix.shape[0]):  # so that the eighth power neither overflows nor vanishes
        for j in range(matrix.shape[0]):
            power[i, j] = matrix[i, j] / scale
    power = squared(squared(power))
    trace = 0.0
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[0]):
            trace += power[i, j] * power[i, j]
    return math.sqrt(scale * trace**0.125) * (1.0 + 1e-9)


@summing
def widen(rows: Floats, node: int, scale: float, above: Floats, half: Floats, whole: Floats) -> None:
    """S = M + (scale M) S_parent (scale M)."""
    d = above.shape[0]
    at = covariance_start(d)
    for i in range(d):
        for j in range(d):
            entry = 0.0
            for k in range(d):
                entry += rows[node, at + i * d + k] * above[j, k]
            half[i, j] = entry * scale
    for i in range(d):
        for j in range(d):
            entry = 0.0
            for k in range(d):
                entry += rows[node, at + i * d + k] * half[j, k]
            whole[i, j] = rows[node, at + i * d + j] + entry * scale


@compiled
def set_mean(model: Model, node: int, scale: float, offset: float) -> None:
    """The mean of a node whose parent has its own."""
    d = model.cross.shape[2]
    parent, at = model.tree[node, PARENT], covariance_start(d)
    for i in range(d):
        mean = 0.0
        for j in range(d):
            entry = model.cross[node, 0, j] - offset * model.cross[node, 1, j]
            if parent > 0:
                entry += scale * model.rows[parent, NODE_SIZE + j]
            mean += model.rows[node, at + i * d + j] * entry
        model.rows[node, NODE_SIZE + i] = mean


@compiled
def solve(model: Model, state: Floats) -> None:
    """The rows of all nodes from the sums and what was estimated."""
    products, d, own = np.empty(3), model.cross.shape[2], record(state, POLICY)
    model.rows[:, covariance_start(d) + d * d :] = 0.0
    eliminate_below(model, own.spread_below, products)
    clear_messages(model, 0)
    for node in range(1, len(model.tree)):
        if model.tree[node, PARENT] == 0:
            eliminate(model, node, own.spread_top, products)
        scale = 1.0 / spread_at(model.rows, node, own.spread_below)
        set_mean(model, node, scale, own.offset)
        inner = model.tree[node, SIZE] > 0
        whole = model.messages[node] if inner else model.work[0]  # S of an inner node takes the place of its A
        widen(model.rows, node, scale, model.messages[model.tree[node, PARENT]], model.work[1], whole)
        if not inner:
            ceilings_of(model.rows)[node] = ceiling_of(own, largest_root(whole))
