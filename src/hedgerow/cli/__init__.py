"""The command line: parse, call, print. One file per family of commands."""

import sys
import warnings
from importlib import import_module
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
    """Run a command; what the user can mend is said in one sentence, with exit code 2."""
    warnings.showwarning = _note
    try:
        app()
    except (ValueError, OverflowError, ImportError, OSError) as error:
        Console(stderr=True).print(f"[bold]Error:[/] {escape(str(error))}", highlight=False, soft_wrap=True)
        sys.exit(2)


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


for family in ("paper", "league", "history", "logs"):
    import_module(f".{family}", __name__)
