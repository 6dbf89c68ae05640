"""The width of an arm in a context, h = x'S x, by climbing from the arm to the root.

With u = M_k x at the arm, and at each node above it u = M y for y = u_below / rho: h = x'u + the sum over the nodes above of y'u.
"""

from typing import Any

import numpy as np

from ...core.kernel import compiled, summing
from ...core.tree import PARENT
from ...core.types import Floats, Links
from .state import covariance_start, spread_at


@compiled
def depth_of(tree: Links, node: int) -> int:
    """Levels from the root down to a node."""
    depth = 0
    while tree[node, PARENT] >= 0:
        node = tree[node, PARENT]
        depth += 1
    return depth


@summing
def image(posterior: Floats, node: int, scale: float, vectors: Floats, source: int, target: int) -> float:
    """u = scale M y, y and u rows of ``vectors``; returns scale y'u."""
    d = vectors.shape[1]
    at = covariance_start(d)
    product = 0.0
    for i in range(d):
        entry = 0.0
        for j in range(d):
            entry += posterior[node, at + j] * vectors[source, j]
        at += d
        vectors[target, i] = scale * entry
        product += scale * entry * scale * vectors[source, i]
    return product


@compiled
def room_for(own: Any, context: Floats) -> Floats:
    """Room for a vector per level of the tree, and one for the context."""
    return np.empty((int(own.depth) + 1, context.size))


@compiled
def climb(tree: Links, posterior: Floats, spread_below: float, node: int, context: Floats, images: Floats) -> float:
    """h = x'S x of a node; row i of ``images`` becomes the u of the node i + 1 levels below the root."""
    depth = depth_of(tree, node)
    for i in range(context.size):
        images[depth, i] = context[i]
    scale, width = 1.0, 0.0
    for level in range(depth, 0, -1):
        width += image(posterior, node, scale, images, level, level - 1)
        scale = 1.0 / spread_at(posterior, node, spread_below)
        node = tree[node, PARENT]
    return max(width, 0.0)
