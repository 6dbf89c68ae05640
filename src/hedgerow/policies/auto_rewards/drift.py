"""How far history is off: the variance d^2 of the change of an arm's expected reward between its history and now.

    past mean of H rewards ~ N(theta_k, d^2 + v_k / H),   online mean of n rewards ~ N(theta_k, v_k / n)

d^2 is what the arms with both need, by the estimate of Paule and Mandel: the d^2 for which

    sum_k (online mean - past mean)^2 / (d^2 + v_k / H + v_k / n) = arms,

and 0 as long as the sum without d^2 is no more than arms + BEYOND sqrt(2 arms).
"""

import math

import numpy as np

from ...core.kernel import compiled
from ...core.sums import PLAYS, TOTAL
from ...core.tree import SIZE
from ...core.types import Floats, Links
from .table import HOPED, NOISE

BEYOND = 4.0
"""Standard deviations of the sum that are put down to chance: rounds are not chosen at random, and noise is only estimated."""

HALVINGS = 40


@compiled
def disagreement(squares: Floats, errors: Floats, drift2: float, beyond: float) -> float:
    """The sum above, less arms + beyond sqrt(2 arms); an arm without both has no error."""
    arms, found = 0.0, 0.0
    for k in range(squares.size):
        if errors[k] > 0.0:
            arms += 1.0
            found += squares[k] / (drift2 + errors[k])
    return found - arms - beyond * math.sqrt(2.0 * arms)


@compiled
def drift(squares: Floats, errors: Floats) -> float:
    """d^2 from squared differences and their variances by chance; 0 as long as chance explains them."""
    if disagreement(squares, errors, 0.0, BEYOND) <= 0.0:
        return 0.0
    low: float = 0.0
    high: float = squares.max()
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if disagreement(squares, errors, middle, 0.0) > 0.0:
            low = middle
        else:
            high = middle
    return high


@compiled
def trusted(history: float, drift2: float, noise: float) -> float:
    """Plays that a play of history counts as: H of them are worth H / (1 + H d^2 / v)."""
    return 1.0 / (1.0 + history * drift2 / noise)


@compiled
def drift_of_means(tree: Links, online: Floats, past: Floats, derived: Floats) -> float:
    """d^2 of a policy over rewards. The noise is that of an arm played often, if that is more."""
    squares, errors = np.zeros(len(tree)), np.zeros(len(tree))
    for node in range(1, len(tree)):
        if tree[node, SIZE] == 0 and online[node, PLAYS] > 0.0 and past[node, PLAYS] > 0.0:
            noise = max(derived[node, NOISE], derived[node, HOPED])
            errors[node] = noise / online[node, PLAYS] + noise / past[node, PLAYS]
            squares[node] = (online[node, TOTAL] / online[node, PLAYS] - past[node, TOTAL] / past[node, PLAYS]) ** 2
    return drift(squares, errors)
