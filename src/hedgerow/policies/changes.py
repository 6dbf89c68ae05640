"""Every change of what a policy has learnt: each makes a new state, and leaves the old one as it is."""

from collections.abc import Mapping, Sequence

import numpy as np

from ..core.arms import Arms
from ..core.types import Floats, Label
from ..data.encoding import Encoding
from .family import Arrays, Change
from .forgetting import ageing, merging
from .learnt import Learnt, Recipe, plant
from .plausible import possible


def recounted(recipe: Recipe, learnt: Learnt) -> Learnt:
    """The same, with all that follows from the decisions that wait made anew from their list.

    Args:
        recipe: What the policy is made of.
        learnt: With the list as it is to be.

    Returns:
        A new state.
    """
    fitted = recipe.rule.family.fit(learnt.arrays, Change.WAITING, learnt.still_waiting())
    return learnt._replace(arrays=fitted)


def replant(recipe: Recipe, learnt: Learnt, arms: Arms, positions: Sequence[int], change: Change) -> Learnt:
    """The rows of the arms carried over to another tree; position -1 is a row of zeros.

    Args:
        recipe: What the policy is made of.
        learnt: What it has learnt.
        arms: Arms and their tree from now on.
        positions: The former position of each arm.
        change: What happened.

    Returns:
        A new state.
    """
    if learnt.aged is not None:
        moved = learnt._replace(arms=arms, aged=learnt.aged.moved(positions))
        if ageing.keeps_ages(recipe):
            present = np.vstack([ageing.present_of(learnt), np.zeros((1, learnt.aged.opened.shape[1]))])[list(positions)]
            return ageing.remade(recipe, moved, present, change)
        learnt = learnt._replace(aged=moved.aged)
    online, history = (
        np.vstack([part, np.zeros((1, part.shape[1]))])[list(positions)]
        for part in (learnt.arrays.online[learnt.arms.leaves], learnt.history_rows())
    )
    return plant(recipe, learnt._replace(arms=arms), arms.totals(online), history, change)


def with_arms(recipe: Recipe, learnt: Learnt, new: Mapping[Label, tuple[Label, ...]]) -> Learnt:
    """More arms.

    Args:
        recipe: What the policy is made of.
        learnt: What it has learnt.
        new: The clusters of each new arm, from the root.

    Returns:
        A new state.
    """
    arms = learnt.arms
    paths = None if arms.paths is None else (*arms.paths, *new.values())
    grown, positions = Arms((*arms.labels, *new), paths), [*range(len(arms.labels)), *[-1] * len(new)]
    return replant(recipe, learnt, grown, positions, Change.ARMS)


def without_arm(recipe: Recipe, learnt: Learnt, arm: Label) -> Learnt:
    """An arm withdrawn, with its rewards and the decisions for it that wait.

    Args:
        recipe: What the policy is made of.
        learnt: What it has learnt.
        arm: The arm that goes.

    Returns:
        A new state.

    Raises:
        KeyError: The arm is not there.
        ValueError: It is the only one.
    """
    arms = learnt.arms
    gone = arms.position(arm)
    if len(arms.labels) == 1:
        raise ValueError(f"{arm!r} is the only arm and must stay")
    kept = [position for position in range(len(arms.labels)) if position != gone]
    paths = None if arms.paths is None else [arms.paths[position] for position in kept]
    left = Arms([arms.labels[position] for position in kept], paths)
    rounds = learnt.withdrawn.get(arm, 0) + learnt.rounds_by_arm([arm])[0]
    now = learnt._replace(waiting=learnt.waiting.without(arm), withdrawn={**learnt.withdrawn, arm: rounds})
    return replant(recipe, now, left, kept, Change.WITHDRAWN)


def in_clusters(recipe: Recipe, learnt: Learnt, arms: Arms) -> Learnt:
    """The same arms in other clusters.

    Args:
        recipe: What the policy is made of.
        learnt: What it has learnt.
        arms: The same arms in their new tree.

    Returns:
        A new state.
    """
    return replant(recipe, learnt, arms, range(len(arms.labels)), Change.WITHDRAWN)


def with_history(
    recipe: Recipe, learnt: Learnt, history_rows: Floats, encoding: Encoding | None, epoch: int | None = None
) -> Learnt:
    """With another history.

    Args:
        recipe: What the policy is made of.
        learnt: What it has learnt.
        history_rows: Sums of the other history of each arm.
        encoding: How contexts of raw values are read from now on.
        epoch: That of the history, if it has one and the policy forgets.

    Returns:
        A new state.
    """
    if learnt.aged is not None and ageing.keeps_ages(recipe):
        change = Change.ROUNDS if np.array_equal(history_rows, learnt.aged.given) else Change.HISTORY
        given = learnt._replace(encoding=encoding, aged=learnt.aged._replace(given=history_rows.copy()))
        return ageing.remade(recipe, given, ageing.present_of(learnt), change)
    if learnt.aged is not None:
        learnt, history_rows = ageing.with_history(recipe, learnt, history_rows, epoch)
    change = Change.ROUNDS if np.array_equal(history_rows, learnt.history_rows()) else Change.HISTORY
    return plant(recipe, learnt._replace(encoding=encoding), learnt.arrays.online, history_rows, change)


def merged(recipe: Recipe, own: Learnt, other: Learnt, since: Learnt | None) -> Learnt:
    """What two workers learnt; what they had learnt at ``since`` counts once.

    Arms that only the other worker has are added; those that were withdrawn here stay withdrawn.

    Args:
        recipe: What the policies are made of.
        own: What one worker learnt.
        other: What the other learnt.
        since: What both had learnt when they started.

    Returns:
        A new state.
    """
    if new := {arm: path for arm, path in paths_of(other).items() if arm not in paths_of(own) and arm not in own.withdrawn}:
        own = with_arms(recipe, own, new)
    if own.aged is not None:
        own, other, since = merging.in_step(recipe, own, other, since)
    ordered = _in_order(other, own)
    before = None if since is None else _in_order(since, own)
    online, state = recipe.rule.family.merge(own.arrays, ordered, before)
    waiting = own.waiting.together(other.waiting, None if since is None else since.waiting)
    for arm in {key[0] for key in waiting} - set(own.arms.labels):
        waiting = waiting.without(arm)
    joined = own._replace(waiting=waiting, arrays=own.arrays._replace(state=state), withdrawn=_withdrawn(own, other, since))
    rows = online[own.arms.leaves]
    if own.aged is not None:
        joined = merging.joined(joined, rows, own, other, since)
        if ageing.keeps_ages(recipe):
            return merging.joined_by_age(recipe, joined, own, other, since)
    return plant(recipe, joined, own.arms.totals(rows), own.history_rows(), Change.ROUNDS)


def paths_of(learnt: Learnt) -> dict[Label, tuple[Label, ...]]:
    """The clusters of each arm, from the root.

    Args:
        learnt: What a policy has learnt.

    Returns:
        A path for each arm, empty without clusters.
    """
    arms = learnt.arms
    return dict(zip(arms.labels, arms.paths or [()] * len(arms.labels), strict=True))


def _withdrawn(own: Learnt, other: Learnt, since: Learnt | None) -> dict[Label, int]:
    """Arms withdrawn here, with the rounds that both had of them; of ``since`` once."""
    found, arms = dict(own.withdrawn), list(own.withdrawn)
    theirs, before = _rounds_of(other, arms), [0] * len(arms) if since is None else _rounds_of(since, arms)
    for arm, more, known in zip(arms, theirs, before, strict=True):
        found[arm] += max(more - known, 0)
    return found


def _rounds_of(learnt: Learnt, arms: Sequence[Label]) -> list[int]:
    """Rounds of arms, whether they are still offered or not."""
    return [count + learnt.withdrawn.get(arm, 0) for arm, count in zip(arms, learnt.rounds_by_arm(arms), strict=True)]


def _in_order(other: Learnt, own: Learnt) -> Arrays:
    """The arrays of a worker with its online rows in the order of the own arms."""
    return other.arrays._replace(online=own.arms.totals(other.online_rows(own.arms.labels)))


def check_since(recipe: Recipe, own: Learnt, other: Learnt, since: Learnt) -> None:
    """Refuse a policy that the other worker cannot have started from.

    Args:
        recipe: What the policies are made of.
        own: What one worker learnt.
        other: What the other learnt.
        since: What both are said to have learnt when they started.

    Raises:
        ValueError: They cannot have.
    """
    if own.aged is not None:
        _, other, aged_since = merging.in_step(recipe, own, other, since)
        since = aged_since or since
    labels = [arm for arm in own.arms.labels if arm in set(other.arms.labels)]
    if not possible(ageing.all_rows(other, labels), ageing.all_rows(since, labels), recipe.dimension):
        raise ValueError("since must be the policy that the other worker started from: it has learnt something else")
