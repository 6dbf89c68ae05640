"""The online sums of Auto with contexts, whose rounds may weigh other than 1.

A row is that of core/sums.py, all parts with the context weighed, and what the weights add to the first three sums:

    ... | sum of w - 1 | sum of (w - 1) r | sum of (w - 1) r^2

Rows of a history have no such part: its rounds weigh 1 each until a refresh weighs the arm as a whole.
"""

from ...core.kernel import compiled
from ...core.sums import SCALARS, packed_size
from ...core.types import Floats

EXCESS = 3
"""How many numbers a row has more than one of core/sums.py."""


@compiled
def weighed(sums: Floats, node: int, part: int, dimension: int) -> float:
    """sum w, sum w r or sum w r^2 of a node, by the ``part`` that it would be without weights."""
    value: float = sums[node, part]
    at = SCALARS + 2 * dimension + packed_size(dimension) + part
    if at < sums.shape[1]:
        value += sums[node, at]
    return value


def reweighed(rows: Floats, factor: float, dimension: int) -> Floats:
    """Rows as if all their rounds had their weight times this factor.

    Args:
        rows: Online sums.
        factor: By which weights grow.
        dimension: Length of the contexts.

    Returns:
        New rows.
    """
    changed, at = rows.copy(), SCALARS + 2 * dimension + packed_size(dimension)
    changed[:, SCALARS:at] *= factor
    changed[:, at:] = factor * (rows[:, at:] + rows[:, :SCALARS]) - rows[:, :SCALARS]
    return changed
