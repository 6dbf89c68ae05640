"""Size: K ~ logU(2, 1000) arms; T / K ~ logU(5, 1000), T within 200 and 100,000 and lowered (not below 200) to K T <= 2e7."""

import numpy as np

from .draws import Generator, log_uniform

MOST_CLASSICAL_CELLS = 2e7
"""Most arms times rounds."""

FEWEST_CLASSICAL_ROUNDS, MOST_CLASSICAL_ROUNDS = 200, 100_000


def size(rng: Generator) -> tuple[int, int]:
    """Draw how large a problem is.

    Args:
        rng: Of this factor.

    Returns:
        The number of arms and of rounds.
    """
    arms = round(log_uniform(rng, 2, 1000))
    rounds = int(np.clip(round(arms * log_uniform(rng, 5, 1000)), FEWEST_CLASSICAL_ROUNDS, MOST_CLASSICAL_ROUNDS))
    return arms, max(min(rounds, int(MOST_CLASSICAL_CELLS) // arms), FEWEST_CLASSICAL_ROUNDS)
