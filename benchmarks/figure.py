"""The growth figure: time per round against the number of arms, of features and of rounds, log-log."""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
from results import Results

STYLES = {  # Okabe and Ito's colours, told apart by colour-blind readers; markers for print
    "UCB": ("#0072B2", "o"),
    "HUCBC": ("#E69F00", "s"),
    "LinUCB, d = 5": ("#009E73", "^"),
    "LinUCB, K = 100": ("#CC79A7", "D"),
    "UCB, K = 100": ("#56B4E9", "v"),
    "UCB, K = 10000": ("#D55E00", "P"),
}
PANELS = {"arms": "arms K", "dimension": "features d", "rounds": "rounds T"}
FROM = {"arms": 100.0}
"""Where the fit of a panel begins, if not with the first point."""


def draw(results: Results, path: Path) -> None:
    """Write the figure; the legend of each panel stands below it."""
    figure, axes = plt.subplots(1, len(PANELS), figsize=(13, 5.2), sharey=True, layout="constrained")
    for axis, (panel, label) in zip(axes, PANELS.items(), strict=True):
        for (where, curve), points in results.curves.items():
            if where == panel and points:
                _curve(axis, results, panel, curve, points)
        axis.set(xscale="log", yscale="log", xlabel=label)
        axis.grid(True, which="major", color="0.9")
        axis.spines[["top", "right"]].set_visible(False)
        if axis.lines:
            axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), frameon=False)
    axes[0].set_ylabel("CPU time per round (microseconds)")
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _curve(axis: plt.Axes, results: Results, panel: str, curve: str, points: list[tuple[float, float]]) -> None:
    colour, marker = STYLES[curve]
    exponent = results.exponent(panel, curve, FROM.get(panel, 0.0))
    fitted = f", exponent {exponent:.2f}" if exponent is not None else ""
    x, y = zip(*points, strict=True)
    axis.plot(x, [1e6 * seconds for seconds in y], color=colour, marker=marker, label=curve + fitted)
