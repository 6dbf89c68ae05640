"""What a history shows of itself: a frame, a figure, and what a notebook prints."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.noise import arm_noise
from ..core.sums import PLAYS
from ..core.types import Floats, Label
from ..present.dots import Axes, Dot, dots_figure
from ..present.frames import framed, label_column, label_text
from ..present.numbers import decimals, numeral
from ..present.pages import notebook
from ..present.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_ROWS = 20
"""Arms that a notebook shows; ``frame()`` has all."""

DIGITS = 3
"""That a notebook shows of the largest mean."""


class HistoryView:
    """The part of a History that shows what it holds."""

    arms: tuple[Label, ...]
    sums: Floats

    def _means(self) -> list[tuple[float, float]]:
        """Mean reward of each arm, and the standard deviation of its rewards."""
        none, found = np.zeros_like(self.sums), []
        for row in range(len(self.arms)):
            plays, mean, deviations = arm_noise(none, self.sums, row, 1.0)
            found.append((mean if plays else math.nan, math.sqrt(deviations / (plays - 1.0)) if plays > 1.0 else math.nan))
        return found

    def frame(self, backend: Any = "polars") -> Any:
        """The history as a data frame.

        Args:
            backend: polars, pandas or pyarrow.

        Returns:
            A row for each arm: plays, mean reward, and the standard deviation of its rewards.

        Raises:
            ImportError: Without the backend.
        """
        columns: dict[str, Any] = {"arm": label_column(self.arms), "plays": self.sums[:, PLAYS].tolist()}
        for at, name in enumerate(("mean", "deviation")):
            columns[name] = [None if math.isnan(pair[at]) else pair[at] for pair in self._means()]
        return framed(columns, backend)

    def plot(self) -> "Figure":
        """The mean reward of each arm with its standard error, and its plays.

        Returns:
            A figure of matplotlib, of the arms with the most plays.

        Raises:
            ImportError: Without matplotlib.
        """
        lines = []
        for row, (mean, deviation) in enumerate(self._means()):
            plays = float(self.sums[row, PLAYS])
            error = deviation / math.sqrt(plays) if plays else math.nan
            lines.append(Dot(self.arms[row], mean, mean - error, mean + error, bars=(plays,)))
        lines.sort(key=lambda line: -line.bars[0])
        axes = Axes(repr(self), "mean reward, with its standard error", "plays", parts=("plays",))
        return dots_figure(lines, axes)

    def _repr_html_(self) -> str | None:
        means, order = self._means(), np.argsort(-self.sums[:, PLAYS], kind="stable").tolist()
        more = len(order) - MOST_ROWS
        below = [f"{more:,} more arms: all are in frame()."] if more > 0 else []
        return notebook(repr(self), table=self._shown(order[:MOST_ROWS], means), below=below)

    def _shown(self, rows: Sequence[int], means: Sequence[tuple[float, float]]) -> Table:
        after = decimals((means[row][0] for row in rows), DIGITS)
        cells = [
            (label_text(self.arms[row]), numeral(float(self.sums[row, PLAYS])), f"{means[row][0]:,.{after}f}".replace("nan", ""))
            for row in rows
        ]
        return Table(("arm", "plays", "mean reward"), cells, numbers=("plays", "mean reward"))
