"""Measure hedgerow and its peers on the same work, and write docs/benchmarks.md.

make bench, or: python benchmarks/run.py [--only WORK] [--repeats N] [--quick]
"""

import argparse
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

import figure
import report
from environments import HERE, OWN, Worker, pins
from goals import GOALS
from results import Results
from work import QUICK, WORKS, Work, growth, smaller

DOCS = HERE.parent / "docs"
PROFILED = ("linucb", "ucb", "fit", "batch")


def main() -> None:
    """Run the works and write the report."""
    options = _options()
    works = [work for work in WORKS if options.only in (None, work.name)]
    needed = [library for library in (*OWN, *pins()) if any(library in work.rounds for work in works)]
    workers = {library: Worker(library) for library in needed or ["hedgerow"]}
    answers = measure(works, workers, repeats=options.repeats, quick=options.quick)
    curves = {}
    if options.only in (None, "growth"):
        curves = grow(workers["hedgerow"], repeats=min(3, options.repeats), quick=options.quick)
    results = Results(answers, curves)
    profile(works, workers, results, quick=options.quick)
    versions = {library: worker.version or worker.problem for library, worker in workers.items()}
    for worker in workers.values():
        worker.close()
    _write(results, versions, options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    names = [work.name for work in WORKS]
    parser.add_argument("--only", choices=[*names, "growth"], metavar="WORK", help=f"one of {', '.join(names)}, growth")
    parser.add_argument("--repeats", type=int, help="repetitions, 5 unless told (1 if quick)")
    parser.add_argument("--quick", action="store_true", help="small numbers, to see that all works run")
    options = parser.parse_args()
    options.repeats = options.repeats or (1 if options.quick else 5)
    return options


def measure(works: list[Work], workers: dict[str, Worker], *, repeats: int, quick: bool) -> dict[Any, list[dict[str, Any]]]:
    """All works in turn, each by all its libraries in turn, and all that again."""
    answers: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for repeat in range(repeats):
        for work in works:
            if work.kind == "state" and repeat > 0:  # bytes do not vary
                continue
            for library in work.rounds:
                answer = workers[library].do(work.task(library, quick=quick))
                answers[work.name, library].append(answer)
                _tell(f"{repeat + 1}/{repeats} {work.name} {library}", answer)
    return answers


def _tell(what: str, answer: dict[str, Any]) -> None:
    each = answer.get("error") or f"{1e6 * answer['seconds'] / answer['rounds']:.3g} us a round"
    print(f"{what}: {each}", file=sys.stderr)


def grow(worker: Worker, *, repeats: int, quick: bool) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """The points of the growth curves: median seconds per round."""
    found: dict[tuple[str, str], dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
    limits = {**QUICK, "rounds": 1_000}
    for repeat in range(repeats):
        for panel, curve, at, task in growth():
            answer = worker.do(smaller(task, limits) if quick else task)
            _tell(f"{repeat + 1}/{repeats} growth {panel} {curve} {at}", answer)
            if "error" not in answer:
                for x, y in answer.get("points") or [(at, answer["seconds"] / answer["rounds"])]:
                    found[panel, curve][x].append(y)
    return {key: [(x, median(times)) for x, times in points.items()] for key, points in found.items()}


def profile(works: list[Work], workers: dict[str, Worker], results: Results, *, quick: bool) -> None:
    """Profiles of the rounds that miss a goal, kept among the answers."""
    missed = {goal.profiled for goal in GOALS if (value := goal.measure(results)) is not None and not goal.met(value)}
    for work in works:
        if work.name in missed and work.kind in PROFILED:
            answer = workers["hedgerow"].do({**work.task("hedgerow", quick=quick), "profile": True})
            results.answers[work.name, "profile"] = [answer]


def _write(results: Results, versions: dict[str, str], options: argparse.Namespace) -> None:
    """The whole report into docs; a part of it, or a trial, which must not replace the whole, to standard output."""
    whole = options.only is None and not options.quick
    path = DOCS / "benchmarks.md" if whole else Path(HERE.parent, ".bench", "partial.md")
    report.write(path, results, versions, repeats=options.repeats, quick=options.quick)
    if results.curves:
        figure.draw(results, path.with_name("benchmarks-growth.png"))
    if not whole:
        print(path.read_text())


if __name__ == "__main__":
    main()
