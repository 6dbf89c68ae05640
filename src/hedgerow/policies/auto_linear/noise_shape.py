"""Whether the noise grows with the mean, and the weight that a round then deserves.

    noise variance = kappa (eta V + z)

z is the expected squared distance of a reward from the level of all arms, V the variance of all rewards. Or it is constant,
kappa. The likeliest shape is chosen from the residuals, by a margin.

Squared residuals are kept by the size of what was predicted. A round falls into the bin of its z. A bin holds how many rounds it
has, the sum of their z, and the sum of their squared residuals; it is a factor of two wide.
"""

import math
from typing import Any

import numpy as np

from ...core.kernel import compiled
from ...core.noise import two_values
from ...core.records import named, record
from ...core.sums import PLAYS, SQUARES, TOTAL
from ...core.types import Floats, Links
from .settings import INTERCEPTS, SETTINGS
from .state import BIN_COUNT, POLICY

NO_PREDICTION = 1e-300
"""Added to predictions, so that those of 0 have a logarithm."""


@compiled
def bin_of(prediction: float, middle: float) -> int:
    """The bin of a prediction; whatever its size, there is one."""
    place = np.floor(np.log2(prediction / (middle + NO_PREDICTION) + NO_PREDICTION)) + BIN_COUNT // 2
    if not place > 0.0:  # nor if it is no number
        return 0
    return int(min(place, BIN_COUNT - 1.0))


@compiled
def add_residuals(state: Floats, rounds: float, prediction: float, residual: float) -> None:
    """Add rounds to the bin of their mean prediction."""
    own = record(state, POLICY)
    at = bin_of(prediction / rounds, own.middle_bin)
    own.bin_rounds[at] += rounds
    own.bin_predictions[at] += prediction
    own.bin_residuals[at] += residual


@compiled
def empty_bins(own: Any) -> None:
    """Forget all residuals."""
    for at in range(BIN_COUNT):
        own.bin_rounds[at] = 0.0
        own.bin_predictions[at] = 0.0
        own.bin_residuals[at] = 0.0


@compiled
def set_middle_bin(state: Floats) -> None:
    """The middle bin is that of the rewards' variance, and follows it where the first rewards said little of the others."""
    own, far = record(state, POLICY), SETTINGS.bins_follow
    if far * own.middle_bin >= own.reward_variance and own.middle_bin <= far * own.reward_variance:
        return
    rounds, predictions, residuals = np.empty(BIN_COUNT), np.empty(BIN_COUNT), np.empty(BIN_COUNT)
    for at in range(BIN_COUNT):
        rounds[at], predictions[at], residuals[at] = own.bin_rounds[at], own.bin_predictions[at], own.bin_residuals[at]
    empty_bins(own)
    own.middle_bin = own.reward_variance
    for at in range(BIN_COUNT):
        if rounds[at] > 0.0:
            add_residuals(state, rounds[at], predictions[at], residuals[at])


@compiled
def forget_residuals(state: Floats, unit_noise: float) -> None:
    """Residuals of predictions from a history that is found to be off say nothing of the noise."""
    own = record(state, POLICY)
    empty_bins(own)
    own.noise_intercept = -1.0
    own.unit_noise = unit_noise
    own.noise_slope = unit_noise if unit_noise > 0.0 else 1.0


@compiled
def withdraw_residuals(own: Any, rounds: float) -> None:
    """Rounds went with an arm, and ``rounds`` are left: as large a share of the residuals goes too."""
    for at in range(BIN_COUNT):
        own.bin_rounds[at] *= rounds / own.rounds
        own.bin_predictions[at] *= rounds / own.rounds
        own.bin_residuals[at] *= rounds / own.rounds
    own.rounds = rounds


def mean_residual(state: Floats) -> float:
    """Mean squared residual.

    Args:
        state: Of the policy.

    Returns:
        Its value; 0 without any.
    """
    own = named(state, POLICY)
    count = own.bin_rounds.sum()
    return float(own.bin_residuals.sum() / count) if count > 0.0 else 0.0


def merge_residuals(both: Floats, part: Floats, sign: float) -> None:
    """Add the rounds and residuals of a worker, or take them away.

    Args:
        both: The state that changes.
        part: The state of the worker.
        sign: 1 to add, -1 to take away.
    """
    joined, one = named(both, POLICY), named(part, POLICY)
    joined.rounds = joined.rounds + sign * one.rounds
    for at in np.flatnonzero(one.bin_rounds > 0.0):
        rounds, predictions, residuals = sign * one.bin_rounds[at], sign * one.bin_predictions[at], sign * one.bin_residuals[at]
        if one.middle_bin == joined.middle_bin:
            joined.bin_rounds[at] += rounds
            joined.bin_predictions[at] += predictions
            joined.bin_residuals[at] += residuals
        else:
            add_residuals(both, rounds, predictions, residuals)


def drop_impossible_bins(both: Floats) -> None:
    """Empty bins with less than nothing in them: a worker has forgotten residuals since.

    Args:
        both: The state that changes.
    """
    own = named(both, POLICY)
    below = (own.bin_rounds < 0.0) | (own.bin_predictions < 0.0) | (own.bin_residuals < 0.0)
    for bins in (own.bin_rounds, own.bin_predictions, own.bin_residuals):
        bins[below] = 0.0


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
