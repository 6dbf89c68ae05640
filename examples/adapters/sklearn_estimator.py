"""A contextual policy of hedgerow in the style of scikit-learn: fit, partial_fit, predict; clone and set_params work.

model = HedgerowBandit(hr.Auto, explore=0.05).fit(contexts, arms, rewards)
arms = model.predict(contexts)
model.partial_fit(contexts, arms, rewards)
"""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

import hedgerow as hr


class HedgerowBandit(BaseEstimator):
    """A policy that learns batches of rounds.

    Args:
        make: A constructor such as ``hr.Auto``.
        arms: All arms; those of the first rounds if left out. Others are added when they first appear.
        clusters: The cluster of each arm, for a policy with clusters.
        explore: Share of the decisions that is drawn.
        random_state: Of these draws.
    """

    def __init__(
        self,
        make: Callable[..., Any] = hr.Auto,
        *,
        arms: Any = None,
        clusters: Any = None,
        explore: float = 0.0,
        random_state: int | None = None,
    ):
        self.make, self.arms, self.clusters, self.explore, self.random_state = make, arms, clusters, explore, random_state

    def fit(self, X: Any, arms: Any, rewards: Any) -> Self:
        """Forget everything, then learn."""
        known = sorted(set(_list(arms))) if self.arms is None else list(self.arms)
        clusters = {} if self.clusters is None else {"clusters": self.clusters}
        self.policy_ = self.make(known, dimension=np.shape(X)[1], explore=self.explore, **clusters)
        self.rng_ = np.random.default_rng(self.random_state)
        return self.partial_fit(X, arms, rewards)

    def partial_fit(self, X: Any, arms: Any, rewards: Any) -> Self:
        """Learn more rounds."""
        if not hasattr(self, "policy_"):
            return self.fit(X, arms, rewards)
        played = _list(arms)
        self.policy_.add_arms(sorted(set(played).difference(self.policy_.arms)))
        self.policy_.learn_many(played, _list(rewards), np.asarray(X, dtype=float))
        return self

    def predict(self, X: Any) -> Any:
        """The arm to play in each context."""
        check_is_fitted(self)
        rng = self.rng_ if self.explore else None
        return np.array(self.policy_.select_many(np.asarray(X, dtype=float), rng=rng).arms)

    def predict_proba(self, X: Any) -> Any:
        """The probability of each arm to be played, in the order of ``policy_.arms``."""
        check_is_fitted(self)
        return np.array([self.policy_.propensities(row) for row in np.asarray(X, dtype=float)])


def _list(values: Any) -> list[Any]:
    return np.asarray(values).tolist()
