"""What a family of policies does: six functions over one set of arrays, and the names of what it keeps.

A family is a way to choose and learn on a tree of arms: by an index over reward sums, by ridge regressions, by a hierarchical
model. A :class:`~hedgerow.policies.bandit.Bandit` holds the arrays, looks at what users give, and calls the family.
"""

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..core.records import Field
from ..core.types import Floats, Integers, Links


class Arrays(NamedTuple):
    """What a policy has learnt, as kernels take it: a row for each node of its tree.

    Args:
        tree: First child, number of children and parent of each node (core/tree.py).
        online: Sums of the online rounds (core/sums.py), perhaps with more columns of the family's.
        history: Sums of the history.
        waiting: Decisions whose reward is still to come; no rows while there are none. The first number counts them.
        rows: What the family derives from these for each node. While decisions wait, without what they will bring.
        state: And for the policy as a whole.
        extra: Arrays that ``fit`` makes anew whenever it is called, that no file holds, and that ``choose`` can do without.
    """

    tree: Links
    online: Floats
    history: Floats
    waiting: Floats
    rows: Floats
    state: Floats
    extra: tuple[Any, ...] = ()


class Format(NamedTuple):
    """Names of the numbers in each array, in their order: the format of state files.

    Args:
        online: Of a node's online sums.
        waiting: Of a node's row of waiting decisions.
        rows: Of what is derived for a node.
        state: Of what is known of the whole policy.
    """

    online: tuple[Field, ...]
    waiting: tuple[Field, ...]
    rows: tuple[Field, ...]
    state: tuple[Field, ...]


class Change(Enum):
    """What happened to a policy before ``fit`` is called."""

    MADE = "made"
    """It is new: there is no state of before."""
    ROUNDS = "rounds"
    """It has rounds of another worker, too."""
    ARMS = "arms"
    """There are more arms."""
    WITHDRAWN = "withdrawn"
    """Arms are gone, or stand in other clusters: what was found out about them no longer holds."""
    HISTORY = "history"
    """Another history: what came of the old one no longer holds."""
    AGED = "aged"
    """Its rounds, and its history, count less than before: an epoch of its half-life is over."""
    WAITING = "waiting"
    """Its rounds are as they were; only what follows from the decisions that wait is to be made anew."""
    LOADED = "loaded"
    """It comes from a file, with its rows and state: only ``extra`` is to be made, and what must be true of the state checked."""


Waiting = Iterable[tuple[int, Floats]]
"""The decisions that wait for their reward: leaf and context of each."""


class Estimates(NamedTuple):
    """What a policy thinks of each node.

    Args:
        means: Expected reward of each node.
        indices: What it is chosen by.
        settings: Gives what the policy has estimated about itself, by name.
        additive: Whether an index is a mean and a width; prices are not.
        reasons: Gives in words what carries the index of each node; nothing for policies that have nothing to say.
    """

    means: Floats
    indices: Floats
    settings: Callable[[], dict[str, float]] = dict
    additive: bool = True
    reasons: Callable[[], tuple[str, ...]] = tuple


class Course(NamedTuple):
    """A trial as compiled loops take it.

    Args:
        contexts: A row for each round.
        rewards: Rewards of all arms, in rows.
        rows: The row of rewards of each round.
        arm_of: Position of the arm at each node.
        arms: Where the positions of the arms played are noted.
    """

    contexts: Floats
    rewards: Floats
    rows: Integers
    arm_of: Integers
    arms: Integers


class Family(Protocol):
    """Six functions that make a policy, and the format of what they keep.

    ``learn`` and ``wait`` change the arrays in one compiled call each: so neither another thread nor an interruption finds them
    half changed. ``fit`` changes nothing that it is given, and returns new arrays.
    """

    def format(self, nodes: int, dimension: int | None) -> Format:
        """The names of the numbers in its arrays.

        Args:
            nodes: How many the tree has.
            dimension: Length of the contexts, None for none.

        Returns:
            The fields of each array.
        """

    def fit(self, arrays: Arrays, change: Change, waiting: Waiting = ()) -> Arrays:
        """Rows, state, rows of waiting decisions and extra from the sums.

        Args:
            arrays: The sums; rows to be filled; the state of before, as far as there is one.
            change: What happened.
            waiting: The decisions that wait.

        Returns:
            New arrays.

        Raises:
            ValueError: A state from a file cannot be.
        """

    def choose(self, arrays: Arrays, context: Floats, key: int) -> int:
        """The leaf to play.

        Args:
            arrays: What has been learnt; it stays as it is.
            context: The context, empty for a policy without.
            key: Where draws come from, -1 for none.

        Returns:
            The number of the node, or -1 for a context that cannot be used.
        """

    def learn(self, arrays: Arrays, leaf: int, reward: float, context: Floats, waiting: Waiting | None = None) -> bool:
        """Add a reward, unless the context cannot be used.

        Args:
            arrays: What has been learnt; it changes.
            leaf: The node of the arm.
            reward: What it earned.
            context: In which context.
            waiting: Given if this decision was waited for until now: those that still wait.

        Returns:
            False if the context cannot be used; then nothing has changed.
        """

    def wait(self, arrays: Arrays, leaf: int, context: Floats, times: int, waiting: Waiting = ()) -> None:
        """Count a decision that waits for its reward, or wait for it no longer.

        Args:
            arrays: What has been learnt; it changes.
            leaf: The node of the arm.
            context: In which context.
            times: 1, or -1 for no longer.
            waiting: The decisions that wait afterwards.
        """

    def estimates(self, arrays: Arrays, context: Floats) -> Estimates:
        """Mean and index of every node, and what the policy has estimated about itself.

        Args:
            arrays: What has been learnt.
            context: In which context.

        Returns:
            What an explanation shows.
        """

    def merge(self, own: Arrays, other: Arrays, since: Arrays | None) -> tuple[Floats, Floats]:
        """Online rows and state of two workers; ``fit`` is called after it.

        Args:
            own: Of one worker.
            other: Of the other, its rows in the same order.
            since: What both had learnt when they started, which counts once.

        Returns:
            Rows of sums, and the state.
        """


class ChoosesMany(Protocol):
    """A family that is quicker at many contexts than at one after the other."""

    def choose_many(self, arrays: Arrays, contexts: Floats, keys: Integers, chosen: Integers) -> None:
        """The leaf to play for each row of contexts.

        Args:
            arrays: What has been learnt; it stays as it is.
            contexts: A row each.
            keys: Where the draws of each come from.
            chosen: Where the leaves are noted.
        """


class Plays(Protocol):
    """A family that lives through a whole trial in compiled code."""

    def play(self, arrays: Arrays, course: Course, key: int) -> None:
        """Choose and learn, round after round.

        Args:
            arrays: What has been learnt; it changes.
            course: The trial, in which the arms are noted.
            key: Where the draws of the first round come from, -1 for none.
        """


def choose_many(family: Family, arrays: Arrays, contexts: Floats, keys: Integers, chosen: Integers) -> None:
    """Fill in the leaf for each row of contexts: at once, if the family has a ``choose_many`` of its own, else one by one.

    Args:
        family: The family.
        arrays: What has been learnt; it stays as it is.
        contexts: A row each.
        keys: Where the draws of each come from.
        chosen: Where the leaves are noted.
    """
    own = getattr(family, "choose_many", None)
    if own is not None:
        own(arrays, contexts, keys, chosen)
        return
    for row in range(len(chosen)):
        chosen[row] = family.choose(arrays, contexts[row], int(keys[row]))


def play(family: Family, arrays: Arrays, course: Course, key: int) -> None:
    """Live through a whole trial and note the arms: in compiled code, if the family has a ``play`` of its own.

    Args:
        family: The family.
        arrays: What has been learnt; it changes.
        course: The trial.
        key: Where the draws of the first round come from, -1 for none.
    """
    own = getattr(family, "play", None)
    if own is not None:
        own(arrays, course, key)
        return
    contexts, rewards, rows, arm_of, arms = course
    for t in range(len(rows)):
        leaf = family.choose(arrays, contexts[t], key + t if key >= 0 else key)
        arms[t] = arm_of[leaf]
        family.learn(arrays, leaf, float(rewards[rows[t], arms[t]]), contexts[t])


def as_arrays(waiting: Waiting, dimension: int) -> tuple[Integers, Floats]:
    """Leaves and contexts of decisions, as kernels take them.

    Args:
        waiting: The decisions.
        dimension: Length of the contexts.

    Returns:
        A vector and a matrix.
    """
    decisions = list(waiting)
    leaves = np.array([leaf for leaf, _ in decisions], dtype=np.int64)
    return leaves, np.array([context for _, context in decisions]).reshape(len(decisions), dimension)
