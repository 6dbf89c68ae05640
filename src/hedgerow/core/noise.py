"""How noisy rewards are, from the sums: what ``scale="auto"`` stands for."""

import math

import numpy as np

from .kernel import compiled
from .sums import PLAYS, SQUARES, TOTAL
from .tree import SIZE
from .types import Floats, Links

FREEDOM = 3.0
"""Degrees of freedom that an arm counts at most, so that the noise is not that of the arm played most."""


@compiled
def deviations_of(plays: float, mean: float, squares: float) -> float:
    """Sum of squared deviations from the mean.

    Args:
        plays: How many rewards there are.
        mean: Their mean.
        squares: Sum of their squares.

    Returns:
        The sum; 0 where it is no more than rounding errors may be.
    """
    deviations = squares - plays * mean * mean
    return deviations if deviations > 1e-12 * squares else 0.0


@compiled
def arm_noise(online: Floats, history: Floats, node: int, trust: float) -> tuple[float, float, float]:
    """Plays, mean and sum of squared deviations of a node; a play of its history counts as ``trust`` plays.

    Args:
        online: Sums of the online rounds.
        history: Sums of the history.
        node: An arm, or a cluster, or the root.
        trust: What a play of the history counts as.

    Returns:
        Plays, mean, and sum of squared deviations; the last is 0 where rounding could have made it.
    """
    plays = online[node, PLAYS] + trust * history[node, PLAYS]
    if plays <= 0.0:
        return 0.0, 0.0, 0.0
    mean = (online[node, TOTAL] + trust * history[node, TOTAL]) / plays
    return plays, mean, deviations_of(plays, mean, online[node, SQUARES] + trust * history[node, SQUARES])


@compiled
def freedom_of(plays: float, deviations: float) -> float:
    """Degrees of freedom of an arm's squared deviations: its plays less one; a single play has none.

    Plays of a weighted history are parts of some, and less than two may deviate: then half of them.

    Args:
        plays: Plays of the arm, perhaps parts of some.
        deviations: Sum of squared deviations.

    Returns:
        Degrees of freedom.
    """
    return max(plays - 1.0, 0.5 * plays if deviations > 0.0 else 0.0)


@compiled
def counted(deviations: float, freedom: float) -> tuple[float, float]:
    """An arm's own variance, and the degrees of freedom that it counts in the typical one.

    Args:
        deviations: Sum of squared deviations.
        freedom: Degrees of freedom.

    Returns:
        The variance, and the degrees of freedom that count.
    """
    return deviations / freedom if freedom > 0.0 else 0.0, min(freedom, FREEDOM)


@compiled
def known_noise(tree: Links, online: Floats, history: Floats) -> tuple[float, float]:
    """Sum of the arms' own variances, each times its degrees of freedom, and the sum of these.

    Args:
        tree: First child, number of children and parent of each node.
        online: Sums of the online rounds.
        history: Sums of the history.

    Returns:
        The weighted sum of the variances, and the sum of the weights.
    """
    sum_of_variances, freedom = 0.0, 0.0
    for node in range(1, len(tree)):
        if tree[node, SIZE] == 0:
            plays, _, deviations = arm_noise(online, history, node, 1.0)
            variance, weight = counted(deviations, freedom_of(plays, deviations))
            sum_of_variances += weight * variance
            freedom += weight
    return sum_of_variances, freedom


@compiled
def shrunken(deviations: float, freedom: float, typical: float, borrowed: float) -> float:
    """An arm's noise variance from its squared deviations, drawn to the typical one.

    Args:
        deviations: Sum of the arm's squared deviations.
        freedom: Their degrees of freedom.
        typical: Typical noise variance of the arms.
        borrowed: Degrees of freedom that the typical one counts as.

    Returns:
        (deviations + borrowed typical) / (freedom + borrowed).
    """
    return (deviations + borrowed * typical) / (freedom + borrowed)


@compiled
def shrunken_noise(plays: Floats, totals: Floats, squares: Floats, borrowed: float) -> tuple[Floats, Floats]:
    """Noise variance of every arm from its sums alone, and the degrees of freedom behind it.

    ``scale="auto"`` counts the variance of all rewards as one more arm, since it must explore before any arm has two rewards.
    Here it does not count: beside it a small noise would not show.

    Args:
        plays: Plays, or effective rows, of each arm.
        totals: Sum of its rewards.
        squares: Sum of its squared rewards.
        borrowed: Degrees of freedom that an arm borrows from the typical noise.

    Returns:
        The variances, and the degrees of freedom, those borrowed included.
    """
    deviations, freedom = np.zeros(plays.size), np.zeros(plays.size)
    sum_of_variances, sum_of_weights = 0.0, 0.0
    for k in range(plays.size):
        if plays[k] > 0.0:
            deviations[k] = deviations_of(plays[k], totals[k] / plays[k], squares[k])
            freedom[k] = freedom_of(plays[k], deviations[k])
            variance, weight = counted(deviations[k], freedom[k])
            sum_of_variances += weight * variance
            sum_of_weights += weight
    typical = sum_of_variances / sum_of_weights if sum_of_weights > 0.0 else 0.0
    for k in range(plays.size):
        deviations[k] = shrunken(deviations[k], freedom[k], typical, borrowed)
    return deviations, freedom + borrowed


@compiled
def total_noise(online: Floats, history: Floats) -> float:
    """Variance of all rewards.

    Args:
        online: Sums of the online rounds.
        history: Sums of the history.

    Returns:
        The variance around their common mean.
    """
    plays, _, deviations = arm_noise(online, history, 0, 1.0)
    return deviations / max(plays - 1.0, 1.0)


@compiled
def unknown_noise(tree: Links, online: Floats, history: Floats) -> tuple[float, float]:
    """Arms with a single play, which tell nothing of their noise: how many, and the variance of all arms' means.

    Args:
        tree: First child, number of children and parent of each node.
        online: Sums of the online rounds.
        history: Sums of the history.

    Returns:
        The number of such arms, and the variance.
    """
    arms, single, total, squares = 0.0, 0.0, 0.0, 0.0
    level = arm_noise(online, history, 0, 1.0)[1]
    for node in range(1, len(tree)):
        if tree[node, SIZE] == 0:
            plays, mean, deviations = arm_noise(online, history, node, 1.0)
            if plays > 0.0:
                arms += 1.0
                single += 1.0 if freedom_of(plays, deviations) == 0.0 else 0.0
                total += mean - level
                squares += (mean - level) ** 2
    return single, max(squares - total * total / max(arms, 1.0), 0.0) / max(arms - 1.0, 1.0)


@compiled
def rounding_of(plays: float, low: float, high: float) -> float:
    """Rounding error, a reward, of sums of rewards that are ``low`` or ``high``."""
    return (1e-14 + 1e-15 * math.sqrt(plays)) * max(low * low, high * high)


@compiled
def only_values(plays: float, total: float, squares: float, low: float, high: float) -> bool:
    """Whether all rewards with these sums are ``low`` or ``high``: then sum (r - low)(high - r) = 0.

    Sums of rewards far from zero have rounding errors; where these are as large as the rewards differ, nobody can tell.

    Args:
        plays: Number of rewards.
        total: Their sum.
        squares: Sum of their squares.
        low: One value.
        high: The other.

    Returns:
        True if no other value can be among them, and rounding errors would not hide it.
    """
    width2, rounding = (high - low) ** 2, rounding_of(plays, low, high)
    between = (low + high) * total - squares - plays * low * high
    return abs(between) <= plays * (1e-9 * width2 + rounding) and rounding < 1e-4 * width2


@compiled
def two_values(plays: float, total: float, squares: float, low: float, high: float) -> bool:
    """Whether all rewards with these sums are ``low`` or ``high``, and some high.

    Args:
        plays: Number of rewards.
        total: Their sum.
        squares: Sum of their squares.
        low: One value.
        high: The other.

    Returns:
        True if no other value can be among them, and at least one is high.
    """
    above = squares - 2.0 * low * total + plays * low * low
    near = 1e-9 * (high - low) ** 2 + rounding_of(plays, low, high)
    return above > plays * near and only_values(plays, total, squares, low, high)
