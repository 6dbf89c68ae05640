"""A problem whose rates are given: 0/1 rewards that are rare, and groups that say nothing."""

from dataclasses import dataclass

import numpy as np

from hedgerow.data.history import History
from hedgerow.experiments.problems import Trial

RARE_RATES = (0.1, 0.05, 0.05, 0.05, 0.02, 0.02, 0.02, 0.01, 0.01, 0.01)
"""Rates of ten ads: one is good, and each pays so seldom that its first plays say little."""


@dataclass(frozen=True)
class Rates:
    """0/1 rewards of given rates, dealt out to the arms anew in each trial; no history.

    Args:
        rates: Of the arms.
        groups: How many useless groups policies are told, as equal in size as can be; 0 for none.
    """

    rates: tuple[float, ...] = RARE_RATES
    groups: int = 0
    dimension: None = None

    def __post_init__(self) -> None:
        if not 0 <= self.groups <= len(self.rates):
            raise ValueError(f"the groups of a setting must be 0 to {len(self.rates)}, got {self.groups!r}")

    @property
    def arms(self) -> int:
        """How many there are."""
        return len(self.rates)

    def trial(self, rounds: int, rng: np.random.Generator) -> Trial:
        """Draw one trial.

        Args:
            rounds: How many.
            rng: Where it is drawn from.

        Returns:
            The trial.
        """
        rates = rng.permutation(self.rates)
        groups = rng.permutation(np.arange(self.arms) % self.groups).tolist() if self.groups else []
        rewards = (rng.random((rounds, self.arms)) < rates).astype(np.float64)
        none = History.from_rounds(arms=[], rewards=[])
        return Trial(tuple(groups), none, rewards, rates[None, :], np.arange(rounds), np.zeros((rounds, 0)))

    def __str__(self) -> str:
        told = f", {self.groups} useless groups" if self.groups else ""
        return f"0/1 rewards of rates {', '.join(f'{rate:g}' for rate in self.rates)}{told}"
