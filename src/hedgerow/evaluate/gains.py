"""What history and grouping are worth per 1000 decisions: policies played in the worlds of two judges."""

from dataclasses import dataclass, replace

import numpy as np

from ..core.types import Floats, Integers
from ..inference.intervals import credible, parted
from .gain import Gain, hull
from .judge import Draws, judge
from .rollout import Runs, Start, run, starting
from .settings import VERDICT
from .split import Split


@dataclass(frozen=True)
class Setting:
    """How the worlds are drawn and played.

    Args:
        rounds: Decisions that a policy gets.
        draws: Worlds that each judge draws.
        runs: Of every policy in each world, at least.
        seed: Of all luck.
    """

    rounds: int = 1000
    draws: int = 200
    runs: int = 4
    seed: int = 0


@dataclass(frozen=True)
class Worlds:
    """What policies gain in the worlds that the judges hold possible.

    Args:
        draws: Of the grouped judge; of the label-blind one without groups.
        runs: In each world.
        curves: Mean reward of each policy in each round.
        gains: By name, per 1000 decisions.
        marked: The same up to the mark.
    """

    draws: Draws
    runs: int
    curves: dict[str, Floats]
    gains: dict[str, Gain]
    marked: dict[str, Gain]


def entrants(split: Split, rounds: int) -> dict[str, tuple[Start, Integers]]:
    """UCB, HUCB, the grouped policy, and the grouped one again, to be shuffled.

    Args:
        split: The log.
        rounds: Decisions that each will get.

    Returns:
        Each policy with the order of its arms. Without history there is no HUCB, and the grouped policy is UCBC.
    """
    none = np.zeros(split.arms)
    known = (split.start.rows, split.start.total) if split.remembers else (none, none)
    found = {"UCB": starting(none, none, groups=None, scale=split.scale, rounds=rounds)}
    if split.remembers:
        found["HUCB"] = starting(*known, groups=None, scale=split.scale, rounds=rounds)
    if split.groups is not None:
        found["grouped"] = found["shuffled"] = starting(*known, groups=split.groups, scale=split.scale, rounds=rounds)
    return found


def contest(split: Split, means: Floats, setting: Setting, *, mark: int | None = None) -> dict[str, Runs]:
    """Play every policy in every world; all policies of a run share their luck, and each run has its own shuffled groups.

    Args:
        split: The log.
        means: Expected rewards, worlds x arms.
        setting: How worlds are played.
        mark: Rounds that are summed up by themselves, too.

    Returns:
        What each policy earns.
    """
    deviations = np.full(split.arms, -1.0) if split.binary else np.sqrt(split.future.noise())
    found = {}
    for name, (start, order) in entrants(split, setting.rounds).items():
        repeats = VERDICT.shuffles if name == "shuffled" else 1
        orders = shuffles(order, means.shape[0] * setting.runs * repeats, setting.seed) if name == "shuffled" else order
        found[name] = run(start, orders, means, deviations, runs=setting.runs, seed=setting.seed, mark=mark, repeats=repeats)
    return found


def shuffles(order: Integers, count: int, seed: int) -> Integers:
    """Random orders of the arms: the same sizes of groups, other members.

    Args:
        order: The order of the arms by group.
        count: How many orders.
        seed: Of the shuffles.

    Returns:
        An order in each row.
    """
    return np.random.default_rng([seed, 1]).permuted(np.tile(order, (count, 1)), axis=1)


def paired(value: dict[str, Floats]) -> dict[str, Floats]:
    """Gains of history, grouping and labels from the values of policies.

    Args:
        value: Of each policy, by name.

    Returns:
        Differences by name, as far as there are history and groups.
    """
    flat = value.get("HUCB", value["UCB"])
    found = {"history": gap(value["HUCB"], value["UCB"])} if "HUCB" in value else {}
    if "grouped" in value:
        found |= {"grouping": gap(value["grouped"], flat), "labels": gap(value["grouped"], value["shuffled"])}
    return found


def gap(first: Floats, second: Floats) -> Floats:
    """The difference, and 0 where it is only that of sums added in another order.

    Args:
        first: Values of one policy.
        second: Values of another.

    Returns:
        The first less the second.
    """
    difference = first - second
    return np.where(np.abs(difference) <= 1e-12 * (np.abs(first) + np.abs(second)), 0.0, difference)


def differences(played: dict[str, Runs], means: Floats, split: Split, *, marked: bool = False) -> dict[str, Floats]:
    """The gains of every world and run, also over what the log itself did.

    Args:
        played: What each policy earns.
        means: Expected rewards, worlds x arms.
        split: The log.
        marked: Whether only rounds up to the mark count.

    Returns:
        Worlds x runs, by name.
    """
    value = {name: runs.marked if marked else runs.value for name, runs in played.items()}
    done = 1000.0 * (means @ split.shares if split.earned is None else np.full(len(means), split.earned))[:, None]
    return {**paired(value), "log": gap(value.get("HUCB", value["UCB"]), done)}


def lucky(found: dict[str, Floats]) -> bool:
    """Whether one of the gains is mostly the luck of the runs.

    Args:
        found: Gains, worlds x runs, by name.

    Returns:
        True if so.
    """
    return any(luck > VERDICT.lucky * total for total, luck in map(parted, found.values()))


def settled(split: Split, means: Floats, setting: Setting, *, mark: int | None = None) -> tuple[dict[str, Runs], Setting]:
    """A contest of as many runs as it takes.

    Args:
        split: The log.
        means: Expected rewards, worlds x arms.
        setting: How worlds are played at first.
        mark: Rounds that are summed up by themselves, too.

    Returns:
        What each policy earns, and the setting in the end.
    """
    played = contest(split, means, setting, mark=mark)
    more = VERDICT.more_runs * setting.runs
    if more * split.arms > VERDICT.most_played or not lucky(differences(played, means, split)):
        return played, setting
    return settled(split, means, replace(setting, runs=more), mark=mark)


def judged(split: Split, setting: Setting, *, p: float | None, mark: int | None = None) -> Worlds:
    """The gains with intervals: the hull of both judges, or for labels the grouped judge alone where the other is refuted.

    Args:
        split: The log.
        setting: How worlds are drawn and played.
        p: Of the permutation test of the grouping; None without groups.
        mark: Rounds that are summed up by themselves, too.

    Returns:
        The gains.
    """
    seen = split.groups is not None
    judges = (False, True) if seen else (False,)
    drawn, found, marked = {}, {}, {}
    for grouped in judges:
        rng = np.random.default_rng([setting.seed, 2 + grouped])
        drawn[grouped] = judge(split, grouped=grouped, draws=setting.draws, rng=rng)
        means = drawn[grouped].means
        played, setting = settled(split, means, setting, mark=mark)
        found[grouped] = {name: Gain(*credible(d)) for name, d in differences(played, means, split).items()}
        marked[grouped] = {name: Gain(*credible(d)) for name, d in differences(played, means, split, marked=True).items()}
    return Worlds(
        drawn[seen],
        setting.runs,
        {name: runs.curve for name, runs in played.items()},
        _joined(found, p),
        _joined(marked, p),
    )


def _joined(found: dict[bool, dict[str, Gain]], p: float | None) -> dict[str, Gain]:
    if True not in found:
        return found[False]
    alone = {"labels"} if p is not None and p <= VERDICT.refuted else set()
    return {name: gain if name in alone else hull(found[False][name], gain) for name, gain in found[True].items()}
