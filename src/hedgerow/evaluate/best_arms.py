"""The best arms of a log as a table: rows, mean, 90 % interval."""

from collections.abc import Sequence

import numpy as np

from ..core.types import Floats, Label
from ..present.numbers import decimals
from ..present.tables import Table

MOST_SHOWN = 20
"""Arms in a table."""


def table(arms: Sequence[Label], groups: Sequence[Label] | None, plays: Floats, means: Floats) -> Table:
    """The best arms of a log, the highest mean first.

    Args:
        arms: all arms.
        groups: the cluster of each, None without clusters.
        plays: rows of each.
        means: median, 5 % and 95 % quantile of the expected reward of each (3 x arms).

    Returns:
        A table of at most 20 arms.
    """
    median, low, high = means
    order = np.argsort(-median, kind="stable")[:MOST_SHOWN].tolist()
    reach = (high - low)[order]
    after = max(decimals(median.tolist(), 3), decimals([float(np.median(reach))], 2))
    rows = []
    for at in order:
        middle, least, most = (f"{part[at]:,.{after}f}" for part in (median, low, high))
        group = [] if groups is None else [str(groups[at])]
        rows.append([str(arms[at]), *group, f"{plays[at]:,.0f}", middle, f"{least} to {most}"])
    columns = ["arm", *([] if groups is None else ["group"]), "rows", "mean", "90 % interval"]
    return Table(columns, rows, numbers=("rows", "mean"))


def named(means: Floats | None) -> dict[str, list[float]] | None:
    """Means for JSON.

    Args:
        means: median, 5 % and 95 % quantile of each arm, None if they are not known.

    Returns:
        The same by name.
    """
    return None if means is None else dict(zip(("median", "low", "high"), means.tolist(), strict=True))


def rest(arms: Sequence[Label], where: str) -> list[str]:
    """How many arms the table leaves out, and where they are.

    Args:
        arms: all arms.
        where: where all are shown.

    Returns:
        One sentence; none if the table has all.
    """
    more = len(arms) - MOST_SHOWN
    return [f"{more:,} more arm{'' if more == 1 else 's'}: all are in {where}."] if more > 0 else []


def lines(arms: Sequence[Label], groups: Sequence[Label] | None, plays: Floats, means: Floats, where: str) -> list[str]:
    """The table as lines of text, under a heading.

    Args:
        arms: all arms.
        groups: the cluster of each, None without clusters.
        plays: rows of each.
        means: as in :func:`table`.
        where: where all arms are shown.

    Returns:
        The lines.
    """
    told = [f"  {line}" for line in table(arms, groups, plays, means).text().splitlines()]
    return ["Arms, best first, means drawn together where rows are few:", *told, *rest(arms, where)]
