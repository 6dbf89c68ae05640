"""MABWiser: LinUCB with alpha 1 and lambda 1; ties go to the first arm."""

import numpy as np
from mabwiser.mab import MAB, LearningPolicy
from work import clicks, linear
from workers.measure import answer, play, timed


def _new(arms):
    return MAB(list(range(arms)), LearningPolicy.LinUCB(alpha=1.0, l2_lambda=1.0))


def _fitted(task, log):
    bandit = _new(task["arms"])
    bandit.fit(log.arms, log.rewards, log.contexts)
    return bandit


def linucb(task):
    """Rounds of predict and partial_fit."""
    inputs = linear(task)
    bandit, rewards = _fitted(task, inputs.log), inputs.rewards()
    rows = [row[None, :] for row in inputs.contexts]

    def learn(t, arm):
        bandit.partial_fit(np.array([arm]), np.array([rewards[t, arm]]), rows[t])

    return play(task["rounds"], lambda t: bandit.predict(rows[t]), learn)


def fit(task):
    """Fit a log; the arms are those chosen afterwards."""
    inputs = linear(task)
    seconds, bandit = timed(lambda: _fitted(task, inputs.log))
    return answer(seconds, 1, bandit.predict(inputs.contexts))


def batch(task):
    """Predict many contexts at once."""
    inputs = linear(task)
    bandit = _fitted(task, inputs.log)
    seconds, arms = timed(lambda: bandit.predict(inputs.contexts))
    return answer(seconds, task["rounds"], arms)


CLICK_POLICIES = {
    "Thompson sampling": LearningPolicy.ThompsonSampling(),
    "UCB1, alpha 1": LearningPolicy.UCB1(alpha=1.0),
    "UCB1, alpha 0.25": LearningPolicy.UCB1(alpha=0.25),
    "epsilon-greedy, 5 %": LearningPolicy.EpsilonGreedy(epsilon=0.05),
}


def click(task):
    """Ads, warm from the log; it has no clusters of arms."""
    inputs = clicks(task)
    bandit = MAB(list(range(task["arms"])), CLICK_POLICIES[task["policy"]], seed=task["seed"])
    bandit.fit(inputs.log.arms, inputs.log.rewards)

    def learn(t, arm):
        bandit.partial_fit([arm], [inputs.reward(t, arm)])

    return play(task["rounds"], lambda _: bandit.predict(), learn)


PACKAGE = "mabwiser"
KINDS = {"linucb": linucb, "fit": fit, "batch": batch, "clicks": click}
