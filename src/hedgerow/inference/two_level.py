"""Spreads of the arms' expected rewards within groups and between them, with the noise taken out: the two-level model.

    m_k ~ N(theta_k, v_k)      theta_k ~ N(mu_c(k), t_c(k)^2)      mu_c ~ N(mu0, s^2)      mu0 flat
    t_c = t times up to sevenfold, log-normal of deviation 1        t = T cos(a), s = T sin(a): T half-Cauchy, a uniform

m_k is the mean of an arm's rewards, or the arcsine of the root of its rate where rewards are 0 and 1. All integrals are sums over
a grid of spreads, the others closed. The likelihood does not ask why an arm was played, so that arms may have been chosen by what
they had paid.
"""

import math
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from ..core.settings import Number
from ..core.types import Floats, Integers
from .rates import arcsine, arcsine_variance
from .sums import Sums, summed


class TwoLevelSettings(NamedTuple):
    """The prior of the spreads, and how many draws are taken."""

    width: Annotated[
        float,
        Number(
            "width of the half-Cauchy prior of the whole spread",
            unit="log odds, or standard deviations of the arms' means",
            origin="chosen: as the judge's; not tuned",
        ),
    ] = 0.5
    draws: Annotated[
        int, Number("draws of the arms' expected rewards", unit="draws", origin="chosen: 20 beyond each end of an interval")
    ] = 400
    least_draws: Annotated[
        int,
        Number("draws where there are very many arms, at least", unit="draws", origin="chosen: 5 beyond each end of an interval"),
    ] = 100
    most_cells: Annotated[
        int, Number("cells of a table of draws, so that memory does not grow with arms", unit="numbers", origin="80 MB")
    ] = 10_000_000
    unseen: Annotated[
        float,
        Number(
            "variance of the mean of an arm without rows",
            unit="largest variance of the other arms' means",
            origin="chosen: so large that the arm says nothing, and no infinity",
        ),
    ] = 1e12


SETTINGS = TwoLevelSettings()

SPREAD_GRID = np.geomspace(0.005, 10.0, 33)
"""Spreads looked at, both within groups and between them, in units of the prior's width."""

OWN_STEPS = np.arange(-8, 9, 4)
"""Steps of the grid by which the spread within a group may be off the usual one: up to sevenfold."""

_UNUSUAL = 0.5 * (OWN_STEPS * np.log(SPREAD_GRID[1] / SPREAD_GRID[0])) ** 2
_AT = np.clip(np.arange(SPREAD_GRID.size)[:, None] + OWN_STEPS, 0, SPREAD_GRID.size - 1)


class Arms(NamedTuple):
    """What the model is told.

    Args:
        value: Of each arm, m_k.
        variance: Of each value by chance, v_k.
        width: Of the prior on their spread.
    """

    value: Floats
    variance: Floats
    width: float


def spread_of_means(sums: Sums) -> float:
    """Standard deviation of the arms' means, noise included: the unit of priors where rewards are not 0 and 1.

    Args:
        sums: Of each arm.

    Returns:
        A standard deviation, a little more than 0 where all are equal.
    """
    means = sums.mean[sums.rows > 0.0]
    return max(float(means.std()), 1e-9 * (1.0 + float(np.abs(means).max(initial=0.0))))


def arms_of(sums: Sums, *, binary: bool) -> Arms:
    """Values of the arms, their variances, and the width of the prior on their spread.

    0/1 rewards are looked at by the arcsine of the root of their rate, and vary as at the overall rate: at its own an arm
    without an event would seem to be the surest of all.

    Args:
        sums: Of each arm.
        binary: Whether rewards are 0 and 1.

    Returns:
        What the model is told.
    """
    seen = sums.rows > 0.0
    if binary:
        overall = min(max(sums.overall, 1e-12), 1.0 - 1e-12)
        value, variance = arcsine(sums.total, sums.rows), arcsine_variance(sums.rows, overall)
        width = 0.5 * SETTINGS.width * math.sqrt(overall * (1.0 - overall))  # the slope of the arcsine over log odds
    else:
        value, variance = sums.mean, sums.errors(binary=False)
        width = SETTINGS.width * float(sums.mean[seen].std())
    variance = np.maximum(variance, 1e-12 * width * width + 1e-300)
    value = np.where(seen, value, value[seen].mean())
    return Arms(value, np.where(seen, variance, SETTINGS.unseen * variance[seen].max()), max(width, 1e-150))


@dataclass(frozen=True)
class _Groups:
    """What arms say of their groups' centres, by the spread t within (rows) and the group (columns), u = t^2 + v.

    ``weight``: W = sum 1 / u; ``centre``: M = sum m / (u W); ``likelihood``: -1/2 sum [log u + (m - M)^2 / u].
    """

    spread: Floats
    weight: Floats
    centre: Floats
    likelihood: Floats

    def overall(self, between: float) -> tuple[Floats, Floats]:
        """mu0 and its variance for each spread within, groups being N(mu0, s^2)."""
        precision = 1.0 / (between**2 + 1.0 / self.weight)
        total = precision.sum(axis=1)
        return (precision * self.centre).sum(axis=1) / total, 1.0 / total

    def odds(self, between: float, overall: Floats, at: Integers) -> Floats:
        """Log odds of a group having the spread ``at[a, f]``, if ``overall[a]`` is mu0: by a, f and group."""
        weight, off = self.weight[at], self.centre[at] - overall[:, None, None]
        around = np.log1p(between**2 * weight) + off * off / (between**2 + 1.0 / weight)
        found: Floats = self.likelihood[at] - 0.5 * around - _UNUSUAL[:, None]
        return found


def _gathered(arms: Arms, groups: Integers) -> _Groups:
    count, rows, spreads = int(groups.max()) + 1, [], arms.width * SPREAD_GRID
    for spread in spreads:
        u = spread**2 + arms.variance
        weight = summed(groups, 1.0 / u, count)
        centre = summed(groups, arms.value / u, count) / weight
        rows.append((weight, centre, -0.5 * summed(groups, np.log(u) + (arms.value - centre[groups]) ** 2 / u, count)))
    weights, centres, likelihoods = (np.array(part) for part in zip(*rows, strict=True))
    return _Groups(spreads, weights, centres, likelihoods)


def _log_sum(logs: Floats) -> Floats:
    """log sum exp over the middle axis."""
    most = logs.max(axis=1)
    return np.asarray(most + np.log(np.exp(logs - most[:, None]).sum(axis=1)))


def evidence(arms: Arms, groups: Integers) -> Floats:
    """Log evidence of the usual spread within groups and of that between them, on the grid.

    Args:
        arms: What is known of the arms.
        groups: The group of each arm.

    Returns:
        A row for each spread within, a column for each between, up to a constant.
    """
    return _evidence(_gathered(arms, groups), arms.width)


def _evidence(found: _Groups, width: float) -> Floats:
    logs = np.empty((found.spread.size, found.spread.size))
    for column, between in enumerate(found.spread.tolist()):
        overall, _ = found.overall(between)
        whole = np.hypot(found.spread, between)
        prior = np.log(found.spread * between / (whole * (1.0 + (whole / width) ** 2)))
        logs[:, column] = _log_sum(found.odds(between, overall, _AT)).sum(axis=1) + prior
    return logs


def posterior(sums: Sums, groups: Integers, rng: np.random.Generator, *, binary: bool) -> Floats:
    """Draws of the arms' expected rewards.

    Args:
        sums: Of each arm.
        groups: The group of each arm; one for all is a model without groups.
        rng: Where draws come from.
        binary: Whether rewards are 0 and 1.

    Returns:
        Draws (400, or fewer with very many arms) x arms.
    """
    arms = arms_of(sums, binary=binary)
    found = _gathered(arms, groups)
    logs = _evidence(found, arms.width)
    chances = np.exp(logs - logs.max()).ravel()
    count = min(SETTINGS.draws, max(SETTINGS.least_draws, SETTINGS.most_cells // arms.value.size))
    chosen = rng.choice(logs.size, size=count, p=chances / chances.sum())
    draws = np.stack([_draw(found, *divmod(int(at), SPREAD_GRID.size), arms, groups, rng) for at in chosen])
    return np.sin(np.clip(draws, 0.0, 0.5 * np.pi)) ** 2 if binary else draws


def _draw(found: _Groups, within: int, column: int, arms: Arms, groups: Integers, rng: np.random.Generator) -> Floats:
    """The groups' own spreads, the overall mean, then the centres, then the arms."""
    between = float(found.spread[column])
    overall, error = (part[within : within + 1] for part in found.overall(between))
    logs = found.odds(between, overall, _AT[within : within + 1])[0]
    reached = np.cumsum(np.exp(logs - logs.max(axis=0)), axis=0)
    own = _AT[within][(reached < reached[-1] * rng.random(reached.shape[1])).sum(axis=0)]
    level = overall[0] + np.sqrt(error[0]) * rng.standard_normal()
    each = np.arange(own.size)
    weight, moment = found.weight[own, each], found.weight[own, each] * found.centre[own, each]
    room = 1.0 + between**2 * weight
    centre = ((level + between**2 * moment) / room + between / np.sqrt(room) * rng.standard_normal(own.size))[groups]
    spread2 = found.spread[own][groups] ** 2
    pull = spread2 / (spread2 + arms.variance)
    noise = np.sqrt(pull * arms.variance) * rng.standard_normal(arms.value.size)
    return np.asarray(centre + pull * (arms.value - centre) + noise)
