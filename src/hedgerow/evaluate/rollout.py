"""Policies played in worlds that the judge draws: UCB and HUCB over all arms, UCBC and HUCBC over groups and their arms.

The reward of the q-th pull of arm k in a run is a hash of (run, k, q), so that all policies of a run share their luck and
nothing is stored. What counts is the sum of expected rewards, not that of the rewards drawn.
"""

import math
from typing import NamedTuple

import numpy as np

from ..core.kernel import compiled
from ..core.types import Floats, Integers

EXACT, GROWTH = 250, 1.01
"""The logarithm in a bonus is exact in the first rounds, then brought up to date whenever t has grown by a hundredth.

That changes a bonus by a thousandth at most and spares most of the logarithms.
"""


PLAYS, TOTAL, MEAN, WIDTH = 0, 1, 2, 3
"""Rows of an array of nodes; the width is 1 / sqrt(plays)."""


class Start(NamedTuple):
    """What all runs of a policy share: its history, the bounds of its groups in the order of arms, and its bonus.

    ``bonus[row[t], k]`` is scale sqrt(2 log(t + 1 + H_k)); one group makes a flat policy.
    """

    plays: Floats
    total: Floats
    first: Integers
    bonus: Floats
    clock: Floats
    row: Integers
    scale: float


class Runs(NamedTuple):
    """Expected reward per 1000 decisions of each draw and run, up to the horizon and up to the mark.

    ``curve`` is the expected reward of each round, the mean over all runs.
    """

    value: Floats
    marked: Floats
    curve: Floats


@compiled
def mix(x: np.uint64) -> np.uint64:
    """The finaliser of splitmix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@compiled
def hashed(key: np.uint64, arm: int, pull: int) -> float:
    """A number in (0, 1) for a pull of an arm."""
    step = np.uint64(arm + 1) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(pull + 1) * np.uint64(0xD1B54A32D192ED03)
    return (np.float64(mix(mix(key + step)) >> np.uint64(11)) + 0.5) * 2.0**-53


@compiled
def reward_of(key: np.uint64, arm: int, pull: int, mean: float, deviation: float) -> float:
    """The reward of a pull: 0 or 1, or normal if there is a deviation (by Box and Muller)."""
    if deviation < 0.0:
        return 1.0 if hashed(key, arm, pull) < mean else 0.0
    radius = math.sqrt(-2.0 * math.log(hashed(key, arm, 2 * pull)))
    return mean + deviation * radius * math.cos(2.0 * math.pi * hashed(key, arm, 2 * pull + 1))


@compiled
def best_of(nodes: Floats, bonus: Floats, row: int, first: int, last: int) -> int:
    """The best index among neighbours; the first of equal ones. Four maxima side by side take half the time of one."""
    a = b = c = d = -math.inf
    whole = last - (last - first) % 4
    for k in range(first, whole, 4):
        a = max(a, nodes[MEAN, k] + bonus[row, k] * nodes[WIDTH, k])
        b = max(b, nodes[MEAN, k + 1] + bonus[row, k + 1] * nodes[WIDTH, k + 1])
        c = max(c, nodes[MEAN, k + 2] + bonus[row, k + 2] * nodes[WIDTH, k + 2])
        d = max(d, nodes[MEAN, k + 3] + bonus[row, k + 3] * nodes[WIDTH, k + 3])
    best = max(max(a, b), max(c, d))
    for k in range(whole, last):
        best = max(best, nodes[MEAN, k] + bonus[row, k] * nodes[WIDTH, k])
    for k in range(first, last):
        if nodes[MEAN, k] + bonus[row, k] * nodes[WIDTH, k] == best:
            return k
    return first


@compiled
def learn(nodes: Floats, at: int, plays: float, total: float) -> None:
    """Add rewards to a node; one without plays comes first."""
    nodes[PLAYS, at] += plays
    nodes[TOTAL, at] += total
    nodes[MEAN, at], nodes[WIDTH, at] = math.inf, 0.0
    if nodes[PLAYS, at] > 0.0:
        share = 1.0 / nodes[PLAYS, at]
        nodes[MEAN, at] = nodes[TOTAL, at] * share
        nodes[WIDTH, at] = math.sqrt(share)


@compiled
def prepare(start: Start, order: Integers, nodes: Floats, bonus: Floats, above: Floats, above_bonus: Floats) -> None:
    """Historical sums in the order of places, and those of the groups, with their bonuses."""
    nodes[:] = 0.0
    above[:] = 0.0
    for place in range(order.size):
        learn(nodes, place, start.plays[order[place]], start.total[order[place]])
    for row in range(start.clock.size):
        for place in range(order.size):
            bonus[row, place] = start.bonus[row, order[place]]
    for i in range(above.shape[1]):
        for place in range(start.first[i], start.first[i + 1]):
            learn(above, i, nodes[PLAYS, place], nodes[TOTAL, place])
    for row in range(above_bonus.shape[0]):
        for i in range(above.shape[1]):
            above_bonus[row, i] = start.scale * math.sqrt(2.0 * math.log(start.clock[row] + above[PLAYS, i]))


@compiled
def play(
    first: Integers,
    rows: Integers,
    order: Integers,
    nodes: Floats,
    bonus: Floats,
    above: Floats,
    above_bonus: Floats,
    means: Floats,
    deviations: Floats,
    key: np.uint64,
    earned: Floats,
) -> None:
    """One run from prepared nodes: ``earned`` receives the expected reward of each round."""
    groups = first.size - 1
    own = np.zeros(order.size, dtype=np.int64)
    for t in range(earned.size):
        i = best_of(above, above_bonus, rows[t], 0, groups) if groups > 1 else 0
        place = best_of(nodes, bonus, rows[t], first[i], first[i + 1])
        k = order[place]
        reward = reward_of(key, k, own[place], means[k], deviations[k])
        own[place] += 1
        learn(nodes, place, 1.0, reward)
        if groups > 1:
            learn(above, i, 1.0, reward)
        earned[t] = means[k]


@compiled
def play_all(start: Start, orders: Integers, means: Floats, deviations: Floats, keys: Integers, mark: int, runs: Runs) -> None:
    """All runs of all draws; the curve ends as the mean over them."""
    draws, repeats = runs.value.shape
    groups, steps = start.first.size - 1, start.clock.size
    nodes, bonus = np.empty((4, means.shape[1])), np.empty((steps, means.shape[1]))
    above, above_bonus = np.empty((4, groups)), np.empty((steps if groups > 1 else 0, groups))
    once = np.empty(runs.curve.size)
    for run in range(draws * repeats):
        j, i = run // repeats, run % repeats
        order, key = orders[run % orders.shape[0]], np.uint64(keys[run])
        prepare(start, order, nodes, bonus, above, above_bonus)
        play(start.first, start.row, order, nodes, bonus, above, above_bonus, means[j], deviations, key, once)
        runs.value[j, i] = 1000.0 * once.mean()
        runs.marked[j, i] = 1000.0 * once[:mark].mean()
        for t in range(once.size):
            runs.curve[t] += once[t] / (draws * repeats)


def starting(plays: Floats, total: Floats, *, groups: Integers | None, scale: float, rounds: int) -> tuple[Start, Integers]:
    """A policy that starts from these sums, flat or over groups, and the order in which it holds its arms."""
    arms = plays.size
    labels = np.zeros(arms, dtype=np.int64) if groups is None else groups
    first = np.concatenate([[0], np.cumsum(np.bincount(labels))]).astype(np.int64)
    clock, row = _clock(rounds)
    bonus = scale * np.sqrt(2.0 * np.log(clock[:, None] + plays))
    order = np.argsort(labels, kind="stable").astype(np.int64)
    return Start(plays, total, first, bonus, clock, row, scale), order


def _clock(rounds: int) -> tuple[Floats, Integers]:
    """The values of t for which bonuses are made, and for each round the row of its own."""
    late = EXACT * GROWTH ** np.arange(1, max(2.0, math.log(max(rounds / EXACT, 1.0)) / math.log(GROWTH) + 2.0))
    clock = np.concatenate([np.arange(1.0, min(rounds, EXACT) + 1.0), late[late <= rounds]])
    row = np.searchsorted(clock, np.arange(1, rounds + 1), side="right") - 1
    return clock, row.astype(np.int64)


def run(
    start: Start,
    orders: Integers,
    means: Floats,
    deviations: Floats,
    *,
    runs: int,
    seed: int,
    mark: int | None = None,
    repeats: int = 1,
) -> Runs:
    """Play a policy in every world (draws x arms) several times; ``orders`` has a row for all runs, or one for each.

    With ``repeats`` every run is played so often with the same luck, in an order of its own each time, and the mean taken.
    """
    rounds, draws = start.row.size, means.shape[0]
    keys = np.repeat(np.random.default_rng(seed).integers(0, 2**62, size=draws * runs), repeats)
    found = Runs(np.empty((draws, runs * repeats)), np.empty((draws, runs * repeats)), np.zeros(rounds))
    with np.errstate(over="ignore"):  # hashes wrap around
        play_all(start, np.atleast_2d(orders), means, deviations, keys, mark or rounds, found)
    value, marked = (part.reshape(draws, runs, repeats).mean(axis=2) for part in (found.value, found.marked))
    return Runs(value, marked, found.curve)
