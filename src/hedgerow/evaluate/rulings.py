"""From intervals to verdicts, and when to give none."""

import math
from collections import Counter
from typing import Literal, TypeAlias

import numpy as np

from ..core.types import Integers
from ..inference.sums import Sums
from .gains import REFUTED
from .interval import Gain
from .split import Split

Ruling: TypeAlias = Literal["helps", "hurts", "no information", "open"]

LEAST_EVENTS, LEAST_ROWS, MOST_EMPTY, LEAST_GROUPS = 2.0, 5.0, 0.2, 3
"""Below these a verdict is refused: simulated logs with known truth were covered too rarely there."""


def on_history(gain: Gain) -> Ruling:
    """Whether history is worth loading."""
    return "helps" if gain.low > 0.0 else "hurts" if gain.high < 0.0 else "open"


def on_grouping(grouping: Gain, labels: Gain, p: float) -> Ruling:
    """Labels are praised for what they know (against shuffled ones), never for what searching in two levels gains."""
    if p <= REFUTED and labels.low > 0.0:
        return "helps"
    if labels.high < 0.0 or grouping.high < 0.0:
        return "hurts"
    return "no information" if p > REFUTED else "open"


def events(sums: Sums) -> float:
    """Of the rarer outcome of 0/1 rewards, per arm."""
    return float(min(sums.total.sum(), (sums.rows - sums.total).sum()) / sums.rows.size)


def few_events(sums: Sums, part: str, rows: int) -> str | None:
    """Why arms of 0/1 rewards cannot be told apart, if there are too few events in a part of a log of so many rows."""
    seen, arms = events(sums), sums.rows.size
    if seen >= LEAST_EVENTS:
        return None
    count, needed = seen * arms, LEAST_EVENTS * arms
    which = "events" if sums.overall <= 0.5 else "failures"
    if (sums.rows != np.round(sums.rows)).any():
        which = f"effective {which}"
    more = f", that is a log of some {roughly(rows * needed / max(count, 1e-9)):,} rows" if count >= 0.5 else ""
    return f"{count:.0f} {which} {part} over {arms} arms; about {needed:.0f} are needed{more}."


def refusals(split: Split) -> list[str]:
    """Why the log cannot be judged at all; empty if it can."""
    found = []
    arms, future = split.arms, split.future
    part = f"in the {'later part' if split.remembers else 'log'} ({split.future_rows:,} rows)"
    if split.binary and (few := few_events(future, part, split.future_rows + split.past_rows)):
        found.append(few)
    if (rows := float(future.rows.mean())) < LEAST_ROWS:
        found.append(f"{rows:.1f} effective rows per arm {part}; at least {LEAST_ROWS:.0f} are needed.")
    empty = int((future.rows == 0.0).sum())
    if empty > MOST_EMPTY * arms:
        found.append(f"{empty} of {arms} arms have no row {part}; at most {MOST_EMPTY:.0%} may be missing.")
    return found


def grouping_refusal(groups: Integers) -> str | None:
    """Why the grouping cannot be judged."""
    sizes = np.bincount(groups).tolist()
    large = sum(size >= 2 for size in sizes)
    if large < LEAST_GROUPS:
        return f"{large} of the {len(sizes)} groups have two arms or more; at least {LEAST_GROUPS} such groups are needed."
    if (ways := deals(sizes)) < 1.0 / REFUTED:
        return (
            f"{groups.size} arms can be dealt out to groups of these sizes in {ways} ways only, so that even the best of them "
            f"could be chance (p = {1 / ways:.2g}); one more arm would do."
        )
    return None


def deals(sizes: list[int]) -> int:
    """In how many ways arms can be dealt out to groups of these sizes.

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
    """To two digits."""
    digits = max(len(str(int(value))) - 2, 0)
    return int(round(value / 10**digits) * 10**digits)
