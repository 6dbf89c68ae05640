"""contextualbandits: LinUCB with alpha 1, lambda 1, no intercept, double precision; ties are broken at random."""

import numpy as np
from contextualbandits.online import LinUCB
from work import linear
from workers.measure import answer, play, timed


def _fitted(task, log):
    bandit = LinUCB(
        task["arms"], alpha=1.0, lambda_=1.0, fit_intercept=False, use_float=False, method="sm", random_state=1, njobs=1
    )
    bandit.fit(log.contexts, log.arms, log.rewards)
    return bandit


def linucb(task):
    """Rounds of predict and partial_fit."""
    inputs = linear(task)
    bandit, rewards = _fitted(task, inputs.log), inputs.rewards()
    rows = [row[None, :] for row in inputs.contexts]

    def learn(t, arm):
        bandit.partial_fit(rows[t], np.array([arm]), rewards[t, arm : arm + 1])

    return play(task["rounds"], lambda t: int(bandit.predict(rows[t])[0]), learn)


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


PACKAGE = "contextualbandits"
KINDS = {"linucb": linucb, "fit": fit, "batch": batch}
