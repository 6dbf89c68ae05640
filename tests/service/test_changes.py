"""Experiments that change while they run: arms, clusters, history, policy, mode; and configurations that make no sense."""

import pytest

ADS = "/v1/experiments/ads"


@pytest.fixture
def ads(serve, store):
    served = serve(store)
    assert served.put().status_code == 201
    return served


def play(served, count, **ask):
    for number in range(count):
        id = f"{len(ask)}-{served.ask('GET', ADS).json()['seq']}-{number}"
        served.decide(decision_id=id, **ask)
        served.reward(id, float(number % 2))


def scores(served):
    return {row["label"]: row for row in served.ask("GET", f"{ADS}/explain").json()["scores"] if row["kind"] == "arm"}


def test_arms_come_and_go_and_the_others_keep_what_they_learnt(ads):
    play(ads, 6)
    before = scores(ads)
    found = ads.put(arms=["a", "c", "d"])
    assert (found.status_code, found.json()["revision"]) == (200, 2)
    after = scores(ads)
    assert list(after) == ["a", "c", "d"]
    assert (after["a"]["plays"], after["d"]["plays"]) == (before["a"]["plays"], 0)
    play(ads, 3)
    ads.verified()


def test_the_same_again_changes_nothing(ads):
    assert ads.put().json()["revision"] == 1


def test_if_match_refuses_what_was_changed_meanwhile(ads):
    tag = ads.ask("GET", ADS).headers["etag"]
    body = {"arms": ["a", "b"], "policy": "UCB"}
    assert ads.ask("PUT", ADS, json=body, headers={"If-Match": tag}).status_code == 200
    assert ads.ask("PUT", ADS, json={"arms": ["a", "z"], "policy": "UCB"}, headers={"If-Match": tag}).status_code == 412
    assert ads.ask("PUT", ADS, json=body, headers={"If-Match": "what"}).status_code == 412


def test_another_policy_learns_the_whole_log(ads):
    play(ads, 9)
    before = {arm: row["plays"] for arm, row in scores(ads).items()}
    found = ads.put(policy="UCBC", clusters={"a": "x", "b": "x", "c": "y"}).json()
    assert (found["epoch"], found["revision"]) == (1, 2)
    assert {arm: row["plays"] for arm, row in scores(ads).items()} == before
    play(ads, 3)
    ads.verified()


def test_clusters_change_in_place(serve, store):
    served = serve(store)
    served.put(policy="UCBC", clusters={"a": "x", "b": "x", "c": "y"})
    play(served, 6)
    assert served.put(policy="UCBC", clusters={"a": "x", "b": "y", "c": "y"}).json()["epoch"] == 0
    assert served.decide(among=["b"])["cluster"] == "y"
    served.verified()


def test_a_history_is_started_from_and_left(ads):
    sums = {"arms": {"a": {"plays": 10.0, "total": 9.0, "squares": 9.0}}, "weight": 0.5}
    assert ads.put("ads", policy="HUCB").status_code == 200
    play(ads, 4)
    added = ads.ask("POST", f"{ADS}/history", json=sums)
    assert (added.status_code, added.json()["plays"]) == (201, 10.0)
    assert ads.ask("POST", f"{ADS}/history", json=sums).status_code == 201
    assert scores(ads)["a"]["history"] == 5.0
    assert len(ads.ask("GET", ADS).json()["history"]) == 1
    ads.verified()
    assert ads.ask("DELETE", f"{ADS}/history/{added.json()['sha256']}").status_code == 204
    assert scores(ads)["a"]["history"] == 0.0
    assert ads.ask("DELETE", f"{ADS}/history/{added.json()['sha256']}").status_code == 404
    ads.verified()


def test_an_archived_experiment_decides_no_more_and_still_takes_rewards(ads):
    ads.decide(decision_id="d1")
    assert ads.ask("DELETE", ADS).status_code == 204
    ads.until(lambda experiment: experiment["archived"] is not None)
    assert ads.ask("POST", f"{ADS}/decisions", json={}).status_code == 409
    assert ads.reward("d1").status_code == 200
    assert ads.put().status_code == 200
    ads.decide()


def test_shadow_answers_the_baseline_and_learns_from_it(serve, store):
    served = serve(store)
    served.put(mode="shadow")
    answer = served.decide(decision_id="d1", baseline="c")
    assert (answer["arm"], answer["mode"], answer["propensity"]) == ("c", "shadow", None)
    assert served.ask("POST", f"{ADS}/decisions", json={}).status_code == 422
    served.reward("d1")
    assert scores(served)["c"]["plays"] == 1
    served.verified()


def test_control_and_lift(serve, store):
    served = serve(store)
    served.put(control=0.5, baseline="a", reward_range=[0, 1])
    modes = set()
    for number in range(20):
        answer = served.decide(decision_id=f"d{number}")
        modes.add(answer["mode"])
        served.reward(f"d{number}", float(answer["mode"] == "live"))
    assert modes == {"live", "control"}
    found = served.ask("GET", f"{ADS}/status").json()["lift"]
    assert (found["lift"], found["low"] < 1.0 < found["high"]) == (1.0, True)
    served.verified()


@pytest.mark.parametrize(
    "config",
    [
        {"arms": []},
        {"arms": ["a", "a"]},
        {"policy": "Nobody"},
        {"policy": "Meta"},
        {"params": {"scale": "much"}},
        {"params": {"arms": 3}},
        {"params": {"no such": 3}},
        {"default": 1.0},
        {"learn": "close"},
        {"reward_range": [1, 0]},
        {"reward_range": [0, 1], "default": 2.0, "wait": 1},
        {"baseline": "z"},
        {"clusters": {"a": "x"}},
        {"policy": "KLUCB"},
        {"policy": "LinUCB"},
        {"context": {"age": "number"}},
        {"explore": 1.5},
        {"wait": 0},
        {"aggregate": "mean"},
    ],
)
def test_a_configuration_that_makes_no_sense_is_refused(serve, tmp_path, config):
    served = serve(f"sqlite:///{tmp_path / 'store.db'}")
    answer = served.put(**config)
    assert answer.status_code == 422, answer.text
    assert served.ask("GET", ADS).status_code == 404


def test_a_history_may_be_a_file(serve, tmp_path):
    served = serve(f"sqlite:///{tmp_path / 'store.db'}")
    served.put(policy="HUCB")
    file = b"ad,click\na,1\na,0\nb,1\n"
    path = f"{ADS}/history?arm=ad&reward=click&weight=0.5"
    found = served.ask("POST", path, content=file, headers={"content-type": "text/csv"})
    assert (found.status_code, found.json()["plays"], found.json()["weight"]) == (201, 3.0, 0.5)
    assert scores(served)["a"]["history"] == 1.0
    for broken in (b"", b"\x00\x01", b"x,y\n1,2\n"):
        assert served.ask("POST", path, content=broken, headers={"content-type": "text/csv"}).status_code == 422
    served.verified()


def test_experiments_may_stand_in_a_file(tmp_path):
    from hedgerow.service.declared import declared

    path = tmp_path / "experiments.toml"
    path.write_text('[ads]\narms = ["a", "b"]\nwait = 60\n[mail]\narms = ["x"]\npolicy = "UCB"\n')
    found = declared(str(path))
    assert (found["ads"].wait, found["mail"].policy) == (60.0, "UCB")
    path.write_text("[ads]\narms = 3\n")
    with pytest.raises(ValueError, match="no experiment"):
        declared(str(path))
