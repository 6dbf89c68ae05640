"""Mutate state files and play on with what loads: a ValueError at load, or 50 rounds without an error or a NaN; never a crash.

    python tests/mutations.py                              20,000 files of every kind of policy; prints a table
    python tests/mutations.py --count 500 --seed 3 --only Auto

Each kind is saved after some rounds, with decisions that wait. A mutation changes bytes of the file, numbers of an array, the
manifest, or the shape of an array. Files are played in a process of its own for each kind, which reports its file's number
before it loads it, so that a crash is told with the number.
"""

import argparse
import copy
import faulthandler
import io
import json
import math
import subprocess
import sys
import tempfile
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

import hedgerow as hr

ARMS, CLUSTERS = ["a", "b", "c", "d", "e", "f"], [("p", "x"), ("p", "x"), ("p", "y"), ("q", "y"), "z", "z"]
ROUNDS, SECONDS = 50, 60
Members: TypeAlias = dict[str, bytes]


def logged(dimension: int | None) -> hr.History:
    """A small history."""
    rng = np.random.default_rng(1)
    contexts = rng.normal(size=(20, dimension)) if dimension else None
    return hr.History.from_rounds(arms=rng.choice(ARMS[:5], size=20), rewards=rng.random(20), contexts=contexts)


KINDS: dict[str, Callable[[], Any]] = {
    "UCB": lambda: hr.UCB(ARMS, scale="auto"),
    "HUCBC": lambda: hr.HUCBC(ARMS, clusters=CLUSTERS, history=logged(None), scale="auto/4"),
    "META": lambda: hr.META(ARMS, clusters=CLUSTERS, history=logged(None)),
    "LinUCB": lambda: hr.LinUCB(ARMS, dimension=3),
    "HLinUCBC": lambda: hr.HLinUCBC(ARMS, clusters=CLUSTERS, history=logged(3)),
    "Auto": lambda: hr.Auto(ARMS, clusters=CLUSTERS, history=logged(None)),
    "Auto with contexts": lambda: hr.Auto(ARMS, clusters=CLUSTERS, history=logged(3)),
    "Meta d3rb": lambda: hr.Meta([hr.HUCBC(ARMS, clusters=CLUSTERS), hr.UCBV(ARMS), hr.KLUCB(ARMS)], rule="d3rb"),
}


def play(policy: Any, rounds: int, rng: np.random.Generator) -> None:
    """Rounds whose rewards come at once, late, or never."""
    waiting: list[hr.Decision] = []
    for t in range(rounds):
        decision = policy.select(rng.normal(size=policy.dimension) if policy.dimension else None)
        if decision.arm not in policy.arms or not all(map(math.isfinite, decision.context or ())):
            raise ArithmeticError(f"no decision: {decision}")
        if t % 3 == 0:
            policy.expect(decision)
            waiting.append(decision)
        else:
            policy.update(decision, float(rng.random()))
        if len(waiting) > 3:
            policy.update(waiting.pop(0), float(rng.random()))
        if t % 11 == 10:
            with suppress(ValueError):  # an unannounced reward of the same arm may have settled it
                policy.cancel(waiting.pop())
    scores = policy.explain(np.ones(policy.dimension) if policy.dimension else None)
    if wrong := [score for score in scores if math.isnan(score.index) or (score.plays and math.isnan(score.mean))]:
        raise ArithmeticError(f"NaN in {wrong[0]}")


def members_of(data: bytes) -> Members:
    """The parts of a state file."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(members: Members) -> bytes:
    """A state file of these parts."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def npy(array: Any) -> bytes:
    """An array as a member."""
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.ascontiguousarray(array, dtype="<f8"), version=(1, 0))
    return buffer.getvalue()


def change_bytes(members: Members, rng: np.random.Generator) -> bytes:
    """Some bytes of the whole file."""
    data = bytearray(packed(members))
    for at in rng.integers(len(data), size=rng.integers(1, 5)):
        data[at] = rng.integers(256)
    return bytes(data)


def arrays_of(members: Members) -> list[str]:
    """The arrays that hold anything."""
    names = [name for name in members if name.endswith(".npy")]
    return [name for name in names if np.load(io.BytesIO(members[name])).size]


def change_numbers(members: Members, rng: np.random.Generator) -> bytes:
    """Numbers replaced, swapped or scaled: one, a column, or all of an array."""
    name = str(rng.choice(arrays_of(members)))
    array = np.load(io.BytesIO(members[name])).astype(float)
    rows = array.reshape(1, -1) if array.ndim == 1 else array
    row, column = rng.integers(rows.shape[0]), rng.integers(rows.shape[1])
    where = (np.s_[row, column], np.s_[:, column], np.s_[row, :], np.s_[:, :])[rng.choice(4, p=[0.6, 0.2, 0.1, 0.1])]
    what = rng.integers(4)
    if what == 0:
        rows[where] = rng.choice([0.0, -1.0, np.nan, np.inf, 1e300, -1e300, 1.0, 0.5, 1e-300])
    elif what == 1:
        rows[where] = rows[where] * float(rng.choice([-1.0, 0.5, 2.0, 10.0, 1e10, 1e-10, 1e100, 1e-100, 1.0 + 1e-9]))
    elif what == 2:
        other = rng.integers(rows.shape[0]), rng.integers(rows.shape[1])
        rows[row, column], rows[other] = rows[other], rows[row, column]
    else:
        rows[where] = rows[where] + float(rng.choice([1.0, -1.0, 1e-6, 100.0]))
    return packed({**members, name: npy(array)})


def change_shape(members: Members, rng: np.random.Generator) -> bytes:
    """Arrays cut, doubled, dropped, or in each other's place."""
    names = arrays_of(members)
    name, other = (str(one) for one in rng.choice(names, size=2))
    array, what = np.load(io.BytesIO(members[name])), rng.integers(6)
    changed = dict(members)
    if what == 0:
        changed[name] = npy(array[: rng.integers(len(array))])
    elif what == 1:
        changed[name] = npy(np.concatenate([array, array]))
    elif what == 2:
        changed[name] = npy(array[::-1])
    elif what == 3:
        changed[name] = members[name][: rng.integers(len(members[name]))]
    elif what == 4:
        del changed[name]
    else:
        changed[name], changed[other] = members[other], members[name]
    return packed(changed)


def change_manifest(members: Members, rng: np.random.Generator) -> bytes:
    """A value of the manifest, at any depth, replaced by one of another type, dropped or doubled."""
    manifest = json.loads(members["manifest.json"])
    holder, key = places(manifest)[rng.integers(len(places(manifest)))]
    others = [None, True, False, -1, 0, 1, 2, 10**9, 10**40, 0.5, 1e300, "", "x", "auto", [], {}, [[]], ["a"], [1, 2], {"a": 1}]
    what = rng.integers(6)
    if what == 0:
        del holder[key]
    elif what == 1 and isinstance(holder, list):
        holder.append(copy.deepcopy(holder[key]))
    elif what == 2:
        twin, place = places(manifest)[rng.integers(len(places(manifest)))]
        holder[key] = copy.deepcopy(twin[place])
    elif what == 3 and type(holder[key]) in (int, float):
        holder[key] = holder[key] * float(rng.choice([-1, 2, 0.5, 1e9])) if rng.random() < 0.5 else holder[key] + 1
    else:
        holder[key] = others[rng.integers(len(others))]
    return packed({**members, "manifest.json": json.dumps(manifest).encode()})


def places(value: Any) -> list[tuple[Any, Any]]:
    """Where a value stands within others: holder and key."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [place for key in keys for place in [(value, key), *places(value[key])]]


MUTATIONS = (change_bytes, change_numbers, change_numbers, change_numbers, change_manifest, change_manifest, change_shape)


def try_file(path: Path, rng: np.random.Generator) -> str:
    """What comes of a file: "refused", "played", or an error."""
    try:
        policy = hr.load(path)
    except ValueError:
        return "refused"
    except Exception as error:
        return f"{type(error).__name__} at load: {error}"
    if isinstance(policy, hr.History):
        return "played"
    try:
        play(policy, ROUNDS, rng)
    except Exception as error:
        return f"{type(error).__name__} in play: {error}"
    return "played"


def run(kind: str, count: int, seed: int, first: int) -> None:
    """Mutate and play the files of a kind, and print a line for each."""
    warnings.simplefilter("ignore")
    policy = KINDS[kind]()
    play(policy, 60, np.random.default_rng(5))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        policy.save(path)
        members = members_of(path.read_bytes())
        for number in range(first, count):
            rng = np.random.default_rng([seed, number])
            print(number, end=" ", flush=True)
            faulthandler.dump_traceback_later(SECONDS, exit=True)
            path.write_bytes(MUTATIONS[rng.integers(len(MUTATIONS))](members, rng))
            print(try_file(path, rng).replace("\n", " "), flush=True)
            faulthandler.cancel_dump_traceback_later()


def outcomes(kind: str, count: int, seed: int) -> dict[str, list[int]]:
    """The numbers of the files that came to each end; a process that dies is started again after the file that killed it."""
    found: dict[str, list[int]] = {}
    first = 0
    while first < count:
        command = [sys.executable, __file__, "--run", kind, "--count", str(count), "--seed", str(seed), "--first", str(first)]
        done = subprocess.run(command, capture_output=True, text=True)
        for line in done.stdout.splitlines():
            number, _, end = line.partition(" ")
            found.setdefault(end or f"process ended with {done.returncode}", []).append(int(number))
            first = int(number) + 1
        if done.returncode == 0:
            break
        if not done.stdout:
            raise RuntimeError(done.stderr)
    return found


def main() -> int:
    """Print how many files were refused and played, and every other end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20_000, help="files of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=KINDS, help="one kind of policy")
    parser.add_argument("--run", choices=KINDS, help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        run(given.run, given.count, given.seed, given.first)
        return 0
    bad = 0
    for kind in [given.only] if given.only else KINDS:
        found = outcomes(kind, given.count, given.seed)
        ends = Counter({end: len(numbers) for end, numbers in found.items()})
        print(
            f"{kind}: {ends.pop('refused', 0)} refused, {ends.pop('played', 0)} played on, {ends.total()} otherwise", flush=True
        )
        for end, times in ends.most_common(12):
            print(f"    {times} x {end[:160]} (file {found[end][0]})", flush=True)
        bad += ends.total()
    return int(bad > 0)


if __name__ == "__main__":
    raise SystemExit(main())
