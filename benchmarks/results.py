"""What was measured, and the questions that the report asks of it."""

import math
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np

Answers = Mapping[tuple[str, str], Sequence[dict[str, Any]]]
Curves = Mapping[tuple[str, str], Sequence[tuple[float, float]]]


class Results:
    """Answers by work and library, one per repetition; curves of the growth by panel and name."""

    def __init__(self, answers: Answers, curves: Curves):
        self.answers = answers
        self.curves = curves

    def last(self, work: str, library: str) -> dict[str, Any] | None:
        """The last good answer."""
        good = [answer for answer in self.answers.get((work, library), ()) if "error" not in answer]
        return good[-1] if good else None

    def error(self, work: str, library: str) -> str:
        """Why there is no answer."""
        return next((answer["error"] for answer in self.answers.get((work, library), ()) if "error" in answer), "not run")

    def seconds(self, work: str, library: str) -> float | None:
        """CPU seconds per round, the median of the repetitions."""
        good = [answer for answer in self.answers.get((work, library), ()) if "error" not in answer]
        return median(answer["seconds"] / answer["rounds"] for answer in good) if good else None

    def ratio(self, over: tuple[str, str], under: tuple[str, str]) -> float | None:
        """How many times the first takes of the second: the median of the ratios within each repetition."""
        pairs = zip(self.answers.get(over, ()), self.answers.get(under, ()), strict=False)
        ratios = [
            (a["seconds"] / a["rounds"]) / (b["seconds"] / b["rounds"]) for a, b in pairs if "error" not in a and "error" not in b
        ]
        return median(ratios) if ratios else None

    def agreement(self, work: str, library: str) -> tuple[int, int] | None:
        """Rounds in which a library chose hedgerow's arm, of all that both played."""
        ours, theirs = self.last(work, "hedgerow"), self.last(work, library)
        if not ours or not theirs or not ours["arms"] or not theirs["arms"]:
            return None
        pairs = list(zip(ours["arms"], theirs["arms"], strict=False))
        return sum(a == b for a, b in pairs), len(pairs)

    def bandwidth(self, work: str) -> float | None:
        """Bytes read per second."""
        read, seconds = self.last(work, "bare"), self.seconds(work, "bare")
        return read["bytes"] / seconds if read and seconds else None

    def over_bound(self, memory: str) -> float | None:
        """The kernel's time over the time to read its bytes at the bandwidth of a ``memory`` work."""
        kernel, seconds = self.last("estimate-1000-50", "hedgerow"), self.seconds("estimate-1000-50", "hedgerow")
        bandwidth = self.bandwidth(memory)
        return seconds / (kernel["bytes"] / bandwidth) if kernel and seconds and bandwidth else None

    def exponent(self, panel: str, curve: str, low: float = 0.0) -> float | None:
        """The slope of a curve in the log-log plot, from ``low`` on."""
        points = [(x, y) for x, y in self.curves.get((panel, curve), ()) if x >= low]
        if len(points) < 2:
            return None
        x, y = np.log(np.array(points)).T
        return float(np.polyfit(x, y, 1)[0])


def shown(value: float) -> str:
    """A ratio with about three digits."""
    if value == 0.0 or not math.isfinite(value):
        return f"{value}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def time_shown(seconds: float) -> str:
    """A time in the unit that suits it."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1.0:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
