"""Auto without contexts from the formulas of docs/policies.md: plain NumPy on the raw rewards, no sums, no speed."""

import numpy as np

from hedgerow.policies.auto_rewards.index import level_of
from hedgerow.policies.auto_rewards.settings import GROWTH, MOVED, SETTINGS, SPREADS, WRONG

COIN = 1e9
"""Degrees of freedom of a noise that is known."""


class NaiveAuto:
    """Arms 0..K-1, a cluster for each; raw rewards of the history for each arm."""

    def __init__(self, clusters, history=None):
        self.clusters = np.array(clusters)
        self.arms, self.names = len(clusters), list(dict.fromkeys(clusters))
        self.online = [[] for _ in clusters]
        self.history = history or [[] for _ in clusters]
        self.member = np.ones((self.arms, SPREADS.size))
        self.waits = np.zeros(self.arms)
        self.refresh()

    @property
    def rounds(self):
        return sum(map(len, self.online))

    def plays(self, arms):
        return sum(len(self.online[k]) + len(self.history[k]) for k in arms)

    def inside(self, cluster):
        return np.flatnonzero(self.clusters == cluster)

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
        self.n, self.m, self.q, self.f = np.array([self.pool(k) for k in range(self.arms)]).T
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
        for k in inside:
            others = inside[inside != k]
            for j, rho in enumerate(SPREADS):
                within, across = rho * self.A, max(1 - rho, 1e-6) * self.A
                weights = self.member[others, j] * self.n[others] / (within * self.n[others] + self.v[others])
                precision = 1 / across + weights.sum()
                self.expected[k, j] = (self.level / across + weights @ self.m[others]) / precision
                self.spread[k, j] = within + 1 / precision
            self.expected[k, -1], self.spread[k, -1] = self.level, SETTINGS.outlier**2 * self.A

    def densities(self, k):
        """Of the arm's average, by each explanation, times what all have in common."""
        u = self.n[k] * self.spread[k] + self.v[k]
        off = self.m[k] - self.expected[k]
        log = -0.5 * np.log(u) - 0.5 * self.n[k] * off**2 / u
        return np.exp(np.clip(log[:-1] - log[-1], -300, 300))

    def weigh(self, k):
        c = self.clusters[k]
        right = (1 - self.wrong[c]) * self.densities(k)
        self.member[k] = right / (right + self.wrong[c])
        self.chance[k, :-1] = self.share[c] * self.member[k]
        self.chance[k, -1] = self.share[c] @ (1 - self.member[k])

    def look_at(self, cluster):
        self.explain_by_others(cluster)
        for k in self.inside(cluster):
            self.weigh(k)
        self.cluster_due[cluster] = (1 + GROWTH) * self.plays(self.inside(cluster))

    def learn_clusters(self):
        likelihoods = {}
        for c in self.names:
            self.explain_by_others(c)
            played = [k for k in self.inside(c) if self.n[k] > 0]
            log = sum(
                (np.log(np.outer(self.densities(k), 1 - WRONG) + WRONG) for k in played), np.zeros((SPREADS.size, WRONG.size))
            )
            likelihoods[c] = np.exp(log - log.max())
        prior = np.full((SPREADS.size, WRONG.size), 1 / (SPREADS.size * WRONG.size))
        for _ in range(10):
            found = [likelihoods[c] * prior / (likelihoods[c] * prior).sum() for c in self.names]
            prior = (sum(found) + SETTINGS.prior_clusters / prior.size) / (len(found) + SETTINGS.prior_clusters)
        for c in self.names:
            found = likelihoods[c] * prior / (likelihoods[c] * prior).sum()
            self.share[c], self.wrong[c] = found.sum(axis=1), found.sum(axis=0) @ WRONG

    # -------------------------------------------------------------------------------------------------------------- rounds

    def refresh(self):
        t = 1 + self.rounds
        self.due = t + max(1, int(np.floor(GROWTH * t)))
        self.ready = np.unique(np.concatenate([*self.online, *self.history])).size > 1
        if not self.ready:
            return
        self.trust, self.moved, self.share, self.wrong, self.cluster_due = np.ones(self.arms), False, {}, {}, {}
        self.expected, self.spread, self.chance = np.zeros((3, self.arms, SPREADS.size + 1))
        self.find_values()
        self.estimate_rewards()
        if any(self.history):
            self.estimate_drift()
            self.estimate_rewards()
        self.learn_clusters()
        for c in self.names:
            self.look_at(c)
            self.look_at(c)

    def learn(self, k, reward):
        self.online[k].append(reward)
        third = self.ready and self.values is not None and reward not in self.values
        if not self.ready or 1 + self.rounds >= self.due or third:
            self.refresh()
            return
        self.n[k], self.m[k], self.q[k], self.f[k] = self.pool(k)
        self.v[k] = (self.q[k] + SETTINGS.freedom * self.typical) / (self.f[k] + SETTINGS.freedom)
        if self.plays(self.inside(self.clusters[k])) >= self.cluster_due[self.clusters[k]]:
            self.look_at(self.clusters[k])
        else:
            self.weigh(k)

    def posterior(self, k):
        """Mean and variance of an arm by each explanation, its own rewards included; waiting ones are what is expected."""
        precision = 1 / self.spread[k] + self.n[k] / self.v[k]
        means = (self.expected[k] / self.spread[k] + self.n[k] * self.m[k] / self.v[k]) / precision
        longer = precision + self.waits[k] / self.v[k]
        return (means * precision + self.chance[k] @ means * self.waits[k] / self.v[k]) / longer, 1 / longer

    def bound(self, k):
        means, variances = self.posterior(k)
        t, f = 1 + self.rounds + self.waits.sum(), self.f[k] + SETTINGS.freedom
        levels = np.array([level_of(x) for x in self.chance[k] * SETTINGS.horizon * t * variances / self.v[k]])
        wide = f * np.expm1(np.minimum(2 * levels / (f + 1), 50))
        return np.where(self.chance[k] > 0, means + np.sqrt(variances * wide), -np.inf).max()

    def select(self):
        if self.ready:
            return int(np.argmax([self.bound(k) for k in range(self.arms)]))
        plays = np.array([self.plays([k]) for k in range(self.arms)]) + self.waits
        around = [self.plays(self.inside(c)) + self.waits[self.clusters == c].sum() for c in self.clusters]
        return int(np.lexsort((range(self.arms), around, plays))[0])
