"""A policy of hedgerow as one of the Open Bandit Pipeline (pip install obp): n-best lists, with or without contexts.

    policy = HedgerowPolicy(hr.Auto, n_actions=80, len_list=3, dim=20)
    action_dist = obp.simulator.run_bandit_simulation(bandit_feedback, policy)

Actions are 0 to n_actions - 1. A list holds the best ``len_list`` of them, best first (``policy.rank``).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from obp.policy.policy_type import PolicyType

import hedgerow as hr


class HedgerowPolicy:
    """What the pipeline calls: ``select_action`` and ``update_params``.

    Args:
        make: A constructor such as ``hr.Auto``.
        n_actions: How many actions there are.
        len_list: Actions in a list.
        dim: Length of the contexts; None for a policy without.
        random_state: Of the draws of ``explore=``.
        **settings: More arguments of the constructor.
    """

    def __init__(
        self,
        make: Callable[..., Any] = hr.Auto,
        *,
        n_actions: int,
        len_list: int = 1,
        dim: int | None = None,
        random_state: int | None = None,
        **settings: Any,
    ):
        self.make, self.n_actions, self.len_list, self.dim, self.settings = make, n_actions, len_list, dim, settings
        self.random_state, self.policy_name = random_state, f"hedgerow_{make.__name__}"
        self.policy_type = PolicyType.CONTEXT_FREE if dim is None else PolicyType.CONTEXTUAL
        self.initialize()

    def initialize(self) -> None:
        """Forget what was learnt."""
        dimension = {} if self.dim is None else {"dimension": self.dim}
        self.policy = self.make(range(self.n_actions), **dimension, **self.settings)
        self.rng = np.random.default_rng(self.random_state)

    def select_action(self, context: Any = None) -> Any:
        """The best actions, best first.

        Args:
            context: A row of numbers, of shape (1, dim).

        Returns:
            As many actions as a list has.
        """
        rng = self.rng if self.policy.explore else None
        return np.array([decision.arm for decision in self.policy.rank(self.len_list, context, rng=rng)])

    def update_params(self, action: int, reward: float, context: Any = None) -> None:
        """Learn a reward.

        Args:
            action: What was shown.
            reward: What it earned.
            context: A row of numbers.
        """
        self.policy.learn(int(action), float(reward), context)
