"""The figures of the wild league: how far from the best, by policy and by factor."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.wild.contestants import BASELINE
from benchmarks.wild.factors import cuts
from benchmarks.wild.scores import Scores
from benchmarks.wild.statistics import geometric_mean, ratio_to_best
from benchmarks.wild.tables import protagonist
from hedgerow.present.plots import GREY, OKABE_ITO, new_figure, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DRAWN_POLICIES = {
    "classical": (
        "Auto",
        f"{BASELINE}Auto",
        "HUCBC 1/4 estimated sd",
        "HUCB 1/8 estimated sd",
        "AdaUCB",
        "META auto",
        "HUCB auto",
    ),
    "contextual": ("Auto", f"{BASELINE}Auto", "HLinUCB 0.25", "HLinUCBC 0.25", "META 0.25", "LinTSC 0.25"),
}
"""Policies whose distributions are drawn."""

WIDEST_RATIO = 50.0
"""Largest ratio on the axis of the distributions."""

COLOURS = (OKABE_ITO[1], OKABE_ITO[0], *OKABE_ITO[2:])
DASHES = ("-", "-", "-", "--", "--", ":", ":")
"""Lines are told apart on a black-and-white print, too."""

DOTS_PER_INCH = 130


def distribution(panels: Sequence[tuple[str, str, Scores]]) -> "Figure":
    """Draw in which share of problems each policy is within which ratio to the best.

    Args:
        panels: Title, "classical" or "contextual", and scores.

    Returns:
        The figure.
    """
    with style():
        figure = new_figure(4.6 * len(panels) + 0.6, 4.6)
        grid = figure.subplots(1, len(panels), squeeze=False, sharey=True)[0]
        for axes, (title, kind, scores) in zip(grid, panels, strict=True):
            for name, colour, dashes in zip(_shown(scores, kind), COLOURS, DASHES, strict=False):
                ratios = np.sort(ratio_to_best(scores, name))
                share = np.arange(1, ratios.size + 1) / ratios.size
                width = 2.6 if name == protagonist(scores) else 1.4
                axes.step(ratios, share, where="post", label=name, color=colour, linestyle=dashes, linewidth=width)
            axes.set(
                xscale="log", xlim=(1.0, WIDEST_RATIO), ylim=(0, 1), xlabel="regret over that of the best policy of the problem"
            )
            axes.set_title(f"{title}: {len(scores.problems)} problems", loc="left")
            axes.legend(loc="lower right")
            _plain_ticks(axes.xaxis, (1, 1.2, 2, 5, 10, 20, 50))
        grid[0].set_ylabel("share of problems within it")
    return figure


def by_factor(scores: Scores, title: str) -> "Figure":
    """Draw the geometric mean of the ratio to the best at each level of each factor, with intervals.

    Args:
        scores: Of problems of one kind.
        title: Above the figure.

    Returns:
        The figure.
    """
    found = cuts(scores.problems)
    us = protagonist(scores)
    names = [name for name in (us, f"{BASELINE}Auto") if name in scores.complete]
    half = _half([factor for factor, _, _ in found])
    with style():
        figure = new_figure(9.2, 1.2 + 0.23 * max(half, len(found) - half))
        for axes, part in zip(figure.subplots(1, 2, sharex=True), (found[:half], found[half:]), strict=True):
            _draw_levels(axes, scores, part, tuple(dict.fromkeys(names)))
        figure.suptitle(title, fontsize=9.5)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


def save(figure: "Figure", path: Path) -> None:
    """Write a figure as a PNG on white.

    Args:
        figure: The figure.
        path: Where.
    """
    figure.savefig(path, dpi=DOTS_PER_INCH, facecolor="white", metadata={"Software": None})


def _shown(scores: Scores, kind: str) -> list[str]:
    return [name for name in DRAWN_POLICIES[kind] if name in scores.complete] or [protagonist(scores)]


def _half(factors: Sequence[str]) -> int:
    """Where the list of levels is cut in two: at the beginning of a factor, near its middle."""
    begins = [at for at, factor in enumerate(factors) if at and factor != factors[at - 1]]
    return min(begins, key=lambda at: abs(at - len(factors) / 2)) if begins else len(factors)


def _draw_levels(axes: Any, scores: Scores, part: Sequence[tuple[str, str, list[bool]]], names: Sequence[str]) -> None:
    labels, places, place = [], [], 0.0
    for at, (factor, level, chosen) in enumerate(part):
        place += 1.6 if at and factor != part[at - 1][0] else 1.0
        labels.append(f"{factor}: {level} ({sum(chosen)})")
        places.append(place)
        cut = scores.where(chosen)
        for shift, name, colour in zip((-0.14, 0.14), names, COLOURS, strict=False):
            found = geometric_mean(ratio_to_best(cut, name))
            reach = [[found.value - found.low], [found.high - found.value]]
            label = name if at == 0 else None
            axes.errorbar(found.value, place + shift, xerr=reach, fmt="o", markersize=3.5, color=colour, linewidth=1, label=label)
    axes.axvline(1.0, color=GREY, linewidth=0.8)
    axes.set(xscale="log", yticks=places, ylim=(place + 1.0, 0.0), xlabel="ratio to the best, geometric mean")
    axes.set_yticklabels(labels, fontsize=7.5)
    axes.grid(visible=False, axis="y")
    _plain_ticks(axes.xaxis, (1, 1.5, 2, 3, 5, 10))


def _plain_ticks(axis: Any, at: Sequence[float]) -> None:
    """Ticks at these numbers, written as they are."""
    axis.set_major_locator(_ticker().FixedLocator(at))
    axis.set_major_formatter(_ticker().FormatStrFormatter("%g"))
    axis.set_minor_locator(_ticker().NullLocator())


def _ticker() -> Any:
    from matplotlib import ticker

    return ticker
