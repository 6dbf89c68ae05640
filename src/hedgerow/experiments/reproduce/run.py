"""The whole run: panels, claims, figures, and the files that hold them."""

import contextlib
import json
import platform
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...present.plots import style
from ..figures import panels as drawn_panels
from ..figures import radii
from ..result import Simulation
from . import page, theory
from .claim import Claim
from .claims import CLAIMS
from .panels import EXPERIMENTS, ONE_PASS, QUICK_ROUNDS, QUICK_TRIALS, REPORT_SEED, Data, Experiment, Panel

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Reproduction:
    """What was run and found."""

    experiments: list[Experiment]
    panels: dict[str, Panel]
    results: dict[str, Simulation]
    claims: list[Claim]
    seed: int
    folder: Path

    def of(self, experiment: Experiment) -> list[tuple[Panel, Simulation]]:
        """The panels of a figure with their results.

        Args:
            experiment: the figure.

        Returns:
            Panel and result of each.
        """
        keys = _SHARED_PANELS.get(experiment.letter, ())
        wanted = [key for key in self.panels if key in keys or key.split(" ")[0] == experiment.letter]
        return [(self.panels[key], self.results[key]) for key in wanted]

    def settings(self) -> dict[str, Any]:
        """Seed and versions, printed with every number.

        Returns:
            Their values by name.
        """
        versions = {name: version(name) for name in ("hedgerow", "numpy", "numba")}
        return {"seed": self.seed, "python": platform.python_version(), **versions}

    def warnings(self) -> list[str]:
        """What a reader must know before all else: fewer trials or rounds than it should have, or simulated data.

        Returns:
            A sentence for each.
        """
        found = []
        if any(
            self.results[key].trials < panel.trials or self.results[key].rounds < panel.rounds
            for key, panel in self.panels.items()
        ):
            found.append("Fewer trials or rounds than the report's own: only to see what it looks like.")
        if sources := sorted({str(panel.problem).split("):")[0] + ")" for panel in self.panels.values() if panel.simulated}):
            found.append(f"Simulated data stands in for the real: {'; '.join(sources)}.")
        return found


_SHARED_PANELS = {"c": ("b",)}
"""Panels that a figure shows though they have another's letter: (b) is (c) at eps = 0.1."""


def checked_letters(letters: Iterable[str]) -> tuple[str, ...]:
    """The figures asked for; the theorems come with all.

    Args:
        letters: as the user gives them, none for all.

    Returns:
        The letters of the figures, each once.

    Raises:
        ValueError: if there is no such figure.
    """
    wanted = tuple(dict.fromkeys(letter.lower() for letter in letters))
    if unknown := [letter for letter in wanted if letter not in EXPERIMENTS]:
        raise ValueError(f"there is no figure {unknown[0]!r}; choose among {', '.join(EXPERIMENTS)}, or give none for all")
    return wanted or tuple(EXPERIMENTS)


def reproduce(
    letters: Sequence[str] = (),
    *,
    trials: int | None = None,
    rounds: int | None = None,
    jobs: int | None = None,
    backend: str | None = None,
    data: str | None = None,
    out: str | Path | None = None,
    quick: bool = False,
    say: Callable[[str], object] = str,
) -> Reproduction:
    """Rerun the paper's experiments and write the report into a folder.

    Args:
        letters: of ``a`` to ``f`` and ``bounds``; none for all.
        trials: fewer or more trials; None for the paper's own.
        rounds: how many to play, at most; None for the paper's own.
        jobs: processes; see ``hedgerow.simulate``.
        backend: where they run; see ``hedgerow.simulate``.
        data: a folder with the real data sets; else the environment variable HEDGEROW_DATA, else simulated data.
        out: the folder; "report" if None, or "report-quick" for a quick run.
        quick: a few short trials, to see what it looks like.
        say: called with a line of text as the work goes on.

    Returns:
        What was run and found.

    Raises:
        ValueError: if an argument is out of range, or if the folder cannot be written.
    """
    wanted = checked_letters(letters)
    for name, value, least in (("trials", trials, 2), ("rounds", rounds, 10), ("jobs", jobs, 1)):
        if value is not None and value < least:
            raise ValueError(f"{name} must be at least {least}, got {value}")
    source, folder = Data(data), Path(out or ("report-quick" if quick else "report"))
    experiments = [EXPERIMENTS[letter] for letter in wanted]
    panels = {panel.key: panel for experiment in experiments for panel in experiment.panels(source)}
    rounds, trials = rounds or (QUICK_ROUNDS if quick else None), trials or (QUICK_TRIALS if quick else None)
    _make(folder)
    kept = folder / ".trials" / f"{'-'.join(wanted)} {rounds or 'all'} rounds {trials or 'all'} trials"
    results = {}
    for number, (key, panel) in enumerate(panels.items(), start=1):
        say(f"[{number}/{len(panels)}] {panel.problem}")
        results[key] = panel.run(rounds=rounds, trials=trials, seed=REPORT_SEED, jobs=jobs, resume=str(kept), backend=backend)
    claims = [claim for letter in wanted for claim in CLAIMS[letter](results)]
    found = Reproduction(experiments, panels, results, claims, REPORT_SEED, folder)
    say("drawing the figures")
    _write(found, folder)
    shutil.rmtree(kept, ignore_errors=True)
    with contextlib.suppress(OSError):  # another interrupted run may still have its trials there
        kept.parent.rmdir()
    return found


def _make(folder: Path) -> None:
    """The folder of the report, before any work is done for it."""
    try:
        (folder / "figures").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"the report cannot be written into {str(folder)!r}: {error.strerror}; choose another --out") from error


def draw(found: Reproduction, experiment: Experiment) -> "Figure":
    """The picture of one experiment.

    Args:
        found: the reproduction.
        experiment: the figure of the paper.

    Returns:
        The figure.
    """
    shown = found.of(experiment)
    if experiment.letter == "bounds":
        with style():
            return theory.figure(shown[0][1])
    if experiment.letter == "c":
        return radii([(panel.title, result) for panel, result in shown])
    latency = experiment.letter in "de"
    rows = [
        (f"{panel.title}{' (simulated data)' if panel.simulated else ''}", result, panel.measure, panel.unit)
        for panel, result in shown
    ]
    return drawn_panels(rows, log=latency, marks=(ONE_PASS,) if latency else ())


def _write(found: Reproduction, folder: Path) -> None:
    import polars as pl

    figures = {}
    for experiment in found.experiments:
        figure = figures[experiment.letter] = draw(found, experiment)
        figure.savefig(folder / "figures" / f"{experiment.letter}.png", dpi=130, facecolor="white", metadata={"Software": None})
    frames = [pl.DataFrame({"panel": key, **result.columns()}) for key, result in found.results.items()]
    pl.concat(frames, how="diagonal").write_parquet(folder / "results.parquet")
    panels = {
        key: {
            "problem": result.problem,
            "rounds": result.rounds,
            "trials": result.trials,
            "simulated": found.panels[key].simulated,
        }
        for key, result in found.results.items()
    }
    said: dict[str, Any] = {"settings": found.settings(), "warnings": found.warnings(), "panels": panels}
    said["claims"] = [claim.as_dict() for claim in found.claims]
    (folder / "claims.json").write_text(json.dumps(said, indent=1, allow_nan=False) + "\n")
    (folder / "index.html").write_text(page.html(found, figures), encoding="utf-8")
