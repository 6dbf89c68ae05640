"""Two workers that forget, together: in the newest epoch of both, what they had learnt at the start counted once."""

import numpy as np

from ...core.sums import PLAYS
from ...core.types import Floats
from ..family import Change
from ..learnt import Learnt, Recipe
from .ageing import aged_of, by_age, keeps_ages, presented, remade
from .blocks import placed

ROUNDED = 1e-12
"""Sums that differ by less, as a part of the largest in their row, differ by rounding: both aged, but in other steps."""


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
    epoch = max(aged_of(own).epoch, aged_of(other).epoch)
    own, other = (at if aged_of(at).epoch == epoch else presented(recipe, at, epoch) for at in (own, other))
    if since is None:
        return own, other, None
    if keeps_ages(recipe):
        return own, other, since
    since = since if aged_of(since).epoch == epoch else presented(recipe, since, epoch)
    labels = since.arms.labels
    online = other.arrays.online.copy()
    leaves = [other.arms.leaf(arm) if arm in set(other.arms.labels) else -1 for arm in labels]
    for leaf, row in zip(leaves, since.online_rows(labels), strict=True):
        if leaf >= 0:
            near = np.abs(online[leaf] - row) <= ROUNDED * np.abs(row).max(initial=0.0)
            online[leaf] = np.where(near, row, online[leaf])
    return own, other._replace(arrays=other.arrays._replace(online=online)), since


def joined(both: Learnt, rows: Floats, own: Learnt, other: Learnt, since: Learnt | None) -> Learnt:
    """The counts of two workers.

    Args:
        both: The state that they join in.
        rows: The sums of each arm that both have together.
        own: One worker, in the epoch of the other.
        other: The other.
        since: What both had learnt when they started, which counts once.

    Returns:
        A state whose arrays are still to be made.
    """
    labels = both.arms.labels
    more = np.array(other.rounds_by_arm(labels)) - np.array([0] * len(labels) if since is None else since.rounds_by_arm(labels))
    rounds = np.array(own.rounds_by_arm(labels)) + np.maximum(more, 0)
    root = float(rows[:, PLAYS].sum())
    aged = aged_of(own)._replace(rounds=rounds.astype(np.float64), opened=rows, root=root, counted=int(rounds.sum()))
    return both._replace(aged=aged)


def joined_by_age(recipe: Recipe, both: Learnt, own: Learnt, other: Learnt, since: Learnt | None) -> Learnt:
    """The state of two workers whose half-life is "auto".

    Args:
        recipe: What they are made of.
        both: The state that they join in.
        own: One worker, in the epoch of the other.
        other: The other.
        since: What both had learnt when they started, which counts once.

    Returns:
        A new state.
    """
    labels, (starts, blocks), epoch = both.arms.labels, by_age(own), aged_of(own).epoch
    for part, sign in ((other, 1.0), (since, -1.0)):
        if part is not None:
            position = {arm: place for place, arm in enumerate(part.arms.labels)}
            theirs, sums = by_age(part)
            none = np.zeros((len(sums), 1, sums.shape[2]))
            at = [position.get(arm, -1) for arm in labels]
            more = sign * np.concatenate([sums, none], axis=1)[:, at]
            starts, blocks = np.append(starts, theirs), np.concatenate([blocks, more])
    starts, blocks = placed(starts, blocks, epoch)
    blocks = blocks.copy()
    blocks[..., PLAYS] = np.rint(blocks[..., PLAYS])
    blocks[blocks[..., PLAYS] == 0.0] = 0.0
    aged = aged_of(both)._replace(starts=starts[:-1], blocks=blocks[:-1], rounds=aged_of(both).rounds - blocks[-1][:, PLAYS])
    aged = aged._replace(counted=round(float(aged.rounds.sum())))
    return remade(recipe, both._replace(aged=aged), blocks[-1], Change.ROUNDS)
