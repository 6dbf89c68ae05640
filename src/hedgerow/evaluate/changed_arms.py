"""Whether the arms of a log changed, which and when, and after how long a policy should forget."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..core.sums import SCALARS
from ..core.tally import tally
from ..core.types import Label
from ..data.log import Log
from ..inference.change_point import newest_window

PARTS = 64
"""Equal parts of a log between which a change is looked for: it is placed to within a part."""


@dataclass(frozen=True)
class Changed:
    """What changed in a log.

    Args:
        changes: How many changes are visible.
        row: The row at about which the newest one was, in the order of time.
        time: The time of that row, if the log has times.
        arms: The arms that it shows in, the clearest first; none if it shows in a cluster as a whole only.
        half_life: In decisions, half of a stretch between two changes on average: what a policy might take.
    """

    changes: int
    row: int
    time: float | None
    arms: tuple[Label, ...]
    half_life: int


def changed_arms(log: Log) -> Changed | None:
    """The newest change of a log.

    Args:
        log: In the order of time.

    Returns:
        What changed; None if no change is visible.
    """
    rows, count = log.arm.size, len(log.arms)
    borders = np.linspace(0, rows, min(PARTS, rows) + 1).astype(np.int64)
    blocks = np.zeros((len(borders) - 1, count, SCALARS))
    for part, (first, last) in enumerate(pairwise(borders.tolist())):
        tally(blocks[part], log.arm[first:last], log.reward[first:last], np.zeros((last - first, 0)))
    numbers = {label: number for number, label in enumerate(dict.fromkeys(log.clusters or ()), start=1)}
    cluster_of = np.array([numbers[label] for label in log.clusters] if log.clusters else [0] * count, dtype=np.int64)
    first, changes, told = newest_window(blocks, cluster_of, len(numbers))
    if not changes:
        return None
    row = int(borders[first])
    arms = tuple(log.arms[arm] for arm in np.argsort(-told) if told[arm] > 0.0)
    when = None if log.time is None else float(log.time[row])
    return Changed(changes, row, when, arms, max(rows // (changes + 1) // 2, 1))
