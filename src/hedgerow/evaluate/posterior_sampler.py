"""The judge's sampler: the arms' expected rewards in the future, given the later part of a log and the earlier one.

    S_k ~ Bin(n_k, logistic(eta_k))        S'_k ~ Bin(n'_k, logistic(eta_k + beta + b_k)),  b_k ~ N(0, d^2)
    eta_k ~ T4(mu_c(k), t),  mu_i ~ N(mu, s^2);  mu, beta flat;  t, s ~ half-Cauchy(0.5);  d ~ half-Cauchy(0.3)

Primes mark the history, which is seen through the drift beta + b_k. The grouped judge is as written; the label-blind one has
one group and s = 0. T4 is Student's distribution with 4 degrees of freedom: a normal one draws the one good arm of a bad group
too far down to its group. (Of 50 simulated logs whose labels hide the best arm, the normal judge called 3 helpful that hurt, this
one none, and the labels' gain was covered in 92 % instead of 88 %.) For rewards other than 0 and 1 the link is the identity and
a mean of n rewards is N(eta, v / n); the widths of the priors are then in units of the standard deviation of the arms' means.
"""

import math
from typing import Any

import numpy as np

from ..core.kernel import compiled
from ..core.records import record, records
from ..core.types import Floats
from .sampler_spreads import accept, draw_centres, log_prior, move_spreads
from .sampler_state import COMMON, MEMBER, SETTINGS, SIDE


@compiled
def fit_of(side: Any, logit: bool, value: float) -> float:
    """Log-likelihood of an arm's sums on one side, if its value there were ``value``, up to a constant."""
    if side.rows == 0.0:
        return 0.0
    if logit:
        odds: float = side.total * value - side.rows * (max(value, 0.0) + math.log1p(math.exp(-abs(value))))
        return odds
    fit: float = (side.total * value - 0.5 * side.rows * value * value) / side.noise
    return fit


@compiled
def move_future(arm: Any, future: Any, history: Any, levels: Any, centre: float, logit: bool, rng: np.random.Generator) -> None:
    """A random-walk step of an arm's future value."""
    pull = arm.weight / levels.within**2
    tie = 1.0 / levels.drift**2 if history.rows > 0.0 else 0.0
    old, drifted = future.value, history.value - levels.shift
    new = old + SETTINGS.step / math.sqrt(pull + tie + future.information) * rng.standard_normal()
    fit = fit_of(future, logit, new)
    change = fit - future.fit - 0.5 * pull * ((new - centre) ** 2 - (old - centre) ** 2)
    if accept(rng, change - 0.5 * tie * ((drifted - new) ** 2 - (drifted - old) ** 2)):
        future.value, future.fit = new, fit


@compiled
def move_history(arm: Any, future: Any, history: Any, levels: Any, centre: float, logit: bool, rng: np.random.Generator) -> None:
    """A step of an arm's value in the history, and one of both values together."""
    pull, tie = arm.weight / levels.within**2, 1.0 / levels.drift**2
    old, drifted = history.value, future.value + levels.shift
    new = old + SETTINGS.step / math.sqrt(tie + history.information) * rng.standard_normal()
    fit = fit_of(history, logit, new)
    if accept(rng, fit - history.fit - 0.5 * tie * ((new - drifted) ** 2 - (old - drifted) ** 2)):
        history.value, history.fit = new, fit
    step = SETTINGS.step / math.sqrt(pull + future.information + history.information) * rng.standard_normal()
    old, new = future.value, future.value + step
    fit, history_fit = fit_of(future, logit, new), fit_of(history, logit, history.value + step)
    change = fit - future.fit + history_fit - history.fit
    if accept(rng, change - 0.5 * pull * ((new - centre) ** 2 - (old - centre) ** 2)):
        future.value, future.fit = new, fit
        history.value += step
        history.fit = history_fit


@compiled
def loosen(arm: Any, value: float, levels: Any, centre: float, tails: float, rng: np.random.Generator) -> None:
    """Gibbs step of an arm's weight: with it, arms around their centre have Student's distribution."""
    distance = (value - centre) / levels.within
    arm.weight = rng.standard_gamma(0.5 * tails + 0.5) / (0.5 * tails + 0.5 * distance * distance)


@compiled
def summarise(arms: Any, futures: Any, sizes: Floats, means: Floats) -> float:
    """Weights and means of the groups, and the sum of squares within them."""
    sizes[:] = 0.0
    means[:] = 0.0
    for k in range(len(arms)):
        arm, future = arms[k], futures[k]
        sizes[int(arm.group)] += arm.weight
        means[int(arm.group)] += arm.weight * future.value
    for i in range(sizes.size):
        means[i] /= sizes[i]
    squares = 0.0
    for k in range(len(arms)):
        arm, future = arms[k], futures[k]
        squares += arm.weight * (future.value - means[int(arm.group)]) ** 2
    return squares


@compiled
def move_drift(futures: Any, histories: Any, levels: Any, unit: float, rng: np.random.Generator) -> None:
    """Gibbs step of beta, Metropolis steps of d."""
    count = total = squares = 0.0
    for k in range(len(histories)):
        future, history = futures[k], histories[k]
        if history.rows > 0.0:
            count += 1.0
            total += history.value - future.value
    levels.shift = total / count + levels.drift / math.sqrt(count) * rng.standard_normal()
    for k in range(len(histories)):
        future, history = futures[k], histories[k]
        if history.rows > 0.0:
            squares += (history.value - future.value - levels.shift) ** 2
    width = SETTINGS.drift_width * unit
    for turn in range(2):
        old = levels.drift
        new = old * math.exp((SETTINGS.small_step if turn == 0 else SETTINGS.large_step) * rng.standard_normal())
        change = log_prior(new, width) - log_prior(old, width) - count * math.log(new / old)
        if accept(rng, change - 0.5 * squares * (1.0 / (new * new) - 1.0 / (old * old))):
            levels.drift = new


@compiled
def propose(futures: Any, histories: Any, levels: Any, logit: bool, drifts: bool, factor: float, step: float) -> float:
    """Stretch all arms around mu and move them, drifts as they are, or with ``drifts`` all drifts: the change in likelihood."""
    change = 0.0
    for k in range(len(futures)):
        future, history = futures[k], histories[k]
        if drifts:
            move = (factor - 1.0) * (history.value - (future.value + levels.shift)) + step
            future.new_value, future.new_fit = future.value, future.fit
        else:
            move = (factor - 1.0) * (future.value - levels.centre) + step
            future.new_value = future.value + move
            future.new_fit = fit_of(future, logit, future.new_value)
        history.new_value = history.value + move
        history.new_fit = fit_of(history, logit, history.new_value)
        change += future.new_fit - future.fit + history.new_fit - history.fit
    return change


@compiled
def stretched(spread: float, factor: float, width: float) -> float:
    """The change in the log prior of a spread that is stretched; of one that is 0, none."""
    return log_prior(spread * factor, width) - log_prior(spread, width) if spread > 0.0 else 0.0


@compiled
def take(side: Any) -> None:
    """What was proposed becomes what is."""
    side.value, side.fit = side.new_value, side.new_fit


@compiled
def move_all(
    futures: Any,
    histories: Any,
    levels: Any,
    logit: bool,
    drifts: bool,
    turn: int,
    unit: float,
    information: float,
    rng: np.random.Generator,
) -> None:
    """Stretch or move all arms at once (or all drifts), with their spreads: the way out of a narrow funnel."""
    factor, step = 1.0, 0.0
    if turn == 0:
        step = SETTINGS.step / math.sqrt(information) * rng.standard_normal()
    else:
        factor = math.exp((SETTINGS.small_stretch if turn == 1 else SETTINGS.large_stretch) * rng.standard_normal())
    change = propose(futures, histories, levels, logit, drifts, factor, step)
    if drifts:
        change += stretched(levels.drift, factor, SETTINGS.drift_width * unit)
    else:
        change += stretched(levels.within, factor, SETTINGS.spread_width * unit)
        change += stretched(levels.between, factor, SETTINGS.spread_width * unit)
    if not accept(rng, change):
        return
    if drifts:
        levels.shift += step
        levels.drift *= factor
    else:
        levels.centre += step
        levels.within *= factor
        levels.between *= factor
    for k in range(len(futures)):
        take(futures[k])
        take(histories[k])


@compiled
def move_arms(
    arms: Floats,
    futures: Any,
    histories: Any,
    levels: Any,
    centres: Floats,
    tails: float,
    logit: bool,
    rng: np.random.Generator,
) -> None:
    """Steps of each arm by itself."""
    for k in range(len(arms)):
        arm, future, history = arms[k], futures[k], histories[k]
        centre = centres[int(arm.group)]
        loosen(arm, future.value, levels, centre, tails, rng)
        move_future(arm, future, history, levels, centre, logit, rng)
        if history.rows > 0.0:
            move_history(arm, future, history, levels, centre, logit, rng)


@compiled
def sample(
    members: Floats,
    later: Floats,
    earlier: Floats,
    state: Floats,
    groups: int,
    tails: float,
    logit: bool,
    unit: float,
    kept: Floats,
    kept_drifts: Floats,
    rng: np.random.Generator,
) -> None:
    """Sweeps of all moves; after the warm-up, one in a fixed number is kept.

    Args:
        members: Of each arm its group and its weight (``MEMBER``).
        later: Of each arm its sums in the future, and where the sampler is (``SIDE``).
        earlier: The same of its history.
        state: What all arms have in common (``COMMON``).
        groups: How many groups there are.
        tails: Degrees of freedom of the arms around their centre.
        logit: Whether rewards are 0 and 1, and values log odds.
        unit: What the widths of the priors are counted in.
        kept: Room for the arms' future values, a row for each draw.
        kept_drifts: Room for d of each draw.
        rng: Where randomness comes from.
    """
    levels = record(state, COMMON)
    arms, futures, histories = records(members, MEMBER), records(later, SIDE), records(earlier, SIDE)
    centres, means, sizes = np.full(groups, levels.centre), np.zeros(groups), np.zeros(groups)
    freedom, information, history_information = float(len(arms) - groups), 0.0, 0.0
    for k in range(len(arms)):
        future, history = futures[k], histories[k]
        information += future.information
        history_information += history.information
        future.fit, history.fit = fit_of(future, logit, future.value), fit_of(history, logit, history.value)
    for sweep in range(1, SETTINGS.warm_up + SETTINGS.every * len(kept) + 1):
        move_arms(arms, futures, histories, levels, centres, tails, logit, rng)
        move_all(futures, histories, levels, logit, False, sweep % 3, unit, history_information + information, rng)
        if history_information > 0.0:
            move_all(futures, histories, levels, logit, True, sweep % 3, unit, history_information, rng)
            move_drift(futures, histories, levels, unit, rng)
        squares = summarise(arms, futures, sizes, means)
        move_spreads(means, squares, sizes, freedom, levels, unit, rng)
        draw_centres(means, sizes, centres, levels, rng)
        if sweep > SETTINGS.warm_up and (sweep - SETTINGS.warm_up) % SETTINGS.every == 0:
            draw = (sweep - SETTINGS.warm_up) // SETTINGS.every - 1
            kept_drifts[draw] = levels.drift
            for k in range(len(arms)):
                kept[draw, k] = futures[k].value
