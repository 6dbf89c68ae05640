"""Vowpal Wabbit: cb_explore_adf with epsilon-greedy over a linear model by gradient steps. Another algorithm than LinUCB."""

import random

from vowpalwabbit import Workspace
from work import clicks, linear
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


CLICK_POLICIES = {
    "epsilon-greedy, 5 %": "--epsilon 0.05",
    "SquareCB": "--squarecb",
    "bag of 5": "--bag 5",
    "online cover, 5": "--cover 5",
}


def click(task):
    """Ads, warm from the log; an ad's features are its number and its topic."""
    inputs, arms, draws = clicks(task), task["arms"], random.Random(task["seed"])
    bandit = Workspace(f"--cb_explore_adf {CLICK_POLICIES[task['policy']]} --random_seed {task['seed']} --quiet")
    features = [f"|a ad_{arm} topic_{topic}" for arm, topic in enumerate(inputs.topics.tolist())]

    def learn(arm, reward, probability):
        label = f"0:{-reward}:{probability} "
        bandit.learn([*features[:arm], label + features[arm], *features[arm + 1 :]])

    for arm, reward in zip(inputs.log.arms.tolist(), inputs.log.rewards.tolist(), strict=True):
        learn(arm, reward, 1.0 / arms)
    chances = [0.0]

    def choose(_):
        shares = bandit.predict(features)
        arm = draws.choices(range(arms), shares)[0]
        chances[0] = shares[arm]
        return arm

    return play(task["rounds"], choose, lambda t, arm: learn(arm, inputs.reward(t, arm), chances[0]))


PACKAGE = "vowpalwabbit"
KINDS = {"linucb": linucb, "clicks": click}
