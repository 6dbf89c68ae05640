"""What history and grouping are worth per 1000 decisions: policies played in the worlds of two judges."""

from dataclasses import dataclass, replace

import numpy as np

from ..core.types import Floats, Integers
from .interval import Gain, credible, hull, parted
from .judge import Draws, judge
from .rollout import Runs, Start, run, starting
from .split import Split

REFUTED = 0.05
"""Permutation p up to which the label-blind judge counts as refuted."""


SHUFFLES = 4
"""Shuffled labels of each run. With one, most of the noise in the labels' gain is that of the shuffle: 4 of 24 simulated good
groupings with history were found, with four 8."""


LUCKY, MORE, MOST = 0.7, 4, 256
"""Where the luck of the runs makes up more than this share of a gain's variance, four times as many are played, and perhaps
again, as long as runs times arms are at most 256: with few arms and rewards of any size, four runs say little of a world."""


@dataclass(frozen=True)
class Setting:
    """How the worlds are drawn and played."""

    rounds: int = 1000
    draws: int = 200
    runs: int = 4
    """At least so many in each world."""
    seed: int = 0


@dataclass(frozen=True)
class Worlds:
    """The grouped judge's draws, the runs in each, the policies' mean rewards in each round, and the gains by name."""

    draws: Draws
    runs: int
    curves: dict[str, Floats]
    gains: dict[str, Gain]
    marked: dict[str, Gain]


def entrants(split: Split, rounds: int) -> dict[str, tuple[Start, Integers]]:
    """UCB, HUCB, the grouped policy, and the grouped one again, to be shuffled; each with the order of its arms.

    Without history there is no HUCB, and the grouped policy is UCBC.
    """
    none = np.zeros(split.arms)
    past = (split.start.rows, split.start.total) if split.remembers else (none, none)
    found = {"UCB": starting(none, none, groups=None, scale=split.scale, rounds=rounds)}
    if split.remembers:
        found["HUCB"] = starting(*past, groups=None, scale=split.scale, rounds=rounds)
    if split.groups is not None:
        found["grouped"] = found["shuffled"] = starting(*past, groups=split.groups, scale=split.scale, rounds=rounds)
    return found


def contest(split: Split, means: Floats, setting: Setting, *, mark: int | None = None) -> dict[str, Runs]:
    """Play every policy in every world; all policies of a run share their luck, and each run has its own shuffled labels."""
    deviations = np.full(split.arms, -1.0) if split.binary else np.sqrt(split.future.noise())
    found = {}
    for name, (start, order) in entrants(split, setting.rounds).items():
        repeats = SHUFFLES if name == "shuffled" else 1
        orders = shuffles(order, means.shape[0] * setting.runs * repeats, setting.seed) if name == "shuffled" else order
        found[name] = run(start, orders, means, deviations, runs=setting.runs, seed=setting.seed, mark=mark, repeats=repeats)
    return found


def shuffles(order: Integers, count: int, seed: int) -> Integers:
    """As many random orders of the arms: the same sizes of groups, other members."""
    return np.random.default_rng([seed, 1]).permuted(np.tile(order, (count, 1)), axis=1)


def paired(value: dict[str, Floats]) -> dict[str, Floats]:
    """Gains of history, grouping and labels from the values of policies."""
    flat = value.get("HUCB", value["UCB"])
    found = {"history": gap(value["HUCB"], value["UCB"])} if "HUCB" in value else {}
    if "grouped" in value:
        found |= {"grouping": gap(value["grouped"], flat), "labels": gap(value["grouped"], value["shuffled"])}
    return found


def gap(first: Floats, second: Floats) -> Floats:
    """The difference, and 0 where it is only that of sums added in another order."""
    difference = first - second
    return np.where(np.abs(difference) <= 1e-12 * (np.abs(first) + np.abs(second)), 0.0, difference)


def differences(played: dict[str, Runs], means: Floats, split: Split, *, marked: bool = False) -> dict[str, Floats]:
    """The gains of every world and run (draws x runs), also over what the log itself did."""
    value = {name: runs.marked if marked else runs.value for name, runs in played.items()}
    done = 1000.0 * (means @ split.shares if split.earned is None else np.full(len(means), split.earned))[:, None]
    return {**paired(value), "log": gap(value.get("HUCB", value["UCB"]), done)}


def lucky(found: dict[str, Floats]) -> bool:
    """Whether one of the gains is mostly the luck of the runs."""
    return any(luck > LUCKY * total for total, luck in map(parted, found.values()))


def settled(split: Split, means: Floats, setting: Setting, *, mark: int | None = None) -> tuple[dict[str, Runs], Setting]:
    """A contest of as many runs as it takes, and its setting."""
    played = contest(split, means, setting, mark=mark)
    more = MORE * setting.runs
    if more * split.arms > MOST or not lucky(differences(played, means, split)):
        return played, setting
    return settled(split, means, replace(setting, runs=more), mark=mark)


def judged(split: Split, setting: Setting, *, p: float | None, mark: int | None = None) -> Worlds:
    """The gains with intervals: the hull of both judges, or for labels the grouped judge alone where the other is refuted."""
    seen = split.groups is not None
    judges = (False, True) if seen else (False,)
    drawn, found, marked = {}, {}, {}
    for grouped in judges:
        rng = np.random.default_rng([setting.seed, 2 + grouped])
        drawn[grouped] = judge(split, grouped=grouped, draws=setting.draws, rng=rng)
        means = drawn[grouped].means
        played, setting = settled(split, means, setting, mark=mark)
        found[grouped] = {name: credible(d) for name, d in differences(played, means, split).items()}
        marked[grouped] = {name: credible(d) for name, d in differences(played, means, split, marked=True).items()}
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
    alone = {"labels"} if p is not None and p <= REFUTED else set()
    return {name: gain if name in alone else hull(found[False][name], gain) for name, gain in found[True].items()}
