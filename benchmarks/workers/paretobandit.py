"""ParetoBandit: its disjoint LinUCB with alpha 1, lambda 1 and no forgetting; ties are broken at random."""

import numpy as np
from pareto_bandit.policy import DisjointLinUCBPolicy
from work import linear
from workers.measure import answer, play, timed


def _fitted(task, log):
    """The log as sums per arm, since the library has no fit; its updates add the same."""
    bandit = DisjointLinUCBPolicy(list(range(task["arms"])), dim=task["dimension"], alpha=1.0, init_lambda=1.0, seed=0)
    for arm in range(task["arms"] if log.arms.size else 0):
        seen, paid = log.contexts[arm :: task["arms"]], log.rewards[arm :: task["arms"]]
        bandit.A[arm] = np.eye(task["dimension"]) + seen.T @ seen
        bandit.b[arm] = seen.T @ paid
    bandit.refresh_inverse_cache()
    return bandit


def linucb(task):
    """Rounds of select_arm and update."""
    inputs = linear(task)
    bandit, rewards, rows = _fitted(task, inputs.log), inputs.rewards(), list(inputs.contexts)

    def learn(t, arm):
        bandit.update(arm, rows[t], rewards[t, arm])

    return play(task["rounds"], lambda t: bandit.select_arm(rows[t])[0], learn)


def batch(task):
    """Many contexts, one by one, since the library takes no batches."""
    inputs = linear(task)
    bandit = _fitted(task, inputs.log)
    seconds, arms = timed(lambda: [bandit.select_arm(row)[0] for row in inputs.contexts])
    return answer(seconds, task["rounds"], arms)


PACKAGE = "paretobandit"
KINDS = {"linucb": linucb, "batch": batch}
