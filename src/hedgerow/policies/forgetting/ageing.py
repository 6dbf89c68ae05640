"""How the state of a policy that forgets grows older, learns late rewards, and is merged: each makes a new state."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.arms import Arms
from ...core.sums import PLAYS, observe, observe_reward
from ...core.types import Floats, Integers, Label
from ...data.history import History
from ...inference.change_point import newest_window
from ..family import Change
from ..learnt import Learnt, Recipe, plant
from . import linear_window
from .aged import Aged
from .blocks import middles, placed
from .half_life import HalfLife, weight

WARY = 2.0
"""Beside the window, "auto" has a half-life of so many times the rounds so far, over one more than the changes: an arm that
nobody has looked at for long is tried again. Measured beside 1 and none (docs/changing.md)."""

GONE = 2.0**-900
"""Plays that count as none: their squares would leave the range of a double."""


def keeps_ages(recipe: Recipe) -> bool:
    """Whether a policy that forgets keeps its sums by age.

    Args:
        recipe: What the policy is made of.

    Returns:
        True for "auto".
    """
    return _half_life(recipe).auto


def presented(recipe: Recipe, learnt: Learnt, epoch: int) -> Learnt:
    """The state once an epoch has begun; what is given stays as it is.

    Args:
        recipe: What the policy is made of.
        learnt: What it has learnt.
        epoch: The present epoch, which is later than that of its sums.

    Returns:
        A new state.
    """
    aged, arrays = counted(learnt), learnt.arrays
    if keeps_ages(recipe):
        starts, blocks = placed(*by_age(learnt), epoch)
        aged = aged._replace(epoch=epoch, starts=starts, blocks=blocks)
        return remade(recipe, learnt._replace(aged=aged), np.zeros_like(aged.opened))
    factor = weight(epoch - aged.epoch)
    online, history = faded(arrays.online, factor), faded(arrays.history, factor)
    blank = arrays._replace(online=online, history=history, rows=np.zeros_like(arrays.rows), waiting=arrays.waiting[:0])
    fitted = recipe.rule.family.fit(blank, Change.AGED, learnt.still_waiting())
    aged = aged._replace(epoch=epoch, opened=online[learnt.arms.leaves], root=float(online[0, PLAYS]))
    return learnt._replace(arrays=fitted, aged=aged)


def counted(learnt: Learnt) -> Aged:
    """The age of the sums, with the rounds of the present epoch counted among the others.

    Args:
        learnt: What a policy has learnt.

    Returns:
        The age.
    """
    rounds = np.array(learnt.rounds_by_arm(learnt.arms.labels), dtype=np.float64)
    return aged_of(learnt)._replace(rounds=rounds, counted=int(rounds.sum()))


def by_age(learnt: Learnt) -> tuple[Integers, Floats]:
    """The blocks of "auto", the present epoch the last of them.

    Args:
        learnt: What a policy has learnt.

    Returns:
        First epoch and sums of each block.
    """
    aged = aged_of(learnt)
    return np.append(aged.starts, aged.epoch), np.concatenate([aged.blocks, present_of(learnt)[None]])


def present_of(learnt: Learnt) -> Floats:
    """The sums of each arm in the present epoch, whose rounds weigh 1.

    Args:
        learnt: What a policy has learnt.

    Returns:
        A row for each arm.
    """
    rows: Floats = learnt.arrays.online[learnt.arms.leaves] - aged_of(learnt).opened
    rows[:, PLAYS] = np.rint(rows[:, PLAYS])
    rows[rows[:, PLAYS] == 0.0] = 0.0
    return rows


def all_rows(learnt: Learnt, labels: Sequence[Label]) -> Floats:
    """Online sums of these arms, of rounds of any age where they are kept by age.

    Args:
        learnt: What a policy has learnt.
        labels: The arms; one that the policy does not have has played nothing.

    Returns:
        A row for each.
    """
    if learnt.aged is None or not len(learnt.aged.given) or not learnt.aged.given.shape[1]:
        return learnt.online_rows(labels)
    rows = by_age(learnt)[1].sum(axis=0)
    position = {arm: place for place, arm in enumerate(learnt.arms.labels)}
    found: Floats = np.vstack([rows, np.zeros((1, rows.shape[1]))])[[position.get(arm, -1) for arm in labels]]
    return found


def faded(rows: Floats, factor: float) -> Floats:
    """Rows of sums that weigh ``factor`` times as much; what nearly vanishes is gone.

    Args:
        rows: Rows of sums.
        factor: By which their weight changes.

    Returns:
        New rows.
    """
    found: Floats = rows * factor
    found[(rows[:, PLAYS] * factor < GONE)] = 0.0
    return found


def remade(recipe: Recipe, learnt: Learnt, present: Floats, change: Change = Change.AGED) -> Learnt:
    """The state of "auto" from its sums by age.

    Args:
        recipe: What the policy is made of.
        learnt: With the blocks, and the rounds before the present epoch, as they are to be.
        present: Sums of each arm in the present epoch.
        change: What happened.

    Returns:
        A new state.
    """
    aged, arms = aged_of(learnt), learnt.arms
    first, changes, _ = window_of(recipe, arms, aged.blocks)
    half_life = WARY * max(aged.epoch, 1) / (1.0 + changes)
    weights = np.exp2(np.minimum(middles(aged.starts, aged.epoch) - aged.epoch, 0.0) / half_life)
    opened = np.tensordot(weights[first:], aged.blocks[first:], 1)
    history = aged.given
    if getattr(recipe.rule.family, "drifting_history", False):
        history = history + np.tensordot(weights[:first], aged.blocks[:first], 1)
    elif first > 0:
        history = np.zeros_like(history)
    aged = aged._replace(opened=opened, root=float(opened[:, PLAYS].sum()), first=first, changes=changes)
    return plant(recipe, learnt._replace(aged=aged), arms.totals(opened + present), history, change)


def window_of(recipe: Recipe, arms: Arms, blocks: Floats) -> tuple[int, int, Floats]:
    """The newest window without a visible change.

    Args:
        recipe: What the policy is made of.
        arms: The arms and their tree.
        blocks: Sums by age.

    Returns:
        The number of its first block, the number of changes before it, and by how much each arm shows the newest of these.
    """
    if recipe.dimension is not None:
        return linear_window.newest_window(blocks, recipe.dimension)
    return newest_window(blocks, *clusters_of(arms))


def clusters_of(arms: Arms) -> tuple[Any, int]:
    """The number of the cluster that each arm stands in, from 1 on, 0 without; and how many there are.

    Args:
        arms: The arms and their tree.

    Returns:
        A number for each arm, and the number of clusters.
    """
    numbers = {path: number for number, path in enumerate(dict.fromkeys(arms.paths or ()), start=1)}
    found = [numbers[path] for path in arms.paths] if arms.paths is not None else [0] * len(arms.labels)
    return np.array(found, dtype=np.int64), len(numbers)


def learnt_late(recipe: Recipe, learnt: Learnt, leaf: int, reward: float, context: Floats, epoch: int) -> Learnt:
    """With the reward of a decision of a former epoch, which weighs what that epoch weighs.

    Args:
        recipe: What the policy is made of.
        learnt: What it has learnt, and the decisions that still wait.
        leaf: The node of the arm.
        reward: What it earned.
        context: In which context.
        epoch: That of the decision.

    Returns:
        A new state.
    """
    aged, arms = aged_of(learnt), learnt.arms
    position = arms.position(arms.named(leaf)[0])
    rounds, opened = aged.rounds.copy(), aged.opened.copy()
    rounds[position] += 1.0
    aged = aged._replace(rounds=rounds, counted=aged.counted + 1)
    row = np.zeros((1, opened.shape[1]))
    if context.size:
        observe(row, 0, reward, context)
    else:
        observe_reward(row, 0, reward)
    if keeps_ages(recipe):
        more = np.zeros((1, *opened.shape))
        more[0, position] = row
        starts, blocks = placed(np.append(aged.starts, epoch), np.concatenate([aged.blocks, more]), aged.epoch)
        later = learnt._replace(aged=aged._replace(starts=starts, blocks=blocks))
        return remade(recipe, later, present_of(learnt), Change.ROUNDS)
    opened[position] += weight(aged.epoch - epoch) * row[0]
    online = learnt.arrays.online + arms.totals(opened - aged.opened)
    aged = aged._replace(opened=opened, root=aged.root + weight(aged.epoch - epoch))
    return plant(recipe, learnt._replace(aged=aged), online, learnt.history_rows(), Change.ROUNDS)


def with_history(recipe: Recipe, learnt: Learnt, rows: Floats, epoch: int | None) -> tuple[Learnt, Floats]:
    """The state in the epoch of another history, if that is later, and the history as it counts there; of a fixed half-life.

    Args:
        recipe: What the policy is made of.
        learnt: What it has learnt.
        rows: Sums of the history of each arm.
        epoch: That of the history, None if it is as new as the policy.

    Returns:
        A state, and rows of sums.
    """
    if epoch is not None and epoch > aged_of(learnt).epoch:
        learnt = presented(recipe, learnt, epoch)
    return learnt, rows if epoch is None else faded(rows, weight(aged_of(learnt).epoch - epoch))


def history_of(recipe: Recipe, learnt: Learnt) -> History:
    """The history that a policy was given, as far as it counts now.

    Args:
        recipe: What the policy is made of.
        learnt: What it has learnt.

    Returns:
        The history; of a policy that forgets by time, with the time as of which it counts so.
    """
    rows, newest, half_life, aged = learnt.history_rows(), None, recipe.half_life, learnt.aged
    if aged is not None and half_life is not None and half_life.auto:
        rows = aged.given
    elif aged is not None and half_life is not None and half_life.seconds and aged.epoch > half_life.first_epoch:
        newest = half_life.begin(aged.epoch)
    return History(learnt.arms.labels, rows, recipe.dimension, encoding=learnt.encoding, newest=newest)


def aged_of(learnt: Learnt) -> Aged:
    """The age of the sums of a policy that forgets.

    Args:
        learnt: What it has learnt.

    Returns:
        The age.
    """
    assert learnt.aged is not None
    return learnt.aged


def _half_life(recipe: Recipe) -> HalfLife:
    """The half-life of a policy that forgets."""
    assert recipe.half_life is not None
    return recipe.half_life
