"""Policies played in worlds that the judge draws: UCB and HUCB over all arms, UCBC and HUCBC over groups and their arms.

All policies of a run draw the same rewards (hashed_rewards.py). What counts is the sum of expected rewards, not of those drawn.
"""

import math
from typing import NamedTuple

import numpy as np

from ..core.kernel import compiled
from ..core.types import Floats, Integers
from ..policies.optimism import ucb_level
from .hashed_rewards import reward_of
from .settings import VERDICT


class Start(NamedTuple):
    """What all runs of a policy share.

    Args:
        plays: Plays of each arm in its history.
        total: Sum of their rewards.
        first: Where the arms of each group start in the order of arms; one group makes a flat policy.
        bonus: A row for each value of the clock: scale sqrt(2 log(t + H_k)) of each arm.
        clock: The rounds t for which bonuses are made.
        row: For each round the row of its bonuses.
        scale: What a bonus is multiplied by.
    """

    plays: Floats
    total: Floats
    first: Integers
    bonus: Floats
    clock: Floats
    row: Integers
    scale: float


class Nodes(NamedTuple):
    """Arms, or groups, as a policy knows them, and their bonuses: columns, since an index is a pass over all of them.

    Args:
        plays: Of each node.
        total: Sum of its rewards.
        mean: Its mean reward; infinite without plays.
        width: 1 / sqrt(plays).
        bonus: A row for each value of the clock.
    """

    plays: Floats
    total: Floats
    mean: Floats
    width: Floats
    bonus: Floats


class Runs(NamedTuple):
    """Expected rewards of a policy in many worlds.

    Args:
        value: Expected reward per 1000 decisions of each world and run.
        marked: The same up to the mark.
        curve: Expected reward of each round, the mean over all runs.
    """

    value: Floats
    marked: Floats
    curve: Floats


@compiled
def best_of(nodes: Nodes, row: int, first: int, last: int) -> int:
    """The best index, mean + bonus width, among neighbours; the first of equal ones.

    Four maxima side by side take half the time of one.

    Args:
        nodes: The nodes.
        row: Of their bonuses in this round.
        first: The first node.
        last: The one after the last.

    Returns:
        The node.
    """
    mean, width, bonus = nodes.mean[first:last], nodes.width[first:last], nodes.bonus[row, first:last]  # from 0 on: quicker
    a = b = c = d = -math.inf
    whole = mean.size - mean.size % 4
    for k in range(0, whole, 4):
        a = max(a, mean[k] + bonus[k] * width[k])
        b = max(b, mean[k + 1] + bonus[k + 1] * width[k + 1])
        c = max(c, mean[k + 2] + bonus[k + 2] * width[k + 2])
        d = max(d, mean[k + 3] + bonus[k + 3] * width[k + 3])
    best = max(max(a, b), max(c, d))
    for k in range(whole, mean.size):
        best = max(best, mean[k] + bonus[k] * width[k])
    for k in range(mean.size):
        if mean[k] + bonus[k] * width[k] == best:
            return first + k
    return first


@compiled
def learn(nodes: Nodes, at: int, plays: float, total: float) -> None:
    """Add rewards to a node; one without plays comes first.

    Args:
        nodes: The nodes.
        at: The node.
        plays: How many rewards.
        total: Their sum.
    """
    nodes.plays[at] += plays
    nodes.total[at] += total
    nodes.mean[at], nodes.width[at] = math.inf, 0.0
    if nodes.plays[at] > 0.0:
        share = 1.0 / nodes.plays[at]
        nodes.mean[at] = nodes.total[at] * share
        nodes.width[at] = math.sqrt(share)


@compiled
def rooms(count: int, steps: int) -> Nodes:
    """Nodes that know nothing yet.

    Args:
        count: How many.
        steps: Values of the clock.

    Returns:
        The nodes.
    """
    return Nodes(np.empty(count), np.empty(count), np.empty(count), np.empty(count), np.empty((steps, count)))


@compiled
def prepare(start: Start, order: Integers, arms: Nodes, groups: Nodes) -> None:
    """Historical sums in the order of places, and those of the groups, with their bonuses.

    Args:
        start: What the policy starts from.
        order: The arm at each place.
        arms: Room for the arms, by place.
        groups: Room for the groups.
    """
    arms.plays[:], arms.total[:] = 0.0, 0.0
    groups.plays[:], groups.total[:] = 0.0, 0.0
    for place in range(order.size):
        learn(arms, place, start.plays[order[place]], start.total[order[place]])
    for row in range(start.clock.size):
        for place in range(order.size):
            arms.bonus[row, place] = start.bonus[row, order[place]]
    for i in range(groups.plays.size):
        for place in range(start.first[i], start.first[i + 1]):
            learn(groups, i, arms.plays[place], arms.total[place])
    for row in range(len(groups.bonus)):
        for i in range(groups.plays.size):
            groups.bonus[row, i] = start.scale * math.sqrt(ucb_level(start.clock[row], groups.plays[i]))


@compiled
def play(
    first: Integers,
    rows: Integers,
    order: Integers,
    arms: Nodes,
    groups: Nodes,
    means: Floats,
    deviations: Floats,
    key: np.uint64,
    earned: Floats,
) -> None:
    """One run from prepared nodes.

    Args:
        first: Where the arms of each group start.
        rows: For each round the row of its bonuses.
        order: The arm at each place.
        arms: The arms, by place.
        groups: The groups.
        means: Expected reward of each arm.
        deviations: Standard deviation of its rewards; below 0 they are 0 and 1.
        key: Of the run.
        earned: Room for the expected reward of each round.
    """
    count = first.size - 1
    own = np.zeros(order.size, dtype=np.int64)
    for t in range(earned.size):
        row = rows[t]
        i = best_of(groups, row, 0, count) if count > 1 else 0
        place = best_of(arms, row, first[i], first[i + 1])
        k = order[place]
        reward = reward_of(key, k, own[place], means[k], deviations[k])
        own[place] += 1
        learn(arms, place, 1.0, reward)
        if count > 1:
            learn(groups, i, 1.0, reward)
        earned[t] = means[k]


@compiled
def play_all(start: Start, orders: Integers, means: Floats, deviations: Floats, keys: Integers, mark: int, runs: Runs) -> None:
    """All runs in all worlds; the curve ends as the mean over them.

    Args:
        start: What the policy starts from.
        orders: The arm at each place: a row for all runs, or one for each.
        means: Expected rewards, worlds x arms.
        deviations: Standard deviation of each arm's rewards; below 0 they are 0 and 1.
        keys: Of each run.
        mark: Rounds that are summed up by themselves, too.
        runs: Room for what they earn.
    """
    worlds, repeats = runs.value.shape
    count, steps = start.first.size - 1, start.clock.size
    arms, groups = rooms(means.shape[1], steps), rooms(count, steps if count > 1 else 0)
    once = np.empty(runs.curve.size)
    for run in range(worlds * repeats):
        j, i = run // repeats, run % repeats
        order, key = orders[run % orders.shape[0]], np.uint64(keys[run])
        prepare(start, order, arms, groups)
        play(start.first, start.row, order, arms, groups, means[j], deviations, key, once)
        runs.value[j, i] = 1000.0 * once.mean()
        runs.marked[j, i] = 1000.0 * once[:mark].mean()
        for t in range(once.size):
            runs.curve[t] += once[t] / (worlds * repeats)


def starting(plays: Floats, total: Floats, *, groups: Integers | None, scale: float, rounds: int) -> tuple[Start, Integers]:
    """A policy that starts from these sums, flat or over groups.

    Args:
        plays: Plays of each arm in its history.
        total: Sum of their rewards.
        groups: The group of each arm; None for a flat policy.
        scale: What a bonus is multiplied by.
        rounds: How many rounds it will play.

    Returns:
        The policy, and the order in which it holds its arms.
    """
    labels = np.zeros(plays.size, dtype=np.int64) if groups is None else groups
    first = np.concatenate([[0], np.cumsum(np.bincount(labels))]).astype(np.int64)
    clock, row = _clock(rounds)
    bonus = scale * np.sqrt(2.0 * np.log(clock[:, None] + plays))  # ucb_level of all at once
    order = np.argsort(labels, kind="stable").astype(np.int64)
    return Start(plays, total, first, bonus, clock, row, scale), order


def _clock(rounds: int) -> tuple[Floats, Integers]:
    """The values of t for which bonuses are made, and for each round the row of its own."""
    exact, growth = VERDICT.exact_rounds, VERDICT.log_growth
    late = exact * growth ** np.arange(1, max(2.0, math.log(max(rounds / exact, 1.0)) / math.log(growth) + 2.0))
    clock = np.concatenate([np.arange(1.0, min(rounds, exact) + 1.0), late[late <= rounds]])
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
    """Play a policy in every world several times.

    Args:
        start: What it starts from.
        orders: The arm at each place: a row for all runs, or one for each.
        means: Expected rewards, worlds x arms.
        deviations: Standard deviation of each arm's rewards; below 0 they are 0 and 1.
        runs: In each world.
        seed: Of all luck.
        mark: Rounds that are summed up by themselves, too.
        repeats: So often every run is played with the same luck, in an order of its own each time, and the mean taken.

    Returns:
        What the policy earns.
    """
    rounds, worlds = start.row.size, means.shape[0]
    keys = np.repeat(np.random.default_rng(seed).integers(0, 2**62, size=worlds * runs), repeats)
    found = Runs(np.empty((worlds, runs * repeats)), np.empty((worlds, runs * repeats)), np.zeros(rounds))
    with np.errstate(over="ignore"):  # hashes wrap around
        play_all(start, np.atleast_2d(orders), means, deviations, keys, mark or rounds, found)
    value, marked = (part.reshape(worlds, runs, repeats).mean(axis=2) for part in (found.value, found.marked))
    return Runs(value, marked, found.curve)
