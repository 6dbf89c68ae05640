"""hedgerow itself: rounds through the public interface, whole trials in compiled code."""

import cProfile
import itertools
import pstats
import tracemalloc

import numpy as np
from numba import njit
from work import clicks, drawn, generator, linear
from workers.measure import answer, play, timed

import hedgerow as hr
from hedgerow.experiments.play import play as play_trial
from hedgerow.policies.meta_play import _ask_linucb, _ask_ucb, _player, _teach_linucb, _teach_ucb
from hedgerow.policies.ridge import packed_products, ridge_estimate

NO_CONTEXT = np.zeros(0)
STAGES = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)


def _clusters(task):
    return {"clusters": (np.arange(task["arms"]) % task["clusters"]).tolist()} if "clusters" in task else {}


def _history(log):
    return hr.History.from_rounds(arms=log.arms, rewards=log.rewards, contexts=log.contexts)


def _linear_policy(task, log):
    if log.arms.size == 0:
        return hr.LinUCB(range(task["arms"]), dimension=task["dimension"])
    make = hr.HLinUCBC if "clusters" in task else hr.HLinUCB
    return make(range(task["arms"]), history=_history(log), **_clusters(task))


def _rounds(policy, task, rows, pay):
    """Rounds of select and update."""
    arms = []

    def rounds():
        for t, row in enumerate(rows):
            decision = policy.select(row)
            policy.update(decision, pay(t, decision.arm))
            arms.append(decision.arm)

    seconds, _, more = _measured(task, rounds)
    return answer(seconds, task["rounds"], arms, **more)


def _measured(task, work):
    """CPU seconds of a call, what it returned, and its profile if the task asks for one."""
    if not task.get("profile"):
        return *timed(work), {}
    profile = cProfile.Profile()
    seconds, result = timed(lambda: profile.runcall(work))
    return seconds, result, {"profile": _hottest(profile)}


def _hottest(profile):
    """The functions that took most time of their own: (name, share)."""
    stats = pstats.Stats(profile).stats
    total = sum(own for _, _, own, _, _ in stats.values())
    hottest = sorted(stats.items(), key=lambda item: -item[1][2])[:8]
    return [(name, own / total) for (_, _, name), (_, _, own, _, _) in hottest]


def linucb(task):
    """LinUCB, flat or clustered, warm from the log."""
    inputs = linear(task)
    policy, rewards = _linear_policy(task, inputs.log), inputs.rewards()
    return _rounds(policy, task, list(inputs.contexts), lambda t, arm: rewards[t, arm])


def ucb(task):
    """UCB, each arm having been played once."""
    inputs = drawn(task)
    policy = hr.UCB(range(task["arms"]))
    for arm, reward in enumerate(inputs.first.tolist()):
        policy.learn(arm, reward)
    means, uniforms = inputs.means.tolist(), inputs.uniforms.tolist()
    return _rounds(policy, task, [None] * task["rounds"], lambda t, arm: 2.0 * means[arm] * uniforms[t])


def estimate(task):
    """theta'x and x' A^-1 x of all arms, none left out."""
    policy = hr.LinUCB(range(task["arms"]), dimension=task["dimension"])
    contexts, rows = linear(task).contexts, policy.snapshot().arrays.rows
    means, spreads = np.empty(task["arms"]), np.empty(task["arms"])
    times = []
    for x in contexts:
        seconds, _ = timed(lambda x=x: ridge_estimate(rows, x, packed_products(x), 1, means, spreads))
        times.append(seconds)
    return answer(float(np.median(times)), 1, bytes=task["arms"] * rows.shape[1] * rows.itemsize)


def fit(task):
    """A policy from a log; the arms are those chosen afterwards."""
    inputs = linear(task)
    seconds, policy, more = _measured(task, lambda: hr.HLinUCB(range(task["arms"]), history=_history(inputs.log)))
    return answer(seconds, 1, policy.select_many(inputs.contexts).arms, **more)


def batch(task):
    """Many contexts at once; the arms are named within the time, as the peers do."""
    inputs = linear(task)
    policy = _linear_policy(task, inputs.log)
    seconds, arms, more = _measured(task, lambda: policy.select_many(inputs.contexts).arms)
    return answer(seconds, task["rounds"], arms, **more)


@njit
def _play_drawn(player, means, uniforms, context, arms):
    for t in range(uniforms.size):
        arm = _ask_ucb(player, context)
        _teach_ucb(player, context, arm, 2.0 * means[arm] * uniforms[t])
        arms[t] = arm


@njit
def _play_linear(player, thetas, contexts, noise, arms):
    for t in range(noise.size):
        arm = _ask_linucb(player, contexts[t])
        reward = noise[t]
        for i in range(contexts.shape[1]):
            reward += thetas[arm, i] * contexts[t, i]
        _teach_linucb(player, contexts[t], arm, reward)
        arms[t] = arm


def _drawn_policy(task, inputs):
    past = np.repeat(np.arange(task["arms"]), task.get("played", 0))
    history = {"history": hr.History.from_rounds(arms=past, rewards=inputs.first[past])} if past.size else {}
    return getattr(hr, task.get("policy", "UCB"))(range(task["arms"]), **history, **_clusters(task))


def _played(policy, means, uniforms):
    """CPU seconds and arms of a whole trial in compiled code."""
    arms = np.zeros(uniforms.size, dtype=np.int64)
    player = _player(policy)
    seconds, _ = timed(lambda: _play_drawn(player, means, uniforms, NO_CONTEXT, arms))
    return seconds, arms


def simulate_drawn(task):
    """A whole trial without contexts, rewards made on the way; the first choice sets up the tournament and counts apart."""
    inputs = drawn(task)
    policy = _drawn_policy(task, inputs)
    setup, first = _played(policy, inputs.means, inputs.uniforms[:1])
    seconds, arms = _played(policy, inputs.means, inputs.uniforms[1:])
    return answer(seconds, arms.size, [*first, *arms[:10_000]], first=setup)


def stages(task):
    """CPU seconds per round over the stages of one long trial of UCB."""
    inputs = drawn(task)
    policy = _drawn_policy(task, inputs)
    ends = [0, *(end for end in STAGES if end <= task["rounds"])]
    points, total = [], 0.0
    for start, end in itertools.pairwise(ends):
        seconds, _ = _played(policy, inputs.means, inputs.uniforms[start:end])
        points.append((end, seconds / (end - start)))
        total += seconds
    return answer(total, task["rounds"], points=points)


def simulate_linear(task):
    """A whole trial with contexts whose rewards are made on the way."""
    inputs = linear(task)
    policy = _linear_policy(task, inputs.log)
    arms = np.zeros(task["rounds"], dtype=np.int64)
    player = _player(policy)
    seconds, _ = timed(lambda: _play_linear(player, inputs.thetas, inputs.contexts, inputs.noise, arms))
    return answer(seconds, task["rounds"])


def trial(task):
    """A whole trial of one of the paper's problems."""
    problem = hr.problems.SyntheticClassical if task["policy"] == "HUCBC" else hr.problems.SyntheticContextual
    dealt = problem(arms=task["arms"]).trial(task["rounds"], generator(task, 0))
    policy = getattr(hr, task["policy"])(dealt.arms, clusters=dealt.clusters, history=dealt.history)
    seconds, played = timed(lambda: play_trial(policy, dealt))
    return answer(seconds, task["rounds"], played.arms)


def state(task):
    """Bytes that a policy without contexts keeps, and the most it held while it was made."""
    tracemalloc.start()
    policy = hr.UCB(range(task["arms"]))
    kept, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return answer(0.0, 1, bytes=kept / len(policy.arms), most=most / len(policy.arms))


CLICK_POLICIES = {
    "Auto: log and topics": {"history": True, "clusters": True},
    "Auto: log": {"history": True},
    "Auto: topics": {"clusters": True},
    "Auto: neither": {},
}


def click(task):
    """Ads, with and without the log and the topics."""
    inputs, known = clicks(task), CLICK_POLICIES[task["policy"]]
    history = hr.History.from_rounds(arms=inputs.log.arms.tolist(), rewards=inputs.log.rewards)
    topics = inputs.topics.tolist() if "clusters" in known else None
    policy = hr.Auto(range(task["arms"]), history=history if "history" in known else None, clusters=topics)
    return play(task["rounds"], lambda _: policy.select().arm, lambda t, arm: policy.learn(arm, inputs.reward(t, arm)))


PACKAGE = "hedgerow"
KINDS = {
    "linucb": linucb,
    "ucb": ucb,
    "estimate": estimate,
    "fit": fit,
    "batch": batch,
    "drawn": simulate_drawn,
    "stages": stages,
    "linear": simulate_linear,
    "trial": trial,
    "state": state,
    "clicks": click,
}
