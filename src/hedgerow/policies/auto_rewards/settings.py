"""The six constants of Auto without contexts, and the grids that its integrals are summed on."""

from typing import Annotated, NamedTuple

import numpy as np

from ...core.settings import Number


class RewardSettings(NamedTuple):
    """What the model takes for granted before it has seen a reward."""

    horizon: Annotated[
        float,
        Number(
            "rounds still to come: what an arm may bring is weighed over them",
            unit="rounds so far",
            origin="wild seeds 15001-15360: 1, 2 and 5 level within chance; 11101-12100: 15 has 6 % more regret; with 1, rare "
            "0/1 rewards and long games get stuck (league settings rare, adversarial: 1.5 to 2.3 times the regret)",
        ),
    ] = 5.0
    freedom: Annotated[
        float,
        Number(
            "degrees of freedom of the prior of an arm's noise variance, a scaled inverse chi square around the typical one",
            unit="plays",
            origin="wild seeds 10001-10400: 3 and 10 have 2 % more regret, within chance",
        ),
    ] = 5.0
    outlier: Annotated[
        float,
        Number(
            "standard deviation of an arm whose cluster is wrong about it",
            unit="standard deviations of the arms",
            origin="wild seeds 10001-10400: 1 to 5 are level; 1 fails with adversarial clusters",
        ),
    ] = 1.5
    holds: Annotated[
        float,
        Number(
            "prior probability that arms have not moved since their history",
            unit="1",
            origin="chosen: one history in twenty is off; .3 to .95 are level on wild seeds 10001-10400",
        ),
    ] = 0.95
    prior_clusters: Annotated[
        float,
        Number(
            "weight of the uniform prior over the spreads in clusters and shares of wrong arms",
            unit="clusters",
            origin="chosen: as much as one cluster tells; .3 is level on wild seeds 10001-10400",
        ),
    ] = 1.0
    hits: Annotated[
        float,
        Number(
            "rewards of two values: hits, and as many misses, added to those of an arm",
            unit="hits",
            origin="not tuned: without a hit the normal tail in arcsines is then that of the binomial, sqrt(2 n KL), at 2 sd",
        ),
    ] = 1.0 / 6.0


SETTINGS = RewardSettings()

SPREADS = np.array([0.01, 0.04, 0.16, 0.4, 1.0])
"""Variance within a cluster, as parts of the variance of all arms: the grid that is summed over. 1: the cluster says nothing."""

WRONG = np.array([0.001, 0.005, 0.02, 0.08, 0.3])
"""Shares of a cluster's arms that do not belong to it: the grid."""

MOVED = np.array([0.0, 1 / 64, 1 / 16, 1 / 4, 1.0, 4.0])
"""Variance of an arm's change since its history, in variances of the arms: the grid."""

GROWTH = 0.1
"""All is estimated anew when rounds have grown by this part, a cluster when its plays have: a matter of speed."""
