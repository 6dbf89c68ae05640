"""What a log says: inspect it, and ask whether its history and its grouping would have helped."""

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..present.numbers import numeral
from . import app, check_folder

if TYPE_CHECKING:
    from ..evaluate.evaluation import Evaluation
    from ..evaluate.inspection import Inspection

Log = Annotated[str, typer.Argument(help="Parquet, CSV, TSV or TXT (plain or gzipped), a folder or a pattern of files.")]
Arm = Annotated[str, typer.Option(help="Column of the arm that was chosen.")]
Reward = Annotated[str, typer.Option(help="Column of the reward.")]
Context = Annotated[list[str] | None, typer.Option(help="Column of the context; once for each.")]
Clusters = Annotated[
    str | None,
    typer.Option(help="Column of the log, or FILE[:arm,cluster] with a row per arm; FILE:arm,outer,inner nests clusters."),
]
Unlisted = Annotated[str | None, typer.Option(help="Cluster of the arms that the clusters do not name.")]
Time = Annotated[str | None, typer.Option(help="Column of the time; the order of rows if left out.")]
Propensity = Annotated[str | None, typer.Option(help="Column of the probability with which the logged arm was chosen.")]
Separator = Annotated[str | None, typer.Option(help="Between the cells of text files; a comma if left out, a tab in TSV.")]
Logging = Annotated[str | None, typer.Option(help="random, if you know that arms were drawn by chance alone.")]


@app.command()
def inspect(
    log: Log,
    arm: Arm,
    reward: Reward,
    context: Context = None,
    clusters: Clusters = None,
    unlisted: Unlisted = None,
    time: Time = None,
    propensity: Propensity = None,
    separator: Separator = None,
    logging: Logging = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """What is in a log: plays, rewards, how arms were chosen, what the groups explain, drift.

    Examples: hedgerow inspect log.parquet --arm ad --reward click --clusters ads.csv:ad,topic --time day
    """
    from ..evaluate.inspection import inspect as look

    found = look(
        log, arm=arm, reward=reward, context=context or (), clusters=clusters, unlisted=unlisted, time=time,
        propensity=propensity, separator=separator, logging=logging,
    )  # fmt: skip
    if as_json:
        print(json.dumps(found.to_dict(), indent=2, default=str))
    else:
        _show_inspection(found)


@app.command()
def evaluate(
    log: Log,
    arm: Arm,
    reward: Reward,
    context: Context = None,
    clusters: Clusters = None,
    unlisted: Unlisted = None,
    time: Time = None,
    propensity: Propensity = None,
    separator: Separator = None,
    logging: Logging = None,
    split: Annotated[
        float | None, typer.Option(help="Share of the rows, in the order of time, that is history; a half if left out.")
    ] = None,
    history: Annotated[bool, typer.Option("--history/--no-history", help="Whether to split off a history at all.")] = True,
    rounds: Annotated[int, typer.Option(help="Decisions that a policy gets.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same verdict.")] = 0,
    out: Annotated[str, typer.Option(help="Folder of the report and of verdict.json.")] = "verdict",
) -> None:
    """Would this history, and this grouping, have helped a bandit, and by how much? Exit code 3 if the log is too small to tell.

    Examples: hedgerow evaluate log.csv --arm ad --reward click --clusters ads.csv:ad,topic --time day;
    hedgerow evaluate log.csv --arm ad --reward click --clusters topic --propensity p --no-history
    """
    from ..evaluate.evaluation import evaluate as judge

    check_folder(out)
    console = Console(stderr=True)
    with console.status("reading the log") as status:
        found = judge(
            log, arm=arm, reward=reward, context=context or (), clusters=clusters, unlisted=unlisted, time=time,
            propensity=propensity, separator=separator, logging=logging, split=split, history=history, rounds=rounds, seed=seed,
            say=status.update,
        )  # fmt: skip
        page = found.save(out)
    _show_verdict(found)
    Console().print(f"Read {page}; the numbers are in verdict.json beside it.", soft_wrap=True, highlight=False, markup=False)
    if found.refused:
        raise typer.Exit(3)


def _show_inspection(found: "Inspection") -> None:
    for line in str(found).splitlines():
        Console().print(line, soft_wrap=True, highlight=False, markup=False)


def _show_verdict(found: "Evaluation") -> None:
    """The sentences, then the gains as a table."""
    for line in str(found).splitlines():
        Console().print(line, soft_wrap=True, highlight=False, markup=False)
    if not found.gains:
        return
    from ..evaluate.sentences import SHORT, number, span, tables

    setting = found.setting
    title = f"Gains per 1000 decisions, 90 % intervals (scale {numeral(found.scale)}, seed {setting.seed})"
    table = Table(title=title, title_justify="left")
    parts = tables(found)
    for column in ("gain of", *(how for how, _ in parts)):
        table.add_column(column)
    for name in found.gains:
        cells = (f"{number(gains[name].value)} ({span(gains[name])})" if name in gains else "" for _, gains in parts)
        table.add_row(escape(SHORT[name]), *cells)
    Console().print(table)
