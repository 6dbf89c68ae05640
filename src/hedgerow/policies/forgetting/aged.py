"""What a policy that forgets keeps beside its arrays: how old they are, the count of its rounds, and of "auto" sums by age.

The online sums and the history in its arrays are in units of the present epoch: a round of this epoch weighs 1. So families learn
and choose as ever, and at the end of an epoch all sums are multiplied by one number.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...core.kernel import compiled
from ...core.types import Floats, Integers
from .half_life import HalfLife


class Aged(NamedTuple):
    """The age of a policy's sums.

    Args:
        epoch: The newest epoch that it has learnt a round of; its sums are in units of it.
        rounds: Rounds learnt of each arm, each counted 1; last of all arms.
        given: Of "auto", the history that the policy was given: a row of sums for each arm.
        starts: Of "auto", the first epoch of each block; the last block is the present epoch.
        blocks: Of "auto", the sums of each block: blocks x arms x sums.
        first: Of "auto", the first block that shows no change.
        changes: Of "auto", how many changes are visible.
    """

    epoch: int
    rounds: Floats
    given: Floats
    starts: Integers
    blocks: Floats
    first: int = 0
    changes: int = 0

    @property
    def all_rounds(self) -> int:
        """Rounds learnt, each counted 1."""
        return int(self.rounds[-1])

    def moved(self, positions: Sequence[int]) -> "Aged":
        """For other arms.

        Args:
            positions: The former position of each arm, -1 for a new one.

        Returns:
            The same with the rows of these arms.
        """
        at = list(positions)
        rounds = np.append(self.rounds[:-1], 0.0)[at]
        given = np.vstack([self.given, np.zeros((1, self.given.shape[1]))])[at]
        none = np.zeros((len(self.blocks), 1, self.blocks.shape[2]))
        blocks = np.concatenate([self.blocks, none], axis=1)[:, at]
        return self._replace(rounds=np.append(rounds, rounds.sum()), given=given, blocks=np.ascontiguousarray(blocks))

    def copied(self) -> "Aged":
        """The same with arrays of its own."""
        return self._replace(rounds=self.rounds.copy(), blocks=self.blocks.copy())


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
    blocks = np.zeros((int(half_life.auto), arms, columns if half_life.auto else 0))
    starts = np.zeros(len(blocks), np.int64)
    given = history.copy() if half_life.auto else np.zeros((arms, 0))
    return Aged(half_life.first_epoch if epoch is None else epoch, np.zeros(arms + 1), given, starts, blocks)


@compiled
def note(rounds: Floats, blocks: Floats, position: int, before: Floats, after: Floats) -> None:
    """Count a round, and add to the present block what the round added to the sums of its arm.

    Args:
        rounds: Rounds of each arm, and of all.
        blocks: Sums by age; they change.
        position: Of the arm.
        before: Sums of the arm before the round.
        after: And after it.
    """
    if len(blocks) > 0:
        for column in range(before.size):
            blocks[-1, position, column] += after[column] - before[column]
    rounds[position] += 1.0
    rounds[-1] += 1.0
