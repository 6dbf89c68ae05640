"""Figures of a verdict: gains with intervals, rewards and trust over time, arms by group."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.types import Floats, Label
from ..present.plots import BLUE, GREEN, GREY, INK, ORANGE, VERMILION, new_figure, shortened, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .trust_over_time import Course
    from .verdict import Evaluation

GAIN_LABELS = {
    "history": "history",
    "grouping": "grouping",
    "labels": "labels against\nshuffled ones",
    "log": "no groups\nagainst the log",
}
WARM_CURVES = {
    "UCB": ("UCB, cold", GREY),
    "HUCB": ("HUCB", ORANGE),
    "grouped": ("HUCBC", BLUE),
    "shuffled": ("HUCBC, shuffled labels", VERMILION),
}
COLD_NAMES = {"UCB": "UCB", "grouped": "UCBC", "shuffled": "UCBC, shuffled labels"}
MOST_ARMS, MOST_NAMED, MOST_GROUPS = 200, 40, 40
"""More arms than this would be a smear: then each group shows its best; fewer arms have names, and so have some groups."""

LONGEST_NAME = 28
"""Letters of an arm's name."""


def gains_figure(found: "Evaluation") -> "Figure":
    """Gains per 1000 decisions with 90 % intervals, replay beside simulation.

    Args:
        found: the verdict.

    Returns:
        The figure.
    """
    parts: list[tuple[str, dict[str, Any], str, str]] = [(f"simulation, {found.setting.rounds:,} rounds", found.gains, BLUE, "o")]
    if found.replay is not None:
        parts.append((f"replay, {found.replay.rounds:,} rounds", found.replay.gains, ORANGE, "s"))
    if found.contextual is not None:
        parts.append((f"replay with contexts, {found.contextual.rounds:,} rounds", found.contextual.gains, GREEN, "D"))
    names = list(found.gains)
    with style():
        figure = new_figure(8.0, 0.9 + 0.62 * len(names))
        axes = figure.subplots()
        for at, (label, gains, colour, marker) in enumerate(parts):
            rows = [names.index(name) + 0.18 * at for name in gains]
            value, low, high = (np.array([getattr(gain, end) for gain in gains.values()]) for end in ("value", "low", "high"))
            axes.errorbar(value, rows, xerr=[value - low, high - value], fmt=marker, color=colour, capsize=3, label=label)
        axes.axvline(0.0, color=INK, linewidth=0.8)
        axes.set(
            yticks=range(len(names)),
            yticklabels=[GAIN_LABELS[name] for name in names],
            xlabel="gain per 1000 decisions, 90 % interval",
        )
        axes.invert_yaxis()
        if len(parts) > 1:
            figure.legend(loc="outside upper right", ncols=3)
    return figure


def curves_figure(found: "Evaluation") -> "Figure":
    """Expected reward per round of each policy, the mean over worlds: how soon it can be trusted with the choice.

    Args:
        found: the verdict.

    Returns:
        The figure.
    """
    window = max(found.setting.rounds // 50, 1)
    with style():
        figure = new_figure(8.0, 3.4)
        axes = figure.subplots()
        for name, curve in found.curves.items():
            label, colour = WARM_CURVES[name]
            smooth = np.convolve(curve, np.full(window, 1.0 / window), mode="valid")
            rounds = np.arange(smooth.size) + (window + 1) / 2
            shown = label if "HUCB" in found.curves else COLD_NAMES[name]
            dashes, width = ("--" if name == "shuffled" else "-"), (4.0 if name == "HUCB" else 1.6)  # HUCBC may lie on HUCB
            axes.plot(rounds, smooth, color=colour, label=shown, linestyle=dashes, linewidth=width)
        axes.set(xlabel="decision", ylabel="expected reward")
        figure.legend(loc="outside right upper")
    return figure


def course_figure(course: "Course", scale: float) -> "Figure":
    """What the groups explain, and how far arms have moved since the history, as rows come in; rewards vary by ``scale``.

    Args:
        course: the two kinds of trust after each part of the rows.
        scale: standard deviation of the rewards.

    Returns:
        The figure.
    """
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    with style():
        parts = [part for part, known in (("share", course.share), ("moved", course.moved)) if known is not None]
        figure = new_figure(8.0, 2.8)
        for axes, part in zip(figure.subplots(1, len(parts), squeeze=False)[0], parts, strict=True):
            if part == "share" and course.share is not None:
                median, low, high = 100.0 * course.share
                axes.fill_between(course.rows, low, high, color=BLUE, alpha=0.2, linewidth=0)
                axes.plot(course.rows, median, color=BLUE, marker="o", markersize=3, clip_on=False)
                axes.set(title="groups explain, % of real differences", ylim=(0.0, 100.0))
            elif course.moved is not None:
                axes.plot(course.rows, course.moved, color=ORANGE, marker="o", markersize=3, clip_on=False)
                axes.set(title="arms have moved since history by", ylim=(0.0, max(1.2 * float(course.moved.max()), 0.2 * scale)))
            axes.set(xlabel="later rows seen", xlim=(0, None))
            axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
            axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    return figure


def arms_figure(arms: tuple[Label, ...], clusters: tuple[Label, ...] | None, means: Floats) -> "Figure":
    """Estimated expected reward of each arm with its 90 % interval, groups side by side, best group first; of many the best.

    Args:
        arms: the arms.
        clusters: the cluster of each, None without clusters.
        means: median, 5 % and 95 % quantile of each (3 x arms).

    Returns:
        The figure.
    """
    median, low, high = means
    groups: dict[Label, list[int]] = {}
    for at, label in enumerate(clusters or ("all arms",) * len(arms)):
        groups.setdefault(label, []).append(at)
    ordered = sorted(groups.items(), key=lambda item: -float(median[item[1]].mean()))
    most = len(arms) if len(arms) <= MOST_ARMS else max(MOST_ARMS // len(ordered), 1)
    with style():
        figure = new_figure(8.0, 4.2 if len(arms) <= MOST_NAMED else 3.6)
        axes = figure.subplots()
        place, middles = 0, []
        places: dict[int, Label] = {}
        for turn, (_, members) in enumerate(ordered):
            inside = sorted(members, key=lambda at: -median[at])[:most]
            x = np.arange(place, place + len(inside))
            error = [median[inside] - low[inside], high[inside] - median[inside]]
            axes.errorbar(x, median[inside], yerr=error, fmt="o", markersize=3, linewidth=1, color=(BLUE, ORANGE)[turn % 2])
            middles.append(place + (len(inside) - 1) / 2.0)
            places |= {place + rank: arms[at] for rank, at in enumerate(inside)}
            place += len(inside) + 1
        shown = f"the {most} best of each group, at most" if most < max(map(len, groups.values())) else ""
        axes.set(ylabel="expected reward", xlabel=shown)
        _name_places(axes, places if len(arms) <= MOST_NAMED else {}, [label for label, _ in ordered], middles)
    return figure


def _name_places(axes: Any, places: dict[int, Label], groups: list[Label], middles: list[float]) -> None:
    """Names of the groups, and below them those of the arms, if they are few."""
    axes.grid(False, axis="x")
    above: Any = axes
    if places:
        axes.set_xticks(list(places), shortened(places.values(), LONGEST_NAME), rotation=90, fontsize=7)
        above = axes.secondary_xaxis("top")
        above.tick_params(length=0)
        above.spines[:].set_visible(False)
    step = -(-len(groups) // MOST_GROUPS)
    names = shortened(groups, max(16, 80 // len(groups)))
    above.set_xticks(middles[::step], names[::step], rotation=45 if len(names) > 6 else 0, fontsize=8)


def verdict_figure(found: "Evaluation") -> "Figure":
    """The first figure of a verdict that there is: gains, or nothing but a sentence if it was refused.

    Args:
        found: the verdict.

    Returns:
        The figure.
    """
    if found.gains:
        return gains_figure(found)
    with style():
        figure = new_figure(8.0, 1.2)
        figure.text(0.02, 0.5, "\n".join(("Refused:", *found.refused)), va="center", wrap=True)
    return figure
