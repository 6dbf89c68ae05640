"""The part of a Bandit that forgets: stamps, the present epoch, and rewards that weigh what their stamp weighs."""

import math
import time
from typing import NamedTuple

from ..core import validate
from ..core.sums import PLAYS
from ..core.types import ArmType, Context, Floats, Label
from .bandit_waiting import BanditWaiting
from .forgetting import ageing
from .forgetting.half_life import HalfLife, Stamp
from .forgetting.memory import Memory, memory_of
from .learnt import Learnt, rounds_of, rounds_offered
from .waiting import Id

SHRUNK = 1e-9
"""Part of a stamp by which rounding may move the border of an epoch."""


class Present(NamedTuple):
    """A state in a later epoch than it has learnt of, kept while it stays as it is.

    Args:
        source: The state that was aged.
        progress: Its rounds and waiting decisions.
        epoch: The epoch that it was aged to.
        learnt: The aged state.
    """

    source: Learnt
    progress: tuple[int, int]
    epoch: int
    learnt: Learnt


class Span(NamedTuple):
    """The stamps of a state's epoch, within which a round is learnt and chosen as without a half-life.

    Args:
        learnt: The state.
        begin: The first stamp; a little later, so that rounding does not matter.
        end: The stamp after the last; a little earlier.
        counted: What is to be added to the plays of its arrays to count all rounds.
    """

    learnt: Learnt | None
    begin: float
    end: float
    counted: float


class BanditMemory(BanditWaiting[ArmType]):
    """A policy with a half-life: choosing looks at the present, learning weighs by the stamp of the decision."""

    _half_life: HalfLife | None

    @property
    def half_life(self) -> HalfLife | None:
        """After how long a round counts half; None for a policy that does not forget."""
        return self._half_life

    @property
    def memory(self) -> Memory | None:
        """What the policy remembers; None for one that does not forget.

        Examples:
            >>> import hedgerow as hr
            >>> policy = hr.UCB(["a", "b"], half_life=100)
            >>> policy.update(policy.select(), 1.0)
            >>> policy.memory.remembered
            1.0
        """
        return None if self._half_life is None else memory_of(self._recipe, self._learnt)

    def _stamp(self, at: Stamp) -> float:
        """A stamp as a number; the present, if none is given."""
        assert self._half_life is not None
        if at is not None:
            return self._half_life.stamp(at, self.name)
        if self._half_life.seconds:
            return time.time()
        now = self._learnt
        stamp = rounds_of(now) if now.withdrawn else rounds_offered(now)
        return float(stamp + now.waiting.total()) if now.waiting else float(stamp)

    def _now(self, at: Stamp) -> tuple[Learnt, float | None]:
        """What the policy knows at a time, and that time as a stamp; nothing changes."""
        now = self._learnt
        if self._half_life is None:
            return now, None if at is None else HalfLife(1.0, True).stamp(at, self.name)
        known, _, end, counted = self._span
        if at is None and known is now and not now.waiting and not self._half_life.seconds:
            stamp = float(round(counted + now.arrays.online.item(0)))
            if stamp < end:
                return now, stamp
        stamp = self._stamp(at)
        found = self._aged_to(self._half_life.epoch(stamp))
        if found is now and known is not now:
            self._note_span()
        return found, stamp

    def _note_span(self) -> None:
        """Keep which stamps are of the present epoch."""
        now = self._learnt
        assert self._half_life is not None
        assert now.aged is not None
        begin, end = (self._half_life.begin(now.aged.epoch + later) for later in (0, 1))
        begin, end = (begin + SHRUNK * abs(begin), end - SHRUNK * abs(end)) if begin < end else (-math.inf, math.inf)
        counted = now.aged.counted - now.aged.root + sum(now.withdrawn.values())
        self._span = Span(now, begin, end, counted)

    def _aged_to(self, epoch: int) -> Learnt:
        now = self._learnt
        assert now.aged is not None
        if epoch <= now.aged.epoch:
            return now
        known: Present | None = self._present
        progress = self.progress()
        if known is not None and known.source is now and (known.progress, known.epoch) == (progress, epoch):
            return known.learnt
        aged = ageing.presented(self._recipe, now, epoch)
        self._present = Present(now, progress, epoch, aged)
        return aged

    def _learn_at(self, arm: Label, reward: float, context: Context | None, id: Id | None, at: Stamp) -> None:
        """Learn a reward that weighs what its stamp weighs."""
        assert self._half_life is not None
        before = self._learnt
        leaf, value = before.arms.leaf(arm), self._checked_reward(reward)
        x = validate.NO_CONTEXT
        if context is not None or self._dimension is not None:
            x = validate.usable_context(self._numbers(context), self._largest)
        if id is not None:
            self._round(leaf, x, id)
        epoch = self._half_life.epoch(self._stamp(at))
        now = self._aged_to(epoch)
        if now.aged is not None and epoch < now.aged.epoch:
            self._learn_late(leaf, value, x, id, epoch)
            return
        plays = now.arrays.online[0, PLAYS]
        try:
            self._learnt = now
            if now.waiting:
                self._settle(leaf, value, x, id)
            else:
                self._family.learn(now.arrays, leaf, value, x)
            self._note_span()
        except BaseException:
            if now.arrays.online[0, PLAYS] == plays:
                self._learnt = before
            raise

    def _learn_late(self, leaf: int, reward: float, x: Floats, id: Id | None, epoch: int) -> None:
        """Learn the reward of a decision of a former epoch; it settles that decision if it was waited for."""
        now = self._learnt
        key = self._round(leaf, x, id)
        waiting = now.waiting.copy()
        waiting.set(key, waiting[key] - 1)
        self._learnt = ageing.learnt_late(self._recipe, now._replace(waiting=waiting), leaf, reward, x, epoch)
