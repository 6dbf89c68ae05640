"""Whole trials in compiled code: a policy decides, learns, and decides again, with no Python in between."""

from collections import deque
from typing import NamedTuple, cast

import numpy as np

from ..core.types import Decision, Integers, Policy
from ..core.validate import lacking
from ..policies.bandit import Bandit
from ..policies.family import Course
from ..policies.meta import Meta
from ..policies.meta_play import play_together, positions
from .problems import Trial


class Played(NamedTuple):
    """What a policy chose.

    Args:
        arms: the arm of each round.
        followed: under Meta, the expert that was followed in each round, else -1.
    """

    arms: Integers
    followed: Integers


MEMBERS_TO_PLAY = ("name", "arms", "dimension", "select", "update")
"""What a policy must have to live through a trial."""


def _check(policy: Policy, trial: Trial, delay: int) -> None:
    """Compiled loops go by position and look at nothing, so what they are given must fit."""
    if absent := lacking(policy, (*MEMBERS_TO_PLAY, "expect") if delay else MEMBERS_TO_PLAY):
        raise ValueError(f"{type(policy).__name__} cannot play, it lacks {', '.join(absent)}: see docs/concepts.md, own policies")
    if policy.arms != tuple(trial.arms):
        raise ValueError(f"{policy.name} must have the arms of the trial, 0 to {len(trial.arms) - 1}, in their order")
    if policy.dimension not in (None, trial.dimension):
        raise ValueError(f"{policy.name} takes contexts of {policy.dimension} numbers, the trial has {trial.dimension}")
    if (strict := _unit(policy)) and not (trial.rewards.min() >= 0.0 and trial.rewards.max() <= 1.0):
        raise ValueError(f"{strict[0]} is for rewards between 0 and 1, the trial has others")


def play(policy: Policy, trial: Trial, rng: np.random.Generator | None = None, delay: int = 0) -> Played:
    """Let a policy live through a trial; it has learnt all its rounds afterwards.

    Args:
        policy: the policy.
        trial: the trial.
        rng: for policies that draw.
        delay: rounds by which a reward is late; its decision is waited for (``policy.expect``).

    Returns:
        The arm of each round.
    """
    _check(policy, trial, delay)
    rng = rng or np.random.default_rng(0)
    arms, followed = np.zeros(trial.rows.size, dtype=np.int64), np.full(trial.rows.size, -1)
    if delay == 0 and isinstance(policy, Bandit):
        policy.play(Course(trial.contexts, trial.rewards, trial.rows, positions(policy), arms), rng)
    elif delay > 0 or not isinstance(policy, Meta) or not _played_together(policy, trial, arms, followed):
        _play_by_round(policy, trial, arms, followed, rng, delay)
    return Played(arms, followed)


def _played_together(policy: Meta, trial: Trial, arms: Integers, followed: Integers) -> bool:
    return play_together(policy, Course(trial.contexts, trial.rewards, trial.rows, arms, arms), followed)


def _play_by_round(
    policy: Policy, trial: Trial, arms: Integers, followed: Integers, rng: np.random.Generator, delay: int
) -> None:
    """Any policy, round by round through its public interface."""
    names = list(policy.experts) if isinstance(policy, Meta) else []
    waiting: deque[tuple[Decision, float]] = deque()
    for t, row in enumerate(trial.rows):
        decision = policy.select(trial.contexts[t] if policy.dimension else None, rng=rng if _draws(policy) else None)
        arms[t] = cast(int, decision.arm)
        followed[t] = names.index(decision.experts[0]) if names else -1
        if delay > 0:
            policy.expect(decision)
        waiting.append((decision, float(trial.rewards[row, arms[t]])))
        if len(waiting) > delay:
            policy.update(*waiting.popleft())
    for decision, reward in waiting:
        policy.update(decision, reward)


def _unit(policy: Policy) -> list[str]:
    """Name of the policy, or of its experts, that take rewards between 0 and 1 only."""
    if isinstance(policy, Meta):
        return [name for expert in policy.experts.values() for name in _unit(expert)]
    return [policy.name] if isinstance(policy, Bandit) and policy.rule.kind.unit_rewards else []


def _draws(policy: Policy) -> bool:
    if isinstance(policy, Meta):
        return any(_draws(expert) for expert in policy.experts.values())
    return not isinstance(policy, Bandit) or policy.rule.kind.draws
