"""Play every policy on many settings: ``python -m benchmarks.league --help``."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from benchmarks.league.settings import CLASSICAL, CONTEXTUAL, LATE, LIES, RARE, RECORDED, SHOWN, setting
from benchmarks.league.standings import Standing
from benchmarks.league.standings import league as play
from benchmarks.league.tables import check_page, load, markdown, put, save, write_page
from hedgerow.cli import check_folder, run

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def league(
    names: Annotated[list[str] | None, typer.Argument(help="Settings in quotes; all if none is given.")] = None,
    few: Annotated[bool, typer.Option("--few", help="Only Auto and the policies it is measured against.")] = False,
    trials: Annotated[int | None, typer.Option(min=1, help="Trials; each setting's own if left out.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the trials.")] = 2026,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; all cores if left out.")] = None,
    data: Annotated[str | None, typer.Option(help="Folder of the real data sets; else $HEDGEROW_DATA, else simulated.")] = None,
    out: Annotated[
        str, typer.Option(help="Folder for league.json, and for finished trials, so that a stopped run goes on.")
    ] = "league",
    write: Annotated[str | None, typer.Option(help="Markdown file whose part between the league's marks is renewed.")] = None,
    table: Annotated[bool, typer.Option("--table", help="Play nothing: write what earlier runs left in the folder.")] = False,
    older: Annotated[
        str | None,
        typer.Option(help="Folder with league.json of an older hedgerow, same seed: its Auto is put beside this one's."),
    ] = None,
    show: Annotated[bool, typer.Option("--list", help="Print the names of the settings and exit.")] = False,
) -> None:
    """Play every policy on many settings, each beside the best policy in hindsight.

    A setting is some words: labels first (tight, loose, shuffled, shuffled-loose, adversarial), then any of bernoulli, gaussian,
    no-history, history, biased, swapped, K=20, T=1000, delay=1000 (any whole numbers); or, with contexts, noise first (paper,
    gauss1, gauss.3, logistic), then eps=0.8, shuffled, uneven, no-history, swapped, units, levels, d=20, T=, delay=; or
    warfarin, warfarin-raw; or rare, then groups=3, T=, delay=.

    Examples: python -m benchmarks.league tight "shuffled bernoulli K=20" --trials 20; python -m benchmarks.league --list
    """
    if names and (show or table):
        raise ValueError(f"{'--list' if show else '--table'} is for all settings: leave {escape(', '.join(names))} out")
    chosen = names or [*CLASSICAL, *CONTEXTUAL, *LIES, *SHOWN, *LATE, *RARE, *RECORDED]
    if show:
        print("\n".join(chosen))
        return
    if table and (few or trials is not None):
        raise ValueError("--table writes what there is: leave --few and --trials out")
    if write is not None:
        check_page(write)
    if older is not None and write is None:
        raise ValueError("--older is for the page: say which with --write")
    beside = None if older is None else load(Path(older))
    if beside == {}:
        raise ValueError(f"{older} holds no standings: play some settings with the older hedgerow first, --out {older}")
    check_folder(out)
    settings = [] if table else [setting(name, data=data) for name in chosen]
    say = partial(Console(stderr=True).print, style="dim", highlight=False, soft_wrap=True, markup=False)
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    tables = load(folder)
    if table and not tables:
        raise ValueError(f"{folder} holds no standings yet: play some settings first, without --table")
    try:
        for rows in play(settings, seed=seed, few=few, trials=trials, jobs=jobs, resume=folder / "trials", say=say):
            put(tables, rows)
            save(folder, tables)
            _show(rows)
    except KeyboardInterrupt:
        say("Interrupted. The same command goes on where this one stopped.")
        raise typer.Exit(130) from None
    if write is not None:
        write_page(write, markdown(tables, beside))
    elif table:
        for rows in tables.values():
            _show(rows)
    Console().print(f"All numbers are in {folder}/league.json.", soft_wrap=True)


def _show(table: list[Standing]) -> None:
    first = table[0]
    title = f"{first.setting}: {first.trials} trials of {first.rounds} rounds; best in hindsight {first.best}"
    shown = Table(title=title, title_justify="left")
    for column in ("policy", "mean regret", "median", "worst", "ratio to best", "+-"):
        shown.add_column(column, justify="left" if column == "policy" else "right")
    for row in table:
        numbers = [f"{value:.0f}" for value in (row.mean, row.median, row.worst)]
        shown.add_row(escape(row.policy), *numbers, f"{row.ratio:.2f}", f"{row.error:.2f}")
    Console().print(shown)


if __name__ == "__main__":
    run(app)
