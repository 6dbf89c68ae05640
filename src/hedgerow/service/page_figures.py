"""Geometry of the status page's figures: stacked shares over time, means with intervals, the lift. Drawn by page_parts.html.

No figure has text in it: names and numbers stand beside it in HTML, so that they wrap on a phone and are read aloud.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .reports import ArmStatus, Lift, Span

WIDE, HIGH = 1000.0, 100.0
"""The units of all figures, which are stretched to the room that there is."""

HEADROOM = 0.04
"""Share of a scale left free at either end."""


class Scale(NamedTuple):
    """From values to places.

    Args:
        low: The value at the left end.
        high: The value at the right end.
    """

    low: float
    high: float

    def at(self, value: float) -> float:
        """The place of a value; one that lies outside is drawn at the end.

        Args:
            value: The value.

        Returns:
            Its place, from 0 to WIDE.
        """
        share = (value - self.low) / (self.high - self.low)
        return round(WIDE * min(max(share, 0.0), 1.0), 1)


class Band(NamedTuple):
    """The share of an arm over time.

    Args:
        name: Of the arm; the others together have none.
        kind: A class of the style sheet.
        path: What is filled.
        latest: The latest share.
    """

    name: str | None
    kind: str
    path: str
    latest: float


class Whisker(NamedTuple):
    """A mean with its interval.

    Args:
        low: Place of the lower end.
        mean: Place of the mean.
        high: Place of the upper end.
    """

    low: float
    mean: float
    high: float


def bands(spans: Sequence[Span]) -> list[Band]:
    """Shares of plays over time, stacked; the arm played most lies lowest.

    Args:
        spans: Stretches of the log, oldest first.

    Returns:
        A band for each arm, from the top down.
    """
    if not spans:
        return []
    edges = _middles(spans)
    names: list[str | None] = [*spans[0].shares, None]
    floor, found = [0.0] * len(edges), []
    for number, name in enumerate(names):
        shares = [span.others if name is None else span.shares[name] for span in (spans[0], *spans, spans[-1])]
        top = [below + share for below, share in zip(floor, shares, strict=True)]
        kind = "others" if name is None else f"arm-{number}"
        if name is not None or max(shares) > 0.0:
            found.append(Band(name, kind, _area(edges, floor, top), shares[-1]))
        floor = top
    return found[::-1]


def _middles(spans: Sequence[Span]) -> list[float]:
    """Places of the middles of stretches, and of both ends."""
    scale = Scale(spans[0].first - 0.5, spans[-1].last + 0.5)
    return [0.0, *(scale.at((span.first + span.last) / 2.0) for span in spans), WIDE]


def _area(edges: Sequence[float], floor: Iterable[float], top: Iterable[float]) -> str:
    """A path along the top and back along the floor."""
    there = [f"{x:g},{_height(share)}" for x, share in zip(edges, top, strict=True)]
    back = [f"{x:g},{_height(share)}" for x, share in zip(edges, floor, strict=True)]
    return f"M{' L'.join([*there, *back[::-1]])}Z"


def _height(share: float) -> str:
    return f"{round(HIGH * (1.0 - min(share, 1.0)), 2):g}"


def scale_of(arms: Sequence[ArmStatus]) -> Scale | None:
    """The scale on which the arms are drawn: of those that were played, so that one nobody knows does not squeeze the others.

    Args:
        arms: All arms.

    Returns:
        The scale; None where no arm has an interval.
    """
    known = [arm for arm in arms if arm.low is not None and arm.high is not None]
    shown = [arm for arm in known if arm.plays or arm.history] or known
    if not shown:
        return None
    return _around([end for arm in shown for end in (arm.low, arm.high) if end is not None])


def _around(values: Sequence[float]) -> Scale:
    low, high = min(values), max(values)
    room = HEADROOM * (high - low) or max(abs(high), 1.0) / 2.0
    return Scale(low - room, high + room)


def whisker(arm: ArmStatus, scale: Scale | None) -> Whisker | None:
    """An arm's mean with its interval.

    Args:
        arm: The arm.
        scale: Of all arms.

    Returns:
        Where to draw; None where nothing is known.
    """
    if scale is None or arm.mean is None or arm.low is None or arm.high is None:
        return None
    return Whisker(scale.at(arm.low), scale.at(arm.mean), scale.at(arm.high))


def lift_whisker(lift: Lift) -> tuple[Whisker, float] | None:
    """The lift with its interval, and the place of no lift.

    Args:
        lift: The lift.

    Returns:
        Where to draw; None where there is no interval.
    """
    if lift.lift is None or lift.low is None or lift.high is None:
        return None
    scale = _around([lift.low, lift.high, 0.0])
    return Whisker(scale.at(lift.low), scale.at(lift.lift), scale.at(lift.high)), scale.at(0.0)
