"""What a policy has learnt: arrays with a row per node of its tree.

They are made whole and put in place at once, so that neither another thread nor an interruption finds them half changed.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ..core.arms import Arms
from ..core.state_file import StateFile
from ..core.sums import LARGEST, LARGEST_SINGLE, PLAYS, SCALARS, SQUARES, row_size
from ..core.types import Floats, Integers, Label, Links
from .tournament import CROSSOVER, seated

PRECISIONS = {"double": np.float64, "single": np.float32}
LARGEST_IN = {"double": LARGEST, "single": LARGEST_SINGLE}
"""What rewards and contexts must be smaller than."""


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
        """What is to be saved; "derived" is what can be made anew from the sums, of the ledger all but what no sums tell."""
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
    sound_sums(arms, online, past, layout)
    return with_tournaments(arms, online, past, pending, derived, ledger, layout)


TINY = 1e-50
"""Sums that are not looked at: the squares of their parts may be too small for a double."""


def sound_sums(arms: Arms, online: Floats, past: Floats, layout: Layout) -> None:
    """Refuse sums that no policy could have learnt: negative or fractional counts, clusters that are not their arms' sums."""
    if (online[:, PLAYS] < 0.0).any() or (past[:, PLAYS] < 0.0).any():
        raise ValueError("it counts fewer than no plays")
    if (online[:, PLAYS] % 1.0 != 0.0).any():
        raise ValueError("it counts a part of a round")
    for block in (online, past) if layout.cluster_history else (online,):
        arm_rows = block[arms.leaves]
        size = arms.totals(reach(arm_rows, layout.dimension))
        if not (np.abs(arms.totals(arm_rows) - block) <= 1e-6 * size).all():
            raise ValueError("the sums of a cluster are not those of its arms")
    if not possible(online, np.zeros_like(online), layout.dimension):
        raise ValueError("no rounds have such sums")


def possible(rows: Floats, before: Floats, dimension: int | None) -> bool:
    """Whether there are rounds that add so much to rows of before, as far as Cauchy and Schwarz can tell."""
    added, room = rows - before, 1e-6 * reach(rows, dimension) + TINY
    return bool((np.abs(added) <= reach(added, dimension) + room).all())


def reach(rows: Floats, dimension: int | None) -> Floats:
    """The most that each sum can be, by the counts and squares beside it (Cauchy and Schwarz): a sum whose parts cancel is small.

    Weighed rows hold more than those of statistics.py: what the weights add to count, total and squares.
    """
    excess = rows[:, row_size(dimension) :]
    plain = np.sqrt(np.maximum(rows[:, [PLAYS, SQUARES]], 0.0))
    weighed = np.sqrt(np.maximum(rows[:, [PLAYS, SQUARES]] + excess[:, [PLAYS, SQUARES]], 0.0)) if excess.size else plain
    parts = [_scalars(plain)]
    if dimension is not None:
        lower = np.tril_indices(dimension)
        diagonal = SCALARS + dimension + np.flatnonzero(lower[0] == lower[1])
        length = np.sqrt(np.maximum(rows[:, diagonal], 0.0))
        parts += [weighed[:, 1:] * length, length[:, lower[0]] * length[:, lower[1]], weighed[:, :1] * length]
    if excess.size:
        parts.append(_scalars(plain) + _scalars(weighed))
    return np.hstack(parts)


def _scalars(roots: Floats) -> Floats:
    """n, sqrt(n * squares) and squares from the roots of n and squares."""
    return roots[:, [0, 0, 1]] * roots[:, [0, 1, 1]]
