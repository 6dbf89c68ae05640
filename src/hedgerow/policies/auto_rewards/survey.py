"""The arms of a hierarchical policy over rewards, each by itself: plays, means, noise, and the units that all is measured in."""

import math

from ...core.kernel import compiled
from ...core.noise import arm_noise, counted, freedom_of, two_values, typical_noise
from ...core.sums import PLAYS, SQUARES, TOTAL
from ...core.tree import SIZE
from ...core.types import Floats, Links
from .drift import drift_of_means, trusted
from .table import (
    ARM_PLAYS,
    BINARY,
    DRIFT2,
    GROWN,
    HIGH,
    HOPED,
    LARGEST,
    LEAST,
    LEVEL_MEAN,
    LOW,
    MEAN,
    NOISE,
    POOLED,
    TRUST,
    TYPICAL,
    UNIT,
)

BORROWED, LENT = 5.0, 2.0
"""Plays by which an arm's noise is drawn to the typical one, and to that of the arms played most."""

TINY, EQUAL = 1e-280, 1e-12
"""A variance below which rewards are equal, as far as double precision can tell; the same as a share of their mean square."""


@compiled
def values_of(tree: Links, past: Floats) -> tuple[float, float]:
    """The two values of the rewards in a history; 0 and 1 if there are more, or too few arms to tell.

    Where rewards are low or high, the mean square of an arm is (low + high) mean - low high: all arms lie on a line.
    """
    arms, level, squares, spread, common, left = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    first, second, third = math.nan, math.nan, False  # two different arms are on a line in any case
    for node in range(1, len(tree)):
        if tree[node, SIZE] == 0 and past[node, PLAYS] > 0.0:
            mean, square = past[node, TOTAL] / past[node, PLAYS], past[node, SQUARES] / past[node, PLAYS]
            if math.isnan(first) or mean == first:
                first = mean
            elif math.isnan(second) or mean == second:
                second = mean
            else:
                third = True
            off, beyond, arms = mean - level, square - squares, arms + 1.0
            level += off / arms
            squares += beyond / arms
            spread += off * (mean - level)
            common += off * (square - squares)
            left += beyond * (square - squares)
    if not third or spread <= 0.0:
        return 0.0, 1.0
    total = common / spread
    apart2 = total * total - 4.0 * (total * level - squares)
    if apart2 <= 0.0 or left - total * common > 1e-9 * apart2 * apart2:
        return 0.0, 1.0
    return 0.5 * (total - math.sqrt(apart2)), 0.5 * (total + math.sqrt(apart2))


@compiled
def set_values(tree: Links, online: Floats, past: Floats, ledger: Floats) -> None:
    """Whether rewards take two values only, and which: then sum (r - low)(high - r) = 0.

    Before both were seen online, 0 and 1 are tried, and those of the history.
    """
    plays = online[0, PLAYS] + past[0, PLAYS]
    total = online[0, TOTAL] + past[0, TOTAL]
    squares = online[0, SQUARES] + past[0, SQUARES]
    low, high = ledger[LEAST], ledger[LARGEST]
    if low >= high:
        low, high = 0.0, 1.0
        if not two_values(plays, total, squares, low, high):
            low, high = values_of(tree, past)
    ledger[LOW], ledger[HIGH] = low, high
    ledger[BINARY] = 1.0 if two_values(plays, total, squares, low, high) else 0.0


@compiled
def noise_of(derived: Floats, ledger: Floats, node: int, deviations: float, freedom: float) -> float:
    """Variance of an arm's rewards: its own, drawn to the typical one; of two values, that of a rate drawn to the mean rate."""
    plays = derived[node, ARM_PLAYS]
    if ledger[BINARY] > 0.0:
        low, width = ledger[LOW], ledger[HIGH] - ledger[LOW]
        hits = plays * (derived[node, MEAN] - low) / width
        rate = (hits + 2.0) / (plays + 2.0 * width / (ledger[LEVEL_MEAN] - low))
        variance: float = rate * (1.0 - rate) * width * width
        return variance
    shrunk: float = (deviations + BORROWED * ledger[TYPICAL]) / (freedom + BORROWED)
    return shrunk


@compiled
def hoped_noise(derived: Floats, ledger: Floats, node: int, deviations: float, freedom: float) -> float:
    """Noise of an arm if it were among those played most: its own, drawn to theirs; of two values, theirs if that is more.

    A rate says all of its noise: an arm without a hit so far would, if it were as good as those, be as noisy.
    """
    if ledger[BINARY] > 0.0:
        rate_noise: float = max(derived[node, NOISE], ledger[POOLED])
        return rate_noise
    hoped: float = (deviations + LENT * ledger[POOLED]) / (freedom + LENT)
    return hoped


@compiled
def arm_of(online: Floats, past: Floats, derived: Floats, ledger: Floats, node: int) -> tuple[float, float, float, float]:
    """Plays and mean of an arm, its history as far as it is trusted; sum of squared deviations and their degrees of freedom.

    Where arms have moved since, what sets its history and its rounds apart is not noise.
    """
    trust, now, before = derived[node, TRUST], online[node, PLAYS], past[node, PLAYS]
    plays, mean, deviations = arm_noise(online, past, node, trust)
    if ledger[DRIFT2] == 0.0:
        return plays, mean, deviations, freedom_of(plays, deviations)
    if now > 0.0 and before > 0.0:
        apart = online[node, TOTAL] / now - past[node, TOTAL] / before
        deviations = max(deviations - now * trust * before / plays * apart * apart, 0.0)
    return plays, mean, deviations, max(now - 1.0, 0.0) + trust * max(before - 1.0, 0.0)


@compiled
def moved_noise(tree: Links, online: Floats, past: Floats, derived: Floats, ledger: Floats) -> tuple[float, float]:
    """``typical_noise`` where arms have moved since their history: from arms as they are trusted."""
    rounds, sum_of_rewards = 0.0, 0.0
    for node in range(1, len(tree)):
        if tree[node, SIZE] == 0:
            rounds += derived[node, ARM_PLAYS]
            sum_of_rewards += derived[node, ARM_PLAYS] * derived[node, MEAN]
    level, squares, sum_of_variances, degrees = sum_of_rewards / rounds, 0.0, 0.0, 0.0
    for node in range(1, len(tree)):
        if tree[node, SIZE] == 0:
            plays, mean, deviations, freedom = arm_of(online, past, derived, ledger, node)
            squares += deviations + plays * (mean - level) ** 2
            variance, weight = counted(deviations, freedom)
            sum_of_variances += weight * variance
            degrees += weight
    total = squares / max(rounds - 1.0, 1.0)
    return (sum_of_variances + total) / (degrees + 1.0), total


@compiled
def survey(tree: Links, online: Floats, past: Floats, derived: Floats, ledger: Floats) -> bool:
    """All arms with as much of their history as can be trusted; False while all rewards are equal, so that there is no unit."""
    derived[:, TRUST] = 1.0
    ledger[DRIFT2] = 0.0
    if not measure(tree, online, past, derived, ledger):
        return False
    ledger[DRIFT2] = drift_of_means(tree, online, past, derived)
    if ledger[DRIFT2] > 0.0:
        if not measure(tree, online, past, derived, ledger):  # the noise was that of arms which have not moved
            return False
        ledger[DRIFT2] = max(ledger[DRIFT2], drift_of_means(tree, online, past, derived))
        for node in range(1, len(tree)):
            if tree[node, SIZE] == 0:
                derived[node, TRUST] = trusted(past[node, PLAYS], ledger[DRIFT2], derived[node, NOISE])
        return measure(tree, online, past, derived, ledger)
    return True


@compiled
def measure(tree: Links, online: Floats, past: Floats, derived: Floats, ledger: Floats) -> bool:
    """Plays, means and noise of all arms, and their units; False while all rewards are equal, so that there is no unit."""
    played, level, pooled, degrees = 0.0, 0.0, 0.0, 1.0
    for node in range(1, len(tree)):
        if tree[node, SIZE] == 0:
            plays, mean, deviations, freedom = arm_of(online, past, derived, ledger, node)
            derived[node, ARM_PLAYS], derived[node, MEAN] = plays, mean
            if plays > 0.0:
                played += 1.0
                level += mean
            if freedom > 0.0:
                pooled += deviations
                degrees += freedom
    if ledger[DRIFT2] > 0.0:
        typical, total = moved_noise(tree, online, past, derived, ledger)
    else:
        typical, total = typical_noise(tree, online, past)
    square = (online[0, SQUARES] + past[0, SQUARES]) / max(online[0, PLAYS] + past[0, PLAYS], 1.0)
    if played == 0.0 or total <= max(TINY, EQUAL * square):
        return False
    ledger[LEVEL_MEAN] = level / played
    ledger[TYPICAL] = typical
    ledger[POOLED] = (pooled + total) / degrees
    ledger[GROWN] = max(1.0, ledger[POOLED] / typical)
    set_values(tree, online, past, ledger)
    spread = 0.0
    for node in range(1, len(tree)):
        if tree[node, SIZE] == 0:
            if derived[node, ARM_PLAYS] > 0.0:
                spread += (derived[node, MEAN] - ledger[LEVEL_MEAN]) ** 2
            _, _, deviations, freedom = arm_of(online, past, derived, ledger, node)
            derived[node, NOISE] = noise_of(derived, ledger, node, deviations, freedom)
            derived[node, HOPED] = hoped_noise(derived, ledger, node, deviations, freedom)
    ledger[UNIT] = max(spread / max(played - 1.0, 1.0), 1e-4 * total)
    return True
