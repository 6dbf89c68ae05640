"""History: sums from rounds and frames, addition, weights, and its use in policies."""

import gzip
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from engines import duckdb
from engines import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import hedgerow as hr

N = 500
rng = np.random.default_rng(0)
LOG = {
    "ad": rng.choice(["a", "b", "c"], size=N),
    "click": rng.random(N) < 0.3,
    "age": rng.normal(size=N),
    "visits": rng.integers(5, size=N),
}
FRAMES = {
    "pandas": lambda log: pd.DataFrame(log),
    "polars": lambda log: pl.DataFrame(log),
    "polars lazy": lambda log: pl.LazyFrame(log),
    "pyarrow": lambda log: pa.table(log),
    "duckdb": lambda log: duckdb.from_arrow(pa.table(log)),
}


def by_arm(history):
    return {arm: history.sums[row] for row, arm in enumerate(history.arms)}


@pytest.mark.parametrize("context", [None, ["age", "visits"]], ids=["no context", "contexts"])
@pytest.mark.parametrize("kind", FRAMES)
def test_frames_give_the_sums_of_their_rounds(kind, context):
    frame = FRAMES[kind](LOG)
    history = hr.History.from_frame(frame, arm="ad", reward="click", context=context)
    X = None if context is None else np.column_stack([LOG[name] for name in context])
    rounds = hr.History.from_rounds(arms=LOG["ad"], rewards=LOG["click"], contexts=X)
    for arm, row in by_arm(rounds).items():
        assert by_arm(history)[arm] == pytest.approx(row, rel=1e-12)
    assert history.dimension == (None if context is None else 2)


def test_sums_are_what_they_say():
    history = hr.History.from_rounds(arms=["a", "b", "a"], rewards=[1.0, 2.0, 0.5], contexts=[[1, 2], [3, 4], [5, 6]])
    a = by_arm(history)["a"]
    assert a.tolist() == [2, 1.5, 1.25, 1 + 2.5, 2 + 3, 1 + 25, 2 + 30, 4 + 36, 1 + 5, 2 + 6]


def test_an_in_memory_frame_is_summed_in_slices(monkeypatch):
    whole = hr.History.from_frame(pl.DataFrame(LOG), arm="ad", reward="click", context="age")
    monkeypatch.setattr("hedgerow.data.group_by.SLICE_ROWS", 17)
    sliced = hr.History.from_frame(pl.DataFrame(LOG), arm="ad", reward="click", context="age")
    assert by_arm(sliced).keys() == by_arm(whole).keys()
    for arm, row in by_arm(whole).items():
        assert by_arm(sliced)[arm] == pytest.approx(row, rel=1e-12)


def test_addition_is_the_history_of_both():
    one = hr.History.from_rounds(arms=["a", "b"], rewards=[1, 0])
    two = hr.History.from_rounds(arms=["c", "a"], rewards=[1, 0.5])
    both = hr.History.from_rounds(arms=["a", "b", "c", "a"], rewards=[1, 0, 1, 0.5])
    assert {arm: row.tolist() for arm, row in by_arm(one + two).items()} == {
        arm: row.tolist() for arm, row in by_arm(both).items()
    }
    empty = hr.History.from_rounds(arms=[], rewards=[])
    assert (empty + one).sums.tolist() == one.sums.tolist() == (one + empty).sums.tolist()


def test_weight_multiplies_every_sum():
    history = hr.History.from_rounds(arms=["a"], rewards=[2.0], contexts=[[3.0]])
    assert history.weighted(0.5).sums.tolist() == [[0.5, 1.0, 2.0, 3.0, 4.5, 1.5]]
    cold, none = hr.HUCB(["a"]), hr.HUCB(["a"], history=history.weighted(0.0))
    assert str(cold.explain()) == str(none.explain())


def test_history_can_be_taken_out_replaced_and_weighted_later():
    history = hr.History.from_rounds(arms=["a", "b", "a"], rewards=[1, 0, 1])
    policy, other = (hr.HUCBC(["a", "b"], clusters=["x", "y"], history=start) for start in (history, None))
    for p in (policy, other):
        p.learn("b", 1.0)
    policy.history = None
    assert str(policy.explain()) == str(other.explain())
    policy.history = history.weighted(0.5)
    assert [score.history for score in policy.explain()] == [1.0, 0.5, 1.0, 0.5]
    assert policy.history.plays("a") == 1.0


def test_saved_and_loaded(tmp_path):
    history = hr.History.from_frame(pl.DataFrame(LOG), arm="ad", reward="click", context=["age"])
    history.save(tmp_path / "history.zip")
    loaded = hr.load(tmp_path / "history.zip")
    assert loaded.arms == history.arms
    assert np.array_equal(loaded.sums, history.sums)
    assert loaded.dimension == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: hr.History.from_rounds(arms=["a"], rewards=[1, 2]), "1 arms, rewards of shape"),
        (lambda: hr.History.from_rounds(arms=["a", "b"], rewards=[1, np.nan]), "round 1 has nan"),
        (lambda: hr.History.from_rounds(arms=["a"], rewards=[1], contexts=[[np.inf]]), "round 0 has"),
        (lambda: hr.History.from_rounds(arms=["a"], rewards=[1], contexts=[1.0]), "one row of numbers per round"),
        (lambda: hr.History.from_rounds(arms=[None], rewards=[1]), "got None"),
        (lambda: hr.History.from_rounds(arms=[["a"]], rewards=[1]), "unhashable"),
        (lambda: hr.History.from_rounds(arms=["a", "b"], rewards=[1, "x"]), "one number per round, row 1 has 'x'"),
        (lambda: hr.History.from_rounds(arms=["a"], rewards=[[1, 2], [1]]), "one number per round, row 1 is 1 long, row 0 is 2"),
        (
            lambda: hr.History.from_rounds(arms=["a", "b"], rewards=[1, 0], contexts=[[1, 2], [1]]),
            "one row of numbers per round, row 1 is 1 long, row 0 is 2",
        ),
        (lambda: hr.History.from_rounds(arms=["a"], rewards=[1], contexts=[[1, "x"]]), "row 0 has 'x'"),
        (lambda: hr.History.from_rounds(arms=["a"], rewards=[1], contexts=np.array([["x"]])), "row 0 has .*'x'"),
        (lambda: hr.History.from_rounds(arms=["a"], rewards=[1]).weighted(-1), "got -1"),
        (lambda: hr.HUCB(["b"], history=hr.History.from_rounds(arms=["a"], rewards=[1])), "history.only"),
        (
            lambda: hr.HLinUCB(["a"], history=hr.History.from_rounds(arms=["a"], rewards=[1])),
            "needs dimension=.* history that has contexts, as this one has not: make it with from_rounds",
        ),
        (
            lambda: hr.HLinUCB(["a"], history=hr.History.from_rounds(arms=["a"], rewards=[1]), dimension=2),
            r"no contexts, the policy needs contexts of 2: make it with from_rounds\(contexts=\)",
        ),
        (lambda: hr.HUCB(["a"], history={"a": 3}), "must be a hedgerow.History, got dict"),
        (
            lambda: (
                hr.History.from_rounds(arms=["a"], rewards=[1])
                + hr.History.from_rounds(arms=["a"], rewards=[1], contexts=[[1.0]])
            ),
            "cannot be added",
        ),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("kind", FRAMES)
def test_bad_frames(kind):
    def history(arm="ad", reward="click", **columns):
        return hr.History.from_frame(FRAMES[kind]({**LOG, **columns}), arm=arm, reward=reward)

    with pytest.raises(ValueError, match="the log has no column 'price'; its columns are 'ad', 'click'"):
        history(reward="price")
    with pytest.raises(ValueError, match="'ad' must hold numbers"):
        history(arm="click", reward="ad")
    for large in (np.inf, -1e120):
        with pytest.raises(ValueError, match="rewards must be finite, and below 1e\\+100"):
            history(reward="gain", gain=np.array([large] + [1.0] * (N - 1)))


@pytest.mark.parametrize("kind", FRAMES)
def test_rows_that_lack_something_are_left_out_and_counted(kind):
    log = {
        "ad": ["a", None, "a", "b", "a", "b"],
        "click": [1.0, 1.0, None, 0.5, 2.0, 3.0],
        "age": [1.0, 2.0, None, None, 3.0, float("nan")],
    }
    with pytest.warns(UserWarning, match="left out: 1 no arm, 1 no reward, 2 no age") as caught:
        history = hr.History.from_frame(FRAMES[kind](log), arm="ad", reward="click", context="age")
    assert len(caught) == 1
    assert history.missing == {"no arm": 1, "no reward": 1, "no age": 2}
    assert (history.arms, history.sums.tolist()) == (("a",), [[2.0, 3.0, 5.0, 7.0, 10.0, 4.0]])
    assert repr(history) == "History(1 arms, 2 plays, contexts of 1; left out: 1 no arm, 1 no reward, 2 no age)"


VALUES = st.one_of(st.none(), st.just(float("nan")), st.floats(-10, 10))


@settings(max_examples=40, deadline=None)
@given(rows=st.lists(st.tuples(st.sampled_from(["a", "b", None]), VALUES, VALUES), max_size=20), kind=st.sampled_from([*FRAMES]))
def test_whatever_is_missing_the_rest_is_summed(rows, kind):
    types = {"ad": pa.string(), "click": pa.float64(), "age": pa.float64()}
    columns = dict(zip(types, zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(types, ())
    table = pa.table({name: pa.array(list(columns[name]), type=types[name]) for name in types})
    make = {"pandas": table.to_pandas, "polars": lambda: pl.from_arrow(table), "pyarrow": lambda: table}
    make |= {"polars lazy": lambda: pl.from_arrow(table).lazy(), "duckdb": lambda: duckdb.from_arrow(table)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        history = hr.History.from_frame(make[kind](), arm="ad", reward="click", context="age")
    usable = [row for row in rows if None not in row and row[1] == row[1] and row[2] == row[2]]
    expected = hr.History.from_rounds(
        arms=[arm for arm, _, _ in usable],
        rewards=[reward for _, reward, _ in usable],
        contexts=np.array([[age] for _, _, age in usable]).reshape(-1, 1),
    )
    assert sum(history.missing.values()) == len(rows) - len(usable)
    assert set(history.arms) == set(expected.arms)
    for arm, row in by_arm(expected).items():
        assert by_arm(history)[arm] == pytest.approx(row, rel=1e-12, abs=1e-12)


def test_missing_rows_stay_counted(tmp_path):
    frame = pl.DataFrame({"a": ["u", None, "v"], "r": [1.0, 1.0, None]})
    with pytest.warns(UserWarning, match="left out"):
        history = hr.History.from_frame(frame, arm="a", reward="r")
    history.save(tmp_path / "history.zip")
    for kept in (history.weighted(0.5), history.only(["u"]), hr.load(tmp_path / "history.zip")):
        assert kept.missing == {"no arm": 1, "no reward": 1}
    assert (history + history).missing == {"no arm": 2, "no reward": 2}


def test_missing_arms_of_pandas_own_types():
    for dtype, values in (("string", ["a", None]), ("Int64", [1, None])):
        frame = pd.DataFrame({"arm": pd.array(values, dtype=dtype), "r": [1.0, 2.0]})
        with pytest.warns(UserWarning, match="1 no arm"):
            assert hr.History.from_frame(frame, arm="arm", reward="r").arms == (values[0],)


@pytest.mark.parametrize("name", ["log.parquet", "log.csv", "log.csv.gz", "log.tsv", "logs/*.parquet", "logs"])
def test_files_give_the_sums_of_their_rows(tmp_path, name):
    frame = pl.DataFrame(LOG)
    path = tmp_path / name
    if name.startswith("logs"):
        (tmp_path / "logs").mkdir()
        for i in range(5):
            frame[i * 100 : (i + 1) * 100].write_parquet(tmp_path / f"logs/{i}.parquet")
    elif name.endswith("parquet"):
        frame.write_parquet(path)
    else:
        text = frame.write_csv(separator="\t" if name.endswith("tsv") else ",").encode()
        path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    history = hr.History.from_file(path, arm="ad", reward="click", context=["age", "visits"])
    expected = hr.History.from_frame(frame, arm="ad", reward="click", context=["age", "visits"])
    assert history.arms == expected.arms == ("a", "b", "c")
    assert history.sums == pytest.approx(expected.sums, rel=1e-12)
    assert history.encoding == expected.encoding


def test_a_bad_file_is_named(tmp_path):
    (tmp_path / "log.csv").write_text("ad,click\na,1\nb,many\n")
    with pytest.raises(ValueError, match="'click' must hold numbers, it holds String such as 'many'"):
        hr.History.from_file(tmp_path / "log.csv", arm="ad", reward="click")


def test_ids_of_64_bits_are_kept_or_refused_but_never_changed():
    far = np.array([-(2**62) - 5, 2**62 + 7, 2**62 + 7])
    assert hr.History.from_rounds(arms=far, rewards=[1, 0, 1]).arms == (-(2**62) - 5, 2**62 + 7)
    assert hr.History.from_rounds(arms=np.array([100, -100] * 99, dtype=np.int8), rewards=np.ones(198)).arms == (-100, 100)
    near = np.array([2**63 - 1, 2**63 - 3, 2**63 - 1], dtype=np.uint64)
    assert hr.History.from_rounds(arms=near, rewards=[1, 0, 1]).arms == (2**63 - 3, 2**63 - 1)
    for large in ([2**63 + 5, 1], [2**63 + 5, 2**63 + 5]):
        frame = pl.DataFrame({"a": pl.Series(large, dtype=pl.UInt64), "r": [1.0, 0.0]})
        for make in (
            lambda frame: hr.History.from_rounds(arms=frame["a"].to_numpy(), rewards=frame["r"]),
            lambda frame: hr.History.from_frame(frame, arm="a", reward="r"),
            lambda frame: hr.Log.read(frame, arm="a", reward="r"),
        ):
            with pytest.raises(ValueError, match="got 9223372036854775813: write it as text"):
                make(frame)


def test_history_of_other_arms_can_be_left_out():
    history = hr.History.from_rounds(arms=["a", "old"], rewards=[1, 0])
    assert hr.HUCB(["a", "b"], history=history.only(["a", "b"])).history.plays("a") == 1


def test_a_part_that_keeps_nothing_is_pointed_out():
    log = hr.History.from_rounds(arms=[1, 2], rewards=[0.0, 1.0])
    with pytest.warns(UserWarning, match="none of '1' is in the history, whose arms are 1, 2"):
        assert log.only(["1"]).arms == ()


@pytest.mark.parametrize("context", [["click"], ["ad"], ["age", "age"]])
def test_a_column_plays_one_part(context):
    with pytest.raises(ValueError, match="is given twice"):
        hr.History.from_frame(pl.DataFrame(LOG), arm="ad", reward="click", context=context)


def test_many_columns_of_a_pandas_frame_are_no_cause_for_warnings():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"arm": rng.choice(["a", "b"], 200), "r": rng.random(200), "city": rng.choice(list("abcdefghijklm"), 200)}
    )
    assert hr.History.from_frame(frame, arm="arm", reward="r", context=["city"]).dimension == 13


def test_a_number_too_large_for_a_double_is_named():
    with pytest.raises(ValueError, match="rewards must give one number per round, row 1 has 1000"):
        hr.History.from_rounds(arms=["a", "b"], rewards=[1, 10**400])
