"""Whole trials in compiled code: a policy decides, learns, and decides again, with no Python in between."""

from collections import deque
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np

from ..core.draws import NO_KEY, new_key
from ..core.kernel import compiled
from ..core.types import Decision, Floats, Integers, Policy
from ..policies.bandit import Bandit
from ..policies.checks import lacking
from ..policies.meta import Meta
from ..policies.reward_paths import credit_rewards, descend_rewards
from ..policies.ridge_paths import credit_ridge, descend_ridge
from ..policies.rules import LINUCB
from ..policies.walks import Course
from .problems import Trial

Bundle: TypeAlias = tuple[Any, ...]
"""A bandit as its numbers and arrays; see ``_bundle``."""


class Played(NamedTuple):
    """The arm of each round and, under Meta, the expert that was followed (else -1)."""

    arms: Integers
    followed: Integers


@compiled
def _ask(bandit: Bundle, t: int, context: Floats) -> int:
    rule, clock, key, tree, online, past, pending, derived, ledger, places, seats, _, heap, arm_of, _ = bandit
    drawn = key + t if key >= 0 else key
    if rule < LINUCB:
        leaf = descend_rewards(rule, clock, tree, online, past, pending, ledger, places, seats, heap, drawn)
    else:
        leaf = descend_ridge(rule, tree, derived, ledger, context, drawn)
    arm: int = arm_of[leaf]
    return arm


@compiled
def _teach(bandit: Bundle, context: Floats, arm: int, reward: float) -> None:
    rule, _, _, tree, online, past, pending, derived, ledger, places, _, seat_of, heap, _, leaf_of = bandit
    if rule < LINUCB:
        credit_rewards(rule, tree, online, past, ledger, places, seat_of, heap, leaf_of[arm], reward)
    else:
        credit_ridge(tree, online, past, pending, derived, leaf_of[arm], reward, context)


@compiled
def _play_meta(
    chooser: Bundle,
    experts: tuple[Bundle, ...],
    shared: bool,
    contexts: Floats,
    rewards: Floats,
    rows: Integers,
    arms: Integers,
    followed: Integers,
) -> None:
    for t in range(rows.size):
        context = contexts[t]
        expert = _ask(chooser, t, context)
        arm = _ask(experts[expert], t, context)
        reward = rewards[rows[t], arm]
        _teach(chooser, context, expert, reward)
        for other in range(len(experts)):
            if shared or other == expert:
                _teach(experts[other], context, arm, reward)
        arms[t] = arm
        followed[t] = expert


def _arm_of(bandit: Bandit) -> Integers:
    """For each node the position of its arm."""
    arms = bandit._nodes.arms
    positions = np.zeros(len(arms.tree), dtype=np.int64)
    positions[arms.leaves] = np.arange(arms.leaves.size)
    return positions


def _key(bandit: Bandit, rng: np.random.Generator) -> int:
    return new_key(rng) if bandit.rule.draws else NO_KEY


def _bundle(bandit: Bandit, rng: np.random.Generator) -> Bundle:
    nodes = bandit._nodes
    return (*bandit._kernel, _key(bandit, rng), nodes.arms.tree, *nodes[1:], _arm_of(bandit), nodes.arms.leaves)


NEEDED = ("name", "arms", "dimension", "select", "update")
"""What a policy must have to live through a trial."""


def _check(policy: Policy, trial: Trial, delay: int) -> None:
    """Compiled loops go by position and look at nothing, so what they are given must fit."""
    if absent := lacking(policy, (*NEEDED, "expect") if delay else NEEDED):
        raise ValueError(f"{type(policy).__name__} cannot play, it lacks {', '.join(absent)}: see docs/concepts.md, own policies")
    if policy.arms != tuple(trial.arms):
        raise ValueError(f"{policy.name} must have the arms of the trial, 0 to {len(trial.arms) - 1}, in their order")
    if policy.dimension not in (None, trial.dimension):
        raise ValueError(f"{policy.name} takes contexts of {policy.dimension} numbers, the trial has {trial.dimension}")
    if (strict := _unit(policy)) and not (trial.rewards.min() >= 0.0 and trial.rewards.max() <= 1.0):
        raise ValueError(f"{strict[0]} is for rewards between 0 and 1, the trial has others")


def play(policy: Policy, trial: Trial, rng: np.random.Generator | None = None, delay: int = 0) -> Played:
    """Let a policy live through a trial; it has learnt all its rounds afterwards. ``rng``: for policies that draw.

    A reward arrives ``delay`` rounds late, and its decision is waited for (``policy.expect``).
    """
    _check(policy, trial, delay)
    rng = rng or np.random.default_rng(0)
    arms, followed = np.zeros(trial.rows.size, dtype=np.int64), np.full(trial.rows.size, -1)
    contexts, rewards, rows = trial.contexts, trial.rewards, trial.rows
    if delay > 0:
        _play_by_round(policy, trial, arms, followed, rng, delay)
    elif isinstance(policy, Bandit):
        course = Course(contexts, rewards, rows, _arm_of(policy), arms)
        policy._walk.play(*policy._kernel, policy._nodes, _key(policy, rng), course)
    elif isinstance(policy, Meta) and (plain := _plain_experts(policy)):
        experts = tuple(_bundle(expert, rng) for expert in plain)
        _play_meta(_bundle(policy._chooser, rng), experts, policy.shared, contexts, rewards, rows, arms, followed)
    else:
        _play_by_round(policy, trial, arms, followed, rng, delay)
    return Played(arms, followed)


def _plain_experts(policy: Meta) -> list[Bandit]:
    """The experts, if compiled code can ask each in turn: index policies whose rows are of one precision; else none."""
    experts = policy.experts.values()
    plain = [expert for expert in experts if isinstance(expert, Bandit) and expert.rule.walk in ("rewards", "ridge")]
    alike = len({expert._nodes.derived.dtype for expert in plain}) == 1
    return plain if alike and len(plain) == len(experts) else []


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
    return [policy.name] if isinstance(policy, Bandit) and policy.rule.unit else []


def _draws(policy: Policy) -> bool:
    if isinstance(policy, Meta):
        return any(_draws(expert) for expert in policy.experts.values())
    return not isinstance(policy, Bandit) or policy.rule.draws
