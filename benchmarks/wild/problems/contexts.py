"""Contexts: d numbers; half of the problems have a 1 as their last one (if d > 1 and not onehot).

    gaussian .45   normal, each correlated with the one before by rho ~ U(0, .9)
    onehot   .20   one of d levels, equally likely or like 1 / rank
    mixed    .35   a third of the columns 0/1, the others normal or exponential, half each; then units of 10^U(-2, 2) a column

The truth knows the columns before units, with mean 0.
"""

from dataclasses import dataclass, field

import numpy as np

from .draws import Array, Generator, one_of

CONTEXTS = {"gaussian": 0.45, "onehot": 0.2, "mixed": 0.35}
"""How likely each kind of contexts is."""


@dataclass(frozen=True)
class Contexts:
    """How contexts are drawn.

    Args:
        kind: One of CONTEXTS.
        one: Whether policies see a 1 as the last number.
        columns: How many numbers the truth knows.
        correlation: rho, of gaussian ones.
        weights: How likely each level is, of onehot ones.
        binary: Which columns are 0/1, of mixed ones.
        skewed: Which of the others are exponential.
        units: Of each column.
    """

    kind: str
    one: bool
    columns: int
    correlation: float
    weights: Array = field(repr=False)
    binary: Array = field(repr=False)
    skewed: Array = field(repr=False)
    units: Array = field(repr=False)

    def draw(self, rng: Generator, rounds: int) -> tuple[Array, Array]:
        """Draw contexts.

        Args:
            rng: Where they are drawn from.
            rounds: How many.

        Returns:
            The contexts as the truth knows them, and as policies see them.
        """
        if self.kind == "onehot":
            seen = np.eye(self.columns)[rng.choice(self.columns, size=rounds, p=self.weights)]
            return seen * np.sqrt(self.columns), seen
        known = rng.standard_normal((rounds, self.columns))
        if self.kind == "gaussian":
            for column in range(1, self.columns):
                own = np.sqrt(1 - self.correlation**2) * known[:, column]
                known[:, column] = self.correlation * known[:, column - 1] + own
            seen = known
        else:
            known, seen = self._mixed(known, rng.exponential(size=known.shape) - 1)
        return known, np.column_stack([seen, np.ones(rounds)]) if self.one else seen

    def _mixed(self, normal: Array, exponential: Array) -> tuple[Array, Array]:
        known = np.where(self.binary, (normal > 0) * 2.0 - 1, np.where(self.skewed, exponential, normal))
        return known, np.where(self.binary, (known > 0) * 1.0, known) * self.units


def contexts(rng: Generator, dimension: int) -> Contexts:
    """Draw what kind of contexts a problem has.

    Args:
        rng: Of this factor.
        dimension: How many numbers policies see.

    Returns:
        The contexts.
    """
    kind, one = one_of(rng, CONTEXTS), rng.random() < 0.5
    one = bool(one and dimension > 1 and kind != "onehot")
    columns = dimension - one
    correlation, decay = rng.uniform(0, 0.9), float(rng.integers(2))
    binary, units = rng.random(columns) < 1 / 3, 10.0 ** rng.uniform(-2, 2, columns)
    weights = 1 / np.arange(1, columns + 1) ** decay
    return Contexts(kind, one, columns, correlation, weights / weights.sum(), binary, rng.random(columns) < 0.5, units)
