"""Why a policy would choose as it does."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from ..core.arms import Arms
from ..core.labels import name_of
from ..core.sums import PLAYS, waiting_at
from ..core.types import Label
from ..present.dots import Axes, Dot, dots_figure
from ..present.frames import framed, label_column
from ..present.numbers import decimals
from ..present.pages import notebook
from ..present.tables import Table
from ..present.text import printable
from .family import Arrays, Estimates

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_SCORES = 100
"""Lines that a notebook shows; ``frame()`` has all."""


@dataclass(frozen=True, slots=True)
class Score:
    """One line of an explanation. ``index = mean + width``; without any data the mean is NaN and the index infinite.

    D3RB goes by prices: the index of an expert is minus its potential (d3rb.py), and the width is NaN.

    ``waiting``: expected decisions that wait for their reward. ``reason``: what carries the index, of policies that say.
    """

    kind: str
    label: Label
    mean: float
    width: float
    index: float
    plays: int
    history: float
    waiting: int = 0
    reason: str = ""


def explained(arms: Arms, arrays: Arrays, estimates: Estimates) -> "Explanation":
    """The scores of every cluster, then of every arm.

    Args:
        arms: Labels of arms and clusters, and the node of each.
        arrays: Plays, history and waiting decisions of each node.
        estimates: Mean and index of each node, and the settings that the policy has estimated.

    Returns:
        The explanation of a policy without experts.
    """
    nodes = [("cluster", name_of(path), node) for node, path in arms.inner.items()]
    nodes += [("arm", arm, int(leaf)) for arm, leaf in zip(arms.labels, arms.leaves, strict=True)]
    reasons = estimates.reasons()
    scores = (_score(label, node, arrays, estimates, kind, reasons[node] if reasons else "") for kind, label, node in nodes)
    return Explanation(scores, estimates.settings())


def _score(label: Label, node: int, arrays: Arrays, estimates: Estimates, kind: str, reason: str) -> Score:
    mean, index = float(estimates.means[node]), float(estimates.indices[node])
    width = math.inf if math.isinf(index) else index - mean
    plays, history = arrays.online[node, PLAYS], arrays.history[node, PLAYS]
    waiting = int(waiting_at(arrays.waiting, node))
    return Score(kind, label, mean, width if estimates.additive else math.nan, index, int(plays), float(history), waiting, reason)


def explained_experts(name: str, chooser: "Explanation", inner: Mapping[str, "Explanation"]) -> "Explanation":
    """The scores of the experts, then those within each expert, whose name is the first part of the label.

    Args:
        name: Of the Meta; it comes before the names of the chooser's settings.
        chooser: Explanation of the policy that chooses among the experts.
        inner: Explanation of each expert that has one, by its name.

    Returns:
        The explanation of the Meta.
    """
    scores = [replace(score, kind="expert") for score in chooser]
    settings = {f"{name} {key}": value for key, value in chooser.settings.items()}
    for expert, found in inner.items():
        scores += [replace(score, label=(expert, score.label)) for score in found]
        settings |= {f"{expert} {key}": value for key, value in found.settings.items()}
    return Explanation(scores, settings)


class Explanation(tuple[Score, ...]):
    """The scores of every expert, cluster and arm; prints as a table, and ``rows()`` feeds any data frame.

    ``settings``: what the policy has estimated about itself, such as an automatic scale.
    """

    settings: dict[str, float]

    def __new__(cls, scores: Iterable[Score], settings: dict[str, float] | None = None) -> Self:
        made = super().__new__(cls, scores)
        made.settings = settings or {}
        return made

    def rows(self) -> list[dict[str, object]]:
        """The lines as dicts; with a reason only if one of them has one.

        Returns:
            A dict for each line.
        """
        lines = [asdict(score) for score in self]
        if not any(score.reason for score in self):
            for line in lines:
                del line["reason"]
        return lines

    def frame(self, backend: Any = "polars") -> Any:
        """The lines as a data frame.

        Args:
            backend: polars, pandas or pyarrow.

        Returns:
            A row for each expert, cluster and arm.

        Raises:
            ImportError: Without the backend.
        """
        rows = self.rows()
        columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
        return framed(columns | {"label": label_column(columns.get("label", ()))}, backend)

    def plot(self) -> "Figure":
        """The arms, highest index first: a dot at the mean, and a line from there to the index.

        Returns:
            A figure of matplotlib.

        Raises:
            ImportError: Without matplotlib.
        """
        arms = sorted((score for score in self if score.kind == "arm"), key=lambda score: -score.index)
        lines = [Dot(score.label, score.mean, *_reach(score)) for score in arms]
        return dots_figure(lines, Axes("arms by their index", "mean, and from there to the index"))

    def __str__(self) -> str:
        return "\n".join([self._table().text(), *map(printable, self._estimated())])

    def _repr_html_(self) -> str | None:
        table, more = self._table(), len(self) - MOST_SCORES
        below = [f"{more:,} more lines: all are in frame()."] if more > 0 else []
        return notebook("", table=replace(table, rows=table.rows[:MOST_SCORES]), below=[*below, *self._estimated()])

    def _estimated(self) -> list[str]:
        """What the policy has estimated, in a line; none if it has estimated nothing."""
        return [", ".join(f"{name} = {value:.4g}" for name, value in self.settings.items())] if self.settings else []

    def _table(self) -> Table:
        after = max(min(4, decimals((s.mean for s in self), 6)), decimals((s.width for s in self), 3))
        cells = {
            "kind": [s.kind for s in self],
            "label": [str(s.label) for s in self],
            "mean": [f"{s.mean:.{after}f}" for s in self],
            "width": [f"{s.width:.{after}f}" for s in self],
            "index": [f"{s.index:.{after}f}" for s in self],
            "plays": [str(s.plays) for s in self],
            "history": [f"{s.history:.10g}" for s in self],
            "waiting": [str(s.waiting) for s in self] if any(s.waiting for s in self) else [],
            "reason": [s.reason for s in self] if any(s.reason for s in self) else [],
        }
        columns = [name for name, column in cells.items() if column]
        rows = list(zip(*(cells[name] for name in columns), strict=True))
        return Table(columns, rows, numbers=[name for name in columns if name not in ("kind", "label", "reason")])


def _reach(score: Score) -> tuple[float, float]:
    """From the mean to the index; nothing where the index is no mean and width."""
    begin = score.mean if math.isfinite(score.mean) else score.index
    return (min(begin, score.index), max(begin, score.index)) if not math.isnan(score.width) else (math.nan, math.nan)
