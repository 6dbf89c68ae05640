"""Decisions that wait for their reward, for walks whose rows of pending decisions say it all."""

from collections.abc import Iterable

from ..nodes import Nodes
from ..statistics import pending_size as pending_size
from ..tree import await_at
from ..types import Floats


def expect(nodes: Nodes, leaf: int, context: Floats) -> None:
    """Count a decision that waits for its reward."""
    await_at(nodes.arms.tree, nodes.online, nodes.past, nodes.pending, nodes.derived, leaf, context, 1.0)


def release(nodes: Nodes, leaf: int, context: Floats, others: Iterable[tuple[int, Floats]] = ()) -> None:
    """Count it no longer."""
    await_at(nodes.arms.tree, nodes.online, nodes.past, nodes.pending, nodes.derived, leaf, context, -1.0)
