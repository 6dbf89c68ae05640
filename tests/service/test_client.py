"""The client: one id for all tries, pauses, the fallback, errors as sentences; the same of the one that awaits."""

import asyncio
import json
import subprocess
import sys

import httpx
import numpy as np
import pytest

import hedgerow as hr
from hedgerow.service import client_calls
from hedgerow.service.exchange import Exchange
from hedgerow.service.messages import AwayError, RefusedError, Reply

CHOSEN = {
    "decision_id": "?",
    "arm": "ad-3",
    "cluster": "sport",
    "propensity": 0.98,
    "mode": "live",
    "explored": False,
    "seq": 3,
    "epoch": 0,
    "expires_at": None,
}


class Script:
    """A service that answers by a script, then well; it keeps what it was sent."""

    def __init__(self, *answers):
        self.answers, self.sent = list(answers), []

    def __call__(self, request):
        body = json.loads(request.content) if request.content else None
        self.sent.append((request.method, request.url.raw_path.decode(), body))
        answer = self.answers.pop(0) if self.answers else 200
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, httpx.Response):
            return answer
        return httpx.Response(answer, json=self.well(request.method, body) if answer == 200 else problem(answer))

    def well(self, method, body):
        if method == "POST" and "decisions" in body:
            return {
                "decisions": [
                    {"status": 200, "decision": CHOSEN | {"decision_id": ask["decision_id"]}} for ask in body["decisions"]
                ]
            }
        if method == "POST" and "rewards" in body:
            return {"rewards": [{"status": 200, "reward": {"result": "folded", "seq": 1}} for _ in body["rewards"]]}
        if method == "POST":
            return CHOSEN | {"decision_id": body["decision_id"]}
        return {"result": "folded", "seq": 4} if method == "PUT" else {"decision_id": "d", "seq": 5}


def problem(status, detail="the sentence of the service"):
    return {"title": "Title", "status": status, "detail": detail}


class Awaited:
    """The client that awaits, called as if it blocked."""

    def __init__(self, url, **given):
        self.url, self.given = url, given

    def __getattr__(self, name):
        def call(*args, **kwargs):
            return asyncio.run(self.called(name, *args, **kwargs))

        return call

    async def called(self, name, *args, **kwargs):
        async with hr.AsyncClient(self.url, **self.given) as client:
            return await getattr(client, name)(*args, **kwargs)


@pytest.fixture(params=[hr.Client, Awaited], ids=["blocks", "awaits"])
def talk(request):
    def made(*answers, **given):
        script = Script(*answers)
        given = {"patience": 60.0, "token": ""} | given
        return request.param("http://service", transport=httpx.MockTransport(script), **given), script

    return made


def test_a_decision_and_its_reward(talk):
    client, script = talk()
    decision = client.decide("ads", context={"age": np.int64(31), "city": "Oslo"}, among=("ad-1", "ad-3"), unit="u", id="req-17")
    assert (decision.id, decision.arm, decision.cluster, decision.mode, decision.away) == ("req-17", "ad-3", "sport", "live", "")
    assert client.reward("ads", decision.id, np.float64(1.0), final=True).result == "folded"
    assert client.cancel("ads", "req-18").seq == 5
    asked = {"decision_id": "req-17", "context": {"age": 31, "city": "Oslo"}, "among": ["ad-1", "ad-3"], "unit": "u"}
    assert script.sent == [
        ("POST", "/v1/experiments/ads/decisions", asked),
        ("PUT", "/v1/experiments/ads/decisions/req-17/rewards/reward", {"value": 1.0, "final": True}),
        ("DELETE", "/v1/experiments/ads/decisions/req-18", None),
    ]


def test_a_context_of_numbers_may_be_an_array(talk):
    client, script = talk()
    client.decide("ads", context=np.array([0.5, 2.0]))
    assert script.sent[0][2]["context"] == [0.5, 2.0]


@pytest.mark.parametrize("trouble", [500, 503, 429, 502, 504, httpx.ConnectError("refused"), httpx.ReadTimeout("slow")])
def test_every_try_has_the_same_id(talk, trouble):
    client, script = talk(trouble, trouble)
    decision = client.decide("ads", fallback="ad-1")
    assert len(script.sent) == 3
    assert {body["decision_id"] for _, _, body in script.sent} == {decision.id}


@pytest.mark.parametrize("trouble", [503, httpx.ConnectError("refused"), httpx.RemoteProtocolError("gone")])
def test_the_fallback_says_that_it_is_one(talk, trouble):
    client, script = talk(*[trouble] * 100, patience=0.3)
    decision = client.decide("ads", fallback="ad-1")
    assert (decision.arm, decision.mode, decision.id) == ("ad-1", "fallback", None)
    assert "was not answered within 0.3 s" in decision.away
    tries = len(script.sent)
    assert client.reward("ads", decision.id, 1.0) is None
    assert client.cancel("ads", decision.id) is None
    assert len(script.sent) == tries


def test_without_a_fallback_it_is_an_error_of_the_connection(talk):
    client, _ = talk(*[httpx.ConnectError("refused")] * 100, patience=0.3)
    with pytest.raises(AwayError, match="http://service cannot be reached"):
        client.decide("ads")
    with pytest.raises(ConnectionError):
        client.reward("ads", "d", 1.0)


@pytest.mark.parametrize("later", ["60", "Wed, 21 Oct 2122 07:28:00 GMT"])
def test_retry_after_beyond_patience_ends_it_at_once(talk, later):
    client, script = talk(httpx.Response(503, json=problem(503), headers={"Retry-After": later}), patience=50.0)
    assert client.decide("ads", fallback="ad-1").mode == "fallback"
    assert len(script.sent) == 1


def test_retry_after_is_waited_for_and_pauses_grow():
    exchange = Exchange("http://service", token="", timeout=1.0, patience=100.0)
    steps = client_calls.decide(exchange, "ads")
    assert next(steps).pause == 0.0
    pauses = [steps.send(Reply(503)).pause for _ in range(12)]
    assert all(0.0 < pause <= 1.0 for pause in pauses)
    assert max(pauses) > 4 * pauses[0]
    assert steps.send(Reply(503, retry_after="7")).pause == 7.0
    steps.close()


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422])
def test_a_refusal_is_one_sentence_and_not_asked_again(talk, status):
    client, script = talk(status, status)
    with pytest.raises(
        RefusedError, match=rf"a decision of 'ads' was refused: the sentence of the service \({status} Title\)"
    ) as error:
        client.decide("ads", fallback="ad-1")
    assert error.value.status == status
    assert isinstance(error.value, ValueError)
    assert len(script.sent) == 1


def test_an_answer_of_something_else_is_said_so(talk):
    client, _ = talk(httpx.Response(404, text="<html>\n nginx </html>"), httpx.Response(200, text="hello"))
    with pytest.raises(RefusedError, match=r"is the address right\? It said '<html> nginx </html>'"):
        client.decide("ads")
    client, _ = talk(httpx.Response(200, text="hello"))
    with pytest.raises(RefusedError, match="not that of a decision service"):
        client.decide("ads")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"context": [float("nan")]}, "finite numbers"),
        ({"context": {"age": object()}}, "finite numbers"),
        ({"experiment": "a/b"}, "the experiment must be"),
        ({"experiment": 7}, "names and ids are texts"),
        ({"among": "ad-1"}, "among must be a list of arms"),
        ({"experiment": ""}, "the experiment must be"),
        ({"experiment": ".."}, "the experiment must be"),
    ],
)
def test_what_cannot_be_sent_is_refused_here(talk, given, said):
    client, script = talk()
    with pytest.raises(ValueError, match=said):
        client.decide(**{"experiment": "ads"} | given)
    assert script.sent == []


def test_a_decision_in_the_place_of_its_id_and_a_list_in_that_of_a_configuration_are_refused(talk):
    client, script = talk()
    decision = client.decide("ads")
    with pytest.raises(ValueError, match="decision.id"):
        client.reward("ads", decision, 1.0)
    with pytest.raises(ValueError, match="config must be a dict"):
        client.put("ads", ["ad-1", "ad-2"])
    assert len(script.sent) == 1


def test_a_bad_address_or_time_is_refused():
    with pytest.raises(ValueError, match="http://"):
        hr.Client("127.0.0.1:8080")
    with pytest.raises(ValueError, match="above 0"):
        hr.Client(patience=0.0)


def test_a_decision_that_was_given_up_is_withdrawn_when_the_service_is_back():
    script = Script(*[httpx.ReadTimeout("slow")] * 100)
    with hr.Client("http://service", transport=httpx.MockTransport(script), patience=0.1) as client:
        assert client.decide("ads", fallback="ad-1", id="req-17").mode == "fallback"
        script.answers = []
        client.decide("ads", fallback="ad-1", id="req-18")
        client.decide("ads", fallback="ad-1")
    assert [path for method, path, _ in script.sent if method == "DELETE"] == ["/v1/experiments/ads/decisions/req-17"]


def test_a_decision_that_is_asked_for_again_is_not_withdrawn():
    script = Script(*[httpx.ReadTimeout("slow")] * 100)
    with hr.Client("http://service", transport=httpx.MockTransport(script), patience=0.1) as client:
        client.decide("ads", fallback="ad-1", id="req-17")
        script.answers = []
        assert client.decide("ads", id="req-17").id == "req-17"
        client.decide("ads")
    assert "DELETE" not in [method for method, _, _ in script.sent]


def test_a_batch_answers_each(talk):
    refused = {"status": 422, "problem": problem(422)}
    busy = {"status": 503, "problem": problem(503)}
    good = {"status": 200, "decision": CHOSEN | {"decision_id": "a"}}
    client, script = talk(httpx.Response(200, json={"decisions": [good, refused, busy]}))
    found = client.decide_many("ads", [{"id": "a"}, {"id": "b"}, {"id": "c", "fallback": "ad-1"}])
    assert (found[0].id, found[2].id) == ("a", "c")
    assert isinstance(found[1], RefusedError)
    assert [[ask["decision_id"] for ask in body["decisions"]] for _, _, body in script.sent] == [["a", "b", "c"], ["c"]]


def test_a_batch_falls_back_each(talk):
    client, _ = talk(*[503] * 100, patience=0.3)
    found = client.decide_many("ads", [{"fallback": "ad-1"}, {"fallback": "ad-2"}])
    assert [(one.arm, one.mode) for one in found] == [("ad-1", "fallback"), ("ad-2", "fallback")]
    rewards = client.reward_many("ads", [{"id": one.id, "value": 1.0} for one in found])
    assert rewards == [None, None]


def test_large_batches_are_sent_in_parts(talk):
    client, script = talk()
    ids = [f"d{number}" for number in range(2300)]
    assert [one.id for one in client.decide_many("ads", ({"id": id} for id in ids))] == ids
    found = client.reward_many("ads", [{"id": id, "value": 0.5} for id in [*ids, None]])
    assert [one and one.result for one in found] == ["folded"] * 2300 + [None]
    assert [len(body.get("decisions", body.get("rewards"))) for _, _, body in script.sent] == [1000, 1000, 300] * 2


def test_the_token_comes_from_the_environment_and_is_in_no_error(monkeypatch):
    seen = []

    def answer(request):
        seen.append(request.headers.get("Authorization"))
        return httpx.Response(403, json=problem(403))

    monkeypatch.setenv("HEDGEROW_TOKEN", "hr_secret")
    for given in ({}, {"token": "hr_other"}):
        with (
            hr.Client("http://service", transport=httpx.MockTransport(answer), **given) as client,
            pytest.raises(RefusedError) as said,
        ):
            client.decide("ads")
        assert "hr_" not in str(said.value)
    assert seen == ["Bearer hr_secret", "Bearer hr_other"]


def test_importing_hedgerow_does_not_import_it():
    code = "import sys, hedgerow; print([m for m in ('httpx', 'msgspec', 'starlette', 'jinja2') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_without_httpx_the_extra_is_named():
    code = "import sys; sys.modules['httpx'] = None; import hedgerow as hr; hr.Client"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1].startswith(
        'ImportError: a client of the decision service needs httpx: pip install "hedgerow[service]"'
    )
