"""Decisions that wait for their reward: they count in widths, not in means."""

import math
from functools import partial

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.testing import snapshot

ARMS = list(range(5))
MAKES = {
    "UCB": lambda **given: hr.UCB(ARMS, **given),
    "UCBC": lambda **given: hr.UCBC(ARMS, clusters=[0, 0, 1, 1, 1], **given),
    "META": lambda **given: hr.META(ARMS, clusters=[0, 0, 1, 1, 1], **given),
    "LinUCB": lambda **given: hr.LinUCB(ARMS, dimension=3, **given),
    "HLinUCBC": lambda **given: hr.HLinUCBC(ARMS, clusters=[0, 0, 1, 1, 1], dimension=3, **given),
    "HierLinUCB": lambda **given: hr.HierLinUCB(ARMS, clusters=[0, 0, 1, 1, 1], dimension=3, **given),
    "META of contexts": lambda **given: hr.META(ARMS, clusters=[0, 0, 1, 1, 1], dimension=3, **given),
}


def rounds(policy, count, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        context = rng.normal(size=policy.dimension) if policy.dimension else None
        yield context, float(rng.random())


@pytest.mark.parametrize("name", MAKES)
def test_expected_then_settled_ends_as_if_never_expected(name):
    plain, waited = MAKES[name](), MAKES[name]()
    decisions = []
    for context, reward in rounds(plain, 40):
        decision = waited.select(context)
        waited.expect(decision)
        decisions.append((decision, reward))
        if len(decisions) % 7 == 0:
            assert len(waited.waiting) == len(decisions[-7:])
            for one in decisions[-7:]:
                waited.update(*one)
    assert len(waited.waiting) == 5
    for one in decisions[35:]:
        waited.update(*one)
    for one in decisions:
        plain.update(*one)
    assert len(waited.waiting) == 0
    x = [0.3, -0.2, 0.5] if plain.dimension else None
    for mine, theirs in zip(plain.explain(x), waited.explain(x), strict=True):
        assert mine.plays == theirs.plays
        assert mine.index == pytest.approx(theirs.index, rel=1e-6, abs=1e-9)


def test_a_waiting_decision_narrows_its_arm_and_leaves_the_mean():
    policy = hr.UCB(["a", "b"])
    for arm, reward in (("a", 1.0), ("b", 0.0), ("a", 0.5)):
        policy.learn(arm, reward)
    policy.expect(hr.Decision("a"))
    assert "waiting" not in str(hr.UCB(["a"]).explain())
    assert "waiting" in str(policy.explain())
    a, b = policy.explain()
    assert (a.waiting, b.waiting) == (1, 0)
    assert a.mean == 0.75
    assert a.width == pytest.approx(math.sqrt(2 * math.log(5) / 3))
    assert b.width == pytest.approx(math.sqrt(2 * math.log(5) / 1))


def test_a_waiting_context_narrows_the_inverse_alone():
    rng = np.random.default_rng(2)
    policy = hr.LinUCB(["a", "b"], dimension=3)
    X, r = rng.normal(size=(6, 3)), rng.normal(size=6)
    for x, reward in zip(X, r, strict=True):
        policy.learn("a", reward, tuple(x))
    shown, x = rng.normal(size=3), rng.normal(size=3)
    policy.expect(hr.Decision("a", context=tuple(shown)))
    A = np.eye(3) + X.T @ X
    score = policy.explain(x)[0]
    assert score.mean == pytest.approx(x @ np.linalg.solve(A, X.T @ r))
    assert score.width == pytest.approx(np.sqrt(x @ np.linalg.solve(A + np.outer(shown, shown), x)))


@pytest.mark.parametrize("name", MAKES)
def test_waiting_decisions_are_saved_merged_and_removed_with_their_arm(name, tmp_path):
    policy = MAKES[name]()
    decisions = []
    for context, _ in rounds(policy, 4):
        decisions.append(policy.select(context))
        policy.expect(decisions[-1])
    policy.save(tmp_path / "policy")
    loaded = hr.load(tmp_path / "policy")
    assert len(loaded.waiting) == 4
    assert snapshot(loaded) == snapshot(policy)
    context = [1.0, 0.0, 2.0] if policy.dimension else None
    assert loaded.select(context) == policy.select(context)
    loaded.merge(policy, since=policy)
    assert len(loaded.waiting) == 4
    waiting = [decision.arm for decision in decisions]
    for arm in ARMS[1:]:
        loaded.remove_arm(arm)
        waiting = [other for other in waiting if other != arm]
        assert len(loaded.waiting) == len(waiting)
    for decision in decisions:
        if decision.arm == ARMS[0]:
            loaded.update(decision, 1.0)
    assert len(loaded.waiting) == 0


def test_many_waiting_contexts_of_one_arm_are_learnt_as_if_they_had_not_waited():
    """A new arm, all of whose rewards come late: each is learnt by what is known without the others."""
    rng = np.random.default_rng(5)
    plain, waited = (hr.HierLinUCB(range(4), clusters=[0, 0, 1, 1], dimension=2) for _ in range(2))
    for policy in (plain, waited):
        rounds = np.random.default_rng(1)
        for n in range(400):
            x = tuple(rounds.normal(size=2).tolist())
            policy.learn(n % 2, x[0] + 0.3 * rounds.normal(), x)
    contexts = [tuple(x.tolist()) for x in rng.normal(size=(20, 2))]
    rewards = [3.0 * x - 2.0 * y + 0.3 * rng.normal() for x, y in contexts]
    for x in contexts:
        waited.expect(hr.Decision(2, context=x))
    for k in rng.permutation(20):
        plain.learn(2, rewards[k], contexts[k])
        waited.learn(2, rewards[k], contexts[k])
        for mine, theirs in zip(plain.explain([1.0, 0.5]), waited.explain([1.0, 0.5]), strict=True):
            assert mine.mean == pytest.approx(theirs.mean, rel=1e-9)
            assert mine.width >= theirs.width - 1e-9
    assert snapshot(plain) == snapshot(waited)


@pytest.mark.parametrize("make", [hr.UCB, hr.UCBV, hr.KLUCB, partial(hr.MINUCB, bias=0.1)])
def test_a_batch_spreads_over_arms(make):
    policy = make(range(10))
    batch = []
    for _ in range(10):
        decision = policy.select()
        policy.expect(decision)
        batch.append(decision.arm)
    assert sorted(batch) == list(range(10))


def assert_same_scores(one, other):
    x = [0.3, -0.2, 0.5] if one.dimension else None
    for mine, theirs in zip(one.explain(x), other.explain(x), strict=True):
        expected = pytest.approx((theirs.mean, theirs.index, theirs.waiting), rel=1e-9, nan_ok=True)
        assert (mine.mean, mine.index, mine.waiting) == expected


@pytest.mark.parametrize("name", MAKES)
def test_a_reward_that_will_not_come_is_waited_for_no_longer(name):
    policy, plain = MAKES[name](), MAKES[name]()
    for context, reward in rounds(policy, 60):
        decision = policy.select(context)
        for one in (policy, plain):
            one.update(decision, reward)
    first, second = (policy.select(context) for context, _ in rounds(policy, 2, seed=1))
    for one in (first, second):
        policy.expect(one)
    plain.expect(second)
    policy.cancel(first)
    assert len(policy.waiting) == 1
    assert_same_scores(policy, plain)
    policy.cancel(second)
    plain.cancel(second)
    assert len(policy.waiting) == 0
    assert_same_scores(policy, plain)
    with pytest.raises(ValueError, match="does not wait for a reward of"):
        policy.cancel(first)


def test_a_large_context_that_waited_leaves_nothing_behind():
    clusters, seen = ["x", "x", "y"], (1.0, 0.5)
    policy, plain = (hr.LinUCBC(["a", "b", "c"], clusters=clusters, dimension=2) for _ in range(2))
    decision = policy.select(seen)
    large = decision._replace(context=(1e9, 1e9))
    for expected in (large, decision, decision, decision._replace(arm="b", cluster="x"), decision._replace(arm="c", cluster="y")):
        policy.expect(expected)
        if expected != large:
            plain.expect(expected)
    policy.cancel(large)
    for one, other in zip(policy.explain(seen), plain.explain(seen), strict=True):
        assert (one.index, one.waiting) == pytest.approx((other.index, other.waiting), rel=1e-9)


@pytest.mark.parametrize("make", [hr.UCB, hr.META])
def test_rounds_that_someone_else_decided_are_waited_for_too(make):
    policy = make(["a", "b"])
    policy.expect(hr.Decision("a"))
    policy.expect(policy.select())
    assert len(policy.waiting) == 2
    policy.cancel(hr.Decision("a"))
    assert len(policy.waiting) == 1


def test_numpy_labels_and_contexts_that_wait_are_saved(tmp_path):
    flat, linear = hr.UCB(range(3)), hr.LinUCB(range(3), dimension=2)
    flat.expect(hr.Decision(np.int64(1)))
    decision = hr.Decision(np.int64(1), context=np.array([0.1, 2.0], dtype=np.float32))
    linear.expect(decision)
    meta = hr.META(range(3), dimension=2)
    meta.expect(decision)
    meta.save(tmp_path / "meta")
    assert [len(expert.waiting) for expert in hr.load(tmp_path / "meta").experts.values()] == [1, 1]
    for policy in (flat, linear):
        policy.save(tmp_path / "policy")
        loaded = hr.load(tmp_path / "policy")
        assert len(loaded.waiting) == 1
    loaded.learn(np.int64(1), 1.0, np.array([0.1, 2.0], dtype=np.float32))
    assert len(loaded.waiting) == 0


@pytest.mark.parametrize("name", ["META", "META of contexts"])
def test_a_meta_keeps_apart_what_it_waits_for_and_what_comes_unannounced(name):
    """Rounds that were not expected, own or of others, leave those that wait as they are."""
    policy, plain = MAKES[name](), MAKES[name]()
    x = (0.5, 1.0, -1.0) if policy.dimension else None
    waited = policy.select(x)
    policy.expect(waited)
    own = policy.select(x)._replace(arm=waited.arm)
    for one in (policy, plain):
        one.update(own, 1.0)
        one.learn(waited.arm, 0.5, x)
    assert len(policy.waiting) == 1
    assert [len(expert.waiting) for expert in policy.experts.values()] == [1, 1]
    policy.cancel(waited)
    assert len(policy.waiting) == 0
    assert_same_scores(policy, plain)
    policy.expect(waited)
    policy.update(own, 1.0)
    policy.remove_arm(waited.arm)
    assert len(policy.waiting) == 0


@pytest.mark.parametrize("seed", range(12))
def test_any_order_of_waiting_and_learning_ends_as_if_nothing_had_waited(seed, tmp_path):
    """A Meta of Metas: decisions expected, settled, cancelled or unannounced, rounds of others, arms that go, files."""
    rng, dimension = np.random.default_rng(seed), (None, 2)[seed % 2]
    waited, plain = (nested(dimension) for _ in range(2))
    decisions = []
    for _ in range(150):
        x = tuple(rng.integers(0, 2, 2).astype(float).tolist()) if dimension else None
        step, reward = rng.integers(7), float(rng.random())
        if step <= 1:
            decisions.append(waited.select(x))
            waited.expect(decisions[-1])
        elif step == 2 and decisions:
            decision = decisions.pop(rng.integers(len(decisions)))
            for policy in (waited, plain):
                policy.update(decision, reward)
        elif step == 3 and decisions:
            waited.cancel(decisions.pop(rng.integers(len(decisions))))
        elif step == 4 and (decision := waited.select(x)) not in decisions:
            for policy in (waited, plain):
                policy.update(decision, reward)
        elif step == 5:
            for policy in (waited, plain):
                policy.learn(plain.arms[0], reward, x)
        elif step == 6 and len(plain.arms) > 2 and rng.random() < 0.2:
            gone = plain.arms[rng.integers(len(plain.arms))]
            decisions = [decision for decision in decisions if decision.arm != gone]
            for policy in (waited, plain):
                policy.remove_arm(gone)
            waited.save(tmp_path / "policy")
            waited = hr.load(tmp_path / "policy")
        assert len(waited.waiting) == len(decisions)
    for decision in decisions:
        waited.cancel(decision)
    one, other = ([(s.label, s.plays, s.mean) for s in p.explain((1.0, 0.5) if dimension else None)] for p in (waited, plain))
    assert [line[:2] for line in one] == [line[:2] for line in other]
    assert [line[2] for line in one] == pytest.approx([line[2] for line in other], rel=1e-7, nan_ok=True)


def nested(dimension):
    clusters = [0, 0, 1, 1, 1]
    single = hr.Auto(ARMS, clusters=clusters, dimension=dimension)
    return hr.Meta({"pair": hr.META(ARMS, clusters=clusters, dimension=dimension), "single": single})


def test_the_batch_of_a_meta_by_prices_is_explained_as_it_is_chosen():
    policy = hr.META(ARMS, rule="d3rb")
    for _ in range(6):
        decision = policy.select()
        experts = {score.label: score.index for score in policy.explain() if score.kind == "expert"}
        assert experts[decision.experts[0]] == max(experts.values())
        policy.expect(decision)


@pytest.mark.parametrize("shift", [0.0, 100.0])
def test_a_lucky_reward_is_not_played_until_its_rewards_arrive(shift):
    """While they are awaited they count as what is expected of the arm, and that its neighbours say too."""
    rng = np.random.default_rng(0)
    arms = np.repeat(np.arange(20), 10)
    history = hr.History.from_rounds(arms=arms, rewards=shift + rng.uniform(0.0, 1.0, arms.size))
    policy = hr.Auto(range(21), clusters=[arm % 2 for arm in range(21)], history=history)
    policy.learn(20, shift + 1.2)
    batch = []
    for _ in range(300):
        decision = policy.select()
        policy.expect(decision)
        batch.append(decision.arm)
    assert 1 <= batch.count(20) <= 60
    assert len(set(batch)) > 5


def test_only_own_decisions_can_be_expected():
    policy = hr.UCB(["a", "b"])
    with pytest.raises(ValueError, match="belongs to the policy"):
        policy.expect(hr.HUCB(["a", "b"]).select())
    with pytest.raises(KeyError):
        policy.expect(hr.Decision("z"))
    with pytest.raises(ValueError, match="takes no context"):
        policy.expect(hr.Decision("a", context=(1.0,)))
    assert len(policy.waiting) == 0


def test_a_decision_of_no_arm_is_refused_by_a_meta_as_by_a_bandit():
    for policy in (hr.UCB(["a", "b"]), hr.META(["a", "b"])):
        decision = policy.select()
        for arm in (["a"], "z"):
            with pytest.raises(KeyError, match="unknown arm"):
                policy.cancel(decision._replace(arm=arm))
