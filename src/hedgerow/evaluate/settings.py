"""The tuning numbers of the verdict: of its gains and rulings, of replays, and of the grade of a log. The sampler has its own."""

from typing import Annotated, NamedTuple

from ..core.settings import Number


class VerdictSettings(NamedTuple):
    """When a verdict is given, and how policies are played for it."""

    refuted: Annotated[
        float,
        Number(
            "permutation p up to which the label-blind judge counts as refuted",
            unit="1",
            origin="chosen: 1 in 20; the studies of coverage ran with it",
        ),
    ] = 0.05
    few_decisions: Annotated[
        float,
        Number(
            "decisions for each arm below which a verdict warns that arms are hardly tried",
            unit="decisions",
            origin="chosen: UCB plays each arm once before it compares any; not tuned",
        ),
    ] = 3.0
    shuffles: Annotated[
        int,
        Number(
            "shuffled groupings of each run",
            unit="groupings",
            origin="24 simulated good groupings with history: with one 4 were found, with four 8",
        ),
    ] = 4
    lucky: Annotated[
        float,
        Number(
            "share of a gain's variance that the luck of the runs may make up before more are played",
            unit="1",
            origin="chosen: with few arms and rewards of any size, four runs say little of a world; not tuned",
        ),
    ] = 0.7
    more_runs: Annotated[
        int, Number("times as many runs are then played", unit="1", origin="chosen: half the luck; not tuned")
    ] = 4
    most_played: Annotated[
        int, Number("runs times arms up to which more are played", unit="arms", origin="chosen: a verdict takes seconds")
    ] = 256
    exact_rounds: Annotated[
        int,
        Number(
            "first rounds in which the logarithm of a bonus is exact", unit="rounds", origin="chosen: a fifth of a verdict's 1000"
        ),
    ] = 250
    log_growth: Annotated[
        float,
        Number(
            "growth of t after which the logarithm is brought up to date",
            unit="1",
            origin="it changes a bonus by a thousandth at most, and spares most of the logarithms",
        ),
    ] = 1.01
    close: Annotated[
        float,
        Number(
            "distance of an interval's end from 0 at which another seed might put it on the other side",
            unit="lengths of the interval",
            origin="the 5 % quantile of 200 draws has a standard error of 0.15 standard deviations, an interval a length of 3.3",
        ),
    ] = 0.07
    least_events: Annotated[
        float,
        Number(
            "events of an arm below which no verdict is given",
            unit="events",
            origin="simulated logs with fewer were covered in 76 to 88 % only",
        ),
    ] = 2.0
    least_rows: Annotated[
        float,
        Number(
            "effective rows of an arm, the mean, below which none is given",
            unit="rows",
            origin="chosen: with two events an arm; not tuned",
        ),
    ] = 5.0
    most_empty: Annotated[
        float,
        Number(
            "share of arms without a row above which none is given",
            unit="1",
            origin="chosen: the others are most of the choice; not tuned",
        ),
    ] = 0.2
    least_groups: Annotated[
        int,
        Number(
            "groups of two arms or more below which a grouping is not judged",
            unit="groups",
            origin="chosen: with two, shuffling deals out hardly anything else",
        ),
    ] = 3
    looks: Annotated[
        int,
        Number(
            "parts of the later rows after which trust is looked at", unit="parts", origin="chosen: enough points for a curve"
        ),
    ] = 8


class ReplaySettings(NamedTuple):
    """How policies are replayed on logged rewards."""

    orders: Annotated[
        int, Number("orders of the rows", unit="orders", origin="chosen: their error is then small beside that of the rows")
    ] = 60
    bootstraps: Annotated[int, Number("resampled logs", unit="logs", origin="chosen: a standard error within 10 %")] = 60
    repeats: Annotated[
        int,
        Number("orders of each resampled log", unit="orders", origin="chosen: their error is then small beside that of the rows"),
    ] = 3
    share: Annotated[
        float,
        Number("share that is used of the rows that would match", unit="1", origin="chosen: what is left is room for chance"),
    ] = 0.8
    most_redrawn: Annotated[
        float,
        Number(
            "share of plays that may find no row of their arm left and take one a second time",
            unit="1",
            origin="chosen: fewer than chance moves a gain by; not tuned",
        ),
    ] = 0.05
    most_offered: Annotated[
        int,
        Number("rows offered in a pass with contexts", unit="rows", origin="240 passes of each policy then take a minute or so"),
    ] = 20_000
    widest: Annotated[
        int,
        Number(
            "numbers in a context beyond which none is replayed",
            unit="numbers",
            origin="chosen: regressions have too little to learn from within a replay; not tuned",
        ),
    ] = 40
    matched: Annotated[
        int,
        Number(
            "rows of an arm that must match in a thinned log", unit="rows", origin="chosen: as many as arms tell apart; not tuned"
        ),
    ] = 10


class GradeSettings(NamedTuple):
    """How a log is checked: by the size of an effect and its p-value, for in a large log every trifle is significant."""

    most_association: Annotated[
        float,
        Number(
            "Cramer's V of arm and context or time up to which arms count as chosen at random",
            unit="1",
            origin="a public log: at most 0.027 where it was random, 0.12 and 0.22 where Thompson sampling chose",
        ),
    ] = 0.05
    most_variation: Annotated[
        float,
        Number(
            "coefficient of variation of the arms' rows up to which they count as even",
            unit="1",
            origin="the same log: 0.053 where it was random, 1.63 where not",
        ),
    ] = 0.15
    least_p: Annotated[
        float,
        Number("p-value from which on a check passes in any case", unit="1", origin="10,000 rows of that random log: p = 0.02"),
    ] = 0.001
    context_bins: Annotated[
        int, Number("quantile bins of a column of numbers", unit="bins", origin="chosen: a trend shows; not tuned")
    ] = 5
    time_slices: Annotated[
        int, Number("parts of the rows, in their order", unit="parts", origin="chosen: weekdays; not tuned")
    ] = 7
    most_categories: Annotated[
        int,
        Number(
            "categories of a column; rarer ones count as one", unit="categories", origin="chosen: cells are not empty; not tuned"
        ),
    ] = 50
    few_values: Annotated[
        int, Number("values up to which a column of numbers is one of categories", unit="values", origin="chosen: twice the bins")
    ] = 10
    misfit: Annotated[
        float, Number("by how much propensities may miss their sum", unit="standard errors", origin="chosen: 1 in 400 by chance")
    ] = 3.0
    rounded: Annotated[
        float, Number("share by which propensities may be off", unit="1", origin="logs that round them to a percent or two")
    ] = 0.02
    many_rows: Annotated[
        int,
        Number(
            "rows of an arm from which on half the expected sum is too small in any case", unit="rows", origin="chosen; not tuned"
        ),
    ] = 20
    least_effective: Annotated[
        float,
        Number(
            "effective rows of an arm from which on its own propensities are looked at",
            unit="rows",
            origin="chosen: with fewer the rare rows of large weight may be missing; not tuned",
        ),
    ] = 100.0


VERDICT, REPLAY, GRADE = VerdictSettings(), ReplaySettings(), GradeSettings()
