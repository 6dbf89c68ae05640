"""Play one replication of one problem with some policies."""

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import hedgerow
from benchmarks.wild.contestants import play_named
from benchmarks.wild.library import Problem
from benchmarks.wild.problems import Contextual, contextual, problem
from benchmarks.wild.results import Row


class Trial(NamedTuple):
    """One replication of one problem.

    Args:
        kind: "classical" or "contextual".
        seed: Of the problem.
        replication: From 0 on.
        policies: Who plays.
        cells: Arms times rounds times policies, which the time it takes grows with.
    """

    kind: str
    seed: int
    replication: int
    policies: tuple[str, ...]
    cells: float


def drawn(kind: str, seed: int) -> Problem:
    """Return a problem.

    Args:
        kind: "contextual", or anything else for one without contexts.
        seed: Of the problem.

    Returns:
        The problem.
    """
    return contextual(seed) if kind == "contextual" else problem(seed)


def play_trial(trial: Trial, version: str) -> list[Row]:
    """Play a trial.

    Args:
        trial: Which one.
        version: What the rows say about the hedgerow that plays.

    Returns:
        A row for each policy.
    """
    which = drawn(trial.kind, trial.seed)
    contexts = None
    if isinstance(which, Contextual):
        contexts, rewards, expected = which.table(trial.replication)
    else:
        rewards, expected = which.table(trial.replication)
    T = len(rewards)
    best = expected.max(axis=1)
    lost = best - expected.mean(axis=1)
    random = float(np.broadcast_to(lost, T).sum())
    rows = []
    for name in trial.policies:
        start = time.process_time()
        arms = play_named(name, which, rewards, contexts, trial.replication)
        seconds = time.process_time() - start
        regret = best - (expected[0][arms] if len(expected) == 1 else expected[np.arange(T), arms])
        sums = float(regret.sum()), float(regret[T // 2 :].sum())
        rows.append(Row(trial.seed, trial.replication, name, *sums, random, 1e6 * seconds / T, version))
    return rows


def hedgerow_version() -> str:
    """Return which hedgerow plays.

    Returns:
        Its commit, with "+" if its source was changed since; the version if it is in no repository.
    """
    source = Path(hedgerow.__file__).parent
    commit = _git(source, "rev-parse", "--short=7", "HEAD")
    changed = _git(source, "status", "--porcelain", "--", ".")
    return f"{commit}{'+' if changed else ''}" if commit else hedgerow.__version__


def _git(folder: Path, *command: Sequence[str] | str) -> str:
    run = subprocess.run(["git", "-C", str(folder), *map(str, command)], capture_output=True, text=True, check=False)
    return run.stdout.strip() if run.returncode == 0 else ""
