"""The paper's optimistic index (eqs. 3 and 5), after Auer, Cesa-Bianchi and Fischer (2002).

UCB, HUCB, UCBC, HUCBC and HUCBC' are this rule on trees with and without clusters and history. Many children of one node are
played as a tournament (tournament.py), which finds the same arm without scoring all of them.
"""

import math
from typing import Any

from ..core.draws import draw
from ..core.kernel import compiled
from ..core.records import kind_of, record
from ..core.sums import PLAYS, TOTAL, waiting_at
from ..core.tree import FIRST, PARENT, SIZE
from ..core.types import Floats, Integers, Links
from . import estimated_scale
from .estimated_scale import fraction_of, rescale, scale_of
from .family import Arrays, Change, Course, Waiting
from .optimism import ucb_level, ucb_value
from .parameter import SCALE
from .registry import register
from .scan import Kernels, Scan, add_reward, clock, descend, first_of_best, known_mean, learn_scaled, one_of_best, run
from .tournament import place_of, seated, spoil, spoil_all, winner

OWN = estimated_scale.FIELDS
KIND = kind_of(OWN)


@compiled
def index(online: Floats, history: Floats, waiting: Floats, node: int, t: float, own: Any, key: int) -> float:
    """A decision that waits for its reward counts in n, not in the mean."""
    H = history[node, PLAYS]
    return ucb_value(
        known_mean(online, history, node), online[node, PLAYS] + waiting_at(waiting, node) + H, ucb_level(t, H), own.scale
    )


@compiled
def _first(online: Floats, history: Floats, scale: float, t: float, first: int, size: int) -> int:
    """The first of the best of neighbouring nodes while nothing waits: nodes of equal history share a logarithm."""
    best, chosen = -math.inf, first
    known, level = 0.0, ucb_level(t, 0.0)
    for node in range(first, first + size):
        if history[node, PLAYS] != known:
            known = history[node, PLAYS]
            level = ucb_level(t, known)
        plays = online[node, PLAYS] + known
        if plays == 0.0:
            return node
        value = ucb_value((history[node, TOTAL] + online[node, TOTAL]) / plays, plays, level, scale)
        if value > best:
            best, chosen = value, node
    return chosen


@compiled
def choose_prompt(tree: Links, online: Floats, history: Floats, state: Floats) -> int:
    """``choose`` while nothing waits, no draw is wanted and no node has a tournament: less to compile and to hand over."""
    node, t, scale = 0, 1.0 + online[0, PLAYS], record(state, KIND).scale
    while tree[node, SIZE] > 0:
        node = _first(online, history, scale, t, tree[node, FIRST], tree[node, SIZE])
    return node


@compiled
def choose(tree: Links, online: Floats, history: Floats, waiting: Floats, state: Floats, key: int) -> int:
    """From the root to an arm."""
    return descend(index, tree, online, history, waiting, record(state, KIND), key)


@compiled
def choose_seated(
    tree: Links,
    online: Floats,
    history: Floats,
    waiting: Floats,
    state: Floats,
    places: Links,
    seats: Links,
    heap: Floats,
    key: int,
) -> int:
    """``choose`` where a node may have a tournament; while decisions wait, or draws are wanted, all children are scored."""
    node, level, own, t = 0, 0, record(state, KIND), clock(online, waiting)
    while tree[node, SIZE] > 0:
        first, size = tree[node, FIRST], tree[node, SIZE]
        if key >= 0:
            node = one_of_best(index, online, history, waiting, own, t, first, size, key, draw(key, level))
        elif len(waiting) > 0:
            node = first_of_best(index, online, history, waiting, own, t, first, size, key)
        else:
            place = place_of(places, node)
            if place.blocks > 0:
                node = winner(
                    own.scale, t, online, history, seats[place.order : place.order + size], heap, place.heap, place.blocks
                )
            else:
                node = _first(online, history, own.scale, t, first, size)
        level += 1
    return node


@compiled
def learn_seated(
    tree: Links,
    online: Floats,
    history: Floats,
    waiting: Floats,
    state: Floats,
    places: Links,
    seat_of: Links,
    heap: Floats,
    leaf: int,
    reward: float,
    settles: bool,
) -> None:
    """Add a reward; what the tournaments above the arm say is no longer certain."""
    due = record(state, KIND).rescale_at <= online[0, PLAYS] + 1.0
    learn_scaled(tree, online, history, waiting, state, leaf, reward, settles)
    node = leaf
    while node > 0:
        above = tree[node, PARENT]
        place = place_of(places, above)
        if place.blocks > 0:
            spoil(heap, place.heap, place.blocks, seat_of[node])
        node = above
    if due:
        spoil_all(heap)


@compiled
def play(
    tree: Links,
    online: Floats,
    history: Floats,
    waiting: Floats,
    state: Floats,
    key: int,
    rewards: Floats,
    rows: Integers,
    arm_of: Integers,
    arms: Integers,
) -> None:
    """A whole trial."""
    run(choose, learn_scaled, tree, online, history, waiting, state, key, rewards, rows, arm_of, arms)


@compiled
def play_prompt(
    tree: Links, online: Floats, history: Floats, state: Floats, rewards: Floats, rows: Integers, arm_of: Integers, arms: Integers
) -> None:
    """A whole trial without draws, tournaments and decisions that wait."""
    own = record(state, KIND)
    for t in range(rows.size):
        leaf = choose_prompt(tree, online, history, state)
        arms[t] = arm_of[leaf]
        add_reward(tree, online, leaf, rewards[rows[t], arms[t]])
        if online[0, PLAYS] >= own.rescale_at:
            rescale(tree, online, history, scale_of(state))


@compiled
def play_seated(
    tree: Links,
    online: Floats,
    history: Floats,
    waiting: Floats,
    state: Floats,
    places: Links,
    seats: Links,
    seat_of: Links,
    heap: Floats,
    key: int,
    rewards: Floats,
    rows: Integers,
    arm_of: Integers,
    arms: Integers,
) -> None:
    """A whole trial with tournaments."""
    for t in range(rows.size):
        drawn = key + t if key >= 0 else key
        leaf = choose_seated(tree, online, history, waiting, state, places, seats, heap, drawn)
        arms[t] = arm_of[leaf]
        reward = rewards[rows[t], arms[t]]
        learn_seated(tree, online, history, waiting, state, places, seat_of, heap, leaf, reward, False)


class UCBFamily:
    """The family of this rule: ``Scan``, and tournaments where many nodes stand side by side.

    Args:
        fraction: Of the estimated noise, which the scale is to be; None for a scale that was given.
    """

    def __init__(self, fraction: float | None):
        self.scan: Scan = Scan(Kernels(index, choose, play, learn_scaled), OWN, fraction=fraction)
        self.format, self.wait, self.estimates, self.merge = (
            self.scan.format,
            self.scan.wait,
            self.scan.estimates,
            self.scan.merge,
        )

    def fit(self, arrays: Arrays, change: Change, waiting: Waiting = ()) -> Arrays:
        """The scale, and new tournaments."""
        fitted = self.scan.fit(arrays, change, waiting)
        return fitted if change is Change.WAITING else fitted._replace(extra=seated(arrays.tree, arrays.history))

    def choose(self, arrays: Arrays, context: Floats, key: int) -> int:
        """The leaf to play."""
        tree, online, history, waiting, _, state, extra = arrays
        if extra:
            places, seats, _, heap = extra
            leaf: int = choose_seated(tree, online, history, waiting, state, places, seats, heap, key)
        elif key < 0 and not waiting.size:
            leaf = choose_prompt(tree, online, history, state)
        else:
            leaf = choose(tree, online, history, waiting, state, key)
        return leaf

    def learn(self, arrays: Arrays, leaf: int, reward: float, context: Floats, waiting: Waiting | None = None) -> bool:
        """Add a reward."""
        tree, online, history, counted, _, state, extra = arrays
        if extra:
            places, _, seat_of, heap = extra
            learn_seated(tree, online, history, counted, state, places, seat_of, heap, leaf, reward, waiting is not None)
        else:
            learn_scaled(tree, online, history, counted, state, leaf, reward, waiting is not None)
        return True

    def play(self, arrays: Arrays, course: Course, key: int) -> None:
        """Live through a whole trial."""
        tree, online, history, waiting, _, state, extra = arrays
        if extra:
            places, seats, seat_of, heap = extra
            play_seated(tree, online, history, waiting, state, places, seats, seat_of, heap, key, *course[1:])
        elif key < 0 and not waiting.size:
            play_prompt(tree, online, history, state, *course[1:])
        else:
            play(tree, online, history, waiting, state, key, *course[1:])


register(
    "ucb",
    lambda values: UCBFamily(fraction_of(values["scale"])),
    summary="mean + scale sqrt(2 log(t + H) / (n + H)), the paper's optimistic index",
    source="Bouneffouf, Parthasarathy, Samulowitz and Wistuba 2019; Auer, Cesa-Bianchi and Fischer 2002",
    parameters={"scale": SCALE},
)
