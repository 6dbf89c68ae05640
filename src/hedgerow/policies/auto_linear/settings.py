"""The tuning numbers of Auto with contexts, and the grids that it searches."""

from typing import Annotated, NamedTuple

import numpy as np

from ...core.settings import Number


class LinearSettings(NamedTuple):
    """What decides when the model is estimated, what it believes, and how far an index reaches above the mean."""

    growth: Annotated[
        float,
        Number(
            "all is estimated anew when all rounds have grown by this factor",
            unit="rounds so far",
            origin="30 tuning seeds of the synthetic problems: 1.25 is no better",
        ),
    ] = 1.5
    online_growth: Annotated[
        float,
        Number(
            "or when the online rounds have: so a long history that is off is noticed early",
            unit="online rounds so far",
            origin="chosen: three looks within the first 500 rounds; not tuned",
        ),
    ] = 4.0
    online_first: Annotated[
        float,
        Number(
            "online rounds before the first such look",
            unit="rounds",
            origin="chosen: the few that can show a history to be off; not tuned",
        ),
    ] = 32.0
    prior: Annotated[
        float,
        Number(
            "weight of log2(spread)^2 against the log likelihood: spreads stay near 1 while the data say nothing",
            unit="nats",
            origin="30 tuning seeds of the synthetic problems: 0, 0.02 and 0.1 tried",
        ),
    ] = 0.02
    levels_margin: Annotated[
        float,
        Number(
            "log likelihood by which arms without levels must lead arms with levels of their own",
            unit="nats",
            origin="chosen: e^3 = 20 : 1; not tuned",
        ),
    ] = 3.0
    levels_ruled_out: Annotated[
        float,
        Number(
            "log likelihood against levels from which on they are looked for seldom, or with rewards of two values never again",
            unit="nats",
            origin="chosen: e^8 = 3000 : 1; not tuned",
        ),
    ] = 8.0
    levels_growth: Annotated[
        float,
        Number(
            "then they are looked for when all rounds have grown by this factor",
            unit="rounds so far",
            origin="chosen for speed: each look makes a refresh half as dear again; not tuned",
        ),
    ] = 4.0
    drift_margin: Annotated[
        float,
        Number(
            "log likelihood by which a history that is off must lead one that is right",
            unit="nats",
            origin="league with contexts: 3 doubts honest histories of wrong clusters, 8 believed a noisy one that was off",
        ),
    ] = 5.0
    small_drift: Annotated[
        float,
        Number(
            "drift that a history believed so far is compared with",
            unit="variances of the coefficients",
            origin="chosen: arms that moved by about half their spread; the search goes on from there; not tuned",
        ),
    ] = 0.2
    least_drift: Annotated[
        float,
        Number(
            "least drift looked at: the message of a smaller one, a difference of inverses, is rounding errors",
            unit="variances of the coefficients",
            origin="chosen: the root of double precision leaves as many digits; not tuned",
        ),
    ] = 1e-4
    kept_step: Annotated[
        float,
        Number("step in which the share kept of a history is searched", unit="1", origin="chosen: none to all in 4; not tuned"),
    ] = 0.25
    turns: Annotated[
        int,
        Number("times that spreads and drift are estimated in turn, at most", unit="1", origin="chosen for speed; not tuned"),
    ] = 3
    noise_margin: Annotated[
        float,
        Number(
            "log likelihood by which noise that grows with the mean must lead constant noise",
            unit="nats",
            origin="chosen: e^2 = 7 : 1; off in all Gaussian and logistic trials of the synthetic problems; not tuned",
        ),
    ] = 2.0
    history_pool: Annotated[
        float,
        Number(
            "rounds of average history added to an arm's own before it is weighed: small rewards by luck must not weigh much",
            unit="rounds",
            origin="chosen: a handful; not tuned",
        ),
    ] = 5.0
    least_noise: Annotated[
        float,
        Number(
            "least noise variance of a round",
            unit="noise of a round of weight 1",
            origin="chosen: no round weighs as much as a million others; not tuned",
        ),
    ] = 1e-6
    bins_follow: Annotated[
        float,
        Number(
            "factor by which the variance of the rewards must have left the middle bin for the bins to follow",
            unit="1",
            origin="chosen: 8 of 64 bins of a factor of two each; not tuned",
        ),
    ] = 256.0
    horizon: Annotated[
        float,
        Number(
            "rounds still to come, over which an arm's gain is weighed: widths grow with log(1 + horizon t h / (d K^2))",
            unit="rounds so far",
            origin="league with contexts, few arms and none of history: standard deviations alone gave up the best arm",
        ),
    ] = 10.0
    least_width: Annotated[
        float,
        Number(
            "squared width that is left once every arm is known",
            unit="variances of theta'x",
            origin="league with contexts: 5 % less regret at d = 20 with wrong clusters, 2 % on average, against 1",
        ),
    ] = 0.1
    known_rounds: Annotated[
        float,
        Number(
            "rounds of an arm that counts as known",
            unit="rounds",
            origin="league with contexts, together with least_width",
        ),
    ] = 10.0
    few_columns: Annotated[
        float,
        Number(
            "columns of a context beyond which widths of known arms grow less: contexts that differ try arms by themselves",
            unit="columns",
            origin="league with contexts, together with least_width",
        ),
    ] = 5.0
    binary_tolerance: Annotated[
        float,
        Number(
            "relative difference of sum x^2 and sum x up to which a column has only values of 0 and 1, and keeps its unit",
            unit="1",
            origin="chosen: far above rounding errors of sums, far below what other columns have; not tuned",
        ),
    ] = 1e-9
    misplaced_every: Annotated[
        int,
        Number(
            "rounds of an arm after which it is looked at anew: does it belong to its cluster?",
            unit="rounds",
            origin="chosen for speed; not tuned",
        ),
    ] = 8
    misplaced_margin: Annotated[
        float,
        Number(
            "an arm that belongs to its cluster seems misplaced with a chance of exp(-this) a look",
            unit="nats",
            origin="chosen: a chance of 1 in 20,000; not tuned",
        ),
    ] = 10.0
    forced_share: Annotated[
        float,
        Number(
            "forced exploration: up to this times sqrt(t) of the first t rounds go to the arms played least",
            unit="rounds^(1/2)",
            origin="chosen: its cost vanishes beside regret of order sqrt(t); not tuned",
        ),
    ] = 0.5
    forced_every: Annotated[
        int,
        Number(
            "one round in this many is looked at for forced exploration",
            unit="rounds",
            origin="benchmark of rounds: to look in each costs a tenth of their time",
        ),
    ] = 8
    forced_alike: Annotated[
        float,
        Number(
            "arms played less than this many times as often as the least played count as unknown like it",
            unit="plays of the least played arm",
            origin="chosen: where many arms are new, what is known of the others decides; not tuned",
        ),
    ] = 10.0


SETTINGS = LinearSettings()

FIRST_STEPS = np.linspace(-14.0, 18.0, 17)
"""log2 of the spreads tried at the first refresh; later ones climb in steps of 1."""

FARTHEST_STEP = 24.0
"""log2 of the largest spread ever tried, and of one over the least."""

TOP_STEPS = np.linspace(-15.0, 24.0, 14)
"""log2 of the spreads at the top tried with each spread below; with the next one only those near the best so far."""

TOP_REACH = 3.0
"""How near."""

INTERCEPTS = 4.0 / 2.0 ** np.arange(9)
"""Noise intercepts tried, eta."""
