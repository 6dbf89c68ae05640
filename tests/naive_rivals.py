"""The textbook rivals of the wild league straight from their formulas: plain Python over lists of rewards, no speed.

An oracle follows the arms that were played. In each round the arm's score must be the highest, up to rounding.
"""

import math

import numpy as np

CLOSE = 1e-7


class Seen:
    """All that has been learnt of each arm: its plays, sum of rewards and, of all rewards, what the noise is taken from."""

    def __init__(self, log):
        self.history, self.plays, self.totals, self.squares = log, log.plays.copy(), log.totals.copy(), log.squares.copy()

    def learn(self, arm, reward):
        self.plays[arm] += 1
        self.totals[arm] += reward
        self.squares[arm] += reward**2

    def mean(self, arm):
        return self.totals[arm] / self.plays[arm]

    def variance(self):
        """Within arms and, as one more degree of freedom, of all rewards."""
        n, known = self.plays.sum(), self.plays > 0
        within = (self.squares[known] - self.totals[known] ** 2 / self.plays[known]).sum()
        overall = (self.squares.sum() - self.totals.sum() ** 2 / n) / max(n - 1, 1)
        return (within + overall) / ((self.plays[known] - 1).sum() + 1)


def check(arms, rewards, log, score, rng):
    """Every arm played has the highest score of its round."""
    seen, T = Seen(log), len(rewards)
    for t, arm in enumerate(arms):
        scores = score(seen, t + 1, T, rng)
        assert scores[arm] >= max(scores) - CLOSE or (math.isinf(scores[arm]) and arm == scores.index(math.inf)), t
        if math.isinf(max(scores)):
            assert arm == scores.index(math.inf)
        seen.learn(arm, rewards[t, arm])


def check_clustered(arms, rewards, log, cluster, fraction):
    """Every arm played has the highest bound in the cluster of the highest bound."""
    seen = Seen(log)
    groups = {name: [k for k in range(len(cluster)) if cluster[k] == name] for name in sorted(set(cluster))}
    for t, arm in enumerate(arms):
        scale = fraction * math.sqrt(seen.variance()) if seen.plays.sum() else 0.0
        across = {name: bound(seen, inside, t + 1, scale) for name, inside in groups.items()}
        inside = groups[cluster[arm]]
        within = {k: bound(seen, [k], t + 1, scale) for k in inside}
        assert across[cluster[arm]] >= max(across.values()) - CLOSE, t
        assert within[arm] >= max(within.values()) - CLOSE, t
        seen.learn(arm, rewards[t, arm])


def bound(seen, arms, t, scale):
    n, H = seen.plays[arms].sum(), seen.history.plays[arms].sum()
    if n == 0:
        return math.inf
    return seen.totals[arms].sum() / n + scale * math.sqrt(2 * math.log(t + H) / n)


def unplayed_first(score):
    """A score of infinity for arms that were never played, and none for others as long as there are such."""

    def scores(seen, t, T, rng):
        if (seen.plays == 0).any():
            return [math.inf if n == 0 else -math.inf for n in seen.plays]
        return score(seen, t, T, rng)

    return scores


@unplayed_first
def moss(seen, t, T, rng):
    K, sd = len(seen.plays), math.sqrt(seen.variance())
    return [seen.mean(k) + sd * math.sqrt(4 * max(math.log(t / (K * n)), 0) / n) for k, n in enumerate(seen.plays)]


@unplayed_first
def adaucb(seen, t, T, rng):
    n, sd = seen.plays, math.sqrt(seen.variance())
    H = [sum(min(n[k], math.sqrt(n[k] * n[j])) for j in range(len(n))) for k in range(len(n))]
    return [seen.mean(k) + sd * math.sqrt(2 * max(math.log(T / H[k]), 0) / n[k]) for k in range(len(n))]


@unplayed_first
def gaussian_imed(seen, t, T, rng):
    top, v = max(map(seen.mean, range(len(seen.plays)))), seen.variance()
    return [-(n * (top - seen.mean(k)) ** 2 / (2 * v) + math.log(n)) for k, n in enumerate(seen.plays)]


@unplayed_first
def binary_imed(seen, t, T, rng):
    top = max(map(seen.mean, range(len(seen.plays))))
    return [-(n * divergence(seen.mean(k), top) + math.log(n)) for k, n in enumerate(seen.plays)]


def klucb(seen, t, T, rng):
    """A scan of all q, finer and finer, in place of bisection."""
    scores = []
    for k, n in enumerate(seen.plays):
        if n == 0:
            return [math.inf if plays == 0 else -math.inf for plays in seen.plays]
        level, low, high = math.log(t + seen.history.plays[k]) / n, seen.mean(k), 1.0
        for _ in range(9):
            grid = np.linspace(low, high, 11)
            inside = [q for q in grid if divergence(seen.mean(k), q) <= level]
            low, high = max(inside), min([q for q in grid if q > max(inside)], default=high)
        scores.append(low)
    return scores


@unplayed_first
def gaussian_thompson(seen, t, T, rng):
    sd = math.sqrt(seen.variance())
    return [seen.mean(k) + sd / math.sqrt(n) * rng.standard_normal() for k, n in enumerate(seen.plays)]


def beta_thompson(seen, t, T, rng):
    return [rng.beta(1 + s, 1 + n - s) for s, n in zip(seen.totals, seen.plays, strict=True)]


def divergence(p, q):
    """Relative entropy of two coins."""
    p, q = min(max(p, 1e-15), 1 - 1e-15), min(max(q, 1e-15), 1 - 1e-15)
    return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))
