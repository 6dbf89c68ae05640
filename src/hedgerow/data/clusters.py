"""Which cluster each arm of a log belongs to: from a mapping, a column of the log, or a file."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from ..core.labels import as_label, check_direction, name_of, shown
from ..core.types import Label
from .columns import separator_hint
from .files import exists, read_texts
from .roles import absent_from

Table: TypeAlias = dict[Label, Label]


def given_table(clusters: Mapping[Any, Any], arms: Sequence[Label]) -> Table:
    """A mapping arm -> cluster, with its arms written as those of the log.

    Args:
        clusters: the mapping as the user gives it.
        arms: the arms of the log.

    Returns:
        The cluster of each arm that the mapping names.

    Raises:
        ValueError: if it maps clusters to arms, or puts an arm into two clusters.
    """
    check_direction(clusters, arms)
    convert = _as_in(arms)
    return _table(((convert(as_label(arm, "an arm label")), label) for arm, label in clusters.items()), "clusters")


def column_table(arms: Sequence[Label], labels: Iterable[Any], column: str) -> Table:
    """The one cluster that a column of the log gives each arm.

    Args:
        arms: the arm of each row.
        labels: the cell of the column in each row.
        column: the name of the column, for error messages.

    Returns:
        The cluster of each arm that has one.

    Raises:
        ValueError: if the column puts an arm into two clusters.
    """
    pairs = dict.fromkeys(zip(arms, labels, strict=True))
    return _table((pair for pair in pairs if pair[1] is not None and pair[1] == pair[1]), f"column {column!r}")


def file_table(place: str | Path, arms: Sequence[Label], separator: str | None = None) -> Table:
    """The clusters of a file with the columns arm and cluster, or those named in ``FILE:arm_column,cluster_column``.

    Several columns of clusters, outermost first, nest them.

    Args:
        place: path of the file, with or without the names of its columns.
        arms: the arms of the log.
        separator: the separator of the log's own files.

    Returns:
        The cluster of each arm that the file names.

    Raises:
        ValueError: if there is no such file or column, or an arm is in two clusters.
    """
    path, names = _parted(str(place))
    if not exists(path):
        file = path.rpartition(":")[0]
        hint = f"; after {file}: there must be two columns or more, as in {file}:arm,cluster" if file and exists(file) else ""
        raise ValueError(f"clusters {str(place)!r} is neither a column of the log nor a file{hint}")
    columns = read_texts(path, separator)
    if missing := absent_from(columns, names):
        raise ValueError(
            f"{Path(path).name} has no column {shown(missing)}; its columns are {shown(columns, 20)}: "
            f"name them as in {Path(path).name}:arm_column,cluster_column{separator_hint([*columns])}"
        )
    convert = _as_in(arms)
    rows = zip(*(columns[name] for name in names), strict=True)
    pairs = ((convert(as_label(arm, "an arm label")), name_of(tuple(label))) for arm, *label in rows if None not in (arm, *label))
    return _table(pairs, Path(path).name)


def extended(arms: Sequence[Label], table: Table, unlisted: Label | None) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
    """Every arm of a log or of its clusters, with its cluster.

    Args:
        arms: the arms of the log.
        table: the cluster of each arm that has one.
        unlisted: the cluster of all others.

    Returns:
        The arms of the log, then those that only the table names; and the cluster of each.

    Raises:
        ValueError: if an arm has no cluster and there is none for the others.
    """
    if missing := [arm for arm in arms if arm not in table]:
        if unlisted is None:
            way = "name one for each, or put them all into one with unlisted='rest' (--unlisted rest)"
            raise ValueError(f"{len(missing)} of {len(arms)} arms of the log have no cluster: {shown(missing)}; {way}")
        table = table | dict.fromkeys(missing, as_label(unlisted, "a cluster label"))
    known = set(arms)
    every = (*arms, *(arm for arm in table if arm not in known))
    return every, tuple(table[arm] for arm in every)


def _parted(place: str) -> tuple[str, list[str]]:
    path, colon, columns = place.rpartition(":")
    if colon and "," in columns:
        return path, [name.strip() for name in columns.split(",")]
    return place, ["arm", "cluster"]


def _table(pairs: Iterable[tuple[Label, Any]], where: str) -> Table:
    table: Table = {}
    for arm, label in pairs:
        cluster = as_label(label, "a cluster label")
        if table.setdefault(arm, cluster) != cluster:
            raise ValueError(f"{where} puts arm {arm!r} into two clusters, {table[arm]!r} and {cluster!r}: it must have one")
    return table


def _as_in(arms: Sequence[Label]) -> Callable[[Label], Label]:
    """Labels of another file written as the log writes them: one may hold text where the other holds numbers."""
    kinds = {type(arm) for arm in arms}
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind is str:
        return str
    if kind is bool:
        return lambda label: {"true": True, "false": False}.get(str(label).strip().lower(), label)
    return _as_number if kind in (int, float) else lambda label: label


def _as_number(label: Label) -> Label:
    """The number that a text writes, which is equal to that of the log, whole or not; other labels as they are."""
    if isinstance(label, str):
        for kind in (int, float):
            with suppress(ValueError):
                return as_label(kind(label), "an arm label")
    return label
