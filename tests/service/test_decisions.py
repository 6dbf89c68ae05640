"""Decisions and rewards over HTTP: asked twice, too early, too late, in batches, and never."""

import pytest


@pytest.fixture
def ads(serve, store):
    served = serve(store)
    assert served.put(wait=1e6, default=0.0, learn="at once").status_code == 201
    return served


def test_a_reward_is_learnt_once_whatever_is_sent_twice(ads):
    first = ads.decide(decision_id="d1")
    assert ads.decide(decision_id="d1") == first
    assert ads.reward("d1").json()["result"] == "folded"
    assert ads.reward("d1").json()["result"] == "folded"
    status = ads.ask("GET", "/v1/experiments/ads/status").json()
    assert (status["rounds"], status["rewards"], status["decisions"]) == (1, 1, 1)
    ads.verified()


def test_the_same_id_with_another_request_is_a_conflict(ads):
    ads.decide(decision_id="d1")
    answer = ads.ask("POST", "/v1/experiments/ads/decisions", json={"decision_id": "d1", "among": ["a"]})
    assert answer.status_code == 409
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == 409


def test_twins_that_arrive_together_get_one_decision(ads):
    asks = [("POST", "/v1/experiments/ads/decisions", {"decision_id": "d1"})] * 20
    answers = ads.ask_all(*asks)
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.text for answer in answers}) == 1
    ads.verified()


def test_another_value_is_a_conflict_unless_it_is_an_amendment(ads):
    ads.decide(decision_id="d1")
    ads.reward("d1", 1.0)
    assert ads.reward("d1", 0.5).status_code == 409
    assert ads.reward("d1", 0.5, query="?amend=1").json()["result"] == "late"
    kept = ads.ask("GET", "/v1/experiments/ads/decisions/d1").json()
    assert (kept["value"], kept["rewards"][0]["value"]) == (1.0, 0.5)
    ads.verified()


def test_a_refold_learns_amended_rewards(ads):
    arm = ads.decide(decision_id="d1")["arm"]
    ads.reward("d1", 1.0)
    ads.reward("d1", 0.25, query="?amend=1")
    answer = ads.ask("POST", "/v1/experiments/ads/refold").json()
    assert (answer["epoch"], answer["rounds"]) == (1, 1)
    scores = ads.ask("GET", "/v1/experiments/ads/explain").json()["scores"]
    assert next(score["mean"] for score in scores if score["label"] == arm) == 0.25
    status = ads.ask("GET", "/v1/experiments/ads/status").json()
    assert (status["late"], status["epoch"]) == (0, 1)
    ads.verified()


def test_a_reward_may_come_before_its_decision(ads):
    assert ads.reward("d1").status_code == 202
    ads.decide(decision_id="d1")
    found = ads.until(lambda experiment: experiment["seq"] == 2)
    assert found["seq"] == 2
    assert ads.ask("GET", "/v1/experiments/ads/decisions/d1").json()["settled"] == "outcome"
    ads.verified()


def test_a_decision_without_a_reward_is_learnt_with_the_default(serve, store):
    served = serve(store)
    served.put(wait=0.001, default=0.5)
    served.decide(decision_id="d1")
    served.until(lambda experiment: experiment["seq"] == 2)
    kept = served.ask("GET", "/v1/experiments/ads/decisions/d1").json()
    assert (kept["settled"], kept["value"]) == ("default", 0.5)
    assert served.reward("d1", 1.0).json()["result"] == "late"
    served.verified()


def test_without_a_default_it_is_not_learnt_at_all(serve, store):
    served = serve(store)
    served.put(wait=0.001)
    served.decide(decision_id="d1")
    served.until(lambda experiment: experiment["seq"] == 2)
    status = served.ask("GET", "/v1/experiments/ads/status").json()
    assert (status["rounds"], status["cancelled"]) == (0, 1)
    served.verified()


@pytest.mark.parametrize(("aggregate", "learnt"), [("first", 1.0), ("last", 0.25), ("sum", 3.25), ("max", 2.0)])
def test_rewards_are_aggregated_when_the_decision_closes(serve, tmp_path, aggregate, learnt):
    served = serve(f"sqlite:///{tmp_path / 'x.db'}")
    served.put(wait=1e6, default=0.0, aggregate=aggregate)
    served.decide(decision_id="d1")
    assert served.reward("d1", 1.0, key="one").json()["result"] == "waiting"
    assert served.reward("d1", 2.0, key="two").json()["result"] == "waiting"
    assert served.reward("d1", 0.25, key="three", final=True).json()["result"] == "folded"
    assert served.ask("GET", "/v1/experiments/ads/decisions/d1").json()["value"] == learnt
    served.verified()


def test_a_withdrawn_decision_is_not_learnt(ads):
    ads.decide(decision_id="d1")
    assert [ads.ask("DELETE", "/v1/experiments/ads/decisions/d1").status_code for _ in range(2)] == [200, 200]
    assert ads.reward("d1").status_code == 409
    ads.decide(decision_id="d2")
    ads.reward("d2")
    assert ads.ask("DELETE", "/v1/experiments/ads/decisions/d2").status_code == 409
    assert ads.ask("DELETE", "/v1/experiments/ads/decisions/d3").status_code == 404
    ads.verified()


def test_each_item_of_a_batch_has_a_status_of_its_own(ads):
    asks = [{"decision_id": "d1"}, {"decision_id": "d2", "among": ["nobody"]}, {"decision_id": "d1", "among": ["b"]}]
    answer = ads.ask("POST", "/v1/experiments/ads/decisions:batch", json={"decisions": asks}).json()
    assert [item["status"] for item in answer["decisions"]] == [200, 422, 409]
    items = [{"decision_id": "d1", "value": 1.0}, {"decision_id": "d1", "value": 2.0}, {"decision_id": "d9", "value": 1.0}]
    answer = ads.ask("POST", "/v1/experiments/ads/rewards:batch", json={"rewards": items}).json()
    assert [item["status"] for item in answer["rewards"]] == [200, 409, 202]
    ads.verified()


def test_a_decision_has_at_most_so_many_rewards(ads):
    ads.decide(decision_id="d1")
    statuses = [ads.reward("d1", key=f"k{number}").status_code for number in range(33)]
    assert statuses == [200] * 32 + [409]


def test_an_answer_is_repeated_after_its_arm_was_withdrawn(ads):
    first = ads.decide(decision_id="d1", among=["c"])
    assert ads.put(wait=1e6, default=0.0, learn="at once", arms=["a", "b"]).status_code == 200
    assert ads.decide(decision_id="d1", among=["c"]) == first
    assert ads.ask("POST", "/v1/experiments/ads/decisions", json={"among": ["c"]}).status_code == 422
    assert ads.reward("d1").json()["result"] == "folded"
    status = ads.ask("GET", "/v1/experiments/ads/status").json()
    assert (status["skipped"], status["rounds"]) == (1, 0)
    ads.verified()
