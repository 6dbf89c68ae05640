"""Histories whose rows count less the older they are, and policies that forget by time."""

import datetime
import math

import numpy as np
import polars as pl
import pytest

import hedgerow as hr

DAYS = [0, 10, 20, 30, 30]
ARMS = ["a", "b", "a", "a", "b"]
CLICKS = [1.0, 0.0, 0.0, 1.0, 1.0]
AGES = [9.0, 5.0, 2.0, 7.0, 4.0]


def frame(times):
    return pl.DataFrame({"ad": ARMS, "click": CLICKS, "age": AGES, "day": times})


def by_hand(half_life):
    """Sums of each arm: plays, total and squares, each row weighing 2^((day - 30) / half_life)."""
    weights = 2.0 ** ((np.array(DAYS) - 30.0) / half_life)
    rows = np.column_stack([np.ones(5), CLICKS, np.square(CLICKS)]) * weights[:, None]
    return np.array([rows[[arm == label for arm in ARMS]].sum(axis=0) for label in "ab"])


MOMENTS = [datetime.datetime(2026, 1, 1) + datetime.timedelta(days=day) for day in DAYS]


@pytest.mark.parametrize(
    ("times", "half_life"),
    [(DAYS, 10), (MOMENTS, datetime.timedelta(days=10)), ([moment.date() for moment in MOMENTS], datetime.timedelta(days=10))],
    ids=["numbers", "moments", "dates"],
)
@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "duckdb"])
def test_rows_of_a_frame_age(times, half_life, kind, tmp_path):
    log = frame(times)
    if kind == "duckdb":
        duckdb = pytest.importorskip("duckdb")
        log = duckdb.from_arrow(log.to_arrow())
    else:
        log = {"polars": log, "lazy": log.lazy(), "pandas": log.to_pandas()}[kind]
    history = hr.History.from_frame(log, arm="ad", reward="click", time="day", half_life=half_life)
    assert history.arms == ("a", "b")
    assert np.allclose(history.sums, by_hand(10), rtol=1e-12)
    newest = 30.0 if times is DAYS else (MOMENTS[-1] - datetime.datetime(1970, 1, 1)).total_seconds()
    assert history.newest == newest
    history.save(tmp_path / "history")
    assert hr.load(tmp_path / "history").newest == newest


def test_a_file_and_contexts_age_alike(tmp_path):
    frame(DAYS).write_parquet(tmp_path / "log.parquet")
    given = {"arm": "ad", "reward": "click", "context": "age", "time": "day", "half_life": 10}
    history = hr.History.from_file(tmp_path / "log.parquet", **given)
    weights = 2.0 ** ((np.array(DAYS) - 30.0) / 10)
    of_a = np.array([arm == "a" for arm in ARMS])
    expected = (weights * np.array(AGES) ** 2)[of_a].sum()
    assert history.sums[0, 4] == pytest.approx(expected)
    assert np.allclose(history.sums, hr.History.from_frame(frame(DAYS), **given).sums)


def test_the_same_sums_in_a_database():
    duckdb = pytest.importorskip("duckdb")
    log = frame(DAYS).vstack(pl.DataFrame({"ad": ["a"], "click": [1.0], "age": [1.0], "day": [None]}, schema=frame(DAYS).schema))
    connection = duckdb.connect()
    connection.register("log", log.to_arrow())
    query = hr.History.sql("log", arm="ad", reward="click", time="day", half_life=10)
    with pytest.warns(UserWarning, match="no time"):
        history = hr.History.from_sums(connection.sql(query).pl())
    assert np.allclose(history.sums, by_hand(10), rtol=1e-12)
    assert history.newest == 30.0
    assert history.missing == {"no time": 1}
    with pytest.warns(UserWarning, match="no time"):
        assert hr.History.from_frame(log, arm="ad", reward="click", time="day", half_life=10).missing == {"no time": 1}


def test_refusals():
    with pytest.raises(ValueError, match="needs time="):
        hr.History.from_frame(frame(DAYS), arm="ad", reward="click", half_life=3)
    with pytest.raises(ValueError, match="above 0"):
        hr.History.from_frame(frame(DAYS), arm="ad", reward="click", time="day", half_life=0)
    with pytest.raises(ValueError, match="numbers, dates or times"):
        hr.History.from_frame(frame(["x"] * 5), arm="ad", reward="click", time="day", half_life=3)


def test_a_policy_that_forgets_by_time_starts_from_a_history_of_known_age():
    """Half a half-life later the history counts sqrt(1/2); a log replayed by its time column ends as the history."""
    day = 86400.0
    seconds = [each * day for each in DAYS]
    history = hr.History.from_frame(frame(seconds), arm="ad", reward="click", time="day")
    policy = hr.HUCB(["a", "b"], history=history, half_life=datetime.timedelta(days=10))
    plays = {score.label: score.history for score in policy.explain(at=35.0 * day)}
    assert sum(policy.history.sums[:, 0]) == pytest.approx(5.0)
    assert plays["a"] == pytest.approx(3.0 * math.sqrt(0.5))
    policy.update(policy.select(at=40.0 * day), 1.0)
    assert policy.history.newest == pytest.approx(40.0 * day)
    assert policy.history.sums[:, 0].sum() == pytest.approx(2.5)
    policy.history = policy.history
    assert policy.history.sums[:, 0].sum() == pytest.approx(2.5)
    replayed = hr.UCB(["a", "b"], half_life=datetime.timedelta(days=10))
    for arm, click, at in zip(ARMS, CLICKS, MOMENTS, strict=True):
        replayed.learn(arm, click, at=at)
    in_full = {score.label: score.mean for score in replayed.explain(at=MOMENTS[-1]) if score.kind == "arm"}
    aged = by_hand(10)
    assert [in_full["a"], in_full["b"]] == pytest.approx((aged[:, 1] / aged[:, 0]).tolist(), rel=1e-9)


def test_experts_forget_by_the_stamps_of_their_meta():
    def make():
        return hr.META(["a", "b", "c"], clusters=["x", "x", "y"], half_life=50)

    live, replayed = make(), make()
    for t in range(200):
        decision = live.select()
        assert decision.at == t
        reward = float((t * 7) % 3 == 0)
        live.update(decision, reward)
        replayed.update(hr.Decision.from_json(decision.to_json()), reward)
    assert live.to_bytes() == replayed.to_bytes()
    assert hr.from_bytes(live.to_bytes()).to_bytes() == live.to_bytes()
    assert live.memory.remembered == pytest.approx(live.experts["HUCB"].memory.remembered)
    assert 60 < live.memory.remembered < 75


def test_old_decisions_read():
    text = '{"arm": "a", "cluster": null, "context": null, "experts": [], "policy": "", "propensity": null, "explored": false}'
    assert hr.Decision.from_json(text) == hr.Decision("a")


def test_inspect_and_trust_say_what_changed():
    rng = np.random.default_rng(0)
    arms, rows = rng.integers(4, size=4000), np.arange(4000)
    clicks = (rng.random(4000) < np.where((arms == 2) & (rows > 2500), 0.8, 0.2 + 0.1 * arms)).astype(float)
    found = hr.inspect(pl.DataFrame({"ad": arms, "click": clicks}), arm="ad", reward="click")
    assert found.changed.arms == (2,)
    assert abs(found.changed.row - 2500) < 130
    assert "Rewards of 2 changed at about row" in str(found)
    calm = hr.inspect(pl.DataFrame({"ad": arms, "click": (rng.random(4000) < 0.3).astype(float)}), arm="ad", reward="click")
    assert calm.changed is None
    policy = hr.UCB(range(4), half_life="auto")
    for arm, click in zip(arms.tolist(), clicks.tolist(), strict=True):
        policy.learn(arm, click)
    assert "Rewards of 2 changed about" in str(policy.findings())
    assert "no longer counts" in str(policy.findings())
    assert "counts half after 500 decisions" in str(hr.UCB(range(4), half_life=500).findings())
