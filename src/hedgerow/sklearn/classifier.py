"""The classifier: rows are contexts, classes are arms, and a reward says how good the arm of a row was."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ..core.arms import Clusters
from ..core.types import Decisions, Floats
from ..data.history import History
from ..policies.auto import Auto
from ..policies.bandit import Bandit


class BanditClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A policy with contexts under scikit-learn's names: fit, partial_fit, predict, in a pipeline or a search.

    ``fit`` takes a log as history, ``partial_fit`` teaches rounds as they come. ``predict`` gives the arm with the highest
    expected reward and never explores; ``decide`` chooses as the policy does, with exploration and propensities. Without
    rewards ``y`` is the right arm of each row: it earns 1 and every other arm 0, as in classification.

    Args:
        policy: Makes the policy, such as ``hr.Auto`` or ``hr.HLinUCB``: called with the arms, ``history=``, and ``clusters=`` if
            given. ``hr.Auto`` if left out.
        clusters: A mapping arm -> cluster.

    Attributes:
        classes_: The arms, sorted.
        policy_: The policy, a ``hr.Bandit``; its ``trust()``, ``explain()`` and ``save()`` are at hand.
        n_features_in_: Length of the contexts.

    Examples:
        >>> import numpy as np, hedgerow as hr
        >>> from hedgerow.sklearn import BanditClassifier
        >>> rng = np.random.default_rng(0)
        >>> contexts, shown = rng.normal(size=(400, 2)), rng.choice(["news", "sport"], size=400)
        >>> clicks = rng.random(400) < np.where((shown == "sport") == (contexts[:, 0] > 0), 0.8, 0.2)
        >>> model = BanditClassifier(policy=hr.HLinUCB).fit(contexts, shown, reward=clicks)
        >>> model.predict([[2.0, 0.0], [-2.0, 0.0]]).tolist()
        ['sport', 'news']
    """

    def __init__(self, policy: Callable[..., Bandit] | None = None, clusters: Clusters | None = None):
        self.policy = policy
        self.clusters = clusters

    def fit(self, X: ArrayLike, y: ArrayLike, reward: ArrayLike | None = None) -> Self:
        """Start a policy from a log.

        Args:
            X: A row of numbers for each round.
            y: The arm of each round.
            reward: What it earned. Left out: ``y`` is the right arm.

        Returns:
            The estimator itself.

        Raises:
            ValueError: The arrays do not fit together, or hold what is no finite number.
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, position = np.unique(y, return_inverse=True)
        arms, rewards, rows = _rounds(position, reward, len(self.classes_))
        history = History.from_rounds(arms=self._labels(arms), rewards=rewards, contexts=np.asarray(X)[rows])
        self.policy_: Bandit = self._made(history=history)
        return self

    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None, reward: ArrayLike | None = None) -> Self:
        """Learn more rounds, in their order; all of them or none.

        Args:
            X: A row of numbers for each round.
            y: The arm of each round.
            classes: All arms; needed the first time, unless ``fit`` came before.
            reward: What each round earned. Left out: ``y`` is the right arm.

        Returns:
            The estimator itself.

        Raises:
            ValueError: The arrays do not fit together, an arm is new, or the arms are not known yet.
        """
        started = hasattr(self, "policy_")
        X, y = validate_data(self, X, y, dtype=np.float64, reset=not started)
        check_classification_targets(y)
        if not started:
            if classes is None:
                raise ValueError("classes must name all arms the first time that partial_fit is called")
            self.classes_ = np.unique(np.asarray(classes))
            self.policy_ = self._made(dimension=self.n_features_in_)
        if strange := set(np.unique(y).tolist()) - set(self.classes_.tolist()):
            raise ValueError(f"y has {min(strange, key=str)!r}, which is no arm of {self.classes_.tolist()}")
        arms, rewards, rows = _rounds(np.searchsorted(self.classes_, y), reward, len(self.classes_))
        self.policy_.learn_many(self._labels(arms), rewards.tolist(), list(np.asarray(X)[rows]))
        return self

    def predict(self, X: ArrayLike) -> Any:
        """The arm with the highest expected reward for each row; nothing is explored.

        Args:
            X: Rows of numbers.

        Returns:
            An array of arms.

        Raises:
            ValueError: A row is no context of this policy.
        """
        best = self.expected_rewards(X).argmax(axis=1)
        return self.classes_[best]

    def expected_rewards(self, X: ArrayLike) -> Floats:
        """What each arm is expected to earn in each row.

        Args:
            X: Rows of numbers.

        Returns:
            A row for each row of X, a column for each arm of ``classes_``; minus infinity for an arm without data.

        Raises:
            ValueError: A row is no context of this policy.
        """
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=np.float64, reset=False)
        means = [[score.mean for score in self.policy_.explain(row) if score.kind == "arm"] for row in rows]
        found: Floats = np.nan_to_num(np.array(means), nan=-np.inf)
        return found

    def decide(self, X: ArrayLike) -> Decisions:
        """What the policy chooses for each row, with its exploration; ``policy_.update`` takes the decisions with their rewards.

        Args:
            X: Rows of numbers.

        Returns:
            A decision for each row.

        Raises:
            ValueError: A row is no context of this policy.
        """
        check_is_fitted(self)
        return self.policy_.select_many(validate_data(self, X, dtype=np.float64, reset=False))

    def _labels(self, positions: Any) -> list[Any]:
        """Arms as plain labels."""
        labels: list[Any] = self.classes_[positions].tolist()
        return labels

    def _made(self, **given: Any) -> Bandit:
        make: Callable[..., Bandit] = Auto if self.policy is None else self.policy
        known = {} if self.clusters is None else {"clusters": self.clusters}
        return make(self.classes_.tolist(), **known, **given)


def _rounds(position: Any, reward: ArrayLike | None, arms: int) -> tuple[Any, Floats, Any]:
    """The arm, the reward and the row of each round; without rewards a row is a round of every arm."""
    rows = np.arange(len(position))
    if reward is not None:
        rewards = np.asarray(reward, dtype=np.float64)
        if rewards.shape != position.shape:
            raise ValueError(f"reward must be one number for each row, {len(position)}, got shape {rewards.shape}")
        return position, rewards, rows
    every = np.tile(np.arange(arms), len(position))
    rows = np.repeat(rows, arms)
    return every, (every == position[rows]).astype(np.float64), rows
