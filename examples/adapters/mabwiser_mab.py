"""A policy of hedgerow with the interface of MABWiser's MAB: code written for one runs with the other.

    mab = HedgerowMAB(["ad-1", "ad-2"], lambda arms: hr.UCB(arms))         # was: MAB(arms, LearningPolicy.UCB1(alpha=1))
    mab.fit(decisions, rewards)
    mab.predict()

MABWiser itself is not needed.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

import hedgerow as hr


class HedgerowMAB:
    """fit, partial_fit, predict and predict_expectations.

    Args:
        arms: Their labels.
        make: Makes a policy of the arms; by default, Auto without contexts.
    """

    def __init__(self, arms: Iterable[Any], make: Callable[[list[Any]], Any] = hr.Auto):
        self._make, self._first = make, list(arms)
        self._policy = make(self._first)

    @property
    def arms(self) -> list[Any]:
        """The arms, in their order."""
        return list(self._policy.arms)

    def fit(self, decisions: Sequence[Any], rewards: Sequence[float], contexts: Any = None) -> None:
        """Forget everything, then learn."""
        self._policy = self._make(self.arms)
        self.partial_fit(decisions, rewards, contexts)

    def partial_fit(self, decisions: Sequence[Any], rewards: Sequence[float], contexts: Any = None) -> None:
        """Learn more rounds."""
        rows = None if contexts is None else np.asarray(contexts, dtype=float)
        self._policy.learn_many(list(decisions), list(rewards), rows)

    def predict(self, contexts: Any = None) -> Any:
        """The arm to play; a list of them for several contexts."""
        if contexts is None:
            return self._policy.select().arm
        return _one_or_all(self._policy.select_many(np.asarray(contexts, dtype=float)).arms)

    def predict_expectations(self, contexts: Any = None) -> Any:
        """What each arm is chosen by, as MABWiser gives it for upper confidence bounds: a dict, or a list of dicts."""
        rows = [None] if contexts is None else np.asarray(contexts, dtype=float)
        return _one_or_all([dict(zip(self.arms, self._policy.scores(row).tolist(), strict=True)) for row in rows])

    def add_arm(self, arm: Any, cluster: Any = None) -> None:
        """Offer one more arm."""
        self._policy.add_arm(arm, cluster)

    def remove_arm(self, arm: Any) -> None:
        """Withdraw an arm."""
        self._policy.remove_arm(arm)


def _one_or_all(found: list[Any]) -> Any:
    return found[0] if len(found) == 1 else found
