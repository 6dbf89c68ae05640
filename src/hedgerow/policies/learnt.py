"""What a policy has learnt, as one value: whatever changes, a new one takes the place of the old one at once (changes.py).

So neither another thread nor an interruption finds a policy half changed.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from ..core.arms import Arms
from ..core.records import Field, width
from ..core.sums import PLAYS
from ..core.types import Floats, Label
from ..data.encoding import Encoding
from . import checks
from .family import Arrays, Change, Format
from .forgetting.aged import Aged
from .forgetting.aged import begin as begin_aged
from .forgetting.half_life import HalfLife
from .registry import Rule
from .waiting import Id, Waiting

Round: TypeAlias = tuple[Label, tuple[float, ...] | None, Id | None]
"""An arm, the context it was chosen in, and the id that the caller gave the decision, if any."""


class Recipe(NamedTuple):
    """What a policy is made of, and never changes.

    Args:
        name: What it is called.
        rule: How it chooses.
        dimension: Length of its contexts, None without.
        precision: Of the rows it derives.
        cluster_history: Whether clusters start with the history of their arms.
        explore: Share of the decisions that is drawn. It may change, and policies that differ in it alone are made alike.
        half_life: After how long a round counts half; None: rounds of any age count the same.
    """

    name: str
    rule: Rule
    dimension: int | None
    precision: str
    cluster_history: bool
    explore: float = 0.0
    half_life: HalfLife | None = None

    def identity(self, arms: Arms) -> str:
        """A name that policies share if they are made alike.

        Args:
            arms: Arms and their tree, as the policy was made.

        Returns:
            Its name and a hash.
        """
        made: tuple[object, ...] = (self.name, repr(self.rule), arms.labels, arms.paths, self.dimension, self.precision)
        made += (self.cluster_history,) if self.half_life is None else (self.cluster_history, self.half_life.listed())
        return f"{self.name}-{hashlib.blake2b(repr(made).encode(), digest_size=6).hexdigest()}"

    def format(self, arms: Arms) -> Format:
        """The names of the numbers in a policy's arrays.

        Args:
            arms: Arms and their tree.

        Returns:
            The fields of each array.
        """
        form = self.rule.family.format(len(arms.tree), self.dimension)
        return form if self.half_life is None else form._replace(online=_parts(form.online), state=_parts(form.state))


def _parts(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    """Counts of rounds that weigh less than 1 are no whole numbers."""
    return tuple(field._replace(whole=field.whole and field.name not in ("plays", "rounds")) for field in fields)


NOBODY: Mapping[Label, int] = {}  # never changed: a change makes another one


class Learnt(NamedTuple):
    """All that changes in a policy.

    Args:
        arms: The arms and their tree.
        arrays: Sums and what is derived from them.
        waiting: The rounds that wait for their reward.
        encoding: How contexts of raw values are read.
        withdrawn: Arms that were offered once and are no more, with the rounds that each had.
        aged: How old the sums are, of a policy that forgets.
    """

    arms: Arms
    arrays: Arrays
    waiting: Waiting[Round]
    encoding: Encoding | None
    withdrawn: Mapping[Label, int] = NOBODY
    aged: Aged | None = None

    def still_waiting(self) -> Iterator[tuple[int, Floats]]:
        """Leaf and context of every decision that waits.

        Returns:
            An iterator.
        """
        return ((self.arms.leaf(arm), np.array(context or ())) for arm, context, _ in self.waiting.elements())

    def rounds_by_arm(self, labels: Sequence[Label]) -> list[int]:
        """Rounds of these arms, each counted 1.

        Args:
            labels: The arms; one that the policy does not have has none.

        Returns:
            A number for each.
        """
        if self.aged is None:
            return [int(plays) for plays in self.online_rows(labels)[:, PLAYS]]
        added = self.arrays.online[self.arms.leaves, PLAYS] - self.aged.opened[:, PLAYS]
        counted = dict(zip(self.arms.labels, self.aged.rounds + np.rint(added), strict=True))
        return [int(counted.get(arm, 0.0)) for arm in labels]

    def history_rows(self) -> Floats:
        """Sums of the history of each arm."""
        rows: Floats = self.arrays.history[self.arms.leaves]
        return rows

    def online_rows(self, labels: Sequence[Label]) -> Floats:
        """Online sums of these arms.

        Args:
            labels: The arms; one that the policy does not have has played nothing.

        Returns:
            A row for each.
        """
        there, rows = set(self.arms.labels), np.zeros((len(labels), self.arrays.online.shape[1]))
        for position, arm in enumerate(labels):
            if arm in there:
                rows[position] = self.arrays.online[self.arms.leaf(arm)]
        return rows


def begin(
    recipe: Recipe, arms: Arms, history_rows: Floats, encoding: Encoding | None, history_epoch: int | None = None
) -> Learnt:
    """A policy that has seen nothing but history.

    Args:
        recipe: What the policy is made of.
        arms: Arms and their tree.
        history_rows: Sums of the history of each arm.
        encoding: How contexts of raw values are read.
        history_epoch: The epoch of the history, if that has one.

    Returns:
        What it knows before its first round.
    """
    form = recipe.format(arms)
    online = np.zeros((len(arms.tree), width(form.online)))
    blank = Learnt(arms, _blank(form, arms, recipe.rule.state(form.state)), Waiting(), encoding)
    if recipe.half_life is not None:
        aged = begin_aged(recipe.half_life, len(arms.labels), online.shape[1], history_rows, history_epoch)
        blank = blank._replace(aged=aged)
    return plant(recipe, blank, online, history_rows, Change.MADE)


def _blank(form: Format, arms: Arms, state: Floats) -> Arrays:
    none = np.zeros((0, width(form.waiting)))
    return Arrays(arms.tree, none, none, none, none, state)


def plant(recipe: Recipe, learnt: Learnt, online: Floats, history_rows: Floats, change: Change) -> Learnt:
    """With these online rows of all nodes and historical rows of the arms; ``learnt`` has the state of before.

    Args:
        recipe: What the policy is made of.
        learnt: Arms, waiting decisions and state of before.
        online: Online sums of each node.
        history_rows: Sums of the history of each arm.
        change: What happened.

    Returns:
        A new state.
    """
    arms, form = learnt.arms, recipe.format(learnt.arms)
    history = arms.totals(history_rows)
    if not recipe.cluster_history:
        history[list(arms.inner)] = 0.0
    rows = np.zeros((len(arms.tree), width(form.rows)), dtype=checks.PRECISIONS[recipe.precision])
    none = np.zeros((0, width(form.waiting)))
    arrays = Arrays(arms.tree, online, history, none, rows, learnt.arrays.state)
    return learnt._replace(arrays=recipe.rule.family.fit(arrays, change, learnt.still_waiting()))


def rounds_of(learnt: Learnt) -> int:
    """Online rounds learnt from, those of arms that were withdrawn included.

    Args:
        learnt: What a policy has learnt.

    Returns:
        How many rounds.
    """
    return rounds_offered(learnt) + sum(learnt.withdrawn.values())


def rounds_offered(learnt: Learnt) -> int:
    """Online rounds of the arms that are offered, each counted 1.

    Args:
        learnt: What a policy has learnt.

    Returns:
        How many rounds.
    """
    if learnt.aged is None:
        return int(learnt.arrays.online[0, PLAYS])
    return learnt.aged.counted + round(float(learnt.arrays.online[0, PLAYS]) - learnt.aged.root)
