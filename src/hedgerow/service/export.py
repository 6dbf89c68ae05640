"""What was learnt, one row a decision, as NDJSON or Parquet that ``hedgerow evaluate`` reads."""

import datetime
import io
import json
from collections.abc import Iterator
from typing import Any

import msgspec

from ..core.extras import absent
from . import restore
from .entries import Entry, Kind, Made
from .settings import SETTINGS
from .store import Store

EVENT_COLUMNS = ("seq", "id", "time", "arm", "reward", "propensity", "cluster", "greedy", "mode", "explored", "kind")
"""Columns of every row; those of the context follow, as x_1, x_2 and so on, or by their names."""

LEARNT = (Kind.OUTCOME, Kind.DEFAULT)
Event = dict[str, Any]


def events(store: Store, name: str, *, after: int, limit: int) -> Iterator[Event]:
    """Decisions that were learnt, in the order of the log, with their rewards as amended since.

    Args:
        store: Any.
        name: Of the experiment.
        after: The log row before the first.
        limit: At most so many log rows are looked at.

    Returns:
        A row for each decision.
    """
    where = restore.head(store, name)
    upto = min(where.seq, after + limit)
    for first in range(after, upto, SETTINGS.tailed):
        rows = list(restore.entries(store, name, first, min(upto, first + SETTINGS.tailed)))
        learnt = [entry for entry in rows if entry.kind in LEARNT and entry.made is not None]
        ids = [str(entry.decision) for entry in learnt]
        sql = "SELECT id, at, request FROM decision WHERE experiment = ? AND id IN (?)"
        asked = {id: (at, request) for id, at, request in store.among(sql, (name,), ids)}
        sql = "SELECT decision, value FROM log WHERE experiment = ? AND kind = 'amend' AND decision IN (?) ORDER BY seq"
        amended: dict[str, float] = dict(store.among(sql, (name,), ids))
        for entry in learnt:
            if entry.made is not None:
                yield _event(entry, entry.made, *asked[str(entry.decision)], amended.get(str(entry.decision), entry.value))


def _event(entry: Entry, made: Made, at: float, request: str, reward: float | None) -> Event:
    time = datetime.datetime.fromtimestamp(at, datetime.UTC).isoformat(timespec="microseconds")
    values = (
        entry.seq,
        entry.decision,
        time,
        made.arm,
        reward,
        made.propensity,
        made.cluster,
        made.greedy,
        made.mode,
        made.explored,
        entry.kind,
    )
    return dict(zip(EVENT_COLUMNS, values, strict=True)) | _context(made, json.loads(request)[0])


def _context(made: Made, asked: Any) -> Event:
    """The raw values by name, or the numbers; a name that is a column's gets a sign of its own."""
    if isinstance(asked, dict):
        return {f"context_{name}" if name in EVENT_COLUMNS else name: value for name, value in asked.items()}
    return {f"x_{place}": number for place, number in enumerate(made.context or (), start=1)}


def ndjson(rows: Iterator[Event]) -> bytes:
    """Rows as lines of JSON.

    Args:
        rows: The rows.

    Returns:
        A line for each.
    """
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


def parquet(rows: Iterator[Event]) -> bytes:
    """Rows as a Parquet file.

    Args:
        rows: The rows.

    Returns:
        The file.

    Raises:
        ImportError: polars is not installed.
    """
    try:
        import polars
    except ImportError as missing:
        raise absent("an export in Parquet", "polars", "service") from missing
    types: dict[str, Any] = {"seq": polars.Int64, "reward": polars.Float64, "propensity": polars.Float64}
    types |= {"explored": polars.Boolean}
    types |= {name: polars.String for name in EVENT_COLUMNS if name not in types}
    frame = polars.DataFrame(list(rows) or None, schema_overrides=types, infer_schema_length=None, strict=False)
    if frame.is_empty():
        frame = polars.DataFrame(schema=types).select(EVENT_COLUMNS)
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


WRITERS = {"ndjson": (ndjson, "application/x-ndjson"), "parquet": (parquet, "application/vnd.apache.parquet")}
"""How rows are written, and the media type, by the format's name."""
