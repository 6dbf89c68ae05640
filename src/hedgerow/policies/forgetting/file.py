"""The age of a policy's sums as a state file holds it."""

from typing import Any

import numpy as np

from ...core.arms import Arms
from ...core.records import Field
from ...core.state_file import Block, StateFile
from ...core.sums import MOST_PLAYS, PLAYS, fields_of
from ..learnt import Learnt, Recipe
from .aged import Aged, nothing_by_age
from .blocks import borders

MOST_BLOCKS = 1000
"""Blocks that a file may have: there are some five more each time the rounds double."""


def _rounds(arms: int) -> tuple[Field, ...]:
    return (Field("rounds", low=0.0, high=MOST_PLAYS, shape=(arms,), whole=True),)


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
    return {
        "half_life": recipe.half_life.listed(),
        "epoch": aged.epoch,
        "root": aged.root,
        **(blocks if recipe.half_life.auto else {}),
    }


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
    rounds = Block(aged.rounds, _rounds(len(learnt.arms.labels)))
    found = {"rounds": rounds, "opened": Block(aged.opened, form.online)}
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
    made, count, form = file.manifest, len(arms.labels), recipe.format(arms)
    epoch, root = made["epoch"], made["root"]
    rounds, opened = file.array("rounds", _rounds(count)), file.array("opened", form.online, count)
    if type(epoch) is not int or type(root) is not float or not abs(root - opened[:, PLAYS].sum()) <= 1e-9 * (1.0 + root):
        raise ValueError("its epoch is no whole number, or the plays of all arms are not those of each")
    first = Aged(epoch, rounds, opened, root, int(rounds.sum()), *nothing_by_age(count, opened.shape[1]))
    if not recipe.half_life.auto:
        return first
    listed = made["starts"]
    if len(listed) > MOST_BLOCKS or any(type(start) is not int for start in listed):
        raise ValueError("it has no sums by age, or too many")
    starts = np.array(listed, dtype=np.int64)
    if (np.diff([*listed, epoch]) <= 0).any() or not np.array_equal(borders(starts, epoch), starts):
        raise ValueError("its sums by age are not of the epochs that they are of at its age")
    if not (type(made["first"]) is int and 0 <= made["first"] <= len(starts) and type(made["changes"]) is int):
        raise ValueError("its window begins with none of its sums by age")
    blocks = file.array("by_age", form.online, len(starts) * count).reshape(len(starts), count, opened.shape[1])
    given = file.array("given", fields_of(recipe.dimension), count)
    return first._replace(given=given, starts=starts, blocks=blocks, first=made["first"], changes=made["changes"])
