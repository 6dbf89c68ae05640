"""Contexts of numbers, truth values and categories: the same vectors in a history and in a later choice."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from engines import duckdb
from engines import pyarrow as pa

import hedgerow as hr
from hedgerow.data.context_column import Column
from hedgerow.data.encoding import Encoding, encoded

ROWS = {
    "ad": ["a", "b", "a", "b", "a"],
    "click": [1.0, 0.0, 0.5, 1.0, 0.0],
    "age": [20.0, 30.0, 40.0, 50.0, 60.0],
    "new": [True, False, False, True, True],
    "city": ["Oslo", "Rome", None, "Oslo", "Bonn"],
}
FRAMES = {
    "pandas": lambda rows: pd.DataFrame(rows),
    "pandas categories": lambda rows: pd.DataFrame(rows).astype({"city": "category"}),
    "polars": lambda rows: pl.DataFrame(rows),
    "polars lazy": lambda rows: pl.LazyFrame(rows),
    "polars categories": lambda rows: pl.DataFrame(rows).with_columns(pl.col("city").cast(pl.Categorical)),
    "polars enum": lambda rows: pl.DataFrame(rows).with_columns(pl.col("city").cast(pl.Enum(["Rome", "Oslo", "Bonn"]))),
    "pyarrow": lambda rows: pa.table(rows),
    "duckdb": lambda rows: duckdb.from_arrow(pa.table(rows)),
}
CONTEXT = ["new", "city", "age"]


@pytest.mark.parametrize("scale", [False, True], ids=["as they are", "scaled"])
@pytest.mark.parametrize("kind", FRAMES)
def test_a_history_holds_the_sums_of_the_vectors_that_its_encoding_gives(kind, scale):
    history = hr.History.from_frame(FRAMES[kind](ROWS), arm="ad", reward="click", context=CONTEXT, scale=scale)
    assert history.encoding.names == ("new", "city=Bonn", "city=Oslo", "city=Rome", "age")
    assert history.dimension == 5
    vectors = [history.encoding.vector({name: ROWS[name][row] for name in CONTEXT}) for row in range(5)]
    rounds = hr.History.from_rounds(arms=ROWS["ad"], rewards=ROWS["click"], contexts=vectors)
    assert history.arms == rounds.arms
    assert history.sums == pytest.approx(rounds.sums, rel=1e-12, abs=1e-12)
    assert not history.missing


def test_vectors_of_raw_values():
    history = hr.History.from_frame(pl.DataFrame(ROWS), arm="ad", reward="click", context=CONTEXT, scale=True)
    encoding = history.encoding
    assert encoding.columns[2] == Column("age", mean=40.0, deviation=pytest.approx(200**0.5))
    assert encoding.vector({"age": 40, "city": "Rome", "new": True, "more": 1}) == (1.0, 0.0, 0.0, 1.0, 0.0)
    for unknown in ("Paris", None, float("nan")):
        assert encoding.vector({"age": np.float32(40), "city": unknown, "new": np.bool_(False)}) == (0.0,) * 5
    with pytest.raises(ValueError, match="'city' is a category of text such as 'Bonn', got 3"):
        encoding.vector({"age": 40, "city": 3, "new": True})
    with pytest.raises(ValueError, match="the context lacks 'age', 'city'|lacks 'city', 'age'"):
        encoding.vector({"new": True})
    for missing in (None, float("nan"), pd.NA):
        assert encoding.vector({"age": missing, "city": "Rome", "new": True}) == (1.0, 0.0, 0.0, 1.0, 0.0)
    for odd in ("40", float("inf")):
        with pytest.raises(ValueError, match="context 'age' must be a finite number, got"):
            encoding.vector({"age": odd, "city": "Rome", "new": True})


def test_many_raw_values_of_a_log():
    log = hr.Log.read(pl.DataFrame(ROWS), arm="ad", reward="click", context=["city", "age"])
    encoding = hr.Encoding.of(log.context, scale=True)
    matrix = encoding.matrix(log.context)
    for row in range(len(log)):
        raw = {name: log.context[name][row] for name in ("city", "age")}
        assert tuple(matrix[row]) == encoding.vector(raw)
    assert matrix[:, -1].mean() == pytest.approx(0.0)
    assert matrix[:, -1].std() == pytest.approx(1.0)
    with pytest.raises(ValueError, match="the contexts lack 'age'"):
        encoding.matrix({"city": log.context["city"]})
    with pytest.raises(ValueError, match="context 'age' must be numbers, row 1 has 'old'"):
        encoding.matrix({"city": log.context["city"], "age": [31, "old"]})


def test_rows_left_out_do_not_count_in_the_scale():
    frame = pl.DataFrame({"a": ["u", "u", None], "r": [1.0, 2.0, 3.0], "x": [1.0, 3.0, 1000.0]})
    with pytest.warns(UserWarning, match="1 no arm"):
        history = hr.History.from_frame(frame, arm="a", reward="r", context="x", scale=True)
    assert history.encoding.columns == (Column("x", mean=2.0, deviation=1.0),)


def test_a_column_that_never_varies_stays_as_it_is():
    frame = pl.DataFrame({"a": ["u", "u"], "r": [1.0, 2.0], "x": [7.0, 7.0]})
    history = hr.History.from_frame(frame, arm="a", reward="r", context="x", scale=True)
    assert history.encoding.vector({"x": 9.0}) == (9.0,)


def test_the_encoding_is_saved_and_kept(tmp_path):
    history = hr.History.from_frame(pl.DataFrame(ROWS), arm="ad", reward="click", context=CONTEXT, scale=True)
    history.save(tmp_path / "history.zip")
    for kept in (hr.load(tmp_path / "history.zip"), history.weighted(0.1), history.only(["a"]), history + history):
        assert kept.encoding == history.encoding


def test_histories_are_added_only_with_the_same_encoding():
    def history(rows, context=CONTEXT, **options):
        return hr.History.from_frame(pl.DataFrame(ROWS)[rows], arm="ad", reward="click", context=context, **options)

    first = history(slice(0, 3), scale=True)
    with pytest.raises(ValueError, match="different encodings cannot be added.*context="):
        first + history(slice(3, 5), scale=True)
    both = first + history(slice(3, 5), context=first.encoding)
    assert both.sums == pytest.approx(history(slice(0, 5), context=first.encoding).sums)
    plain = hr.History.from_frame(pl.DataFrame(ROWS), arm="ad", reward="click", context="age")
    unnamed = hr.History.from_rounds(arms=["a"], rewards=[1.0], contexts=[[2.0]])
    assert (unnamed + plain).encoding == plain.encoding
    scaled = hr.History.from_frame(pl.DataFrame(ROWS), arm="ad", reward="click", context="age", scale=True)
    with pytest.raises(ValueError, match="different encodings"):
        unnamed + scaled


def test_rounds_that_were_read_by_one_encoding_do_not_mix_with_another():
    def history(rows):
        return hr.History.from_frame(pl.DataFrame(ROWS)[rows], arm="ad", reward="click", context="age", scale=True)

    young, old = history(slice(0, 3)), history(slice(2, 5))
    policy, worker = hr.HLinUCB(["a", "b"], history=young), hr.HLinUCB(["a", "b"], history=old)
    with pytest.raises(ValueError, match="experts must read contexts alike: .*mean=30.*mean=50.*context="):
        hr.Meta({"young": policy, "old": worker})
    policy.history = old
    policy.history = young
    policy.expect(policy.select({"age": 30}))
    for _ in range(2):
        with pytest.raises(ValueError, match="HLinUCB has learnt from contexts that the history reads differently: .*30.*50"):
            policy.history = old
        assert policy.encoding == young.encoding
        policy.update(policy.select({"age": 30}), 1.0)
    policy.history = young.weighted(0.1)
    policy.history = None
    assert policy.encoding == young.encoding
    with pytest.raises(ValueError, match="only workers that read contexts alike can be merged"):
        policy.merge(worker)


def test_bad_encodings():
    frame = pl.DataFrame(ROWS)
    many = pl.DataFrame({"a": ["u"] * 2000, "r": [1.0] * 2000, "x": [str(i) for i in range(2000)]})
    with pytest.raises(ValueError, match="'x' has more than 1000 distinct texts"):
        hr.History.from_frame(many, arm="a", reward="r", context="x")
    encoding = hr.Encoding((Column("city"),))
    with pytest.raises(ValueError, match="'city' must hold numbers, as in the given encoding"):
        hr.History.from_frame(frame, arm="ad", reward="click", context=encoding)
    with pytest.raises(ValueError, match="leave scale=True out"):
        hr.History.from_frame(frame, arm="ad", reward="click", context=encoding, scale=True)
    with pytest.raises(ValueError, match="contexts must be finite, those of column 'x'"):
        hr.History.from_frame(pl.DataFrame({"a": [1], "r": [1], "x": [np.inf]}), arm="a", reward="r", context="x", scale=True)
    with pytest.raises(ValueError, match="the encoding gives 1 numbers"):
        hr.History(["a"], np.zeros((1, 3)), encoding=encoding)
    for columns in ([{"name": 3}], [{"name": "x", "levels": []}], [{"name": "x", "deviation": 0.0}]):
        with pytest.raises(ValueError, match="context column"):
            hr.Encoding.from_json(columns)


def test_a_context_is_encoded_only_if_it_names_its_values():
    policy = SimpleNamespace(name="LinUCB", dimension=None, encoding=hr.Encoding((Column("age", mean=30.0, deviation=10.0),)))
    assert encoded({"age": 40}, policy) == (1.0,)
    assert encoded([40.0], policy) == [40.0]
    assert encoded(None, policy) is None
    with pytest.raises(ValueError, match="LinUCB has no history that says what its contexts are made of"):
        encoded({"age": 40}, SimpleNamespace(name="LinUCB", encoding=None))


@pytest.mark.parametrize("make", [hr.HLinUCB, hr.META], ids=lambda make: make.__name__)
def test_many_contexts_of_raw_values(make):
    frame = pl.DataFrame({"ad": ["a", "b"] * 10, "click": [0, 1] * 10, "age": range(20), "city": ["Oslo", "Rome"] * 10})
    log = hr.History.from_frame(frame, arm="ad", reward="click", context=["age", "city"])
    policy = make(["a", "b"], history=log, dimension=3)
    raw = [{"age": 3, "city": "Rome"}, {"age": 17, "city": "Oslo"}]
    assert [decision.arm for decision in policy.select_many(raw)] == [policy.select(context).arm for context in raw]
    for rows in (pl.DataFrame(raw), pd.DataFrame(raw)):
        assert policy.select_many(rows) == policy.select_many(raw)
    assert policy.select(pd.DataFrame(raw).iloc[1]) == policy.select(raw[1])
    assert policy.select_many([row for _, row in pd.DataFrame(raw)[["city", "age"]].iterrows()]) == policy.select_many(raw)
    assert policy.select_many([]) == []
    numbers = pd.DataFrame([[3.0, 0.0, 1.0]])
    assert policy.select_many(numbers) == policy.select_many(numbers.to_numpy())
    assert policy.select(numbers.iloc[0]) == policy.select([3.0, 0.0, 1.0])


@pytest.mark.parametrize("make", [hr.Auto, hr.HLinUCBC, hr.META], ids=lambda make: make.__name__)
def test_rounds_of_others_may_have_raw_values_too(make):
    frame = pl.DataFrame(
        {"ad": list("abcd") * 5, "click": [0, 1] * 10, "age": range(20), "city": ["Oslo", "Rome", "Rome"] * 6 + ["Oslo"] * 2}
    )
    log = hr.History.from_frame(frame, arm="ad", reward="click", context=["age", "city"])
    raw = {"age": 3, "city": "Rome"}
    policies = [make(list("abcd"), clusters=list("xxyy"), history=log, dimension=3) for _ in range(2)]
    for policy, context in zip(policies, (raw, log.encoding.vector(raw)), strict=True):
        policy.learn("a", 1.0, context)
    assert str(policies[0].explain(raw)) == str(policies[1].explain(raw))
    with pytest.raises(ValueError, match="age"):
        policies[0].learn("a", 1.0, {"city": "Rome"})


def test_numbers_among_which_there_is_text_are_pointed_out():
    with pytest.warns(UserWarning, match="'age' is taken as a category of 4 levels: beside numbers it holds text such as 'N/A'"):
        Encoding.of({"age": np.array(["31", "N/A", "44", "29"], dtype=object)})


@pytest.mark.parametrize("frame", [pd.DataFrame({"age": [31.0]}), pl.DataFrame({"age": [31.0]})], ids=["pandas", "polars"])
def test_a_frame_is_no_context(frame):
    log = pl.DataFrame({"arm": ["a", "b", "a"], "r": [0.0, 1.0, 1.0], "age": [20.0, 30.0, 40.0]})
    policy = hr.Auto(["a", "b"], history=hr.History.from_frame(log, arm="arm", reward="r", context=["age"]))
    with pytest.raises(ValueError, match="a context is one row: .* select_many"):
        policy.select(frame)
    assert len(policy.select_many(frame).arms) == 1


def test_values_that_are_no_text_are_read_as_a_level_if_they_look_like_one():
    encoding = Encoding((Column("member", levels=("False", "True")), Column("kind", levels=("1", "2"))))
    assert encoding.vector({"member": True, "kind": 2}) == (0.0, 1.0, 0.0, 1.0)
    found = encoding.matrix({"member": ["True", False], "kind": np.array([1, 2])})
    assert found.tolist() == [[0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0]]
    with pytest.raises(ValueError, match="'kind' is a category of text such as '1', got 2.0"):
        encoding.vector({"member": True, "kind": 2.0})


def test_truth_values_are_not_scaled_whoever_reads_them():
    frame = pl.DataFrame({"ad": ["a", "b"] * 10, "click": [0, 1] * 10, "age": range(20), "new": [True, False, False, True] * 5})
    names = {"arm": "ad", "reward": "click", "context": ["age", "new"]}
    one = hr.History.from_frame(frame, scale=True, **names)
    other = hr.History.from_log(hr.Log.read(frame, **names), scale=True)
    assert one.encoding == other.encoding
    assert one.encoding.columns[1] == Column("new")
    assert (one + other).sums == pytest.approx(2.0 * one.sums)


def scaled_and_raw():
    frame = pl.DataFrame({"ad": ["a", "b"] * 10, "click": [0.0, 1.0] * 10, "age": [float(age) for age in range(20, 40)]})
    scaled = hr.History.from_frame(frame, arm="ad", reward="click", context="age", scale=True)
    raw = hr.History.from_rounds(arms=frame["ad"].to_list(), rewards=frame["click"].to_list(), contexts=frame[["age"]].rows())
    return scaled, raw


def test_a_history_of_other_numbers_takes_its_own_encoding_along_or_is_refused():
    scaled, raw = scaled_and_raw()
    policy = hr.HLinUCB(["a", "b"], history=scaled)
    policy.history = raw
    assert policy.encoding is None
    policy.history = scaled
    assert policy.encoding == scaled.encoding
    policy.update(policy.select({"age": 30.0}), 1.0)
    with pytest.raises(ValueError, match="reads differently"):
        policy.history = raw
    policy.history = None
    assert policy.encoding == scaled.encoding
    other = hr.HLinUCB(["a", "b"], history=raw)
    other.update(other.select([30.0]), 1.0)
    with pytest.raises(ValueError, match="reads differently"):
        other.history = scaled


def test_columns_of_other_names_are_refused():
    scaled, raw = scaled_and_raw()
    policy = hr.HLinUCB(["a", "b"], history=scaled)
    with pytest.raises(ValueError, match="are made of 'age', got columns 'Age'"):
        policy.select_many(pl.DataFrame({"Age": [40.0]}))
    assert policy.select_many(pl.DataFrame({"age": [40.0]}))[0].context == scaled.encoding.vector({"age": 40.0})
    assert hr.HLinUCB(["a", "b"], history=raw).select_many(pl.DataFrame({"Age": [40.0]}))[0].context == (40.0,)
