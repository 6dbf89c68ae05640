"""The same as the driver, on small cases that hypothesis shrinks; and properties of the sums."""

import tempfile
from copy import deepcopy
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import hedgerow as hr
from hedgerow.testing import snapshot

rewards = st.floats(-10, 10)
labels = st.sampled_from(["x", "y", ("x", "z"), ("p", "q", "r")])


class Machine(RuleBasedStateMachine):
    """A live policy beside one that only replays what was learnt."""

    @initialize(clusters=st.lists(labels, min_size=3, max_size=3), contextual=st.booleans(), shared=st.booleans())
    def start(self, clusters, contextual, shared):
        self.folder = tempfile.TemporaryDirectory()
        self.d = 2 if contextual else None
        self.live, self.replayed = (
            hr.META(["a", "b", "c"], clusters=clusters, dimension=self.d, shared=shared) for _ in range(2)
        )
        self.pending, self.added = [], 0

    def teardown(self):
        self.folder.cleanup()

    def both(self, name, *arguments, **keywords):
        for policy in (self.live, self.replayed):
            getattr(policy, name)(*arguments, **keywords)
        assert snapshot(self.live) == snapshot(self.replayed)

    @rule(x=st.tuples(st.floats(-5, 5), st.floats(-5, 5)), seed=st.none() | st.integers(0, 9))
    def select(self, x, seed):
        rng = None if seed is None else np.random.default_rng(seed)
        self.pending.append(self.live.select(x if self.d else None, rng=rng))

    @precondition(lambda self: self.pending)
    @rule(data=st.data(), reward=rewards)
    def update(self, data, reward):
        decision = self.pending.pop(data.draw(st.integers(0, len(self.pending) - 1)))
        if decision.arm in self.live.arms:
            self.both("update", decision, reward)

    @rule(cluster=labels)
    def add(self, cluster):
        self.added += 1
        self.both("add_arm", f"new-{self.added}", cluster=cluster, new_cluster=True)

    @precondition(lambda self: len(self.live.arms) > 1)
    @rule(data=st.data())
    def remove(self, data):
        self.both("remove_arm", data.draw(st.sampled_from(self.live.arms)))

    @rule()
    def reload(self):
        path = Path(self.folder.name) / "state"
        self.live.save(path)
        self.live = hr.load(path)


Machine.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestMachine = Machine.TestCase

ARMS, CLUSTERS = ["a", "b", "c", "d"], ["x", "x", "y", "y"]
KINDS = {
    "UCB": lambda: hr.UCB(ARMS),
    "UCBC": lambda: hr.UCBC(ARMS, clusters=CLUSTERS, scale="auto"),
    "Auto": lambda: hr.Auto(ARMS, clusters=CLUSTERS),
    "LinUCBC": lambda: hr.LinUCBC(ARMS, clusters=CLUSTERS, dimension=2),
    "Auto with contexts": lambda: hr.Auto(ARMS, clusters=CLUSTERS, dimension=2),
    "META": lambda: hr.META(ARMS, clusters=CLUSTERS, dimension=2),
    "META d3rb": lambda: hr.META(ARMS, clusters=CLUSTERS, rule="d3rb"),
}


class Waiter(RuleBasedStateMachine):
    """A policy whose rewards come late or never, beside one that learns them at once: what no longer waits leaves no trace."""

    @initialize(kind=st.sampled_from(sorted(KINDS)))
    def start(self, kind):
        self.folder = tempfile.TemporaryDirectory()
        self.late, self.prompt = KINDS[kind](), KINDS[kind]()
        self.waiting = []

    def teardown(self):
        self.folder.cleanup()

    def one(self, data):
        return self.waiting.pop(data.draw(st.integers(0, len(self.waiting) - 1)))

    @rule(x=st.tuples(st.floats(-5, 5), st.floats(-5, 5)))
    def decide(self, x):
        decision = self.late.select(x if self.late.dimension else None)
        self.late.expect(decision)
        self.waiting.append(decision)

    @precondition(lambda self: self.waiting)
    @rule(data=st.data(), reward=rewards)
    def settle(self, data, reward):
        decision = self.one(data)
        self.late.update(decision, reward)
        self.prompt.update(decision, reward)

    @precondition(lambda self: self.waiting)
    @rule(data=st.data())
    def cancel(self, data):
        self.late.cancel(self.one(data))

    @rule()
    def reload(self):
        path = Path(self.folder.name) / "state"
        self.late.save(path)
        self.late = hr.load(path)

    @rule(arm=st.sampled_from(ARMS), reward=rewards, x=st.tuples(st.floats(-5, 5), st.floats(-5, 5)))
    def hear_of_a_round_elsewhere(self, arm, reward, x):
        before, worker = deepcopy(self.prompt), deepcopy(self.prompt)
        worker.learn(arm, reward, x if worker.dimension else None)
        for policy in (self.late, self.prompt):
            policy.merge(worker, since=before)

    @invariant()
    def nothing_else_is_left(self):
        assert len(self.late.waiting) == len(self.waiting)
        if not self.waiting:
            x = (1.0, -0.5) if self.late.dimension else None
            for one, other in zip(self.late.explain(x), self.prompt.explain(x), strict=True):
                np.testing.assert_allclose((one.mean, one.index), (other.mean, other.index), rtol=1e-6, atol=1e-6)


Waiter.TestCase.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)
TestWaiter = Waiter.TestCase


@settings(deadline=None, max_examples=60)
@given(
    rounds=st.lists(st.tuples(st.integers(0, 3), rewards), max_size=30),
    split=st.integers(0, 30),
    clusters=st.lists(st.integers(0, 2), min_size=4, max_size=4),
)
def test_history_then_online_gives_the_means_of_all_rounds(rounds, split, clusters):
    past, online = rounds[:split], rounds[split:]
    history = hr.History.from_rounds(arms=[a for a, _ in past], rewards=[r for _, r in past])
    policy = hr.HUCBC(range(4), clusters=clusters, history=history)
    for arm, reward in online:
        policy.learn(arm, reward)
    for score in policy.explain():
        mine = [r for a, r in rounds if score.label == (a if score.kind == "arm" else clusters[a])]
        assert score.plays + score.history == len(mine)
        if mine:
            assert np.isclose(score.mean, np.mean(mine), rtol=1e-12, atol=1e-12)


@settings(deadline=None, max_examples=40)
@given(
    label=st.recursive(
        st.text() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False), st.tuples, max_leaves=4
    )
)
def test_any_label_survives_decision_and_state(label):
    policy = hr.UCB([label, "another one"])
    decision = hr.Decision.from_json(policy.select().to_json())
    assert decision.arm == label
    assert type(decision.arm) is type(label)
    with tempfile.TemporaryDirectory() as folder:
        policy.save(Path(folder) / "state")
        assert hr.load(Path(folder) / "state").arms == (label, "another one")
