"""The part of a Bandit that decides in many contexts at once."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from ..core import validate
from ..core.draws import KEYS, NO_KEY
from ..core.types import ArmType, Chance, Decisions, Floats, Integers, Label
from ..data.encoding import all_encoded
from ..data.rounds import as_numbers
from .bandit_choosing import BanditChoosing, Eligible
from .exploration import explore, key_at
from .family import choose_many
from .forgetting.half_life import Stamp

BATCH = 1 << 22
"""Scores that ``select_many`` holds in memory at a time."""


class BanditBatch(BanditChoosing[ArmType]):
    """Choosing for many contexts changes nothing, either."""

    def select_many(
        self,
        contexts: ArrayLike,
        *,
        among: Iterable[Label] | None = None,
        rng: np.random.Generator | None = None,
        at: Stamp = None,
    ) -> Decisions[ArmType]:
        """One decision for each row of contexts, as ``select`` would make them one by one; by matrix products where it can.

        Args:
            contexts: Rows of numbers, or a frame of raw values if the policy has an encoding.
            among: The arms that may be chosen, the same for all rows; all if left out.
            rng: Where draws come from; without one, each row has a draw of its own whether to explore.
            at: When, for a policy with a half-life: a number of decisions, or a time. Now if left out.

        Returns:
            The decisions, each made when it is looked at.

        Raises:
            ValueError: A row is no context of this policy, or ``among`` names no arm of it.

        Examples:
            >>> import hedgerow as hr
            >>> hr.LinUCB(["a", "b"], dimension=2).select_many([[1.0, 0.0], [0.0, 1.0]]).arms
            ['a', 'a']
        """
        if self._dimension is None:
            raise ValueError(f"{self.name} takes no contexts, so all its decisions are alike: call select()")
        x = self._checked_rows(contexts)
        now, stamp = self._now(at)
        eligible, exploring = self._eligible(now, among), self._explore > 0.0
        if rng is not None:
            keys = validate.generator(rng).integers(KEYS, size=len(x))
        elif exploring:
            keys = np.array([key_at(self._draw_key(None), row) for row in range(len(x))], dtype=np.int64)
        else:
            keys = np.full(len(x), self._key(None))
        random = self._draws or (rng is not None and not exploring)
        chosen = self._chosen(eligible, x, keys if random else np.full(len(x), NO_KEY))
        chances: list[Chance] = [(None if random else 1.0, False)] * len(x)
        if exploring:
            for row, leaf in enumerate(chosen.tolist()):
                chosen[row], propensity, explored = explore(leaf, eligible.leaves, self._explore, int(keys[row]), not random)
                chances[row] = propensity, explored
        named = {leaf: (*eligible.arms.named(leaf), ()) for leaf in np.unique(chosen).tolist()}
        return Decisions(chosen, named, x, self.identity, chances, stamp)

    def _chosen(self, eligible: Eligible, x: Floats, keys: Integers) -> Integers:
        """The node that the rule chooses for each row."""
        chosen = np.zeros(len(x), dtype=np.int64)
        step = max(1, BATCH // len(eligible.arrays.online))
        for start in range(0, len(x), step):
            part = slice(start, start + step)
            choose_many(self._family, eligible.arrays, x[part], keys[part], chosen[part])
        return chosen if eligible.nodes is None else eligible.nodes[chosen]

    def _checked_rows(self, contexts: ArrayLike) -> Floats:
        wanted = f"contexts must be rows of {self._dimension} numbers"
        x = np.array(as_numbers(all_encoded(contexts, self), wanted), order="C")
        x = x.reshape(0, self._dimension or 0) if x.size == 0 else x
        if x.ndim != 2 or x.shape[1] != self._dimension:
            raise ValueError(f"{wanted}, got shape {x.shape}")
        fine = (np.abs(x) < self._largest).all(axis=1)
        if not fine.all():
            raise validate.bad_context(x[np.flatnonzero(~fine)[0]], self._largest)
        return x
