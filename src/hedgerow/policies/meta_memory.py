"""The part of a Meta that forgets: one stamp for the choice of the expert and for all experts."""

import time

from ..core.types import ArmType
from .forgetting.half_life import HalfLife, Stamp
from .forgetting.memory import Memory
from .meta_changes import MetaChanges


class MetaMemory(MetaChanges[ArmType]):
    """Stamps are the Meta's, which hands them on."""

    def _half_lives(self) -> list[HalfLife]:
        """Those of all policies within."""
        parts = (*(meta.chooser for meta in self.metas()), *self.bandits())
        return [part.half_life for part in parts if part.half_life is not None]

    def _check_stamps(self) -> None:
        """Refuse half-lives in decisions beside others in time: a decision has one stamp."""
        if len({half_life.seconds for half_life in self._half_lives()}) > 1:
            raise ValueError("half-lives of a Meta and its experts must all be numbers of decisions, or all be times")

    def _stamp(self, at: Stamp) -> float | None:
        """A stamp as a number; the present, if none is given and a policy within forgets."""
        known = self._half_lives()
        if at is not None:
            return (known[0] if known else HalfLife(1.0, True)).stamp(at, self.name)
        if not known:
            return None
        rounds = max(part.rounds for part in (self.chooser, *self.bandits()))
        return time.time() if known[0].seconds else float(rounds + self._waiting.total())

    @property
    def memory(self) -> Memory | None:
        """What the first expert that forgets remembers, else the choice among them; None if none forgets."""
        return next((part.memory for part in (*self.bandits(), self.chooser) if part.memory is not None), None)
