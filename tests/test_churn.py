"""Arms that come and go: in bulk, in clusters that must be known, and in workers whose arms differ; states as bytes."""

import numpy as np
import pytest

import hedgerow as hr

ARMS = ["a", "b", "c"]
CLUSTERS = ["x", "x", "y"]
MAKES = {
    "UCB": lambda: hr.UCB(ARMS),
    "UCBC": lambda: hr.UCBC(ARMS, clusters=CLUSTERS),
    "Auto": lambda: hr.Auto(ARMS, clusters=CLUSTERS),
    "LinUCBC": lambda: hr.LinUCBC(ARMS, clusters=CLUSTERS, dimension=2),
    "Auto of contexts": lambda: hr.Auto(ARMS, clusters=CLUSTERS, dimension=2),
    "META": lambda: hr.META(ARMS, clusters=CLUSTERS),
}
each = pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)


def context_of(policy, rng):
    return rng.normal(size=2) if policy.dimension else None


def play(policy, rounds, seed):
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        policy.update(policy.select(context_of(policy, rng)), float(rng.random()))


def shown(policy):
    context = None if policy.dimension is None else [0.5, -1.0]
    return {(s.kind, s.label): (s.plays, s.mean, s.index) for s in policy.explain(context)}


def given(policy, arms):
    return arms if policy.clustered else list(arms)


@each
def test_arms_in_bulk_are_arms_one_by_one(make):
    one, bulk = make(), make()
    for policy in (one, bulk):
        play(policy, 40, seed=1)
    new = {"d": "y", "e": "z", "f": "x"}
    for arm, cluster in new.items():
        one.add_arm(arm, cluster if one.clustered else None, new_cluster=True)
    bulk.add_arms(given(bulk, new), new_cluster=True)
    assert bulk.arms == (*ARMS, "d", "e", "f")
    mine, theirs = shown(one), shown(bulk)
    assert mine.keys() == theirs.keys()
    for key, numbers in mine.items():
        assert numbers == pytest.approx(theirs[key], nan_ok=True)


@each
def test_one_bad_arm_and_none_is_added(make):
    policy = make()
    with pytest.raises(ValueError, match="there already"):
        policy.add_arms(given(policy, {"d": "x", "a": "x"}))
    assert policy.arms == tuple(ARMS)
    policy.add_arms({})
    assert policy.arms == tuple(ARMS)


def test_a_cluster_that_nobody_has_is_refused_with_the_near_ones_named():
    for policy in (hr.UCBC(["a", "b"], clusters=["sport", "news"]), hr.META(["a", "b"], clusters=["sport", "news"])):
        with pytest.raises(ValueError, match="the cluster 'sports' of arm 'c' yet: is it 'sport'\\? a new one needs"):
            policy.add_arm("c", "sports")
        policy.add_arm("c", "sports", new_cluster=True)
        assert policy.clusters == ("sport", "news", "sports")
    nested = hr.UCBC(["a", "b"], clusters=[("x", "left"), "y"])
    nested.add_arm("c", ("x", "left"))
    with pytest.raises(ValueError, match="new_cluster=True"):
        nested.add_arm("d", ("x", "right"))


@each
def test_rounds_never_shrink(make, tmp_path):
    policy = make()
    play(policy, 60, seed=2)
    policy.remove_arm("a")
    assert policy.rounds == 60
    play(policy, 10, seed=3)
    policy.save(tmp_path / "policy")
    assert (policy.rounds, hr.load(tmp_path / "policy").rounds) == (70, 70)
    policy.add_arm("a", "x" if policy.clustered else None)
    policy.remove_arm("a")
    assert policy.rounds == 70


@each
def test_a_merge_adds_the_arms_that_only_the_other_has_and_withdrawn_ones_stay_away(make):
    base = make()
    play(base, 60, seed=4)
    data = base.to_bytes()
    here, there, plain = hr.from_bytes(data), hr.from_bytes(data), hr.from_bytes(data)
    here.remove_arm("b")
    there.add_arms(given(there, {"d": "y"}))
    play(here, 20, seed=5)
    play(there, 30, seed=6)
    mine, theirs, before = (shown(policy) for policy in (here, there, base))
    here.merge(there, since=plain)
    assert here.arms == ("a", "c", "d")
    assert here.rounds == 110
    merged = shown(here)
    inner = [key for key in merged if key[0] == "arm"]
    assert inner
    for key in inner:
        plays = [table[key][0] if key in table else 0 for table in (mine, theirs, before)]
        assert merged[key][0] == plays[0] + plays[1] - plays[2]


def test_decisions_for_arms_that_are_withdrawn_here_no_longer_wait_after_a_merge():
    for make in (MAKES["UCBC"], MAKES["META"]):
        base = make()
        here, there = hr.from_bytes(base.to_bytes()), hr.from_bytes(base.to_bytes())
        there.expect(hr.Decision("b"), id="gone")
        there.expect(hr.Decision("a"), id="stays")
        here.remove_arm("b")
        here.merge(there)
        assert [expected.id for expected in here.waiting] == ["stays"]


def test_workers_with_an_arm_in_different_clusters_are_refused():
    one, other = MAKES["UCBC"](), MAKES["UCBC"]()
    other.clusters = ["x", "y", "y"]
    with pytest.raises(ValueError, match="the workers have arms in other clusters, assign the same clusters first: 'b'"):
        one.merge(other)


@each
def test_bytes_are_those_of_a_file_and_the_hash_is_of_what_was_learnt(make, tmp_path):
    policy, other = make(), make()
    for one in (policy, other):
        play(one, 50, seed=7)
    policy.save(tmp_path / "policy")
    assert policy.to_bytes() == (tmp_path / "policy").read_bytes()
    again = hr.from_bytes(policy.to_bytes())
    assert again.to_bytes() == policy.to_bytes()
    assert policy.state_hash() == other.state_hash() == again.state_hash()
    policy.expect(policy.select(context_of(policy, np.random.default_rng(0))))
    assert policy.state_hash() == other.state_hash()
    play(policy, 1, seed=8)
    assert policy.state_hash() != other.state_hash()


def test_what_is_no_state_is_refused():
    with pytest.raises(ValueError, match="what from_bytes was given is not a hedgerow state file"):
        hr.from_bytes(b"nonsense")
    with pytest.raises(ValueError, match="needs bytes, got str"):
        hr.from_bytes("nonsense")
    with pytest.raises(ValueError, match="holds a Bandit, not a Meta"):
        hr.from_bytes(hr.UCB(["a"]).to_bytes(), hr.Meta)


@each
def test_many_rounds_are_rounds_one_by_one(make):
    one, many = make(), make()
    rng = np.random.default_rng(9)
    arms, rewards = rng.choice(ARMS, size=50).tolist(), rng.random(50).tolist()
    contexts = rng.normal(size=(50, 2)) if one.dimension else None
    for t in range(50):
        one.learn(arms[t], rewards[t], None if contexts is None else contexts[t])
    many.learn_many(arms, rewards, contexts)
    assert one.to_bytes() == many.to_bytes()


@each
def test_one_round_that_cannot_be_learnt_and_none_is(make):
    policy = make()
    play(policy, 10, seed=10)
    before = policy.to_bytes()
    contexts = np.ones((2, 2)) if policy.dimension else None
    for arms, rewards in ((["a", "z"], [1.0, 1.0]), (["a", "b"], [1.0, float("nan")]), (["a"], [1.0, 1.0])):
        with pytest.raises((ValueError, KeyError)):
            policy.learn_many(arms, rewards, contexts)
        assert policy.to_bytes() == before


@pytest.mark.parametrize(
    ("arms", "rewards"), [("ab", [1.0, 0.0]), ("a", 1.0), ((arm for arm in "ab"), [1.0, 0.0]), (["a"], 1.0), (["a"], [1.0, 0.0])]
)
def test_what_are_no_lists_of_rounds_is_refused(arms, rewards):
    policy = hr.UCB(["a", "b"])
    with pytest.raises(ValueError, match=r"arms, rewards and contexts must be (lists of equal length|equally long), got"):
        policy.learn_many(arms, rewards)
    assert policy.rounds == 0
