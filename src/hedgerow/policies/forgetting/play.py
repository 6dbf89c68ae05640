"""Whole trials: at once, or epoch by epoch for a policy that forgets."""

import time

from ..family import Course
from ..family import play as play_at_once
from ..learnt import Learnt, Recipe, rounds_of
from .ageing import presented
from .half_life import HalfLife


def play(recipe: Recipe, learnt: Learnt, course: Course, key: int) -> Learnt:
    """Live through a whole trial and note the arms.

    Args:
        recipe: What the policy is made of.
        learnt: What it has learnt; its arrays change.
        course: The trial.
        key: Where the draws of the first round come from, -1 for none.

    Returns:
        What it has learnt then.
    """
    family = recipe.rule.family
    if recipe.half_life is None or learnt.aged is None:
        play_at_once(family, learnt.arrays, course, key)
        return learnt
    contexts, rewards, rows, arm_of, arms = course
    start = 0
    while start < len(rows):
        stamp = time.time() if recipe.half_life.seconds else float(rounds_of(learnt))
        epoch, end = recipe.half_life.epoch(stamp), min(start + _left(recipe.half_life, stamp), len(rows))
        if learnt.aged is not None and epoch > learnt.aged.epoch:
            learnt = presented(recipe, learnt, epoch)
        part = Course(contexts[start:end], rewards, rows[start:end], arm_of, arms[start:end])
        play_at_once(family, learnt.arrays, part, key + start if key >= 0 else key)
        start = end
    return learnt


def _left(half_life: HalfLife, stamp: float) -> int:
    """Rounds from a stamp on that are in its epoch."""
    epoch = half_life.epoch(stamp)
    end = half_life.begin(epoch + 1)
    if half_life.seconds or end <= stamp:
        return 1 << 60
    left = max(int(end - stamp), 1)
    while half_life.epoch(stamp + left) == epoch:
        left += 1
    while left > 1 and half_life.epoch(stamp + left - 1) > epoch:
        left -= 1
    return left
