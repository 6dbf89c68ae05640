"""A figure with a line for each thing: a dot and its interval, a hollow dot for what was before, and bars beside."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .plots import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, SKY, VERMILION, new_figure, plain, shortened, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_LINES = 30
"""More would not be read."""

LONGEST_LABEL = 28
"""Letters of a label beside the axis."""

COLOURS = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY)
"""Of the first groups; the others are grey."""

UNKNOWN = math.nan


@dataclass(frozen=True)
class Dot:
    """One line of the figure.

    Args:
        label: What it is called.
        value: Where the dot is; not finite for none.
        low: Where its interval begins.
        high: Where it ends; infinite for one that has no end.
        before: Where the hollow dot is; NaN for none.
        group: Dots of a group have a colour.
        bars: Lengths of its bars, one after the other.
    """

    label: object
    value: float
    low: float = UNKNOWN
    high: float = UNKNOWN
    before: float = UNKNOWN
    group: object = None
    bars: tuple[float, ...] = ()


@dataclass(frozen=True)
class Axes:
    """What the axes of a figure are called.

    Args:
        title: Above it.
        dots: Below the dots.
        bars: Below the bars; empty if there are none.
        before: What a hollow dot is.
        now: What a filled one is.
        parts: What the parts of a bar are.
        limits: Ends of the axis of the dots; as far as they reach if left out.
    """

    title: str
    dots: str
    bars: str = ""
    before: str = ""
    now: str = ""
    parts: tuple[str, ...] = ()
    limits: tuple[float, float] | None = None


def dots_figure(lines: Sequence[Dot], axes: Axes) -> "Figure":
    """Draw the lines from top to bottom.

    Args:
        lines: The first MOST_LINES of them are drawn.
        axes: What the axes are called.

    Returns:
        The figure.
    """
    drawn = list(lines)[:MOST_LINES]
    with style():
        figure = new_figure(8.5 if axes.bars else 6.5, 1.3 + 0.24 * max(len(drawn), 3))
        panels = figure.subplots(1, 2, sharey=True, width_ratios=(2, 1), squeeze=False)[0] if axes.bars else [figure.subplots()]
        colours = _colours(drawn)
        _draw_dots(panels[0], drawn, axes, colours)
        if axes.bars:
            _draw_bars(panels[1], drawn, axes, colours)
        more = f" ({len(drawn)} of {len(lines):,})" if len(lines) > len(drawn) else ""
        figure.suptitle(plain(axes.title) + more, fontsize=9.5)
        handles = [handle for panel in panels for handle in _named(panel)]
        if handles:
            figure.legend(handles=handles, loc="outside lower center", ncols=4, fontsize=8)
    return figure


def stacked_figure(title: str, parts: Sequence[tuple[Sequence[Dot], Axes]]) -> "Figure":
    """Draw several groups of lines above each other, each with axes and a title of its own, and without bars.

    Args:
        title: Above all.
        parts: The lines of each group, and what its axes are called.

    Returns:
        The figure.
    """
    sizes = [max(len(lines), 2) for lines, _ in parts]
    with style():
        figure = new_figure(6.5, 0.8 + sum(1.1 + 0.24 * size for size in sizes))
        panels = figure.subplots(max(len(parts), 1), 1, squeeze=False, height_ratios=sizes or [1])[:, 0]
        for panel, (lines, axes) in zip(panels, parts, strict=False):
            _draw_dots(panel, lines, axes, _colours(lines))
            panel.set_title(plain(axes.title), loc="left")
            if _named(panel):
                panel.legend(fontsize=8)
        if not parts:
            panels[0].set_axis_off()
        figure.suptitle(plain(title), fontsize=9.5)
    return figure


def _colours(lines: Sequence[Dot]) -> dict[object, str]:
    """The colour of each group, in the order of their names: whichever arms are drawn, most groups keep theirs."""
    groups = sorted({line.group for line in lines}, key=str)
    return {group: COLOURS[at] if at < len(COLOURS) else GREY for at, group in enumerate(groups)}


def _draw_dots(panel: Any, lines: Sequence[Dot], axes: Axes, colours: dict[object, str]) -> None:
    """Dots with their intervals; an interval without an end reaches to the edge."""
    places, labels = range(len(lines)), shortened([line.label for line in lines], LONGEST_LABEL)
    for place, line in zip(places, lines, strict=True):
        colour = colours[line.group]
        if not math.isnan(line.low):
            panel.plot([line.low, min(line.high, _edge(lines))], [place, place], color=colour, linewidth=1.4, alpha=0.7)
        if line.high == math.inf:
            panel.plot(_edge(lines), place, marker=">", color=colour, markersize=5)
        if math.isfinite(line.before):
            panel.plot(line.before, place, marker="o", color=colour, markerfacecolor="none", markersize=6, linestyle="")
        if math.isfinite(line.value):
            panel.plot(line.value, place, marker="o", color=colour, markersize=4.5, linestyle="")
    panel.set(yticks=list(places), yticklabels=labels, xlabel=axes.dots)
    panel.set_ylim(max(len(lines), 1) - 0.5, -0.5)
    if axes.limits is not None:
        panel.set_xlim(axes.limits)
    panel.grid(visible=False, axis="y")
    marks = {axes.now: INK, axes.before: "none"} if any(math.isfinite(line.before) for line in lines) else {}
    for text, face in marks.items():
        panel.plot([], [], marker="o", color=INK, markerfacecolor=face, markersize=5, linestyle="", label=text)
    for group, colour in colours.items() if len(colours) > 1 else ():
        panel.plot([], [], marker="s", color=colour, linestyle="", label=shortened([group], LONGEST_LABEL)[0])


def _edge(lines: Sequence[Dot]) -> float:
    """Where intervals without an end are cut off: a tenth of the width beyond all that is finite."""
    ends = [end for line in lines for end in (line.value, line.low, line.high, line.before) if math.isfinite(end)]
    return max(ends) + 0.1 * (max(ends) - min(ends) or 1.0) if ends else 1.0


def _draw_bars(panel: Any, lines: Sequence[Dot], axes: Axes, colours: dict[object, str]) -> None:
    """Bars of the same lines, one part after the other, the later ones paler."""
    begin = np.zeros(len(lines))
    for part, name in enumerate(axes.parts):
        lengths = np.array([line.bars[part] for line in lines])
        shade = 0.85 / (1 + 2 * part)
        panel.barh(range(len(lines)), lengths, left=begin, color=[colours[line.group] for line in lines], alpha=shade, height=0.7)
        begin += lengths
        if len(axes.parts) > 1:
            panel.plot([], [], marker="s", color=INK, alpha=shade, linestyle="", label=name)
    panel.set_xlabel(axes.bars)
    panel.grid(visible=False, axis="y")
    panel.tick_params(axis="y", length=0)


def _named(panel: Any) -> list[Any]:
    """The marks of a panel that have a name."""
    handles: list[Any] = panel.get_legend_handles_labels()[0]
    return handles
