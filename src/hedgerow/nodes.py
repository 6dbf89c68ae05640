"""What a policy has learnt: arrays with a row per node of its tree.

They are made whole and put in place at once, so that neither another thread nor an interruption finds them half changed.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from .arms import Arms
from .state import StateFile
from .statistics import PULLS, row_size
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
    """The tree and its rows: online sums, historical sums, decisions that wait, derived rows (see statistics.py, ridge.py);
    the ledger, numbers of the policy as a whole; tournaments (tournament.py)."""

    arms: Arms
    online: Floats
    past: Floats
    pending: Floats
    derived: Floats
    ledger: Floats
    places: Integers
    seats: Links
    seat_of: Links
    heap: Floats

    def online_rows(self, labels: Iterable[Label]) -> Floats:
        """Online sums of the arms in this order."""
        rows: Floats = self.online[[self.arms.leaf(arm) for arm in labels]]
        return rows

    def arrays(self) -> dict[str, Floats]:
        """What is to be saved; what can be rebuilt has "derived" in its name."""
        kept = {"online": self.online, "past": self.past, "pending": self.pending}
        return {**kept, "derived": self.derived, "derived-ledger": self.ledger}


def historical(arms: Arms, rows: Floats, layout: Layout) -> Floats:
    """Historical rows of all nodes from those of the arms."""
    past = arms.totals(rows)
    if not layout.cluster_history:
        past[list(arms.inner)] = 0.0
    return past


def with_tournaments(
    arms: Arms, online: Floats, past: Floats, pending: Floats, derived: Floats, ledger: Floats, layout: Layout
) -> Nodes:
    """Nodes whose rows are at hand; where many stand side by side, and the rule allows it, they get a tournament."""
    crossover = CROSSOVER if layout.tournament else len(online)
    return Nodes(arms, online, past, pending, derived, ledger, *seated(arms.tree, past, crossover))


def restored(
    arms: Arms,
    file: StateFile,
    layout: Layout,
    width: int,
    shapes: tuple[tuple[int, int], tuple[int]],
    pending_shape: tuple[int, int],
) -> Nodes:
    """Nodes from a state file, online rows of this width, others in these shapes; refused if the sums do not fit the tree."""
    count = len(arms.tree)
    online, past = file.array("online", (count, width)), file.array("past", (count, row_size(layout.dimension)))
    pending = file.array("pending", pending_shape)
    derived = file.array("derived", shapes[0]).astype(PRECISIONS[layout.precision])
    ledger = file.array("derived-ledger", shapes[1])
    sound_sums(arms, online, past, layout.cluster_history)
    return with_tournaments(arms, online, past, pending, derived, ledger, layout)


def sound_sums(arms: Arms, online: Floats, past: Floats, cluster_history: bool) -> None:
    """Refuse sums that no policy could have learnt: negative or fractional counts, clusters that are not their arms' sums."""
    if (online[:, PULLS] < 0.0).any() or (past[:, PULLS] < 0.0).any():
        raise ValueError("it counts fewer than no plays")
    if (online[:, PULLS] % 1.0 != 0.0).any():
        raise ValueError("it counts a part of a round")
    for block in (online, past) if cluster_history else (online,):
        totals = arms.totals(block[arms.leaves])
        size = arms.totals(np.abs(block[arms.leaves]))
        if not (np.abs(totals - block) <= 1e-6 * size).all():
            raise ValueError("the sums of a cluster are not those of its arms")
