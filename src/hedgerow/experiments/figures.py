"""Figures of simulations: mean curves with +-1 standard deviation, and META's share of its experts beside them."""

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from ..present.plots import GREY, looks, new_figure, style
from .result import Simulation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BAND_OPACITY = 0.07
MEASURE_LABELS = {
    "per round": "reward per round so far",
    "reward": "cumulative reward",
    "regret": "cumulative regret",
    "normalised": "reward per round so far\n/ largest reward",
    "of the best": "reward so far\n/ reward of the best arms",
}


def measured(result: Simulation, policy: str, measure: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The curves of a policy.

    Args:
        result: the simulation.
        policy: its name.
        measure: one of ``MEASURE_LABELS``.

    Returns:
        A row per trial, a column per marked round.

    Raises:
        ValueError: if there is no such measure.
    """
    at = result.policies.index(policy)
    if measure in ("reward", "regret"):
        return np.asarray(getattr(result, measure)[at])
    per_round = result.reward[at] / result.at
    scale = {"per round": 1.0, "normalised": result.largest[:, None], "of the best": result.best / result.at}
    if measure not in scale:
        raise ValueError(f"measure must be one of {', '.join(MEASURE_LABELS)}, got {measure!r}")
    return np.asarray(per_round / scale[measure])


FIRST_ROUND_DRAWN = 10
"""The round from which curves are drawn: the mean of a few rewards says nothing."""


def draw_curves(axes: Any, result: Simulation, measure: str, policies: Sequence[str]) -> None:
    """Draw means over trials; the band of +-1 standard deviation is left out for controls.

    Args:
        axes: axes of matplotlib.
        result: the simulation.
        measure: one of ``MEASURE_LABELS``.
        policies: names of the policies to draw.
    """
    shown = result.at >= min(FIRST_ROUND_DRAWN, result.at[-1])
    at, look = result.at[shown], looks(result.policies)
    for position, policy in enumerate(policies):
        values = measured(result, policy, measure)[:, shown]
        mean, sd = values.mean(axis=0), values.std(axis=0)
        every = (position / len(policies) * 0.1, 0.1)
        axes.plot(at, mean, label=policy, markersize=4, markevery=every, **look[policy])
        if not policy.endswith("shuffled"):
            axes.fill_between(at, mean - sd, mean + sd, color=look[policy]["color"], alpha=BAND_OPACITY, linewidth=0)
    axes.set(xlabel="round", ylabel=MEASURE_LABELS[measure])
    if measure != "regret":
        _settled(axes, result, measure, policies)


def _settled(axes: Any, result: Simulation, measure: str, policies: Sequence[str]) -> None:
    """Limit the vertical axis to what happens after the first fiftieth of the rounds."""
    late = result.at >= result.at[-1] / 50
    curves = np.stack([measured(result, policy, measure)[:, late] for policy in policies])
    means, sds = curves.mean(axis=1), curves.std(axis=1)
    low, high = float((means - sds).min()), float((means + sds).max())
    room = 0.05 * (high - low or 1.0)
    axes.set_ylim(low - room, high + room)


def draw_shares(axes: Any, result: Simulation) -> None:
    """Draw the share of rounds so far in which each META followed its clustered expert, its first.

    Args:
        axes: axes of matplotlib.
        result: the simulation.
    """
    shown = result.at >= min(FIRST_ROUND_DRAWN, result.at[-1])
    at, look = result.at[shown], looks(result.policies)
    for policy, (first, second) in result.experts.items():
        shares = (result.followed[result.policies.index(policy), :, :, 0] / result.at)[:, shown]
        mean, sd = shares.mean(axis=0), shares.std(axis=0)
        axes.plot(at, mean, markersize=4, markevery=0.1, **look[policy])
        axes.fill_between(
            at, np.clip(mean - sd, 0, 1), np.clip(mean + sd, 0, 1), color=look[policy]["color"], alpha=BAND_OPACITY, linewidth=0
        )
        axes.set_ylabel(f"share of rounds with {first}\n(the rest: {second})")
    axes.set(xlabel="round", ylim=(-0.02, 1.02))


def curves(result: Simulation, *, measure: str, policies: Sequence[str]) -> "Figure":
    """One panel of curves, the legend beside it.

    Args:
        result: the simulation.
        measure: one of ``MEASURE_LABELS``.
        policies: names of the policies to draw.

    Returns:
        The figure.
    """
    with style():
        figure = new_figure(7.5, 3.8)
        axes = figure.subplots()
        draw_curves(axes, result, measure, policies)
        title = fill(f"{result.problem}; {result.trials} trials, seed {result.seed}", 100)
        figure.suptitle(title, fontsize=8)
        figure.legend(loc="outside right upper")
    return figure


def panels(results: Sequence[tuple[str, Simulation, str, str]], *, log: bool = False, marks: Sequence[int] = ()) -> "Figure":
    """A row per panel: the curves, and META's share beside them; one legend below.

    Args:
        results: title, simulation, measure and unit of each panel.
        log: whether rounds are on a logarithmic axis.
        marks: rounds that have a dotted line.

    Returns:
        The figure.
    """
    with style():
        figure = new_figure(9.0, 0.9 + 2.7 * len(results))
        grid = figure.subplots(len(results), 2, squeeze=False, width_ratios=(1.6, 1))
        for (left, right), (title, result, measure, unit) in zip(grid, results, strict=True):
            draw_curves(left, result, measure, result.policies)
            left.set_ylabel(MEASURE_LABELS[measure] + unit)
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


def radii(results: Sequence[tuple[str, Simulation]]) -> "Figure":
    """Figure (c): for each eps rewards over the largest of the instance, over those of the best arms, and META's shares.

    Args:
        results: title and simulation of each eps.

    Returns:
        The figure.
    """
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
