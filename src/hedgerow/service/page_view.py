"""From a status to the words and numbers of the page."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ..present.numbers import numeral, numerals
from .page_figures import Band, Scale, Whisker, bands, lift_whisker, scale_of, whisker
from .reports import ArmStatus, Lift, Status

LISTED_ARMS = 100
"""Arms that the page lists; the API has all."""

CONCENTRATED = 0.5
"""Entropy of the latest plays below which the page says that few arms get most of them."""

NO_NUMBER = "-"
"""Stands for a number that there is not."""

MINUTE, HOUR = 60, 3600


class Tile(NamedTuple):
    """A count.

    Args:
        name: What is counted.
        number: How many.
        said: What that means.
        warns: Whether somebody should look.
    """

    name: str
    number: str
    said: str
    warns: bool = False


class Row(NamedTuple):
    """An arm in the table.

    Args:
        arm: The arm.
        mean: Its mean.
        interval: Its interval, in words.
        whisker: The same, to be drawn.
        share: Its share of the plays.
        plays: How often it was played.
        history: Plays in its history.
        waiting: Decisions whose reward is to come.
    """

    arm: str
    mean: str
    interval: str
    whisker: Whisker | None
    share: str
    plays: str
    history: str
    waiting: str


class Group(NamedTuple):
    """The arms of a cluster.

    Args:
        name: Of the cluster; None without clusters.
        share: Its share of the plays.
        size: How many arms it has.
        rows: The arms that are listed.
    """

    name: str | None
    share: str
    size: int
    rows: list[Row]


class Lifted(NamedTuple):
    """The lift.

    Args:
        said: In a sentence.
        whisker: To be drawn, if it has an interval.
        zero: Where there is no lift.
    """

    said: str
    whisker: Whisker | None = None
    zero: float = 0.0


def shown(status: Status) -> dict[str, Any]:
    """What the template shows of an experiment.

    Args:
        status: Of the experiment.

    Returns:
        Names and values.
    """
    scale, stacked = scale_of(status.arms), bands(status.shares)
    return {
        "status": status,
        "about": _about(status),
        "tiles": _tiles(status),
        "bands": stacked,
        "legend": [(band, percent(band.latest)) for band in stacked[::-1]],
        "bands_said": _said_of(stacked),
        "groups": _groups(status.arms, scale),
        "ends": ("", "") if scale is None else _ends(scale),
        "left_out": max(len(status.arms) - LISTED_ARMS, 0),
        "has_history": any(arm.history for arm in status.arms),
        "lift": _lift(status.lift),
        "trust": [sentence for sentence in status.trust if not sentence.endswith(":")],
        "exploring": _exploring(status),
        "lag": _lag(status),
        "replicas": [(one.id, f"{one.seq:,}", ago(one.seen)) for one in status.replicas],
        "changes": [
            (change.summary or change.kind, f"{change.seq:,}", ago(change.at), stamp(change.at)) for change in status.changes
        ],
    }


def percent(share: float) -> str:
    """A share in words.

    Args:
        share: From 0 to 1.

    Returns:
        Per cent; small shares with a digit after the point.

    Examples:
        >>> percent(0.5), percent(0.02), percent(0.0123), percent(0.0001), percent(0.0), percent(0.9999)
        ('50 %', '2 %', '1.2 %', '<0.1 %', '0 %', '99.9 %')
    """
    if share == 0.0 or share >= 1.0:
        return f"{100 * share:.0f} %"
    if share < 0.001:
        return "<0.1 %"
    digits = 0 if 0.1 <= share < 0.99 else 1
    return f"{float(f'{min(100 * share, 99.9):.{digits}f}'):g} %"


def duration(seconds: float) -> str:
    """A time span in words.

    Args:
        seconds: How long.

    Returns:
        In the unit that suits it.

    Examples:
        >>> duration(0.0042), duration(2.3), duration(90), duration(7200), duration(200_000)
        ('4 ms', '2.3 s', '90 s', '120 min', '56 h')
    """
    if seconds < 1.0:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 2 * MINUTE:
        return f"{seconds:.2g} s" if seconds < 10.0 else f"{seconds:.0f} s"
    if seconds < 3 * HOUR:
        return f"{seconds / MINUTE:.0f} min"
    return f"{seconds / HOUR:.0f} h" if seconds < 72 * HOUR else f"{seconds / 24 / HOUR:.0f} days"


def ago(at: float) -> str:
    """How long ago something was.

    Args:
        at: When, in seconds since 1970.

    Returns:
        In words; the store's clock may be a little ahead of this one.
    """
    seconds = time.time() - at
    return "now" if seconds < 2.0 else f"{duration(seconds)} ago"


def stamp(at: float) -> str:
    """A moment for machines.

    Args:
        at: When, in seconds since 1970.

    Returns:
        In the form of ISO 8601, UTC.
    """
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def _about(status: Status) -> str:
    mode = {"live": "answers with its own choices", "shadow": "only looks on: the baseline is answered"}[status.mode]
    explore = (
        f"; {percent(status.explore)} of the decisions are drawn by chance" if status.explore and status.mode == "live" else ""
    )
    return f"{status.policy} {mode}{explore}."


def _tiles(status: Status) -> list[Tile]:
    learnt = f"{status.outcomes:,} learnt, {status.defaults:,} by default" if status.defaults else f"{status.outcomes:,} learnt"
    worth = f"changed after they were learnt, by {numeral(status.late_worth)} in all; a refold counts them"
    found = [
        Tile(
            "Decisions",
            f"{status.decisions:,}",
            f"{status.cancelled:,} closed without a reward" if status.cancelled else "asked for and stored",
        ),
        Tile("Rewards", f"{status.rewards:,}", learnt),
        Tile("Waiting", f"{status.waiting:,}", "decisions whose reward is to come"),
        Tile("Late", f"{status.late:,}", worth if status.late else "changed after they were learnt", status.late > 0),
        Tile("Orphans", f"{status.orphans:,}", "rewards whose decision has not come", status.orphans > 0),
    ]
    if status.skipped:
        found.append(Tile("Skipped", f"{status.skipped:,}", "rewards that the policy could not take", True))
    return found


def _said_of(stacked: Sequence[Band]) -> str:
    """The figure of shares, for those who cannot see it."""
    latest = sorted(stacked, key=lambda band: -band.latest)[:3]
    return "Latest shares of plays: " + ", ".join(f"{band.name or 'all others'} {percent(band.latest)}" for band in latest)


def _groups(arms: Sequence[ArmStatus], scale: Scale | None) -> list[Group]:
    """Arms in their clusters; what is played most stands first."""
    members: dict[str | None, list[ArmStatus]] = {}
    listed = {arm.arm for arm in sorted(arms, key=_most_played)[:LISTED_ARMS]}
    for arm in sorted(arms, key=_most_played):
        members.setdefault(arm.cluster, []).append(arm)
    ordered = sorted(members.items(), key=lambda item: -sum(arm.plays for arm in item[1]))
    return [
        Group(
            name,
            percent(min(sum(arm.share for arm in all_of), 1.0)),
            len(all_of),
            [_row(arm, scale) for arm in all_of if arm.arm in listed],
        )
        for name, all_of in ordered
    ]


def _most_played(arm: ArmStatus) -> tuple[int, float]:
    return -arm.plays, -(arm.mean or 0.0)


def _row(arm: ArmStatus, scale: Scale | None) -> Row:
    if arm.mean is None:
        mean, interval = NO_NUMBER, "not played yet"
    elif arm.low is None or arm.high is None:
        mean, interval = numeral(arm.mean), "no interval"
    else:
        mean, low, high = numerals(arm.mean, arm.low, arm.high)
        interval = f"{low} to {high}"
    counts = (f"{arm.plays:,}", numeral(arm.history, 6), f"{arm.waiting:,}")
    return Row(arm.arm, mean, interval, whisker(arm, scale), percent(arm.share), *counts)


def _ends(scale: Scale) -> tuple[str, str]:
    _, low, high = numerals(scale.low, scale.low, scale.high)
    return low, high


def _lift(lift: Lift) -> Lifted:
    if lift.lift is None:
        return Lifted(f"Not known: {lift.why}.")
    if lift.low is None or lift.high is None:
        return Lifted(f"Live earns {numeral(lift.lift)} a decision more than control. No interval: {lift.why}.")
    value, low, high = numerals(lift.lift, lift.low, lift.high, sign="+")
    counts = f"{lift.live.outcomes:,} live and {lift.control.outcomes:,} control decisions"
    sure = "better than" if lift.low > 0.0 else "worse than" if lift.high < 0.0 else "not shown to differ from"
    drawn = lift_whisker(lift)
    said = (
        f"Live is {sure} control: {value} a decision ({low} to {high}), from {counts}. The interval holds at any time, with 90 %."
    )
    return Lifted(said, *drawn) if drawn else Lifted(said)


def _exploring(status: Status) -> str:
    if status.entropy is None:
        return "Nothing was played yet."
    few = (
        "few arms get most of the latest plays"
        if status.entropy < CONCENTRATED
        else "the latest plays are spread over several arms"
    )
    return f"Entropy of the latest plays: {status.entropy:.2f} (1: all arms alike, 0: one arm); {few}."


def _lag(status: Status) -> str:
    if status.lag is None:
        return "No reward has come yet."
    lag = status.lag
    return f"Half of the latest {lag.rewards:,} rewards came within {duration(lag.p50)}, 99 % within {duration(lag.p99)}."
