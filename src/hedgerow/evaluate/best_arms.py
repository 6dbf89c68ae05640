"""The best arms of a log as a table: rows, mean, 90 % interval."""

from collections.abc import Sequence

import numpy as np

from ..core.types import Floats, Label
from ..present.numbers import decimals

MOST_SHOWN = 20
TEXTS = {"arm", "group"}
"""Columns that are no numbers."""


def best(arms: Sequence[Label], groups: Sequence[Label] | None, plays: Floats, means: Floats) -> list[dict[str, str]]:
    """The cells of at most 20 arms by column, the highest mean first; ``means`` are median, 5 % and 95 % quantile (3 x arms)."""
    median, low, high = means
    order = np.argsort(-median, kind="stable")[:MOST_SHOWN].tolist()
    reach = (high - low)[order]
    after = max(decimals(median.tolist(), 3), decimals([float(np.median(reach))], 2))
    shown = []
    for at in order:
        middle, least, most = (f"{part[at]:,.{after}f}" for part in (median, low, high))
        told = {"arm": str(arms[at])} | ({} if groups is None else {"group": str(groups[at])})
        shown.append(told | {"rows": f"{plays[at]:,.0f}", "mean": middle, "90 % interval": f"{least} to {most}"})
    return shown


def named(means: Floats | None) -> dict[str, list[float]] | None:
    """For JSON."""
    return None if means is None else dict(zip(("median", "low", "high"), means.tolist(), strict=True))


def rest(arms: Sequence[Label], where: str) -> list[str]:
    """How many arms the table leaves out, if any, and where they are."""
    more = len(arms) - MOST_SHOWN
    return [f"{more:,} more arm{'' if more == 1 else 's'}: all are in {where}."] if more > 0 else []


def lines(arms: Sequence[Label], groups: Sequence[Label] | None, plays: Floats, means: Floats, where: str) -> list[str]:
    """The table as text."""
    shown = best(arms, groups, plays, means)
    columns = {name: [name, *(" ".join(row[name].split()) for row in shown)] for name in shown[0]}
    padded = [_padded(cells, left=name in TEXTS or name == [*columns][-1]) for name, cells in columns.items()]
    told = [f"  {'  '.join(row)}".rstrip() for row in zip(*padded, strict=True)]
    return ["Arms, best first, means drawn together where rows are few:", *told, *rest(arms, where)]


def _padded(cells: list[str], *, left: bool) -> list[str]:
    width = max(map(len, cells))
    return [cell.ljust(width) if left else cell.rjust(width) for cell in cells]
