"""Whether the noise grows with the mean, and the weight that a round then deserves.

    noise variance = kappa (eta V + z)

z is the expected squared distance of a reward from the level of all arms, V the variance of all rewards. Or it is constant,
kappa. The likeliest shape is chosen from the residuals, by a margin.
"""

import math
from typing import Any

import numpy as np

from ...core.kernel import compiled
from ...core.noise import two_values
from ...core.records import record
from ...core.sums import PLAYS, SQUARES, TOTAL
from ...core.types import Floats, Links
from .settings import INTERCEPTS, SETTINGS
from .state import BIN_COUNT, POLICY

NO_NOISE = 1e-300


@compiled
def two_valued(online: Floats, own: Any) -> bool:
    """Whether the online rewards take no more than two values: then sum (r - least)(largest - r) = 0.

    The variance of such rewards follows their mean, but a linear mean is only an approximation, and weights spoil it.
    """
    plays, total, squares = online[0, PLAYS], online[0, TOTAL], online[0, SQUARES]
    if plays == 0.0 or own.least == own.largest:
        return True
    return two_values(plays, total, squares, own.least, own.largest)


@compiled
def likelihood_of(own: Any, intercept: float) -> tuple[float, float]:
    """Log likelihood of the residuals under the variance kappa (eta V + z), and the kappa that makes it largest."""
    count, scaled, logs = 0.0, NO_NOISE, 0.0
    for at in range(BIN_COUNT):
        rounds = own.bin_rounds[at]
        if rounds > 0.0:
            variance = max(intercept * own.reward_variance + own.bin_predictions[at] / rounds, NO_NOISE)
            count += rounds
            scaled += own.bin_residuals[at] / variance
            logs += rounds * math.log(variance)
    return -0.5 * (count * math.log(scaled / count) + logs), scaled / count


@compiled
def set_noise_shape(online: Floats, state: Floats) -> None:
    """Constant noise, or the likeliest shape if it is likelier by a margin."""
    own, count, squares = record(state, POLICY), 0.0, NO_NOISE
    for at in range(BIN_COUNT):
        count += own.bin_rounds[at]
        squares += own.bin_residuals[at]
    if count == 0.0:
        return
    constant = squares / count
    own.noise_intercept, own.noise_slope = -1.0, constant
    if own.weights == 0.0 or two_valued(online, own):
        return
    best = SETTINGS.noise_margin - 0.5 * count * math.log(constant)
    for intercept in INTERCEPTS:
        value, slope = likelihood_of(own, intercept)
        if value > best:
            best = value
            own.noise_intercept, own.noise_slope = intercept, slope
    if own.noise_intercept > 0.0 and own.unit_noise == 0.0:
        own.unit_noise = constant


@compiled
def noise_at(own: Any, prediction: float) -> float:
    """Noise variance at a prediction, over the variance that weight 1 stands for: one over the weight."""
    variance: float = own.noise_slope
    if own.unit_noise == 0.0:
        return 1.0
    if own.noise_intercept > 0.0:
        variance *= own.noise_intercept * own.reward_variance + prediction
    variance /= own.unit_noise
    return variance if variance > SETTINGS.least_noise else SETTINGS.least_noise


@compiled
def squares_around(sums: Floats, node: int, level: float) -> float:
    """sum (r - level)^2 of a node."""
    squares: float = sums[node, SQUARES] - 2.0 * level * sums[node, TOTAL] + level * level * sums[node, PLAYS]
    return max(squares, 0.0)


@compiled
def history_weight(history: Floats, state: Floats, node: int) -> float:
    """The weight that a round of an arm's history would have had on average: history, known as sums, came without weights.

    Its mean squared reward, less the offset, is z + noise, hence z; the arm's few rounds are joined by some of all arms.
    """
    plays, own, pooled = history[node, PLAYS], record(state, POLICY), SETTINGS.history_pool
    if own.unit_noise == 0.0 or plays == 0.0:
        return 1.0
    usual = squares_around(history, 0, own.offset) / history[0, PLAYS]
    square = (squares_around(history, node, own.offset) + pooled * usual) / (plays + pooled)
    least = own.noise_slope * own.noise_intercept * own.reward_variance
    return 1.0 / noise_at(own, max(square - least, 0.0) / (1.0 + own.noise_slope))


def history_weights(history: Floats, state: Floats, leaves: Links) -> Floats:
    """The weight of a round of the history, arm by arm.

    Args:
        history: Sums of the history.
        state: Of the policy.
        leaves: The nodes of the arms.

    Returns:
        A weight for each of these arms.
    """
    return np.array([history_weight(history, state, leaf) for leaf in leaves])
