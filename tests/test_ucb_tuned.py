"""UCB-tuned against its formula in plain Python."""

import math

import numpy as np
import pytest

import hedgerow as hr

ARMS = range(6)
CLUSTERS = [0, 0, 0, 1, 1, 2]


class Naive:
    """UCB-tuned straight from the paper's formula, on lists of rewards; between clusters, then inside the chosen one."""

    def __init__(self, logged):
        self.logged = {arm: [reward for a, reward in logged if a == arm] for arm in ARMS}
        self.seen = {arm: [] for arm in ARMS}

    def index(self, arms):
        logged, seen = ([reward for arm in arms for reward in of[arm]] for of in (self.logged, self.seen))
        rewards = logged + seen
        if not rewards:
            return math.inf
        level = math.log(1 + sum(map(len, self.seen.values())) + len(logged)) / len(rewards)
        return np.mean(rewards) + math.sqrt(level * min(0.25, np.var(rewards) + math.sqrt(2 * level)))

    def select(self):
        groups = [[arm for arm in ARMS if CLUSTERS[arm] == cluster] for cluster in dict.fromkeys(CLUSTERS)]
        chosen = max(groups, key=self.index)
        return max(chosen, key=lambda arm: self.index([arm]))


@pytest.mark.parametrize("warm", [True, False], ids=["warm", "cold"])
def test_decisions_are_those_of_the_formula(warm):
    rng = np.random.default_rng(2)
    means = np.linspace(0.2, 0.7, 6)
    logged = [(int(arm), float(rng.random() < means[arm])) for arm in rng.integers(6, size=30)] if warm else []
    history = hr.History.from_rounds(arms=[arm for arm, _ in logged], rewards=[reward for _, reward in logged])
    policy, naive = hr.UCBTuned(ARMS, clusters=CLUSTERS, history=history), Naive(logged)
    for _ in range(1500):
        decision = policy.select()
        assert decision.arm == naive.select()
        reward = float(rng.random() < means[decision.arm])
        policy.update(decision, reward)
        naive.seen[decision.arm].append(reward)


def test_rewards_lie_between_0_and_1():
    with pytest.raises(ValueError, match="between 0 and 1, got 2.0"):
        hr.UCBTuned(ARMS).learn(0, 2.0)
