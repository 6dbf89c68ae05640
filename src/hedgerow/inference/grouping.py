"""The grouping by itself: how much of the real differences between arms it explains, and whether that could be luck."""

import math
from dataclasses import dataclass, replace

import numpy as np

from ..core.types import Floats, Integers
from .sums import Sums, summed

SHUFFLES = 1999
DRAWS, LEAST_DRAWS, MOST_CELLS = 400, 100, 10_000_000
"""Draws of the arms' means: fewer if there are very many arms, so that no table has more cells than this."""

SPREADS = np.geomspace(0.005, 10.0, 33)
"""Spreads looked at, both within groups and between them, in units of the prior's width."""

OWN = np.arange(-8, 9, 4)
"""Steps of these by which the spread within a group may be off the usual one: up to sevenfold, log-normal of deviation 1."""

FEW_EVENTS = 20.0
"""Events expected of an arm below which the variance of its rate is taken from the binomial distribution."""

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

    def times(self, size: float) -> "Explained":
        """The same in a unit of which one is so many of the other."""
        return replace(self, within=size * self.within, between=size * self.between)


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


def arcsine(events: Floats, rows: Floats) -> Floats:
    """The arcsine of the root of a rate: near normal, with a variance that hardly goes with the rate."""
    return np.asarray(np.arcsin(np.sqrt((events + 0.25) / (rows + 0.5))))


def arcsine_variance(rows: Floats, rate: float) -> Floats:
    """Of ``arcsine`` of so many rows: 1 / (4 n + 2), or from the binomial distribution where few events are expected."""
    rare = min(rate, 1.0 - rate)
    found = 1.0 / (4.0 * rows + 2.0)
    counts, at = np.unique(np.maximum(np.round(rows), 1.0), return_inverse=True)
    few = counts * rare < FEW_EVENTS
    n = counts[few]
    chance, first, second = (1.0 - rare) ** n, np.zeros(n.size), np.zeros(n.size)
    for events in range(int(min(n.max(initial=0.0), 4.0 * FEW_EVENTS)) + 1):
        value = arcsine(np.minimum(n, events), n)
        first += chance * value
        second += chance * value * value
        chance = chance * np.maximum(n - events, 0.0) / (events + 1.0) * rare / (1.0 - rare)
    factor = np.ones(counts.size)
    factor[few] = (second - first**2) * (4.0 * n + 2.0)
    return np.asarray(found * factor[at])


def estimates(sums: Sums, *, binary: bool) -> tuple[Floats, Floats, float]:
    """Arms' values, their variances, and the width of the prior on their spread.

    0/1 rewards are looked at by the arcsine of the root of their rate, and vary as at the overall rate: at its own an arm
    without an event would seem to be the surest of all.
    """
    seen = sums.rows > 0.0
    if binary:
        overall = min(max(sums.overall, 1e-12), 1.0 - 1e-12)
        value, variance = arcsine(sums.total, sums.rows), arcsine_variance(sums.rows, overall)
        width = 0.25 * math.sqrt(overall * (1.0 - overall))  # 0.5 in log odds
    else:
        value, variance = sums.mean, sums.errors(binary=False)
        width = 0.5 * float(sums.mean[seen].std())
    variance = np.maximum(variance, 1e-12 * width * width + 1e-300)
    value = np.where(seen, value, value[seen].mean())
    return value, np.where(seen, variance, UNSEEN * variance[seen].max()), max(width, 1e-150)


@dataclass(frozen=True)
class _Arms:
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
        found: Floats = self.likelihood[at] - 0.5 * around - _STRANGE[:, None]
        return found


_STRANGE = 0.5 * (OWN * np.log(SPREADS[1] / SPREADS[0])) ** 2
_AT = np.clip(np.arange(SPREADS.size)[:, None] + OWN, 0, SPREADS.size - 1)


def _gathered(value: Floats, variance: Floats, groups: Integers, spreads: Floats) -> _Arms:
    count, rows = int(groups.max()) + 1, []
    for spread in spreads:
        u = spread**2 + variance
        weight = summed(groups, 1.0 / u, count)
        centre = summed(groups, value / u, count) / weight
        rows.append((weight, centre, -0.5 * summed(groups, np.log(u) + (value - centre[groups]) ** 2 / u, count)))
    weights, centres, likelihoods = (np.array(part) for part in zip(*rows, strict=True))
    return _Arms(spreads, weights, centres, likelihoods)


def _log_sum(logs: Floats) -> Floats:
    """log sum exp over the middle axis."""
    most = logs.max(axis=1)
    return np.asarray(most + np.log(np.exp(logs - most[:, None]).sum(axis=1)))


def evidence(arms: _Arms, width: float) -> Floats:
    """Log evidence of the usual spread within groups (rows) and of that between them (columns).

    Prior: the whole spread T is half-Cauchy, and every angle between the two spreads is as likely.
    """
    found = np.empty((arms.spread.size, arms.spread.size))
    for column, between in enumerate(arms.spread.tolist()):
        overall, _ = arms.overall(between)
        whole = np.hypot(arms.spread, between)
        prior = np.log(arms.spread * between / (whole * (1.0 + (whole / width) ** 2)))
        found[:, column] = _log_sum(arms.odds(between, overall, _AT)).sum(axis=1) + prior
    return found


def posterior(sums: Sums, groups: Integers, rng: np.random.Generator, *, binary: bool) -> Floats:
    """Draws (400 or fewer x arms) of the arms' expected rewards: groups are N(mu0, s^2), and each has a spread of its own.

    The likelihood does not ask why an arm was played, so that arms may have been chosen by what they had paid.
    """
    value, variance, width = estimates(sums, binary=binary)
    arms = _gathered(value, variance, groups, width * SPREADS)
    logs = evidence(arms, width)
    chances = np.exp(logs - logs.max()).ravel()
    count = min(DRAWS, max(LEAST_DRAWS, MOST_CELLS // value.size))
    chosen = rng.choice(logs.size, size=count, p=chances / chances.sum())
    draws = np.stack([_draw(arms, *divmod(int(at), SPREADS.size), value, variance, groups, rng) for at in chosen])
    return np.sin(np.clip(draws, 0.0, 0.5 * np.pi)) ** 2 if binary else draws


def _draw(
    arms: _Arms, within: int, column: int, value: Floats, variance: Floats, groups: Integers, rng: np.random.Generator
) -> Floats:
    """The groups' own spreads, the overall mean, then the centres, then the arms."""
    between = float(arms.spread[column])
    overall, error = (part[within : within + 1] for part in arms.overall(between))
    logs = arms.odds(between, overall, _AT[within : within + 1])[0]
    reached = np.cumsum(np.exp(logs - logs.max(axis=0)), axis=0)
    own = _AT[within][(reached < reached[-1] * rng.random(reached.shape[1])).sum(axis=0)]
    level = overall[0] + np.sqrt(error[0]) * rng.standard_normal()
    each = np.arange(own.size)
    weight, moment = arms.weight[own, each], arms.weight[own, each] * arms.centre[own, each]
    room = 1.0 + between**2 * weight
    centre = ((level + between**2 * moment) / room + between / np.sqrt(room) * rng.standard_normal(own.size))[groups]
    spread2 = arms.spread[own][groups] ** 2
    pull = spread2 / (spread2 + variance)
    return np.asarray(centre + pull * (value - centre) + np.sqrt(pull * variance) * rng.standard_normal(value.size))


def group_means(means: Floats, groups: Integers) -> Floats:
    """Mean of each group in each row of arm means; no group is empty."""
    sizes = np.bincount(groups)
    ordered = means[:, np.argsort(groups, kind="stable")]
    return np.asarray(np.add.reduceat(ordered, np.cumsum(sizes) - sizes, axis=1) / sizes)


def spreads_of(means: Floats, groups: Integers) -> tuple[Floats, Floats]:
    """Standard deviations of each row of arm means within groups, and of the groups' means."""
    centres = group_means(means, groups)
    within = ((means - centres[:, groups]) ** 2).sum(axis=1) / max(means.shape[1] - centres.shape[1], 1)
    return np.sqrt(within), np.asarray(centres.std(axis=1, ddof=min(centres.shape[1] - 1, 1)))


def share_of(means: Floats, groups: Integers) -> Floats:
    """1 - MSW / MST of each row of arm means: 0 for random labels, 1 if the arms of a group are equal."""
    total = ((means - means.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) / max(means.shape[1] - 1, 1)
    within, _ = spreads_of(means, groups)
    return np.asarray(1.0 - np.divide(within**2, total, out=np.ones_like(total), where=total > 0.0))


def explain(sums: Sums, groups: Integers, rng: np.random.Generator, *, binary: bool) -> Explained:
    """All that can be said of a grouping without playing a policy."""
    p = permutation(sums, groups, rng, binary=binary)
    draws = posterior(sums, groups, rng, binary=binary)
    low, median, high = np.quantile(share_of(draws, groups), [0.05, 0.5, 0.95])
    best = draws.argmax(axis=1)
    own = groups[None, :] == groups[best][:, None]
    tight = np.where(own, draws, np.inf).min(axis=1) > np.where(own, -np.inf, draws).max(axis=1)
    centres = group_means(draws, groups)
    within, between = spreads_of(draws, groups)
    return Explained(
        share=max(float(median), 0.0),
        low=0.0 if p > 0.05 else max(float(low), 0.0),
        high=max(float(high), 0.0),
        p=p,
        tight=float(tight.mean()),
        best_in_best=float((centres.argmax(axis=1) == groups[best]).mean()),
        within=float(np.median(within)),
        between=float(np.median(between)),
    )
