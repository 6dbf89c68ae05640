"""Interrupt every method that changes a policy, at random lines: the state is that of before or after, and what is saved loads.

    python tests/interruptions.py                       1000 interruptions of each method of each kind of policy; prints a table
    python tests/interruptions.py --count 100 --seed 7 --only META

An exception is raised out of a trace function, at a random line of hedgerow's own source, as Ctrl-C would raise it there. States
are compared by the bytes that ``save`` writes. Kernels must be compiled: nothing interrupts machine code.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import hedgerow as hr
from hedgerow.testing import snapshot

SOURCE = str(Path(hr.__file__).parent)
ARMS, CLUSTERS = ["a", "b", "c", "d", "e"], ["x", "x", "y", "y", "z"]
KINDS: dict[str, Callable[[], Any]] = {
    "UCB": lambda: hr.UCB(ARMS, scale="auto"),
    "HUCBC": lambda: hr.HUCBC(ARMS, clusters=CLUSTERS, history=logged(None)),
    "LinUCB": lambda: hr.LinUCB(ARMS, dimension=2),
    "HLinUCBC": lambda: hr.HLinUCBC(ARMS, clusters=CLUSTERS, history=logged(2)),
    "Auto": lambda: hr.Auto(ARMS, clusters=CLUSTERS, history=logged(None)),
    "Auto with contexts": lambda: hr.Auto(ARMS, clusters=CLUSTERS, history=logged(2)),
    "Meta": lambda: hr.Meta({"inner": hr.META(ARMS, clusters=CLUSTERS), "auto": hr.Auto(ARMS, clusters=CLUSTERS)}, shared=False),
    "META": lambda: hr.META(ARMS, clusters=CLUSTERS, dimension=2, rule="d3rb"),
}


class Interrupted(BaseException):
    """What Ctrl-C would raise."""


def logged(dimension: int | None, seed: int = 1) -> hr.History:
    """A small history."""
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(12, dimension)) if dimension else None
    return hr.History.from_rounds(arms=rng.choice(ARMS, size=12), rewards=rng.random(12), contexts=contexts)


def played(make: Callable[[], Any], rounds: int, seed: int) -> tuple[Any, list[hr.Decision]]:
    """A policy after some rounds, and decisions that wait for their reward: two alike, and one of another arm."""
    policy, rng = make(), np.random.default_rng(seed)

    def context() -> Any:
        return rng.normal(size=2) if policy.dimension else None

    for _ in range(rounds):
        policy.update(policy.select(context()), float(rng.random()))
    first = policy.select(context())
    waiting = [first, first, first._replace(arm=next(arm for arm in ARMS if arm != first.arm))]
    for decision in waiting:
        policy.expect(decision)
    return policy, waiting


def changes(policy: Any, waiting: list[hr.Decision], folder: Path) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """The methods that change a policy, each with something to do."""
    x = (0.3, -1.2) if policy.dimension else None
    fresh = policy.select(x)
    worker = deepcopy(policy)
    worker.learn("b", 0.5, x)
    since = deepcopy(policy)
    yield "update of one that waits", lambda own: own.update(waiting[0], 0.75)
    yield "update of one that does not", lambda own: own.update(fresh, 0.75)
    yield "learn", lambda own: own.learn("c", 0.25, x)
    yield "expect", lambda own: own.expect(fresh)
    yield "cancel", lambda own: own.cancel(waiting[-1])
    yield "add_arm", lambda own: own.add_arm("new", *(["x"] if own.clustered else []))
    new = ["new", "newer"]
    yield "add_arms", lambda own: own.add_arms(dict.fromkeys(new, "x") if own.clustered else new)
    yield "learn_many", lambda own: own.learn_many(["a", "b"], [0.5, 1.0], None if x is None else [x, x])
    yield "expect with an id", lambda own: own.expect(fresh, id="req-1")
    yield "remove_arm", lambda own: own.remove_arm(waiting[0].arm)
    yield "merge", lambda own: own.merge(worker, since=since)
    yield "history =", lambda own: setattr(own, "history", logged(policy.dimension, seed=2))
    yield "save", lambda own: own.save(folder / "saved")
    if policy.clustered:
        yield "clusters =", lambda own: setattr(own, "clusters", CLUSTERS[::-1])
    if policy.dimension and not isinstance(policy, hr.Meta):
        encoding = hr.Encoding.of({"u": 1.0, "v": 2.0})
        yield "encoding =", lambda own: setattr(own, "encoding", encoding)


def interrupted(change: Callable[[Any], Any], policy: Any, at: float) -> int:
    """Make a change and raise at a line; the lines passed."""
    lines = 0

    def trace(frame: Any, event: str, argument: Any) -> Any:
        nonlocal lines
        if not frame.f_code.co_filename.startswith(SOURCE):
            return None
        if event == "line":
            lines += 1
            if lines == at:
                raise Interrupted
        return trace

    former = sys.gettrace()
    sys.settrace(trace)
    try:
        change(policy)
    except Interrupted:
        pass
    finally:
        sys.settrace(former)
    return lines


def failures(kind: str, count: int, seed: int) -> dict[str, int]:
    """For each method, how many interruptions left a state that is neither that of before nor after, or that does not load."""
    rng, found = np.random.default_rng(seed), {}
    with tempfile.TemporaryDirectory() as name, patch("os.fsync"):  # the disk is not what is tested, and takes its time
        folder = Path(name)
        base, waiting = played(KINDS[kind], 40, seed)
        for method, change in changes(base, waiting, folder):
            found[method] = 0
            after = deepcopy(base)
            interrupted(change, after, np.inf)  # all is compiled now
            before_and_after = {snapshot(base), snapshot(after)}
            lines = interrupted(change, deepcopy(base), np.inf)
            for at in rng.integers(1, lines + 1, size=count):
                policy = deepcopy(base)
                interrupted(change, policy, int(at))
                found[method] += not is_whole(policy, before_and_after, folder)
    return found


def is_whole(policy: Any, states: set[bytes], folder: Path) -> bool:
    """Whether a policy is in one of these states, and so is what it saves, and what was saved before."""
    state = snapshot(policy)
    policy.save(folder / "again")
    saved = folder / "saved"
    sound = state in states and snapshot(hr.load(folder / "again")) == state
    return sound and (not saved.exists() or snapshot(hr.load(saved)) in states)


def main() -> int:
    """Print what was interrupted and what it left."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="interruptions of each method")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=KINDS, help="one kind of policy")
    given = parser.parse_args()
    worst = 0
    for kind in [given.only] if given.only else KINDS:
        found = failures(kind, given.count, given.seed)
        worst = max(worst, *found.values())
        left = {method: half for method, half in found.items() if half}
        print(f"{kind}: {len(found)} methods x {given.count} interruptions, {left or 'all whole'}", flush=True)
    return int(worst > 0)


if __name__ == "__main__":
    raise SystemExit(main())
