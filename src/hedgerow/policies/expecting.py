"""Decisions whose reward is still to come: counted in the width of their arm, settled by their reward, or cancelled."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from ..core.locking import Locked, whole
from ..core.types import Context, Decision, Floats, Label
from . import checks
from .arrays import Nodes
from .rules import Rule
from .waiting import Waiting
from .walks import Walk

Round: TypeAlias = tuple[Label, tuple[float, ...] | None]
"""An arm, and the context it was chosen in."""


class Expecting(Locked):
    """The part of a :class:`Bandit` that waits."""

    name: str
    rule: Rule
    identity: str
    _nodes: Nodes
    _walk: Walk
    _waiting: Waiting[Round]
    _dimension: int | None
    _largest: float

    @abstractmethod
    def _numbers(self, context: Any) -> Floats:
        """A context, or a mapping of raw values, as an array of its own."""

    def expect(self, decision: Decision) -> None:
        """Count a decision whose reward is still to come, so that others made meanwhile do not all repeat it.

        It narrows the width of its arm, and leaves the mean as it is. ``update`` settles it; ``cancel`` if no reward will come.

        >>> import hedgerow as hr
        >>> policy = hr.UCB(["a", "b"])
        >>> first = policy.select()
        >>> policy.expect(first)
        >>> first.arm, policy.select().arm
        ('a', 'b')
        """
        checks.own_decision(decision, self)
        self.anticipate(decision.arm, decision.context)

    @whole
    def anticipate(self, arm: Label, context: Context | None = None) -> None:
        """``expect`` for a round that someone else decided."""
        nodes = self._nodes
        leaf = nodes.arms.leaf(arm)
        x = checks.usable_context(self._numbers(context), self._largest)
        if not self._waiting:
            nodes = nodes._replace(pending=np.zeros((len(nodes.online), nodes.pending.shape[1])))
        self._walk.expect(nodes, leaf, x)
        self._waiting[self._round(leaf, x)] += 1
        self._nodes = nodes

    def _round(self, leaf: int, context: Floats) -> Round:
        """A round as it is counted and saved: without NumPy's own kinds of labels and numbers."""
        return self._nodes.arms.named(leaf)[0], None if self._dimension is None else tuple(context.tolist())

    @property
    def pending(self) -> int:
        """Expected decisions whose reward has not come yet."""
        return self._waiting.total()

    def _settle_round(self, arm: Label, reward: float, context: Floats) -> None:
        leaf = self._nodes.arms.leaf(arm)
        waited = self._round(leaf, context)
        if waited not in self._waiting:  # expected now, so that what others wait for stays counted whatever is made anew
            self.anticipate(*waited)
        self._waiting.settle(waited)
        self._walk.settle(self.rule.number, self._nodes, leaf, reward, context, self._still_waiting(self._nodes))
        self._close()

    def cancel(self, decision: Decision) -> None:
        """Wait no longer for the reward of an expected decision: it will not come.

        >>> import hedgerow as hr
        >>> policy = hr.UCB(["a", "b"])
        >>> decision = policy.select()
        >>> policy.expect(decision)
        >>> policy.cancel(decision)
        >>> policy.pending
        0
        """
        checks.own_decision(decision, self)
        self.dismiss(decision.arm, decision.context)

    @whole
    def dismiss(self, arm: Label, context: Context | None = None) -> None:
        """``cancel`` for a round that someone else decided."""
        leaf = self._nodes.arms.leaf(arm)
        x = checks.usable_context(self._numbers(context), self._largest)
        waited = self._round(leaf, x)
        if waited not in self._waiting:
            raise ValueError(
                f"{self.name} does not wait for a reward of {arm!r}" + ("" if context is None else f" in {x.tolist()}")
            )
        self._waiting.settle(waited)
        self._walk.release(self._nodes, leaf, x, self._still_waiting(self._nodes))
        self._close()

    def _close(self) -> None:
        """Rows of decisions that wait are kept only as long as there are any."""
        if not self._waiting:
            self._nodes = self._nodes._replace(pending=self._nodes.pending[:0])

    def _still_waiting(self, nodes: Nodes) -> Iterator[tuple[int, Floats]]:
        """Leaf and context of every decision that waits for its reward."""
        return ((nodes.arms.leaf(arm), np.array(context or ())) for arm, context in self._waiting.elements())
