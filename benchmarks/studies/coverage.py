"""Verdicts on simulated logs whose truth is known: how often the intervals hold it, and how often a call is wrong.

    python -m benchmarks.studies.coverage --logs 200 --out coverage.jsonl

An interrupted run goes on where it stopped; ``--table`` prints what is there.
"""

import argparse
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from hedgerow.core.types import Floats, Integers
from hedgerow.evaluate.gains import Setting, contest, differences, judged
from hedgerow.evaluate.rulings import on_grouping, on_history, refusals
from hedgerow.evaluate.split import Split
from hedgerow.inference.significance import permutation
from hedgerow.inference.sums import Sums, weighted
from hedgerow.present.tables import Table

ODDS_SPREAD, BETWEEN_SHARE = 0.5, 0.8
"""Arms' log odds have this standard deviation, and groups this share of its square."""

HISTORY_BIAS = 0.5
"""Standard deviation of the drift of an arm's log odds in biased history."""

CONTEXT_TILT, CONTEXT_SHIFT = 0.7, 0.8
"""The hidden context multiplies the chance of half of the arms by e^0.7 and shifts all log odds by 0.8."""

RUNS_IN_TRUTH = 500
LOGS_PER_TURN = 20
"""Logs of a cell that are examined before the next cell has its turn."""

PRINTED_DIGIT = 0.05
"""Gains are printed with one digit after the point."""

JUDGED_GAINS = ("history", "grouping", "labels")


Grouping: TypeAlias = Literal["good", "useless", "harmful"]
History: TypeAlias = Literal["clean", "biased", "none"]


@dataclass(frozen=True)
class Cell:
    """A kind of log."""

    grouping: Grouping
    history: History
    logging: Literal["uniform", "skewed"] = "uniform"
    rows: int = 10_000
    rate: float = 0.05
    arms: int = 20

    @property
    def name(self) -> str:
        return f"{self.grouping}, {self.history}, {self.logging}, {self.rows:,} rows, {self.rate:.1%}, {self.arms} arms"

    @property
    def groups(self) -> Integers:
        count = 4 if self.arms == 20 else 10
        return np.repeat(np.arange(count), self.arms // count)


KINDS_OF_GROUPING: tuple[Grouping, ...] = ("good", "useless", "harmful")
KINDS_OF_HISTORY: tuple[History, ...] = ("clean", "biased", "none")

LOG_SHAPES: tuple[dict[str, Any], ...] = (
    {"logging": "skewed", "rows": 100_000},
    {"rows": 1000, "rate": 0.3},
    {"logging": "skewed", "rows": 10_000, "rate": 0.3, "arms": 80},
    {"rows": 100_000, "rate": 0.005, "arms": 80},
    {"rows": 1_000_000, "rate": 0.005, "arms": 80},
)

CELLS = (
    *(Cell(grouping, history) for grouping in KINDS_OF_GROUPING for history in KINDS_OF_HISTORY),
    *(Cell("good", history, **shape) for shape in LOG_SHAPES for history in KINDS_OF_HISTORY),
    Cell("useless", "biased", "skewed", rows=100_000),
    Cell("useless", "clean", rows=1000, rate=0.3),
    Cell("useless", "clean", "skewed", rows=100_000, rate=0.005, arms=80),
    Cell("useless", "biased", rows=1_000_000, arms=80),
    Cell("harmful", "biased", "skewed", rows=100_000),
    Cell("harmful", "biased", rows=100_000, arms=80),
)
"""Every grouping with every history for logs of one shape, good ones with every history for five more, and corners that hurt."""


@dataclass(frozen=True)
class Truth:
    """A log as its sums, and the arms' expected rewards in its future."""

    split: Split
    means: Floats


def simulate(cell: Cell, rng: np.random.Generator) -> Truth:
    """A log of a cell. Only its sums are drawn, so that a million rows cost no more than a thousand."""
    groups = cell.groups
    centres = np.sqrt(BETWEEN_SHARE) * rng.standard_normal(int(groups.max()) + 1)
    arms = centres[groups] + np.sqrt(1.0 - BETWEEN_SHARE) * rng.standard_normal(cell.arms)
    odds = np.log(cell.rate / (1.0 - cell.rate)) + ODDS_SPREAD * arms
    labels = _labels(cell, groups, odds, rng)
    choice = _choice(cell, rng)
    known_odds = odds + (HISTORY_BIAS * rng.standard_normal(cell.arms) if cell.history == "biased" else 0.0)
    known_rows = 0 if cell.history == "none" else cell.rows // 2
    known, future = _logged(known_odds, choice, known_rows, rng), _logged(odds, choice, cell.rows - known_rows, rng)
    both, seen = known[0] + future[0], int(cell.logging == "skewed")
    split = Split(
        future=future[seen],
        history=known[seen],
        groups=labels,
        shares=future[0].rows / future[0].rows.sum(),
        binary=True,
        scale=float(np.sqrt(both.overall * (1.0 - both.overall))),
        future_rows=cell.rows - known_rows,
        history_rows=known_rows,
        loaded=known[0],
    )
    return Truth(split, _rates(odds, choice).mean(axis=0))


def _labels(cell: Cell, groups: Integers, odds: Floats, rng: np.random.Generator) -> Integers:
    """The grouping the user believes in: the true one, a shuffled one, or one that hides the best arm in the worst group."""
    if cell.grouping == "useless":
        return rng.permutation(groups)
    labels = groups.copy()
    if cell.grouping == "harmful":
        centres = np.bincount(groups, weights=odds) / np.bincount(groups)
        labels[odds.argmax()] = centres.argmin()
    return labels


def _choice(cell: Cell, rng: np.random.Generator) -> Floats:
    """Chances of the arms in each of two hidden contexts, which are equally frequent; just one row if they do not matter."""
    if cell.logging == "uniform":
        return np.full((1, cell.arms), 1.0 / cell.arms)
    weight = np.exp(rng.standard_normal(cell.arms))
    favoured = rng.permutation(cell.arms) < cell.arms // 2
    choice = np.stack([weight, weight * np.exp(CONTEXT_TILT * favoured)])
    return np.asarray(choice / choice.sum(axis=1, keepdims=True))


def _rates(odds: Floats, choice: Floats) -> Floats:
    """Expected rewards by context and arm."""
    shift = CONTEXT_SHIFT * (np.arange(len(choice)) - (len(choice) - 1) / 2.0)
    return np.asarray(1.0 / (1.0 + np.exp(-(odds + shift[:, None]))))


def _logged(odds: Floats, choice: Floats, rows: int, rng: np.random.Generator) -> tuple[Sums, Sums]:
    """Plain sums, and sums weighted by 1 / propensity."""
    split = rng.multinomial(rows, np.full(len(choice), 1.0 / len(choice)))
    count = np.stack([rng.multinomial(n, p) for n, p in zip(split, choice, strict=True)])
    hits = rng.binomial(count, _rates(odds, choice))
    w = 1.0 / choice
    plain = [part.sum(axis=0).astype(np.float64) for part in (count, hits)]
    n, total, squares = ((w**power * part).sum(axis=0) for power, part in ((1, count), (1, hits), (2, count)))
    return Sums(plain[0], plain[1], plain[1]), weighted(n, total, total, squares)


def true_gains(truth: Truth, rounds: int, seed: int) -> dict[str, tuple[float, float]]:
    """The gains in the true world, each with the error of its simulation."""
    means = truth.means[None, :]
    played = contest(truth.split, means, Setting(rounds=rounds, draws=1, runs=RUNS_IN_TRUTH, seed=seed + 1))
    found = differences(played, means, truth.split)
    return {name: (float(d.mean()), float(d.std(ddof=1) / np.sqrt(d.size))) for name, d in found.items()}


def examine(cell: Cell, index: int, *, base: int = 0) -> dict[str, Any]:
    """The verdict on one log of a cell beside its truth."""
    seed = zlib.crc32(f"{base} {cell.name} {index}".encode())
    rng = np.random.default_rng(seed)
    truth = simulate(cell, rng)
    split = truth.split
    row: dict[str, Any] = {"cell": cell.name, "index": index, "base": base, "seed": seed}
    if refusals(split):
        return row | {"answered": False}
    rounds = min(1000, split.future_rows)
    assert split.groups is not None
    p = permutation(split.future, split.groups, rng, binary=True)
    worlds = judged(split, Setting(rounds=rounds, seed=seed), p=p)
    true = true_gains(truth, rounds, seed)
    gains = {name: list(worlds.gains[name]) for name in JUDGED_GAINS if name in worlds.gains}
    calls = {"grouping": on_grouping(worlds.gains["grouping"], worlds.gains["labels"], p)}
    if "history" in worlds.gains:
        calls["history"] = on_history(worlds.gains["history"])
    return row | {"answered": True, "p": p, "gains": gains, "truth": {name: list(true[name]) for name in gains}, "calls": calls}


def study(cells: Sequence[Cell], logs: int, path: Path, *, jobs: int, base: int) -> Iterator[str]:
    """Examine so many logs of each cell, a line of JSON each; lines that are there already are kept.

    Cells take turns, so that an interrupted study says something of each. Yields what was done.
    """
    from joblib import Parallel, delayed

    done = {(row["cell"], row["index"], row["base"]) for row in read(path)}
    for first, cell in ((first, cell) for first in range(0, logs, LOGS_PER_TURN) for cell in cells):
        turn = range(first, min(first + LOGS_PER_TURN, logs))
        wanted = [index for index in turn if (cell.name, index, base) not in done]
        rows = Parallel(n_jobs=jobs, return_as="generator")(delayed(examine)(cell, index, base=base) for index in wanted)
        with path.open("a", encoding="utf-8") as file:
            for row in rows:
                print(json.dumps(row), file=file, flush=True)
        yield f"{cell.name}: {turn.stop} of {logs} logs"


def read(path: Path) -> list[dict[str, Any]]:
    """The rows of a study so far."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Of the logs of one cell, or of several: coverage in per cent, calls, and how many of them are wrong."""
    answered = [row for row in rows if row["answered"]]
    found: dict[str, Any] = {"logs": len(rows), "answered": len(answered)}
    for name in JUDGED_GAINS:
        held = [_held(row, name) for row in answered if name in row["gains"]]
        found[f"{name} covers"] = f"{100.0 * np.mean(held):.0f}" if held else "-"
    for part, call in (("grouping", "helps"), ("grouping", "hurts"), ("history", "helps"), ("history", "hurts")):
        called = [row for row in answered if row["calls"].get(part) == call]
        found[f"{part} {call}"] = f"{len(called)} ({sum(_wrong(row, part, call) for row in called)})"
    return found


def _held(row: dict[str, Any], name: str) -> bool:
    """Whether an interval as printed holds the truth, give or take one error of the truth's own simulation."""
    (_, low, high), (true, error) = row["gains"][name], row["truth"][name]
    return bool(low - error - PRINTED_DIGIT <= true <= high + error + PRINTED_DIGIT)


def _wrong(row: dict[str, Any], part: str, call: str) -> bool:
    """Praise is wrong if labels (or history) lose, a warning if neither the labels nor the grouping lose."""
    true = {name: value for name, (value, _) in row["truth"].items()}
    if part == "history":
        return bool(true["history"] < 0.0) if call == "helps" else bool(true["history"] > 0.0)
    return bool(true["labels"] < 0.0) if call == "helps" else bool(min(true["labels"], true["grouping"]) > 0.0)


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Markdown, a line per cell, one for each history of good groupings, and one for all."""
    place = {cell.name: at for at, cell in enumerate(CELLS)}
    names = sorted({row["cell"] for row in rows}, key=lambda name: (place.get(name, len(place)), name))
    parts = [(name, [row for row in rows if row["cell"] == name]) for name in names]
    parts += [(f"good, {kind}", [row for row in rows if row["cell"].startswith(f"good, {kind}")]) for kind in KINDS_OF_HISTORY]
    lines = [(name, summary(part)) for name, part in [*parts, ("all", rows)] if part]
    columns = ["log", *lines[0][1]]
    return Table(columns, [[name, *map(str, found.values())] for name, found in lines]).markdown()


def main() -> None:
    """Run the study, or print its table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.studies.coverage", description=__doc__.splitlines()[0])
    parser.add_argument("--logs", type=int, default=200, help="logs of each cell")
    parser.add_argument("--out", type=Path, default=Path("coverage.jsonl"), help="file of results, a line per log")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--seed", type=int, default=0, help="another one gives other logs")
    parser.add_argument("--table", action="store_true", help="only print the table of what is there")
    given = parser.parse_args()
    if not given.table:
        for name in study(CELLS, given.logs, given.out, jobs=given.jobs, base=given.seed):
            print(f"{name}, seed {given.seed}", flush=True)
    print(table(read(given.out)))


if __name__ == "__main__":
    main()
