"""Run the service: uvicorn, logs as JSON lines, and a file that keeps a second process off a SQLite store."""

import json
import logging
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import socket
from typing import IO, Any

import uvicorn
from starlette.applications import Starlette

from .settings import Options

try:
    import fcntl
except ImportError:  # Windows: nobody keeps a second process off
    fcntl = None  # type: ignore[assignment]

HEADERS_MOST = 64_000
"""Bytes of headers, of a connection that has not sent them all."""


class JsonLines(logging.Formatter):
    """A log record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        said: dict[str, Any] = {"at": time.time(), "level": record.levelname.lower(), "message": record.getMessage()}
        if record.exc_info:
            said["error"] = self.formatException(record.exc_info)
        return json.dumps(said)


def log_to(stream: IO[str], level: str) -> None:
    """Write the logs of the service and of uvicorn as JSON lines.

    Args:
        stream: Where to.
        level: The least level, such as "info".
    """
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    for name in ("hedgerow.service", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level.upper())


@contextmanager
def alone(options: Options) -> Iterator[None]:
    """Keep a second process off a SQLite store.

    Args:
        options: What the service was told.

    Returns:
        A context manager.

    Raises:
        ValueError: Another process serves the store.
    """
    if not options.store.startswith("sqlite:///") or fcntl is None:
        yield
        return
    path = Path(options.store.removeprefix("sqlite:///") + ".lock")
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ValueError(f"another process serves {options.store}: SQLite takes one, PostgreSQL takes many") from None
        yield


class Server(uvicorn.Server):
    """A server that says when it listens.

    Args:
        config: Of uvicorn.
        begun: Called then.
    """

    def __init__(self, config: uvicorn.Config, begun: Callable[[], None]):
        super().__init__(config)
        self._begun = begun

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """Listen.

        Args:
            sockets: That are open already.
        """
        await super().startup(sockets)
        if self.started:
            self._begun()


def run(application: Starlette, options: Options, *, level: str = "info", begun: Callable[[], None] = lambda: None) -> None:
    """Serve until SIGTERM or Ctrl-C; what was taken is answered before the end.

    Args:
        application: The service.
        options: What it was told.
        level: Of the logs.
        begun: Called when it listens.

    Raises:
        ValueError: Another process serves the store.
        OSError: The service could not start; the log says why.
    """
    log_to(sys.stdout, level)
    for number in (signal.SIGTERM, signal.SIGINT):  # uvicorn drains, then raises it again: end as one does after all went well
        signal.signal(number, lambda *_: sys.exit(0))
    with alone(options):
        server = Server(
            uvicorn.Config(
                application,
                host=options.host,
                port=options.port,
                loop="auto",
                http="auto",
                log_config=None,
                access_log=False,
                server_header=False,
                h11_max_incomplete_event_size=HEADERS_MOST,
                timeout_graceful_shutdown=10,
            ),
            begun,
        )
        try:
            server.run()
        except SystemExit:
            if server.started:
                raise
        if not server.started:
            where = f"{options.host}:{options.port}"
            raise OSError(
                str(getattr(application.state, "trouble", f"the service could not listen on {where}: its log says why"))
            )
