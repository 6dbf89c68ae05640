"""The command line: parse, call, print. One file per family of commands."""

import os
import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

try:
    import typer
    from rich.console import Console
    from rich.markup import escape
except ImportError:
    sys.exit('The command line needs some more packages: pip install "hedgerow[cli]"')

from .. import __version__

app = typer.Typer(
    help="Bandits that start warm from logged history and know which arms are alike.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """The command ``hedgerow``."""
    run(app)


def run(command: typer.Typer) -> None:
    """Run a command; what the user can mend is said in one sentence, with exit code 2."""
    warnings.showwarning = _note
    try:
        command()
    except (ValueError, OverflowError, ImportError, OSError) as error:
        Console(stderr=True).print(f"[bold]Error:[/] {escape(_told(error))}", highlight=False, soft_wrap=True)
        sys.exit(2)


def _told(error: Exception) -> str:
    """What went wrong; the system's own errors by the file they are about."""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename} cannot be used: {error.strerror.lower()}"
    return str(error)


def check_folder(out: str) -> None:
    """Refuse, before the work, a folder that cannot be made."""
    if not out:
        raise ValueError("--out must name a folder")
    there = next(path for path in (Path(out).absolute(), *Path(out).absolute().parents) if path.exists())
    if not there.is_dir():
        raise ValueError(f"--out must be a folder, {there} is a file")
    if not os.access(there, os.W_OK):
        raise ValueError(f"--out must be a folder that can be written, {there} cannot")


def _note(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning without the place in the code that it comes from."""
    Console(stderr=True).print(f"[bold]Note:[/] {escape(str(message))}", highlight=False, soft_wrap=True)


@app.callback(invoke_without_command=True)
def _version(
    show: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if show:
        print(__version__)
        raise typer.Exit


for family in ("paper", "history", "logs"):
    import_module(f".{family}", __name__)
