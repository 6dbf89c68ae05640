"""The part of a Bandit that waits: decisions whose reward is still to come count in the width of their arm."""

import numpy as np

from ..core import validate
from ..core.sums import PLAYS, waiting_at
from ..core.types import ArmType, Decision, Floats
from . import checks
from .bandit_changes import BanditChanges
from .family import Arrays
from .learnt import Learnt, Round
from .waiting import Expected, Id, check_same, checked_id, expected


class BanditWaiting(BanditChanges[ArmType]):
    """Decisions are expected, settled by their reward, or cancelled.

    A family changes its arrays in one compiled call, which nothing interrupts; the list of rounds that wait, and the reference to
    new arrays, follow in Python. Where an exception comes between, the arrays tell what was done, and the rest is done before it
    is raised: the state is that of before or of after.
    """

    def _settle(self, leaf: int, reward: float, x: Floats, id: Id | None) -> None:
        """Learn a reward while decisions wait; one that was not expected is expected first, so that it settles no other."""
        key, now = self._round(leaf, x, id), self._learnt
        waited, all_waited, plays = now.waiting[key], waiting_at(now.arrays.waiting, 0), now.arrays.online[0, PLAYS]
        try:
            if not waited:
                self._wait(key, leaf, x, 1)
            self._learn_waited(key, leaf, reward, x)
        except BaseException:
            now = self._learnt
            if now.arrays.online[0, PLAYS] > plays:
                now.waiting.set(key, waited - 1)
            elif waiting_at(now.arrays.waiting, 0) > all_waited:
                now.waiting.set(key, 1)
                self._learn_waited(key, leaf, reward, x)
            else:
                now.waiting.set(key, waited)
            raise
        self._close()

    def _learn_waited(self, key: Round, leaf: int, reward: float, x: Floats) -> None:
        """Learn a reward that is waited for."""
        now = self._learnt
        now.waiting.set(key, now.waiting[key] - 1)
        self._family.learn(now.arrays, leaf, reward, x, now.still_waiting())

    def _wait(self, key: Round, leaf: int, x: Floats, times: int) -> None:
        """Count a decision that waits for its reward, or no longer."""
        now = self._learnt
        arrays, count = _with_room(now), now.waiting[key]
        waited = waiting_at(arrays.waiting, 0)
        try:
            now.waiting.set(key, count + times)
            self._family.wait(arrays, leaf, x, times, now.still_waiting())
            self._learnt = now._replace(arrays=arrays)
        except BaseException:
            done = waiting_at(arrays.waiting, 0) != waited
            now.waiting.set(key, count + times if done else count)
            self._learnt = now._replace(arrays=arrays) if done else now
            raise

    def _close(self) -> None:
        """Rows of decisions that wait are kept only as long as there are any."""
        now = self._learnt
        if not now.waiting and len(now.arrays.waiting):
            self._learnt = now._replace(arrays=now.arrays._replace(waiting=now.arrays.waiting[:0]))

    def _round(self, leaf: int, x: Floats, id: Id | None) -> Round:
        """A round as it is counted and saved: without NumPy's own kinds of labels and numbers."""
        key = self._learnt.arms.named(leaf)[0], None if self._dimension is None else tuple(x.tolist()), id
        check_same(self._learnt.waiting, key)
        return key

    @property
    def waiting(self) -> list[Expected]:
        """The expected decisions whose reward has not come yet."""
        return list(expected(self._learnt.waiting, experts=False))

    def expect(self, decision: Decision, *, id: Id | None = None) -> None:
        """Count a decision whose reward is still to come, so that others made meanwhile do not all repeat it.

        It narrows the width of its arm, and leaves the mean as it is. ``update`` settles it; ``cancel`` if no reward will come.

        Args:
            decision: From ``select`` of this policy; or ``Decision(arm, context=...)``, which names no policy, for a round that
                someone else decided.
            id: What you call it, such as the number of a request: then only a reward with that id settles it. To expect the same
                decision under the same id again changes nothing.

        Raises:
            ValueError: The decision is another policy's, or another one waits under that id.
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
            key = self._round(leaf, x, None if id is None else checked_id(id))
            if id is None or key not in self._learnt.waiting:
                self._wait(key, leaf, x, 1)

    def cancel(self, decision: Decision | Id) -> None:
        """Wait no longer for the reward of an expected decision: it will not come.

        Args:
            decision: One that was expected without an id, or the id of one.

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
            []
        """
        if isinstance(decision, Decision):
            checks.own_decision(decision, self)
        with self._lock:
            key = self._key_of(decision)
            if key not in self._learnt.waiting:
                raise ValueError(f"{self.name} does not wait for a reward of {_called(key)}")
            self._wait(key, self._learnt.arms.leaf(key[0]), np.array(key[1] or ()), -1)
            self._close()

    def _key_of(self, decision: Decision | Id) -> Round:
        """The round of an own decision, or that waits under an id."""
        if not isinstance(decision, Decision):
            return self._learnt.waiting.of(checked_id(decision)) or ((), None, decision)
        x = validate.usable_context(self._numbers(decision.context), self._largest)
        return self._round(self._learnt.arms.leaf(decision.arm), x, None)


def _called(key: Round) -> str:
    """A round that does not wait, for a message."""
    if key[2] is not None:
        return f"a decision called {key[2]!r}"
    return f"{key[0]!r}" + ("" if key[1] is None else f" in {list(key[1])}")


def _with_room(now: Learnt) -> Arrays:
    """The arrays, with a row for what waits at each node."""
    arrays = now.arrays
    if now.waiting:
        return arrays
    return arrays._replace(waiting=np.zeros((len(arrays.online), arrays.waiting.shape[1])))
