"""Down the levels of the tree by an index over reward sums: the loops that every such rule shares.

A rule of this kind is one function, its index of a node; ``ucbv.py`` is the example to copy:

    index(online, history, waiting, node, t, own, key)

``online``, ``history`` and ``waiting`` are the rows of all nodes (core/sums.py), ``t`` is one more than the online rounds learnt
from and waited for, ``own`` the rule's numbers by name, ``key`` where draws come from (core/draws.py). The functions here are
written into the kernels that call them, so that the index is called directly and the machine code is kept on disk.
"""

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..core.draws import draw
from ..core.kernel import COMPILED, compiled, inlined
from ..core.records import Field, kind_of, named
from ..core.sums import PLAYS, TOTAL, count_waiting, fields_of, observe_reward, waiting_at
from ..core.tree import FIRST, PARENT, SIZE, pick
from ..core.types import Floats, Links
from . import estimated_scale
from .estimated_scale import NEVER, SCALED, SCALED_SIZE, rescale, scale_of
from .family import Arrays, Change, Course, Estimates, Format, Waiting

WAITS_ALONE = (Field("decisions", low=0.0, whole=True),)


@compiled
def known_mean(online: Floats, history: Floats, node: int) -> float:
    """(S^h + S) / (H + n), eqs. (2) and (4); while all of a node's rewards are still to come, the mean of all nodes."""
    plays = online[node, PLAYS] + history[node, PLAYS]
    if plays > 0.0:
        mean: float = (history[node, TOTAL] + online[node, TOTAL]) / plays
        return mean
    everything: float = online[0, PLAYS] + history[0, PLAYS]
    return 0.0 if everything == 0.0 else (history[0, TOTAL] + online[0, TOTAL]) / everything


@compiled
def clock(online: Floats, waiting: Floats) -> float:
    """t, one more than the online rounds learnt from and waited for."""
    t: float = 1.0 + online[0, PLAYS] + waiting_at(waiting, 0)
    return t


@inlined
def first_of_best(index: Any, online: Any, history: Any, waiting: Any, own: Any, t: Any, first: Any, size: Any, key: Any) -> int:
    """The first of the best of neighbouring nodes."""
    best, chosen = -math.inf, first
    for node in range(first, first + size):
        value = index(online, history, waiting, node, t, own, key)
        if value > best:
            best, chosen = value, node
    found: int = chosen
    return found


@inlined
def one_of_best(
    index: Any, online: Any, history: Any, waiting: Any, own: Any, t: Any, first: Any, size: Any, key: Any, drawn: Any
) -> int:
    """One of the best of neighbouring nodes, at random by ``drawn``."""
    values, best = np.empty(size), -math.inf
    for offset in range(size):
        values[offset] = index(online, history, waiting, first + offset, t, own, key)
        best = max(best, values[offset])
    found: int = first + pick(values, best, 0.0, drawn)
    return found


@inlined
def descend(index: Any, tree: Any, online: Any, history: Any, waiting: Any, own: Any, key: Any) -> int:
    """From the root to an arm, at each level to the best child (Algorithm 1)."""
    node, level = 0, 0
    t = clock(online, waiting)
    while tree[node, SIZE] > 0:
        first, size = tree[node, FIRST], tree[node, SIZE]
        if key >= 0:
            node = one_of_best(index, online, history, waiting, own, t, first, size, key, draw(key, level))
        else:
            node = first_of_best(index, online, history, waiting, own, t, first, size, key)
        level += 1
    return node


@compiled
def add_reward(tree: Links, online: Floats, leaf: int, reward: float) -> None:
    """Add a reward to an arm and to every node above it."""
    node = leaf
    while node >= 0:
        observe_reward(online, node, reward)
        node = tree[node, PARENT]


@compiled
def wait(tree: Links, waiting: Floats, leaf: int, times: float) -> None:
    """So many more decisions wait at an arm and every node above it.

    Args:
        tree: First child, number of children and parent of each node.
        waiting: Rows of waiting decisions; they change.
        leaf: The node of the arm.
        times: How many more.
    """
    node = leaf
    while node >= 0:
        count_waiting(waiting, node, times)
        node = tree[node, PARENT]


@compiled
def learn(
    tree: Links, online: Floats, history: Floats, waiting: Floats, state: Floats, leaf: int, reward: float, settles: bool
) -> None:
    """Add a reward."""
    if settles:
        wait(tree, waiting, leaf, -1.0)
    add_reward(tree, online, leaf, reward)


@compiled
def learn_scaled(
    tree: Links, online: Floats, history: Floats, waiting: Floats, state: Floats, leaf: int, reward: float, settles: bool
) -> None:
    """Add a reward, and estimate the scale anew if that is due."""
    learn(tree, online, history, waiting, state, leaf, reward, settles)
    own = scale_of(state)
    if online[0, PLAYS] >= own.rescale_at:
        rescale(tree, online, history, own)


@inlined
def run(
    choose: Any,
    learn: Any,
    tree: Any,
    online: Any,
    history: Any,
    waiting: Any,
    state: Any,
    key: Any,
    rewards: Any,
    rows: Any,
    arm_of: Any,
    arms: Any,
) -> None:
    """Live through a whole trial and note the arms."""
    for t in range(rows.size):
        leaf = choose(tree, online, history, waiting, state, key + t if key >= 0 else key)
        arms[t] = arm_of[leaf]
        learn(tree, online, history, waiting, state, leaf, rewards[rows[t], arms[t]], False)


class Kernels(NamedTuple):
    """What a rule over reward sums consists of.

    Args:
        index_of: Scores a node; None where a node has no score of its own.
        choose: The leaf to play: ``descend`` by the index.
        play: A whole trial: ``run`` with ``choose``.
        learn: Adds a reward: ``learn``, or ``learn_scaled`` for a rule with a scale.
    """

    index_of: Callable[..., Any] | None
    choose: Callable[..., Any]
    play: Callable[..., Any]
    learn: Callable[..., Any] = learn


class Scan:
    """A family of rules over reward sums.

    Args:
        kernels: What the rule consists of.
        own: The fields of its state; of a rule with a scale, they begin with those of estimated_scale.py.
        fraction: Of the estimated noise, which the scale is to be; None for a scale that was given.
        scores: The index of every node, if it is not one node's alone.
    """

    def __init__(
        self,
        kernels: Kernels,
        own: tuple[Field, ...] = (),
        *,
        fraction: float | None = None,
        scores: Callable[[Arrays], Floats] | None = None,
    ):
        self.kernels, self.own, self.fraction = kernels, own, fraction
        self.kind: np.dtype[np.void] = kind_of(own)
        self.scores: Callable[[Arrays], Floats] = scores or self._scores
        self.scaled: bool = own[:SCALED_SIZE] == estimated_scale.FIELDS

    def format(self, nodes: int, dimension: int | None) -> Format:
        """Sums, counts of waiting decisions, and the rule's own numbers."""
        return Format(fields_of(None, whole=True), WAITS_ALONE, (), self.own)

    def fit(self, arrays: Arrays, change: Change, waiting: Waiting = ()) -> Arrays:
        """The scale, if it is estimated."""
        counted = counts(arrays, waiting)
        if change is Change.WAITING or not self.scaled:
            return arrays._replace(waiting=counted)
        if change is Change.LOADED:
            self._check(named(arrays.state, SCALED))
            return arrays._replace(waiting=counted)
        state = arrays.state.copy()
        own = named(state, SCALED)
        own.fraction, own.rescale_at = self.fraction or 1.0, NEVER
        if self.fraction is not None:
            rescale(arrays.tree, arrays.online, arrays.history, as_record(state, SCALED))
        return arrays._replace(waiting=counted, state=state)

    def _check(self, own: Any) -> None:
        """Refuse a scale from a file that this rule cannot have."""
        if own.fraction != (self.fraction or 1.0) or (own.rescale_at == NEVER) != (self.fraction is None):
            raise ValueError("its scale does not match its parameters")

    def choose(self, arrays: Arrays, context: Floats, key: int) -> int:
        """The leaf to play."""
        tree, online, history, waiting, _, state, _ = arrays
        leaf: int = self.kernels.choose(tree, online, history, waiting, state, key)
        return leaf

    def learn(self, arrays: Arrays, leaf: int, reward: float, context: Floats, waiting: Waiting | None = None) -> bool:
        """Add a reward."""
        tree, online, history, counted, _, state, _ = arrays
        self.kernels.learn(tree, online, history, counted, state, leaf, reward, waiting is not None)
        return True

    def wait(self, arrays: Arrays, leaf: int, context: Floats, times: int, waiting: Waiting = ()) -> None:
        """Count a decision that waits, or no longer."""
        wait(arrays.tree, arrays.waiting, leaf, float(times))

    def estimates(self, arrays: Arrays, context: Floats) -> Estimates:
        """Mean and index of every node; an estimated scale."""
        return Estimates(means_of(arrays), self.scores(arrays), partial(self._settings, arrays.state))

    def _scores(self, arrays: Arrays) -> Floats:
        index = self.kernels.index_of or (lambda *_: math.nan)
        _, online, history, waiting, _, state, _ = arrays
        own, t = as_record(state, self.kind) if self.own else state, clock(online, waiting)
        return np.array([index(online, history, waiting, node, t, own, -1) for node in range(len(online))])

    def _settings(self, state: Floats) -> dict[str, float]:
        """An estimated scale, and the noise that it is a fraction of, by name."""
        if self.fraction is None:
            return {}
        scale = float(named(state, SCALED).scale)
        return {"scale": scale} if self.fraction == 1.0 else {"scale": scale, "noise": scale / self.fraction}

    def merge(self, own: Arrays, other: Arrays, since: Arrays | None) -> tuple[Floats, Floats]:
        """Sums add up; nothing in the state is learnt apart from them."""
        return added(own, other, since), own.state

    def play(self, arrays: Arrays, course: Course, key: int) -> None:
        """Live through a whole trial."""
        tree, online, history, waiting, _, state, _ = arrays
        self.kernels.play(tree, online, history, waiting, state, key, *course[1:])


def as_record(floats: Floats, kind: Any) -> Any:
    """A row of floats as the record that a kernel takes from Python; it may be longer.

    Args:
        floats: The row; it may be longer than the record.
        kind: The type of the record.

    Returns:
        The record.
    """
    return floats[: kind.itemsize // 8].view(kind)[0] if COMPILED else named(floats, kind)


def counts(arrays: Arrays, waiting: Iterable[tuple[int, Floats]]) -> Floats:
    """Rows of decisions that wait, of their numbers alone; none while nothing waits.

    Args:
        arrays: The arrays of a policy.
        waiting: Leaf and context of each decision.

    Returns:
        A row for each node, or none.
    """
    leaves = [leaf for leaf, _ in waiting]
    counted = np.zeros((len(arrays.online) if leaves else 0, 1))
    for leaf in leaves:
        wait(arrays.tree, counted, leaf, 1.0)
    return counted


def means_of(arrays: Arrays) -> Floats:
    """Mean reward of every node, NaN without any.

    Args:
        arrays: The arrays of a policy.

    Returns:
        A mean for each node.
    """
    online, history = arrays.online, arrays.history
    with np.errstate(divide="ignore", invalid="ignore"):
        means: Floats = (online[:, TOTAL] + history[:, TOTAL]) / (online[:, PLAYS] + history[:, PLAYS])
    return means


def added(own: Arrays, other: Arrays, since: Arrays | None) -> Floats:
    """Online rows of two workers together; what they had learnt at ``since`` counts once.

    Args:
        own: The arrays of one worker.
        other: Of the other.
        since: What both had learnt when they started.

    Returns:
        A row for each node.
    """
    return own.online + (other.online - (0.0 if since is None else since.online))
