"""Other groups for a policy in use: it goes on as if it had had them from the start."""

import numpy as np
import pytest

import hedgerow as hr

ARMS = list("abcdefghi")
OLD, NEW = list("xxxyyyzzz"), list("xyzxyzxyz")
HISTORY = hr.History.from_rounds(
    arms=ARMS * 4, rewards=np.arange(36.0) % 7, contexts=np.random.default_rng(1).normal(size=(36, 2)).tolist()
)
POLICIES = [hr.UCBC, hr.HUCBC, hr.META, hr.HierUCB, hr.TSC, hr.HLinUCBC, hr.HierLinUCB]


def made(make, clusters):
    return make(ARMS, clusters=clusters, **({} if make is hr.UCBC else {"history": HISTORY}))


@pytest.mark.parametrize("make", POLICIES)
def test_what_was_learnt_stays(make):
    rng = np.random.default_rng(0)
    policy, other = made(make, OLD), made(make, NEW)
    for _ in range(150):
        context = rng.normal(size=2) if policy.dimension else None
        arm, reward = ARMS[rng.integers(9)], rng.normal(rng.integers(3))
        policy.learn(arm, reward, context)
        other.learn(arm, reward, context)
    context = [1.0, -0.5] if policy.dimension else None
    waiting = policy.select(context)
    policy.expect(waiting)
    other.expect(hr.Decision(waiting.arm, context=context))
    policy.clusters = dict(zip(ARMS, NEW, strict=True))
    if make is not hr.UCBC:
        other.history = other.history  # everything made anew from the sums, as in the other
    assert policy.clusters == tuple(NEW)
    assert (policy.rounds, len(policy.waiting)) == (other.rounds, len(other.waiting))
    clusters = [(s.label, s.plays, s.history, s.waiting) for s in policy.explain(context) if s.kind != "expert"]
    assert clusters == [(s.label, s.plays, s.history, s.waiting) for s in other.explain(context) if s.kind != "expert"]
    for mine, theirs in zip(policy.explain(context), other.explain(context), strict=True):
        if mine.kind != "expert":
            assert (mine.label, mine.plays, mine.history) == (theirs.label, theirs.plays, theirs.history)
            assert mine.index == pytest.approx(theirs.index, rel=1e-6)
    policy.update(waiting, 1.0)
    assert policy.waiting == []


def test_new_clusters_are_judged_anew():
    rng = np.random.default_rng(0)
    clusters = np.repeat(range(5), 8)
    means = np.where(np.arange(40) == 39, 0.0, clusters)
    policy = hr.Auto(range(40), clusters=clusters)
    for arm in np.tile(np.arange(40), 8):
        policy.learn(arm, rng.normal(means[arm], 0.3))
    wrong = policy.explain().settings["wrong"]
    assert [misfit[:2] for misfit in policy.trust().misfits] == [(39, 4)]
    policy.clusters = [*clusters[:39], 0]
    assert policy.explain().settings["wrong"] < wrong / 2
    assert policy.trust().misfits == ()


def test_a_policy_saved_after_it_is_the_same(tmp_path):
    policy = made(hr.HierUCB, OLD)
    policy.learn("a", 1.0)
    policy.clusters = NEW
    policy.save(tmp_path / "policy.zip")
    assert hr.load(tmp_path / "policy.zip").explain() == policy.explain()


@pytest.mark.parametrize(
    ("make", "clusters", "message"),
    [
        (hr.HUCB, OLD, "HUCB has no clusters to change"),
        (hr.HUCBC, None, "got None"),
        (hr.HUCBC, OLD[:3], "9 arms, 3 given"),
        (hr.META, {"a": "x"}, "none given for: 'b'"),
    ],
)
def test_groups_that_do_not_fit(make, clusters, message):
    policy = hr.HUCB(ARMS) if make is hr.HUCB else made(make, OLD)
    with pytest.raises(ValueError, match=message):
        policy.clusters = clusters
    assert policy.clusters in (None, tuple(OLD))
