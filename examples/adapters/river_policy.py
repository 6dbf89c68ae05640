"""A policy of hedgerow as a bandit policy of river (pip install river): contexts are dicts, arms come with each call.

    policy = HedgerowPolicy(hr.Auto)                                            # without contexts
    policy = HedgerowContextualPolicy(hr.Auto, context={"age": "number"})       # with
    river.bandit.evaluate_offline(policy, history)

Arms that were never there before are added when they first appear; only those of a call can be chosen.
"""

from collections.abc import Callable
from typing import Any

from river import bandit

import hedgerow as hr


class HedgerowPolicy(bandit.base.Policy):
    """``pull(arm_ids)`` and ``update(arm_id, reward)``.

    Args:
        make: A constructor such as ``hr.Auto``.
        settings: More of its arguments.
    """

    def __init__(self, make: Callable[..., Any] = hr.Auto, settings: dict[str, Any] | None = None):
        super().__init__()
        self.make, self.settings = make, settings
        self._policy: Any = None

    def _pull(self, arm_ids: list[Any], context: dict[str, Any] | None = None) -> Any:
        return self._known(arm_ids).select(context, among=arm_ids).arm

    def update(self, arm_id: Any, *reward_args: Any, **reward_kwargs: Any) -> None:
        """Learn a reward, and count it as river does."""
        super().update(arm_id, *reward_args, **reward_kwargs)
        self._known([arm_id]).learn(arm_id, float(reward_args[0]))

    def _known(self, arm_ids: list[Any]) -> Any:
        """The policy, which has these arms."""
        if self._policy is None:
            self._policy = self.make(arm_ids, **(self.settings or {}))
        self._policy.add_arms([arm for arm in arm_ids if arm not in self._policy.arms])
        return self._policy


class HedgerowContextualPolicy(HedgerowPolicy, bandit.base.ContextualPolicy):
    """``pull(arm_ids, context)`` and ``update(arm_id, context, reward)``.

    Args:
        make: A constructor such as ``hr.Auto``.
        context: What contexts are made of: as ``context=`` of a policy.
        settings: More arguments of the constructor.
    """

    def __init__(self, make: Callable[..., Any] = hr.Auto, context: Any = None, settings: dict[str, Any] | None = None):
        super().__init__(make, settings)
        self.context = context
        self.settings = {"context": context, **(settings or {})}

    def update(self, arm_id: Any, context: dict[str, Any], *reward_args: Any, **reward_kwargs: Any) -> None:
        """Learn a reward in its context, and count it as river does."""
        bandit.base.Policy.update(self, arm_id, *reward_args, **reward_kwargs)
        self._known([arm_id]).learn(arm_id, float(reward_args[0]), context)
