"""Trust as a frame, a figure, and what a notebook prints."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ..inference.intervals import Estimate
from ..present.dots import Axes, Dot, stacked_figure
from ..present.frames import framed, label_text
from .misfits import misfit_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .report import Trust

SHARES = (-0.02, 1.02)
"""Ends of an axis of shares: 0 and 1, with room for the dots."""


class Line(NamedTuple):
    """One number.

    Args:
        what: What it is.
        name: Of which arm or expert; None of the policy.
        value: The number.
        low: Where its 90 % interval begins; None without one.
        high: Where it ends.
    """

    what: str
    name: str | None
    value: float
    low: float | None = None
    high: float | None = None


def lines_of(trust: "Trust") -> Iterator[Line]:
    """All numbers that are known.

    Args:
        trust: What was found.

    Returns:
        A line for each.
    """
    yield Line("rounds", None, trust.rounds)
    grouping, history = trust.grouping, trust.history
    if grouping is not None:
        parts = {
            "share explained by groups": grouping.share,
            "within groups": grouping.within,
            "between groups": grouping.between,
        }
        yield from (Line(what, None, *_in_order(part)) for what, part in parts.items())
    yield from (Line("chance to be in the wrong group", label_text(found.arm), found.chance) for found in trust.misfits)
    if history is not None:
        known = {"history: plays": history.plays, "history: p-value": history.p, "history: drift": history.drift}
        known["history: share that counts"] = history.trusted
        yield from (Line(what, None, value) for what, value in known.items() if value is not None)
        for arm, before, now, _ in history.farthest:
            yield Line("mean before", label_text(arm), before)
            yield Line("mean now", label_text(arm), now)
    yield from (Line("share of rounds followed", name, share) for name, share in trust.experts.items())
    if trust.noise is not None:
        yield Line("noise", None, trust.noise)


def _in_order(estimate: Estimate) -> tuple[float, float, float]:
    return estimate.value, estimate.low, estimate.high


def frame_of(trust: "Trust", backend: Any) -> Any:
    """The numbers as a data frame.

    Args:
        trust: What was found.
        backend: polars, pandas or pyarrow.

    Returns:
        A row for each number.
    """
    lines = list(lines_of(trust))
    columns = {name: [getattr(line, name) for line in lines] for name in Line._fields}
    return framed(columns | {"value": [float(line.value) for line in lines]}, backend)


def noticed(trust: "Trust") -> dict[str, str | None]:
    """What a log hears of: groups that are doubted, arms that do not belong to theirs, and a history that differs.

    Args:
        trust: What was found.

    Returns:
        A sentence by a name that stays the same, None for what is not so.
    """
    who, grouping, history = f"{trust.policy}, round {trust.rounds}", trust.grouping, trust.history
    return {
        "groups": f"{who}: {grouping.words()}" if grouping is not None and grouping.doubted else None,
        "history": f"{who}: {history.words()}" if history is not None and history.differs else None,
        "misfits": f"{who}: {misfit_words(trust.misfits)}" if trust.misfits else None,
    }


def figure_of(trust: "Trust") -> "Figure":
    """The share that groups explain, how often each expert was followed, and the arms that are farthest from their history.

    Args:
        trust: What was found.

    Returns:
        The figure.
    """
    parts: list[tuple[list[Dot], Axes]] = []
    if trust.grouping is not None:
        share = Dot("groups explain", *trust.grouping.share)
        parts.append(
            ([share], Axes(trust.grouping.verdict, "share of the real differences, with its 90 % interval", limits=SHARES))
        )
    if trust.experts:
        followed = [Dot(name, share) for name, share in trust.experts.items()]
        parts.append((followed, Axes("Experts it followed", "share of the rounds", limits=SHARES)))
    if trust.history is not None and trust.history.farthest:
        told = "differ beyond chance" if trust.history.differs else "agree as far as can be seen"
        axes = Axes(f"History and rounds {told}; the arms farthest apart", "mean reward", before="history", now="rounds")
        parts.append(([Dot(arm, now, before=before) for arm, before, now, _ in trust.history.farthest], axes))
    nothing = "" if parts else ": nothing to see yet"
    return stacked_figure(f"{trust.policy} after {trust.rounds:,} rounds{nothing}", parts)
