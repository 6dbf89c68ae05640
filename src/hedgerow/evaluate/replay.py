"""Replay of context-free policies on the logged rewards themselves (after Li et al. 2011; Nicol, Mary, Preux 2014).

A policy without contexts meets the rewards of an arm in some order, so a replay shuffles each arm's logged rewards into a
queue, and the q-th pull takes the q-th entry; all policies of a replay share the queues. That is valid if arms were
chosen independently of context and time.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..core.kernel import compiled
from ..core.types import Floats, Integers
from .gains import entrants, paired
from .interval import Gain, between
from .rollout import Start, best_of, learn, prepare
from .split import Split

if TYPE_CHECKING:
    from ..data.log import Log

ORDERS, BOOTSTRAPS, REPEATS = 60, 60, 3
SHARE = 0.8
"""Of the rows that would match: what is left is room for chance."""

MOST_REDRAWN = 0.05
"""Of all plays may find their queue empty and take a reward of the arm a second time."""


@dataclass(frozen=True)
class Replay:
    """Gains per 1000 decisions in the first ``rounds`` rounds, played on ``rows`` logged ones."""

    rounds: int
    rows: int
    redrawn: float
    gains: dict[str, Gain]


@compiled
def fill(queues: Floats, rewards: Floats, first: Integers, rng: np.random.Generator) -> None:
    """Queues (arms x rounds) of shuffled rewards; past an arm's last one, rewards of it at random."""
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
    """Mean reward of a policy on these queues, and how many plays found theirs empty."""
    arms, groups, steps = order.size, start.first.size - 1, start.clock.size
    nodes, bonus = np.empty((4, arms)), np.empty((steps, arms))
    above, above_bonus = np.empty((4, groups)), np.empty((steps if groups > 1 else 0, groups))
    prepare(start, order, nodes, bonus, above, above_bonus)
    own = np.zeros(arms, dtype=np.int64)
    earned = 0.0
    empty = 0
    for t in range(start.row.size):
        i = best_of(above, above_bonus, start.row[t], 0, groups) if groups > 1 else 0
        place = best_of(nodes, bonus, start.row[t], start.first[i], start.first[i + 1])
        k = order[place]
        reward = queues[k, own[k]]
        empty += own[k] >= sizes[k]
        own[k] += 1
        earned += reward
        learn(nodes, place, 1.0, reward)
        if groups > 1:
            learn(above, i, 1.0, reward)
    return earned / start.row.size, empty


@compiled
def resample(rewards: Floats, first: Integers, rng: np.random.Generator) -> Floats:
    """A bootstrap of each arm's rewards."""
    drawn = np.empty(rewards.size)
    for k in range(first.size - 1):
        size = first[k + 1] - first[k]
        for at in range(first[k], first[k + 1]):
            drawn[at] = rewards[first[k] + int(rng.random() * size)]
    return drawn


def bootstrap_gain(orders: Floats, bootstraps: Floats) -> Gain:
    """Centre from the orders, error from bootstraps (x repeats), the noise of the repeats taken out as far as that is safe."""
    centre, reach = float(orders.mean()), 1.645 * float(np.sqrt(between(bootstraps) + orders.var(ddof=1) / orders.size))
    return Gain(centre, centre - reach, centre + reach)


def horizon(split: Split, *, near_uniform: bool, rounds: int) -> int:
    """Rounds that a replay can have."""
    least = split.future_rows / split.arms if near_uniform else float(split.future.rows.min())
    return min(int(SHARE * least), rounds)


def replayed(log: "Log", split: Split, *, near_uniform: bool, rounds: int, seed: int) -> Replay | None:
    """The gains on the log's own rewards; None if there are too few rows for as many rounds as there are arms."""
    length = horizon(split, near_uniform=near_uniform, rounds=rounds)
    cut = log.arm.size - split.future_rows
    order = np.argsort(log.arm[cut:], kind="stable")
    rewards = log.reward[cut:][order]
    sizes = np.bincount(log.arm[cut:], minlength=split.arms)
    while length >= split.arms:
        played = _Queues(split, sizes, length, np.random.default_rng([seed, 4]))
        orders = played.values(rewards.copy(), ORDERS)
        if played.redrawn <= MOST_REDRAWN:
            bootstraps = [played.values(resample(rewards, played.first, played.rng), REPEATS) for _ in range(BOOTSTRAPS)]
            gains = {name: bootstrap_gain(d, np.stack([b[name] for b in bootstraps])) for name, d in orders.items()}
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
        """Gains of so many replays."""
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
