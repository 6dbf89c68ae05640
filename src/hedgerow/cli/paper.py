"""The paper's experiments and bounds."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer
from rich.console import Console

from ..present.tables import Table
from . import app, show

if TYPE_CHECKING:
    from ..bounds import Clustering
    from ..experiments.reproduce.run import Reproduction


@app.command("reproduce")
def _reproduce(
    figures: Annotated[list[str] | None, typer.Argument(help="Figures a to f, or bounds; by default all.")] = None,
    trials: Annotated[int | None, typer.Option(help="Trials of each panel; by default the report's own, 10 to 40.")] = None,
    rounds: Annotated[int | None, typer.Option(help="Most rounds of a trial; by default the paper's own.")] = None,
    jobs: Annotated[int | None, typer.Option(help="Processes; by default one for each core.")] = None,
    backend: Annotated[str | None, typer.Option(help="Where trials run: joblib, or a dask or ray cluster.")] = None,
    data: Annotated[str | None, typer.Option(help="Folder of the real data sets; by default $HEDGEROW_DATA.")] = None,
    out: Annotated[str | None, typer.Option(help="Folder; by default report, or report-quick with --quick.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few short trials, to see what it looks like.")] = False,
) -> None:
    """Rerun the paper's experiments.

    Figures, claims and bounds are put on one page.

    Examples: hedgerow reproduce --quick; hedgerow reproduce a d --trials 40 --data ~/bandit-data
    """
    from ..experiments.reproduce.run import reproduce as run

    say = partial(Console(stderr=True).print, style="dim", highlight=False, soft_wrap=True, markup=False)
    try:
        settings: dict[str, Any] = {"trials": trials, "rounds": rounds, "jobs": jobs, "backend": backend}
        found = run(figures or (), **settings, data=data, out=out, quick=quick, say=say)
    except KeyboardInterrupt:
        say("Interrupted. The same command goes on where this one stopped.")
        raise typer.Exit(130) from None
    _show_claims(found)
    show(f"\nRead {found.folder}/index.html; the numbers are in claims.json and results.parquet beside it.")


@app.command("bounds")
def _bounds(
    means: Annotated[list[float], typer.Argument(help="Expected reward of each arm, in [0, 1].")],
    clusters: Annotated[str | None, typer.Option(help="Cluster of each arm, with commas: a,a,b,b.")] = None,
    horizon: Annotated[int, typer.Option(help="Rounds T.")] = 10_000,
    history: Annotated[str | None, typer.Option(help="Historical plays of each arm, with commas: 5,5,0,0.")] = None,
    r: Annotated[float | None, typer.Option(help="The constant r of the HUCBC' theorem.")] = None,
    s: Annotated[float | None, typer.Option(help="The constant s of the HUCBC' theorem.")] = None,
) -> None:
    """Print the paper's regret bounds.

    They are for arms whose expected rewards are known.

    Example: hedgerow bounds 0.9 0.8 0.3 0.2 --clusters a,a,b,b --history 5,0,5,0 --horizon 100000
    """
    from .. import bounds as calculators

    if outside := [mean for mean in means if not 0.0 <= mean <= 1.0]:
        raise ValueError(f"the theorems are for rewards in [0, 1], whose mean cannot be {outside[0]:g}: scale them first")
    if (r is None) != (s is None):
        raise ValueError("the HUCBC' theorem needs both of its constants: give --r and --s")
    if clusters is None and r is not None:
        raise ValueError("--r and --s are of the theorem on HUCBC', which needs --clusters")
    plays = None if history is None else [_number(part) for part in history.split(",")]
    given: dict[str, Any] = {"horizon": horizon, "history": plays}
    weightings, readings = get_args(calculators.Weighting), get_args(calculators.Reading)
    found = [("HUCB", calculators.hucb(means, form=form, **given)) for form in weightings]
    if clusters is not None:
        labels = [label.strip() for label in clusters.split(",")]
        parted = calculators.clustering(means, labels)
        _show_clusters(parted)
        if parted.tight:
            found += [("HUCBC", calculators.tight(means, labels, form=form, **given)) for form in weightings]
        if r is not None and s is not None:
            found += [("HUCBC'", calculators.adversarial(means, labels, r=r, s=s, form=form, **given)) for form in readings]
    show(f"Bounds on the expected regret at T = {horizon}")
    rows = [(policy, bound.form, f"{bound.value:,.1f}", str(len(bound.terms)), bound.note) for policy, bound in found]
    show(Table(("policy", "form", "bound", "terms", "what it is"), rows, numbers=("bound", "terms")))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"history must be numbers with commas between them, got {text!r}") from None


def _show_clusters(parted: "Clustering") -> None:
    show(f"Clusters: {'tight' if parted.tight else 'not tight'}")
    rows = [
        (str(label), *("-" if value != value else f"{value:.4g}" for value in numbers))
        for label, *numbers in zip(parted.labels, parted.lower, parted.upper, parted.delta, strict=True)
    ]
    show(Table(("cluster", "l", "u", "delta"), rows, numbers=("l", "u", "delta")))
    if not parted.tight:
        show("The bound of HUCBC is left out: it holds for tight clusters only.")
    show("")


def _show_claims(found: "Reproduction") -> None:
    settings = ", ".join(f"{name} {value}" for name, value in found.settings().items())
    show(f"Claims of the paper ({settings})")
    rows = []
    for claim in found.claims:
        value, low, high = claim.weakest.shown
        weakest = f"{claim.weakest.setting}: {value} ({low} to {high})"
        rows.append((claim.figure, claim.text, f"{claim.verdict} ({claim.tally})", weakest))
    show(Table(("figure", "claim", "verdict (settings)", "weakest setting: mean (95 %)"), rows))
    for warning in found.warnings():
        show(warning)
