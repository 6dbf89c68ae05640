"""Scores: regret over that of uniform random play, a number for each problem and policy, read from a folder of results."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.wild import results
from benchmarks.wild.contestants import BASELINE, stand_in, suits
from benchmarks.wild.library import Problem
from benchmarks.wild.results import Row
from benchmarks.wild.run import every_policy
from benchmarks.wild.trial import drawn

LEAST_LOST = 1e-4
"""Units a round that uniform random play must lose; else the arms are alike, and a score would be a ratio of nothing."""


@dataclass(frozen=True)
class Scores:
    """The scores of some problems.

    Args:
        problems: One for each row.
        policies: One for each column.
        values: Mean over the replications of regret over that of random play; nan where a policy does not suit a problem.
    """

    problems: tuple[Problem, ...]
    policies: tuple[str, ...]
    values: np.ndarray

    def of(self, policy: str) -> np.ndarray:
        """Scores of a policy."""
        return self.values[:, self.policies.index(policy)]

    @property
    def complete(self) -> tuple[str, ...]:
        """The policies that play all of these problems."""
        gaps = np.isnan(self.values).any(axis=0)
        return tuple(name for name, gap in zip(self.policies, gaps, strict=True) if not gap)

    def where(self, chosen: Sequence[bool] | np.ndarray) -> "Scores":
        """The scores of some problems."""
        rows = np.flatnonzero(np.asarray(chosen, dtype=bool))
        return Scores(tuple(self.problems[row] for row in rows), self.policies, self.values[rows])


class Played(NamedTuple):
    """What a folder holds of one kind of problems.

    Args:
        scores: Of the problems that all policies have finished.
        unfinished: How many problems some policy has not played.
        alike: How many are left out because their arms are alike.
        replications: How many problems have how many of them.
        versions: Commits that played each policy.
    """

    scores: Scores
    unfinished: int
    alike: int
    replications: Counter[int]
    versions: dict[str, tuple[str, ...]]


def load(folder: Path, kind: str) -> Played | None:
    """Read the scores of a folder.

    Args:
        folder: Where ``play`` wrote them.
        kind: "classical" or "contextual".

    Returns:
        The scores; None if the folder has none of this kind.
    """
    rows = results.read(folder / f"{kind}.csv")
    if not rows:
        return None
    played: dict[int, dict[str, dict[int, Row]]] = defaultdict(lambda: defaultdict(dict))
    versions = defaultdict(set)
    for row in rows:
        played[row.seed][row.policy][row.replication] = row
        versions[row.policy].add(row.version)
    policies = _ordered({row.policy for row in rows}, kind)
    problems, values, counted, unfinished, alike = [], [], Counter[int](), 0, 0
    for seed in sorted(played):
        problem = drawn(kind, seed)
        by_policy = _played(problem, policies, played[seed])
        common = set.intersection(*(set(found) for found in by_policy.values()))
        if not common:
            unfinished += 1
        elif _lost(next(iter(by_policy.values())), common) / problem.rounds / problem.unit <= LEAST_LOST:
            alike += 1
        else:
            problems.append(problem)
            values.append([_score(by_policy.get(name), common) for name in policies])
            counted[len(common)] += 1
    scores = Scores(tuple(problems), policies, np.array(values).reshape(len(problems), len(policies)))
    return Played(scores, unfinished, alike, counted, {name: tuple(sorted(versions[name])) for name in policies})


def _ordered(found: set[str], kind: str) -> tuple[str, ...]:
    """Policies as they are listed, each with its baseline behind it; then any others."""
    listed = [name for known in every_policy(kind) for name in (known, BASELINE + known)]
    return (*(name for name in listed if name in found), *sorted(found.difference(listed)))


def _played(problem: Problem, policies: Sequence[str], found: dict[str, dict[int, Row]]) -> dict[str, dict[int, Row]]:
    """Replications of each policy that suits a problem, or of the one that stands in for it."""
    return {name: found.get(stand_in(name, problem), {}) for name in policies if suits(name, problem)}


def _lost(rows: dict[int, Row], replications: set[int]) -> float:
    return float(np.mean([rows[replication].random for replication in replications]))


def _score(rows: dict[int, Row] | None, replications: set[int]) -> float:
    if rows is None:
        return float("nan")
    return float(np.mean([rows[replication].regret / rows[replication].random for replication in sorted(replications)]))
