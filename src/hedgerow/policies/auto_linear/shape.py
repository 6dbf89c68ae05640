"""Whether the noise grows with the mean, and the weight that a round then deserves."""

import math

import numpy as np

from ...core.kernel import compiled
from ...core.noise import two_values
from ...core.sums import PLAYS, SQUARES, TOTAL
from ...core.types import Floats, Links
from .ledger import BIN_COUNT, BINS, ETA, KAPPA, LARGEST, LEAST, OFFSET, STANDARD, VARIANCE, WEIGHTS

MARGIN = 2.0
"""Nats by which noise that grows with the mean must be likelier than constant noise."""

LARGEST_ETA, ETAS = 4.0, 9
"""The noise shapes tried: 4, 2, ..., 1/64."""

POOLED = 5.0
"""Rounds of average history added to an arm's own: rounds with small rewards by luck must not get large weights."""

LEAST_NOISE = 1e-6
"""One over the largest weight of a round."""

TINY = 1e-300


@compiled
def two_valued(online: Floats, ledger: Floats) -> bool:
    """Whether the online rewards take no more than two values: then sum (r - least)(largest - r) = 0.

    The variance of such rewards follows their mean, but a linear mean is only an approximation, and weights spoil it.
    """
    plays, total, squares = online[0, PLAYS], online[0, TOTAL], online[0, SQUARES]
    if plays == 0.0 or ledger[LEAST] == ledger[LARGEST]:
        return True
    return two_values(plays, total, squares, ledger[LEAST], ledger[LARGEST])


@compiled
def _likelihood(ledger: Floats, eta: float) -> tuple[float, float]:
    """Log likelihood of the residuals under the variance kappa (eta q + z), and the kappa that makes it largest."""
    count, scaled, logs = 0.0, TINY, 0.0
    for at in range(BINS, BINS + BIN_COUNT):
        if ledger[at] > 0.0:
            variance = eta * ledger[VARIANCE] + ledger[at + BIN_COUNT] / ledger[at]
            count += ledger[at]
            scaled += ledger[at + 2 * BIN_COUNT] / variance
            logs += ledger[at] * math.log(variance)
    return -0.5 * (count * math.log(scaled / count) + logs), scaled / count


@compiled
def set_shape(online: Floats, ledger: Floats) -> None:
    """Constant noise, or the likeliest shape if it is likelier by a margin."""
    count, squares = 0.0, TINY
    for at in range(BINS, BINS + BIN_COUNT):
        count += ledger[at]
        squares += ledger[at + 2 * BIN_COUNT]
    if count == 0.0:
        return
    constant = squares / count
    ledger[ETA] = -1.0
    ledger[KAPPA] = constant
    if ledger[WEIGHTS] == 0.0 or two_valued(online, ledger):
        return
    best = MARGIN - 0.5 * count * math.log(constant)
    for power in range(ETAS):
        eta = LARGEST_ETA / 2.0**power
        value, kappa = _likelihood(ledger, eta)
        if value > best:
            best = value
            ledger[ETA] = eta
            ledger[KAPPA] = kappa
    if ledger[ETA] > 0.0 and ledger[STANDARD] == 0.0:
        ledger[STANDARD] = constant


@compiled
def noise(ledger: Floats, prediction: float) -> float:
    """Noise variance at a squared prediction, over the variance that weight 1 stands for: one over the weight."""
    variance: float = ledger[KAPPA]
    if ledger[STANDARD] == 0.0:
        return 1.0
    if ledger[ETA] > 0.0:
        variance *= ledger[ETA] * ledger[VARIANCE] + prediction
    variance /= ledger[STANDARD]
    return variance if variance > LEAST_NOISE else LEAST_NOISE


@compiled
def squares_around(sums: Floats, node: int, level: float) -> float:
    """sum (r - level)^2 of a node."""
    squares: float = sums[node, SQUARES] - 2.0 * level * sums[node, TOTAL] + level * level * sums[node, PLAYS]
    return max(squares, 0.0)


@compiled
def history_weight(past: Floats, ledger: Floats, node: int) -> float:
    """The weight that a past round of an arm would have had on average: history, known as sums, came without weights.

    Its mean squared reward, less the offset, is z + noise, hence z; the arm's few rounds are joined by as many of all arms as
    POOLED says.
    """
    plays = past[node, PLAYS]
    if ledger[STANDARD] == 0.0 or plays == 0.0:
        return 1.0
    usual = squares_around(past, 0, ledger[OFFSET]) / past[0, PLAYS]
    square = (squares_around(past, node, ledger[OFFSET]) + POOLED * usual) / (plays + POOLED)
    least = ledger[KAPPA] * ledger[ETA] * ledger[VARIANCE]
    return 1.0 / noise(ledger, max(square - least, 0.0) / (1.0 + ledger[KAPPA]))


def history_weights(past: Floats, ledger: Floats, leaves: Links) -> Floats:
    """``history_weight`` of these arms."""
    return np.array([history_weight(past, ledger, leaf) for leaf in leaves])
