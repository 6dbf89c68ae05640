"""Decisions equal, arm for arm, to the naive implementation of tests/naive.py."""

import naive
import numpy as np
import pytest

import hedgerow as hr

ROUNDS = 10_000
EVEN = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
UNEVEN = [2, 0, 1, 0, 0, 2, 0, 0, 0, 0, 0, 3]
K = len(EVEN)


class Instance:
    """Rewards of all arms in all rounds, contexts, and a history for a part of the arms."""

    def __init__(self, seed, d=None, rewards="uniform"):
        rng = np.random.default_rng(seed)
        plays = rng.poisson(6, size=K) * (rng.random(K) < 0.5)
        self.past_arms = rng.permutation(np.repeat(np.arange(K), plays))
        size = self.past_arms.size
        self.X = rng.normal(size=(ROUNDS, d)) if d else None
        self.past_X = rng.normal(size=(size, d)) if d else None
        if d:
            theta = rng.normal(size=(K, d))
            self.rewards = self.X @ theta.T + rng.normal(size=(ROUNDS, K))
            self.past_rewards = (theta[self.past_arms] * self.past_X).sum(axis=1) + rng.normal(size=size)
        else:
            means = rng.random(K)
            draw = {
                "uniform": lambda m, shape: 2 * m * rng.random(shape),
                "click": lambda m, shape: 1.0 * (rng.random(shape) < m),
            }[rewards]
            self.rewards = draw(means, (ROUNDS, K))
            self.past_rewards = draw(means[self.past_arms], size)

    def history(self):
        return hr.History.from_rounds(arms=self.past_arms, rewards=self.past_rewards, contexts=self.past_X)

    def past(self):
        if self.X is None:
            return list(zip(self.past_arms, self.past_rewards, strict=True))
        return list(zip(self.past_arms, self.past_X, self.past_rewards, strict=True))


def assert_same_decisions(policy, oracle, instance, rounds=ROUNDS):
    for t in range(rounds):
        x = None if instance.X is None else instance.X[t]
        decision = policy.select(x)
        arm = oracle.select(x)
        assert decision.arm == arm, f"round {t}"
        reward = instance.rewards[t, arm]
        policy.update(decision, reward)
        oracle.learn(arm, x, reward)


CLASSICAL = {
    "UCB": lambda c, i: (hr.UCB(range(K)), dict()),
    "HUCB": lambda c, i: (hr.HUCB(range(K), history=i.history()), dict(history=i.past())),
    "UCBC": lambda c, i: (hr.UCBC(range(K), clusters=c), dict(clusters=c)),
    "HUCBC": lambda c, i: (
        hr.HUCBC(range(K), clusters=c, history=i.history()),
        dict(clusters=c, history=i.past()),
    ),
    "HUCBCPrime": lambda c, i: (
        hr.HUCBCPrime(range(K), clusters=c, history=i.history()),
        dict(clusters=c, history=i.past(), prime=True),
    ),
}


@pytest.mark.parametrize("rewards", ["uniform", "click"])
@pytest.mark.parametrize("clusters", [EVEN, UNEVEN], ids=["even", "uneven"])
@pytest.mark.parametrize("name", CLASSICAL)
def test_classical(name, clusters, rewards):
    instance = Instance(seed=11, rewards=rewards)
    policy, arguments = CLASSICAL[name](clusters, instance)
    assert_same_decisions(policy, naive.Classical(K, **arguments), instance)


@pytest.mark.parametrize("scale", [0.0, 0.25, 3.0])
def test_scale_multiplies_the_bonus(scale):
    instance = Instance(seed=13)
    policy = hr.HUCBC(range(K), clusters=EVEN, history=instance.history(), scale=scale)
    oracle = naive.Classical(K, clusters=EVEN, history=instance.past(), scale=scale)
    assert_same_decisions(policy, oracle, instance, rounds=2000)


CONTEXTUAL = {
    "LinUCB": lambda c, i: (hr.LinUCB(range(K), dimension=4), dict()),
    "HLinUCB": lambda c, i: (hr.HLinUCB(range(K), history=i.history()), dict(history=i.past())),
    "LinUCBC": lambda c, i: (hr.LinUCBC(range(K), clusters=c, dimension=4), dict(clusters=c)),
    "HLinUCBC": lambda c, i: (
        hr.HLinUCBC(range(K), clusters=c, history=i.history()),
        dict(clusters=c, history=i.past()),
    ),
}


@pytest.mark.parametrize("clusters", [EVEN, UNEVEN], ids=["even", "uneven"])
@pytest.mark.parametrize("name", CONTEXTUAL)
def test_contextual(name, clusters):
    instance = Instance(seed=21, d=4)
    policy, arguments = CONTEXTUAL[name](clusters, instance)
    assert_same_decisions(policy, naive.Contextual(K, 4, **arguments), instance)


def test_alpha_multiplies_the_bonus():
    instance = Instance(seed=22, d=4)
    policy = hr.HLinUCBC(range(K), clusters=EVEN, history=instance.history(), alpha=0.3)
    oracle = naive.Contextual(K, 4, clusters=EVEN, history=instance.past(), alpha=0.3)
    assert_same_decisions(policy, oracle, instance, rounds=2000)


@pytest.mark.parametrize("shared", [True, False], ids=["shared", "own rounds"])
@pytest.mark.parametrize("warm", [True, False], ids=["warm", "cold"])
@pytest.mark.parametrize("clusters", [EVEN, UNEVEN], ids=["even", "uneven"])
@pytest.mark.parametrize("d", [None, 4], ids=["classical", "contextual"])
def test_meta(d, clusters, warm, shared):
    instance = Instance(seed=31, d=d)
    history, past = (instance.history(), instance.past()) if warm else (None, ())
    policy = hr.META(range(K), clusters=clusters, history=history, dimension=d, shared=shared, scale=1.5)
    kind = naive.Classical if d is None else naive.Contextual
    size = (K,) if d is None else (K, d)
    experts = [kind(*size, clusters=clusters, history=past), kind(*size, history=past)]
    assert_same_decisions(policy, naive.Meta(experts, shared=shared, scale=1.5), instance)


def test_meta_takes_its_dimension_from_the_history():
    log = hr.History.from_rounds(arms=["a", "b"], rewards=[1.0, 0.0], contexts=[[1.0, 0.0], [0.0, 1.0]])
    assert list(hr.META(["a", "b"], history=log).experts) == ["HLinUCBC", "HLinUCB"]
