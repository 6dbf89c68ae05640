"""river: LinUCBDisjoint. Its bonus is the standard deviation of the next reward, noise included, so its arms differ."""

from river.bandit import LinUCBDisjoint
from work import linear
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


PACKAGE = "river"
KINDS = {"linucb": linucb}
