"""Down the levels of the tree by an index over ridge regressions: the loops that LinUCB and LinTS share.

A rule of this kind is one function, its score of a node: ``score(mean, spread, node, own, key)`` with the mean theta'x and the
spread x' A^-1 x. The functions here are written into the kernels that call them.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core.draws import draw
from ..core.kernel import compiled, inlined
from ..core.records import Field, kind_of
from ..core.sums import (
    LARGEST,
    LARGEST_SINGLE,
    PLAYS,
    count_waiting,
    dimension_of,
    fields_of,
    observe,
    triangle,
    usable,
    waiting_at,
    waiting_xx_of,
)
from ..core.tree import FIRST, PARENT, SIZE, TIE, pick
from ..core.types import Floats, Integers, Links
from .family import Arrays, Change, Course, Estimates, Format, Waiting, as_arrays
from .ridge import all_packed_products, follow, packed_products, refresh, ridge_estimate
from .scan import added, as_record

OWN = (Field("alpha", low=0.0, high=1e100),)
KIND = kind_of(OWN)

LARGE_WAITING = 1e6
"""Sums of x^2 whose rounding errors may show beside the 1 that a ridge regression starts from."""


@compiled
def largest_in(rows: Floats) -> float:
    """What contexts must be smaller than, by the precision of the derived rows."""
    return LARGEST if rows.itemsize == 8 else LARGEST_SINGLE


@inlined
def score_all(score: Any, own: Any, first: Any, means: Any, spreads: Any, key: Any) -> float:
    """Turn the means of neighbouring nodes into their scores; the best of them."""
    best = -math.inf
    for offset in range(means.size):
        means[offset] = score(means[offset], spreads[offset], first + offset, own, key)
        best = max(best, means[offset])
    return best


@inlined
def one_of_best(score: Any, own: Any, rows: Any, context: Any, products: Any, first: Any, size: Any, key: Any, drawn: Any) -> int:
    """One of the best of neighbouring nodes: the first, or one at random by ``drawn`` >= 0."""
    values, spreads = np.empty(size), np.empty(size)
    ridge_estimate(rows, context, products, first, values, spreads)
    best = score_all(score, own, first, values, spreads, key)
    found: int = first + pick(values, best, TIE, drawn)
    return found


@inlined
def choose_scored(score: Any, tree: Any, own: Any, means: Any, spreads: Any, keys: Any, chosen: Any) -> None:
    """The leaf for each of a batch of contexts whose means and spreads (batch x nodes) are at hand."""
    for b in range(chosen.size):
        node, level = 0, 0
        while tree[node, SIZE] > 0:
            first, last = tree[node, FIRST], tree[node, FIRST] + tree[node, SIZE]
            values = means[b, first:last]
            best = score_all(score, own, first, values, spreads[b, first:last], keys[b])
            node = first + pick(values, best, TIE, draw(keys[b], level))
            level += 1
        chosen[b] = node


@compiled
def refresh_all(online: Floats, history: Floats, waiting: Floats, rows: Floats, d: int) -> None:
    """Derived rows of all nodes but the root, which is never scored."""
    for node in range(1, len(online)):
        refresh(online, history, waiting, rows, node, d)


@compiled
def learn(
    tree: Links, online: Floats, history: Floats, waiting: Floats, rows: Floats, leaf: int, reward: float, context: Floats
) -> bool:
    """Add an observation to an arm and to every node above it (Algorithm 2, lines 6-7); not if the context is unusable."""
    fine = usable(context, largest_in(rows))
    node = leaf if fine else -1
    while node >= 0:
        observe(online, node, reward, context)
        if node > 0 and (waiting_at(waiting, node) > 0.0 or not follow(rows, node, online[node, PLAYS], reward, context)):
            refresh(online, history, waiting, rows, node, context.size)
        node = tree[node, PARENT]
    return fine


@compiled
def add_waiting(waiting: Floats, node: int, context: Floats, times: float) -> None:
    """Add a decision to those of a node that wait, or take it away (``times`` -1)."""
    count_waiting(waiting, node, times)
    xx, at = waiting_xx_of(waiting, node), 0
    for i in range(context.size):
        for j in range(i + 1):
            xx[at] += times * context[i] * context[j]
            at += 1


@compiled
def leaves_residue(waiting: Floats, node: int, context: Floats) -> bool:
    """Whether taking a context's x x' away would leave rounding errors that show: it is large, and most of what waits there."""
    xx = waiting_xx_of(waiting, node)
    for i in range(context.size):
        sum_of_squares = xx[i * (i + 3) // 2]
        if sum_of_squares > LARGE_WAITING and sum_of_squares - context[i] * context[i] < 0.1 * sum_of_squares:
            return True
    return False


@compiled
def lies_above(tree: Links, node: int, leaf: int) -> bool:
    """Whether a node is a leaf or lies above it."""
    while leaf >= 0:
        if leaf == node:
            return True
        leaf = tree[leaf, PARENT]
    return False


@compiled
def wait(
    tree: Links,
    online: Floats,
    history: Floats,
    waiting: Floats,
    rows: Floats,
    leaf: int,
    context: Floats,
    sign: float,
    others: Integers,
    shown: Floats,
) -> None:
    """Count a decision as waiting at its arm and every node above it, or no longer.

    A large context cannot be subtracted beside small ones: then what still waits there, in these leaves with these contexts, is
    summed anew.
    """
    residue, node = False, leaf
    while node >= 0 and sign < 0.0:
        residue = residue or leaves_residue(waiting, node, context)
        node = tree[node, PARENT]
    node = leaf
    while node >= 0:
        if residue:
            waiting[node] = 0.0
            for other in range(others.size):
                if lies_above(tree, node, others[other]):
                    add_waiting(waiting, node, shown[other], 1.0)
        else:
            add_waiting(waiting, node, context, sign)
        if node > 0:
            refresh(online, history, waiting, rows, node, context.size)
        node = tree[node, PARENT]


@compiled
def settle(
    tree: Links,
    online: Floats,
    history: Floats,
    waiting: Floats,
    rows: Floats,
    leaf: int,
    reward: float,
    context: Floats,
    others: Integers,
    shown: Floats,
) -> bool:
    """The reward of a decision that was waited for: in one call, so that no other thread sees it half done."""
    if not usable(context, largest_in(rows)):
        return False
    wait(tree, online, history, waiting, rows, leaf, context, -1.0, others, shown)
    return learn(tree, online, history, waiting, rows, leaf, reward, context)


class Kernels(NamedTuple):
    """What a rule over ridge regressions consists of.

    Args:
        score: Scores a node.
        choose: The leaf to play.
        choose_batch: The leaves to play in a batch of contexts whose means and spreads are at hand.
        play: A whole trial.
        choose_promising: The same with the means alone at hand, for as many contexts as this is quicker; how many.
    """

    score: Callable[..., Any]
    choose: Callable[..., Any]
    choose_batch: Callable[..., Any]
    play: Callable[..., Any]
    choose_promising: Callable[..., int] | None = None


class RidgeTree:
    """A family of rules over ridge regressions.

    Args:
        kernels: What the rule consists of.
    """

    def __init__(self, kernels: Kernels):
        self.kernels = kernels

    def format(self, nodes: int, dimension: int | None) -> Format:
        """Sums with contexts; what waits; ceiling, theta and packed inverse of each node; alpha."""
        d = dimension or 0
        size = triangle(d)
        waiting = (Field("decisions", low=0.0, whole=True), Field("xx", shape=(size,)))
        rows = (Field("ceiling", low=0.0), Field("theta", shape=(d,)), Field("inverse", shape=(size,)))
        return Format(fields_of(d, whole=True), waiting, rows, OWN)

    def fit(self, arrays: Arrays, change: Change, waiting: Waiting = ()) -> Arrays:
        """theta and the inverse of every node."""
        counted = self._counted(arrays, waiting)
        if change is Change.LOADED:
            if not np.allclose(arrays.waiting, counted, rtol=1e-6, atol=1e-9 * np.abs(counted).max(initial=0.0)):
                raise ValueError("its numbers for waiting decisions do not match its list of them")
            return arrays
        d = dimension_of(arrays.online.shape[1])
        rows = np.zeros_like(arrays.rows)
        refresh_all(arrays.online, arrays.history, counted, rows, d)
        return arrays._replace(rows=rows, waiting=counted)

    def _counted(self, arrays: Arrays, waiting: Waiting) -> Floats:
        """Rows of the decisions that wait; none while there are none."""
        counted = np.zeros((len(arrays.online), arrays.waiting.shape[1]))
        for leaf, context in waiting:
            node = leaf
            while node >= 0:
                add_waiting(counted, node, context, 1.0)
                node = int(arrays.tree[node, PARENT])
        return counted if waiting_at(counted, 0) > 0.0 else counted[:0]

    def choose(self, arrays: Arrays, context: Floats, key: int) -> int:
        """The leaf to play, or -1 for a context that cannot be used."""
        tree, _, _, _, rows, state, _ = arrays
        leaf: int = self.kernels.choose(tree, rows, state, context, key)
        return leaf

    def choose_many(self, arrays: Arrays, contexts: Floats, keys: Integers, chosen: Integers) -> None:
        """The leaf to play for each row of contexts, by matrix products."""
        d = contexts.shape[1]
        theta, inverse = arrays.rows[:, 1 : 1 + d], arrays.rows[:, 1 + d :]
        means = contexts @ theta.T
        done = 0
        if self.kernels.choose_promising is not None:
            done = self.kernels.choose_promising(arrays.tree, arrays.rows, arrays.state, contexts, means, keys, chosen)
        if done < len(chosen):
            spreads = np.maximum(all_packed_products(contexts[done:]) @ inverse.T, 0.0)
            self.kernels.choose_batch(arrays.tree, arrays.state, means[done:], spreads, keys[done:], chosen[done:])

    def learn(self, arrays: Arrays, leaf: int, reward: float, context: Floats, waiting: Waiting | None = None) -> bool:
        """Add a reward, unless the context cannot be used."""
        tree, online, history, counted, rows, _, _ = arrays
        if waiting is None:
            return learn(tree, online, history, counted, rows, leaf, reward, context)
        return settle(tree, online, history, counted, rows, leaf, reward, context, *as_arrays(waiting, context.size))

    def wait(self, arrays: Arrays, leaf: int, context: Floats, times: int, waiting: Waiting = ()) -> None:
        """Count a decision that waits, or no longer."""
        tree, online, history, counted, rows, _, _ = arrays
        others = as_arrays(waiting if times < 0 else (), context.size)
        wait(tree, online, history, counted, rows, leaf, context, float(times), *others)

    def estimates(self, arrays: Arrays, context: Floats) -> Estimates:
        """theta'x and index of every node."""
        means, spreads = np.empty(len(arrays.online)), np.empty(len(arrays.online))
        ridge_estimate(arrays.rows, context, packed_products(context), 0, means, spreads)
        own = as_record(arrays.state, KIND)
        scores = [self.kernels.score(means[node], spreads[node], node, own, -1) for node in range(len(means))]
        return Estimates(means, np.array(scores))

    def merge(self, own: Arrays, other: Arrays, since: Arrays | None) -> tuple[Floats, Floats]:
        """Sums add up; nothing in the state is learnt apart from them."""
        return added(own, other, since), own.state

    def play(self, arrays: Arrays, course: Course, key: int) -> None:
        """Live through a whole trial."""
        tree, online, history, waiting, rows, state, _ = arrays
        self.kernels.play(tree, online, history, waiting, rows, state, key, *course)
