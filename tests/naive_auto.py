"""Auto without contexts from the formulas of docs/auto.md: plain NumPy on the raw rewards, no sums, no speed."""

import numpy as np

from hedgerow.policies.auto_rewards.index import standing
from hedgerow.policies.auto_rewards.settings import GROWTH, MOVED, SETTINGS, SPREADS, WRONG

COIN = 1e9
"""Degrees of freedom of a noise that is known."""


class NaiveAuto:
    """Arms 0..K-1, a cluster for each, or the path to it from the outermost; raw rewards of the history for each arm.

    Members of clusters have numbers: arms 0..K-1, clusters from K on, outer ones first.
    """

    def __init__(self, clusters, history=None):
        self.arms = len(clusters)
        paths = [cluster if isinstance(cluster, tuple) else (cluster,) for cluster in clusters]
        prefixes = dict.fromkeys(path[:depth] for path in paths for depth in range(1, len(path) + 1))
        self.paths = sorted(prefixes, key=len)
        number = {path: self.arms + at for at, path in enumerate(self.paths)}
        self.cluster = np.array([number[path] for path in paths] + [number.get(path[:-1], -1) for path in self.paths])
        self.names = list(number.values())
        self.online = [[] for _ in clusters]
        self.history = history or [[] for _ in clusters]
        self.member = np.ones((self.cluster.size, SPREADS.size))
        self.chance = np.zeros((self.cluster.size, SPREADS.size + 1))
        self.waits = np.zeros(self.arms)
        self.refresh()

    @property
    def rounds(self):
        return sum(map(len, self.online))

    def plays(self, arms):
        return sum(len(self.online[k]) + len(self.history[k]) for k in arms)

    def inside(self, cluster):
        """Members of a cluster: its arms, and the clusters within it."""
        return np.flatnonzero(self.cluster == cluster)

    def arms_of(self, cluster):
        """All arms of a cluster, those of the clusters within it too."""
        return [arm for k in self.inside(cluster) for arm in ([k] if k < self.arms else self.arms_of(k))]

    # ------------------------------------------------------------------------------------------------------------ the model

    def find_values(self):
        """Rewards of two values: all that there are, and one of them online."""
        values = np.unique(np.concatenate([*self.online, *self.history]))
        self.values = values if values.size == 2 and self.rounds else None
        if self.values is not None:
            known = [self.online[k] + self.history[k] for k in range(self.arms) if self.plays([k])]
            self.rate = np.mean([np.mean(np.array(rewards) == self.values[1]) for rewards in known])

    def arcsine(self, plays, mean):
        hits = plays * (mean - self.values[0]) / np.diff(self.values)[0]
        return np.arcsin(np.sqrt((hits + self.rate / 2 + SETTINGS.hits) / (plays + 0.5 + 2 * SETTINGS.hits)))

    def pool(self, k):
        """Plays, average, squared deviations and degrees of freedom of an arm."""
        now, then = np.array(self.online[k]), np.array(self.history[k])
        weights = np.append(np.ones(now.size), np.full(then.size, self.trust[k]))
        plays = weights.sum()
        if plays == 0:
            return 0.0, 0.0, 0.0, 0.0
        both = np.append(now, then)
        mean = weights @ both / plays
        if self.values is not None:
            return plays, self.arcsine(plays, mean), COIN / 4, COIN
        deviations = weights @ (both - mean) ** 2
        freedom = max(plays - 1, plays / 2 if deviations > 0 else 0)
        if self.moved and now.size and then.size:
            deviations = now.size * now.var() + self.trust[k] * then.size * then.var()
            freedom = now.size - 1 + self.trust[k] * (then.size - 1)
        return plays, mean, deviations, freedom

    def estimate_rewards(self):
        sums = np.zeros((4, self.cluster.size))
        sums[:, : self.arms] = np.array([self.pool(k) for k in range(self.arms)]).T
        self.n, self.m, self.q, self.f = sums
        seen = self.n > 0
        n, m, q, f = self.n[seen], self.m[seen], self.q[seen], self.f[seen]
        own = np.divide(q, f, out=np.zeros_like(q), where=f > 0)
        squares = np.minimum(f, n) * own + n * (m - n @ m / n.sum()) ** 2
        everything = squares.sum() / max(n.sum() - 1, 1)
        degrees = np.minimum(f, 3)
        self.typical = (degrees @ own + everything) / (degrees.sum() + 1)
        self.v = (self.q + SETTINGS.freedom * self.typical) / (self.f + SETTINGS.freedom)
        error, self.level = self.v[seen] / n, m.mean()
        self.A = max((((m - self.level) ** 2).sum() + everything) / n.size, 1e-4 * everything)
        for _ in range(10):
            kept = self.A / (self.A + error)
            self.level = kept @ m / kept.sum()
            left = ((kept * (m - self.level)) ** 2 + kept * error).sum() + everything
            self.A = max(left / n.size, 1e-4 * everything)

    def estimate_drift(self):
        log = np.log(np.append(SETTINGS.holds, np.full(MOVED.size - 1, (1 - SETTINGS.holds) / (MOVED.size - 1))))
        for k in range(self.arms):
            if self.online[k] and self.history[k]:
                n, H = len(self.online[k]), len(self.history[k])
                now, then = np.mean(self.online[k]), np.mean(self.history[k])
                if self.values is not None:
                    now, then = self.arcsine(n, now), self.arcsine(H, then)
                f, u = self.f[k] + SETTINGS.freedom, MOVED * self.A + self.v[k] * (1 / n + 1 / H)
                log += -0.5 * np.log(u) - 0.5 * (f + 1) * np.log1p((now - then) ** 2 / (f * u))
        chances = np.exp(log - log.max())
        chances /= chances.sum()
        self.moved = chances[0] < 0.5
        for k in range(self.arms):
            self.trust[k] = (chances / (1 + len(self.history[k]) * MOVED * self.A / self.v[k])).sum()

    # -------------------------------------------------------------------------------------------------------- the posterior

    def explain_by_others(self, cluster):
        """N(expected, spread) of each arm by the other arms of its cluster; last that it belongs to none."""
        inside = self.inside(cluster)
        level, around = self.prior[cluster]
        for k in inside:
            others = inside[inside != k]
            for j, rho in enumerate(SPREADS):
                within, across = rho * self.A, max(1 - rho, 1e-6) * around
                weights = self.member[others, j] * self.n[others] / (within * self.n[others] + self.v[others])
                precision = 1 / across + weights.sum()
                self.expected[k, j] = (level / across + weights @ self.m[others]) / precision
                self.spread[k, j] = within + 1 / precision
            self.expected[k, -1], self.spread[k, -1] = self.level, SETTINGS.outlier**2 * self.A

    def densities(self, k):
        """Of the arm's average, by each explanation, times what all have in common."""
        u = self.n[k] * self.spread[k] + self.v[k]
        off = self.m[k] - self.expected[k]
        log = -0.5 * np.log(u) - 0.5 * self.n[k] * off**2 / u
        return np.exp(np.clip(log[:-1] - log[-1], -300, 300))

    def weigh(self, k):
        c = self.cluster[k]
        right = (1 - self.wrong[c]) * self.densities(k)
        self.member[k] = right / (right + self.wrong[c])
        self.chance[k, :-1] = self.share[c] * self.member[k]
        self.chance[k, -1] = self.share[c] @ (1 - self.member[k])

    def look_at(self, cluster):
        self.explain_by_others(cluster)
        for k in self.inside(cluster):
            self.weigh(k)
        self.cluster_due[cluster] = (1 + GROWTH) * self.plays(self.arms_of(cluster))

    def on_grid(self, likelihood, prior):
        found = likelihood * prior / (likelihood * prior).sum()
        return found, found.sum(axis=1), found.sum(axis=0) @ WRONG

    def find_centre(self, c):
        """A cluster as a member of the one above it: one play, whose noise is that of its centre by its own members."""
        inside = self.inside(c)
        belongs = 1 - self.chance[inside, -1]
        weights = belongs * self.n[inside] / (self.n[inside] * (self.share[c] @ SPREADS) * self.A + self.v[inside])
        self.n[c], self.v[c] = float(weights.sum() > 0), self.A
        if weights.sum() > 0:
            self.m[c], self.v[c] = weights @ self.m[inside] / weights.sum(), 1 / weights.sum()

    def learn_clusters(self):
        """From the innermost clusters outwards."""
        likelihoods = {}
        prior = np.full((SPREADS.size, WRONG.size), 1 / (SPREADS.size * WRONG.size))
        for c in reversed(self.names):
            self.prior[c] = self.level, self.A
            self.explain_by_others(c)
            played = [k for k in self.inside(c) if self.n[k] > 0]
            log = np.zeros((SPREADS.size, WRONG.size))
            for k in played:
                log += np.log(np.outer(self.densities(k), 1 - WRONG) + WRONG)
            likelihoods[c] = np.exp(log - log.max())
            _, self.share[c], self.wrong[c] = self.on_grid(likelihoods[c], prior)
            self.find_centre(c)
        for _ in range(10):
            found = [self.on_grid(likelihoods[c], prior)[0] for c in self.names]
            prior = (sum(found) + SETTINGS.prior_clusters / prior.size) / (len(found) + SETTINGS.prior_clusters)
        for c in self.names:
            _, self.share[c], self.wrong[c] = self.on_grid(likelihoods[c], prior)

    def place_clusters_within(self, cluster):
        """What a cluster says of the centres of those within it, as one normal distribution."""
        for c in self.inside(cluster):
            if c >= self.arms:
                level = self.chance[c] @ self.expected[c]
                self.prior[c] = level, self.chance[c] @ (self.spread[c] + (self.expected[c] - level) ** 2)

    # -------------------------------------------------------------------------------------------------------------- rounds

    def refresh(self):
        t = 1 + self.rounds
        self.due = t + max(1, int(np.floor(GROWTH * t)))
        self.ready = np.unique(np.concatenate([*self.online, *self.history])).size > 1
        if not self.ready:
            return
        self.trust, self.moved, self.share, self.wrong, self.cluster_due = np.ones(self.arms), False, {}, {}, {}
        self.expected, self.spread = np.zeros((2, self.cluster.size, SPREADS.size + 1))
        self.prior = {}
        self.find_values()
        self.estimate_rewards()
        if any(self.history):
            self.estimate_drift()
            self.estimate_rewards()
        self.learn_clusters()
        for c in self.names:
            self.look_at(c)
            self.place_clusters_within(c)

    def learn(self, k, reward):
        self.online[k].append(reward)
        third = self.ready and self.values is not None and reward not in self.values
        if not self.ready or 1 + self.rounds >= self.due or third:
            self.refresh()
            return
        self.n[k], self.m[k], self.q[k], self.f[k] = self.pool(k)
        self.v[k] = (self.q[k] + SETTINGS.freedom * self.typical) / (self.f[k] + SETTINGS.freedom)
        if self.plays(self.arms_of(self.cluster[k])) >= self.cluster_due[self.cluster[k]]:
            self.look_at(self.cluster[k])
        else:
            self.weigh(k)

    def posterior(self, k):
        """Mean and variance of an arm by each explanation, its own rewards included; waiting ones are M; and M."""
        precision = 1 / self.spread[k] + self.n[k] / self.v[k]
        means = (self.expected[k] / self.spread[k] + self.n[k] * self.m[k] / self.v[k]) / precision
        longer, expected = precision + self.waits[k] / self.v[k], self.chance[k] @ means
        return (means * precision + expected * self.waits[k] / self.v[k]) / longer, 1 / longer, expected

    def bound(self, k):
        """The highest bound of an arm, and the explanation that has it."""
        means, variances, expected = self.posterior(k)
        t = 1 + self.rounds + self.waits.sum()
        ahead = (means - expected) / np.sqrt(variances)
        gains = self.chance[k] * SETTINGS.horizon * t * variances / self.v[k]
        z = np.array([standing(*both) for both in zip(gains, ahead, strict=True)])
        bounds = np.where(self.chance[k] > 0, means + z * np.sqrt(variances), -np.inf)
        return bounds.max(), bounds.argmax()

    def best_arms(self):
        """The arm of the highest bound, and those whose bound is the same but for rounding."""
        if self.ready:
            bounds = np.array([self.bound(k)[0] for k in range(self.arms)])
            return np.flatnonzero(bounds >= bounds.max() - 1e-9 * np.sqrt(self.A))
        plays = np.array([self.plays([k]) for k in range(self.arms)]) + self.waits
        above = [self.arms_of(c) for c in self.cluster[: self.arms]]
        around = [self.plays(arms) + self.waits[arms].sum() for arms in above]
        return np.lexsort((range(self.arms), around, plays))[:1]
