"""The commands and the SQL of docs/service.md, done as a reader would do them."""

import re
import sqlite3
import subprocess
from pathlib import Path

import httpx
import pytest

from hedgerow.service.declared import declared

from .live import Live

PAGE = (Path(__file__).parents[2] / "docs" / "service.md").read_text(encoding="utf-8")


def blocks(kind):
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def live(tmp_path):
    served = Live(tmp_path)
    yield served
    served.close()


def test_the_lines_of_curl_work_in_their_order(live):
    assert len(blocks("sh")) == 2
    for block in blocks("sh"):
        script = block.replace("127.0.0.1:8080", f"127.0.0.1:{live.port}")
        done = subprocess.run(["bash", "-ec", script], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_file_of_experiments_is_one(tmp_path):
    (block,) = blocks("toml")
    path = tmp_path / "experiments.toml"
    path.write_text(block)
    found = declared(path)
    assert list(found) == ["ads", "offers"]
    assert found["ads"].wait == 3600
    assert found["offers"].context["city"] == ["Oslo", "Bergen"]


def test_the_lines_that_the_start_prints_work(live):
    lines = [line.strip() for line in live.log.read_text().splitlines() if line.startswith("  curl ")]
    assert len(lines) == 2
    for line in lines:
        answer = subprocess.run(["bash", "-c", line.replace("curl ", "curl -sf ", 1)], capture_output=True, text=True, check=True)
    assert '"decision_id"' in answer.stdout


def test_a_subject_is_erased_and_the_log_still_folds(live):
    live.client.put("ads", {"arms": ["a", "b"], "policy": "UCB"})
    for unit in ("visitor-17", "visitor-18"):
        decision = live.client.decide("ads", unit=unit, id=unit.replace("visitor", "req"))
        live.client.reward("ads", decision.id, 1.0)
    (statement,) = blocks("sql")
    with sqlite3.connect(live.store, timeout=30.0) as store:
        assert store.execute(statement).rowcount == 1
        assert "visitor-17" not in "".join(map(str, store.execute("SELECT request, body FROM decision").fetchall()))
    store.close()
    events = live.get("/v1/experiments/ads/events").text
    assert events.count("req-1") == 2
    assert live.get("/v1/experiments/ads/verify").json()["ok"]
    answer = httpx.post(f"{live.url}/v1/experiments/ads/decisions", json={"decision_id": "req-17", "unit": "visitor-17"})
    assert answer.status_code == 409
