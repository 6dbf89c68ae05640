"""What the service says of itself: status, trust, explanations, invariants, health. A part of the wire format (wire.py)."""

from msgspec import Struct


class ArmStatus(Struct):
    """An arm: what it earned, and how sure that is. ``mean`` is null before its first reward."""

    arm: str
    cluster: str | None
    plays: int
    history: float
    waiting: int
    mean: float | None
    low: float | None
    high: float | None
    share: float


class ModeStatus(Struct):
    """Rewards of one mode, first-hand."""

    outcomes: int
    mean: float | None


class Lift(Struct):
    """Live minus control. ``low`` and ``high`` hold at any time with 90 %; null without a reward range, with ``why``."""

    live: ModeStatus
    control: ModeStatus
    lift: float | None
    low: float | None
    high: float | None
    why: str | None = None


class Lag(Struct):
    """Seconds from decision to reward, of the latest rewards."""

    p50: float
    p99: float
    rewards: int


class Span(Struct):
    """Shares of the plays in one stretch of the log, of the arms played most."""

    first: int
    last: int
    shares: dict[str, float]
    others: float


class Replica(Struct):
    """A process that serves the experiment."""

    id: str
    seq: int
    seen: float


class Change(Struct):
    """A change of the experiment."""

    seq: int
    kind: str
    at: float
    summary: str


class Status(Struct):
    """All that the page shows. ``entropy``: of the latest plays, 1 if all arms are played alike, 0 if one is.

    ``dimension``: length of the contexts, None without; with contexts the arms' means are those of a context of zeros.
    ``late``: decisions whose reward changed after it was learnt, and ``late_worth`` the sum of those differences.
    """

    name: str
    policy: str
    mode: str
    revision: int
    epoch: int
    seq: int
    folded: int
    rounds: int
    decisions: int
    rewards: int
    waiting: int
    late: int
    late_worth: float
    orphans: int
    outcomes: int
    defaults: int
    cancelled: int
    skipped: int
    explore: float
    entropy: float | None
    arms: list[ArmStatus]
    trust: list[str]
    lift: Lift
    lag: Lag | None
    shares: list[Span]
    replicas: list[Replica]
    changes: list[Change]
    state_hash: str
    ready: bool
    dimension: int | None = None


class Trusted(Struct):
    """What ``policy.trust()`` says."""

    sentences: list[str]


class ScoreRow(Struct):
    """A line of an explanation."""

    kind: str
    label: str
    mean: float | None
    width: float | None
    index: float | None
    plays: int
    history: float
    waiting: int
    reason: str


class Explained(Struct):
    """Why the next choice would be what it is."""

    seq: int
    scores: list[ScoreRow]


class Refolded(Struct):
    """A new epoch: the whole log learnt again, with amended rewards."""

    epoch: int
    seq: int
    rounds: int
    state_hash: str


class Check(Struct):
    """An invariant and what was found. ``failures`` is empty where it holds; ``checked`` says how many things were looked at."""

    name: str
    checked: int
    failures: list[str]


class Verified(Struct):
    """The invariants of an experiment."""

    ok: bool
    seq: int
    checks: list[Check]


class Health(Struct):
    """Whether the service can do its work, and if not, why."""

    ok: bool
    reasons: list[str] = []
