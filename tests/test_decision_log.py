"""DecisionLog: what a policy decided, in a file that History, Log and evaluate read."""

import csv
import datetime as dt
import multiprocessing
import threading

import numpy as np
import pytest

import hedgerow as hr
from hedgerow import Decision

NAMES = ["time", "arm", "cluster", "reward", "propensity", "explored", "policy", "expert"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "decisions.csv"


def rows(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def arms_read(path):
    return set(hr.History.from_file(path, arm="arm", reward="reward").arms)


def test_a_row_holds_all_of_the_decision(path):
    log = hr.DecisionLog(path)
    log.append(Decision("a", "x", (), ("HUCBC", "UCB"), "META-1", 0.25, True), 0.1, time="2026-02-01T12:00:00+02:00")
    log.append(Decision("b"), True)
    first, second = rows(path)
    assert list(first) == NAMES
    assert list(first.values()) == ["2026-02-01T10:00:00.000000+00:00", "a", "x", "0.1", "0.25", "true", "META-1", "HUCBC/UCB"]
    now = dt.datetime.now(dt.UTC) - dt.datetime.fromisoformat(second.pop("time"))
    assert dt.timedelta(0) <= now < dt.timedelta(minutes=5)
    assert list(second.values()) == ["b", "", "1.0", "", "false", "", ""]


@pytest.mark.parametrize("time", [1769947200, 1769947200.0, dt.datetime(2026, 2, 1, 12), "2026-02-01T12:00:00"])
def test_times_are_written_in_utc(path, time):
    hr.DecisionLog(path).append(Decision("a"), 1.0, time=time)
    assert rows(path)[0]["time"] == "2026-02-01T12:00:00.000000+00:00"
    assert hr.Log.read(path, arm="arm", reward="reward", time="time").time == 1769947200


@pytest.mark.parametrize(
    "arms",
    [
        ("a", "b, c", 'd "e"', "f\ng", " h ", "æ; ü", "1.10", "01", "a\rb"),
        (3, 10, -2),
        (True, False),
        ("2026-01-02", "2026-01-03"),
    ],
)
def test_arms_come_back_as_they_were(path, arms):
    log = hr.DecisionLog(path)
    for arm in arms:
        log.append(Decision(arm, cluster=arm), 1.0)
    assert arms_read(path) == set(arms)
    assert {type(arm) for arm in arms_read(path)} == {type(arms[0])}
    read = hr.Log.read(path, arm="arm", reward="reward", clusters="cluster")
    assert set(read.arms) == set(arms)
    assert len(set(read.clusters)) == len(arms)


def test_tuples_are_paths(path):
    log = hr.DecisionLog(path)
    log.append(Decision(("shoes", 7), ("shop", ("left", "top"))), 1.0)
    assert arms_read(path) == {"shoes/7"}
    assert rows(path)[0]["cluster"] == "shop/left/top"
    with pytest.raises(ValueError, match="puts '/' between names"):
        log.append(Decision(("a/b", "c")), 1.0)


def test_numbers_of_a_context_are_columns(path):
    policy = hr.LinUCB(["a", "b"], dimension=2)
    log = hr.DecisionLog(path)
    log.append(policy.select([0.5, 1e-7]), 1.0)
    log.append(policy.select([2, -1]), 0.0)
    read = hr.Log.read(path, arm="arm", reward="reward", context=["x_1", "x_2"])
    assert read.context["x_1"].tolist() == [0.5, 2.0]
    assert read.context["x_2"].tolist() == [1e-7, -1.0]
    assert hr.History.from_file(path, arm="arm", reward="reward", context=["x_1", "x_2"]).dimension == 2


def test_raw_values_are_columns_by_name_in_any_order(path):
    log = hr.DecisionLog(path)
    decision = Decision("a", context=(1.0, 2.0, 3.0))
    log.append(decision, 1.0, context={"age": np.int64(31), "city": "Oslo, S", "member": True, "score": float("nan")})
    log.append(decision, 1.0, context={"score": 0.5, "city": "Rome", "member": np.bool_(False), "age": 20})
    read = hr.Log.read(path, arm="arm", reward="reward", context=["age", "city", "member"])
    assert read.context["age"].tolist() == [31.0, 20.0]
    assert read.context["city"].tolist() == ["Oslo, S", "Rome"]
    assert read.context["member"].tolist() == [True, False]
    assert list(rows(path)[0]) == [*NAMES, "age", "city", "member", "score"]
    assert rows(path)[0]["score"] == ""


def test_columns_are_fixed_by_the_first_row_or_the_file(path):
    hr.DecisionLog(path).append(Decision("a"), 1.0, context={"age": 31})
    before = path.read_bytes()
    for log in (hr.DecisionLog(path), hr.DecisionLog(path)):
        with pytest.raises(ValueError, match=r"columns of decisions\.csv, this one lacks 'age' and adds 'city'"):
            log.append(Decision("a"), 1.0, context={"city": "Oslo"})
        with pytest.raises(ValueError, match="lacks 'age': give contexts"):
            log.append(Decision("a"), 1.0)
    assert path.read_bytes() == before


def test_a_header_in_another_order_as_a_spreadsheet_saves_it(path):
    path.write_bytes(("\ufeff" + ",".join(reversed(NAMES)) + "\r\n").encode())
    hr.DecisionLog(path).append(Decision("a", "x"), 0.5)
    assert path.read_text(encoding="utf-8-sig").splitlines()[1].startswith(",,false,,0.5,x,a,2")


def test_a_log_that_was_moved_away_begins_anew(path):
    log = hr.DecisionLog(path)
    log.append(Decision("a"), 1.0)
    path.rename(path.with_name("old.csv"))
    log.append(Decision("b"), 1.0, context={"age": 3})
    log.append(Decision("c"), 1.0, context={"age": 3})
    assert [row["arm"] for row in rows(path)] == ["b", "c"]


def test_a_log_that_was_emptied_begins_anew(path):
    log = hr.DecisionLog(path)
    log.append(Decision("a"), 1.0, context={"age": 1, "score": 2})
    path.write_bytes(b"")
    for _ in range(2):
        log.append(Decision("b"), 1.0, context={"score": 2, "age": 1})
    assert [(row["age"], row["score"]) for row in rows(path)] == [("1", "2")] * 2


@pytest.mark.parametrize("keep", [1, 20, 80, 130, 131, 140])
def test_half_a_line_of_a_killed_process_is_removed(path, keep):
    log = hr.DecisionLog(path)
    log.append(Decision('a "x\ny"', policy="p" * 50), 1.0)
    log.append(Decision("b\nc", "a,b"), 0.75)
    whole = path.read_bytes()
    path.write_bytes(whole[:keep])
    with pytest.warns(UserWarning, match="ended with half a line, which was removed"):
        log.append(Decision("d"), 0.5)
    log.append(Decision("e"), 0.5)
    assert [row["arm"] for row in rows(path)] == ["d", "e"]
    assert arms_read(path) == {"d", "e"}


def test_every_cut_of_the_last_cells_leaves_whole_rows_only(path):
    log = hr.DecisionLog(path)
    log.append(Decision("a"), 1.0)
    first = path.read_bytes()
    log.append(Decision("b"), 0.75, time="2026-01-01")
    second = path.read_bytes()
    for size in range(len(first) + 1, len(second)):
        path.write_bytes(second[:size])
        with pytest.warns(UserWarning, match="half a line"):
            log.append(Decision("c"), 0.5)
        assert [row["arm"] for row in rows(path)] == ["a", "c"]


@pytest.mark.parametrize(
    ("decision", "reward", "more", "says"),
    [
        ("a", 1.0, {}, "hedgerow.Decision"),
        (Decision("a"), float("nan"), {}, "reward must be a finite number"),
        (Decision("a"), "1", {}, "reward must be a finite number"),
        (Decision("NA"), 1.0, {}, "missing value"),
        (Decision(""), 1.0, {}, "missing value"),
        (Decision("a", "None"), 1.0, {}, "cluster 'None' would be read back as a missing value"),
        (Decision("a\0"), 1.0, {}, "zero byte"),
        (Decision("a"), 1.0, {"time": "yesterday"}, "time must be"),
        (Decision("a"), 1.0, {"time": float("nan")}, "time must be"),
        (Decision("a"), 1.0, {"time": True}, "time must be"),
        (Decision("a"), 1.0, {"context": [1.0]}, "mapping"),
        (Decision("a"), 1.0, {"context": {"arm": 1}}, "names of a context"),
        (Decision("a"), 1.0, {"context": {"a\nb": 1}}, "names of a context"),
        (Decision("a"), 1.0, {"context": {3: 1}}, "names of a context"),
    ],
)
def test_what_would_not_be_read_back_is_refused(path, decision, reward, more, says):
    with pytest.raises(ValueError, match=says):
        hr.DecisionLog(path).append(decision, reward, **more)
    assert not path.exists()


def test_other_files_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"name end with \.csv"):
        hr.DecisionLog(tmp_path / "log.parquet")
    with pytest.raises(OSError, match="No such file"):
        hr.DecisionLog(tmp_path / "none" / "log.csv").append(Decision("a"), 1.0)


def test_a_write_that_was_cut_short_is_taken_back(path):
    log = hr.DecisionLog(path)
    log.append(Decision("a"), 1.0)
    before = path.read_bytes()
    resource = pytest.importorskip("resource")
    signal = pytest.importorskip("signal")
    limits, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 10, limits[1]))
        with pytest.raises(OSError, match="so the row was taken back"):
            log.append(Decision("b"), 1.0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == before


def _append(path, worker, count):
    log = hr.DecisionLog(path)
    for number in range(count):
        log.append(Decision(f"{worker}-{number}", cluster="x" * 200), 1.0)


def _all_written(path):
    found = [row["arm"] for row in rows(path)]
    assert sorted(found) == sorted(f"{worker}-{number}" for worker in range(4) for number in range(300))
    assert all(row["cluster"] == "x" * 200 for row in rows(path))


def test_processes_append_to_one_file(path):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_append, args=(path, worker, 300)) for worker in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    _all_written(path)


def test_threads_append_to_one_file(path):
    threads = [threading.Thread(target=_append, args=(path, worker, 300)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    _all_written(path)


def test_rows_of_another_writer_stay(path):
    log = hr.DecisionLog(path)
    log.append(Decision("a"), 1.0)
    with path.open("ab") as other:
        other.write(b"2026-01-01,other,,1.0,,false,,\n")
    log.append(Decision("b"), 1.0)
    assert [row["arm"] for row in rows(path)] == ["a", "other", "b"]


def test_from_log_to_verdict_to_a_warm_start(path):
    arms, rate = ["ad-1", "ad-2", "ad-3"], {"ad-1": 0.2, "ad-2": 0.5, "ad-3": 0.3}
    rng, policy, log = np.random.default_rng(1), hr.UCB(arms, explore=0.2), hr.DecisionLog(path)
    for _ in range(600):
        decision = policy.select(rng=rng)
        reward = float(rng.random() < rate[decision.arm])
        policy.update(decision, reward)
        log.append(decision, reward)
    roles = {"arm": "arm", "reward": "reward", "time": "time", "propensity": "propensity"}
    found = hr.evaluate(path, **roles, draws=20, runs=1, rounds=50)
    assert found.grade.letter == "B"
    assert found.refused == ()
    history = hr.History.from_file(path, arm="arm", reward="reward")
    played = [row["arm"] for row in rows(path)]
    assert [history.plays(arm) for arm in arms] == [played.count(arm) for arm in arms]
    assert hr.HUCB(arms, history=history).select().arm == "ad-2"
