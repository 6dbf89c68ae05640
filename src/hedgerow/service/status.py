"""What the status page shows, as one record; ``status_of`` gives it to pages and to the API."""

import math
import time
import warnings
from typing import Any

from ..trust import Trust
from . import restore
from .fold import Fold
from .lift import lift
from .plans import Policy
from .reports import ArmStatus, Change, Lag, Replica, Span, Status
from .runtimes import Runtime
from .serving import Service
from .store import Store
from .tallies import Tallies

SHOWN_ARMS = 8
"""Arms that a stretch of the log names; the others are added up."""

LAGS = 1000
"""Latest rewards whose lag is measured."""

CHANGES = 10
"""Latest changes that are listed."""

PATIENCE = 20.0
"""A count is kept so many times as long as it took: it costs at most a twentieth of a core."""


async def status_of(service: Service, runtime: Runtime) -> Status:
    """All that is known of an experiment now; at most a second old.

    Args:
        service: The service.
        runtime: The experiment.

    Returns:
        The status.

    Raises:
        Problem: The experiment cannot be read yet, or the store not at all.
    """
    fold = runtime.usable()
    kept, until = service.cache.get(("status", runtime.name), (None, 0.0))
    if kept is not None and time.monotonic() < until:
        found: Status = kept
        return found
    began = time.monotonic()
    made = await service.read(lambda store: _made(store, runtime, fold))
    now = time.monotonic()
    service.cache["status", runtime.name] = made, now + max(1.0, PATIENCE * (now - began))
    _measure(service, made)
    return made


def _measure(service: Service, found: Status) -> None:
    service.metrics.orphans.labels(found.name).set(found.orphans)
    service.metrics.late.labels(found.name).set(found.late)
    for bound, value in (("estimate", found.lift.lift), ("low", found.lift.low), ("high", found.lift.high)):
        if value is not None:
            service.metrics.lift.labels(found.name, bound).set(value)


def _made(store: Store, runtime: Runtime, fold: Fold) -> Status:
    counts = _counts(store, runtime.name)  # before the rows are looked at: what does not wait any more stands in them
    seq, state_hash, policy, tallies = fold.view()
    where, config = restore.head(store, runtime.name), fold.state.config
    modes = tallies.modes
    learnt = sum(mode.count for mode in modes.values())
    late, worth = _late(store, where.name, fold.state.upto or 0)
    return Status(
        name=where.name,
        policy=policy.name,
        mode=config.mode,
        revision=fold.state.revision,
        epoch=fold.epoch,
        seq=where.seq,
        folded=seq,
        rounds=learnt,
        **counts,
        late=late,
        late_worth=worth,
        outcomes=tallies.outcomes,
        defaults=tallies.defaults,
        cancelled=tallies.cancelled,
        skipped=tallies.skipped,
        explore=config.explore,
        entropy=tallies.entropy(),
        arms=arms_of(policy, config.clusters or {}, learnt),
        trust=trust_of(policy).words(),
        lift=lift(modes, config.reward_range if config.aggregate != "sum" else None),
        lag=_lag(store, where.name, where.seq),
        shares=spans_of(tallies),
        replicas=[Replica(*row) for row in store.run(_REPLICAS, (where.name,))],
        changes=_changes(store, where.name),
        state_hash=state_hash,
        ready=True,
        dimension=policy.dimension,
    )


_REPLICAS = "SELECT id, seq, at FROM replica WHERE experiment = ? ORDER BY id"


_COUNTED = {
    "decisions": "decision WHERE experiment = ?",
    "rewards": "reward WHERE experiment = ?",
    "waiting": "decision WHERE experiment = ? AND due IS NOT NULL",
    "orphans": "reward WHERE experiment = ? AND orphan > 0",
}


def _counts(store: Store, name: str) -> dict[str, int]:
    """Rows of the store, by what they are."""
    return {what: int(store.run(f"SELECT count(*) FROM {rows}", (name,))[0][0]) for what, rows in _COUNTED.items()}


def _late(store: Store, name: str, since: int) -> tuple[int, float]:
    """Decisions amended since the last refold, and the sum of what their rewards changed by."""
    sql = (
        "SELECT a.decision, a.value, o.value, o.kind, o.body FROM log a JOIN log o ON o.experiment = a.experiment "
        "AND o.decision = a.decision AND o.kind IN ('outcome', 'default', 'cancel') "
        "WHERE a.experiment = ? AND a.kind = 'amend' AND a.seq > ? ORDER BY a.seq"
    )
    latest = {id: (now or 0.0) - (was or 0.0) for id, now, was, _, _ in store.run(sql, (name, since))}
    return len(latest), sum(latest.values())


def _lag(store: Store, name: str, seq: int) -> Lag | None:
    sql = (
        "SELECT r.at - d.at FROM log l JOIN decision d ON d.experiment = l.experiment AND d.id = l.decision "
        "JOIN reward r ON r.experiment = l.experiment AND r.decision = l.decision "
        "WHERE l.experiment = ? AND l.seq > ? AND l.kind = 'outcome'"
    )
    lags = sorted(max(0.0, row[0]) for row in store.run(sql, (name, seq - LAGS)))
    if not lags:
        return None
    return Lag(lags[len(lags) // 2], lags[min(len(lags) - 1, int(0.99 * len(lags)))], len(lags))


def _changes(store: Store, name: str) -> list[Change]:
    sql = "SELECT seq, kind, at, body FROM log WHERE experiment = ? AND kind IN ('change', 'refold') ORDER BY seq DESC LIMIT ?"
    rows = store.run(sql, (name, CHANGES))
    return [Change(seq, kind, at, restore.read_state(body).summary) for seq, kind, at, body in rows]


def arms_of(policy: Policy, clusters: Any, rounds: int) -> list[ArmStatus]:
    """Each arm, with its mean and an interval as wide as the policy's doubt.

    Args:
        policy: A copy.
        clusters: The cluster of each arm.
        rounds: Learnt in all.

    Returns:
        The arms, in their order.
    """
    context = None if policy.dimension is None else [0.0] * policy.dimension
    scores: dict[str, Any] = {}
    for score in policy.explain(context):
        label = score.label[1] if isinstance(score.label, tuple) else score.label
        if score.kind == "arm":
            scores.setdefault(str(label), score)
    return [_arm(arm, scores[arm], clusters.get(arm), rounds) for arm in map(str, policy.arms) if arm in scores]


def _arm(arm: str, score: Any, cluster: str | None, rounds: int) -> ArmStatus:
    known = math.isfinite(score.mean) and math.isfinite(score.width)
    return ArmStatus(
        arm=arm,
        cluster=cluster,
        plays=score.plays,
        history=score.history,
        waiting=score.waiting,
        mean=score.mean if math.isfinite(score.mean) else None,
        low=score.mean - score.width if known else None,
        high=score.mean + score.width if known else None,
        share=score.plays / rounds if rounds else 0.0,
    )


def trust_of(policy: Policy) -> Trust:
    """What the policy says of its groups and its history, without the warnings.

    Args:
        policy: A copy.

    Returns:
        The findings.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return policy.trust()


def spans_of(tallies: Tallies) -> list[Span]:
    """Shares of plays over time, of the arms played most.

    Args:
        tallies: Counts of a fold.

    Returns:
        A stretch of the log each.
    """
    total: dict[str, int] = {}
    for span in tallies.spans:
        for arm, count in span.plays.items():
            total[arm] = total.get(arm, 0) + count
    top = sorted(total, key=lambda arm: (-total[arm], arm))[:SHOWN_ARMS]
    found = []
    for span in tallies.spans:
        shares = {arm: span.plays.get(arm, 0) / span.count for arm in top}
        found.append(Span(span.first, span.last, shares, max(0.0, 1.0 - sum(shares.values()))))
    return found
