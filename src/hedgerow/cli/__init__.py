"""The command line: parse, call, print. One file per family of commands."""

import os
import shutil
import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

try:
    import typer
    from rich.console import Console
except ImportError as missing:
    way = 'pip install "hedgerow[cli]" (in a checkout: pip install -e ".[cli]")'
    sys.exit(f"The command line needs more packages ({missing}): {way}")

from .. import __version__
from ..present.tables import Table
from ..present.text import printable, printable_lines

app: typer.Typer = typer.Typer(
    help="Bandits that start warm from logged history and know which arms are alike.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command ``hedgerow``."""
    run(app)


def run(command: typer.Typer) -> None:
    """Run a command; what the user can mend is said in one sentence, with exit code 2.

    Args:
        command: a Typer app.
    """
    warnings.showwarning = _note
    try:
        command()
    except (ValueError, OverflowError, ImportError, OSError) as error:
        _say_on_stderr("Error:", _told(error))
        sys.exit(2)


def show(text: str | Table) -> None:
    """Print text or a table for the user, without the signs of names that would steer the terminal.

    Args:
        text: lines of text, or a table, which is wrapped to the width of the terminal.
    """
    lines = text.text(shutil.get_terminal_size((100, 24)).columns) if isinstance(text, Table) else text
    print(printable_lines(lines.split("\n")))


def check_folder(out: str) -> None:
    """Refuse, before the work, a folder that cannot be made.

    Args:
        out: the folder.

    Raises:
        ValueError: if it has no name, is a file, or cannot be written.
    """
    if not out:
        raise ValueError("--out must name a folder")
    there = next(path for path in (Path(out).absolute(), *Path(out).absolute().parents) if path.exists())
    if not there.is_dir():
        raise ValueError(f"--out must be a folder, {there} is a file")
    if not os.access(there, os.W_OK):
        raise ValueError(f"--out must be a folder that can be written, {there} cannot")


def _told(error: Exception) -> str:
    """What went wrong; the system's own errors by the file they are about, a missing package with Python's own words."""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename} cannot be used: {error.strerror.lower()}"
    if isinstance(error, ImportError) and error.__cause__ is not None:
        return f"{error}. Python says: {error.__cause__}"  # a package that is there may fail to load
    return str(error)


def _note(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning without the place in the code that it comes from."""
    _say_on_stderr("Note:", str(message))


def _say_on_stderr(kind: str, text: str) -> None:
    from rich.text import Text

    line = Text.assemble((kind, "bold"), " ", printable(text.replace("\n", " ")))
    Console(stderr=True).print(line, highlight=False, soft_wrap=True)


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if show_version:
        print(__version__)
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


for family in ("paper", "history", "logs", "service"):
    import_module(f".{family}", __name__)
