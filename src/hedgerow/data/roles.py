"""Which column of a log plays which role."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from ..core.types import Label


@dataclass(frozen=True)
class ColumnRoles:
    """The columns of a log by their role, and what else must be known to read it.

    Examples:
        >>> roles = ColumnRoles("ad", "click", context=("age", "city"), time="day")
        >>> roles.columns
        ('ad', 'click', 'age', 'city', 'day')
    """

    arm: str = ""
    reward: str = ""
    context: tuple[str, ...] = ()
    clusters: Mapping[Any, Any] | str | Path | None = None
    """A mapping arm -> cluster, a column, or a file with a row per arm."""
    unlisted: Label | None = None
    """Cluster of the arms that ``clusters`` do not name."""
    time: str | None = None
    propensity: str | None = None
    separator: str | None = None
    """What stands between the cells of text files."""

    @property
    def given(self) -> list[str]:
        """The fields that say anything."""
        return [field.name for field in fields(self) if getattr(self, field.name) not in (None, "", ())]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns to read, each once. Clusters are not among them: they may be a file."""
        every = (self.arm, self.reward, *self.context, self.time, self.propensity)
        return tuple(dict.fromkeys(name for name in every if name is not None))

    @property
    def numbers(self) -> tuple[str, ...]:
        """Columns that may hold numbers."""
        return (self.reward, *self.context, *([self.propensity] if self.propensity is not None else []))

    @property
    def labels(self) -> tuple[str, ...]:
        """Columns of names: 01 and 1, or 1.10 and 1.1, are different names."""
        return (self.arm, self.clusters) if isinstance(self.clusters, str) else (self.arm,)

    def check(self, *, cluster_column: bool = False) -> None:
        """Refuse a column that plays two roles. Only the time may also be a context.

        Args:
            cluster_column: whether ``clusters`` names a column of the log.

        Raises:
            ValueError: if a column plays two roles.
        """
        played = [("arm", self.arm), ("reward", self.reward), *(("context", name) for name in self.context)]
        played += [("propensity", self.propensity)] if self.propensity else []
        played += [("time", self.time)] if self.time and self.time not in self.context else []
        played += [("clusters", str(self.clusters))] if cluster_column else []
        for name, times in Counter(column for _, column in played).items():
            if times > 1:
                roles = " and ".join(role for role, column in played if column == name)
                raise ValueError(f"column {name!r} is given twice, as {roles}; each column plays one role")


def listed(names: str | Sequence[str] | None) -> tuple[str, ...]:
    """Names of columns as a tuple, however they are given.

    Args:
        names: one name, several, or None.

    Returns:
        The names in their order.
    """
    return (names,) if isinstance(names, str) else tuple(names or ())


def absent_from(there: Iterable[str], names: Iterable[str]) -> list[str]:
    """Those names that are not there.

    Args:
        there: the columns of a frame.
        names: the columns that are wanted.

    Returns:
        The wanted names that the frame lacks, in their order.
    """
    known = set(there)
    return [name for name in names if name not in known]
