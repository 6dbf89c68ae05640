"""What a service logged is what ``hedgerow evaluate`` reads."""

import io
import json

import polars
import pytest

import hedgerow as hr

ADS = "/v1/experiments/ads"


@pytest.fixture
def played(serve, tmp_path):
    served = serve(f"sqlite:///{tmp_path / 'store.db'}")
    served.put(explore=0.5, wait=1e6, default=0.0, learn="at once")
    for number in range(300):
        arm = served.decide(decision_id=f"d{number}")["arm"]
        served.reward(f"d{number}", float(number % (2 if arm == "a" else 5) == 0))
    served.reward("d0", 0.5, query="?amend=1")
    return served, tmp_path


def test_each_decision_is_a_row_with_its_amended_reward(played):
    served, _ = played
    rows = [json.loads(line) for line in served.ask("GET", f"{ADS}/events").text.splitlines()]
    assert len(rows) == 300
    assert rows[0]["id"] == "d0"
    assert rows[0]["reward"] == 0.5
    assert all(0.0 < row["propensity"] <= 1.0 for row in rows)
    after = served.ask("GET", f"{ADS}/events?after={rows[99]['seq']}&limit=50").text.splitlines()
    assert [json.loads(line)["id"] for line in after] == [row["id"] for row in rows[100:150]]
    assert served.ask("GET", f"{ADS}/events?format=xml").status_code == 422
    assert served.ask("GET", f"{ADS}/events?after=-1").status_code == 422


def test_evaluate_reads_the_parquet(played):
    served, folder = played
    data = served.ask("GET", f"{ADS}/events?format=parquet").content
    assert polars.read_parquet(io.BytesIO(data)).height == 300
    path = folder / "ads.parquet"
    path.write_bytes(data)
    log = hr.Log.read(str(path), arm="arm", reward="reward", propensity="propensity", time="time")
    assert (len(log.reward), set(log.arms)) == (300, {"a", "b", "c"})


def test_contexts_have_a_column_each(serve, tmp_path):
    served = serve(f"sqlite:///{tmp_path / 'store.db'}")
    served.put(policy="LinUCB", context={"age": "number", "arm": ["x", "y"]})
    served.decide(decision_id="d1", context={"age": 31, "arm": "x"})
    served.reward("d1")
    row = json.loads(served.ask("GET", f"{ADS}/events").text)
    assert (row["age"], row["context_arm"], row["arm"] in "abc") == (31.0, "x", True)


def test_an_export_of_nothing_has_its_columns(serve, tmp_path):
    served = serve(f"sqlite:///{tmp_path / 'store.db'}")
    served.put()
    data = served.ask("GET", f"{ADS}/events?format=parquet").content
    assert "propensity" in polars.read_parquet(io.BytesIO(data)).columns
