"""MOSS without a horizon (Degenne and Perchet 2016): mean_k + sd sqrt(4 log+(t / (K n_k)) / n_k), with the estimated noise.

Theirs is for rewards in [0, 1]: (1 + alpha) / 2 log+ with sd 1/2 and alpha = 1, so 4 sd^2 log+ for noise
of standard deviation sd.
"""

import math

import numpy as np

from benchmarks.wild.rivals.learning import Log
from benchmarks.wild.rivals.scored import Round, play_scored
from hedgerow.core.kernel import compiled
from hedgerow.core.types import Floats, Integers


@compiled
def moss_index(mean: float, plays: float, now: Round, rng: np.random.Generator) -> float:
    """Upper bound of an arm's mean."""
    level = max(math.log(now.t / (now.arms * plays)), 0.0)
    return mean + math.sqrt(4.0 * now.variance * level / plays)


@compiled
def moss(rewards: Floats, log: Log, rng: np.random.Generator) -> Integers:
    """Play MOSS without a horizon.

    Args:
        rewards: A row for each round, a column for each arm.
        log: Sums of the history.
        rng: Not used.

    Returns:
        The arm of each round.
    """
    return play_scored(moss_index, rewards, log, rng)
