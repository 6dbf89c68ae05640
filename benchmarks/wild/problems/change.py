"""Change of the means over the rounds, of range = highest - lowest mean.

stationary .80   none
permuted   .06   the arms change their means at U(.2, .8) T
walk       .05   each mean is a reflected random walk, of sd U(.3, 2) range over T rounds
dies       .05   the best arm falls to the lowest mean at U(.1, .7) T
seasonal   .04   mean + range U(.2, 1) sin(2 pi n t / T + phase of the arm), n ~ U(1, 10), kept within the range
"""

import numpy as np

from .draws import Array, Generator

CHANGES = {"stationary": 0.80, "permuted": 0.06, "walk": 0.05, "dies": 0.05, "seasonal": 0.04}
"""How likely each kind of change is."""


def course(rng: Generator, kind: str, means: Array, rounds: int) -> Array:
    """Draw how the means change.

    Args:
        rng: Of this factor.
        kind: One of CHANGES.
        means: Of the arms, before units.
        rounds: How many.

    Returns:
        Expected rewards, a row for each round, or a single row if they stay.
    """
    if kind == "stationary":
        return means[None]
    low, high = means.min(), means.max()
    path = np.broadcast_to(means, (rounds, means.size)).copy()
    if kind == "permuted":
        at = int(rng.uniform(0.2, 0.8) * rounds)
        path[at:] = rng.permutation(means)
    elif kind == "dies":
        path[int(rng.uniform(0.1, 0.7) * rounds) :, means.argmax()] = low
    elif kind == "walk":
        step = rng.uniform(0.3, 2) * (high - low) / np.sqrt(rounds)
        path += np.cumsum(step * rng.standard_normal(path.shape), axis=0)
        folded = np.mod(path - low, 2 * (high - low))
        path = low + np.minimum(folded, 2 * (high - low) - folded)
    else:
        height, waves = (high - low) * rng.uniform(0.2, 1), rng.uniform(1, 10)
        phase = rng.uniform(0, 2 * np.pi, means.size)
        angle = 2 * np.pi * waves * np.arange(rounds)[:, None] / rounds + phase
        path = np.clip(path + height * np.sin(angle), low, high)
    return path
