"""Decisions whose reward is still to come: counted in the width of their arm, settled by their reward, or cancelled."""

import numpy as np

from ..core import validate
from ..core.sums import PLAYS
from ..core.types import Decision, Floats
from . import checks, learnt
from .changeable import Changeable
from .learnt import Round


class Expecting(Changeable):
    """The part of a Bandit that waits.

    The list of decisions that wait is the truth; the arrays follow it. Whatever interrupts a change, the list is brought in line
    with what was learnt, and the arrays with the list.
    """

    def _settle(self, leaf: int, reward: float, x: Floats) -> None:
        """Learn a reward while decisions wait: of one that was not expected, too, which is expected now."""
        key = self._round(leaf, x)
        if key not in self._learnt.waiting:
            self._wait(key, leaf, x, 1)
        now = self._learnt
        count, plays = now.waiting[key], now.arrays.online[0, PLAYS]
        try:
            now.waiting.set(key, count - 1)
            self._family.learn(now.arrays, leaf, reward, x, now.still_waiting())
        except BaseException:  # whatever interrupts: the count follows what was learnt, all else follows the count
            now.waiting.set(key, count - int(now.arrays.online[0, PLAYS] > plays))
            self._learnt = learnt.recounted(self._recipe, now)
            raise
        self._close()

    def _wait(self, key: Round, leaf: int, x: Floats, times: int) -> None:
        """Count a decision that waits for its reward, or no longer."""
        now = self._learnt
        arrays, count = now.arrays, now.waiting[key]
        if not now.waiting:
            width = arrays.waiting.shape[1]
            arrays = arrays._replace(waiting=np.zeros((len(arrays.online), width)))
        try:
            now.waiting.set(key, count + times)
            self._family.wait(arrays, leaf, x, times, now.still_waiting())
            self._learnt = now._replace(arrays=arrays)
        except BaseException:
            self._learnt = learnt.recounted(self._recipe, now)
            raise

    def _close(self) -> None:
        """Rows of decisions that wait are kept only as long as there are any."""
        now = self._learnt
        if not now.waiting and len(now.arrays.waiting):
            self._learnt = now._replace(arrays=now.arrays._replace(waiting=now.arrays.waiting[:0]))

    def _round(self, leaf: int, x: Floats) -> Round:
        """A round as it is counted and saved: without NumPy's own kinds of labels and numbers."""
        return self._learnt.arms.named(leaf)[0], None if self._dimension is None else tuple(x.tolist())

    def expect(self, decision: Decision) -> None:
        """Count a decision whose reward is still to come, so that others made meanwhile do not all repeat it.

        It narrows the width of its arm, and leaves the mean as it is. ``update`` settles it; ``cancel`` if no reward will come.

        Args:
            decision: From ``select`` of this policy; or ``Decision(arm, context=...)``, which names no policy, for a round that
                someone else decided.

        Raises:
            ValueError: The decision is another policy's.
            KeyError: The arm is not there.

        Examples:
            >>> import hedgerow as hr
            >>> policy = hr.UCB(["a", "b"])
            >>> first = policy.select()
            >>> policy.expect(first)
            >>> first.arm, policy.select().arm
            ('a', 'b')
        """
        checks.own_decision(decision, self)
        with self._lock:
            leaf = self._learnt.arms.leaf(decision.arm)
            x = validate.usable_context(self._numbers(decision.context), self._largest)
            self._wait(self._round(leaf, x), leaf, x, 1)

    def cancel(self, decision: Decision) -> None:
        """Wait no longer for the reward of an expected decision: it will not come.

        Args:
            decision: One that was expected.

        Raises:
            ValueError: No such decision waits.
            KeyError: The arm is not there.

        Examples:
            >>> import hedgerow as hr
            >>> policy = hr.UCB(["a", "b"])
            >>> decision = policy.select()
            >>> policy.expect(decision)
            >>> policy.cancel(decision)
            >>> policy.waiting
            0
        """
        checks.own_decision(decision, self)
        with self._lock:
            leaf = self._learnt.arms.leaf(decision.arm)
            x = validate.usable_context(self._numbers(decision.context), self._largest)
            key = self._round(leaf, x)
            if key not in self._learnt.waiting:
                where = "" if self._dimension is None else f" in {x.tolist()}"
                raise ValueError(f"{self.name} does not wait for a reward of {decision.arm!r}{where}")
            self._wait(key, leaf, x, -1)
            self._close()
