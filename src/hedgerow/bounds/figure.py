"""Bounds beside measured regret."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..present.plots import OKABE_ITO, new_figure, style
from .bound import Bound, as_vector, require

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot(bounds: Mapping[str, Callable[..., Bound]], regret: Mapping[str, ArrayLike], *, title: str = "") -> "Figure":
    """Bounds as functions of T (dashed) against measured cumulative regret (solid), both axes logarithmic.

    Names that stand in both share a colour. Below a regret of 1 the vertical axis is linear, so that 0 has a place.

    Args:
        bounds: by name; each is called with ``horizon=T``, as in ``{"HUCB": functools.partial(hucb, means)}``.
        regret: by name, a number per round.
        title: of the figure.

    Returns:
        A figure of matplotlib.
    """
    curves = {name: as_vector(curve, f"regret of {name!r}", "round") for name, curve in regret.items()}
    require(bool(curves), "regret", "at least one curve", regret)
    rounds = np.unique(np.geomspace(1, max(curve.size for curve in curves.values()), 200).round().astype(np.int64))
    colours = {name: OKABE_ITO[at % len(OKABE_ITO)] for at, name in enumerate(dict.fromkeys((*curves, *bounds)))}
    with style():
        figure = new_figure(8.0, 4.5)
        axes = figure.subplots()
        for name, curve in curves.items():
            seen = rounds[rounds <= curve.size]
            axes.plot(seen, curve[seen - 1], color=colours[name], label=f"{name}, measured")
        for name, bound in bounds.items():
            axes.plot(rounds, [bound(horizon=int(t)).value for t in rounds], "--", color=colours[name], label=f"{name}, bound")
        axes.set_yscale("symlog", linthresh=1.0)
        axes.set(xscale="log", xlabel="round T", ylabel="cumulative regret", title=title)
        figure.legend(loc="outside right upper")
    return figure
