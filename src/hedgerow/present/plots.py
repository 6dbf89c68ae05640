"""Figures with matplotlib: mean curves with +-1 standard deviation, and META's share of its experts beside them."""

import io
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..experiments.result import Simulation

INK = "#0b0c0d"
"""Text and axes; in the page it becomes the colour of the text around, so that figures suit light and dark."""

OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Colours told apart by colour-blind readers."""

BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, _ = OKABE_ITO
GREY = "#888888"
BAND = 0.07
LOOKS = {
    "UCB": (GREY, "o"),
    "HUCB": (ORANGE, "s"),
    "UCBC": (SKY, "^"),
    "HUCBC": (BLUE, "D"),
    "HUCBC'": (GREEN, "v"),
    "META": (VERMILION, "P"),
    "META, own rounds": (PURPLE, "X"),
}
"""Colour and marker of each policy: told apart by colour-blind readers and on a black-and-white print."""

OTHERS = ((INK, "*"), (GREEN, "<"), (PURPLE, ">"), (VERMILION, "h"), (SKY, "p"), (ORANGE, "d"), (BLUE, "H"), (GREY, "8"))
"""Of policies that are not the paper's, in the order in which they are given."""

LABELS = {
    "per round": "reward per round so far",
    "reward": "cumulative reward",
    "regret": "cumulative regret",
    "normalised": "reward per round so far\n/ largest reward",
    "of the best": "reward so far\n/ reward of the best arms",
}


def looks(policies: Iterable[str]) -> dict[str, dict[str, Any]]:
    """How each policy of a figure is drawn; a control with shuffled labels is dashed, in the colour of its policy."""
    names = {policy: policy.partition(" shuffled")[0].replace("Lin", "") for policy in policies}
    others = dict.fromkeys(name for name in names.values() if name not in LOOKS)
    taken = {LOOKS[name][0] for name in names.values() if name in LOOKS}
    known = LOOKS | dict(zip(others, cycle(sorted(OTHERS, key=lambda look: look[0] in taken)), strict=False))
    drawn = {}
    for policy, name in names.items():
        (colour, marker), dashed = known[name], " shuffled" in policy
        line = {"linestyle": (0, (4, 2)) if dashed else "-", "linewidth": 1.0 if dashed else 1.6}
        drawn[policy] = {"color": colour, "marker": marker, **line}
    return drawn


def new_figure(width: float, height: float) -> "Figure":
    """An empty figure, in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def plain(label: object) -> str:
    """A label of the user's as it is: matplotlib would read what stands between two dollars as a formula."""
    return str(label).replace("$", r"\$")


def short(label: object, most: int, begin: int | None = None) -> str:
    """A label of at most so many letters, for an axis: its beginning (half of them, or ``begin``) and its end.

    >>> short("Category 12: garden tools", 16)
    'Categor…en tools'
    >>> short(("garden", "tools"), 16)
    'garden / tools'
    """
    text = " / ".join(map(str, label)) if isinstance(label, tuple) else str(label)
    first = (most - 1) // 2 if begin is None else begin
    return plain(text if len(text) <= most else f"{text[:first]}…{text[len(text) - (most - 1 - first) :]}")


def shortened(labels: Iterable[object], most: int) -> list[str]:
    """Labels of at most so many letters; those that would look alike show their end, else their beginning, else a number.

    >>> shortened(["garden tools, red, new", "garden tools, old, new", "seeds"], 12)
    ['…s, red, new', '…s, old, new', 'seeds']
    >>> shortened(["garden tools, red, brand new", "garden tools, old, brand new"], 12)
    ['garden tool… (1)', 'garden tool… (2)']
    """
    given = list(labels)
    cut = [short(label, most) for label in given]
    for begin in (0, most - 1):
        times = Counter(cut)
        cut = [short(label, most, begin) if times[text] > 1 else text for label, text in zip(given, cut, strict=True)]
    times, seen = Counter(cut), Counter[str]()
    for at, text in enumerate(cut):
        if times[text] > 1:
            seen[text] += 1
            cut[at] = f"{text} ({seen[text]})"
    return cut


@contextmanager
def style() -> Iterator[None]:
    """One look for all figures."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise ImportError('figures need matplotlib: pip install "hedgerow[cli]"') from error

    parts = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    settings: dict[str, Any] = dict.fromkeys(parts, INK)
    settings |= {"font.size": 9, "axes.titlesize": 9.5, "axes.spines.top": False, "axes.spines.right": False}
    settings |= {"svg.fonttype": "none", "svg.hashsalt": "hedgerow", "font.family": "sans-serif", "legend.frameon": False}
    settings |= {"axes.grid": True, "grid.color": GREY, "grid.alpha": 0.25, "grid.linewidth": 0.6, "axes.facecolor": "none"}
    context: Any = mpl.rc_context
    with context(settings):
        yield


def measured(result: "Simulation", policy: str, measure: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The curves of a policy, (trials, points)."""
    at = result.policies.index(policy)
    if measure in ("reward", "regret"):
        return np.asarray(getattr(result, measure)[at])
    per_round = result.reward[at] / result.at
    scale = {"per round": 1.0, "normalised": result.largest[:, None], "of the best": result.best / result.at}
    if measure not in scale:
        raise ValueError(f"measure must be one of {', '.join(LABELS)}, got {measure!r}")
    return np.asarray(per_round / scale[measure])


FIRST = 10
"""The round from which curves are drawn: the mean of a few rewards says nothing."""


def draw_curves(axes: Any, result: "Simulation", measure: str, policies: Sequence[str]) -> None:
    """Mean over trials; the band of +-1 standard deviation is left out for controls."""
    shown = result.at >= min(FIRST, result.at[-1])
    at, look = result.at[shown], looks(result.policies)
    for position, policy in enumerate(policies):
        values = measured(result, policy, measure)[:, shown]
        mean, sd = values.mean(axis=0), values.std(axis=0)
        every = (position / len(policies) * 0.1, 0.1)
        axes.plot(at, mean, label=policy, markersize=4, markevery=every, **look[policy])
        if not policy.endswith("shuffled"):
            axes.fill_between(at, mean - sd, mean + sd, color=look[policy]["color"], alpha=BAND, linewidth=0)
    axes.set(xlabel="round", ylabel=LABELS[measure])
    if measure != "regret":
        _settled(axes, result, measure, policies)


def _settled(axes: Any, result: "Simulation", measure: str, policies: Sequence[str]) -> None:
    """Limit the vertical axis to what happens after the first fiftieth of the rounds."""
    late = result.at >= result.at[-1] / 50
    curves = np.stack([measured(result, policy, measure)[:, late] for policy in policies])
    means, sds = curves.mean(axis=1), curves.std(axis=1)
    low, high = float((means - sds).min()), float((means + sds).max())
    room = 0.05 * (high - low or 1.0)
    axes.set_ylim(low - room, high + room)


def draw_shares(axes: Any, result: "Simulation") -> None:
    """The share of rounds so far in which each META followed its clustered expert, its first."""
    shown = result.at >= min(FIRST, result.at[-1])
    at, look = result.at[shown], looks(result.policies)
    for policy, (first, second) in result.experts.items():
        shares = (result.followed[result.policies.index(policy), :, :, 0] / result.at)[:, shown]
        mean, sd = shares.mean(axis=0), shares.std(axis=0)
        axes.plot(at, mean, markersize=4, markevery=0.1, **look[policy])
        axes.fill_between(
            at, np.clip(mean - sd, 0, 1), np.clip(mean + sd, 0, 1), color=look[policy]["color"], alpha=BAND, linewidth=0
        )
        axes.set_ylabel(f"share of rounds with {first}\n(the rest: {second})")
    axes.set(xlabel="round", ylim=(-0.02, 1.02))


def curves(result: "Simulation", *, measure: str, policies: Sequence[str]) -> "Figure":
    """One panel of curves, the legend beside it."""
    with style():
        figure = new_figure(7.5, 3.8)
        axes = figure.subplots()
        draw_curves(axes, result, measure, policies)
        title = fill(f"{result.problem}; {result.trials} trials, seed {result.seed}", 100)
        figure.suptitle(title, fontsize=8)
        figure.legend(loc="outside right upper")
    return figure


def panels(results: Sequence[tuple[str, "Simulation", str, str]], *, log: bool = False, marks: Sequence[int] = ()) -> "Figure":
    """A row per panel: the curves, and META's share beside them; one legend below."""
    with style():
        figure = new_figure(9.0, 0.9 + 2.7 * len(results))
        grid = figure.subplots(len(results), 2, squeeze=False, width_ratios=(1.6, 1))
        for (left, right), (title, result, measure, unit) in zip(grid, results, strict=True):
            draw_curves(left, result, measure, result.policies)
            left.set_ylabel(LABELS[measure] + unit)
            draw_shares(right, result)
            left.set_title(title, loc="left")
            for axes in (left, right):
                if log:
                    axes.set_xscale("log")
                for mark in marks:
                    axes.axvline(mark, color=GREY, linewidth=0.8, linestyle=":")
        handles, labels = grid[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4)
    return figure


def radii(results: Sequence[tuple[str, "Simulation"]]) -> "Figure":
    """Figure (c): for each eps rewards over the largest of the instance, over those of the best arms, and META's shares."""
    with style():
        figure = new_figure(9.0, 7.8)
        grid = figure.subplots(3, len(results), squeeze=False)
        for column, (title, result) in enumerate(results):
            for row, measure in enumerate(("normalised", "of the best")):
                draw_curves(grid[row][column], result, measure, result.policies)
            draw_shares(grid[2][column], result)
            grid[0][column].set_title(title, loc="left")
            if column:
                for axes in grid[:, column]:
                    axes.set_ylabel("")
        handles, labels = grid[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4)
    return figure


def svg(figure: "Figure") -> str:
    """The figure as SVG to be put into a page, in the colour of the text around it."""
    buffer = io.StringIO()
    with style(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the page has the text itself, and its reader's fonts
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :].replace(INK, "currentColor")
