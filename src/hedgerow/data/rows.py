"""The rows of a log as arrays: usable ones only, in the order of time, with the cluster of each arm."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..core.sums import LARGEST
from ..core.types import Floats, Integers, Label
from .clusters import Table, column_table, extended, file_table, given_table
from .columns import as_frame, check_names, check_numbers, collected, doubles, hint_at_sums, seconds, texts
from .files import read_with
from .roles import ColumnRoles
from .rounds import numbered

if TYPE_CHECKING:
    from .log import Log

Mask: TypeAlias = "np.ndarray[Any, np.dtype[np.bool_]]"


def read_log(source: Any, roles: ColumnRoles) -> "Log":
    """The log of a frame or of files.

    Args:
        source: a frame of any kind, a path, a folder or a pattern of files.
        roles: which columns to read, and how.

    Returns:
        The usable rows in the order of time.

    Raises:
        ValueError: if a column is missing or unfit, or if no row is usable.
    """
    roles.check()
    if roles.unlisted is not None and roles.clusters is None:
        raise ValueError("unlisted is the cluster of arms that clusters do not name: give clusters, too")
    if not isinstance(source, str | Path):
        data = as_frame(source)
        return _log_of(data, roles, f"frame of {data.implementation.name.lower()}")
    return read_with(source, roles, lambda frame: _log_of(as_frame(frame), roles, Path(source).name))


def _log_of(data: Any, roles: ColumnRoles, source: str) -> "Log":
    from .log import Log

    check_names(data, roles.columns)
    check_numbers(data, [roles.reward, *([roles.propensity] if roles.propensity else [])])
    there = set(data.collect_schema().names())
    named = [roles.clusters] if isinstance(roles.clusters, str) and roles.clusters in there else []
    roles.check(cluster_column=bool(named))
    table = collected(data.select(*roles.columns, *named))
    usable, missing = _usable(table, roles)
    rows = np.flatnonzero(usable)
    if not rows.size:
        reasons = ", ".join(f"{count} have {reason}" for reason, count in missing.items())
        raise ValueError(f"{source} has no usable rows{': ' + reasons if reasons else ''}")
    rows, time = _in_order(table, roles, rows)
    arms, arm = numbered(_labels(table[roles.arm], rows))
    hint_at_sums(there - set(roles.columns), len(arms), len(table))
    log = Log(
        arms=tuple(arms),
        arm=arm,
        reward=doubles(table[roles.reward])[rows],
        context={name: _typed(table[name], _context(table[name])[rows]) for name in roles.context},
        propensity=None if roles.propensity is None else _propensity(table[roles.propensity], rows),
        time=time,
        clusters=None,
        missing=missing,
        source=source,
    )
    warn_of_twins(log.arms, "arms")
    return log if roles.clusters is None else _clustered(log, roles, table[named[0]].to_list() if named else None, rows)


def _in_order(table: Any, roles: ColumnRoles, rows: Integers) -> tuple[Integers, Floats | None]:
    """The rows in the order of time, and their times."""
    if roles.time is None:
        return rows, None
    time = seconds(table[roles.time])[rows]
    order = np.argsort(time, kind="stable")
    return rows[order], time[order]


def _clustered(log: "Log", roles: ColumnRoles, column: list[Any] | None, rows: Integers) -> "Log":
    """The log with the cluster of each arm, and with the arms that only the clusters name."""
    every, clusters = extended(log.arms, _table(log, roles, column, rows), roles.unlisted)
    warn_of_twins(clusters, "clusters")
    return replace(log, arms=every, clusters=clusters)


def warn_of_twins(labels: Iterable[Label], what: str) -> None:
    """Warn if two labels differ in blanks or case only.

    Args:
        labels: distinct labels.
        what: what they are labels of, for the warning.
    """
    found: dict[str, str] = {}
    for label in labels:
        if isinstance(label, str) and (twin := found.setdefault(" ".join(label.split()).casefold(), label)) != label:
            warnings.warn(
                f"{what} {twin!r} and {label!r} differ in blanks or case only: they count as two", UserWarning, stacklevel=2
            )
            return


@dataclass
class _Usable:
    """Which rows lack nothing so far, and how many lack what; a row counts once, for the first thing it lacks."""

    rows: Mask
    missing: dict[str, int]

    def without(self, reason: str, bad: Mask) -> None:
        if count := int(np.count_nonzero(bad & self.rows)):
            self.missing[reason] = count
        self.rows &= ~bad


def _usable(table: Any, roles: ColumnRoles) -> tuple[Mask, dict[str, int]]:
    found = _Usable(np.ones(len(table), dtype=np.bool_), {})
    found.without("no arm", _absent(table[roles.arm]))
    for name, values in [("reward", doubles(table[roles.reward])), *((name, _context(table[name])) for name in roles.context)]:
        if values.dtype == object:
            found.without(f"no {name}", np.array([value is None for value in values]))
        else:
            found.without(f"no {name}", np.isnan(values))
            found.without(f"{name} too large ({LARGEST:g} or more)", np.abs(values) >= LARGEST)
    if roles.time is not None:
        found.without("no time", ~np.isfinite(seconds(table[roles.time])))
    if roles.propensity is not None:
        found.without("no propensity", np.isnan(doubles(table[roles.propensity])))
    return found.rows, found.missing


def _absent(series: Any) -> Mask:
    empty = np.array(series.is_null().to_numpy(), dtype=np.bool_)
    return empty | np.isnan(doubles(series)) if series.dtype.is_float() else empty


def _labels(series: Any, rows: Integers) -> Any:
    if series.dtype.is_integer():
        return series.fill_null(0).to_numpy()[rows]
    values = series.to_list()
    return [values[row] for row in rows]


def _context(series: Any) -> "np.ndarray[Any, Any]":
    import narwhals as nw

    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        return doubles(series)
    if series.dtype in (nw.String, nw.Categorical, nw.Enum):
        return texts(series)
    raise ValueError(f"context column {series.name!r} must hold numbers, truth values or text, it holds {series.dtype}")


def _typed(series: Any, values: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """Truth values as such, now that none is missing."""
    import narwhals as nw

    return values.astype(np.bool_) if series.dtype == nw.Boolean else values


def _propensity(series: Any, rows: Integers) -> Floats:
    values = doubles(series)[rows]
    if (odd := values[~((values > 0.0) & (values <= 1.0))]).size:
        raise ValueError(f"propensities must be above 0 and at most 1, column {series.name!r} has {odd[0]:g}")
    return values


def _table(log: "Log", roles: ColumnRoles, column: list[Any] | None, rows: Integers) -> Table:
    clusters: Any = roles.clusters
    if column is not None:
        return column_table([log.arms[number] for number in log.arm], [column[row] for row in rows], str(clusters))
    if hasattr(clusters, "items") and not hasattr(clusters, "columns"):  # a Series of pandas is no Mapping
        return given_table(dict(clusters.items()), log.arms)
    if isinstance(clusters, str | Path) and str(clusters):
        return file_table(clusters, log.arms, roles.separator)
    if hasattr(clusters, "columns"):
        names = [*clusters.columns, "arm", "cluster"]
        way = f"dict(zip(frame[{names[0]!r}], frame[{names[1]!r}])), if these are its arms and clusters"
        raise ValueError(f"clusters must be a mapping arm -> cluster, a column of the log or a file, got a frame: give {way}")
    raise ValueError(f"clusters must be a mapping arm -> cluster, a column of the log or a file, got {clusters!r:.80}")
