"""Arms that come and go, deeper trees and ties."""

import numpy as np

import hedgerow as hr


def learnt(policy, rounds=60, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        policy.update(policy.select(), rng.random())
    return policy


def test_an_added_arm_is_tried_and_keeps_its_place():
    policy = learnt(hr.UCBC(["a", "b", "c"], clusters=["x", "x", "y"]))
    policy.add_arm("d", cluster="y")
    policy.add_arm("e", cluster="z", new_cluster=True)
    assert policy.arms == ("a", "b", "c", "d", "e")
    assert policy.clusters == ("x", "x", "y", "y", "z")
    assert policy.select().arm == "e"  # the new cluster has not been played
    assert policy.rounds == 60


def test_a_removed_arm_leaves_no_trace():
    kept, both = hr.HUCBC(["a", "b"], clusters=["x", "y"]), hr.HUCBC(["a", "gone", "b"], clusters=["x", "x", "y"])
    for arm, reward in [("a", 0.25), ("b", 0.5), ("a", 1.0)]:
        kept.learn(arm, reward)
        both.learn(arm, reward)
        both.learn("gone", 0.75)
    both.remove_arm("gone")
    assert both.explain() == kept.explain()
    assert both.rounds == 6  # the policy did learn them


def test_three_levels_by_hand():
    paths = [("p", "x"), ("p", "x"), ("p", "y"), ("q", "z")]
    history = hr.History.from_rounds(arms=["a", "b", "c", "d"], rewards=[1.0, 0.0, 0.5, 0.25])
    policy = hr.HUCBC(["a", "b", "c", "d"], clusters=paths, history=history)
    scores = {score.label: score for score in policy.explain()}
    assert list(scores) == ["p", "q", ("p", "x"), ("p", "y"), ("q", "z"), "a", "b", "c", "d"]
    assert scores["p"].mean == 0.5
    assert scores["p"].history == 3
    assert scores["p"].index == 0.5 + np.sqrt(2 * np.log(1 + 3) / 3)
    # q has 0.25 + sqrt(2 log 2) = 1.43, p 1.46; then p's y has 0.5 + sqrt(2 log 2) = 1.68, x 0.5 + sqrt(log 3) = 1.55
    assert policy.select().arm == "c"
    assert policy.select().cluster == ("p", "y")


def test_paths_of_uneven_depth():
    policy = learnt(hr.UCBC(range(5), clusters=["x", ("y", "u"), ("y", "v", "w"), ("y",), "x"]), rounds=200)
    assert {arm: score.plays > 0 for arm, score in zip(range(5), list(policy.explain())[-5:], strict=True)} == dict.fromkeys(
        range(5), True
    )
    assert policy.clusters == ("x", ("y", "u"), ("y", "v", "w"), "y", "x")


def test_clusters_stand_in_the_order_of_their_first_arm():
    policy = hr.UCBC(["a", "b", "c"], clusters={"c": 0, "b": 1, "a": 2})
    assert policy.select().cluster == 2


def test_hucbc_prime_ignores_the_history_between_clusters():
    history = hr.History.from_rounds(arms=["a"] * 50, rewards=[0.0] * 50)
    policy = hr.HUCBCPrime(["a", "b", "c"], clusters=["x", "x", "y"], history=history)
    scores = {score.label: score for score in policy.explain()}
    assert scores["x"].history == 0
    assert scores["a"].history == 50
    assert policy.select().arm == "b"


def test_ties_go_to_the_first_or_to_chance():
    policy = hr.UCBC(range(4), clusters=[0, 0, 1, 1])
    assert policy.select().arm == 0
    rng = np.random.default_rng(0)
    counts = np.bincount([policy.select(rng=rng).arm for _ in range(2000)], minlength=4)
    assert (np.abs(counts - 500) < 100).all()  # five standard deviations


def test_meta_shares_or_does_not():
    for shared in (True, False):
        meta = hr.META(["a", "b"], clusters=["x", "y"], shared=shared, scale=0.0)
        for _ in range(40):
            meta.update(meta.select(), 0.0)
        followed = {score.label: score.plays for score in meta.explain() if score.kind == "expert"}
        assert sum(followed.values()) == 40
        assert meta.experts["HUCB"].rounds == (40 if shared else followed["HUCB"])


def test_an_explanation_prints_and_gives_rows():
    policy = hr.META(["a", "b"], clusters=["x", "y"])
    policy.update(policy.select(), 1.0)
    text = str(policy.explain()).splitlines()
    assert text[0].split() == ["kind", "label", "mean", "width", "index", "plays", "history"]
    assert len(text) == 1 + 2 + 4 + 2
    assert policy.explain().rows()[0]["label"] == "HUCBC"
