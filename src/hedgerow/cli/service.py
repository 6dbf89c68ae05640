"""The decision service: run it, look at it, check it."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Annotated

import typer

from . import app

Store = Annotated[
    str, typer.Option(envvar="HEDGEROW_STORE", help="sqlite:///file.db, or postgresql://user@host/name for several replicas.")
]
DEFAULT_STORE = "sqlite:///hedgerow.db"


@app.command("serve")
def _serve(
    store: Store = DEFAULT_STORE,
    host: Annotated[str, typer.Option(help="Address to listen on; other than this machine's it needs a token.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(envvar="PORT", help="Port to listen on.")] = 8080,
    durability: Annotated[str, typer.Option(help="full; or relaxed: a power cut may take the last commits (SQLite).")] = "full",
    log: Annotated[str, typer.Option(envvar="HEDGEROW_LOG", help="Least level: debug, info, warning, error.")] = "info",
    play: Annotated[
        bool, typer.Option("--demo", help="Make two experiments and play them; without --store nothing is kept.")
    ] = False,
) -> None:
    """Serve decisions over HTTP, with a page at /.

    Examples: hedgerow serve --store sqlite:///ads.db; hedgerow serve --demo
    """
    from ..service import app as face
    from ..service import demo, page, running
    from ..service.settings import Options

    if durability not in ("full", "relaxed"):
        raise ValueError(f"durability is full or relaxed, got {durability!r}")
    if log not in ("debug", "info", "warning", "error"):
        raise ValueError(f"the level of the log is debug, info, warning or error, got {log!r}")
    tokens = tuple(os.environ.get("HEDGEROW_TOKENS", "").replace(",", " ").split())
    with _demo_store(store) if play else nullcontext(store) as kept:
        options, stop = Options(kept, host, port, durability == "relaxed", tokens), Event()
        given = {"token": os.environ.get("HEDGEROW_TOKEN"), "stop": stop}

        def begun() -> None:
            print(_hello(host, port), file=sys.stderr, flush=True)
            for name in demo.configs() if play else ():
                Thread(target=demo.play, args=(f"http://127.0.0.1:{port}", name), kwargs=given, daemon=True).start()

        try:
            running.run(face.create(options, more=page.CALLS), options, level=log, begun=begun)
        finally:
            stop.set()


@contextmanager
def _demo_store(store: str) -> Iterator[str]:
    """The store that was asked for, or one that is removed with the demo."""
    if store != DEFAULT_STORE:
        yield store
        return
    with TemporaryDirectory(prefix="hedgerow-demo-") as folder:
        yield f"sqlite:///{folder}/hedgerow.db"


def _hello(host: str, port: int) -> str:
    """A line to try."""
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{port}/v1/experiments/ads"
    json = "-H 'content-type: application/json'"
    return (
        f"hedgerow serves on http://{shown}:{port}; try\n"
        f'  curl -X PUT {address} {json} -d \'{{"arms": ["ad-1", "ad-2"]}}\'\n'
        f"  curl {address}/decisions {json} -d '{{}}'"
    )
