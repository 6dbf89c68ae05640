"""The standings: per setting and policy the mean, median and worst regret, and the ratio to the best in hindsight."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.league.contestants import contestants, references
from benchmarks.league.settings import Setting
from hedgerow.experiments.result import Simulation
from hedgerow.experiments.simulate import simulate


@dataclass(frozen=True)
class Standing:
    """One policy in one setting. ``ratio`` is to the best reference in hindsight, ``error`` its paired standard error."""

    setting: str
    policy: str
    mean: float
    median: float
    worst: float
    ratio: float
    error: float
    best: str
    trials: int
    rounds: int
    seed: int


def play_setting(
    setting: Setting,
    *,
    seed: int,
    few: bool = False,
    trials: int | None = None,
    jobs: int | None = None,
    resume: str | Path | None = None,
) -> Simulation:
    """The contestants on a setting."""
    return simulate(
        contestants(setting, few=few),
        setting.problem,
        rounds=setting.rounds,
        trials=setting.trials if trials is None else trials,
        seed=seed,
        jobs=jobs,
        delay=setting.delay,
        resume=resume,
    )


def paired_ratio(one: Any, other: Any) -> tuple[float, float]:
    """Ratio of two means over the same trials, and its standard error."""
    ratio = float(np.mean(one) / np.mean(other))
    if len(one) < 2:
        return ratio, math.nan
    left = np.asarray(one) - ratio * np.asarray(other)
    return ratio, float(left.std(ddof=1) / abs(np.mean(other)) / math.sqrt(len(left)))


def standings(setting: Setting, result: Simulation) -> list[Standing]:
    """The policies of a setting, the lowest mean regret first."""
    regret = {policy: result.of(policy, "regret") for policy in result.policies}
    best = min(references(setting), key=lambda policy: float(regret[policy].mean()))
    rows = []
    for policy, values in regret.items():
        ratio, error = paired_ratio(values, regret[best])
        numbers = (float(values.mean()), float(np.median(values)), float(values.max()))
        rows.append(Standing(setting.name, policy, *numbers, ratio, error, best, result.trials, result.rounds, result.seed))
    return sorted(rows, key=lambda row: row.mean)


def league(
    settings: Iterable[Setting],
    *,
    seed: int,
    few: bool = False,
    trials: int | None = None,
    jobs: int | None = None,
    resume: str | Path | None = None,
    say: Callable[[str], Any] | None = None,
) -> Iterator[list[Standing]]:
    """The standings of one setting after the other."""
    for setting in settings:
        if say is not None:
            say(f"{setting.name}: {setting.problem}")
        yield standings(setting, play_setting(setting, seed=seed, few=few, trials=trials, jobs=jobs, resume=resume))
