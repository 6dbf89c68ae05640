"""A policy of hedgerow as a learner of coba (pip install coba): it chooses among the actions of each interaction.

    experiment = coba.Experiment(environments, [HedgerowLearner(hr.LinUCB), coba.RandomLearner()])

Actions are arms by their value, which must be the same each time: turn per-action features off (n_action_features=0). An action
that was never there before becomes an arm when it first appears. A context may be None, numbers, or numbers by name.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from coba.primitives import Learner

import hedgerow as hr


class HedgerowLearner(Learner):
    """A learner that is made when it sees its first interaction.

    Args:
        make: A constructor such as ``hr.Auto``.
        seed: Of the draws of ``explore=``.
        **settings: More of its arguments, such as ``explore=0.05``.
    """

    def __init__(self, make: Callable[..., Any] = hr.Auto, seed: int = 1, **settings: Any):
        self._make, self._settings, self._seed = make, settings, seed
        self._policy: Any = None
        self._rng = np.random.default_rng(seed)

    @property
    def params(self) -> dict[str, Any]:
        """What coba writes beside its results."""
        return {"family": f"hedgerow.{self._make.__name__}", "seed": self._seed, **self._settings}

    def predict(self, context: Any, actions: Sequence[Any]) -> tuple[Any, float, dict[str, Any]]:
        """The action, its propensity, and the decision, which coba hands back to ``learn``."""
        among = self._known(context, actions)
        rng = self._rng if self._policy.explore else None  # without draws, ties go to the first action, surely
        decision = self._policy.select(_numbers(context), among=among, rng=rng)
        action, chance = actions[among.index(decision.arm)], decision.propensity
        return action, self.score(context, actions, action) if chance is None else chance, {"decision": decision}

    def score(self, context: Any, actions: Sequence[Any], action: Any) -> float:
        """The probability that this action would be chosen."""
        among = self._known(context, actions)
        chances = self._policy.propensities(_numbers(context), among=among)
        return float(chances[self._policy.arms.index(_label(action))])

    def learn(self, context: Any, action: Any, reward: float, probability: float, decision: Any = None) -> None:  # noqa: ARG002
        """The reward of a decision, or of an action that somebody else chose."""
        if decision is not None:
            self._policy.update(decision, reward)
            return
        self._known(context, [action])
        self._policy.learn(_label(action), reward, _numbers(context))

    def _known(self, context: Any, actions: Sequence[Any]) -> list[Any]:
        """The arms of these actions; new ones are added."""
        arms = [_label(action) for action in actions]
        if self._policy is None:
            dimension = {} if context is None else {"dimension": len(_numbers(context))}
            self._policy = self._make(arms, **dimension, **self._settings)
        self._policy.add_arms([arm for arm in arms if arm not in self._policy.arms])
        return arms


def _label(action: Any) -> Any:
    return tuple(action) if isinstance(action, Sequence) and not isinstance(action, str) else action


def _numbers(context: Any) -> list[float] | None:
    values = context.values() if isinstance(context, dict) else context
    return None if context is None else [float(value) for value in (values if hasattr(values, "__iter__") else [values])]
