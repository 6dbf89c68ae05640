"""A log of past choices, row by row and in the order of time: what replays, plans and audits read."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..core.sums import LARGEST
from ..core.types import Floats, Integers, Label
from .clusters import Table, column_table, extended, file_table, given_table
from .columns import as_frame, check_names, check_numbers, check_parts, collected, doubles, seconds, texts
from .files import Wanted, read_with
from .rounds import numbered


@dataclass(frozen=True, eq=False, repr=False)
class Log:
    """A log of past choices, in the order of time.

    >>> import polars
    >>> frame = polars.DataFrame({"ad": ["b", "a", "b"], "click": [0, 1, None], "day": [2, 1, 3]})
    >>> Log.read(frame, arm="ad", reward="click", time="day")
    Log(frame of polars: 2 rows, 2 arms; left out: 1 no reward)
    """

    arms: tuple[Label, ...]
    """Distinct arms: those of the log, then those that only the cluster table names."""
    arm: Integers
    """Per row, a number into ``arms``."""
    reward: Floats
    context: dict[str, np.ndarray[Any, Any]]
    """Raw context columns: numbers as doubles, truth values as such, categories as text."""
    propensity: Floats | None
    time: Floats | None
    """Ascending, moments as seconds since 1970; None if the rows are in the order given."""
    clusters: tuple[Label, ...] | None
    """One per arm."""
    missing: dict[str, int]
    """Rows left out, by reason; only reasons that occurred."""
    source: str
    """For titles: the file's name, or "frame of pandas"."""

    @classmethod
    def read(
        cls,
        source: Any,
        *,
        arm: str,
        reward: str,
        context: str | Sequence[str] = (),
        clusters: Mapping[Any, Any] | str | Path | None = None,
        unlisted: Label | None = None,
        time: str | None = None,
        propensity: str | None = None,
        separator: str | None = None,
    ) -> "Log":
        """Read a frame, a file (Parquet, CSV, TSV, plain or gzipped), a folder or a pattern of files.

        Arguments
            arm, reward, context, time, propensity: names of columns. Rows that lack one of these values, or have a
                reward or a context of 1e100 or more, are left out and counted in ``missing``.
            clusters: a mapping arm -> cluster, a column of the log, or a file with the columns arm and cluster; other
                names are given as ``"FILE:arm_column,cluster_column"``, with a column for each level of deeper clusters.
            unlisted: the cluster of arms that ``clusters`` do not name; without it each must be named.
            propensity: the probability with which the logging policy chose the arm, in (0, 1].
            separator: what stands between the cells of text files; a comma if left out, a tab in .tsv.
        """
        roles = _Roles(arm, reward, (context,) if isinstance(context, str) else tuple(context), time, propensity)
        if unlisted is not None and clusters is None:
            raise ValueError("unlisted is the cluster of arms that clusters do not name: give clusters, too")
        if not isinstance(source, str | Path):
            data = as_frame(source)
            return _read(data, roles, clusters, unlisted, f"frame of {data.implementation.name.lower()}", separator)
        numbers = [name for name in (reward, *roles.context, propensity) if name is not None]
        labels = [arm, clusters] if isinstance(clusters, str) else [arm]
        wanted = Wanted(roles.names, numbers, labels, roles.context, separator)
        return read_with(
            source, wanted, lambda log: _read(as_frame(log), roles, clusters, unlisted, Path(source).name, separator)
        )

    @property
    def tried(self) -> int:
        """How many of the arms have rows; these come first."""
        return int(self.arm.max()) + 1

    def fixed_contexts(self) -> list[str]:
        """Context columns that never differ between the rows of an arm, although they differ between arms."""
        order = np.argsort(self.arm, kind="stable")
        same_arm = np.diff(self.arm[order]) == 0
        if not same_arm.any():
            return []
        differs = {name: values[order][1:] != values[order][:-1] for name, values in self.context.items()}
        return [name for name, steps in differs.items() if steps.any() and not steps[same_arm].any()]

    def __len__(self) -> int:
        return self.arm.size

    def __repr__(self) -> str:
        left_out = ", ".join(f"{rows} {reason}" for reason, rows in self.missing.items())
        return f"Log({self.source}: {len(self)} rows, {len(self.arms)} arms{'; left out: ' + left_out if left_out else ''})"


@dataclass(frozen=True)
class _Roles:
    """Which columns play which part."""

    arm: str
    reward: str
    context: tuple[str, ...]
    time: str | None
    propensity: str | None

    def __post_init__(self) -> None:
        check_parts(self.parts)

    @property
    def parts(self) -> list[tuple[str, str]]:
        """A column plays one part; only the time may also be a context."""
        parts = [("arm", self.arm), ("reward", self.reward), *(("context", name) for name in self.context)]
        parts += [("propensity", self.propensity)] if self.propensity else []
        return parts + ([("time", self.time)] if self.time and self.time not in self.context else [])

    @property
    def names(self) -> list[str]:
        given = (self.arm, self.reward, *self.context, self.time, self.propensity)
        return [name for name in dict.fromkeys(given) if name is not None]


def _read(data: Any, roles: _Roles, clusters: Any, unlisted: Label | None, source: str, separator: str | None) -> Log:
    check_names(data, roles.names)
    check_numbers(data, [roles.reward, *([roles.propensity] if roles.propensity else [])])
    named = [clusters] if isinstance(clusters, str) and clusters in data.collect_schema().names() else []
    check_parts([*roles.parts, *(("clusters", name) for name in named)])
    table = collected(data.select(*roles.names, *named))
    usable, missing = _usable(table, roles)
    rows = np.flatnonzero(usable)
    if not rows.size:
        reasons = ", ".join(f"{count} have {reason}" for reason, count in missing.items())
        raise ValueError(f"{source} has no usable rows{': ' + reasons if reasons else ''}")
    time = None if roles.time is None else seconds(table[roles.time])[rows]
    if time is not None:
        order = np.argsort(time, kind="stable")
        rows, time = rows[order], time[order]
    arms, arm = numbered(_labels(table[roles.arm], rows))
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
    if clusters is None:
        return log
    column = table[named[0]].to_list() if named else None
    every, labels = extended(log.arms, _table(log, clusters, column, rows, separator), unlisted)
    warn_of_twins(labels, "clusters")
    return replace(log, arms=every, clusters=labels)


def warn_of_twins(labels: Iterable[Label], what: str) -> None:
    """Warn if two labels differ in blanks or case only."""
    found: dict[str, str] = {}
    for label in labels:
        if isinstance(label, str) and (twin := found.setdefault(" ".join(label.split()).casefold(), label)) != label:
            warnings.warn(
                f"{what} {twin!r} and {label!r} differ in blanks or case only: they count as two", UserWarning, stacklevel=2
            )
            return


def _usable(table: Any, roles: _Roles) -> tuple["np.ndarray[Any, np.dtype[np.bool_]]", dict[str, int]]:
    """Which rows lack nothing, and how many lack what; a row counts once, for the first thing it lacks."""
    bad = {"no arm": _absent(table[roles.arm]), **_unusable("reward", doubles(table[roles.reward]))}
    for name in roles.context:
        bad |= _unusable(name, _context(table[name]))
    if roles.time is not None:
        bad["no time"] = ~np.isfinite(seconds(table[roles.time]))
    if roles.propensity is not None:
        bad["no propensity"] = np.isnan(doubles(table[roles.propensity]))
    usable = np.ones(len(table), dtype=np.bool_)
    missing = {}
    for reason, rows in bad.items():
        if count := int(np.count_nonzero(rows & usable)):
            missing[reason] = count
        usable &= ~rows
    return usable, missing


def _unusable(name: str, values: "np.ndarray[Any, Any]") -> dict[str, "np.ndarray[Any, np.dtype[np.bool_]]"]:
    """Rows without a value, and those whose number is too large to be squared."""
    if values.dtype == object:
        return {f"no {name}": np.array([value is None for value in values])}
    return {f"no {name}": np.isnan(values), f"{name} too large ({LARGEST:g} or more)": np.abs(values) >= LARGEST}


def _absent(series: Any) -> "np.ndarray[Any, np.dtype[np.bool_]]":
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


def _table(log: Log, clusters: Any, column: list[Any] | None, rows: Integers, separator: str | None) -> Table:
    if column is not None:
        return column_table([log.arms[number] for number in log.arm], [column[row] for row in rows], str(clusters))
    if hasattr(clusters, "items") and not hasattr(clusters, "columns"):  # a Series of pandas is no Mapping
        return given_table(dict(clusters.items()), log.arms)
    if isinstance(clusters, str | Path) and str(clusters):
        return file_table(clusters, log.arms, separator)
    if hasattr(clusters, "columns"):
        names = [*clusters.columns, "arm", "cluster"]
        way = f"dict(zip(frame[{names[0]!r}], frame[{names[1]!r}])), if these are its arms and clusters"
        raise ValueError(f"clusters must be a mapping arm -> cluster, a column of the log or a file, got a frame: give {way}")
    raise ValueError(f"clusters must be a mapping arm -> cluster, a column of the log or a file, got {clusters!r:.80}")
