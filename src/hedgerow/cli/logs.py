"""What a log says: inspect it, and ask whether its history and its grouping would have helped."""

import inspect
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import wraps
from threading import Event, Thread
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from ..data.roles import ColumnRoles, listed
from ..present.numbers import numeral
from . import app, check_folder, show

if TYPE_CHECKING:
    from ..evaluate.verdict import Evaluation

Log = Annotated[str, typer.Argument(help="Parquet, CSV, TSV or TXT (plain or gzipped), a folder or a pattern of files.")]
Logging = Annotated[str | None, typer.Option(help="random, if you know that arms were drawn by chance alone.")]

REMINDER_SECONDS = 5.0
"""After so long without a terminal a line says that the work goes on."""

ROLE_OPTIONS: dict[str, Any] = {
    "arm": Annotated[str, typer.Option(help="Column of the arm that was chosen.")],
    "reward": Annotated[str, typer.Option(help="Column of the reward.")],
    "context": Annotated[list[str] | None, typer.Option(help="Column of the context; once for each.")],
    "clusters": Annotated[
        str | None,
        typer.Option(help="Column of the log, or FILE[:arm,cluster] with a row per arm; FILE:arm,outer,inner nests clusters."),
    ],
    "unlisted": Annotated[str | None, typer.Option(help="Cluster of the arms that the clusters do not name.")],
    "time": Annotated[str | None, typer.Option(help="Column of the time; without it rows are taken in their order.")],
    "propensity": Annotated[str | None, typer.Option(help="Column of the probability with which the logged arm was chosen.")],
    "separator": Annotated[str | None, typer.Option(help="Sign between cells of text files; by default a comma, in TSV a tab.")],
}
"""An option for each field of ColumnRoles."""


def _with_roles(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose ``roles`` are options of the command line, the same for each command that reads a log."""
    given = dict(inspect.signature(command).parameters)
    del given["roles"]
    needed = ("arm", "reward")
    options = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if name in needed else None,
            annotation=ROLE_OPTIONS[name],
        )
        for name in (field.name for field in fields(ColumnRoles))
    ]
    own = [part.replace(kind=inspect.Parameter.KEYWORD_ONLY) for part in given.values()]

    @wraps(command)
    def parsed(**values: Any) -> None:
        named = {name: values.pop(name) for name in ROLE_OPTIONS}
        command(roles=ColumnRoles(**named | {"context": listed(named["context"])}), **values)

    parsed.__signature__ = inspect.Signature([own[0], *options, *own[1:]])  # type: ignore[attr-defined]
    parsed.__annotations__ = {part.name: part.annotation for part in (*own, *options)}
    return parsed


@app.command("inspect")
@_with_roles
def _inspect(
    log: Log,
    roles: ColumnRoles,
    logging: Logging = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Describe a log.

    It tells plays, rewards, how arms were chosen, what the groups explain, and drift.

    Example: hedgerow inspect log.parquet --arm ad --reward click --clusters ads.csv:ad,topic --time day
    """
    from ..evaluate.inspection import inspect as look

    found = look(log, **vars(roles), logging=logging)
    if as_json:
        print(json.dumps(found.to_dict(), indent=2, default=str))
    else:
        show(str(found))


@app.command("evaluate")
@_with_roles
def _evaluate(
    log: Log,
    roles: ColumnRoles,
    logging: Logging = None,
    split: Annotated[
        float | None, typer.Option(help="Share of the rows, in the order of time, that is history; a half by default.")
    ] = None,
    history: Annotated[bool, typer.Option("--history/--no-history", help="Whether to split off a history at all.")] = True,
    rounds: Annotated[int, typer.Option(help="Decisions that a policy gets.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same verdict.")] = 0,
    out: Annotated[str, typer.Option(help="Folder of the report and of verdict.json.")] = "verdict",
) -> None:
    """Judge a history and a grouping.

    Would they have helped a bandit, and by how much?

    Exit codes: 0 a verdict, 2 bad input, 3 the log is too small to tell.

    Examples: hedgerow evaluate log.csv --arm ad --reward click --clusters ads.csv:ad,topic --time day;
    hedgerow evaluate log.csv --arm ad --reward click --clusters topic --propensity p --no-history
    """
    from ..evaluate.evaluation import evaluate as judge

    check_folder(out)
    settings: dict[str, Any] = {"split": split, "history": history, "rounds": rounds, "seed": seed}
    try:
        with _progress("reading the log") as say:
            found = judge(log, **vars(roles), logging=logging, **settings, say=say)
            page = found.save(out)
    except KeyboardInterrupt:
        print("Interrupted. Nothing is kept: the same command starts anew and gives the same verdict.", file=sys.stderr)
        raise typer.Exit(130) from None
    _show_verdict(found)
    show(f"Read {page}; the numbers are in verdict.json beside it.")
    if found.refused:
        raise typer.Exit(3)


@contextmanager
def _progress(first: str) -> Iterator[Callable[[str], None]]:
    """Something to say each step of the work with: one changing line in a terminal, else a line per step and while it lasts."""
    console = Console(stderr=True)
    if console.is_terminal:
        with console.status(first) as status:
            yield status.update
        return
    steps, done = [first], Event()

    def say(step: str) -> None:
        steps.append(step)
        print(step, file=sys.stderr, flush=True)

    def remind() -> None:
        start = perf_counter()
        while not done.wait(REMINDER_SECONDS):
            print(f"{steps[-1]}, {perf_counter() - start:.0f} s so far", file=sys.stderr, flush=True)

    say(first)
    thread = Thread(target=remind, daemon=True)
    thread.start()
    try:
        yield say
    finally:
        done.set()
        thread.join()


def _show_verdict(found: "Evaluation") -> None:
    """The sentences, then the gains as a table."""
    from ..evaluate.sentences import gains_table

    show(str(found))
    if found.gains:
        show(f"\nGains per 1000 decisions, 90 % intervals (scale {numeral(found.scale)}, seed {found.setting.seed})")
        show(gains_table(found))
