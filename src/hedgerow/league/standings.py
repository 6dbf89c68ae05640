"""What the league gave: per setting and policy the mean, median and worst regret, and the ratio to the best in hindsight."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..result import Simulation
from ..simulation import simulate
from .contestants import contestants, references
from .settings import Setting


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
        trials=trials or setting.trials,
        seed=seed,
        jobs=jobs,
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
        rows.append(Standing(setting.name, policy, *numbers, ratio, error, best, result.trials, result.rounds))
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


def markdown(tables: Sequence[list[Standing]], *, seed: int) -> str:
    """The league as a page: a line per setting, a column per policy."""
    lines = [f"hedgerow {__version__}, seed {seed}; regret, mean over trials, as a ratio to the best in hindsight.", ""]
    for policies in (_columns(tables, contextual) for contextual in (False, True)):
        part = [table for table in tables if {row.policy for row in table} >= set(policies)] if policies else []
        if part:
            lines += _table(part, policies)
    return "\n".join(lines).rstrip() + "\n"


def _columns(tables: Sequence[list[Standing]], contextual: bool) -> list[str]:
    """The policies that every setting of a kind has, Auto first."""
    kind = [table for table in tables if any(row.policy.startswith("HLinUCB") for row in table) == contextual]
    common = set.intersection(*({row.policy for row in table} for table in kind)) if kind else set()
    order = [row.policy for row in kind[0]] if kind else []
    scaled = ("HUCB ", "HUCBC ", "HLinUCB ", "HLinUCBC ")
    shown = [policy for policy in order if policy in common and (not policy.startswith(scaled) or policy.endswith("auto"))]
    return sorted(shown, key=lambda policy: (policy != "Auto", policy))


def _table(tables: Sequence[list[Standing]], policies: list[str]) -> list[str]:
    head = ["setting", "trials", "best in hindsight", "its mean", "Auto: mean, median, worst", *policies]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for table in tables:
        by_policy = {row.policy: row for row in table}
        auto, best = by_policy["Auto"], by_policy[table[0].best]
        cells = [auto.setting, str(auto.trials), best.policy, f"{best.mean:.0f}"]
        cells += [f"{auto.mean:.0f}, {auto.median:.0f}, {auto.worst:.0f}"]
        cells += [f"{by_policy[policy].ratio:.2f} ({by_policy[policy].error:.2f})" for policy in policies]
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]
