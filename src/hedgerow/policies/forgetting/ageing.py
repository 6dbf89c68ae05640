"""How the state of a policy that forgets grows older, learns late rewards, and is merged: each makes a new state."""

from typing import Any

import numpy as np

from ...core.arms import Arms
from ...core.sums import PLAYS, observe, observe_reward
from ...core.types import Floats
from ...data.history import History
from ..family import Change
from ..learnt import Learnt, Recipe, plant
from . import linear_window, window
from .aged import Aged
from .blocks import middles, placed
from .half_life import HalfLife, weight

WARY = 2.0
"""Beside the window, "auto" has a half-life of so many times the rounds so far, over one more than the changes: an arm that
nobody has looked at for long is tried again. Measured beside 1 and none (docs/changing.md)."""

GONE = 2.0**-900
"""Plays that count as none: their squares would leave the range of a double."""

ROUNDED = 1e-12
"""Sums that differ by less, as a part of the largest in their row, differ by rounding: both aged, but in other steps."""


def presented(recipe: Recipe, learnt: Learnt, epoch: int) -> Learnt:
    """The state once an epoch has begun; what is given stays as it is.

    Args:
        recipe: What the policy is made of.
        learnt: What it has learnt.
        epoch: The present epoch, which is later than that of its sums.

    Returns:
        A new state.
    """
    aged, arrays = _aged(learnt), learnt.arrays
    if _half_life(recipe).auto:
        starts, blocks = placed(aged.starts, aged.blocks, epoch)
        return remade(recipe, learnt._replace(aged=aged._replace(epoch=epoch, starts=starts, blocks=blocks).copied()))
    factor = weight(epoch - aged.epoch)
    online, history = faded(arrays.online, factor), faded(arrays.history, factor)
    blank = arrays._replace(online=online, history=history, rows=np.zeros_like(arrays.rows), waiting=arrays.waiting[:0])
    fitted = recipe.rule.family.fit(blank, Change.AGED, learnt.still_waiting())
    return learnt._replace(arrays=fitted, aged=aged._replace(epoch=epoch).copied())


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


def remade(recipe: Recipe, learnt: Learnt, change: Change = Change.AGED) -> Learnt:
    """The state of "auto" from its sums by age.

    Args:
        recipe: What the policy is made of.
        learnt: With the blocks as they are to be.
        change: What happened.

    Returns:
        A new state.
    """
    aged, arms = _aged(learnt), learnt.arms
    first, changes, _ = window_of(recipe, arms, aged.blocks)
    half_life = WARY * max(aged.epoch, 1) / (1.0 + changes)
    ages = np.maximum(aged.epoch - middles(aged.starts, aged.epoch), 0.0)
    weights = np.exp2(-ages / half_life)
    online = np.einsum("b,bkc->kc", weights[first:], aged.blocks[first:])
    history = aged.given
    if getattr(recipe.rule.family, "drifting_history", False):
        history = history + np.einsum("b,bkc->kc", weights[:first], aged.blocks[:first])
    elif first > 0:
        history = np.zeros_like(history)
    now = learnt._replace(aged=aged._replace(first=first, changes=changes))
    return plant(recipe, now, arms.totals(online), history, change)


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
    return window.newest_window(blocks, *clusters_of(arms))


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
    aged, arms = _aged(learnt).copied(), learnt.arms
    position = arms.position(arms.named(leaf)[0])
    aged.rounds[[position, -1]] += 1.0
    row = np.zeros((1, learnt.arrays.online.shape[1]))
    if context.size:
        observe(row, 0, reward, context)
    else:
        observe_reward(row, 0, reward)
    if _half_life(recipe).auto:
        more = np.zeros((1, *aged.blocks.shape[1:]))
        more[0, position] = row
        starts, blocks = placed(np.append(aged.starts, epoch), np.concatenate([aged.blocks, more]), aged.epoch)
        return remade(recipe, learnt._replace(aged=aged._replace(starts=starts, blocks=blocks)), Change.ROUNDS)
    rows = np.zeros((len(arms.labels), row.shape[1]))
    rows[position] = weight(aged.epoch - epoch) * row
    online = learnt.arrays.online + arms.totals(rows)
    return plant(recipe, learnt._replace(aged=aged), online, learnt.history_rows(), Change.ROUNDS)


def with_history(recipe: Recipe, learnt: Learnt, rows: Floats, epoch: int | None) -> tuple[Learnt, Floats]:
    """The state in the epoch of another history, if that is later, and the history as it counts there.

    Args:
        recipe: What the policy is made of.
        learnt: What it has learnt.
        rows: Sums of the history of each arm.
        epoch: That of the history, None if it is as new as the policy.

    Returns:
        A state, and rows of sums.
    """
    if _half_life(recipe).auto:
        return learnt._replace(aged=_aged(learnt)._replace(given=rows.copy())), rows
    if epoch is not None and epoch > _aged(learnt).epoch:
        learnt = presented(recipe, learnt, epoch)
    return learnt, rows if epoch is None else faded(rows, weight(_aged(learnt).epoch - epoch))


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


def in_step(recipe: Recipe, own: Learnt, other: Learnt, since: Learnt | None) -> tuple[Learnt, Learnt, Learnt | None]:
    """Two workers, and what both started from, in the newest epoch of all.

    Args:
        recipe: What they are made of.
        own: What one worker learnt.
        other: What the other learnt.
        since: What both had learnt when they started.

    Returns:
        Their states, of which sums can be added. The sums of the first part of the other's that are those of ``since`` up to
        rounding are exactly those.
    """
    epoch = max(_aged(own).epoch, _aged(other).epoch)
    own, other = (at if _aged(at).epoch == epoch else presented(recipe, at, epoch) for at in (own, other))
    if since is None:
        return own, other, None
    since = since if _aged(since).epoch == epoch else presented(recipe, since, epoch)
    labels = since.arms.labels
    online = other.arrays.online.copy()
    leaves = [other.arms.leaf(arm) if arm in set(other.arms.labels) else -1 for arm in labels]
    for leaf, row in zip(leaves, since.online_rows(labels), strict=True):
        if leaf >= 0:
            near = np.abs(online[leaf] - row) <= ROUNDED * np.abs(row).max(initial=0.0)
            online[leaf] = np.where(near, row, online[leaf])
    return own, other._replace(arrays=other.arrays._replace(online=online)), since


def joined(both: Learnt, own: Learnt, other: Learnt, since: Learnt | None) -> Learnt:
    """The counts and the sums by age of two workers.

    Args:
        both: The state that they join in.
        own: One worker, in the epoch of the other.
        other: The other.
        since: What both had learnt when they started, which counts once.

    Returns:
        A state whose arrays are still to be made.
    """
    aged, labels = _aged(own), both.arms.labels
    counts = np.array(other.rounds_by_arm(labels)) - np.array([0] * len(labels) if since is None else since.rounds_by_arm(labels))
    rounds = aged.rounds[:-1] + np.maximum(counts, 0)
    starts, blocks = aged.starts, aged.blocks
    for part, sign in ((other, 1.0), (since, -1.0)):
        if part is not None and len(blocks):
            position = {arm: place for place, arm in enumerate(part.arms.labels)}
            theirs = _aged(part).moved([position.get(arm, -1) for arm in labels])
            starts, blocks = np.append(starts, theirs.starts), np.concatenate([blocks, sign * theirs.blocks])
    if len(blocks):
        starts, blocks = placed(starts, blocks, aged.epoch)
    return both._replace(aged=aged._replace(rounds=np.append(rounds, rounds.sum()), starts=starts, blocks=blocks))


def _aged(learnt: Learnt) -> Aged:
    assert learnt.aged is not None
    return learnt.aged


def _half_life(recipe: Recipe) -> HalfLife:
    assert recipe.half_life is not None
    return recipe.half_life
