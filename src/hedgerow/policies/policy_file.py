"""What a policy has learnt as a state file holds it."""

from typing import Any

import numpy as np

from ..core import state_file, validate
from ..core.arms import Arms
from ..core.state_file import Block
from ..core.sums import fields_of
from ..core.types import Label, tuples
from ..data.encoding import Encoding
from . import checks
from .exploration import checked_share
from .family import Arrays, Change
from .forgetting.checks import forgetful
from .forgetting.file import memory_blocks, memory_manifest, read_memory
from .forgetting.half_life import HalfLife
from .learnt import Learnt, Recipe, Round
from .plausible import check_sums
from .registry import rule
from .waiting import Waiting

MOST_WAITING = 10_000_000
"""Decisions that a file may say a policy waits for."""


def to_blocks(recipe: Recipe, learnt: Learnt) -> dict[str, Block]:
    """The arrays as a state file holds them.

    Args:
        recipe: What the policy is made of.
        learnt: What it has learnt.

    Returns:
        The arrays by name.
    """
    form, arrays = recipe.format(learnt.arms), learnt.arrays
    waiting = arrays.waiting if learnt.waiting else arrays.waiting[:0]
    return {
        "online": Block(arrays.online, form.online),
        "history": Block(arrays.history, fields_of(recipe.dimension)),
        "waiting": Block(waiting, form.waiting),
        "rows": Block(arrays.rows, form.rows),
        "state": Block(arrays.state, form.state),
        **memory_blocks(recipe, learnt),
    }


def to_manifest(recipe: Recipe, learnt: Learnt) -> state_file.Manifest:
    """Everything else, as a state file holds it.

    Args:
        recipe: What the policy is made of.
        learnt: What it has learnt.

    Returns:
        Values by name.
    """
    return {
        "name": recipe.name,
        "rule": recipe.rule.name,
        "parameters": dict(recipe.rule.values),
        "dimension": recipe.dimension,
        "precision": recipe.precision,
        "cluster_history": recipe.cluster_history,
        "explore": recipe.explore,
        "encoding": None if learnt.encoding is None else learnt.encoding.to_json(),
        "decisions": learnt.waiting.listed(),
        "withdrawn": [[arm, rounds] for arm, rounds in learnt.withdrawn.items()],
        **learnt.arms.manifest(),
        **memory_manifest(recipe, learnt.aged),
    }


def read_recipe(manifest: state_file.Manifest) -> Recipe:
    """The recipe that a state file names.

    Args:
        manifest: Of the file.

    Returns:
        What the policy is made of.

    Raises:
        ValueError: There is no such policy.
    """
    name, values = str(manifest["name"]), manifest["parameters"]
    made = rule(str(manifest["rule"]), dict(values))
    half_life = HalfLife.restored(manifest.get("half_life"))
    forgetful(made, half_life, name)
    precision, cluster_history = str(manifest["precision"]), bool(manifest["cluster_history"])
    length = checks.dimension_for(made, manifest["dimension"], None, name)
    checks.options(made, precision=precision, cluster_history=cluster_history, clustered=manifest["paths"] is not None, name=name)
    return Recipe(name, made, length, precision, cluster_history, checked_share(manifest["explore"]), half_life)


def read(recipe: Recipe, file: state_file.StateFile) -> Learnt:
    """What a policy had learnt when it was saved; refused if it cannot have been.

    Args:
        recipe: What the policy is made of.
        file: The open file.

    Returns:
        What it had learnt.

    Raises:
        ValueError: It cannot have been.
    """
    made = file.manifest
    arms = Arms(tuples(made["arms"]), tuples(made["paths"]))
    nodes, form = len(arms.tree), recipe.format(arms)
    waiting: Waiting[Round] = Waiting.restored(made["decisions"], MOST_WAITING, 3)
    arrays = Arrays(
        arms.tree,
        file.array("online", form.online, nodes),
        file.array("history", fields_of(recipe.dimension), nodes),
        file.array("waiting", form.waiting, nodes if waiting else 0),
        file.array("rows", form.rows, nodes).astype(checks.PRECISIONS[recipe.precision]),
        file.array("state", form.state),
    )
    largest = checks.LARGEST_IN[recipe.precision]
    check_sums(arms, arrays.online, arrays.history, dimension=recipe.dimension, cluster_history=recipe.cluster_history)
    encoding = None if made["encoding"] is None else Encoding.from_json(made["encoding"])
    learnt = Learnt(arms, arrays, waiting, encoding, _withdrawn(made["withdrawn"]), read_memory(recipe, file, arms))
    for arm, context, _ in waiting:
        arms.leaf(arm)
        validate.checked_context(context, recipe.dimension, recipe.name, largest)
    _check_counts(learnt)
    return learnt._replace(arrays=recipe.rule.family.fit(arrays, Change.LOADED, learnt.still_waiting()))


def _withdrawn(listed: Any) -> dict[Label, int]:
    """Arms that are no longer offered, with their rounds, as a file lists them; refused if they cannot be."""
    found: dict[Label, int] = dict(tuples(listed))
    if any(type(rounds) is not int or rounds < 0 for rounds in found.values()):
        raise ValueError("the rounds of its withdrawn arms must be whole numbers")
    return found


def _check_counts(learnt: Learnt) -> None:
    """Refuse counts of decisions that are not those of the listed ones, at any node."""
    if not learnt.waiting:
        return
    counts = np.zeros((len(learnt.arms.leaves), 1))
    for (arm, *_), count in learnt.waiting.items():
        counts[learnt.arms.position(arm)] += count
    if not np.array_equal(learnt.arms.totals(counts)[:, 0], learnt.arrays.waiting[:, 0]):
        raise ValueError("its list of waiting decisions does not match its counts of them")
