"""What a trial is, and what a problem does: deal out trials."""

from typing import NamedTuple, Protocol

import numpy as np

from ...core.types import Floats, Integers, Label
from ...data.history import History


class Trial(NamedTuple):
    """One trial with K arms, which are 0 to K - 1. Round t takes row ``rows[t]`` of ``rewards`` and ``expected``.

    Args:
        clusters: the cluster of each arm, empty for none.
        history: what was played before; it names the arms by their numbers.
        rewards: rows of the rewards of all arms, shape (n, K). Mostly n is the number of rounds; a recorded table may be shorter.
        expected: their expected rewards, by which regret is counted: shape (n, K), or (1, K) if they are the same in all rows.
        rows: the row of each round, whole numbers from 0 to n - 1.
        contexts: the context of each round, shape (rounds, dimension); dimension 0 without contexts.

    Examples:
        >>> rewards = np.array([[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])  # three rounds, two arms
        >>> nothing = History.from_rounds(arms=[], rewards=[])
        >>> trial = Trial((), nothing, rewards, np.array([[0.3, 0.7]]), np.arange(3), np.zeros((3, 0))).check()
        >>> trial.arms, trial.dimension
        (range(0, 2), None)
    """

    clusters: tuple[Label, ...]
    history: History
    rewards: Floats
    expected: Floats
    rows: Integers
    contexts: Floats

    @property
    def arms(self) -> range:
        """The arms, 0 and up."""
        return range(self.rewards.shape[1])

    @property
    def dimension(self) -> int | None:
        """How many numbers a context has, None for none."""
        return self.contexts.shape[1] or None

    def check(self) -> "Trial":
        """The trial itself, if its parts fit together.

        Returns:
            The trial.

        Raises:
            ValueError: if they do not.
        """
        rounds, K = self.rows.size, self.rewards.shape[1]
        if len(self.clusters) not in (0, K) or self.expected.shape[1:] != (K,):
            raise ValueError(f"a trial with {K} arms needs their clusters and expected rewards, a column for each")
        if len(self.expected) not in (1, len(self.rewards)):
            needed = f"{len(self.rewards)} rows of rewards needs as many of expected ones, or one"
            raise ValueError(f"a trial with {needed}, got {len(self.expected)}")
        if len(self.contexts) != rounds or not ((self.rows >= 0) & (self.rows < len(self.rewards))).all():
            raise ValueError(f"a trial of {rounds} rounds needs a context and a row of rewards for each")
        if not all(np.isfinite(part).all() for part in (self.rewards, self.expected, self.contexts)):
            raise ValueError("the rewards, expected rewards and contexts of a trial must be finite")
        return self


class Problem(Protocol):
    """Deals out trials; its text is printed with every result."""

    @property
    def dimension(self) -> int | None: ...

    def trial(self, rounds: int, rng: np.random.Generator) -> Trial:
        """The draws of one trial.

        Args:
            rounds: how many rounds it has.
            rng: the draws.

        Returns:
            The trial.
        """

    def __str__(self) -> str: ...
