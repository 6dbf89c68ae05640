"""What each part of Auto without contexts is worth: wild problems with it and without it.

    python -m benchmarks.studies.classical_ablation                        the seeds that are there to explore on
    python -m benchmarks.studies.classical_ablation --last 11400 --parts "no arcsines" "horizon 2"

Every part is played in a process of its own, because constants are compiled into machine code: what is replaced is replaced
before the first call. The same problems and replications are played with and without it, so differences are paired.
"""

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.wild.problems import Classical, problem
from benchmarks.wild.problems.draws import CLASSICAL_KIND, generator
from benchmarks.wild.problems.sizes import size

PACKAGE = "hedgerow.policies.auto_rewards"
FLOOR = 0.01
"""Added to every score, regret over that of random play: below a hundredth nothing counts."""

RESAMPLES = 2000


@dataclass(frozen=True)
class Part:
    """How to switch a part off.

    Args:
        settings: Settings that get another value.
        constants: Constants that do, by module and name.
        jitter: Noise to add to rewards, in units of their deviation: 0/1 rewards are then not known as such.
    """

    settings: Mapping[str, float] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)
    jitter: float = 0.0


PARTS = {
    "all parts": Part(),
    "cost from the explanation's mean": Part(constants={"index.NEWTON": 0}),
    "horizon 1": Part({"horizon": 1.0}),
    "horizon 2": Part({"horizon": 2.0}),
    "horizon 15": Part({"horizon": 15.0}),
    "one noise for all arms": Part({"freedom": 1e6}),
    "no arm has a wrong cluster": Part(constants={"settings.WRONG": [1e-9]}),
    "one share of wrong arms": Part(constants={"settings.WRONG": [0.02]}),
    "three spreads": Part(constants={"settings.SPREADS": [0.03, 0.25, 1.0]}),
    "wrong arms 1 sd wide": Part({"outlier": 1.0}),
    "wrong arms 3 sd wide": Part({"outlier": 3.0}),
    "the grid's prior is not learnt": Part(constants={"posterior.ROUNDS": 0}),
    "variance of the arms by moments": Part(constants={"model.EM_STEPS": 0}),
    "history is never doubted": Part({"holds": 1.0 - 1e-15}),
    "history is doubted half the time": Part({"holds": 0.5}),
    "no arcsines": Part(jitter=1e-3),
    "no hits added": Part({"hits": 1e-9}),
}


def replace(part: Part) -> None:
    """Switch a part off in this process, which must not have imported the policies yet."""
    settings = importlib.import_module(f"{PACKAGE}.settings")
    settings.SETTINGS = settings.SETTINGS._replace(**part.settings)
    for place, value in sorted(part.constants.items(), key=lambda item: not item[0].startswith("settings.")):
        module, _, name = place.rpartition(".")
        setattr(importlib.import_module(f"{PACKAGE}.{module}"), name, np.array(value) if isinstance(value, list) else value)


def problems(first: int, last: int, cells: float) -> Iterator[Classical]:
    """The stationary problems of some seeds that have no more than so many arms times rounds."""
    for seed in range(first, last + 1):
        arms, rounds = size(generator(CLASSICAL_KIND, seed, 0))
        if arms * rounds <= cells and (drawn := problem(seed)).change == "stationary":
            yield drawn


def scores(part: Part, first: int, last: int, cells: float, replications: int) -> list[float]:
    """Regret over that of random play, of each problem the mean over replications."""
    replace(part)
    from benchmarks.wild.library import play_library

    found = []
    for drawn in problems(first, last, cells):
        of_problem = []
        for replication in range(replications):
            rewards, expected = drawn.table(replication)
            rng = np.random.default_rng([drawn.seed, replication])
            seen = rewards + part.jitter * rewards.std() * rng.normal(size=rewards.shape) if part.jitter else rewards
            arms = play_library("Auto", drawn, seen, None, replication)
            lost = expected.max() - expected[0]
            of_problem.append(lost[arms].mean() / lost.mean())
        found.append(float(np.mean(of_problem)))
    return found


def played(name: str, arguments: argparse.Namespace) -> np.ndarray:
    """The scores of a part, from a process of its own with machine code of its own."""
    with tempfile.TemporaryDirectory() as cache:
        given = [f"--{key}={getattr(arguments, key)}" for key in ("first", "last", "cells", "replications")]
        command = [sys.executable, "-m", "benchmarks.studies.classical_ablation", *given, f"--only={name}"]
        done = subprocess.run(command, env=os.environ | {"NUMBA_CACHE_DIR": cache}, stdout=subprocess.PIPE, check=True)
    return np.array(json.loads(done.stdout))


def interval(values: np.ndarray) -> tuple[float, float]:
    """The 95 % bootstrap interval of a mean over problems."""
    drawn = np.random.default_rng(0).integers(values.size, size=(RESAMPLES, values.size))
    low, high = np.percentile(values[drawn].mean(axis=1), (2.5, 97.5))
    return float(low), float(high)


def line(name: str, without: np.ndarray, full: np.ndarray) -> str:
    """A row of the table: geometric mean of the ratio, and the difference of the shares of random play's regret."""
    ratio, share = np.log((without + FLOOR) / (full + FLOOR)), without - full
    low, high = np.exp(interval(ratio))
    least, most = interval(share)
    differ = np.mean(without != full)
    told = f"{np.exp(ratio.mean()):.3f} [{low:.3f}, {high:.3f}] | {share.mean():+.3f} [{least:+.3f}, {most:+.3f}]"
    return f"| {name} | {told} | {100 * differ:.0f} % |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Play, and print the table as rows become known."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=11_101)
    parser.add_argument("--last", type=int, default=12_100)
    parser.add_argument("--cells", type=float, default=1e6, help="most arms times rounds of a problem")
    parser.add_argument("--replications", type=int, default=1)
    parser.add_argument("--parts", nargs="*", default=[name for name in PARTS if name != "all parts"], choices=list(PARTS))
    parser.add_argument("--only", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.only:
        print(json.dumps(scores(PARTS[given.only], given.first, given.last, given.cells, given.replications)))
        return
    full = played("all parts", given)
    print(f"{full.size} problems, seeds {given.first} to {given.last}, share of random play's regret {full.mean():.3f}\n")
    print("| changed | regret: changed / full | share of random play's regret: difference | problems that differ |")
    print("|---|---|---|---|")
    for name in given.parts:
        print(line(name, played(name, given), full), flush=True)


if __name__ == "__main__":
    main()
