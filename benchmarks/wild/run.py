"""The run: which trials are missing, who plays them, and what is said on the way."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TypeVar

from benchmarks.wild import contestants, results
from benchmarks.wild.contestants import BASELINE, stand_in, suits
from benchmarks.wild.results import Row
from benchmarks.wild.trial import Trial, drawn, hedgerow_version, play_trial

Work = TypeVar("Work")

KINDS_OF_PROBLEMS = ("classical", "stationary", "changing", "contextual")
"""Of problems: all without contexts, those among them whose means stay or change, and those with contexts."""

REPLICATIONS = 3
"""Of a problem within the budget; a larger one has a single one."""

SAID_EVERY = 15.0
"""Seconds between two lines about progress."""

SENT_TOGETHER = 100
"""Trials that are sent to a cluster before their results are written."""


@dataclass(frozen=True)
class Plan:
    """What is to be played.

    Args:
        first: The first seed.
        last: The last.
        kind: One of KINDS_OF_PROBLEMS.
        policies: Names.
        into: Folder of the results.
        workers: Processes.
        backend: "joblib", "dask" or "ray".
        until: Time of the day, HH:MM, after which no trial is begun; empty for none.
        budget: Problems of more arms times rounds have one replication.
        baseline: Folder of an older hedgerow, for the policies named "baseline ...".
    """

    first: int
    last: int
    kind: str
    policies: tuple[str, ...]
    into: str
    workers: int = 2
    backend: str = "joblib"
    until: str = ""
    budget: float = 5e6
    baseline: str = ""

    @property
    def path(self) -> Path:
        """The file that the results go to."""
        return Path(self.into) / f"{'contextual' if self.kind == 'contextual' else 'classical'}.csv"


def every_policy(kind: str) -> tuple[str, ...]:
    """Return the names of all policies that play a kind of problems.

    Args:
        kind: One of KINDS_OF_PROBLEMS.

    Returns:
        Their names, the baseline's not among them.
    """
    return contestants.CONTEXTUAL_POLICIES if kind == "contextual" else contestants.CLASSICAL_POLICIES


def play(plan: Plan, say: Callable[[str], None]) -> None:
    """Play what is missing of a plan, the baseline's policies with the older hedgerow.

    Args:
        plan: What is to be played.
        say: Is told about progress.

    Raises:
        ValueError: A policy of a baseline is named, and no folder of one.
        RuntimeError: The older hedgerow failed.
    """
    older = tuple(name for name in plan.policies if name.startswith(BASELINE))
    own = tuple(name for name in plan.policies if name not in older)
    if older and not plan.baseline:
        raise ValueError(f"{older[0]!r} is played by an older hedgerow: say with --baseline in which folder it is")
    if own:
        play_here(replace(plan, policies=own), say)
    if older:
        source = Path(plan.baseline).absolute() / "src"
        if not (source / "hedgerow").is_dir():
            raise ValueError(f"--baseline must be a folder with hedgerow in src/, {plan.baseline} is not")
        here = replace(plan, policies=older, into=str(Path(plan.into).absolute()), baseline="")
        repository = Path(__file__).parents[2]
        search = os.pathsep.join((str(source), str(repository)))
        command = [sys.executable, "-m", "benchmarks.wild.baseline", json.dumps(asdict(here))]
        if subprocess.run(command, cwd=repository, env={**os.environ, "PYTHONPATH": search}, check=False).returncode:
            raise RuntimeError(f"the baseline in {plan.baseline} stopped; what it has played is kept")


def play_here(plan: Plan, say: Callable[[str], None]) -> None:
    """Play what is missing of a plan with the hedgerow that is imported.

    Args:
        plan: What is to be played; "baseline" in a name is taken as said.
        say: Is told about progress.
    """
    plan.path.parent.mkdir(parents=True, exist_ok=True)
    trials = missing(plan)
    version = hedgerow_version()
    say(f"{len(trials)} trials to play with hedgerow {version}")
    left, begun, said = sum(trial.cells for trial in trials), time.monotonic(), 0.0
    total = left
    for number, (trial, rows) in enumerate(_played(plan, trials, version), 1):
        results.append(plan.path, rows)
        left -= trial.cells
        spent = time.monotonic() - begun
        if spent - said > SAID_EVERY or number == len(trials):
            said = spent
            rest = timedelta(seconds=round(spent * left / max(total - left, 1.0)))
            say(f"{number} of {len(trials)} trials in {timedelta(seconds=round(spent))}, about {rest} left")


def missing(plan: Plan) -> list[Trial]:
    """Return what of a plan has not been played yet.

    Args:
        plan: What is to be played.

    Returns:
        A trial for each problem and replication in which a policy is missing.
    """
    there = {row[:3] for row in results.read(plan.path)}
    trials = []
    for seed in range(plan.first, plan.last + 1):
        problem = drawn(plan.kind, seed)
        if plan.kind in ("stationary", "changing") and (problem.change == "stationary") != (plan.kind == "stationary"):
            continue
        size = problem.arms * problem.rounds
        names = tuple(dict.fromkeys(stand_in(name, problem) for name in plan.policies if suits(name, problem)))
        for replication in range(REPLICATIONS if size <= plan.budget else 1):
            absent = tuple(name for name in names if (seed, replication, name) not in there)
            if absent:
                kind = "contextual" if plan.kind == "contextual" else "classical"
                trials.append(Trial(kind, seed, replication, absent, float(size * len(absent))))
    return trials


def _played(plan: Plan, trials: Sequence[Trial], version: str) -> Iterator[tuple[Trial, list[Row]]]:
    """Trials as they are played, not in their order; none is begun after the time that the plan names."""
    moment = _moment(plan.until)
    due = _in_time(trials, moment)
    if plan.backend != "joblib":
        yield from _played_on_cluster(plan, trials, version, moment)
    elif plan.workers == 1:
        yield from (_with_trial(trial, version) for trial in due)
    else:
        from joblib import Parallel, delayed

        parallel = Parallel(n_jobs=plan.workers, return_as="generator_unordered", pre_dispatch=plan.workers, batch_size=1)
        yield from parallel(delayed(_with_trial)(trial, version) for trial in due)


def _played_on_cluster(
    plan: Plan, trials: Sequence[Trial], version: str, moment: datetime | None
) -> Iterator[tuple[Trial, list[Row]]]:
    """A batch of trials at a time, so that a run that stops has lost one batch at most."""
    from hedgerow.experiments.backends import outcomes_of

    for first in _in_time(range(0, len(trials), SENT_TOGETHER), moment):
        batch = trials[first : first + SENT_TOGETHER]
        run = partial(_numbered, batch, version)
        yield from zip(batch, outcomes_of(run, len(batch), None, plan.backend, "the wild league"), strict=True)


def _with_trial(trial: Trial, version: str) -> tuple[Trial, list[Row]]:
    return trial, play_trial(trial, version)


def _numbered(trials: Sequence[Trial], version: str, number: int) -> list[Row]:
    return play_trial(trials[number], version)


def _moment(until: str) -> datetime | None:
    """The next time of the day of this name."""
    if not until:
        return None
    now = datetime.now()
    try:
        clock = datetime.strptime(until, "%H:%M")
    except ValueError:
        raise ValueError(f"--until must be a time such as 17:30, got {until!r}") from None
    moment = now.replace(hour=clock.hour, minute=clock.minute, second=0, microsecond=0)
    return moment if moment > now else moment + timedelta(days=1)


def _in_time(works: Iterable[Work], moment: datetime | None) -> Iterator[Work]:
    for work in works:
        if moment is not None and datetime.now() >= moment:
            return
        yield work
