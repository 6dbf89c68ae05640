"""The paper's experiments and bounds."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from . import app

if TYPE_CHECKING:
    from ..bounds import Clustering
    from ..experiments.reproduce.run import Reproduction


@app.command()
def reproduce(
    figures: Annotated[list[str] | None, typer.Argument(help="Figures a to f, or bounds; all if none is given.")] = None,
    trials: Annotated[int | None, typer.Option(help="Trials of each panel; the report's own, 10 to 40, if left out.")] = None,
    rounds: Annotated[int | None, typer.Option(help="At most so many rounds; the paper's own if left out.")] = None,
    jobs: Annotated[int | None, typer.Option(help="Processes; all cores if left out.")] = None,
    backend: Annotated[str | None, typer.Option(help="Where trials run: joblib, or a dask or ray cluster.")] = None,
    data: Annotated[str | None, typer.Option(help="Folder of the real data sets; else $HEDGEROW_DATA, else simulated.")] = None,
    out: Annotated[str | None, typer.Option(help="Folder; report if left out, or report-quick with --quick.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few short trials, to see what it looks like.")] = False,
) -> None:
    """Rerun the paper's experiments: figures, claims and bounds, into a page to read.

    Examples: hedgerow reproduce --quick; hedgerow reproduce a d --trials 40 --data ~/bandit-data
    """
    from ..experiments.reproduce.run import reproduce as run

    say = partial(Console(stderr=True).print, style="dim", highlight=False, soft_wrap=True, markup=False)
    try:
        settings: dict[str, Any] = {"trials": trials, "rounds": rounds, "jobs": jobs, "backend": backend}
        found = run(figures or (), **settings, data=data, out=out, quick=quick, say=say)
    except KeyboardInterrupt:
        say("Interrupted; the same command goes on where this one stopped.")
        raise typer.Exit(130) from None
    _show_claims(found)
    Console().print(
        f"Read {found.folder}/index.html; the numbers are in claims.json and results.parquet beside it.", soft_wrap=True
    )


@app.command()
def bounds(
    means: Annotated[list[float], typer.Argument(help="Expected reward of each arm, in [0, 1].")],
    clusters: Annotated[str | None, typer.Option(help="One label per arm, with commas: a,a,b,b.")] = None,
    horizon: Annotated[int, typer.Option(help="Rounds T.")] = 10_000,
    history: Annotated[str | None, typer.Option(help="Historical plays of each arm, with commas: 5,5,0,0.")] = None,
    r: Annotated[float | None, typer.Option(help="The constant r of the HUCBC' theorem.")] = None,
    s: Annotated[float | None, typer.Option(help="The constant s of the HUCBC' theorem.")] = None,
) -> None:
    """The paper's regret bounds for arms whose expected rewards are known.

    Example: hedgerow bounds 0.9 0.8 0.3 0.2 --clusters a,a,b,b --history 5,0,5,0 --horizon 100000
    """
    from .. import bounds as calculators

    if outside := [mean for mean in means if not 0.0 <= mean <= 1.0]:
        raise ValueError(f"the theorems are for rewards in [0, 1], whose mean cannot be {outside[0]:g}: scale them first")
    if (r is None) != (s is None):
        raise ValueError("the HUCBC' theorem needs both of its constants: give --r and --s")
    plays = None if history is None else [_number(part) for part in history.split(",")]
    given: dict[str, Any] = {"horizon": horizon, "history": plays}
    weightings, readings = get_args(calculators.Weighting), get_args(calculators.Reading)
    found = [("HUCB", calculators.hucb(means, form=form, **given)) for form in weightings]
    if clusters is None and r is not None:
        raise ValueError("--r and --s are of the theorem on HUCBC', which needs --clusters")
    if clusters is not None:
        labels = [label.strip() for label in clusters.split(",")]
        parted = calculators.clustering(means, labels)
        _show_clusters(parted)
        if not parted.tight:
            Console().print("The bound of HUCBC is left out: it holds for tight clusters only.")
        else:
            found += [("HUCBC", calculators.tight(means, labels, form=form, **given)) for form in weightings]
        if r is not None and s is not None:
            found += [("HUCBC'", calculators.adversarial(means, labels, r=r, s=s, form=form, **given)) for form in readings]
    table = Table(title=f"Bounds on the expected regret at T = {horizon}", title_justify="left")
    for column in ("policy", "form", "bound", "terms", "what it is"):
        table.add_column(column)
    for policy, bound in found:
        table.add_row(policy, bound.form, f"{bound.value:,.1f}", str(len(bound.terms)), escape(bound.note))
    Console().print(table)


def _show_claims(found: "Reproduction") -> None:
    settings = ", ".join(f"{name} {value}" for name, value in found.settings().items())
    table = Table(title=f"Claims of the paper ({settings})", title_justify="left")
    for column in ("figure", "claim", "verdict (settings)", "weakest setting: mean (95 %)"):
        table.add_column(column)
    colours = {"holds": "green", "holds under stated settings": "yellow", "not decided": "yellow", "does not hold": "red"}
    for claim in found.claims:
        verdict = f"[{colours[claim.verdict]}]{claim.verdict}[/] ({claim.tally})"
        weakest = claim.weakest
        value, low, high = weakest.shown
        table.add_row(claim.figure, claim.text, verdict, escape(f"{weakest.setting}: {value} ({low} to {high})"))
    Console().print(table)
    for warning in found.warnings():
        Console().print(escape(warning), soft_wrap=True)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"history must be numbers with commas between them, got {text!r}") from None


def _show_clusters(parted: "Clustering") -> None:
    table = Table(title=f"Clusters: {'tight' if parted.tight else 'not tight'}", title_justify="left")
    for column in ("cluster", "l", "u", "delta"):
        table.add_column(column)
    for label, *numbers in zip(parted.labels, parted.lower, parted.upper, parted.delta, strict=True):
        table.add_row(escape(str(label)), *("-" if value != value else f"{value:.4g}" for value in numbers))
    Console().print(table)
