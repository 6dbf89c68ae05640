"""Exact UCB over many nodes in about constant time.

With H fixed, the index m + scale sqrt(2 log(t + H) / (n + H)) of a node that is not played changes with t alone, and slowly. So
of two nodes the better one stays the better for a while, and how long can be computed. A tournament is a binary heap whose
leaves are blocks of neighbouring seats: each heap node keeps its winner, and the last t up to which that is certain.
A play spoils the path above its block; choosing repairs what is spoiled or out of date. Every comparison uses the index
itself, so decisions are those of the plain scan, ties included.

Seats are ordered by H, since between equal H the time until a change is known exactly and not only bounded.
"""

import math

import numpy as np

from ..core.kernel import compiled
from ..core.sums import PLAYS, reward_moments
from ..core.types import Floats, Integers, Links
from .rules import SCALE, ucb_level, ucb_value

CROSSOVER = 192
"""Children from which on a tournament takes less time than a scan (measured in whole trials of UCB)."""

BLOCK = 8
"""Seats of a block; their nodes are compared one by one."""

MEAN, ONLINE, HISTORY, UNTIL, WINNER = range(5)
"""A row of the heap: the winner's mean, n and H, the last t for which it is certain to win, and its node."""

ORDER, HEAP, LEAVES = range(3)
"""A row of ``places``: where a node's seats and heap begin, and how many blocks the heap has room for; -1 without one."""

SURE = 1e-9
"""Indices closer than this, relatively, are compared anew in each round: rounding could turn them."""


def seated(tree: Links, past: Floats, crossover: int) -> tuple[Integers, Links, Links, Floats]:
    """Tournaments for all nodes with many children: their places, the nodes by seat, the seat of each node, and the heaps."""
    large = np.flatnonzero(tree[:, 1] > crossover)
    if large.size == 0:
        return np.zeros((0, 3), dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32), np.zeros((0, 5))
    places = np.full((int(large.max()) + 1, 3), -1, dtype=np.int64)
    seat_of = np.zeros(len(tree), dtype=np.int32)
    orders: list[Links] = []
    heap_size = 0
    for node in large:
        first, size = tree[node, 0], tree[node, 1]
        by_history = np.argsort(past[first : first + size, PLAYS], kind="stable").astype(np.int32)
        seat_of[first + by_history] = np.arange(size, dtype=np.int32)
        blocks = 1 << max(0, -(-int(size) // BLOCK) - 1).bit_length()
        places[node] = sum(order.size for order in orders), heap_size, blocks
        orders.append(first + by_history)
        heap_size += 2 * blocks
    heap = np.zeros((heap_size, 5))
    heap[:, UNTIL] = -1.0
    return places, np.concatenate(orders).astype(np.int32), seat_of, heap


@compiled
def lasts(scale: float, rounds: float, a: Floats, index_a: float, b: Floats, index_b: float) -> float:
    """The last t for which row a, now the winner, is certain to stay ahead of row b, while neither is played."""
    if scale == 0.0 or math.isinf(index_a):
        return math.inf
    plays_a, plays_b = a[ONLINE] + a[HISTORY], b[ONLINE] + b[HISTORY]
    same_history = a[HISTORY] == b[HISTORY]
    if same_history and plays_a == plays_b and a[MEAN] == b[MEAN]:
        return math.inf
    margin = SURE * (abs(a[MEAN]) + abs(b[MEAN]) + index_a - a[MEAN] + index_b - b[MEAN])
    if index_a - index_b <= margin:
        return rounds
    slope_a, slope_b = scale / math.sqrt(plays_a), scale / math.sqrt(plays_b)
    if same_history:  # both are lines in sqrt(2 log(t + H))
        if slope_b <= slope_a:
            return math.inf
        level = (a[MEAN] - b[MEAN] - margin) / (slope_b - slope_a)
    else:  # b alone grows, a stays as it is
        level = (index_a - margin - b[MEAN]) / slope_b
    if level > 37.0:  # t beyond 1e297
        return math.inf
    last: float = math.exp(0.5 * level * level) * (1.0 - SURE) - b[HISTORY]
    return max(rounds, last)


@compiled
def _enter(row: Floats, online: Floats, past: Floats, node: int) -> None:
    """Fill a row with a node's numbers."""
    row[MEAN], _ = reward_moments(online, past, node)
    row[ONLINE] = online[node, PLAYS]
    row[HISTORY] = past[node, PLAYS]
    row[WINNER] = node


@compiled
def _copy(row: Floats, into: Floats) -> None:
    for column in range(5):
        into[column] = row[column]


@compiled
def _index(ledger: Floats, row: Floats, rounds: float) -> float:
    if row[WINNER] < 0.0:  # an empty seat
        return -math.inf
    return ucb_value(row[MEAN], row[ONLINE] + row[HISTORY], ucb_level(rounds, row[HISTORY]), ledger[SCALE])


@compiled
def _match(ledger: Floats, rounds: float, into: Floats, other: Floats) -> None:
    """Let row ``other`` challenge row ``into``; the winner's numbers and the time they last are in ``into`` afterwards."""
    held, challenge = _index(ledger, into, rounds), _index(ledger, other, rounds)
    until = min(into[UNTIL], other[UNTIL])
    if challenge > held or (challenge == held and other[WINNER] < into[WINNER]):
        if into[WINNER] >= 0.0:
            until = min(until, lasts(ledger[SCALE], rounds, other, challenge, into, held))
        _copy(other, into)
    elif other[WINNER] >= 0.0:
        until = min(until, lasts(ledger[SCALE], rounds, into, held, other, challenge))
    into[UNTIL] = until


@compiled
def _play_block(ledger: Floats, rounds: float, online: Floats, past: Floats, seats: Links, block: int, row: Floats) -> None:
    """Compare the nodes of a block one by one."""
    row[WINNER] = -1.0
    row[UNTIL] = math.inf
    rival = np.empty(5)
    for seat in range(block * BLOCK, min((block + 1) * BLOCK, seats.size)):
        _enter(rival, online, past, seats[seat])
        rival[UNTIL] = math.inf
        _match(ledger, rounds, row, rival)


@compiled
def winner(
    ledger: Floats,
    rounds: float,
    online: Floats,
    past: Floats,
    seats: Links,
    heap: Floats,
    start: int,
    blocks: int,
) -> int:
    """The node of highest index of a tournament, once all that is not certain for this t has been played again."""
    if heap[start + 1, UNTIL] >= rounds:
        return int(heap[start + 1, WINNER])
    waiting = np.empty(64, dtype=np.int64)  # from the root down to the heap node in hand
    waiting[0] = 1
    top = 0
    while top >= 0:
        at = waiting[top]
        row = heap[start + at]
        if at >= blocks:
            _play_block(ledger, rounds, online, past, seats, at - blocks, row)
        elif heap[start + 2 * at, UNTIL] < rounds:
            top += 1
            waiting[top] = 2 * at
            continue
        elif heap[start + 2 * at + 1, UNTIL] < rounds:
            top += 1
            waiting[top] = 2 * at + 1
            continue
        else:
            _copy(heap[start + 2 * at], row)
            _match(ledger, rounds, row, heap[start + 2 * at + 1])
        top -= 1
    return int(heap[start + 1, WINNER])


@compiled
def spoil_all(heap: Floats) -> None:
    """The scale has changed: nothing is certain any more."""
    for at in range(len(heap)):
        heap[at, UNTIL] = -1.0


@compiled
def spoil(heap: Floats, start: int, blocks: int, seat: int) -> None:
    """A node was played: what its block says is no longer certain, nor what stands above it."""
    at = blocks + seat // BLOCK
    while at >= 1 and heap[start + at, UNTIL] >= 0.0:
        heap[start + at, UNTIL] = -1.0
        at //= 2
