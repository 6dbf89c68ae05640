"""What the service is told: the flags and the environment of ``hedgerow serve``, and its tuning numbers."""

from ipaddress import ip_address
from typing import Annotated, NamedTuple

from ..core.settings import Number


class ServiceSettings(NamedTuple):
    """How much the service does at a time, and how often."""

    batch: Annotated[int, Number("most requests in one transaction", "requests", "prototype: rarely reached")] = 512
    backlog: Annotated[int, Number("queued requests from which on others get 503", "requests", "chosen: 0.5 s of work")] = 5000
    sweep: Annotated[float, Number("time between looks for decisions past due", "s", "chosen: small beside any wait")] = 0.5
    swept: Annotated[int, Number("most decisions settled by one such look", "rows", "chosen: some 50 ms of work")] = 1000
    tail: Annotated[float, Number("time between looks for what other replicas wrote", "s", "prototype: p50 8-12 ms seen")] = 0.05
    tailed: Annotated[int, Number("log rows learnt at a time", "rows", "chosen: some 50 ms of work")] = 1000
    refresh: Annotated[float, Number("time between looks for tokens, and signs of life", "s", "chosen: a revoked token")] = 1.0
    snapshot: Annotated[int, Number("folds between two snapshots", "rows", "chosen: 0.1 s of folding at a restart")] = 5000
    waiting: Annotated[int, Number("most decisions a process counts as waiting", "decisions", "service.md, section 6.4")] = 1000
    stale: Annotated[float, Number("age of the last complete fold from which on readyz says no", "s", "service.md, 7")] = 30.0
    alive: Annotated[float, Number("longest time between two signs of life", "s", "chosen: a sixth of silent")] = 10.0
    silent: Annotated[float, Number("time after which a replica without a sign of life is forgotten", "s", "chosen")] = 60.0
    store_wait: Annotated[float, Number("longest wait for another writer or a connection", "s", "chosen: below time-outs")] = 5.0
    warm_wait: Annotated[float, Number("longest that a PUT waits for machine code", "s", "Auto compiles in 15-36 s")] = 120.0


SETTINGS = ServiceSettings()

LOOPBACK = ("localhost", "127.0.0.1", "::1")
"""Names of this machine, for the machine itself."""


class Options(NamedTuple):
    """What ``hedgerow serve`` was told.

    Args:
        store: ``sqlite:///path`` or ``postgresql://...``.
        host: The address to listen on.
        port: The port to listen on.
        relaxed: Whether commits may be lost at power loss (SQLite ``synchronous=NORMAL``).
        tokens: Tokens given by the environment, as ``role:secret`` or ``role@experiment:secret``.
        snapshot: Folds between two snapshots.
        tail: Time between looks for what other replicas wrote, in seconds.
    """

    store: str = "sqlite:///hedgerow.db"
    host: str = "127.0.0.1"
    port: int = 8080
    relaxed: bool = False
    tokens: tuple[str, ...] = ()
    snapshot: int = SETTINGS.snapshot
    tail: float = SETTINGS.tail

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the service."""
        if self.host in LOOPBACK:
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False
