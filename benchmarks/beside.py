"""Time this hedgerow beside an older one, on the same work in one run: python benchmarks/beside.py FOLDER [--repeats N]

FOLDER is a checkout of the older one (git worktree add FOLDER COMMIT). First come the works of ``make bench``, then rounds of
select and update of many policies. CPU seconds; repetitions are interleaved, and a ratio is the median of those within each.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from environments import ONE_THREAD, Worker
from work import SEED, WORKS
from workers.measure import clock

ROUNDS = {
    **{f"{name} K=100": (name, 100, 0, 20_000) for name in ("UCB", "HUCBC", "UCBV", "KLUCB", "TSC", "MINUCB", "BAST", "META")},
    "UCB K=10,000": ("UCB", 10_000, 0, 20_000),
    **{f"{name} K=100 d=5": (name, 100, 5, 10_000) for name in ("LinUCB", "HLinUCBC", "LinTSC", "HierLinUCB")},
    "HierUCB K=100": ("HierUCB", 100, 0, 20_000),
    "HierUCB K=1000": ("HierUCB", 1_000, 0, 20_000),
    "HierUCB K=10,000": ("HierUCB", 10_000, 0, 20_000),
}
"""Public rounds: policy, arms, length of the contexts, rounds."""

PARAMETERS: dict[str, dict[str, Any]] = {"MINUCB": {"bias": 0.1}, "BAST": {"diameter": 0.2}}


def rounds(name: str) -> float:
    """CPU seconds a round, warm: policies with clusters have as many as the root of their arms."""
    import hedgerow as hr

    policy_name, arms, dimension, count = ROUNDS[name]
    rng = np.random.default_rng(SEED)
    given: dict[str, Any] = dict(PARAMETERS.get(policy_name, {}))
    if policy_name not in ("UCB", "LinUCB", "KLUCB", "UCBV"):
        given["clusters"] = (np.arange(arms) % round(arms**0.5)).tolist()
    if dimension:
        given["dimension"] = dimension
    policy = getattr(hr, policy_name)(range(arms), **given)
    means, noise = rng.random(arms).tolist(), rng.random(2 * count).tolist()
    contexts = list(rng.normal(size=(2 * count, dimension))) if dimension else [None] * 2 * count
    for t in range(2 * count):
        if t == count:
            begun = clock()
        decision = policy.select(contexts[t])
        policy.update(decision, float(noise[t] < means[decision.arm]))
    return (clock() - begun) / count


def serve() -> None:
    """Time what is named on standard input, each work once before."""
    for line in sys.stdin:
        rounds(line.strip())
        print(rounds(line.strip()), flush=True)


class Rounds:
    """A process of its own for one hedgerow."""

    def __init__(self, folder: Path):
        path = os.pathsep.join((str(folder / "src"), str(Path(__file__).parent)))
        command = [sys.executable, "-P", __file__, "--serve", str(folder)]
        environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": path}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def time(self, name: str) -> float:
        """Seconds a round."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(name, file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())


def compare(times: dict[str, Callable[[], tuple[float, float]]], repeats: int) -> None:
    """Print a row for each work: the older seconds, these, and the ratio."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for repeat in range(repeats):
        for name, both in times.items():
            found[name].append(both())
            print(f"{repeat + 1}/{repeats} {name}", file=sys.stderr)
    print("| work | older | this | this / older |\n|---|---|---|---|")
    for name, pairs in found.items():
        older, this = (median(pair[side] for pair in pairs) for side in (0, 1))
        print(f"| {name} | {1e6 * older:.3g} us | {1e6 * this:.3g} us | {median(b / a for a, b in pairs):.3f} |")


def main() -> None:
    """Time both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the older hedgerow")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", default="", help="works whose name contains this")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve()
        return
    older, this = given.folder.absolute(), Path(__file__).absolute().parents[1]
    workers = Worker("hedgerow", older), Worker("hedgerow")
    processes = Rounds(older), Rounds(this)
    times: dict[str, Callable[[], tuple[float, float]]] = {}
    for work in WORKS:
        if "hedgerow" in work.rounds and work.kind != "state":
            times[work.name] = partial(_works, work.task("hedgerow"), workers)
    for name in ROUNDS:
        times[f"round of {name}"] = partial(_rounds, name, processes)
    compare({name: both for name, both in times.items() if given.only in name}, given.repeats)


def _rounds(name: str, processes: tuple[Rounds, Rounds]) -> tuple[float, float]:
    older, this = (process.time(name) for process in processes)
    return older, this


def _works(task: dict[str, Any], workers: tuple[Worker, Worker]) -> tuple[float, float]:
    older, this = (_seconds(worker.do(task)) for worker in workers)
    return older, this


def _seconds(answer: dict[str, Any]) -> float:
    if "error" in answer:
        raise RuntimeError(json.dumps(answer))
    return float(answer["seconds"] / answer["rounds"])


if __name__ == "__main__":
    main()
