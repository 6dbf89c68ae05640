"""Measure how a long log becomes a history: CPU time, memory, and growth with the rows.

python benchmarks/history.py [--rows N] [--repeats N]

A Parquet log is made in a temporary folder. Each measurement is a process of its own: hedgerow.History.from_file, and a
hand-written streaming group-by of polars that computes the same sums. What is loaded once in a process is loaded before,
by a run on a short log. It prints a table for docs/history.md.
"""

import argparse
import json
import platform
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

FEATURES = [f"x{i}" for i in range(10)]
ARMS = 1000
CHUNK = 500_000
SEED = 0
SHORT = "short.parquet"


def make_log(path: Path, rows: int) -> None:
    """Write a log of random numbers, a chunk at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(SEED)
    schema = pa.schema([("arm", pa.int64()), *((name, pa.float64()) for name in ("reward", *FEATURES))])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, CHUNK):
            n = min(CHUNK, rows - start)
            columns = {"arm": rng.integers(ARMS, size=n), "reward": rng.random(n)}
            writer.write_table(pa.table({**columns, **{name: rng.normal(size=n) for name in FEATURES}}, schema=schema))


def with_hedgerow(path: str) -> Callable[[], float]:
    """What a user writes."""
    import hedgerow as hr

    return lambda: float(hr.History.from_file(path, arm="arm", reward="reward", context=FEATURES).sums.sum())


def by_hand(path: str) -> Callable[[], float]:
    """The same sums, written for polars alone."""
    import polars as pl

    r, xs = pl.col("reward"), [pl.col(name) for name in FEATURES]
    sums = [pl.len().alias("plays"), r.sum().alias("total"), (r * r).sum().alias("squares")]
    sums += [(r * x).sum().alias(f"rx{i}") for i, x in enumerate(xs)]
    sums += [(x * y).sum().alias(f"xx{i}_{j}") for i, x in enumerate(xs) for j, y in enumerate(xs[: i + 1])]
    sums += [x.sum() for x in xs]
    query = pl.scan_parquet(path).group_by("arm").agg(*sums)
    return lambda: float(query.collect(engine="streaming").drop("arm").sum().to_numpy().sum())


WAYS = {"hedgerow": with_hedgerow, "by hand": by_hand}


def measure(way: str, path: str) -> None:
    """Run one way in this process and print what it took."""
    WAYS[way](str(Path(path).with_name(SHORT)))()
    work = WAYS[way](path)
    before = resource.getrusage(resource.RUSAGE_SELF)
    total = work()
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps({"seconds": seconds, "megabytes": after.ru_maxrss / 1e3, "total": total}))


def measured(way: str, path: Path) -> dict[str, float]:
    """The same in a process of its own."""
    done = subprocess.run([sys.executable, __file__, "--measure", way, str(path)], capture_output=True, text=True, check=True)
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def compare(rows: int, repeats: int) -> dict[str, Any]:
    """Both ways in turn on a log of so many rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.parquet"
        make_log(path, rows)
        make_log(path.with_name(SHORT), 100)
        runs = [{way: measured(way, path) for way in WAYS} for _ in range(repeats)]
    for run in runs:
        assert np.isclose(run["hedgerow"]["total"], run["by hand"]["total"], rtol=1e-9)
    seconds = {way: median(run[way]["seconds"] for run in runs) for way in WAYS}
    memory = {way: max(run[way]["megabytes"] for run in runs) for way in WAYS}
    ratio = median(run["hedgerow"]["seconds"] / run["by hand"]["seconds"] for run in runs)
    return {"rows": rows, "seconds": seconds, "megabytes": memory, "ratio": ratio}


def machine() -> str:
    """The processor, the cores, and the versions that matter."""
    import os
    from importlib.metadata import version

    names = [line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
    packages = ", ".join(f"{name} {version(name)}" for name in ("hedgerow", "polars", "narwhals", "numpy"))
    return (
        f"{names[0] if names else platform.processor()}, {os.cpu_count()} cores; Python {platform.python_version()}, {packages}"
    )


def main() -> None:
    """Compare at three sizes and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rows", type=int, default=10_000_000, help="rows of the longest log; the others are shorter by 10 and 100"
    )
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--measure", nargs=2, metavar=("WAY", "PATH"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(*options.measure)
        return
    print(f"{date.today()}, {machine()}. Seed {SEED}, {ARMS} arms, {len(FEATURES)} features, {options.repeats} repetitions.\n")
    print("| rows | CPU seconds | by hand | ratio | peak memory | by hand |\n| --- | --- | --- | --- | --- | --- |")
    for rows in (options.rows // 100, options.rows // 10, options.rows):
        found = compare(rows, options.repeats)
        seconds, memory = found["seconds"], found["megabytes"]
        print(
            f"| {rows:,} | {seconds['hedgerow']:.2f} | {seconds['by hand']:.2f} | {found['ratio']:.2f} "
            f"| {memory['hedgerow']:.0f} MB | {memory['by hand']:.0f} MB |",
            flush=True,
        )


if __name__ == "__main__":
    main()
