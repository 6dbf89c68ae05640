"""Bodies that nobody should send: refused in a sentence, and nothing of them is stored."""

import pytest

from hedgerow.service.settings import Options

from .conftest import Served

TYPED = {"content-type": "application/json"}
NUMBERS = [b"NaN", b"Infinity", b"-Infinity", b"1e400", b"true", b'"1.5"', b"null", b"[1]", b"1e16", b"0x10", b"1.", b"01", b"-"]


@pytest.fixture(scope="module")
def ads(tmp_path_factory):
    served = Served(Options(f"sqlite:///{tmp_path_factory.mktemp('hostile') / 'store.db'}"))
    served.put(policy="LinUCB", params={"dimension": 2}, reward_range=[-1e15, 1e15])
    served.decide(decision_id="d1", context=[1.0, 2.0])
    yield served
    served.close()


def refused(ads, method, path, content, headers=TYPED):
    answer = ads.ask(method, f"/v1/experiments/ads/{path}", content=content, headers=headers)
    assert 400 <= answer.status_code < 500, (content[:80], answer.status_code, answer.text)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["detail"]
    return answer.status_code


@pytest.mark.parametrize("number", NUMBERS)
def test_what_is_no_number_is_no_reward_and_no_context(ads, number):
    before = ads.ask("GET", "/v1/experiments/ads/decisions/d1").text
    refused(ads, "PUT", "decisions/d1/rewards/click", b'{"value":' + number + b"}")
    if number != b"1e16":
        refused(ads, "POST", "decisions", b'{"context":[1,' + number + b"]}")
    refused(ads, "POST", "rewards:batch", b'{"rewards":[{"decision_id":"d1","value":' + number + b"}]}")
    assert ads.ask("GET", "/v1/experiments/ads/decisions/d1").text == before


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"text"',
        b'{"value":1.0}x',
        b'{"value":1.0,"colour":2}',
        b'{"value":"\xff"}',
        b"\xff\xfe",
        b'{"value":"\\ud800"}',
        b"[" * 100_000,
        b'{"value":' * 20_000,
        b'{"value":' + b"[" * 50_000,
        b'{"value":1.0' + b" " * 70_000 + b"}",
    ],
)
def test_a_body_that_is_none_is_refused(ads, body):
    refused(ads, "PUT", "decisions/d1/rewards/click", body)


def test_a_context_within_contexts_is_refused(ads):
    refused(ads, "POST", "decisions", b'{"context":' + b"[" * 30_000 + b"]" * 30_000 + b"}")


def test_of_a_key_that_comes_twice_the_last_counts_and_is_checked(ads):
    refused(ads, "PUT", "decisions/d1/rewards/twice", b'{"value":1.0,"value":"x"}')
    answer = ads.ask("PUT", "/v1/experiments/ads/decisions/d1/rewards/twice", content=b'{"value":1,"value":2}', headers=TYPED)
    assert answer.status_code == 200
    rewards = ads.ask("GET", "/v1/experiments/ads/decisions/d1").json()["rewards"]
    assert [reward["value"] for reward in rewards if reward["key"] == "twice"] == [2.0]


@pytest.mark.parametrize("headers", [{}, {"content-type": "text/plain"}, {"content-type": "application/xml"}])
def test_a_body_of_another_type_is_refused(ads, headers):
    assert refused(ads, "PUT", "decisions/d1/rewards/click", b'{"value":1.0}', headers) == 415


@pytest.mark.parametrize("id", ["%00", "a%20b", "%2e%2e", "x" * 129, "%C3%BC", "a%0A", "-x", "%F0%9F%90%B1"])
def test_an_address_that_is_no_name_is_refused(ads, id):
    refused(ads, "PUT", f"decisions/{id}/rewards/click", b'{"value":1.0}')
    assert ads.ask("GET", f"/v1/experiments/ads/decisions/{id}").status_code in (404, 422)


@pytest.mark.parametrize("arm", ['<b>"', "a\u0000b", "\u202e", "ü" * 200, "'; DROP TABLE log; --"])
def test_any_text_is_an_arm(ads, arm):
    assert ads.put("odd", arms=[arm, "b"]).status_code in (200, 201)
    assert ads.decide("odd", among=[arm])["arm"] == arm


def test_metrics_and_the_document_are_there(ads):
    assert "hedgerow_decisions_total" in ads.ask("GET", "/metrics").text
    assert ads.ask("GET", "/openapi.json").json()["openapi"] == "3.1.0"
    assert ads.ask("GET", "/healthz").json() == {"ok": True, "reasons": []}
    assert ads.ask("POST", "/healthz").status_code == 405
    assert ads.ask("GET", "/nowhere").headers["content-type"] == "application/problem+json"
