"""The page of the wild league: figures, what Auto is asked to show, tables of all policies and by factor."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import hedgerow
from benchmarks.wild import comparisons, figures, tables
from benchmarks.wild.factors import cuts
from benchmarks.wild.scores import Played, Scores, load
from benchmarks.wild.trial import hedgerow_version

TITLE = """# Where nobody tuned

Written by `python -m benchmarks.wild page`; hedgerow {version}, commit {commit}.

Random bandit problems with known truth, and many policies on all of them. Each factor of a problem is drawn by itself: its size,
the noise, the means, how well the clusters fit, what the history tells, whether the means change, the units.
`benchmarks/wild/problems/` says how. {tuned}
"""

EXPLORED = (range(1, 1001), range(10_001, 20_001))
"""Seeds that policies may have been tuned on."""

HOW = """## How to play

{commands}
    python -m benchmarks.wild play --seeds {seeds} --policies "baseline Auto" --baseline ../old --into FOLDER
    python -m benchmarks.wild tables FOLDER
    python -m benchmarks.wild page FOLDER --into docs/wild.md

A run that was stopped goes on where it was. With `--baseline` an older hedgerow plays, from a folder made with
`git worktree add ../old COMMIT`: so any change can be compared with any past commit. To try a change, play seeds 10,001 to
20,000; play others only when the code is final.
"""

FEWEST = 20
"""Problems that a figure by factor needs."""


class Section(NamedTuple):
    """One part of the page.

    Args:
        title: Such as "Stationary".
        kind: "classical" or "contextual".
        scores: Of its problems.
    """

    title: str
    kind: str
    scores: Scores


def sections(folders: Sequence[Path]) -> tuple[list[Section], list[str]]:
    """Read what folders hold.

    Args:
        folders: Where ``play`` wrote.

    Returns:
        Stationary, changing and contextual problems, those that there are; and a line about each file.

    Raises:
        ValueError: There is nothing to show.
    """
    found, lines = [], []
    for kind in ("classical", "contextual"):
        for folder in folders:
            played = load(folder, kind)
            if played is None:
                continue
            lines.append(_origin(kind, played))
            if kind == "contextual":
                parts = [("Contexts", [True] * len(played.scores.problems))]
            else:
                still = [problem.change == "stationary" for problem in played.scores.problems]
                parts = [("Stationary", still), ("Changing", [not same for same in still])]
            found += [Section(title, kind, played.scores.where(chosen)) for title, chosen in parts if any(chosen)]
    if not found:
        raise ValueError(f"no problem in {', '.join(map(str, folders))} has been played by all of its policies")
    return found, lines


def text(folders: Sequence[Path]) -> str:
    """Return all tables.

    Args:
        folders: Where ``play`` wrote.

    Returns:
        Markdown.
    """
    found, lines = sections(folders)
    return "\n\n".join([*lines, tables.NOTES, *(_tables(section) for section in found)]) + "\n"


def write(folders: Sequence[Path], into: Path) -> list[Path]:
    """Write the page and its figures.

    Args:
        folders: Where ``play`` wrote.
        into: The Markdown file; figures get names that begin with its own.

    Returns:
        The files written.
    """
    found, lines = sections(folders)
    head = TITLE.format(version=hedgerow.__version__, commit=hedgerow_version(), tuned=_tuned(found))
    parts = [head, *lines, tables.NOTES]
    drawn = [section for section in found if section.title != "Changing"] or found
    paths = [into.with_name(f"{into.stem}-distribution.png")]
    figures.save(figures.distribution(drawn), paths[0])
    parts.append(f"![Share of problems within a ratio to the best policy]({paths[0].name})")
    for section in found:
        path = into.with_name(f"{into.stem}-{section.title.lower()}.png")
        if len(section.scores.problems) >= FEWEST:
            figures.save(figures.by_factor(section.scores, _heading(section)), path)
            paths.append(path)
            parts.append(_tables(section, f"![Ratio to the best by factor]({path.name})"))
        else:
            parts.append(_tables(section))
    parts.append(HOW.format(commands="\n".join(map(_command, found)), seeds=_seeds(found[0].scores, "-")))
    into.write_text("\n\n".join(part.rstrip("\n") for part in parts) + "\n")
    return [into, *paths]


def _heading(section: Section) -> str:
    count = len(section.scores.problems)
    return f"{section.title}: {count} problem{'s' if count > 1 else ''}"


def _tuned(found: Sequence[Section]) -> str:
    """Whether the problems are fresh."""
    explored = {
        problem.seed for section in found for problem in section.scores.problems if any(problem.seed in e for e in EXPLORED)
    }
    if explored:
        return f"A trial run: seeds from {min(explored)} to {max(explored)} are there to tune on, and the figures may flatter."
    return "Nothing was tuned on these problems: they were played once the code was final."


def _seeds(scores: Scores, to: str) -> str:
    seeds = [problem.seed for problem in scores.problems]
    return f"{min(seeds)}{to}{max(seeds)}" if seeds else "none"


def _command(section: Section) -> str:
    """What plays the problems of a section."""
    kind = "contextual" if section.kind == "contextual" else section.title.lower()
    return f"    python -m benchmarks.wild play --seeds {_seeds(section.scores, '-')} --kind {kind} --into FOLDER"


def _tables(section: Section, figure: str = "") -> str:
    scores = section.scores
    parts = [f"## {_heading(section)}"]
    wanted = {"Stationary": comparisons.STATIONARY_GOALS, "Contexts": comparisons.CONTEXTUAL_GOALS}.get(section.title)
    if wanted:
        parts += ["### What Auto is asked to show", comparisons.goals(scores, wanted)]
    if section.title == "Stationary":
        parts.append(comparisons.fewest_disasters(scores))
    parts += ["### All policies", tables.overall(scores)]
    if section.title == "Stationary":
        binary = scores.where([problem.binary for problem in scores.problems])
        if len(binary.problems) >= FEWEST:
            parts += [f"### All policies, the {len(binary.problems)} problems with 0/1 rewards", tables.overall(binary)]
    if cuts(scores.problems):
        parts += ["### By factor", figure, tables.by_factor(scores)]
    return "\n\n".join(part for part in parts if part)


def _by_seed(kind: str, scores: Scores) -> str:
    if kind == "contextual":
        return f"seeds {_seeds(scores, ' to ')}"
    still = np.array([problem.change == "stationary" for problem in scores.problems], dtype=bool)
    ranges = (_seeds(scores.where(chosen), " to ") for chosen in (still, ~still))
    return "stationary ones of seeds {}, changing ones of seeds {}".format(*ranges)


def _origin(kind: str, played: Played) -> str:
    """Where the numbers come from."""
    scores = played.scores
    numbers = " and ".join(
        f"{count} with {times} replication{'s' if times > 1 else ''}" for times, count in sorted(played.replications.items())
    )
    by_version: dict[str, list[str]] = {}
    for name, versions in played.versions.items():
        by_version.setdefault(", ".join(versions), []).append(name)
    most = max(by_version, key=lambda version: len(by_version[version]))
    others = [f"{version} played {', '.join(names)}" for version, names in by_version.items() if version != most]
    lines = [f"{kind.capitalize()} problems: {len(scores.problems)}, {numbers}; {_by_seed(kind, scores)}."]
    lines.append(f"Commit {'; '.join([*others, f'{most} all others'])}.")
    if played.unfinished:
        lines.append(f"{played.unfinished} more are left out: not all policies have played them.")
    if played.alike:
        lines.append(f"{played.alike} more are left out: their arms are alike.")
    return " ".join(line for line in lines if line)
