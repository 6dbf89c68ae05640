"""What a policy has learnt: arrays with a row per node of its tree.

They are made whole and put in place at once, so that neither another thread nor an interruption finds them half changed.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from .arms import Arms
from .statistics import derived_size, refresh
from .tournament import CROSSOVER, seated
from .types import Floats, Integers, Label, Links

PRECISIONS = {"double": np.float64, "single": np.float32}


class Layout(NamedTuple):
    """The settings that shape the arrays."""

    dimension: int | None
    precision: str
    cluster_history: bool
    tournament: bool


class Nodes(NamedTuple):
    """The tree and its rows: online sums, historical sums, derived rows (see statistics.py), tournaments (tournament.py)."""

    arms: Arms
    online: Floats
    past: Floats
    derived: Floats
    places: Integers
    seats: Links
    seat_of: Links
    heap: Floats

    def online_rows(self, labels: Iterable[Label]) -> Floats:
        """Online sums of the arms in this order."""
        rows: Floats = self.online[[self.arms.leaf(arm) for arm in labels]]
        return rows


def plant(arms: Arms, online: Floats, past_rows: Floats, layout: Layout) -> Nodes:
    """Nodes from the online rows of all nodes and the historical rows of the arms."""
    past = arms.totals(past_rows)
    if not layout.cluster_history:
        past[list(arms.inner)] = 0.0
    derived = np.zeros((len(online), derived_size(layout.dimension)), dtype=PRECISIONS[layout.precision])
    if layout.dimension:
        for node in range(1, len(online)):
            refresh(online, past, derived, node, layout.dimension)
    return with_tournaments(arms, online, past, derived, layout)


def with_tournaments(arms: Arms, online: Floats, past: Floats, derived: Floats, layout: Layout) -> Nodes:
    """Nodes whose rows are at hand; where many stand side by side, and the rule allows it, they get a tournament."""
    crossover = CROSSOVER if layout.tournament else len(online)
    return Nodes(arms, online, past, derived, *seated(arms.tree, past, crossover))
