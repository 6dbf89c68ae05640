"""The names of the numbers that the judge's sampler keeps, and its tuning numbers."""

from typing import Annotated, NamedTuple

from ..core.records import Field, kind_of, width
from ..core.settings import Number

SIDE_FIELDS = (
    Field("rows"),  # of the log on this side: in the future, or in the history
    Field("total"),  # reward
    Field("noise"),  # variance of a reward
    Field("information"),  # of all rows: the curvature of the likelihood
    Field("value"),  # where the sampler is: log odds of 0/1 rewards, the mean of others
    Field("fit"),  # log-likelihood there
    Field("new_value"),  # that is proposed
    Field("new_fit"),
)
"""An arm on one side of the split of a log."""

MEMBER_FIELDS = (
    Field("group"),
    Field("weight"),  # of Student's distribution as a mixture of normal ones: small for an arm far from its centre
)
COMMON_FIELDS = (
    Field("centre"),  # mu: of all arms
    Field("shift"),  # beta: by how much all arms were higher in the history
    Field("within"),  # t: spread of arms around the centre of their group
    Field("between"),  # s: spread of these centres; 0 for the label-blind judge
    Field("drift"),  # d: spread of the arms' own changes since the history
)
SIDE, MEMBER, COMMON = kind_of(SIDE_FIELDS), kind_of(MEMBER_FIELDS), kind_of(COMMON_FIELDS)
SIDE_SIZE, MEMBER_SIZE, COMMON_SIZE = width(SIDE_FIELDS), width(MEMBER_FIELDS), width(COMMON_FIELDS)
"""How many numbers each record has."""


class SamplerSettings(NamedTuple):
    """The judge's priors, and how its sampler walks."""

    tails: Annotated[
        float,
        Number(
            "degrees of freedom of Student's distribution of the arms around the centre of their group",
            unit="1",
            origin="50 simulated logs whose labels hide the best arm: a normal judge called 3 helpful that hurt, this one none",
        ),
    ] = 4.0
    spread_width: Annotated[
        float,
        Number(
            "width of the half-Cauchy prior of the spreads within and between groups",
            unit="log odds, or standard deviations of the arms' means",
            origin="chosen before any log was judged: click rates of one site differ by such factors; not tuned",
        ),
    ] = 0.5
    drift_width: Annotated[
        float,
        Number(
            "width of the half-Cauchy prior of the spread of the arms' changes since the history",
            unit="log odds, or standard deviations of the arms' means",
            origin="chosen: arms change less than they differ; not tuned",
        ),
    ] = 0.3
    warm_up: Annotated[
        int,
        Number(
            "sweeps before the first draw is kept",
            unit="sweeps",
            origin="tests/test_verdict_numbers.py: means then agree with a grid",
        ),
    ] = 2000
    every: Annotated[
        int,
        Number(
            "sweeps from a draw that is kept to the next",
            unit="sweeps",
            origin="chosen: draws are then nearly independent",
        ),
    ] = 40
    step: Annotated[
        float,
        Number(
            "length of a random-walk step",
            unit="posterior standard deviations",
            origin="2.4 is best for a normal target (Roberts, Gelman and Gilks 1997), a little less for wider tails",
        ),
    ] = 2.0
    small_step: Annotated[
        float,
        Number("length of every other step of a logarithm of a spread", unit="1", origin="chosen: for many arms; not tuned"),
    ] = 0.25
    large_step: Annotated[
        float, Number("length of the steps between these", unit="1", origin="chosen: for few arms; not tuned")
    ] = 1.0
    small_stretch: Annotated[
        float,
        Number(
            "log of the factor by which all arms are stretched in one turn of three",
            unit="1",
            origin="chosen: for many arms; not tuned",
        ),
    ] = 0.1
    large_stretch: Annotated[float, Number("the same in the next turn", unit="1", origin="chosen: for few arms; not tuned")] = 0.5
    least_spread: Annotated[
        float,
        Number(
            "least spread: below it arms are equal for all that matters to a verdict",
            unit="widths of its prior",
            origin="chosen: a ten-thousandth; keeps the sampler from the point where all spreads are 0",
        ),
    ] = 1e-4


SETTINGS = SamplerSettings()
