"""Exact UCB over many nodes in about constant time.

With H fixed, the index m + scale sqrt(2 log(t + H) / (n + H)) of a node that is not played changes with t alone, and slowly. So
of two nodes the better one stays the better for a while, and how long can be computed. A tournament is a binary heap whose
leaves are blocks of neighbouring seats: each heap node keeps its winner, and the last t up to which that is certain.
A play spoils the path above its block; choosing repairs what is spoiled or out of date. Every comparison uses the index
itself, so decisions are those of the plain scan, ties included.

Seats are ordered by H, since between equal H the time until a change is known exactly and not only bounded.
"""

import math
from typing import Any

import numpy as np

from ..core.kernel import compiled, inlined
from ..core.records import Field, kind_of, record
from ..core.sums import PLAYS, reward_moments
from ..core.tree import FIRST, SIZE
from ..core.types import Floats, Links
from .optimism import ucb_level, ucb_value

CROSSOVER = 192
"""Children from which on a tournament takes less time than a scan (measured in whole trials of UCB)."""

SEATS_IN_BLOCK = 8
"""Seats of a block; their nodes are compared one by one."""

SEAT = kind_of([Field("reward"), Field("online"), Field("history"), Field("until"), Field("node")])
"""A row of the heap: the winner's mean reward, n and H, the last t for which it is certain to win, and its node (-1: none)."""

SEAT_SIZE = 5

PLACE = np.dtype([("order", np.int32), ("heap", np.int32), ("blocks", np.int32)])
"""Of each node: where its seats and its heap begin, and how many blocks the heap has room for; -1 without a tournament."""

PLACE_SIZE = 3

SURE = 1e-9
"""Indices closer than this, relatively, are compared anew in each round: rounding could turn them."""


def seated(tree: Links, history: Floats) -> tuple[Links, Links, Links, Floats] | tuple[()]:
    """Tournaments for all nodes with many children: their places, the nodes by seat, the seat of each node, and the heaps.

    Args:
        tree: First child, number of children and parent of each node.
        history: Sums of the history of each node.

    Returns:
        Arrays for kernels; empty without large nodes.
    """
    large = np.flatnonzero(tree[:, SIZE] > CROSSOVER)
    if large.size == 0:
        return ()
    places = np.full((len(tree), PLACE_SIZE), -1, dtype=np.int32)
    seat_of = np.zeros(len(tree), dtype=np.int32)
    orders: list[Links] = []
    heap_size = 0
    for node in large:
        first, size = tree[node, FIRST], tree[node, SIZE]
        by_history = np.argsort(history[first : first + size, PLAYS], kind="stable").astype(np.int32)
        seat_of[first + by_history] = np.arange(size, dtype=np.int32)
        blocks = 1 << max(0, -(-int(size) // SEATS_IN_BLOCK) - 1).bit_length()
        places[node] = sum(order.size for order in orders), heap_size, blocks
        orders.append(first + by_history)
        heap_size += 2 * blocks
    heap = np.zeros((heap_size, SEAT_SIZE))
    spoil_all(heap)
    return places, np.concatenate(orders).astype(np.int32), seat_of, heap


NO_SEATS = (np.zeros((0, PLACE_SIZE), np.int32), np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros((0, SEAT_SIZE)))
"""What ``seated`` would give, had it no large nodes, as arrays of the same kinds."""


@inlined
def _seat(heap: Any, at: Any) -> Any:
    """A row of the heap as a record."""
    return record(heap[at, :SEAT_SIZE], SEAT)


@inlined
def place_of(places: Any, node: Any) -> Any:
    """Where the tournament of a node is, as a record.

    Args:
        places: The places of all nodes.
        node: The node.

    Returns:
        The record.
    """
    return record(places[node, :PLACE_SIZE], PLACE)


@compiled
def _lasts(scale: float, t: float, a: Any, index_a: float, b: Any, index_b: float) -> float:
    """The last t for which a, now the winner, is certain to stay ahead of b, while neither is played."""
    if scale == 0.0 or math.isinf(index_a):
        return math.inf
    plays_a, plays_b = a.online + a.history, b.online + b.history
    same_history = a.history == b.history
    if same_history and plays_a == plays_b and a.reward == b.reward:
        return math.inf
    margin = SURE * (abs(a.reward) + abs(b.reward) + index_a - a.reward + index_b - b.reward)
    if index_a - index_b <= margin:
        return t
    slope_a, slope_b = scale / math.sqrt(plays_a), scale / math.sqrt(plays_b)
    if same_history:  # both are lines in sqrt(2 log(t + H))
        if slope_b <= slope_a:
            return math.inf
        level = (a.reward - b.reward - margin) / (slope_b - slope_a)
    else:  # b alone grows, a stays as it is
        level = (index_a - margin - b.reward) / slope_b
    if level > 37.0:  # t beyond 1e297
        return math.inf
    last: float = math.exp(0.5 * level * level) * (1.0 - SURE) - b.history
    return max(t, last)


@compiled
def _copy(row: Floats, into: Floats) -> None:
    for column in range(SEAT_SIZE):
        into[column] = row[column]


@compiled
def _index(scale: float, seat: Any, t: float) -> float:
    if seat.node < 0.0:  # an empty seat
        return -math.inf
    return ucb_value(seat.reward, seat.online + seat.history, ucb_level(t, seat.history), scale)


@compiled
def _match(scale: float, t: float, into: Floats, other: Floats) -> None:
    """Let row ``other`` challenge row ``into``; the winner's numbers and the time they last are in ``into`` afterwards."""
    a, b = record(into, SEAT), record(other, SEAT)
    held, challenge = _index(scale, a, t), _index(scale, b, t)
    until = min(a.until, b.until)
    if challenge > held or (challenge == held and b.node < a.node):
        if a.node >= 0.0:
            until = min(until, _lasts(scale, t, b, challenge, a, held))
        _copy(other, into)
    elif b.node >= 0.0:
        until = min(until, _lasts(scale, t, a, held, b, challenge))
    a.until = until


@compiled
def _play_block(scale: float, t: float, online: Floats, history: Floats, seats: Links, block: int, row: Floats) -> None:
    """Compare the nodes of a block one by one."""
    held = record(row, SEAT)
    held.node, held.until = -1.0, math.inf
    rival_row = np.empty(SEAT_SIZE)
    rival = record(rival_row, SEAT)
    for seat in range(block * SEATS_IN_BLOCK, min((block + 1) * SEATS_IN_BLOCK, seats.size)):
        node = seats[seat]
        rival.reward, _ = reward_moments(online, history, node)
        rival.online, rival.history = online[node, PLAYS], history[node, PLAYS]
        rival.until, rival.node = math.inf, node
        _match(scale, t, row, rival_row)


@compiled
def _until(heap: Floats, at: int) -> float:
    until: float = _seat(heap, at).until
    return until


@compiled
def winner(scale: float, t: float, online: Floats, history: Floats, seats: Links, heap: Floats, start: int, blocks: int) -> int:
    """The node of highest index of a tournament, once all that is not certain for this t has been played again."""
    if _until(heap, start + 1) >= t:
        return int(_seat(heap, start + 1).node)
    stack = np.empty(64, dtype=np.int64)  # from the root down to the heap node in hand
    stack[0] = 1
    top = 0
    while top >= 0:
        at = stack[top]
        row = heap[start + at]
        if at >= blocks:
            _play_block(scale, t, online, history, seats, at - blocks, row)
        elif _until(heap, start + 2 * at) < t:
            top += 1
            stack[top] = 2 * at
            continue
        elif _until(heap, start + 2 * at + 1) < t:
            top += 1
            stack[top] = 2 * at + 1
            continue
        else:
            _copy(heap[start + 2 * at], row)
            _match(scale, t, row, heap[start + 2 * at + 1])
        top -= 1
    return int(_seat(heap, start + 1).node)


@compiled
def spoil_all(heap: Floats) -> None:
    """The scale has changed: nothing is certain any more."""
    for at in range(len(heap)):
        _seat(heap, at).until = -1.0


@compiled
def spoil(heap: Floats, start: int, blocks: int, seat: int) -> None:
    """A node was played: what its block says is no longer certain, nor what stands above it."""
    at = blocks + seat // SEATS_IN_BLOCK
    while at >= 1 and _until(heap, start + at) >= 0.0:
        _seat(heap, start + at).until = -1.0
        at //= 2
