"""Decisions that wait for their reward, for walks whose rows of pending decisions say it all."""

from collections.abc import Iterable

from ...core.kernel import compiled
from ...core.sums import await_reward
from ...core.sums import pending_size as pending_size
from ...core.tree import PARENT
from ...core.types import Floats, Links
from ..arrays import Nodes
from ..ridge import refresh


@compiled
def await_at(
    tree: Links, online: Floats, past: Floats, pending: Floats, derived: Floats, leaf: int, context: Floats, sign: float
) -> None:
    """Count a decision as waiting for its reward, or no longer, at its arm and every node above it."""
    node = leaf
    while node >= 0:
        await_reward(pending, node, context, sign)
        if context.size > 0 and node > 0:
            refresh(online, past, pending, derived, node, context.size)
        node = tree[node, PARENT]


def expect(nodes: Nodes, leaf: int, context: Floats) -> None:
    """Count a decision that waits for its reward."""
    await_at(nodes.arms.tree, nodes.online, nodes.past, nodes.pending, nodes.derived, leaf, context, 1.0)


def release(nodes: Nodes, leaf: int, context: Floats, others: Iterable[tuple[int, Floats]] = ()) -> None:
    """Count it no longer."""
    await_at(nodes.arms.tree, nodes.online, nodes.past, nodes.pending, nodes.derived, leaf, context, -1.0)
