"""What a newcomer gets wrong is said in one sentence with the way out: starts that fail, configurations, bodies."""

import os
import socket
import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--store", "foo"], "a store is sqlite:///file.db or postgresql://user@host/name, got 'foo'"),
        (["--store", "sqlite:///nowhere/x.db"], "nowhere/x.db"),
        (["--store", "postgresql://nobody@127.0.0.1:1/x"], "the store cannot be reached"),
        (["--host", "0.0.0.0"], "make a token first"),
        (["--port", "99999"], "65535"),
        (["--log", "loud"], "debug, info, warning or error"),
        (["--durability", "some"], "full or relaxed"),
    ],
)
def test_a_start_that_fails_is_one_sentence(tmp_path, options, said):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HEDGEROW_") and name != "PORT"}
    command = [sys.executable, "-m", "hedgerow", "serve", *options]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_that_is_taken_is_said(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "hedgerow", "serve", "--port", str(port), "--store", f"sqlite:///{tmp_path}/x.db"]
        done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert f"could not listen on 127.0.0.1:{port}" in done.stderr
    assert "hedgerow serves on" not in done.stderr


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"clusters": {"a": "x", "b": "x", "c": "y"}}, "UCB takes no clusters: it takes scale"),
        ({"params": {"scal": 2}}, "UCB takes no scal: it takes scale"),
        ({"params": {"explore": 1}}, "explore stands beside them"),
        ({"policy": "Ucb"}, "policy must be one of Auto"),
        ({"arms": ["a", "a"]}, "given more than once: 'a'"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_said(serve, tmp_path, config, said):
    answer = serve(f"sqlite:///{tmp_path}/x.db").put(**config)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]


def test_a_body_without_its_type_is_said(serve, tmp_path):
    answer = serve(f"sqlite:///{tmp_path}/x.db").ask("PUT", "/v1/experiments/ads", content=b'{"arms": ["a"]}')
    assert answer.status_code == 415
    assert "send the header Content-Type: application/json" in answer.json()["detail"]
