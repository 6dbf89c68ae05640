"""What a policy remembers: how much its rounds count, since when, and which arms changed."""

from typing import NamedTuple

from ...core.sums import PLAYS
from ...core.types import Label
from ..learnt import Learnt, Recipe
from .ageing import window_of


class Memory(NamedTuple):
    """What a policy that forgets remembers of its online rounds.

    Args:
        half_life: How it forgets, in words: "1000 decisions", "6:00:00" (hours), or "auto".
        remembered: Rounds that count, each by its weight.
        since: Of "auto", the stamp from which on no change is visible; None for a fixed half-life.
        changes: Of "auto", how many changes are visible in what is older.
        changed: Of "auto", the arms that changed at the newest of these, the clearest first.
    """

    half_life: str
    remembered: float
    since: float | None = None
    changes: int = 0
    changed: tuple[Label, ...] = ()


def memory_of(recipe: Recipe, learnt: Learnt) -> Memory:
    """What a policy remembers.

    Args:
        recipe: What the policy is made of.
        learnt: What it has learnt.

    Returns:
        The facts.
    """
    half_life, aged = recipe.half_life, learnt.aged
    assert half_life is not None
    assert aged is not None
    remembered = float(learnt.arrays.online[0, PLAYS])
    if not half_life.auto:
        return Memory(str(half_life), remembered)
    first, changes, found = window_of(recipe, learnt.arms, aged.blocks)
    since = half_life.begin(int(aged.starts[first])) if first < len(aged.starts) else half_life.begin(aged.epoch)
    order = sorted((place for place, told in enumerate(found) if told > 0.0), key=lambda place: -found[place])
    return Memory("auto", remembered, since, changes, tuple(learnt.arms.labels[place] for place in order))
