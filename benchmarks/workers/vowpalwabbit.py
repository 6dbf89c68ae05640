"""Vowpal Wabbit: cb_explore_adf with epsilon-greedy over a linear model by gradient steps. Another algorithm than LinUCB."""

import random

from vowpalwabbit import Workspace
from work import linear
from workers.measure import play


def _example(row, arms, arm=-1, cost=0.0, probability=1.0):
    shared = "shared |s " + " ".join(f"{i}:{value}" for i, value in enumerate(row))
    labels = [f"0:{cost}:{probability} " if other == arm else "" for other in range(arms)]
    return [shared, *(f"{label}|a {other}" for other, label in enumerate(labels))]


def linucb(task):
    """Rounds of predict and learn; the context crossed with the arm is the model's input."""
    inputs, arms, draws = linear(task), task["arms"], random.Random(0)
    bandit = Workspace("--cb_explore_adf --epsilon 0.1 -q sa --quiet")
    for arm, reward, row in zip(inputs.log.arms.tolist(), inputs.log.rewards.tolist(), inputs.log.contexts.tolist(), strict=True):
        bandit.learn(_example(row, arms, arm, -reward, 1.0 / arms))
    rewards, rows, chances = inputs.rewards(), inputs.contexts.tolist(), [0.0]

    def choose(t):
        shares = bandit.predict(_example(rows[t], arms))
        arm = draws.choices(range(arms), shares)[0]
        chances[0] = shares[arm]
        return arm

    def learn(t, arm):
        bandit.learn(_example(rows[t], arms, arm, -rewards[t, arm], chances[0]))

    return play(task["rounds"], choose, learn)


PACKAGE = "vowpalwabbit"
KINDS = {"linucb": linucb}
