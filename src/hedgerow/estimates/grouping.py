"""The grouping by itself: how much of the real differences between arms it explains, and whether that could be luck."""

from dataclasses import dataclass

import numpy as np

from ..types import Floats, Integers
from .sums import Sums, summed

SHUFFLES = 1999
DRAWS, LEAST_DRAWS, MOST_CELLS = 400, 100, 10_000_000
"""Draws of the arms' means: fewer if there are very many arms, so that no table has more cells than this."""

TOTALS, SHARES = 25, 21
"""Steps of the grid over the total spread and over the share between groups."""

ENOUGH_EVENTS = 5.0
"""Events per arm from which on the logarithm of the odds is close enough to normal."""

UNSEEN = 1e12
"""Variance of what is known of an arm without rows, in units of what other arms have."""


@dataclass(frozen=True)
class Explained:
    """Share of the real differences between arms that the groups explain, with its 90 % interval and the permutation p.

    ``tight``: probability that the best arm's group lies wholly above all other arms (the theorem's condition);
    ``best_in_best``: that the best arm is in the group with the best mean; ``within`` and ``between``: standard deviations
    of the arms' means within groups and of the groups' means.
    """

    share: float
    low: float
    high: float
    p: float
    tight: float
    best_in_best: float
    within: float
    between: float


def events(sums: Sums) -> float:
    """Of the rarer outcome of 0/1 rewards, per arm."""
    return float(min(sums.total.sum(), (sums.rows - sums.total).sum()) / sums.rows.size)


def total_variance(mean: Floats, variance: Floats) -> float:
    """DerSimonian and Laird's estimate of the variance between arms, given their means and the means' own variances."""
    w = 1.0 / variance
    centre = float((w * mean).sum() / w.sum())
    excess = float((w * (mean - centre) ** 2).sum()) - (mean.size - 1)
    room = float(w.sum() - (w * w).sum() / w.sum())
    return max(excess / room, 0.0) if room > 0.0 else 0.0


def between_squares(groups: Integers, mean: Floats, weight: Floats) -> Floats:
    """Q = sum_i X_i^2 / W_i - X^2 / W for each row of groups, X = sum w m."""
    rows = len(groups)
    count = int(groups.max()) + 1
    at = (groups + count * np.arange(rows)[:, None]).ravel()
    moments = np.bincount(at, weights=np.tile(weight * mean, rows), minlength=rows * count)
    weights = np.bincount(at, weights=np.tile(weight, rows), minlength=rows * count)
    parts = np.divide(moments * moments, weights, out=np.zeros_like(moments), where=weights > 0.0)
    squares: Floats = parts.reshape(rows, count).sum(axis=1) - (weight * mean).sum() ** 2 / weight.sum()
    return squares


def permutation(sums: Sums, groups: Integers, rng: np.random.Generator, *, binary: bool) -> float:
    """The share of shuffled labels that part the arms at least as well; exact if the labels are random."""
    seen = sums.rows > 0.0
    overall = sums.overall
    noise = overall * (1.0 - overall) if binary else float(sums.noise().mean())
    mean = sums.mean[seen]
    variance = max(noise, 1e-12 * float(mean @ mean) + 1e-100) / sums.rows[seen]
    weight = 1.0 / (total_variance(mean, variance) + variance)
    centred = mean - (weight * mean).sum() / weight.sum()
    own = groups[seen]
    found = between_squares(own[None, :], centred, weight)[0]
    beaten, step = 0, max(MOST_CELLS // own.size, 1)
    for start in range(0, SHUFFLES, step):
        shuffled = rng.permuted(np.tile(own, (min(step, SHUFFLES - start), 1)), axis=1)
        beaten += int(np.count_nonzero(between_squares(shuffled, centred, weight) >= found * (1.0 - 1e-12)))
    return float((1 + beaten) / (SHUFFLES + 1))


def estimates(sums: Sums, *, binary: bool) -> tuple[Floats, Floats, float, bool]:
    """Arms' values, their variances, the width of the prior on their spread, and whether they are log odds."""
    if binary and events(sums) >= ENOUGH_EVENTS:
        hits, misses = sums.total + 0.5, sums.rows - sums.total + 0.5
        value, variance, width, odds = np.log(hits / misses), 1.0 / hits + 1.0 / misses, 0.5, True
    else:
        value, variance = sums.mean, sums.variances(binary=binary) / np.where(sums.rows > 0.0, sums.rows, 1.0)
        width, odds = 0.5 * (sums.overall if binary else float(sums.mean[sums.rows > 0.0].std())), False
    seen = sums.rows > 0.0
    variance = np.maximum(variance, 1e-12 * width * width + 1e-300)
    return np.where(seen, value, 0.0), np.where(seen, variance, UNSEEN * variance[seen].max()), max(width, 1e-150), odds


@dataclass(frozen=True)
class _Fit:
    """Groups given spreads: log-likelihood, mu0 with its variance, and the posterior mean and variance of each centre."""

    likelihood: float
    overall: float
    overall_variance: float
    weight: Floats
    moment: Floats


def _fit(value: Floats, variance: Floats, groups: Integers, within: float, between: float) -> _Fit:
    """ll = -1/2 [sum log u + sum log(1 + s^2 W) + sum (m - M)^2 / u + sum (M - mu0)^2 / (s^2 + 1/W)], u = t^2 + v."""
    u = within + variance
    count = int(groups.max()) + 1
    weight, moment = summed(groups, 1.0 / u, count), summed(groups, value / u, count)
    centre = moment / weight
    precision = 1.0 / (between + 1.0 / weight)
    overall = float((precision * centre).sum() / precision.sum())
    terms = np.log(u).sum() + np.log1p(between * weight).sum()
    terms += ((value - centre[groups]) ** 2 / u).sum() + (precision * (centre - overall) ** 2).sum()
    return _Fit(-0.5 * float(terms), overall, 1.0 / float(precision.sum()), weight, moment)


def posterior(sums: Sums, groups: Integers, rng: np.random.Generator, *, binary: bool) -> Floats:
    """Draws (400 or fewer x arms) of the arms' expected rewards; spreads within and between groups come from a grid."""
    value, variance, width, odds = estimates(sums, binary=binary)
    totals = width * np.geomspace(0.02, 10.0, TOTALS)
    grid = [(T * T * (1.0 - share), T * T * share, T) for T in totals for share in np.linspace(0.0, 1.0, SHARES)]
    fits = [_fit(value, variance, groups, within, between) for within, between, _ in grid]
    logs = np.array([fit.likelihood + np.log(T / (1.0 + (T / width) ** 2)) for fit, (_, _, T) in zip(fits, grid, strict=True)])
    odds_of = np.exp(logs - logs.max())
    count = min(DRAWS, max(LEAST_DRAWS, MOST_CELLS // value.size))
    chosen = rng.choice(logs.size, size=count, p=odds_of / odds_of.sum())
    draws = np.stack([_draw(fits[at], grid[at][0], grid[at][1], value, variance, groups, rng) for at in chosen])
    return 1.0 / (1.0 + np.exp(-draws)) if odds else draws


def _draw(
    fit: _Fit, within: float, between: float, value: Floats, variance: Floats, groups: Integers, rng: np.random.Generator
) -> Floats:
    """The overall mean, then the centres, then the arms."""
    overall = fit.overall + np.sqrt(fit.overall_variance) * rng.standard_normal()
    room = 1.0 + between * fit.weight
    centres = (overall + between * fit.moment) / room + np.sqrt(between / room) * rng.standard_normal(fit.weight.size)
    centre = centres[groups]
    pull = within / (within + variance)
    return np.asarray(centre + pull * (value - centre) + np.sqrt(pull * variance) * rng.standard_normal(value.size))


def group_means(means: Floats, groups: Integers) -> Floats:
    """Mean of each group in each row of arm means; no group is empty."""
    sizes = np.bincount(groups)
    ordered = means[:, np.argsort(groups, kind="stable")]
    return np.asarray(np.add.reduceat(ordered, np.cumsum(sizes) - sizes, axis=1) / sizes)


def share_of(means: Floats, groups: Integers) -> Floats:
    """1 - MSW / MST of each row of arm means: 0 for random labels, 1 if the arms of a group are equal."""
    sizes = np.bincount(groups)
    total = ((means - means.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) / max(means.shape[1] - 1, 1)
    centres = group_means(means, groups)
    within = ((means - centres[:, groups]) ** 2).sum(axis=1) / max(means.shape[1] - sizes.size, 1)
    return np.asarray(1.0 - np.divide(within, total, out=np.ones_like(total), where=total > 0.0))


def explain(sums: Sums, groups: Integers, rng: np.random.Generator, *, binary: bool) -> Explained:
    """All that can be said of a grouping without playing a policy."""
    p = permutation(sums, groups, rng, binary=binary)
    draws = posterior(sums, groups, rng, binary=binary)
    low, median, high = np.quantile(share_of(draws, groups), [0.05, 0.5, 0.95])
    best = draws.argmax(axis=1)
    own = groups[None, :] == groups[best][:, None]
    tight = np.where(own, draws, np.inf).min(axis=1) > np.where(own, -np.inf, draws).max(axis=1)
    centres = group_means(draws, groups)
    within = np.sqrt(((draws - centres[:, groups]) ** 2).mean(axis=1))
    return Explained(
        share=max(float(median), 0.0),
        low=0.0 if p > 0.05 else max(float(low), 0.0),
        high=max(float(high), 0.0),
        p=p,
        tight=float(tight.mean()),
        best_in_best=float((centres.argmax(axis=1) == groups[best]).mean()),
        within=float(np.median(within)),
        between=float(np.median(centres.std(axis=1))),
    )
