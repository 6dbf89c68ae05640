"""From intervals to verdicts, and when to give none."""

import math
from collections import Counter
from typing import Literal, TypeAlias

import numpy as np

from ..core.types import Integers
from ..inference.sums import Sums
from .gain import Gain
from .settings import VERDICT
from .split import Split

Ruling: TypeAlias = Literal["helps", "hurts", "no information", "open"]
"""A verdict on a history or a grouping."""


def on_history(gain: Gain) -> Ruling:
    """Whether history is worth loading.

    Args:
        gain: Of starting from it.

    Returns:
        "helps", "hurts" or "open".
    """
    return "helps" if gain.low > 0.0 else "hurts" if gain.high < 0.0 else "open"


def on_grouping(grouping: Gain, labels: Gain, p: float) -> Ruling:
    """Whether a grouping is worth using: for what its labels know (against shuffled ones), never for searching in two levels.

    Args:
        grouping: Gain of the grouped policy over the one that ignores groups.
        labels: Gain of the labels over shuffled ones.
        p: Of the permutation test.

    Returns:
        "helps", "hurts", "no information" or "open".
    """
    if p <= VERDICT.refuted and labels.low > 0.0:
        return "helps"
    if labels.high < 0.0 or grouping.high < 0.0:
        return "hurts"
    return "no information" if p > VERDICT.refuted else "open"


def events(sums: Sums) -> float:
    """How often the rarer of 0 and 1 occurs, per arm.

    Args:
        sums: Of 0/1 rewards.

    Returns:
        The mean over arms.
    """
    return float(min(sums.total.sum(), (sums.rows - sums.total).sum()) / sums.rows.size)


def few_events(sums: Sums, part: str, rows: int) -> str | None:
    """Why arms of 0/1 rewards cannot be told apart.

    Args:
        sums: Of a part of a log.
        part: That part in words.
        rows: Of the whole log.

    Returns:
        A sentence; None if there are events enough.
    """
    seen, arms = events(sums), sums.rows.size
    if seen >= VERDICT.least_events:
        return None
    count, needed = seen * arms, VERDICT.least_events * arms
    which = "events" if sums.overall <= 0.5 else "failures"
    if (sums.rows != np.round(sums.rows)).any():
        which = f"effective {which}"
    more = f", that is a log of some {roughly(rows * needed / max(count, 1e-9)):,} rows" if count >= 0.5 else ""
    return f"{count:.0f} {which} {part} over {arms} arms; about {needed:.0f} are needed{more}."


def refusals(split: Split) -> list[str]:
    """Why a log cannot be judged at all.

    Args:
        split: The log.

    Returns:
        Sentences; none if it can.
    """
    found = []
    arms, future = split.arms, split.future
    part = f"in the {'later part' if split.remembers else 'log'} ({split.future_rows:,} rows)"
    if split.binary and (few := few_events(future, part, split.future_rows + split.history_rows)):
        found.append(few)
    if (rows := float(future.rows.mean())) < VERDICT.least_rows:
        found.append(f"{rows:.1f} effective rows per arm {part}; at least {VERDICT.least_rows:.0f} are needed.")
    empty = int((future.rows == 0.0).sum())
    if empty > VERDICT.most_empty * arms:
        found.append(f"{empty} of {arms} arms have no row {part}; at most {VERDICT.most_empty:.0%} may be missing.")
    return found


def grouping_refusal(groups: Integers) -> str | None:
    """Why a grouping cannot be judged.

    Args:
        groups: The group of each arm.

    Returns:
        A sentence; None if it can.
    """
    sizes = np.bincount(groups).tolist()
    large = sum(size >= 2 for size in sizes)
    if large < VERDICT.least_groups:
        return (
            f"{large} of the {len(sizes)} groups have two arms or more; at least {VERDICT.least_groups} such groups are needed."
        )
    if (ways := deals(sizes)) < 1.0 / VERDICT.refuted:
        return (
            f"{groups.size} arms can be dealt out to groups of these sizes in {ways} ways only, so that even the best of them "
            f"could be chance (p = {1 / ways:.2g}); one more arm would do."
        )
    return None


def deals(sizes: list[int]) -> int:
    """In how many ways arms can be dealt out to groups.

    Args:
        sizes: Arms of each group.

    Returns:
        A whole number, however large.

    Examples:
        >>> deals([2, 2, 2])
        15
        >>> deals([20] * 100) > 10**1000
        True
    """
    ways = math.factorial(sum(sizes))
    for same in (*sizes, *Counter(sizes).values()):
        ways //= math.factorial(same)
    return ways


def roughly(value: float) -> int:
    """A number to two digits.

    Args:
        value: At least 0.

    Returns:
        A whole number.
    """
    digits = max(len(str(int(value))) - 2, 0)
    return int(round(value / 10**digits) * 10**digits)
