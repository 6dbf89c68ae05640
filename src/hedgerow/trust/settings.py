"""The tuning numbers of trust: what its words mean, and the grid of spreads of coefficients."""

from typing import Annotated, NamedTuple

from ..core.settings import Number


class TrustSettings(NamedTuple):
    """What its words mean."""

    nothing: Annotated[
        float,
        Number(
            "share of the differences below which groups may say nothing",
            unit="1",
            origin="chosen: too little to change a decision; not tuned",
        ),
    ] = 0.05
    little: Annotated[
        float,
        Number("share of the differences below which groups say little", unit="1", origin="chosen: a quarter; not tuned"),
    ] = 0.25
    much: Annotated[
        float, Number("share of the differences above which groups say much", unit="1", origin="chosen: a half; not tuned")
    ] = 0.5
    wide: Annotated[
        float,
        Number("length of an interval of this share that tells nothing", unit="1", origin="chosen: most of 0 to 1; not tuned"),
    ] = 0.8
    lost: Annotated[
        float,
        Number(
            "variance of the rewards over their mean square below which sums hardly tell it any more",
            unit="1",
            origin="a hundred times what core/noise.py takes for rounding (1e-12)",
        ),
    ] = 1e-10
    hint: Annotated[
        float, Number("p-value below which there is a hint that history and rounds differ", unit="1", origin="chosen: 1 in 20")
    ] = 0.05
    let_go: Annotated[
        float,
        Number("share of its history below which a policy has let it go", unit="1", origin="chosen: a tenth; not tuned"),
    ] = 0.1
    checked: Annotated[
        float,
        Number(
            "share of a history's arms that rounds must have tried for their agreement to speak for the others",
            unit="1",
            origin="chosen: a half; not tuned",
        ),
    ] = 0.5
    doubtful: Annotated[
        float,
        Number("chance of not belonging to its group beyond which an arm is named", unit="1", origin="chosen: 9 : 1; not tuned"),
    ] = 0.9
    named: Annotated[int, Number("arms that are named in a sentence", unit="arms", origin="chosen: more are not read")] = 3


class GridSettings(NamedTuple):
    """The grid of spreads of coefficients within and between groups, as log2 of variances in units of 1 / mean x_j^2."""

    lowest: Annotated[
        float, Number("the first step of the coarse grid", unit="log2", origin="chosen: what contexts explain is then 1 / 16,000")
    ] = -14.0
    highest: Annotated[
        float, Number("the end of the coarse grid", unit="log2", origin="chosen: it goes on where the last is best")
    ] = 7.0
    farthest: Annotated[
        float, Number("the largest step looked at", unit="log2", origin="chosen: noise of a ten-millionth of the differences")
    ] = 24.0
    around: Annotated[
        int, Number("steps to either side of the best one, in a finer grid", unit="steps", origin="two of the coarser grid")
    ] = 6
    likely: Annotated[
        float,
        Number("odds of one step from which on shorter ones are looked at", unit="1", origin="chosen: intervals are then exact"),
    ] = 0.4
    finest: Annotated[
        float, Number("length below which steps are not made shorter", unit="log2", origin="1.4 % of a variance")
    ] = 0.02
    common: Annotated[
        float,
        Number("variance of what all arms have in common", unit="1 / mean x_j^2", origin="2^30: it may be anything"),
    ] = 2.0**30


SETTINGS, GRID = TrustSettings(), GridSettings()
