"""The log that is judged: its arms with rows, its contexts fit to be contexts."""

from dataclasses import replace
from typing import Any

from ..core.labels import shown
from ..core.types import Label
from ..data.log import Log
from ..data.roles import ColumnRoles
from ..data.rows import read_log


def usable_log(source: Any, roles: ColumnRoles) -> tuple[Log, tuple[Label, ...]]:
    """A log as it is, or one read from a frame or a file, with the arms that have rows.

    Args:
        source: a :class:`hedgerow.Log`, a frame or a file.
        roles: the columns of a frame or a file; a Log has them already.

    Returns:
        The log, and the arms that have no row, which only the clusters name.

    Raises:
        ValueError: if columns are named twice or not at all, if there are too few rows or arms, or if a context never differs
            between the rows of an arm.
    """
    log, untried = _tried(_read(source, roles))
    if len(log) < 4 or len(log.arms) < 2:
        raise ValueError(f"a log must have at least 4 rows and 2 arms, this one has {len(log)} and {len(log.arms)}")
    if fixed := log.fixed_contexts():
        raise ValueError(
            f"context {shown(fixed)} is the same in all rows of an arm: a property of arms, not of the rounds; "
            "leave it out, or give it as clusters"
        )
    return log, untried


def _read(source: Any, roles: ColumnRoles) -> Log:
    if isinstance(source, Log):
        if roles.given:
            raise ValueError(f"a hedgerow.Log has its columns already: give {shown(roles.given)} to Log.read instead")
        return source
    if not (roles.arm and roles.reward):
        raise ValueError("arm= and reward= must name the columns of the log; only a hedgerow.Log has them already")
    return read_log(source, roles)


def _tried(log: Log) -> tuple[Log, tuple[Label, ...]]:
    """The log without the arms that only the clusters name, and these: nothing can be said of them."""
    clusters = None if log.clusters is None else log.clusters[: log.tried]
    return replace(log, arms=log.arms[: log.tried], clusters=clusters), log.arms[log.tried :]
