"""Replicas on one PostgreSQL: they learn what the others wrote, and end in the same state."""

import pytest

ADS = "/v1/experiments/ads"


@pytest.fixture
def replicas(serve, database):
    url = database.fresh()
    one = serve(url)
    assert one.put(wait=1e6, default=0.0, learn="at once").status_code == 201
    return one, serve(url)


def asked_until(served, holds):
    for _ in range(10_000):
        answer = served.ask("GET", f"{ADS}/status")
        if answer.status_code == 200 and holds(answer.json()):
            return answer.json()
    raise AssertionError(answer.text)


def test_replicas_end_in_the_same_state(replicas):
    one, other = replicas
    asked_until(other, lambda status: True)
    for number in range(30):
        served = replicas[number % 2]
        served.decide(decision_id=f"d{number}")
        assert replicas[(number + number // 2) % 2].reward(f"d{number}", float(number % 3)).status_code == 200
    found = [asked_until(served, lambda status: status["folded"] == 31) for served in replicas]
    assert len({status["state_hash"] for status in found}) == 1
    assert {replica["seq"] for replica in asked_until(one, lambda status: len(status["replicas"]) == 2)["replicas"]} <= set(
        range(32)
    )
    one.verified()
    other.verified()


def test_a_decision_is_the_same_whichever_replica_is_asked(replicas):
    one, other = replicas
    asked_until(other, lambda status: True)
    first = one.decide(decision_id="d1")
    assert other.decide(decision_id="d1") == first
    assert other.ask("POST", f"{ADS}/decisions", json={"decision_id": "d1", "unit": "u"}).status_code == 409


def test_changes_and_refolds_reach_every_replica(replicas):
    one, other = replicas
    asked_until(other, lambda status: True)
    for number in range(6):
        one.decide(decision_id=f"d{number}")
        one.reward(f"d{number}")
    one.reward("d0", 0.0, query="?amend=1")
    assert other.put(wait=1e6, default=0.0, learn="at once", arms=["a", "b", "d"]).status_code == 200
    answer = one.ask("POST", f"{ADS}/refold")
    assert answer.status_code == 200, answer.text
    found = [asked_until(served, lambda status: status["epoch"] == 1) for served in replicas]
    assert {status["state_hash"] for status in found} == {answer.json()["state_hash"]}
    assert [arm["arm"] for arm in found[1]["arms"]] == ["a", "b", "d"]
    other.verified()


def test_a_new_experiment_reaches_every_replica(replicas):
    one, other = replicas
    one.put("mail")
    for _ in range(10_000):
        answer = other.ask("POST", "/v1/experiments/mail/decisions", json={})
        if answer.status_code == 200:
            break
    assert answer.status_code == 200


def test_a_database_that_is_away_ends_in_503_and_comes_back(replicas, database):
    one, other = replicas
    asked_until(other, lambda status: True)
    one.decide(decision_id="before")
    database.stop("immediate")
    try:
        answer = one.ask("POST", f"{ADS}/decisions", json={"decision_id": "while"})
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        for method, path in (("POST", f"{ADS}/refold"), ("GET", f"{ADS}/verify"), ("GET", ADS), ("GET", f"{ADS}/events")):
            assert one.ask(method, path).status_code == 503, path
        assert one.ask("GET", "/readyz").status_code == 503
    finally:
        database.start()
    for _ in range(10_000):
        answer = one.ask("POST", f"{ADS}/decisions", json={"decision_id": "while"})
        if answer.status_code == 200:
            break
    assert answer.status_code == 200
    assert other.reward("before").status_code == 200
    one.verified()
