"""Auto without contexts against a plain NumPy reading of its model, round by round."""

import math
from collections import deque

import numpy as np
import pytest
from naive_auto import NaiveAuto

import hedgerow as hr
from hedgerow.core.arms import Arms
from hedgerow.core.records import named
from hedgerow.core.settings import described
from hedgerow.experiments.play import play
from hedgerow.experiments.problems import Trial
from hedgerow.policies.auto_rewards.index import level_of, standing
from hedgerow.policies.auto_rewards.policy import Rewards
from hedgerow.policies.auto_rewards.settings import RewardSettings
from hedgerow.policies.auto_rewards.state import ARM, STATE
from hedgerow.policies.family import Arrays, Change

FAMILY, NOTHING = Rewards(), np.zeros(0)
CLUSTERS = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]
PATHS = [("a", 0), ("a", 0), ("a", 1), ("a", 1), ("a", 1), ("b", 2), ("b", 2), ("b", 2), ("b", 3), ("c", 4)]


def sums(rewards):
    return np.array([(len(each), math.fsum(each), math.fsum(np.square(each))) for each in rewards])


class Policy:
    """The family on a tree of arms, and the naive policy beside it."""

    def __init__(self, clusters, history=None):
        self.arms = Arms(range(len(clusters)), clusters)
        past = self.arms.totals(sums(history or [[]] * len(clusters)))
        blank = Arrays(self.arms.tree, np.zeros_like(past), past, np.zeros((0, 1)), NOTHING, NOTHING)
        self.arrays, self.naive = FAMILY.fit(blank, Change.MADE), NaiveAuto(clusters, history)

    def select(self):
        arm = int(np.flatnonzero(self.arms.leaves == FAMILY.choose(self.arrays, NOTHING, -1))[0])
        assert arm in self.naive.best_arms()
        return arm

    def learn(self, arm, reward):
        FAMILY.learn(self.arrays, self.arms.leaves[arm], reward, NOTHING)
        self.naive.learn(arm, reward)

    def wait(self, arm, times):
        if len(self.arrays.waiting) == 0:
            self.arrays = self.arrays._replace(waiting=np.zeros((len(self.arrays.tree), 1)))
        FAMILY.wait(self.arrays, self.arms.leaves[arm], NOTHING, times)
        self.naive.waits[arm] += times

    def check(self):
        """Rows and state are those of the naive policy."""
        state, naive = named(self.arrays.state, STATE), self.naive
        assert state.ready == naive.ready
        if not naive.ready:
            return
        assert (state.level, state.variance, state.typical) == pytest.approx((naive.level, naive.A, naive.typical), rel=1e-9)
        for k, leaf in enumerate(self.arms.leaves):
            arm = named(self.arrays.rows[leaf], ARM)
            assert (arm.plays, arm.average, arm.noise) == pytest.approx((naive.n[k], naive.m[k], naive.v[k]), rel=1e-9)
            assert arm.trust == pytest.approx(naive.trust[k], rel=1e-9)
            for found, expected in ((arm.expected, naive.expected), (arm.spread, naive.spread), (arm.chance, naive.chance)):
                np.testing.assert_allclose(found, expected[k], rtol=1e-9, atol=1e-12)


def world(kind, seed):
    """Means of ten arms in three clusters, of which one is wrong about an arm; and a draw of a reward."""
    rng = np.random.default_rng(seed)
    means = np.array([0.3, 0.4, 0.5])[CLUSTERS] + 0.05 * rng.normal(size=10)
    means[1] = 0.7
    if kind == "bernoulli":
        return rng, means, lambda mean: float(rng.random() < 0.3 * mean)
    if kind == "heavy":
        return rng, means, lambda mean: mean * math.exp(rng.normal())
    return rng, means, lambda mean: mean + 0.2 * rng.normal()


@pytest.mark.parametrize("clusters", [CLUSTERS, [0] * 10, list(range(10)), PATHS], ids=["three", "one", "ten", "nested"])
@pytest.mark.parametrize("past", ["none", "honest", "reversed"])
@pytest.mark.parametrize("kind", ["gaussian", "bernoulli", "heavy"])
def test_every_round_is_that_of_the_formulas(kind, past, clusters):
    _, means, draw = world(kind, 1)
    told = means[::-1] if past == "reversed" else means
    history = None if past == "none" else [[draw(told[k]) for _ in range(4 * (k % 5))] for k in range(10)]
    policy = Policy(clusters, history)
    for t in range(150):
        arm = policy.select()
        policy.learn(arm, draw(means[arm]))
        if t % 10 == 0:
            policy.check()


@pytest.mark.parametrize("kind", ["gaussian", "bernoulli"])
def test_rounds_whose_rewards_come_late_are_those_of_the_formulas(kind):
    _, means, draw = world(kind, 2)
    policy, late = Policy(CLUSTERS), deque()
    for _ in range(150):
        late.append(policy.select())
        policy.wait(late[-1], 1)
        if len(late) > 12:
            arm = late.popleft()
            policy.wait(arm, -1)
            policy.learn(arm, draw(means[arm]))
            policy.check()


def test_a_third_value_makes_all_be_estimated_anew():
    policy = Policy(CLUSTERS)
    for k in (*range(10), *range(10)):
        policy.learn(k, float(k % 3 == 0))
    assert named(policy.arrays.state, STATE).two_valued == 1.0
    policy.learn(0, 0.5)
    policy.check()
    assert named(policy.arrays.state, STATE).two_valued == 0.0


@pytest.mark.parametrize("x", [1e-6, 0.01, 1.0, 100.0, 1e4, 1e6, 1e9])
def test_a_level_solves_the_price_equation(x):
    """x psi(z) = z, psi(z) = phi(z) - z Phi(-z), by bisection."""
    low, high = 0.0, 20.0
    for _ in range(200):
        z = 0.5 * (low + high)
        psi = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi) - 0.5 * z * math.erfc(z / math.sqrt(2.0))
        low, high = (z, high) if x * psi > z else (low, z)
    assert level_of(x) == pytest.approx(0.5 * z * z, rel=2e-3, abs=2e-3)


@pytest.mark.parametrize("ahead", [-1.0, -0.3, 0.5, 2.0])
@pytest.mark.parametrize("x", [0.01, 1.0, 100.0, 1e4, 1e6])
def test_a_bound_is_the_price_at_which_gain_and_cost_are_equal(x, ahead):
    """x psi(z) = z + a, by bisection."""
    low, high = -20.0, 20.0
    for _ in range(200):
        z = 0.5 * (low + high)
        psi = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi) - 0.5 * z * math.erfc(z / math.sqrt(2.0))
        low, high = (z, high) if x * psi > z + ahead else (low, z)
    assert standing(x, ahead) == pytest.approx(z, abs=5e-3)


def test_a_level_beyond_the_table_goes_on_growing():
    assert level_of(1e13) > level_of(1e11) > 15.0
    assert math.isfinite(level_of(1e300))


def test_every_constant_says_where_it_comes_from():
    assert len(described(RewardSettings)) == 6


@pytest.mark.parametrize("clusters", [None, CLUSTERS], ids=["flat", "clusters"])
@pytest.mark.parametrize(("unit", "shift"), [(1024.0, 0.0), (1000.0, 100.0)])
@pytest.mark.parametrize("kind", ["gaussian", "bernoulli"])
def test_rewards_in_another_unit_give_the_same_arms(kind, unit, shift, clusters):
    played = []
    for scale, level in ((1.0, 0.0), (unit, shift)):
        _, means, draw = world(kind, 3)
        past = [scale * draw(0.4) + level for _ in range(60)]
        policy = hr.Auto(range(10), clusters=clusters, history=hr.History.from_rounds(arms=[*range(5)] * 12, rewards=past))
        arms = []
        for _ in range(400):
            arms.append(policy.select().arm)
            policy.learn(arms[-1], scale * draw(means[arms[-1]]) + level)
        played.append(arms)
    assert played[0] == played[1]


def test_a_policy_goes_on_after_a_file_as_if_there_had_been_none(tmp_path):
    """Whenever it is saved: also when some arms were explained anew since all were estimated, and while decisions wait."""
    _, means, draw = world("gaussian", 4)
    policy, waiting = hr.Auto(range(10), clusters=CLUSTERS), deque()
    for t in range(200):
        if t % 7 == 0:
            policy.save(tmp_path / "policy")
            loaded = hr.load(tmp_path / "policy")
            assert str(loaded.explain()) == str(policy.explain())
            policy = loaded
        waiting.append(policy.select())
        policy.expect(waiting[-1])
        if t % 5:
            decision = waiting.popleft()
            policy.update(decision, draw(means[decision.arm]))


def test_ceilings_leave_nothing_out():
    """Of a large tree with nearly equal arms, the arm of the highest index is chosen; also while decisions wait."""
    rng = np.random.default_rng(0)
    policy, waiting = hr.Auto(range(200), clusters=[k // 20 for k in range(200)]), []
    for t in range(500):
        decision, best = policy.select(), -np.inf
        best = max(score.index for score in policy.explain() if score.kind == "arm")
        chosen = next(score for score in policy.explain() if score.kind == "arm" and score.label == decision.arm)
        assert chosen.index == best or not policy.explain().settings
        if t % 3 == 0:
            policy.expect(decision)
            waiting.append(decision)
        else:
            policy.update(decision, rng.normal(decision.arm / 1000, 1.0))
        if t % 50 == 49:
            for each in waiting:
                policy.update(each, rng.normal(each.arm / 1000, 1.0))
            waiting = []


def regret(clusters, seeds, arms=60, rounds=600):
    """Of arms in two groups that differ, on average over trials."""
    means = np.repeat([0.0, 1.0], arms // 2)
    lost = 0.0
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        spread = means + 0.2 * rng.normal(size=arms)
        rewards, expected = spread + 0.5 * rng.normal(size=(rounds, arms)), spread[np.newaxis]
        trial = Trial((), hr.History([], np.zeros((0, 3))), rewards, expected, np.arange(rounds), np.zeros((rounds, 0)))
        lost += rounds * spread.max() - spread[play(hr.Auto(range(arms), clusters=clusters), trial).arms].sum()
    return lost / seeds


def test_clusters_within_clusters_count_at_every_level():
    """The outer clusters tell good arms from bad ones; the inner ones, two arms each, are too small to."""
    inner = [k // 2 for k in range(60)]
    nested = [(k // 30, k // 2) for k in range(60)]
    assert regret(nested, seeds=20) < 0.9 * regret(inner, seeds=20)


def test_explain_says_what_carries_the_bound_of_each_arm():
    rng = np.random.default_rng(0)
    policy = hr.Auto(range(24), clusters=[k // 8 for k in range(24)])
    for _ in range(40):
        for k in range(8, 23):  # arm 8 is none of its cluster; arm 23 and the first cluster are never played
            policy.learn(k, rng.normal(5.0 if k == 8 else 2.0 * (k // 8), 0.5))
    reasons = {score.label: score.reason for score in policy.explain() if score.kind == "arm"}
    assert reasons[8] == "unlike its cluster"
    assert reasons[10] == "like its cluster"
    assert reasons[23].startswith("never played")
    assert str(policy.explain()).splitlines()[0].split()[-1] == "reason"
    assert {score.reason for score in policy.explain() if score.kind == "cluster"} == {""}
    flat = hr.Auto(range(2))
    for reward in (0.0, 1.0, 0.5):
        flat.learn(0, reward)
    assert [score.reason for score in flat.explain()][1].endswith("the other arms")


def test_policies_that_have_no_reasons_show_none():
    explanation = hr.UCB(range(2)).explain()
    assert "reason" not in str(explanation)
    assert all("reason" not in row for row in explanation.rows())
