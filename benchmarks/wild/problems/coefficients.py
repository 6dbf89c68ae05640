"""Expected rewards given a context: coefficients theta of the arms, alike within K^U(.2, .8) true groups, and a link.

    theta    theta_k = (centre_c + e N(0, I)) / sqrt(d), centre_c ~ N(0, I), e ~ logU(.05, 3), c the group of arm k
    sparse   .4: only a share U(.1, .5) of the columns counts
    levels   .5: arms have a level of U(0, 1) (N(0, 1) of the group + e N(0, 1))
    link     linear .45; nonlinear .25: plus U(.2, 1) times tanh(2 w'x) or (w'x)^2 - 1, half each, with w of the arm;
             logistic .30: 0/1 rewards whose log odds are b + s f, b ~ U(-4, 1), s ~ logU(.5, 3)

f is scaled to a standard deviation of 1 between the arms in a context, on average, and to mean 0.
"""

from dataclasses import dataclass, field

import numpy as np

from .draws import Array, Generator, log_uniform, one_of

LINKS = {"linear": 0.45, "nonlinear": 0.25, "logistic": 0.30}
"""How likely each link is."""


@dataclass(frozen=True)
class Coefficients:
    """What an arm pays given a context, before scaling.

    Args:
        group: True group of each arm.
        closeness: e, the spread within groups over that between them.
        sparse: Whether some columns do not count.
        levels: Whether arms have levels of their own.
        link: One of LINKS.
        theta: Coefficients, a row for each arm.
        level: Of each arm.
        bend: Weight of the nonlinear part.
        square: Whether that is a square, or a tanh.
        bent: Its coefficients w, a row for each arm.
    """

    group: Array = field(repr=False)
    closeness: float
    sparse: bool
    levels: bool
    link: str
    theta: Array = field(repr=False)
    level: Array = field(repr=False)
    bend: float
    square: bool
    bent: Array = field(repr=False)

    def payoff(self, known: Array) -> Array:
        """Return f before scaling.

        Args:
            known: Contexts as the truth knows them.

        Returns:
            A row for each context, a column for each arm.
        """
        linear = self.level + known @ self.theta.T
        if self.link != "nonlinear":
            return linear
        along = known @ self.bent.T
        return linear + self.bend * (along * along - 1 if self.square else np.tanh(2 * along))


def coefficients(rng: Generator, arms: int, columns: int) -> Coefficients:
    """Draw the coefficients of the arms.

    Args:
        rng: Of this factor.
        arms: How many.
        columns: How many numbers of a context the truth knows.

    Returns:
        The coefficients.
    """
    count = int(np.clip(round(arms ** rng.uniform(0.2, 0.8)), 1, arms))
    group = rng.permutation(np.arange(arms) % count)
    closeness = log_uniform(rng, 0.05, 3)
    theta = rng.normal(size=(count, columns))[group] + closeness * rng.normal(size=(arms, columns))
    sparse = bool(rng.random() < 0.4)
    if sparse:
        counts = np.zeros(columns)
        counts[rng.permutation(columns)[: max(1, round(rng.uniform(0.1, 0.5) * columns))]] = 1
        theta = theta * counts
    theta /= np.sqrt(columns)
    levels = bool(rng.random() < 0.5)
    level = np.zeros(arms)
    if levels:
        level = rng.uniform(0, 1) * (rng.normal(size=count)[group] + closeness * rng.normal(size=arms))
    link, bend, square = one_of(rng, LINKS), rng.uniform(0.2, 1), bool(rng.random() < 0.5)
    bent = rng.normal(size=(arms, columns)) / np.sqrt(columns)
    return Coefficients(group, closeness, sparse, levels, link, theta, level, bend, square, bent)
