"""Tournaments decide as the plain scan, always, and do little work."""

import os
import subprocess
import sys

import numpy as np
import pytest

import hedgerow as hr
from benchmarks.work import TINY, WORKS, growth, smaller
from hedgerow.experiments.problems import Trial
from hedgerow.policies import tournament


def scan(monkeypatch, make):
    """The same policy without tournaments."""
    with monkeypatch.context() as patch:
        patch.setattr("hedgerow.policies.tournament.CROSSOVER", 10**9)
        return make()


def tournaments(policy):
    """How many nodes have one."""
    extra = policy.snapshot().arrays.extra
    return int((extra[0][:, 2] > 0).sum()) if extra else 0


def draw(rng, kind, K, rounds):
    means = rng.random(K)
    if kind == "uniform":
        return 2 * means * rng.random((rounds, K))
    if kind == "click":
        return 1.0 * (rng.random((rounds, K)) < means)
    if kind == "few values":  # equal means and equal counts everywhere
        return np.round(rng.random((rounds, K)) * 2) / 2
    if kind == "constant":
        return np.full((rounds, K), 0.5)
    return -500 * rng.random((rounds, K))


HISTORIES = {
    "none": lambda rng, K: np.zeros(0, dtype=int),
    "few": lambda rng, K: rng.integers(K, size=K // 4),
    "uneven": lambda rng, K: np.repeat(np.arange(K), rng.poisson(3, size=K)),
}


@pytest.mark.parametrize("kind", ["uniform", "click", "few values", "constant", "large"])
@pytest.mark.parametrize("past", HISTORIES)
@pytest.mark.parametrize("scale", [1.0, 0.1, 0.0])
def test_flat_decisions_are_those_of_the_scan(monkeypatch, kind, past, scale):
    rng = np.random.default_rng(1)
    K, rounds = 300, 6000
    arms = HISTORIES[past](rng, K)
    history = hr.History.from_rounds(arms=arms, rewards=rng.random(arms.size))
    make = lambda: hr.HUCB(range(K), history=history, scale=scale)  # noqa: E731
    trial = Trial((), history, draw(rng, kind, K, rounds), np.zeros((1, K)), np.arange(rounds), np.zeros((rounds, 0)))
    from hedgerow.experiments.play import play

    raced, scanned = make(), scan(monkeypatch, make)
    assert tournaments(raced) == 1
    assert tournaments(scanned) == 0
    assert np.array_equal(play(raced, trial).arms, play(scanned, trial).arms)


def test_weighted_history_gives_fractional_plays(monkeypatch):
    rng = np.random.default_rng(2)
    K = 200
    log = hr.History.from_rounds(arms=rng.integers(K, size=400), rewards=rng.random(400)).weighted(0.37)
    raced, scanned = hr.HUCB(range(K), history=log), scan(monkeypatch, lambda: hr.HUCB(range(K), history=log))
    for reward in rng.random(4000):
        decision = raced.select()
        assert decision == scanned.select()
        raced.update(decision, reward)
        scanned.update(decision, reward)


def test_large_clusters_and_many_clusters(monkeypatch):
    rng = np.random.default_rng(3)
    K = 1100
    clusters = [k % 250 if k < 500 else "large" if k < 800 else ("large too", k % 3) for k in range(K)]
    log = hr.History.from_rounds(arms=rng.integers(K, size=500), rewards=rng.random(500))
    make = lambda: hr.Bandit(range(K), hr.rules.ucb(0.3), clusters=clusters, history=log)  # noqa: E731
    raced, scanned = make(), scan(monkeypatch, make)
    assert tournaments(raced) == 2
    means = rng.random(K)
    for t in range(6000):
        decision = raced.select()
        assert decision == scanned.select(), t
        reward = float(rng.random() < means[decision.arm])
        for policy in (raced, scanned):
            policy.update(decision, reward)


def test_arms_come_and_go_and_rewards_are_late(monkeypatch):
    rng = np.random.default_rng(4)
    make = lambda: hr.UCB(range(220), scale=0.5)  # noqa: E731
    raced, scanned = make(), scan(monkeypatch, make)
    late_ones = []
    for t in range(3000):
        decision = raced.select()
        assert decision == scanned.select(), t
        late_ones.append(decision)
        if len(late_ones) > 20:
            late = late_ones.pop(int(rng.integers(20)))
            if late.arm in raced.arms:
                reward = rng.random()
                raced.update(late, reward)
                scanned.update(late, reward)
        if t % 300 == 299:
            gone = raced.arms[rng.integers(len(raced.arms))]
            with monkeypatch.context() as patch:
                raced.remove_arm(gone)
                raced.add_arm(("new", t))
                patch.setattr("hedgerow.policies.tournament.CROSSOVER", 10**9)
                scanned.remove_arm(gone)
                scanned.add_arm(("new", t))


@pytest.mark.parametrize("spread", ["normal", "one-hot", "narrow"])
def test_pruning_decides_as_scoring_every_arm(spread):
    rng = np.random.default_rng(5)
    K, d = 60, 12
    policy = hr.LinUCBC(range(K), clusters=[k % 2 for k in range(K)], dimension=d, alpha=0.4)
    theta = rng.normal(size=(K, d))
    for _ in range(4000):
        x = {
            "normal": lambda: rng.normal(size=d),
            "one-hot": lambda: np.eye(d)[rng.integers(d)],
            "narrow": lambda: rng.normal() + 0.01 * rng.normal(size=d),
        }[spread]()
        decision = policy.select(x)
        assert decision == policy.select_many(x[None])[0]  # which scores every arm
        policy.update(decision, float(theta[decision.arm] @ x + rng.normal()))


COUNT = """
import numpy as np, hedgerow as hr
import hedgerow.policies.linucb as linucb, hedgerow.policies.tournament as tournament
counts = {}
def counted(module, name):
    inner = getattr(module, name)
    def wrapper(*arguments):
        counts[name] = counts.get(name, 0) + 1
        return inner(*arguments)
    setattr(module, name, wrapper)
counted(tournament, "ucb_value"); counted(linucb, "dot")
rng = np.random.default_rng(0)
per_round = []
for K in (256, 4096):
    policy = hr.UCB(range(K), scale=0.3)
    means = rng.random(K)
    for t in range(K + 300):
        if t == K + 100:
            counts.clear()
        decision = policy.select()
        policy.update(decision, means[decision.arm] + 0.1 * rng.normal())
    per_round.append(counts["ucb_value"] / 200)
K, d = 200, 10
theta = rng.normal(size=(K, d))
past = np.repeat(np.arange(K), 40)
history = hr.History.from_rounds(arms=past, rewards=np.zeros(40 * K), contexts=rng.normal(size=(40 * K, d)))
policy = hr.HLinUCB(range(K), history=history)
for t in range(300):
    if t == 100:
        counts.clear()
    x = rng.normal(size=d)
    decision = policy.select(x)
    policy.update(decision, float(theta[decision.arm] @ x))
print(*per_round, (counts["dot"] / 200 - K) / K)
"""


def test_work_per_round_stays_small():
    """Counts of work, not seconds: index evaluations of a tournament, and the share of arms that LinUCB scores in full."""
    run = subprocess.run(
        [sys.executable, "-c", COUNT], env={**os.environ, "HEDGEROW_COMPILE": "0"}, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    small, large, scored = map(float, run.stdout.split())
    assert small < 80
    assert large < 120  # a scan would evaluate 4096
    assert scored < 0.35


def test_a_call_allocates_the_same_for_few_and_for_many_arms():
    import tracemalloc

    peaks = []
    for K in (200, 20_000):
        policy = hr.UCB(range(K))
        policy.update(policy.select(), 1.0)
        tracemalloc.start()
        policy.update(policy.select(), 1.0)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 1000
    assert peaks[0] < 5000


def test_a_million_arms_take_little_memory():
    import tracemalloc

    tracemalloc.start()
    policy = hr.UCB(range(1_000_000))
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert policy.select().arm == 0
    assert held / 1_000_000 < 100


def test_the_benchmark_compiles_tournaments_before_it_times_them():
    """Its warm-up once had 150 arms, and compilation was counted as the first rounds of ten thousand."""

    def most_side_by_side(task):
        arms, clusters = task["arms"], task.get("clusters", 1)
        return max(clusters, -(-arms // clusters))

    tasks = [work.task(library) for work in WORKS for library in work.rounds] + [task for *_, task in growth()]
    for task in (task for task in tasks if "arms" in task):
        met = most_side_by_side(smaller(task, TINY)) > tournament.CROSSOVER
        assert met == (most_side_by_side(task) > tournament.CROSSOVER), task
