"""A choice among some of the arms: the same arrays, cut to these arms and the clusters above them.

A family then chooses as ever. A cluster keeps its own sums, those of its other arms included, and so does the root, which counts
the rounds; only arms that are not among them cannot be chosen.
"""

from typing import NamedTuple

import numpy as np

from ..core.kernel import compiled
from ..core.tree import FIRST, PARENT, SIZE
from ..core.types import Integers, Links
from .family import Arrays, Family


class Part(NamedTuple):
    """Arrays of a part of the tree.

    Args:
        arrays: As a family takes them; ``extra`` is empty.
        nodes: The number that each of its nodes has in the whole tree, in rising order.
    """

    arrays: Arrays
    nodes: Integers


@compiled
def parents_of(tree: Links, nodes: Integers) -> Integers:
    """The parents of nodes in rising order, each once, in rising order: children of earlier nodes have lower numbers."""
    found, count = np.empty(nodes.size, np.int64), 0
    for node in nodes:
        above = tree[node, PARENT]
        if above >= 0 and (count == 0 or found[count - 1] != above):
            found[count] = above
            count += 1
    return found[:count]


@compiled
def union(one: Integers, other: Integers) -> Integers:
    """What is in either of two lists in rising order."""
    found, count, i, j = np.empty(one.size + other.size, np.int64), 0, 0, 0
    while i < one.size or j < other.size:
        first = j == other.size or (i < one.size and one[i] <= other[j])
        node = one[i] if first else other[j]
        if count == 0 or found[count - 1] != node:
            found[count] = node
            count += 1
        if first:
            i += 1
        else:
            j += 1
    return found[:count]


@compiled
def with_those_above(tree: Links, leaves: Integers) -> Integers:
    """Leaves and all nodes above them, in rising order."""
    found, above = leaves, parents_of(tree, leaves)
    while above.size > 0:
        found, above = union(found, above), parents_of(tree, above)
    return found


@compiled
def tree_of(tree: Links, nodes: Integers) -> Links:
    """The tree that some nodes make; children still stand side by side, since they did so before."""
    part, above = np.zeros((nodes.size, 3), np.int32), 0
    part[0, PARENT] = -1
    for place in range(1, nodes.size):
        while nodes[above] != tree[nodes[place], PARENT]:
            above += 1
        part[place, PARENT] = above
        if part[above, SIZE] == 0:
            part[above, FIRST] = place
        part[above, SIZE] += 1
    return part


def cut(family: Family, arrays: Arrays, leaves: Integers) -> Part:
    """The arrays of a policy for some of its arms.

    Args:
        family: What chooses; one whose state has a number for each node cuts that by a ``cut_state`` of its own.
        arrays: What has been learnt; it stays as it is.
        leaves: The nodes of these arms, at least one.

    Returns:
        Copies of the rows of these arms and of the clusters above them.
    """
    nodes = with_those_above(arrays.tree, leaves)
    waiting = arrays.waiting[nodes] if len(arrays.waiting) else arrays.waiting
    online, history, rows = (part[nodes] for part in (arrays.online, arrays.history, arrays.rows))
    cut_state = getattr(family, "cut_state", None)
    state = arrays.state if cut_state is None else cut_state(arrays.state, nodes)
    return Part(Arrays(tree_of(arrays.tree, nodes), online, history, waiting, rows, state), nodes)
