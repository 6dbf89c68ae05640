"""The best arms of a log as a table: rows, mean, 90 % interval."""

from collections.abc import Sequence

import numpy as np

from ..numerals import decimals
from ..types import Floats, Label

MOST_SHOWN = 20
HEAD = ("arm", "rows", "mean", "90 % interval")


def best(arms: Sequence[Label], plays: Floats, means: Floats) -> list[tuple[str, str, str, str]]:
    """The cells of at most 20 arms, the highest mean first; ``means`` are median, 5 % and 95 % quantile (3 x arms)."""
    median, low, high = means
    order = np.argsort(-median, kind="stable")[:MOST_SHOWN].tolist()
    reach = (high - low)[order]
    after = max(decimals(median.tolist(), 3), decimals([float(np.median(reach))], 2))
    means_of = [tuple(f"{part[at]:,.{after}f}" for part in (median, low, high)) for at in order]
    return [
        (str(arms[at]), f"{plays[at]:,.0f}", middle, f"{least} to {most}")
        for at, (middle, least, most) in zip(order, means_of, strict=True)
    ]


def named(means: Floats | None) -> dict[str, list[float]] | None:
    """For JSON."""
    return None if means is None else dict(zip(("median", "low", "high"), means.tolist(), strict=True))


def rest(arms: Sequence[Label], where: str) -> list[str]:
    """How many arms the table leaves out, if any, and where they are."""
    more = len(arms) - MOST_SHOWN
    return [f"{more:,} more arm{'' if more == 1 else 's'}: all are in {where}."] if more > 0 else []


def lines(arms: Sequence[Label], plays: Floats, means: Floats, where: str) -> list[str]:
    """The table as text."""
    cells = [HEAD, *((" ".join(name.split()), *numbers) for name, *numbers in best(arms, plays, means))]
    name, rows, mean, _ = (max(len(row[column]) for row in cells) for column in range(len(HEAD)))
    told = [f"  {row[0]:<{name}}  {row[1]:>{rows}}  {row[2]:>{mean}}  {row[3]}" for row in cells]
    return ["Arms, best first, means drawn together where rows are few:", *told, *rest(arms, where)]
