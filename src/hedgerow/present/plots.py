"""The style of all figures: colours, markers, labels that fit, SVG that takes the colour of the text around it."""

import io
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import cycle
from typing import TYPE_CHECKING, Any

from ..core import extras

if TYPE_CHECKING:
    from matplotlib.figure import Figure


INK = "#0b0c0d"
"""Text and axes; in the page it becomes the colour of the text around, so that figures suit light and dark."""

OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Colours told apart by colour-blind readers."""

BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, _ = OKABE_ITO
GREY = "#888888"
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


def looks(policies: Iterable[str]) -> dict[str, dict[str, Any]]:
    """How each policy of a figure is drawn; a control with shuffled labels is dashed, in the colour of its policy.

    Args:
        policies: names of the policies.

    Returns:
        Arguments of matplotlib's ``plot`` by policy.
    """
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
    """An empty figure.

    Args:
        width: inches.
        height: inches.

    Returns:
        The figure.
    """
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def plain(label: object) -> str:
    """A label of the user's as it is: matplotlib would read what stands between two dollars as a formula.

    Args:
        label: the label.

    Returns:
        Its text, with dollars escaped.
    """
    return str(label).replace("$", r"\$")


def short(label: object, most: int, begin: int | None = None) -> str:
    """A label for an axis: its beginning and its end, if it is long.

    Args:
        label: the label.
        most: letters that it may have.
        begin: letters of the beginning; half of them if left out.

    Returns:
        Its text.

    Examples:
        >>> short("Category 12: garden tools", 16)
        'Categor…en tools'
        >>> short(("garden", "tools"), 16)
        'garden / tools'
    """
    text = " / ".join(map(str, label)) if isinstance(label, tuple) else str(label)
    first = (most - 1) // 2 if begin is None else begin
    return plain(text if len(text) <= most else f"{text[:first]}…{text[len(text) - (most - 1 - first) :]}")


def shortened(labels: Iterable[object], most: int) -> list[str]:
    """Labels for an axis; those that would look alike show their end, else their beginning, else a number.

    Args:
        labels: the labels.
        most: letters that each may have.

    Returns:
        Their texts.

    Examples:
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
    """One look for all figures that are made within.

    Yields:
        Nothing.

    Raises:
        ImportError: without matplotlib.
    """
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise extras.absent("a figure", "matplotlib", "plot") from error

    parts = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    settings: dict[str, Any] = dict.fromkeys(parts, INK)
    settings |= {"font.size": 9, "axes.titlesize": 9.5, "axes.spines.top": False, "axes.spines.right": False}
    settings |= {"svg.fonttype": "none", "svg.hashsalt": "hedgerow", "font.family": "sans-serif", "legend.frameon": False}
    settings |= {"axes.grid": True, "grid.color": GREY, "grid.alpha": 0.25, "grid.linewidth": 0.6, "axes.facecolor": "none"}
    context: Any = mpl.rc_context
    with context(settings):
        yield


def svg(figure: "Figure") -> str:
    """A figure to be put into a page, in the colour of the text around it.

    Args:
        figure: the figure.

    Returns:
        An svg element.
    """
    buffer = io.StringIO()
    with style(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the page has the text itself, and its reader's fonts
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :].replace(INK, "currentColor")
