"""Replay of context-free policies on the logged rewards themselves (after Li et al. 2011; Nicol, Mary, Preux 2014).

A policy without contexts meets the rewards of an arm in some order, so a replay shuffles each arm's logged rewards into a
queue, and the q-th play takes the q-th entry; all policies of a replay share the queues. That is valid if arms were
chosen independently of context and time.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..core.kernel import compiled
from ..core.types import Floats, Integers
from ..inference.intervals import bootstrapped
from .gain import Gain
from .gains import entrants, paired
from .rollout import Start, best_of, learn, prepare, rooms
from .settings import REPLAY
from .split import Split

if TYPE_CHECKING:
    from ..data.log import Log


@dataclass(frozen=True)
class Replay:
    """What policies gain on the logged rewards.

    Args:
        rounds: Rounds that were played.
        rows: Logged rows that they could be played on.
        redrawn: Share of plays that took a row of their arm a second time.
        gains: By name, per 1000 decisions.
    """

    rounds: int
    rows: int
    redrawn: float
    gains: dict[str, Gain]


@compiled
def fill(queues: Floats, rewards: Floats, first: Integers, rng: np.random.Generator) -> None:
    """Fill queues with shuffled rewards; past an arm's last one, with rewards of it at random.

    Args:
        queues: Room for the rewards, arms x rounds.
        rewards: Of all rows, sorted by arm; shuffled within each.
        first: Where the rewards of each arm start.
        rng: Where shuffles come from.
    """
    for k in range(queues.shape[0]):
        size = first[k + 1] - first[k]
        for q in range(min(queues.shape[1], size)):
            other = first[k] + q + int(rng.random() * (size - q))
            rewards[first[k] + q], rewards[other] = rewards[other], rewards[first[k] + q]
            queues[k, q] = rewards[first[k] + q]
        for q in range(size, queues.shape[1]):
            queues[k, q] = rewards[first[k] + int(rng.random() * size)] if size > 0 else 0.0


@compiled
def replay(start: Start, order: Integers, queues: Floats, sizes: Integers) -> tuple[float, int]:
    """Play a policy on queues of rewards.

    Args:
        start: What it starts from.
        order: The arm at each place.
        queues: Rewards of each arm, arms x rounds.
        sizes: Rows of each arm.

    Returns:
        Its mean reward, and how many plays found their queue empty.
    """
    count, steps = start.first.size - 1, start.clock.size
    arms, groups = rooms(order.size, steps), rooms(count, steps if count > 1 else 0)
    prepare(start, order, arms, groups)
    own = np.zeros(order.size, dtype=np.int64)
    earned = 0.0
    empty = 0
    for t in range(start.row.size):
        row = start.row[t]
        i = best_of(groups, row, 0, count) if count > 1 else 0
        place = best_of(arms, row, start.first[i], start.first[i + 1])
        k = order[place]
        reward = queues[k, own[k]]
        empty += own[k] >= sizes[k]
        own[k] += 1
        earned += reward
        learn(arms, place, 1.0, reward)
        if count > 1:
            learn(groups, i, 1.0, reward)
    return earned / start.row.size, empty


@compiled
def resample(rewards: Floats, first: Integers, rng: np.random.Generator) -> Floats:
    """A bootstrap of each arm's rewards.

    Args:
        rewards: Of all rows, sorted by arm.
        first: Where the rewards of each arm start.
        rng: Where draws come from.

    Returns:
        As many rewards of each arm.
    """
    drawn = np.empty(rewards.size)
    for k in range(first.size - 1):
        size = first[k + 1] - first[k]
        for at in range(first[k], first[k + 1]):
            drawn[at] = rewards[first[k] + int(rng.random() * size)]
    return drawn


def horizon(split: Split, *, near_uniform: bool, rounds: int) -> int:
    """Rounds that a replay can have.

    Args:
        split: The log.
        near_uniform: Whether its arms were chosen about evenly.
        rounds: How many to play, at most.

    Returns:
        A number of rounds.
    """
    least = split.future_rows / split.arms if near_uniform else float(split.future.rows.min())
    return min(int(REPLAY.share * least), rounds)


def replayed(log: "Log", split: Split, *, near_uniform: bool, rounds: int, seed: int) -> Replay | None:
    """The gains on the log's own rewards.

    Args:
        log: The log, with rewards as they are judged.
        split: The same as sums.
        near_uniform: Whether its arms were chosen about evenly.
        rounds: How many to play, at most.
        seed: Of all luck.

    Returns:
        The gains; None if there are too few rows for as many rounds as there are arms.
    """
    length = horizon(split, near_uniform=near_uniform, rounds=rounds)
    cut = log.arm.size - split.future_rows
    order = np.argsort(log.arm[cut:], kind="stable")
    rewards = log.reward[cut:][order]
    sizes = np.bincount(log.arm[cut:], minlength=split.arms)
    while length >= split.arms:
        played = _Queues(split, sizes, length, np.random.default_rng([seed, 4]))
        orders = played.values(rewards.copy(), REPLAY.orders)
        if played.redrawn <= REPLAY.most_redrawn:
            drawn = (resample(rewards, played.first, played.rng) for _ in range(REPLAY.bootstraps))
            bootstraps = [played.values(sample, REPLAY.repeats) for sample in drawn]
            gains = {name: Gain(*bootstrapped(d, np.stack([b[name] for b in bootstraps]))) for name, d in orders.items()}
            return Replay(length, split.future_rows, played.redrawn, gains)
        length //= 2
    return None


class _Queues:
    """The policies of a contest, played on queues."""

    def __init__(self, split: Split, sizes: Integers, rounds: int, rng: np.random.Generator):
        self.starts = entrants(split, rounds)
        self.first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.sizes, self.rounds, self.rng = sizes, rounds, rng
        self.plays = self.empty = 0

    @property
    def redrawn(self) -> float:
        return self.empty / max(self.plays, 1)

    def values(self, rewards: Floats, count: int) -> dict[str, Floats]:
        """Gains of some replays."""
        queues = np.empty((self.sizes.size, self.rounds))
        value = {name: np.empty(count) for name in self.starts}
        for at in range(count):
            fill(queues, rewards, self.first, self.rng)
            for name, (start, order) in self.starts.items():
                shuffled = self.rng.permutation(order) if name == "shuffled" else order
                mean, empty = replay(start, shuffled, queues, self.sizes)
                value[name][at] = 1000.0 * mean
                self.plays += self.rounds
                self.empty += empty
        return paired(value)
