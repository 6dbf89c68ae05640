"""Who may do what: every call of the document, asked by everybody."""

import re

import pytest
from starlette.routing import Route

from hedgerow.service import auth
from hedgerow.service.app import CALLS
from hedgerow.service.store import connect, transaction

ROLES = ("read", "decide", "admin")
NAMES = {"experiment": "ads", "id": "d1", "key": "click", "sha256": "0" * 64}
BODIES = {
    "decide": {},
    "decideBatch": {"decisions": []},
    "reward": {"value": 1.0},
    "rewardBatch": {"rewards": []},
    "putExperiment": {"arms": ["a", "b", "c"], "policy": "UCB"},
    "addHistory": {"arms": {}},
}


@pytest.fixture
def guarded(serve, tmp_path):
    """A service with a token of each kind."""
    url = f"sqlite:///{tmp_path / 'store.db'}"
    store = connect(url)
    with transaction(store):
        tokens = {role: auth.new_token(store, name=role, role=role, experiment=None, expires=None) for role in ROLES}
        tokens["other"] = auth.new_token(store, name="other", role="admin", experiment="mail", expires=None)
        tokens["expired"] = auth.new_token(store, name="old", role="admin", experiment=None, expires=1.0)
    store.close()
    served = serve(url)
    ask = {"arms": ["a", "b", "c"], "policy": "UCB"}
    assert served.ask("PUT", "/v1/experiments/ads", json=ask, headers=bearer(tokens["admin"])).status_code == 201
    return served, tokens | {"bad": "hr_not-a-token", "none": None}


def bearer(token):
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def operations(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def may(operation, who):
    """What the document says."""
    role, on_loopback = operation["x-role"], operation["x-open-on-loopback"]
    if role is None or (on_loopback and who == "none"):
        return {200, 503}
    if who in ("none", "bad", "expired"):
        return {401}
    if who == "other":
        return {403} if "{experiment}" in operation["path"] else None
    return None if ROLES.index(who) >= ROLES.index(role) else {403}


@pytest.mark.parametrize("who", ["none", "bad", "expired", "read", "decide", "admin", "other"])
def test_every_call_of_the_document_is_for_those_it_names(guarded, who):
    served, tokens = guarded
    document = served.ask("GET", "/openapi.json", headers=bearer(tokens["read"])).json()
    asked = 0
    for method, path, operation in operations(document):
        address = re.sub(r"{(\w+)}", lambda found: NAMES[found[1]], path)
        body = BODIES.get(operation["operationId"])
        answer = served.ask(method, address, json=body, headers=bearer(tokens[who]))
        wanted = may(operation | {"path": path}, who)
        if wanted is None:
            assert answer.status_code not in (401, 403, 500), (method, path, answer.text)
        else:
            assert answer.status_code in wanted, (method, path, answer.status_code, answer.text)
        asked += 1
    assert asked == len(CALLS)


def test_every_route_is_in_the_document(guarded):
    served, tokens = guarded
    document = served.ask("GET", "/openapi.json", headers=bearer(tokens["read"])).json()
    described = {(method, path) for method, path, _ in operations(document)}
    routes = [route for route in served.app.routes if isinstance(route, Route)]
    assert {(method, route.path) for route in routes for method in route.methods - {"HEAD"}} == described
    assert len(routes) == len(served.app.routes)


def test_a_token_for_one_experiment_sees_that_one_alone(guarded):
    served, tokens = guarded
    listed = served.ask("GET", "/v1/experiments", headers=bearer(tokens["other"])).json()
    assert listed == {"experiments": []}


def test_without_tokens_only_this_machine_is_answered(serve, tmp_path):
    served = serve(f"sqlite:///{tmp_path / 'store.db'}")
    assert served.ask("GET", "/v1/experiments").status_code == 200
    for host in ("evil.example", "127.0.0.1.evil.example:8080", "localhost.evil", ""):
        assert served.ask("GET", "/v1/experiments", headers={"Host": host}).status_code == 403, host
    for host in ("localhost", "localhost:8080", "127.0.0.1:1", "[::1]:8080"):
        assert served.ask("GET", "/v1/experiments", headers={"Host": host}).status_code == 200, host


def test_a_service_that_others_reach_does_not_start_without_a_token(serve, tmp_path):
    with pytest.raises(ValueError, match="make a token first"):
        serve(f"sqlite:///{tmp_path / 'store.db'}", host="0.0.0.0")


def test_tokens_of_the_environment(serve, tmp_path):
    served = serve(f"sqlite:///{tmp_path / 'store.db'}", host="0.0.0.0", tokens=("read:0123456789abcdef",))
    assert served.ask("GET", "/v1/experiments").status_code == 401
    assert served.ask("GET", "/v1/experiments", headers=bearer("0123456789abcdef")).status_code == 200
    assert served.put().status_code == 401


@pytest.mark.parametrize("given", ["read", "read:short", "boss:0123456789abcdef", "read@../x:0123456789abcdef"])
def test_a_token_that_is_none_is_refused(given):
    with pytest.raises(ValueError, match="must be|holds role"):
        auth.given_token(given)
