"""The decision service: run it, look at it, check it."""

import json
import os
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Annotated, Any

import typer

from . import app, show

DEFAULT_STORE = "sqlite:///hedgerow.db"
DAY = 86_400.0
"""Seconds."""

Store = Annotated[
    str, typer.Option(envvar="HEDGEROW_STORE", help="sqlite:///file.db, or postgresql://user@host/name for several replicas.")
]
Url = Annotated[str, typer.Option(help="Address of the running service.")]
Token = Annotated[str | None, typer.Option(envvar="HEDGEROW_TOKEN", help="A token, where the service needs one.")]
Name = Annotated[str, typer.Argument(help="Name of the experiment.")]


@app.command("serve")
def _serve(
    experiments: Annotated[str | None, typer.Argument(help="TOML file with a table for each experiment.")] = None,
    store: Store = DEFAULT_STORE,
    host: Annotated[str, typer.Option(help="Address to listen on; other than this machine's it needs a token.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(envvar="PORT", min=1, max=65_535, help="Port to listen on.")] = 8080,
    durability: Annotated[str, typer.Option(help="full; or relaxed: a power cut may take the last commits (SQLite).")] = "full",
    log: Annotated[str, typer.Option(envvar="HEDGEROW_LOG", help="Least level: debug, info, warning, error.")] = "info",
    play: Annotated[
        bool, typer.Option("--demo", help="Make two experiments and play them; without --store nothing is kept.")
    ] = False,
) -> None:
    """Serve decisions over HTTP, with a page at /.

    Tokens of the environment: HEDGEROW_TOKENS="role:secret role@experiment:secret".

    Examples: hedgerow serve; hedgerow serve experiments.toml --store sqlite:///ads.db; hedgerow serve --demo
    """
    from ..service import app as face
    from ..service import demo, page, running
    from ..service.declared import declared
    from ..service.settings import Options

    if durability not in ("full", "relaxed"):
        raise ValueError(f"durability is full or relaxed, got {durability!r}")
    if log not in ("debug", "info", "warning", "error"):
        raise ValueError(f"the level of the log is debug, info, warning or error, got {log!r}")
    tokens = tuple(os.environ.get("HEDGEROW_TOKENS", "").replace(",", " ").split())
    there = declared(experiments) if experiments is not None else {}
    with _demo_store(store) if play else nullcontext(store) as kept:
        options, stop = Options(kept, host, port, durability == "relaxed", tokens), Event()
        given = {"token": os.environ.get("HEDGEROW_TOKEN"), "stop": stop}

        def begun() -> None:
            print(_hello(host, port), file=sys.stderr, flush=True)
            for name in demo.configs() if play else ():
                Thread(target=demo.play, args=(f"http://127.0.0.1:{port}", name), kwargs=given, daemon=True).start()

        try:
            running.run(face.create(options, more=page.CALLS, experiments=there), options, level=log, begun=begun)
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
    """Lines to try."""
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{port}/v1/experiments/ads"
    media = "-H 'content-type: application/json'"
    return (
        f"hedgerow serves on http://{shown}:{port}; try\n"
        f'  curl -X PUT {address} {media} -d \'{{"arms": ["ad-1", "ad-2"]}}\'\n'
        f"  curl {address}/decisions {media} -d '{{}}'"
    )


def _asked(method: str, address: str, token: str | None) -> Any:
    """What a running service answers, or its sentence on what is wrong."""
    if not address.startswith(("http://", "https://")):
        raise ValueError(f"the address of a service begins with http:// or https://, got {address!r}")
    request = urllib.request.Request(address, method=method, headers={"Authorization": f"Bearer {token}"} if token else {})
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise ValueError(json.load(error)["detail"]) from None
    except urllib.error.URLError as error:
        raise ValueError(f"no service answers at {address}: {error.reason}; hedgerow serve starts one") from None


@app.command("status")
def _status(name: Name, url: Url = "http://127.0.0.1:8080", token: Token = None) -> None:
    """Print what a running service knows of an experiment, as JSON."""
    print(json.dumps(_asked("GET", f"{url}/v1/experiments/{name}/status", token), indent=2))


@app.command("refold")
def _refold(name: Name, url: Url = "http://127.0.0.1:8080", token: Token = None) -> None:
    """Have a running service learn the whole log again, with amended rewards."""
    found = _asked("POST", f"{url}/v1/experiments/{name}/refold", token)
    show(f"Epoch {found['epoch']}: {found['rounds']} rounds, log row {found['seq']}, state {found['state_hash']}.")


@app.command("export")
def _export(
    name: Name,
    out: Annotated[str, typer.Option(help="The file: .parquet or .ndjson.")],
    store: Store = DEFAULT_STORE,
    after: Annotated[int, typer.Option(min=0, help="The log row before the first.")] = 0,
) -> None:
    """Write what was learnt to a file that hedgerow evaluate reads, one row a decision.

    Example: hedgerow export ads --out ads.parquet;
    hedgerow evaluate ads.parquet --arm arm --reward reward --propensity propensity --time time
    """
    from ..service.export import WRITERS, events
    from ..service.restore import head
    from ..service.store import connect

    kind = Path(out).suffix.removeprefix(".")
    if kind not in WRITERS:
        raise ValueError(f"--out must end with .parquet or .ndjson, got {out!r}")
    database = connect(store, writes=False)
    try:
        limit = head(database, name).seq
        Path(out).write_bytes(WRITERS[kind][0](events(database, name, after=after, limit=limit)))
    except KeyError as error:
        raise ValueError(error.args[0]) from None
    finally:
        database.close()


@app.command("verify")
def _verify(
    names: Annotated[list[str] | None, typer.Argument(help="Names of experiments; all if left out.")] = None,
    store: Store = DEFAULT_STORE,
) -> None:
    """Check every invariant of a store: nothing lost, nothing learnt twice, snapshots true.

    Exit codes: 0 all hold, 1 one does not, 2 bad input.
    """
    from ..service.restore import heads
    from ..service.store import connect
    from ..service.verify import verify

    database, sound = connect(store, writes=False), True
    try:
        for name in names or [where.name for where in heads(database)]:
            found = verify(database, name, settled=False)
            sound = sound and found.ok
            for check in found.checks:
                said = "; ".join(check.failures) or f"holds ({check.checked} looked at)"
                show(f"{name}: {check.name}: {said}")
    except KeyError as error:
        raise ValueError(error.args[0]) from None
    finally:
        database.close()
    raise typer.Exit(0 if sound else 1)


@app.command("token")
def _token(
    name: Annotated[str, typer.Argument(help="What you call it.")],
    role: Annotated[str, typer.Option(help="read, decide or admin.")] = "decide",
    experiment: Annotated[str | None, typer.Option(help="The only experiment that it is for.")] = None,
    days: Annotated[float | None, typer.Option(min=0.0, help="Days until it expires.")] = None,
    revoke: Annotated[bool, typer.Option("--revoke", help="Revoke the tokens of this name instead.")] = False,
    store: Store = DEFAULT_STORE,
) -> None:
    """Make a token, which is printed once; or revoke it, which a running service notices within seconds."""
    from ..service.auth import new_token, revoke_tokens
    from ..service.store import connect, transaction

    database = connect(store)
    try:
        with transaction(database):
            if revoke:
                show(f"Revoked {revoke_tokens(database, name)}.")
            else:
                expires = None if days is None else time.time() + days * DAY
                print(new_token(database, name=name, role=role, experiment=experiment, expires=expires))
    finally:
        database.close()


@app.command("backup")
def _backup(
    out: Annotated[str, typer.Option(help="The file; what is there stays, and is an error.")], store: Store = DEFAULT_STORE
) -> None:
    """Copy a SQLite store while it is in use. Of PostgreSQL, pg_dump makes a backup."""
    from ..service.sqlite import backup

    if not store.startswith("sqlite:///"):
        raise ValueError("hedgerow backup copies SQLite; use pg_dump for PostgreSQL")
    backup(store.removeprefix("sqlite:///"), out)
    show(f"Wrote {out}; hedgerow verify --store sqlite:///{out} checks it.")
