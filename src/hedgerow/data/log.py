"""A log of past choices, row by row and in the order of time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..core.types import Floats, Integers, Label
from .roles import ColumnRoles, listed
from .rows import read_log


@dataclass(frozen=True, eq=False, repr=False)
class Log:
    """A log of past choices, in the order of time.

    Examples:
        >>> import polars
        >>> frame = polars.DataFrame({"ad": ["b", "a", "b"], "click": [0, 1, None], "day": [2, 1, 3]})
        >>> Log.read(frame, arm="ad", reward="click", time="day")
        Log(frame of polars: 2 rows, 2 arms; left out: 1 no reward)
    """

    arms: tuple[Label, ...]
    """Distinct arms: those of the log, then those that only the table of clusters names."""
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

        Rows that lack an arm, a reward, a context, a time or a propensity, or have a reward or a context of 1e100 or more, are
        left out and counted in ``missing``.

        Args:
            source: the frame, or where the files are.
            arm: column of the arm that was chosen.
            reward: column of the reward.
            context: column of the context, or several.
            clusters: a mapping arm -> cluster, a column of the log, or a file with the columns arm and cluster. Other names are
                given as ``"FILE:arm_column,cluster_column"``, with a column for each level of nested clusters.
            unlisted: the cluster of arms that ``clusters`` do not name; without it each must be named.
            time: column of the time; without it rows are taken in their order.
            propensity: column of the probability with which the logging policy chose the arm, above 0 and at most 1.
            separator: what stands between the cells of text files; a comma if left out, a tab in .tsv.

        Returns:
            The log.

        Raises:
            ValueError: if a column is missing or unfit, or if no row is usable.
        """
        roles = ColumnRoles(arm, reward, listed(context), clusters, unlisted, time, propensity, separator)
        return read_log(source, roles)

    @property
    def tried(self) -> int:
        """How many of the arms have rows; these come first."""
        return int(self.arm.max()) + 1

    def fixed_contexts(self) -> list[str]:
        """Context columns that never differ between the rows of an arm, although they differ between arms.

        Returns:
            Their names: they are properties of arms.
        """
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
