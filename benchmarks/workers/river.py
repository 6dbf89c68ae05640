"""river: LinUCBDisjoint. Its bonus is the standard deviation of the next reward, noise included, so its arms differ."""

from river import proba
from river.bandit import UCB, EpsilonGreedy, LinUCBDisjoint, ThompsonSampling
from work import clicks, linear
from workers.measure import play


def linucb(task):
    """Rounds of pull and update."""
    inputs = linear(task)
    bandit, rewards, arms = LinUCBDisjoint(alpha=1.0, beta=1.0, seed=0), inputs.rewards(), list(range(task["arms"]))
    rows = [dict(enumerate(row)) for row in inputs.contexts.tolist()]
    for arm, reward, row in zip(inputs.log.arms.tolist(), inputs.log.rewards.tolist(), inputs.log.contexts.tolist(), strict=True):
        bandit.update(arm, dict(enumerate(row)), reward)

    def learn(t, arm):
        bandit.update(arm, rows[t], rewards[t, arm])

    return play(task["rounds"], lambda t: bandit.pull(arms, rows[t]), learn)


CLICK_POLICIES = {
    "Thompson sampling": lambda seed: ThompsonSampling(reward_obj=proba.Beta(), seed=seed),
    "UCB, delta 1": lambda seed: UCB(delta=1.0, seed=seed),
    "UCB, delta 0.1": lambda seed: UCB(delta=0.1, seed=seed),
    "epsilon-greedy, 5 %": lambda seed: EpsilonGreedy(epsilon=0.05, seed=seed),
}


def click(task):
    """Ads, warm from the log; it has no clusters of arms."""
    inputs, arms = clicks(task), list(range(task["arms"]))
    bandit = CLICK_POLICIES[task["policy"]](task["seed"])
    binary = task["policy"] == "Thompson sampling"

    def learn(arm, reward):
        bandit.update(arm, bool(reward) if binary else reward)

    for arm, reward in zip(inputs.log.arms.tolist(), inputs.log.rewards.tolist(), strict=True):
        learn(arm, reward)
    return play(task["rounds"], lambda _: bandit.pull(arms), lambda t, arm: learn(arm, inputs.reward(t, arm)))


PACKAGE = "river"
KINDS = {"linucb": linucb, "clicks": click}
