"""Rounds that every policy under test plays."""

import pickle
import tempfile
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ..core.state_file import load as hedgerow_load
from ..core.types import Decision, Floats
from ..data.history import History

Load: TypeAlias = Callable[[Path], Any]

ARMS = ("a", "b", "c", "d", "e", "f", "g")
TWO_LEVELS = ("x", "x", "y", "x", "z", "y", "y")
THREE_LEVELS = (("p", "x"), ("p", "x"), ("p", "y"), ("q", "x"), ("q", "z"), ("p", "y"), ("q", "z"))


class World:
    """Rounds to play: a reward for every arm, and a context.

    Args:
        dimension: Length of the contexts, None for none.
        rounds: How many.
        seed: Of the draws.
        load: Reads what a policy's ``save`` wrote.
    """

    def __init__(self, dimension: int | None, rounds: int, seed: int, load: Load = hedgerow_load):
        rng = np.random.default_rng(seed)
        self.load: Load = load
        self.dimension: int | None = dimension
        self.rewards: Floats = rng.random((rounds, len(ARMS)))
        self.contexts: Floats | None = None if dimension is None else rng.normal(size=(rounds, dimension))
        self.history: History = self._history(rng, 12)
        self.empty: History = self._history(rng, 0)

    def _history(self, rng: np.random.Generator, plays: int) -> History:
        contexts = None if self.dimension is None else rng.normal(size=(plays, self.dimension))
        return History.from_rounds(arms=rng.choice(ARMS[:5], size=plays), rewards=rng.random(plays), contexts=contexts)

    def context(self, t: int) -> Floats | None:
        """The context of a round.

        Args:
            t: Its number.

        Returns:
            Numbers, or None without contexts.
        """
        return None if self.contexts is None else self.contexts[t]

    def play(self, policy: Any, rows: range | None = None, *, seed: int | None = None) -> list[tuple[Decision, float]]:
        """Let a policy decide and learn.

        Args:
            policy: It changes.
            rows: The rounds; all if left out.
            seed: Of the draws that it may use.

        Returns:
            The (decision, reward) pairs.
        """
        rng = None if seed is None else np.random.default_rng(seed)
        played = []
        for t in rows or range(len(self.rewards)):
            decision = policy.select(self.context(t), rng=rng)
            reward = float(self.rewards[t, ARMS.index(decision.arm)])
            policy.update(decision, reward)
            played.append((decision, reward))
        return played


def snapshot(policy: Any) -> bytes:
    """The whole state, bit for bit.

    Args:
        policy: It stays as it is.

    Returns:
        What ``save`` writes, or a pickle of what a policy without it holds; its class may be one that cannot be pickled.
    """
    if not hasattr(policy, "save"):
        return pickle.dumps(deepcopy(policy).__reduce_ex__(2)[2])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        policy.save(path)
        return path.read_bytes()
