"""Squared residuals by the size of what was predicted: what is known of the noise's shape.

A round falls into the bin of its prediction z, the expected squared distance of its reward from the level of all arms. A bin
holds how many rounds it has, the sum of their z, and the sum of their squared residuals; it is a factor of two wide.
"""

from typing import Any

import numpy as np

from ...core.kernel import compiled
from ...core.records import named, record
from ...core.types import Floats
from .settings import SETTINGS
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
