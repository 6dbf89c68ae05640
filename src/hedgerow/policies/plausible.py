"""Whether there are rounds that have given sums: what is read from files and workers is not believed unseen."""

import numpy as np

from ..core.arms import Arms
from ..core.sums import PLAYS, SCALARS, SQUARES, row_size
from ..core.types import Floats

TINY_SUMS = 1e-50
"""Sums that are not looked at: the squares of their parts may be too small for a double."""


def check_sums(arms: Arms, online: Floats, history: Floats, *, dimension: int | None, cluster_history: bool) -> None:
    """Refuse sums that no policy could have learnt: clusters that are not their arms' sums, or totals that no rounds have.

    Args:
        arms: Arms and their tree.
        online: Online sums of each node.
        history: Sums of the history of each node.
        dimension: Length of the contexts.
        cluster_history: Whether clusters have the history of their arms.

    Raises:
        ValueError: No policy could have learnt them.
    """
    for block in (online, history) if cluster_history else (online,):
        arm_rows = block[arms.leaves]
        size = arms.totals(reach(arm_rows, dimension))
        if not (np.abs(arms.totals(arm_rows) - block) <= 1e-6 * size).all():
            raise ValueError("the sums of a cluster are not those of its arms")
    if not possible(online, np.zeros_like(online), dimension):
        raise ValueError("no rounds could have these sums")


def possible(rows: Floats, since: Floats, dimension: int | None) -> bool:
    """Whether there are rounds that add so much to rows of a former state, as far as Cauchy and Schwarz can tell.

    Args:
        rows: Rows of sums.
        since: Rows of a former state.
        dimension: Length of the contexts.

    Returns:
        False if no rounds add so much.
    """
    added, room = rows - since, 1e-6 * reach(rows, dimension) + TINY_SUMS
    return bool((np.abs(added) <= reach(added, dimension) + room).all())


def reach(rows: Floats, dimension: int | None) -> Floats:
    """The most that each sum can be, by the counts and squares beside it (Cauchy and Schwarz): a sum whose parts cancel is small.

    Weighed rows hold more than those of core/sums.py: what the weights add to count, total and squares.

    Args:
        rows: Rows of sums.
        dimension: Length of the contexts.

    Returns:
        A bound for each sum.
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
