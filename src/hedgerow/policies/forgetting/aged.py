"""What a policy that forgets keeps beside its arrays: how old they are, the count of its rounds, and of "auto" sums by age.

The online sums and the history in its arrays are in units of the present epoch: a round of this epoch weighs 1. So families learn
and choose as ever, in one compiled call, and nothing here changes between two epochs: what the epoch added is what the arrays
have more than ``opened``. At the end of an epoch all sums are multiplied by one number.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...core.sums import PLAYS
from ...core.types import Floats, Integers
from .half_life import HalfLife


class Aged(NamedTuple):
    """The age of a policy's sums.

    Args:
        epoch: The newest epoch that it has learnt a round of; its sums are in units of it.
        rounds: Rounds learnt of each arm before that epoch, or late, each counted 1.
        opened: The online sums of each arm that are not of that epoch, as far as they count.
        root: Their plays, of all arms.
        counted: The sum of ``rounds``.
        given: Of "auto", the history that the policy was given: a row of sums for each arm.
        starts: Of "auto", the first epoch of each block of former epochs.
        blocks: Of "auto", the sums of each: blocks x arms x sums.
        first: Of "auto", the first block that shows no change; as many as there are blocks if it is the present epoch.
        changes: Of "auto", how many changes are visible.
    """

    epoch: int
    rounds: Floats
    opened: Floats
    root: float
    counted: int
    given: Floats
    starts: Integers
    blocks: Floats
    first: int = 0
    changes: int = 0

    def moved(self, positions: Sequence[int]) -> "Aged":
        """For other arms.

        Args:
            positions: The former position of each arm, -1 for a new one.

        Returns:
            The same with the rows of these arms.
        """
        at = list(positions)
        rounds = np.append(self.rounds, 0.0)[at]
        opened, given = (np.vstack([part, np.zeros((1, part.shape[1]))])[at] for part in (self.opened, self.given))
        none = np.zeros((len(self.blocks), 1, self.blocks.shape[2]))
        blocks = np.ascontiguousarray(np.concatenate([self.blocks, none], axis=1)[:, at])
        root = float(opened[:, PLAYS].sum())
        return self._replace(rounds=rounds, opened=opened, root=root, counted=int(rounds.sum()), given=given, blocks=blocks)


def begin(half_life: HalfLife, arms: int, columns: int, history: Floats, epoch: int | None = None) -> Aged:
    """Of a policy that has learnt nothing.

    Args:
        half_life: How it forgets.
        arms: How many arms it has.
        columns: Sums in a row of an arm.
        history: The history that it is given.
        epoch: That of the history, if it has one.

    Returns:
        Its age.
    """
    _, starts, blocks = nothing_by_age(arms, columns)
    given = history.copy() if half_life.auto else np.zeros((arms, 0))
    first = half_life.first_epoch if epoch is None else epoch
    return Aged(first, np.zeros(arms), np.zeros((arms, columns)), 0.0, 0, given, starts, blocks)


def nothing_by_age(arms: int, columns: int) -> tuple[Floats, Integers, Floats]:
    """History given, epochs and blocks of a policy that does not keep sums by age.

    Args:
        arms: How many arms it has.
        columns: Sums in a row of an arm.

    Returns:
        Three empty arrays.
    """
    return np.zeros((arms, 0)), np.zeros(0, np.int64), np.zeros((0, arms, columns))
