"""Whole trials of a Meta in compiled code, where its experts are alike: UCB over reward sums, or LinUCB."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ..core.draws import NO_KEY
from ..core.kernel import compiled, inlined
from ..core.types import Floats, Integers
from . import d3rb, linucb, ridge_tree, ucb
from .bandit import Bandit
from .family import Course
from .meta import Meta
from .scan import learn_scaled
from .tournament import NO_SEATS

Player: TypeAlias = tuple[Any, ...]
"""A bandit as its arrays: tree, online, history, waiting, rows, state, position of the arm at each node, leaf of each arm, and
tournaments, if only empty ones."""


@compiled
def _ask_ucb(player: Player, context: Floats) -> int:
    tree, online, history, waiting, _, state, arm_of, _, places, seats, _, heap = player
    if len(places) > 0:
        leaf = ucb.choose_seated(tree, online, history, waiting, state, places, seats, heap, NO_KEY)
    else:
        leaf = ucb.choose_prompt(tree, online, history, state)
    arm: int = arm_of[leaf]
    return arm


@compiled
def _ask_d3rb(player: Player, context: Floats) -> int:
    tree, online, history, waiting, _, state, arm_of, _, _, _, _, _ = player
    arm: int = arm_of[d3rb.choose(tree, online, history, waiting, state, NO_KEY)]
    return arm


@compiled
def _ask_linucb(player: Player, context: Floats) -> int:
    tree, _, _, _, rows, state, arm_of, _, _, _, _, _ = player
    arm: int = arm_of[linucb.choose(tree, rows, state, context, NO_KEY)]
    return arm


@compiled
def _teach_ucb(player: Player, context: Floats, arm: int, reward: float) -> None:
    tree, online, history, waiting, _, state, _, leaf_of, places, _, seat_of, heap = player
    if len(places) > 0:
        ucb.learn_seated(tree, online, history, waiting, state, places, seat_of, heap, leaf_of[arm], reward, False)
    else:
        learn_scaled(tree, online, history, waiting, state, leaf_of[arm], reward, False)


@compiled
def _teach_d3rb(player: Player, context: Floats, arm: int, reward: float) -> None:
    tree, online, history, waiting, _, state, _, leaf_of, _, _, _, _ = player
    d3rb.learn(tree, online, history, waiting, state, leaf_of[arm], reward, False)


@compiled
def _teach_linucb(player: Player, context: Floats, arm: int, reward: float) -> None:
    tree, online, history, waiting, rows, _, _, leaf_of, _, _, _, _ = player
    ridge_tree.learn(tree, online, history, waiting, rows, leaf_of[arm], reward, context)


@inlined
def _follow(
    choose: Any,
    credit: Any,
    ask: Any,
    teach: Any,
    chooser: Any,
    experts: Any,
    shared: Any,
    contexts: Any,
    rewards: Any,
    rows: Any,
    arms: Any,
    followed: Any,
) -> None:
    """Ask the chooser for an expert and the expert for an arm; credit the expert, and teach it, or all of them."""
    for t in range(rows.size):
        context = contexts[t]
        expert = choose(chooser, context)
        arm = ask(experts[expert], context)
        reward = rewards[rows[t], arm]
        credit(chooser, context, expert, reward)
        for other in range(len(experts)):
            if shared or other == expert:
                teach(experts[other], context, arm, reward)
        arms[t] = arm
        followed[t] = expert


@compiled
def _ucb_of_ucb(
    chooser: Player,
    experts: tuple[Player, ...],
    shared: bool,
    contexts: Floats,
    rewards: Floats,
    rows: Integers,
    arms: Integers,
    followed: Integers,
) -> None:
    _follow(_ask_ucb, _teach_ucb, _ask_ucb, _teach_ucb, chooser, experts, shared, contexts, rewards, rows, arms, followed)


@compiled
def _d3rb_of_ucb(
    chooser: Player,
    experts: tuple[Player, ...],
    shared: bool,
    contexts: Floats,
    rewards: Floats,
    rows: Integers,
    arms: Integers,
    followed: Integers,
) -> None:
    _follow(_ask_d3rb, _teach_d3rb, _ask_ucb, _teach_ucb, chooser, experts, shared, contexts, rewards, rows, arms, followed)


@compiled
def _ucb_of_linucb(
    chooser: Player,
    experts: tuple[Player, ...],
    shared: bool,
    contexts: Floats,
    rewards: Floats,
    rows: Integers,
    arms: Integers,
    followed: Integers,
) -> None:
    _follow(_ask_ucb, _teach_ucb, _ask_linucb, _teach_linucb, chooser, experts, shared, contexts, rewards, rows, arms, followed)


@compiled
def _d3rb_of_linucb(
    chooser: Player,
    experts: tuple[Player, ...],
    shared: bool,
    contexts: Floats,
    rewards: Floats,
    rows: Integers,
    arms: Integers,
    followed: Integers,
) -> None:
    _follow(_ask_d3rb, _teach_d3rb, _ask_linucb, _teach_linucb, chooser, experts, shared, contexts, rewards, rows, arms, followed)


LOOPS: dict[tuple[str, str], Callable[..., None]] = {
    ("ucb", "ucb"): _ucb_of_ucb,
    ("d3rb", "ucb"): _d3rb_of_ucb,
    ("ucb", "linucb"): _ucb_of_linucb,
    ("d3rb", "linucb"): _d3rb_of_linucb,
}
"""The loops by the rules of the chooser and of the experts."""


def positions(bandit: Bandit) -> Integers:
    """For each node of a policy the position of its arm.

    Args:
        bandit: The policy.

    Returns:
        A number for each node; 0 for inner ones.
    """
    arms = bandit.snapshot().arms
    found = np.zeros(len(arms.tree), dtype=np.int64)
    found[arms.leaves] = np.arange(arms.leaves.size)
    return found


def _player(bandit: Bandit) -> Player:
    arms, arrays, *_ = bandit.snapshot()
    return (*arrays[:6], positions(bandit), arms.leaves, *(arrays.extra or NO_SEATS))


def play_together(meta: Meta, course: Course, followed: Integers) -> bool:
    """Live through a whole trial and note the arms and the experts followed, if there is a compiled loop for such experts.

    Args:
        meta: The policy over policies.
        course: The trial, in which the arms are noted.
        followed: Where the experts are noted.

    Returns:
        False if there is no such loop; then nothing was played.
    """
    experts = list(meta.experts.values())
    rules = {expert.rule.name for expert in experts if isinstance(expert, Bandit)}
    kinds = {expert.snapshot().arrays.rows.dtype for expert in experts if isinstance(expert, Bandit)}
    loop = LOOPS.get((meta.chooser.rule.name, min(rules, default="")))
    alike = len(rules) == len(kinds) == 1 and all(isinstance(expert, Bandit) for expert in experts)
    quiet = not any(bandit.progress()[1] or bandit.half_life is not None for bandit in (meta.chooser, *meta.bandits()))
    if loop is None or not alike or not quiet:
        return False
    players = tuple(_player(expert) for expert in experts if isinstance(expert, Bandit))
    contexts, rewards, rows, _, arms = course
    loop(_player(meta.chooser), players, meta.shared, contexts, rewards, rows, arms, followed)
    return True
