"""What a policy has learnt, and every change of it: each makes a new one, which then takes the place of the old one at once.

So neither another thread nor an interruption finds a policy half changed.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from ..core import state_file, validate
from ..core.arms import Arms
from ..core.records import width
from ..core.state_file import Block
from ..core.sums import PLAYS, fields_of, row_size
from ..core.types import Floats, Label, tuples
from ..data.encoding import Encoding
from . import checks
from .family import Arrays, Change, Format
from .plausible import check_sums, possible
from .registry import Rule, rule
from .waiting import Waiting

Round: TypeAlias = tuple[Label, tuple[float, ...] | None]
"""An arm, and the context it was chosen in."""

MOST_WAITING = 10_000_000
"""Decisions that a file may say a policy waits for."""


class Recipe(NamedTuple):
    """What a policy is made of, and never changes.

    Args:
        name: What it is called.
        rule: How it chooses.
        dimension: Length of its contexts, None without.
        precision: Of the rows it derives.
        cluster_history: Whether clusters start with the history of their arms.
    """

    name: str
    rule: Rule
    dimension: int | None
    precision: str
    cluster_history: bool

    def identity(self, arms: Arms) -> str:
        """A name that policies share if they are made alike."""
        made = (self.name, repr(self.rule), arms.labels, arms.paths, *self[2:])
        return f"{self.name}-{hashlib.blake2b(repr(made).encode(), digest_size=6).hexdigest()}"

    def format(self, arms: Arms) -> Format:
        """The names of the numbers in a policy's arrays."""
        return self.rule.family.format(len(arms.tree), self.dimension)


class Learnt(NamedTuple):
    """All that changes in a policy.

    Args:
        arms: The arms and their tree.
        arrays: Sums and what is derived from them.
        waiting: The rounds that wait for their reward.
        encoding: How contexts of raw values are read.
    """

    arms: Arms
    arrays: Arrays
    waiting: Waiting[Round]
    encoding: Encoding | None

    def still_waiting(self) -> Iterator[tuple[int, Floats]]:
        """Leaf and context of every decision that waits."""
        return ((self.arms.leaf(arm), np.array(context or ())) for arm, context in self.waiting.elements())

    def history_rows(self) -> Floats:
        """Sums of the history of each arm."""
        rows: Floats = self.arrays.history[self.arms.leaves]
        return rows

    def online_rows(self, labels: Sequence[Label]) -> Floats:
        """Online sums of these arms."""
        rows: Floats = self.arrays.online[[self.arms.leaf(arm) for arm in labels]]
        return rows


def begin(recipe: Recipe, arms: Arms, history_rows: Floats, encoding: Encoding | None) -> Learnt:
    """A policy that has seen nothing but history."""
    form = recipe.format(arms)
    online = np.zeros((len(arms.tree), width(form.online)))
    blank = Learnt(arms, _blank(form, arms, recipe.rule.state(form.state)), Waiting(), encoding)
    return plant(recipe, blank, online, history_rows, Change.MADE)


def _blank(form: Format, arms: Arms, state: Floats) -> Arrays:
    none = np.zeros((0, width(form.waiting)))
    return Arrays(arms.tree, none, none, none, none, state)


def plant(recipe: Recipe, learnt: Learnt, online: Floats, history_rows: Floats, change: Change) -> Learnt:
    """With these online rows of all nodes and historical rows of the arms; ``learnt`` has the state of before."""
    arms, form = learnt.arms, recipe.format(learnt.arms)
    history = arms.totals(history_rows)
    if not recipe.cluster_history:
        history[list(arms.inner)] = 0.0
    rows = np.zeros((len(arms.tree), width(form.rows)), dtype=checks.PRECISIONS[recipe.precision])
    none = np.zeros((0, width(form.waiting)))
    arrays = Arrays(arms.tree, online, history, none, rows, learnt.arrays.state)
    return learnt._replace(arrays=recipe.rule.family.fit(arrays, change, learnt.still_waiting()))


def recounted(recipe: Recipe, learnt: Learnt) -> Learnt:
    """The same, with all that follows from the decisions that wait made anew from their list."""
    fitted = recipe.rule.family.fit(learnt.arrays, Change.WAITING, learnt.still_waiting())
    return learnt._replace(arrays=fitted)


def replant(recipe: Recipe, learnt: Learnt, arms: Arms, positions: Sequence[int], change: Change) -> Learnt:
    """The rows of the arms carried over to another tree; position -1 is a row of zeros."""
    online, history = (
        np.vstack([part, np.zeros((1, part.shape[1]))])[list(positions)]
        for part in (learnt.arrays.online[learnt.arms.leaves], learnt.history_rows())
    )
    return plant(recipe, learnt._replace(arms=arms), arms.totals(online), history, change)


def with_arm(recipe: Recipe, learnt: Learnt, arm: Label, path: tuple[Label, ...]) -> Learnt:
    """One more arm."""
    arms = learnt.arms
    paths = None if arms.paths is None else (*arms.paths, path)
    grown = Arms((*arms.labels, arm), paths)
    return replant(recipe, learnt, grown, [*range(len(arms.labels)), -1], Change.ARMS)


def without_arm(recipe: Recipe, learnt: Learnt, arm: Label) -> Learnt:
    """An arm withdrawn, with its rewards and the decisions for it that wait."""
    arms = learnt.arms
    gone = arms.position(arm)
    if len(arms.labels) == 1:
        raise ValueError(f"{arm!r} is the only arm and must stay")
    kept = [position for position in range(len(arms.labels)) if position != gone]
    paths = None if arms.paths is None else [arms.paths[position] for position in kept]
    left = Arms([arms.labels[position] for position in kept], paths)
    return replant(recipe, learnt._replace(waiting=learnt.waiting.without(arm)), left, kept, Change.WITHDRAWN)


def in_clusters(recipe: Recipe, learnt: Learnt, arms: Arms) -> Learnt:
    """The same arms in other clusters."""
    return replant(recipe, learnt, arms, range(len(arms.labels)), Change.WITHDRAWN)


def with_history(recipe: Recipe, learnt: Learnt, history_rows: Floats, encoding: Encoding | None) -> Learnt:
    """With another history."""
    change = Change.ROUNDS if np.array_equal(history_rows, learnt.history_rows()) else Change.HISTORY
    return plant(recipe, learnt._replace(encoding=encoding), learnt.arrays.online, history_rows, change)


def merged(recipe: Recipe, own: Learnt, other: Learnt, since: Learnt | None) -> Learnt:
    """What two workers learnt; what they had learnt at ``since`` counts once."""
    ordered = _in_order(other, own)
    before = None if since is None else _in_order(since, own)
    online, state = recipe.rule.family.merge(own.arrays, ordered, before)
    waiting = own.waiting.together(other.waiting, None if since is None else since.waiting)
    joined = own._replace(waiting=waiting, arrays=own.arrays._replace(state=state))
    return plant(recipe, joined, own.arms.totals(online[own.arms.leaves]), own.history_rows(), Change.ROUNDS)


def _in_order(other: Learnt, own: Learnt) -> Arrays:
    """The arrays of a worker with its online rows in the order of the own arms."""
    return other.arrays._replace(online=own.arms.totals(other.online_rows(own.arms.labels)))


def check_since(own: Learnt, other: Learnt, since: Learnt, dimension: int | None) -> None:
    """Refuse a policy that the other worker cannot have started from."""
    labels = own.arms.labels
    if not possible(other.online_rows(labels), since.online_rows(labels), dimension):
        raise ValueError("since must be the policy that the other worker started from: it has learnt something else")


def to_blocks(recipe: Recipe, learnt: Learnt) -> dict[str, Block]:
    """The arrays as a state file holds them."""
    form, arrays = recipe.format(learnt.arms), learnt.arrays
    waiting = arrays.waiting if learnt.waiting else arrays.waiting[:0]
    return {
        "online": Block(arrays.online, form.online),
        "history": Block(arrays.history, fields_of(recipe.dimension)),
        "waiting": Block(waiting, form.waiting),
        "rows": Block(arrays.rows, form.rows),
        "state": Block(arrays.state, form.state),
    }


def to_manifest(recipe: Recipe, learnt: Learnt) -> state_file.Manifest:
    """Everything else, as a state file holds it."""
    return {
        "name": recipe.name,
        "rule": recipe.rule.name,
        "parameters": dict(recipe.rule.values),
        "dimension": recipe.dimension,
        "precision": recipe.precision,
        "cluster_history": recipe.cluster_history,
        "encoding": None if learnt.encoding is None else learnt.encoding.to_json(),
        "decisions": learnt.waiting.listed(),
        **learnt.arms.manifest(),
    }


def read_recipe(manifest: state_file.Manifest) -> Recipe:
    """The recipe that a state file names."""
    name, values = str(manifest["name"]), manifest["parameters"]
    made = rule(str(manifest["rule"]), dict(values))
    precision, cluster_history = str(manifest["precision"]), bool(manifest["cluster_history"])
    length = checks.dimension_for(made, manifest["dimension"], None, name)
    checks.options(made, precision=precision, cluster_history=cluster_history, clustered=manifest["paths"] is not None, name=name)
    return Recipe(name, made, length, precision, cluster_history)


def read(recipe: Recipe, file: state_file.StateFile) -> Learnt:
    """What a policy had learnt when it was saved; refused if it cannot have been."""
    made = file.manifest
    arms = Arms(tuples(made["arms"]), tuples(made["paths"]))
    nodes, form = len(arms.tree), recipe.format(arms)
    waiting: Waiting[Round] = Waiting.restored(made["decisions"], MOST_WAITING)
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
    learnt = Learnt(arms, arrays, waiting, encoding)
    for arm, context in waiting:
        arms.leaf(arm)
        validate.checked_context(context, recipe.dimension, recipe.name, largest)
    _check_counts(learnt)
    return learnt._replace(arrays=recipe.rule.family.fit(arrays, Change.LOADED, learnt.still_waiting()))


def _check_counts(learnt: Learnt) -> None:
    """Refuse counts of decisions that are not those of the listed ones, at any node."""
    if not learnt.waiting:
        return
    counts = np.zeros((len(learnt.arms.leaves), 1))
    for (arm, _), count in learnt.waiting.items():
        counts[learnt.arms.position(arm)] += count
    if not np.array_equal(learnt.arms.totals(counts)[:, 0], learnt.arrays.waiting[:, 0]):
        raise ValueError("it does not wait for as many decisions as it counts")


def rounds_of(learnt: Learnt) -> int:
    """Online rounds learnt from."""
    return int(learnt.arrays.online[0, PLAYS])


def no_history(recipe: Recipe, arms: Arms) -> Floats:
    """Rows of arms without history."""
    return np.zeros((len(arms.labels), row_size(recipe.dimension)))
