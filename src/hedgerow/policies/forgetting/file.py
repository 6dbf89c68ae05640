"""The age of a policy's sums as a state file holds it."""

from typing import Any

import numpy as np

from ...core.arms import Arms
from ...core.records import Field
from ...core.state_file import Block, StateFile
from ...core.sums import MOST_PLAYS, fields_of
from ..learnt import Learnt, Recipe
from .aged import Aged
from .blocks import borders

MOST_BLOCKS = 1000
"""Blocks that a file may have: there are some five more each time the rounds double."""


def _rounds(arms: int) -> tuple[Field, ...]:
    return (Field("rounds", low=0.0, high=MOST_PLAYS, shape=(arms + 1,), whole=True),)


def memory_manifest(recipe: Recipe, aged: Aged | None) -> dict[str, Any]:
    """What is said of it.

    Args:
        recipe: What the policy is made of.
        aged: The age of its sums; None for a policy that does not forget, of which nothing is said.

    Returns:
        Values by name.
    """
    if aged is None or recipe.half_life is None:
        return {}
    blocks = {"starts": aged.starts.tolist(), "first": aged.first, "changes": aged.changes}
    return {"half_life": recipe.half_life.listed(), "epoch": aged.epoch, **(blocks if recipe.half_life.auto else {})}


def memory_blocks(recipe: Recipe, learnt: Learnt) -> dict[str, Block]:
    """Its arrays.

    Args:
        recipe: What the policy is made of.
        learnt: What it has learnt.

    Returns:
        Arrays by name.
    """
    aged, form = learnt.aged, recipe.format(learnt.arms)
    if aged is None or recipe.half_life is None:
        return {}
    found = {"rounds": Block(aged.rounds, _rounds(len(learnt.arms.labels)))}
    if recipe.half_life.auto:
        rows = aged.blocks.reshape(-1, aged.blocks.shape[2])
        found |= {"given": Block(aged.given, fields_of(recipe.dimension)), "by_age": Block(rows, form.online)}
    return found


def read_memory(recipe: Recipe, file: StateFile, arms: Arms) -> Aged | None:
    """The age of the sums in a file; refused if it cannot be.

    Args:
        recipe: What the policy is made of.
        file: The open file.
        arms: Arms and their tree.

    Returns:
        The age, or None of a policy that does not forget.

    Raises:
        ValueError: It cannot be.
    """
    if recipe.half_life is None:
        return None
    made, count = file.manifest, len(arms.labels)
    epoch, rounds = made["epoch"], file.array("rounds", _rounds(count))
    if type(epoch) is not int or rounds[:-1].sum() != rounds[-1]:
        raise ValueError("its rounds are not those of its arms, or its epoch is no whole number")
    if not recipe.half_life.auto:
        return Aged(epoch, rounds, np.zeros((count, 0)), np.zeros(0, np.int64), np.zeros((0, count, 0)))
    listed = made["starts"]
    if not listed or len(listed) > MOST_BLOCKS or any(type(start) is not int for start in listed) or listed[-1] != epoch:
        raise ValueError("it has no sums by age, or others than of its epochs")
    starts = np.array(listed, dtype=np.int64)
    if (np.diff(starts) <= 0).any() or not np.array_equal(borders(starts, epoch), starts):
        raise ValueError("its sums by age are not of the epochs that they are of at its age")
    if not (type(made["first"]) is int and 0 <= made["first"] < len(starts) and type(made["changes"]) is int):
        raise ValueError("its window begins with none of its sums by age")
    rows = file.array("by_age", recipe.format(arms).online, len(starts) * count)
    given = file.array("given", fields_of(recipe.dimension), count)
    return Aged(epoch, rounds, given, starts, rows.reshape(len(starts), count, -1), made["first"], made["changes"])
