"""Half a million random operations: live state never departs from replayed state, whatever happens in between."""

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.core.sums import PLAYS
from hedgerow.policies.ridge import THETA
from hedgerow.testing import snapshot

OPERATIONS = 500_000
EPISODE = 2_500
CLUSTERS = [None, ["x", "x", "y", "z", "z"], [("p", "x"), ("p", "y"), ("p", "y"), ("q", "x"), "r"]]


def make(kind, clusters, warm):
    d = None if kind in (hr.HUCB, hr.HUCBC, hr.HUCBCPrime, "META", "META own") else 3
    rng = np.random.default_rng(7)
    history = hr.History.from_rounds(
        arms=rng.integers(4, size=9), rewards=rng.random(9), contexts=rng.normal(size=(9, d)) if d else None
    )
    given = {"history": history if warm else None, **({"dimension": d} if d else {})}
    if kind in (hr.HUCB, hr.HLinUCB):
        return kind(range(5), **given)
    if isinstance(kind, str):
        return hr.META(range(5), clusters=clusters, shared="own" not in kind, **given)
    return kind(range(5), clusters=clusters, **given)


KINDS = [hr.HUCB, hr.HUCBC, hr.HUCBCPrime, hr.HLinUCB, hr.HLinUCBC, "META", "META own", "META lin", "META lin own"]


class Driver:
    """Random operations on a live policy, and the log of those that count."""

    def __init__(self, policy, folder, seed):
        self.policy, self.path, self.rng = policy, folder / "state", np.random.default_rng(seed)
        self.log, self.late, self.next_arm = [], [], 100

    def step(self):
        operations = {
            self.ask: 0.42,
            self.reward: 0.5,
            self.nonsense: 0.05,
            self.reload: 0.01,
            self.add: 0.008,
            self.remove: 0.008,
            self.worker: 0.004,
        }
        self.rng.choice(list(operations), p=list(operations.values()))()

    def ask(self):
        context = self.rng.normal(size=self.policy.dimension) if self.policy.dimension else None
        rng = self.rng if self.rng.random() < 0.2 else None
        self.late.append(self.policy.select(context, rng=rng))

    def reward(self):
        """A reward that is late and out of order, perhaps of an arm that is gone."""
        if not self.late:
            return
        decision = self.late.pop(int(self.rng.integers(len(self.late))))
        reward = float(self.rng.normal())
        if decision.arm in self.policy.arms:
            self.do("update", decision, reward)
        else:
            with pytest.raises(KeyError):
                self.policy.update(decision, reward)

    def nonsense(self):
        decision = self.policy.select(np.ones(self.policy.dimension) if self.policy.dimension else None)
        calls = [
            lambda: self.policy.update(decision, float("nan")),
            lambda: self.policy.update(decision._replace(arm="nobody"), 1.0),
            lambda: self.policy.update(decision._replace(policy="else"), 1.0),
            lambda: self.policy.update(decision._replace(context=(1.0,)), 1.0),
            lambda: self.policy.add_arm(self.policy.arms[0], cluster="x"),
            lambda: self.policy.remove_arm("nobody"),
            lambda: self.policy.merge(self),
        ]
        with pytest.raises((ValueError, KeyError)):
            calls[self.rng.integers(len(calls))]()

    def reload(self):
        self.policy.save(self.path)
        self.policy = hr.load(self.path)

    def add(self):
        if len(self.policy.arms) < 9:
            cluster = ["x", "y", ("p", "new"), ("new", "deep", "er")][self.rng.integers(4)] if self.policy.clustered else None
            self.do("add_arm", self.next_arm, cluster=cluster, new_cluster=True)
            self.next_arm += 1

    def remove(self):
        if len(self.policy.arms) > 2:
            self.do("remove_arm", self.policy.arms[self.rng.integers(len(self.policy.arms))])

    def worker(self):
        """Another worker starts from here, learns a little and is merged back."""
        self.policy.save(self.path)
        worker, base = hr.load(self.path), hr.load(self.path)
        rounds = []
        for _ in range(self.rng.integers(1, 6)):
            context = self.rng.normal(size=worker.dimension) if worker.dimension else None
            rounds.append((worker.select(context), float(self.rng.random())))
            worker.update(*rounds[-1])
        self.policy.merge(worker, since=base)
        self.log.append(("worker", rounds))

    def do(self, name, *arguments, **keywords):
        getattr(self.policy, name)(*arguments, **keywords)
        self.log.append((name, arguments, keywords))


def replay(policy, log, path):
    for name, *what in log:
        if name == "worker":
            policy.save(path)
            worker, base = hr.load(path), hr.load(path)
            for decision, reward in what[0]:
                worker.update(decision, reward)
            policy.merge(worker, since=base)
        else:
            getattr(policy, name)(*what[0], **what[1])
    return policy


def assert_sound(policy):
    """A cluster is the sum of its arms, and derived rows are those of the sums."""
    for part in policy.experts.values() if isinstance(policy, hr.Meta) else [policy]:
        now = part.snapshot()
        sums = now.arms.totals(now.online_rows(now.arms.labels))
        assert np.array_equal(sums[:, PLAYS], now.arrays.online[:, PLAYS])
        assert now.arrays.online == pytest.approx(sums, rel=1e-9, abs=1e-9)
        before = now.arrays.rows.copy()
        part.history = part.history
        fresh = part.snapshot().arrays.rows
        assert before[:, THETA:] == pytest.approx(fresh[:, THETA:], rel=1e-8, abs=1e-8)
        assert (before[:, :THETA] >= fresh[:, :THETA] * (1 - 1e-6)).all()  # a ceiling may be out of date, but never too low


@pytest.mark.slow
def test_live_equals_replayed(tmp_path):
    done = 0
    for episode in range(OPERATIONS // EPISODE):
        kind, clusters, warm = KINDS[episode % 9], CLUSTERS[(episode // 9) % 3], episode % 2 == 0
        driver = Driver(make(kind, clusters, warm), tmp_path, seed=episode)
        for _ in range(EPISODE):
            driver.step()
            done += 1
        replayed = replay(make(kind, clusters, warm), driver.log, tmp_path / "replay")
        assert snapshot(driver.policy) == snapshot(replayed), f"episode {episode}, {kind}"
        assert_sound(driver.policy)
    assert done == OPERATIONS
