"""The judge's sampler: the arms' expected rewards in the future, given the later part of a log and the earlier one.

    S_k ~ Bin(n_k, logistic(eta_k))        S'_k ~ Bin(n'_k, logistic(eta_k + beta + b_k)),  b_k ~ N(0, d^2)
    eta_k ~ T4(mu_c(k), t),  mu_i ~ N(mu, s^2);  mu, beta flat;  t, s ~ half-Cauchy(0.5);  d ~ half-Cauchy(0.3)

Primes mark the history, which is seen through the drift beta + b_k. The grouped judge is as written; the label-blind one has
one group and s = 0. T4 is Student's distribution with 4 degrees of freedom: a normal one draws the one good arm of a bad group
too far down to its group. (Of 50 simulated logs whose labels hide the best arm, the normal judge called 3 helpful that hurt, this
one none, and the labels' gain was covered in 92 % instead of 88 %.) For rewards other than 0 and 1 the link is the identity and
a mean of n rewards is N(eta, v / n); the widths of the priors are then in units of the standard deviation of the arms' means.

An arm is one row of numbers: what the log says of it in the future and in the past, then where the sampler is. One
array instead of many, since handing arrays on costs more than the arithmetic.
"""

import math

import numpy as np

from ..core.kernel import compiled
from ..core.types import Floats

ROWS, TOTAL, NOISE, INFORMATION, PAST = 0, 1, 2, 3, 4
GROUP, ETA, SEEN, FIT, PAST_FIT, NEW_ETA, NEW_SEEN, NEW_FIT, NEW_PAST_FIT, LOOSE, COLUMNS = (
    8,
    9,
    10,
    11,
    12,
    13,
    14,
    15,
    16,
    17,
    18,
)
"""Columns of an arm; those of the past are ROWS + PAST and so on. INFORMATION is the curvature of the likelihood."""

MU, BETA, WITHIN, BETWEEN, DRIFT, LEVELS = 0, 1, 2, 3, 4, 5
WARM_UP, EVERY = 2000, 40
SPREAD_WIDTH, DRIFT_WIDTH = 0.5, 0.3
SMALL_STEP, LARGE_STEP = 0.25, 1.0
STEP = 2.0
"""Steps of a random walk in posterior standard deviations."""

TINY = 1e-4
"""Least spread, in units of the prior's: below it arms are equal for all that matters here."""


@compiled
def fit_of(arms: Floats, k: int, part: int, logit: bool, eta: float) -> float:
    """Log-likelihood of an arm's sums in the future (part 0) or in the past (part PAST), up to a constant."""
    rows, total = arms[k, part + ROWS], arms[k, part + TOTAL]
    if rows == 0.0:
        return 0.0
    if logit:
        odds: float = total * eta - rows * (max(eta, 0.0) + math.log1p(math.exp(-abs(eta))))
        return odds
    fit: float = (total * eta - 0.5 * rows * eta * eta) / arms[k, part + NOISE]
    return fit


@compiled
def accept(rng: np.random.Generator, logarithm: float) -> bool:
    """Metropolis."""
    return logarithm >= 0.0 or rng.random() < math.exp(logarithm)


@compiled
def move_arm(arms: Floats, levels: Floats, k: int, centre: float, logit: bool, rng: np.random.Generator) -> None:
    """A random-walk step of an arm's future value."""
    pull = arms[k, LOOSE] / levels[WITHIN] ** 2
    tie = 1.0 / levels[DRIFT] ** 2 if arms[k, PAST + ROWS] > 0.0 else 0.0
    old, drifted = arms[k, ETA], arms[k, SEEN] - levels[BETA]
    new = old + STEP / math.sqrt(pull + tie + arms[k, INFORMATION]) * rng.standard_normal()
    fit = fit_of(arms, k, 0, logit, new)
    change = fit - arms[k, FIT] - 0.5 * pull * ((new - centre) ** 2 - (old - centre) ** 2)
    if accept(rng, change - 0.5 * tie * ((drifted - new) ** 2 - (drifted - old) ** 2)):
        arms[k, ETA], arms[k, FIT] = new, fit


@compiled
def move_past(arms: Floats, levels: Floats, k: int, centre: float, logit: bool, rng: np.random.Generator) -> None:
    """A step of an arm's past value, and one of both values together."""
    pull, tie = arms[k, LOOSE] / levels[WITHIN] ** 2, 1.0 / levels[DRIFT] ** 2
    old, drifted = arms[k, SEEN], arms[k, ETA] + levels[BETA]
    new = old + STEP / math.sqrt(tie + arms[k, PAST + INFORMATION]) * rng.standard_normal()
    past = fit_of(arms, k, PAST, logit, new)
    if accept(rng, past - arms[k, PAST_FIT] - 0.5 * tie * ((new - drifted) ** 2 - (old - drifted) ** 2)):
        arms[k, SEEN], arms[k, PAST_FIT] = new, past
    step = STEP / math.sqrt(pull + arms[k, INFORMATION] + arms[k, PAST + INFORMATION]) * rng.standard_normal()
    old, new = arms[k, ETA], arms[k, ETA] + step
    fit, past = fit_of(arms, k, 0, logit, new), fit_of(arms, k, PAST, logit, arms[k, SEEN] + step)
    change = fit - arms[k, FIT] + past - arms[k, PAST_FIT]
    if accept(rng, change - 0.5 * pull * ((new - centre) ** 2 - (old - centre) ** 2)):
        arms[k, ETA], arms[k, FIT] = new, fit
        arms[k, SEEN] += step
        arms[k, PAST_FIT] = past


@compiled
def log_prior(value: float, width: float) -> float:
    """Of the logarithm of a half-Cauchy variable; minus infinity below the least spread."""
    if value < TINY * width:
        return -math.inf
    return math.log(value) - math.log1p((value / width) ** 2)


@compiled
def summarise(arms: Floats, sizes: Floats, means: Floats) -> float:
    """Weights and means of the groups, and the sum of squares within them."""
    sizes[:] = 0.0
    means[:] = 0.0
    for k in range(arms.shape[0]):
        sizes[int(arms[k, GROUP])] += arms[k, LOOSE]
        means[int(arms[k, GROUP])] += arms[k, LOOSE] * arms[k, ETA]
    for i in range(sizes.size):
        means[i] /= sizes[i]
    squares = 0.0
    for k in range(arms.shape[0]):
        squares += arms[k, LOOSE] * (arms[k, ETA] - means[int(arms[k, GROUP])]) ** 2
    return squares


@compiled
def loosen(arms: Floats, levels: Floats, k: int, centre: float, tails: float, rng: np.random.Generator) -> None:
    """Gibbs step of an arm's weight: with it, arms around their centre have Student's distribution."""
    distance = (arms[k, ETA] - centre) / levels[WITHIN]
    arms[k, LOOSE] = rng.standard_gamma(0.5 * tails + 0.5) / (0.5 * tails + 0.5 * distance * distance)


@compiled
def spread_fit(means: Floats, squares: float, sizes: Floats, freedom: float, within: float, between: float) -> float:
    """Log-likelihood of the spreads given the arms' values, with mu and all mu_i integrated out."""
    weights = moment = fit = 0.0
    for i in range(sizes.size):
        w = 1.0 / (between * between + within * within / sizes[i])
        weights += w
        moment += w * means[i]
        fit += 0.5 * math.log(w) - 0.5 * w * means[i] * means[i]
    fit += 0.5 * moment * moment / weights - 0.5 * math.log(weights)
    return fit - freedom * math.log(within) - 0.5 * squares / (within * within)


@compiled
def move_spreads(
    means: Floats, squares: float, sizes: Floats, freedom: float, levels: Floats, unit: float, rng: np.random.Generator
) -> None:
    """Metropolis steps of log t and log s, small and large ones in turn."""
    width = SPREAD_WIDTH * unit
    fit = spread_fit(means, squares, sizes, freedom, levels[WITHIN], levels[BETWEEN])
    for turn in range(4 if levels[BETWEEN] > 0.0 else 2):
        level = WITHIN if turn < 2 else BETWEEN
        old = levels[level]
        levels[level] = old * math.exp((SMALL_STEP if turn % 2 == 0 else LARGE_STEP) * rng.standard_normal())
        new_fit = spread_fit(means, squares, sizes, freedom, levels[WITHIN], levels[BETWEEN])
        if accept(rng, new_fit - fit + log_prior(levels[level], width) - log_prior(old, width)):
            fit = new_fit
        else:
            levels[level] = old


@compiled
def draw_centres(means: Floats, sizes: Floats, centres: Floats, levels: Floats, rng: np.random.Generator) -> None:
    """Gibbs steps of mu and of the centre of each group."""
    weights = moment = 0.0
    within, between = levels[WITHIN] ** 2, levels[BETWEEN] ** 2
    for i in range(means.size):
        w = 1.0 / (between + within / sizes[i])
        weights += w
        moment += w * means[i]
    levels[MU] = moment / weights + rng.standard_normal() / math.sqrt(weights)
    for i in range(means.size):
        centres[i] = levels[MU]
        if between > 0.0:
            precision = 1.0 / between + sizes[i] / within
            mean = (levels[MU] / between + means[i] * sizes[i] / within) / precision
            centres[i] = mean + rng.standard_normal() / math.sqrt(precision)


@compiled
def move_drift(arms: Floats, levels: Floats, unit: float, rng: np.random.Generator) -> None:
    """Gibbs step of beta, Metropolis steps of d."""
    count = total = squares = 0.0
    for k in range(arms.shape[0]):
        if arms[k, PAST + ROWS] > 0.0:
            count += 1.0
            total += arms[k, SEEN] - arms[k, ETA]
    levels[BETA] = total / count + levels[DRIFT] / math.sqrt(count) * rng.standard_normal()
    for k in range(arms.shape[0]):
        if arms[k, PAST + ROWS] > 0.0:
            squares += (arms[k, SEEN] - arms[k, ETA] - levels[BETA]) ** 2
    width = DRIFT_WIDTH * unit
    for turn in range(2):
        old = levels[DRIFT]
        new = old * math.exp((SMALL_STEP if turn == 0 else LARGE_STEP) * rng.standard_normal())
        change = log_prior(new, width) - log_prior(old, width) - count * math.log(new / old)
        if accept(rng, change - 0.5 * squares * (1.0 / (new * new) - 1.0 / (old * old))):
            levels[DRIFT] = new


@compiled
def propose(arms: Floats, levels: Floats, logit: bool, past: bool, factor: float, step: float) -> float:
    """Stretch all arms around mu and move them, drifts as they are, or with ``past`` all drifts: the change in likelihood."""
    change = 0.0
    for k in range(arms.shape[0]):
        middle = arms[k, ETA] + levels[BETA] if past else levels[MU]
        shift = (factor - 1.0) * (arms[k, SEEN if past else ETA] - middle) + step
        arms[k, NEW_ETA] = arms[k, ETA] + (0.0 if past else shift)
        arms[k, NEW_SEEN] = arms[k, SEEN] + shift
        arms[k, NEW_FIT] = arms[k, FIT] if past else fit_of(arms, k, 0, logit, arms[k, NEW_ETA])
        arms[k, NEW_PAST_FIT] = fit_of(arms, k, PAST, logit, arms[k, NEW_SEEN])
        change += arms[k, NEW_FIT] - arms[k, FIT] + arms[k, NEW_PAST_FIT] - arms[k, PAST_FIT]
    return change


@compiled
def move_all(
    arms: Floats, levels: Floats, logit: bool, past: bool, turn: int, width: float, information: float, rng: np.random.Generator
) -> None:
    """Stretch or move all arms at once (or all drifts), with their spreads: the way out of a narrow funnel."""
    factor, step = 1.0, 0.0
    if turn == 0:
        step = STEP / math.sqrt(information) * rng.standard_normal()
    else:
        factor = math.exp((0.1 if turn == 1 else 0.5) * rng.standard_normal())
    change = propose(arms, levels, logit, past, factor, step)
    first, last = (DRIFT, LEVELS) if past else (WITHIN, DRIFT)
    for level in range(first, last):
        if levels[level] > 0.0:
            change += log_prior(levels[level] * factor, width) - log_prior(levels[level], width)
    if accept(rng, change):
        levels[BETA if past else MU] += step
        for level in range(first, last):
            levels[level] *= factor
        for k in range(arms.shape[0]):
            for column in range(4):
                arms[k, ETA + column] = arms[k, NEW_ETA + column]


@compiled
def sample(
    arms: Floats,
    groups: int,
    tails: float,
    levels: Floats,
    logit: bool,
    unit: float,
    kept: Floats,
    kept_levels: Floats,
    rng: np.random.Generator,
) -> None:
    """Sweeps of all moves; of every 40th after the warm-up the arms' values and the levels are kept."""
    centres, means, sizes = np.full(groups, levels[MU]), np.zeros(groups), np.zeros(groups)
    freedom = float(arms.shape[0] - groups)
    past_information = arms[:, PAST + INFORMATION].sum()
    information = past_information + arms[:, INFORMATION].sum()
    for k in range(arms.shape[0]):
        arms[k, FIT], arms[k, PAST_FIT] = fit_of(arms, k, 0, logit, arms[k, ETA]), fit_of(arms, k, PAST, logit, arms[k, SEEN])
    for sweep in range(1, WARM_UP + EVERY * kept.shape[0] + 1):
        for k in range(arms.shape[0]):
            centre = centres[int(arms[k, GROUP])]
            loosen(arms, levels, k, centre, tails, rng)
            move_arm(arms, levels, k, centre, logit, rng)
            if arms[k, PAST + ROWS] > 0.0:
                move_past(arms, levels, k, centre, logit, rng)
        move_all(arms, levels, logit, False, sweep % 3, SPREAD_WIDTH * unit, information, rng)
        if past_information > 0.0:
            move_all(arms, levels, logit, True, sweep % 3, DRIFT_WIDTH * unit, past_information, rng)
            move_drift(arms, levels, unit, rng)
        squares = summarise(arms, sizes, means)
        move_spreads(means, squares, sizes, freedom, levels, unit, rng)
        draw_centres(means, sizes, centres, levels, rng)
        if sweep > WARM_UP and (sweep - WARM_UP) % EVERY == 0:
            kept[(sweep - WARM_UP) // EVERY - 1] = arms[:, ETA]
            kept_levels[(sweep - WARM_UP) // EVERY - 1] = levels
