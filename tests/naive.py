"""Every policy of the paper straight from its equations: plain NumPy, no speed.

Arms are 0..K-1, clusters one label per arm. A policy is asked with ``select(x)`` and taught with ``learn(arm, x, r)``.
"""

import numpy as np


def first_best(values):
    """The lowest position of the largest value."""
    return int(np.flatnonzero(values == np.max(values))[0])


class Classical:
    """UCB, HUCB, UCBC, HUCBC and HUCBC' by what they are given: eqs. (2)-(5). Sums are (plays, total reward)."""

    def __init__(self, n_arms, clusters=None, history=(), scale=1.0, prime=False):
        self.clusters = list(clusters) if clusters is not None else None
        self.names = list(dict.fromkeys(self.clusters or []))
        self.past, self.online = np.zeros((n_arms, 2)), np.zeros((n_arms, 2))
        for arm, reward in history:
            self.past[arm] += (1, reward)
        self.scale, self.prime = scale, prime

    def index(self, online, past):
        (n, total), (H, past_total) = online, past
        t = 1 + self.online[:, 0].sum()
        if n + H == 0:
            return np.inf
        return (past_total + total) / (H + n) + self.scale * np.sqrt(2 * np.log(t + H) / (n + H))

    def select(self, x=None):
        members = list(range(len(self.online)))
        if self.clusters is not None:
            indices = []
            for name in self.names:
                inside = [k for k in members if self.clusters[k] == name]
                past = np.zeros(2) if self.prime else self.past[inside].sum(axis=0)
                indices.append(self.index(self.online[inside].sum(axis=0), past))
            chosen = self.names[first_best(indices)]
            members = [k for k in members if self.clusters[k] == chosen]
        return members[first_best([self.index(self.online[k], self.past[k]) for k in members])]

    def learn(self, arm, x, reward):
        self.online[arm] += (1, reward)


class Contextual:
    """LinUCB, HLinUCB, LinUCBC and HLinUCBC: Algorithm 2 with the identity of a cluster's history counted once."""

    def __init__(self, n_arms, d, clusters=None, history=(), alpha=1.0):
        self.clusters = list(clusters) if clusters is not None else None
        self.names = list(dict.fromkeys(self.clusters or []))
        self.alpha, self.n_arms = alpha, n_arms
        self.A = {("arm", k): np.eye(d) for k in range(n_arms)} | {("cluster", c): np.eye(d) for c in self.names}
        self.b = {key: np.zeros(d) for key in self.A}
        for arm, x, r in history:
            self.learn(arm, x, r)

    def p(self, key, x):
        theta = np.linalg.solve(self.A[key], self.b[key])
        return theta @ x + self.alpha * np.sqrt(x @ np.linalg.solve(self.A[key], x))

    def select(self, x):
        members = list(range(self.n_arms))
        if self.clusters is not None:
            chosen = self.names[first_best([self.p(("cluster", c), x) for c in self.names])]
            members = [k for k in members if self.clusters[k] == chosen]
        return members[first_best([self.p(("arm", k), x) for k in members])]

    def learn(self, arm, x, reward):
        for key in [("arm", arm)] + ([("cluster", self.clusters[arm])] if self.clusters is not None else []):
            self.A[key] = self.A[key] + np.outer(x, x)
            self.b[key] = self.b[key] + reward * x


class Meta:
    """UCB1 over the experts' earned rewards; an expert never followed comes first."""

    def __init__(self, experts, shared=True, scale=1.0):
        self.experts, self.shared, self.scale = experts, shared, scale
        self.earned = [[] for _ in experts]

    def select(self, x=None):
        t = 1 + sum(len(rewards) for rewards in self.earned)
        indices = [
            np.mean(rewards) + self.scale * np.sqrt(2 * np.log(t) / len(rewards)) if rewards else np.inf
            for rewards in self.earned
        ]
        self.followed = first_best(indices)
        return self.experts[self.followed].select(x)

    def learn(self, arm, x, reward):
        self.earned[self.followed].append(reward)
        for position, expert in enumerate(self.experts):
            if self.shared or position == self.followed:
                expert.learn(arm, x, reward)
