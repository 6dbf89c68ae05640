"""Whole trials in compiled code: a policy decides, learns, and decides again, with no Python in between."""

from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np

from .bandit import Bandit
from .kernel import compiled
from .meta import Meta
from .problems import Trial
from .tree import credit_rewards, credit_ridge, descend_rewards, descend_ridge
from .types import Floats, Integers, Links, Policy

Bundle: TypeAlias = tuple[Any, ...]
"""A bandit as its numbers and arrays; see ``_bundle``."""

_NO_DRAWS = np.zeros(0)


class Played(NamedTuple):
    """The arm of each round and, under Meta, the expert that was followed (else -1)."""

    arms: Integers
    followed: Integers


@compiled
def _ask(bandit: Bundle, t: int, draws: Floats) -> int:
    rule, parameters, clock, tree, online, past, derived, places, seats, _, heap, arm_of, _, contexts = bandit
    if contexts.shape[1] == 0:
        leaf = descend_rewards(rule, parameters, clock, tree, online, past, places, seats, heap, draws)
    else:
        leaf = descend_ridge(rule, parameters, clock, tree, online, past, derived, contexts[t], draws)
    arm: int = arm_of[leaf]
    return arm


@compiled
def _teach(bandit: Bundle, t: int, arm: int, reward: float) -> None:
    _, _, _, tree, online, past, derived, places, _, seat_of, heap, _, leaf_of, contexts = bandit
    if contexts.shape[1] == 0:
        credit_rewards(tree, online, places, seat_of, heap, leaf_of[arm], reward)
    else:
        credit_ridge(tree, online, past, derived, leaf_of[arm], reward, contexts[t])


@compiled
def _play_rewards(
    rule: int,
    parameters: Floats,
    clock: int,
    tree: Links,
    online: Floats,
    past: Floats,
    places: Integers,
    seats: Links,
    seat_of: Links,
    heap: Floats,
    arm_of: Integers,
    rewards: Floats,
    rows: Integers,
    draws: Floats,
    arms: Integers,
) -> None:
    """The parts of a bundle one by one: unpacking them in every round would take longer than choosing."""
    for t in range(rows.size):
        leaf = descend_rewards(rule, parameters, clock, tree, online, past, places, seats, heap, draws)
        arm = arm_of[leaf]
        credit_rewards(tree, online, places, seat_of, heap, leaf, rewards[rows[t], arm])
        arms[t] = arm


@compiled
def _play_ridge(
    rule: int,
    parameters: Floats,
    clock: int,
    tree: Links,
    online: Floats,
    past: Floats,
    derived: Floats,
    arm_of: Integers,
    contexts: Floats,
    rewards: Floats,
    rows: Integers,
    draws: Floats,
    arms: Integers,
) -> None:
    for t in range(rows.size):
        context = contexts[t]
        leaf = descend_ridge(rule, parameters, clock, tree, online, past, derived, context, draws)
        arm = arm_of[leaf]
        credit_ridge(tree, online, past, derived, leaf, rewards[rows[t], arm], context)
        arms[t] = arm


@compiled
def _play_meta(
    chooser: Bundle,
    experts: tuple[Bundle, ...],
    shared: bool,
    rewards: Floats,
    rows: Integers,
    draws: Floats,
    arms: Integers,
    followed: Integers,
) -> None:
    for t in range(rows.size):
        expert = _ask(chooser, t, draws)
        arm = _ask(experts[expert], t, draws)
        reward = rewards[rows[t], arm]
        _teach(chooser, t, expert, reward)
        for other in range(len(experts)):
            if shared or other == expert:
                _teach(experts[other], t, arm, reward)
        arms[t] = arm
        followed[t] = expert


def _bundle(bandit: Bandit, contexts: Floats) -> Bundle:
    arms, online, past, derived, places, seats, seat_of, heap = bandit._nodes
    arm_of = np.zeros(len(online), dtype=np.int64)
    arm_of[arms.leaves] = np.arange(arms.leaves.size)
    seen = contexts if bandit.dimension else np.zeros((len(contexts), 0))
    return (*bandit._kernel, arms.tree, online, past, derived, places, seats, seat_of, heap, arm_of, arms.leaves, seen)


def _check(policy: Policy, trial: Trial) -> None:
    """Compiled loops go by position and look at nothing, so what they are given must fit."""
    if policy.arms != tuple(trial.arms):
        raise ValueError(f"{policy.name} must have the arms of the trial, 0 to {len(trial.arms) - 1}, in their order")
    if policy.dimension not in (None, trial.dimension):
        raise ValueError(f"{policy.name} takes contexts of {policy.dimension} numbers, the trial has {trial.dimension}")


def play(policy: Policy, trial: Trial) -> Played:
    """Let a policy live through a trial; it has learnt all its rounds afterwards."""
    _check(policy, trial)
    arms, followed = np.zeros(trial.rows.size, dtype=np.int64), np.full(trial.rows.size, -1)
    if isinstance(policy, Bandit):
        _play_bandit(policy, trial, arms)
    elif isinstance(policy, Meta) and all(isinstance(expert, Bandit) for expert in policy.experts.values()):
        experts = tuple(_bundle(expert, trial.contexts) for expert in policy.experts.values() if isinstance(expert, Bandit))
        chooser = _bundle(policy._chooser, trial.contexts)
        _play_meta(chooser, experts, policy.shared, trial.rewards, trial.rows, _NO_DRAWS, arms, followed)
    else:
        _play_any(policy, trial, arms, followed)
    return Played(arms, followed)


def _play_bandit(policy: Bandit, trial: Trial, arms: Integers) -> None:
    *kernel, tree, online, past, derived, places, seats, seat_of, heap, arm_of, _, seen = _bundle(policy, trial.contexts)
    sums, world = (tree, online, past), (trial.rewards, trial.rows, _NO_DRAWS, arms)
    if policy.dimension:
        _play_ridge(*(*kernel, *sums, derived, arm_of, seen, *world))
    else:
        _play_rewards(*(*kernel, *sums, places, seats, seat_of, heap, arm_of, *world))


def _play_any(policy: Policy, trial: Trial, arms: Integers, followed: Integers) -> None:
    """Any other policy, round by round through its public interface."""
    names = list(policy.experts) if isinstance(policy, Meta) else []
    for t, row in enumerate(trial.rows):
        decision = policy.select(trial.contexts[t] if policy.dimension else None)
        arms[t] = cast(int, decision.arm)
        followed[t] = names.index(decision.experts[0]) if names else -1
        policy.update(decision, trial.rewards[row, arms[t]])
