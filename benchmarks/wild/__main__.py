"""The wild league on the command line: ``python -m benchmarks.wild --help``."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmarks.wild.contestants import BASELINE, BASELINE_AUTO
from benchmarks.wild.page import text, write
from benchmarks.wild.run import KINDS_OF_PROBLEMS, Plan, every_policy
from benchmarks.wild.run import play as play_plan
from hedgerow.cli import check_folder, run

HELP = "Policies on random problems that nobody tuned on."
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True, help=HELP)


@app.command()
def play(
    seeds: Annotated[str, typer.Option(help="Problems, such as 30001-30400.")],
    into: Annotated[str, typer.Option(help="Folder of the results; what it holds is not played again.")],
    kind: Annotated[str, typer.Option(help=f"Which problems: {', '.join(KINDS_OF_PROBLEMS)}.")] = "classical",
    policies: Annotated[str, typer.Option(help="Names with commas between them; all but the baseline's if left out.")] = "",
    workers: Annotated[int, typer.Option(min=1, help="Processes of this machine.")] = 2,
    backend: Annotated[str, typer.Option(help="joblib, or dask or ray for a cluster.")] = "joblib",
    until: Annotated[str, typer.Option(help="Time of the day, such as 17:30, after which no trial is begun.")] = "",
    budget: Annotated[float, typer.Option(help="Problems of more arms times rounds have one replication, others three.")] = 5e6,
    baseline: Annotated[str, typer.Option(help="Folder of an older hedgerow that plays the policies named 'baseline ...'.")] = "",
) -> None:
    """Play policies on random problems.

    Examples: python -m benchmarks.wild play --seeds 10001-10100 --into wild;
    python -m benchmarks.wild play --seeds 10001-10100 --policies "Auto, baseline Auto" --baseline ../old --into wild
    """
    first, last = _range(seeds)
    if kind not in KINDS_OF_PROBLEMS:
        raise ValueError(f"--kind must be one of {', '.join(KINDS_OF_PROBLEMS)}, got {kind!r}")
    if backend not in ("joblib", "dask", "ray"):
        raise ValueError(f"--backend must be joblib, dask or ray, got {backend!r}")
    names = _names(policies, kind)
    check_folder(into)
    say = partial(Console(stderr=True).print, style="dim", highlight=False, soft_wrap=True, markup=False)
    play_plan(Plan(first, last, kind, names, into, workers, backend, until, budget, baseline), say)


@app.command()
def tables(folders: Annotated[list[str], typer.Argument(help="Folders of results.")]) -> None:
    """Print all tables, in Markdown."""
    print(text(_existing(folders)))


@app.command()
def page(
    folders: Annotated[list[str], typer.Argument(help="Folders of results.")],
    into: Annotated[str, typer.Option(help="Markdown file; the figures are written beside it.")] = "docs/wild.md",
) -> None:
    """Write the page with tables and figures."""
    for path in write(_existing(folders), Path(into)):
        print(path)


@app.command(name="list")
def list_policies() -> None:
    """Print the names of all policies."""
    for kind in ("classical", "contextual"):
        print(f"{kind}: {', '.join((*every_policy(kind), *BASELINE_AUTO))}")


def _existing(folders: list[str]) -> list[Path]:
    for folder in folders:
        if not Path(folder).is_dir():
            raise ValueError(f"there is no folder {folder}: play first, --into {folder}")
    return [Path(folder) for folder in folders]


def _range(seeds: str) -> tuple[int, int]:
    first, _, last = seeds.partition("-")
    if not (first.isdigit() and (last or first).isdigit() and int(first) <= int(last or first)):
        raise ValueError(f"--seeds must be such as 30001-30400, got {seeds!r}")
    return int(first), int(last or first)


def _names(policies: str, kind: str) -> tuple[str, ...]:
    known = every_policy(kind)
    names = tuple(name.strip() for name in policies.split(",") if name.strip()) or known
    for name in names:
        if name.removeprefix(BASELINE) not in known:
            raise ValueError(f"no policy on {kind} problems is called {name!r}; see python -m benchmarks.wild list")
    return names


if __name__ == "__main__":
    run(app)
