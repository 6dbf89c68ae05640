"""Raw contexts without a history: ``context=`` says what they are made of, and what is unknown is counted."""

import pickle
from copy import deepcopy
from threading import Thread

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from engines import pyarrow as pa

import hedgerow as hr

ROWS = {"age": [20.0, 30.0, None, 40.0], "new": [True, False, True, False], "city": ["Oslo", "Rome", "Oslo", None]}
NAMES = ("age", "new", "city=Oslo", "city=Rome")
DECLARED = {"age": "number", "device": ["mobile", "desktop"]}
SAMPLES = {
    "mapping": lambda rows: rows,
    "arrays": lambda rows: {name: np.array(values) for name, values in rows.items()},
    "series": lambda rows: {name: pl.Series(values) for name, values in rows.items()},
    "pandas": pd.DataFrame,
    "pandas nullable": lambda rows: pd.DataFrame(rows).convert_dtypes(),
    "pandas categories": lambda rows: pd.DataFrame(rows).astype({"city": "category"}),
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": lambda rows: pa.table(rows),
    "narwhals": lambda rows: nw.from_native(pl.DataFrame(rows)),
}
CLUSTERED = {"clusters": ["x", "x", "y"]}
POLICIES = {
    "LinUCB": hr.LinUCB,
    "HLinUCB": hr.HLinUCB,
    "LinUCBC": lambda arms, **given: hr.LinUCBC(arms, **CLUSTERED, **given),
    "HLinUCBC": lambda arms, **given: hr.HLinUCBC(arms, **CLUSTERED, **given),
    "HierLinUCB": lambda arms, **given: hr.HierLinUCB(arms, **CLUSTERED, **given),
    "Auto": lambda arms, **given: hr.Auto(arms, **CLUSTERED, **given),
    "META": lambda arms, **given: hr.META(arms, **CLUSTERED, **given),
    "LinTSC": lambda arms, **given: hr.LinTSC(arms, **CLUSTERED, **given),
    "Bandit": lambda arms, **given: hr.Bandit(arms, hr.rules.linucb(1.0), **given),
}
ARMS = ["a", "b", "c"]
WARM = [name for name in POLICIES if name not in ("LinUCB", "LinUCBC")]


@pytest.fixture
def saved_bytes(tmp_path):
    def read(policy):
        policy.save(tmp_path / "policy")
        return (tmp_path / "policy").read_bytes()

    return read


@pytest.mark.parametrize("kind", SAMPLES)
def test_any_sample_makes_an_encoding(kind):
    encoding = hr.Encoding.of(SAMPLES[kind](ROWS))
    assert encoding.names == NAMES
    assert encoding == hr.Encoding.of(ROWS)
    assert encoding.vector({"age": 25, "new": True, "city": "Rome"}) == (25.0, 1.0, 0.0, 1.0)
    assert encoding.vector({"age": None, "new": False, "city": "Bonn"}) == (30.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("kind", SAMPLES)
def test_numbers_are_scaled_by_the_values_that_are_there(kind):
    encoding = hr.Encoding.of(SAMPLES[kind](ROWS), scale=True)
    deviation = np.std([20.0, 30.0, 40.0])
    assert encoding.vector({"age": 20, "new": True, "city": "Oslo"}) == pytest.approx((-10.0 / deviation, 1.0, 1.0, 0.0))
    assert encoding.vector({"age": float("nan"), "new": None, "city": None}) == (0.0, 0.5, 0.0, 0.0)


def test_columns_can_be_declared():
    encoding = hr.Encoding.of(DECLARED)
    assert encoding.names == ("age", "device=desktop", "device=mobile")
    assert encoding == hr.Encoding.of({"age": [31, 45], "device": {"mobile", "desktop"}})
    assert encoding.vector({"age": None, "device": "mobile"}) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        ({"age": "numbers"}, "context 'age' must be \"number\" or a list of its levels or values, got 'numbers'"),
        ({"age": []}, "context 'age' must be \"number\" or a list"),
        ({"age": [[1.0], [2.0]]}, "context 'age' must be \"number\" or a list"),
        ({"day": np.array(["2026-01-01"], dtype="datetime64[D]")}, "context 'day' must hold numbers or text, got"),
        ({"city": [None, None]}, "column 'city' holds no text at all"),
        ({}, "names of text, and there must be one, got"),
        ({3: [1.0]}, "names of text, and there must be one, got"),
        (pd.DataFrame([[1.0, 2.0]]), "names of text, and there must be one, got"),
        (pl.DataFrame({"day": [None]}), "column 'day' must hold numbers"),
        (["age", "city"], "described by a data frame of some, or by a mapping such as .*, got \\['age', 'city'\\]"),
    ],
)
def test_what_is_no_sample_is_refused(sample, message):
    with pytest.raises(ValueError, match=message):
        hr.Encoding.of(sample)
    with pytest.raises(ValueError, match=message):
        hr.Auto(ARMS, context=sample)


@pytest.mark.parametrize("make", POLICIES.values(), ids=POLICIES)
@pytest.mark.parametrize("context", [DECLARED, hr.Encoding.of(DECLARED)], ids=["declared", "encoding"])
def test_every_policy_with_contexts_takes_raw_ones_from_the_first_day(make, context, saved_bytes, tmp_path):
    policy, numbers = make(ARMS, context=context), make(ARMS, dimension=3)
    assert policy.dimension == 3
    assert policy.encoding == hr.Encoding.of(DECLARED)
    for t in range(12):
        raw = {"age": t % 5, "device": ("mobile", "desktop", "watch")[t % 3]}
        x = policy.encoding.vector(raw)
        assert policy.select(raw) == numbers.select(x)
        policy.update(policy.select(raw), t % 2)
        numbers.update(numbers.select(x), t % 2)
    before = saved_bytes(policy)
    again = hr.load(tmp_path / "policy")
    odd = {"age": None, "device": "fridge"}
    assert again.encoding == policy.encoding
    assert again.select(odd) == policy.select(odd)
    rows = pd.DataFrame([{"age": 3.0, "device": "mobile"}, {"age": None, "device": None}])
    assert again.select_many(rows) == policy.select_many(rows.to_dict("records"))
    assert saved_bytes(policy) == before


@pytest.mark.parametrize("name", ["Auto", "META"])
def test_what_is_unknown_is_counted_and_never_part_of_the_state(name, saved_bytes, tmp_path):
    policy = POLICIES[name](ARMS, context=DECLARED)
    policy.update(policy.select({"age": 31, "device": "mobile"}), 1.0)
    before = saved_bytes(policy)
    assert policy.encoding.unknown == {}
    for age, device in ((None, "mobile"), (float("nan"), "watch"), (pd.NA, None), (31, "desktop")):
        policy.select({"age": age, "device": device})
    assert policy.encoding.unknown == {"age": 3, "device": 2}
    policy.select_many(pl.DataFrame({"age": [1, None], "device": ["watch", "mobile"]}))
    assert policy.encoding.unknown == {"age": 4, "device": 3}
    assert saved_bytes(policy) == before
    for copy in (deepcopy(policy), pickle.loads(pickle.dumps(policy)), hr.load(tmp_path / "policy")):
        assert copy.encoding == policy.encoding
        assert copy.encoding.unknown == {}
    assert hash(policy.encoding) == hash(hr.Encoding.of(DECLARED))


def test_policies_count_for_themselves():
    encoding = hr.Encoding.of(DECLARED)
    one, other = hr.Auto(ARMS, context=encoding), hr.Auto(ARMS, context=encoding)
    one.select({"age": None, "device": "mobile"})
    assert (one.encoding.unknown, other.encoding.unknown, encoding.unknown) == ({"age": 1}, {}, {})


def test_threads_lose_no_count():
    encoding = hr.Encoding.of({"device": ["mobile"]})
    threads = [Thread(target=lambda: [encoding.vector({"device": "watch"}) for _ in range(2000)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert encoding.unknown == {"device": 8000}


def test_levels_that_are_whole_numbers_may_be_unknown_too():
    encoding = hr.Encoding.of({"store": ["1", "2"]})
    assert [encoding.vector({"store": store}) for store in (2, np.int64(3))] == [(0.0, 1.0), (0.0, 0.0)]
    assert encoding.unknown == {"store": 1}


def test_what_is_no_number_is_still_refused():
    policy = hr.Auto(ARMS, context=DECLARED)
    for odd in ("31", float("inf"), [31]):
        with pytest.raises(ValueError, match="context 'age' must be a finite number, got"):
            policy.select({"age": odd, "device": "mobile"})
    with pytest.raises(ValueError, match="the context lacks 'age'"):
        policy.select({"device": "mobile"})
    with pytest.raises(ValueError, match="context must be finite"):
        policy.select([float("nan"), 0.0, 1.0])
    assert not policy.encoding.unknown


def logged(context, **options):
    frame = pl.DataFrame(
        {"ad": ARMS * 4, "click": [0, 1] * 6, "age": [float(age) for age in range(20, 32)], "device": ["mobile", "desktop"] * 6}
    )
    return hr.History.from_frame(frame, arm="ad", reward="click", context=context, **options)


@pytest.mark.parametrize("name", WARM)
def test_a_history_must_read_contexts_as_context_says(name):
    make, encoding = POLICIES[name], hr.Encoding.of(DECLARED)
    raw = {"age": 25, "device": "mobile"}
    for history in (logged(encoding), logged(["age", "device"])):
        policy = make(ARMS, context=encoding, history=history)
        assert policy.encoding == encoding
        assert policy.select(raw) == make(ARMS, history=history).select(raw)
    numbers = hr.History.from_rounds(arms=["a"], rewards=[1.0], contexts=[[31.0, 0.0, 1.0]])
    for other in (logged(["age", "device"], scale=True), logged(["device", "age"]), logged(["age"]), numbers):
        with pytest.raises(ValueError, match="read contexts as context= says, its history reads them differently: .*; make the"):
            make(ARMS, context=encoding, history=other)
    plain = hr.History.from_rounds(arms=["a"], rewards=[1.0], contexts=[[31.0]])
    policy = make(ARMS, context={"age": "number"}, history=plain)
    policy.history = plain.weighted(0.5)
    assert policy.select({"age": 31}).context == (31.0,)
    with pytest.raises(ValueError, match="history has no contexts"):
        make(ARMS, context=encoding, history=hr.History.from_rounds(arms=["a"], rewards=[1.0]))


def test_a_history_knows_the_means_of_its_numbers():
    policy = hr.HLinUCB(ARMS, history=logged(["age", "device"]))
    assert policy.select({"age": None, "device": "mobile"}).context == (25.5, 0.0, 1.0)
    declared = hr.HLinUCB(ARMS, context=DECLARED, history=logged(["age", "device"]))
    assert declared.select({"age": None, "device": None}).context == (25.5, 0.0, 0.0)
    sampled = hr.HLinUCB(ARMS, context={"age": [40, 50], "device": ["mobile", "desktop"]}, history=logged(["age", "device"]))
    assert sampled.select({"age": None, "device": None}).context == (45.0, 0.0, 0.0)


@pytest.mark.parametrize("make", POLICIES.values(), ids=POLICIES)
def test_dimension_and_context_must_agree(make):
    assert make(ARMS, context=DECLARED, dimension=3).dimension == 3
    with pytest.raises(ValueError, match="context= gives 3 numbers, 'age', .*, and dimension=8 differs: leave dimension= out"):
        make(ARMS, context=DECLARED, dimension=8)


def test_a_policy_without_contexts_takes_no_context():
    with pytest.raises(ValueError, match="takes no contexts: leave context= out"):
        hr.Bandit(ARMS, hr.rules.ucb(1.0), context=DECLARED)


@pytest.mark.parametrize("make", POLICIES.values(), ids=POLICIES)
def test_a_policy_that_knows_no_names_says_what_to_do(make):
    with pytest.raises(ValueError, match=r"make it with context=, or give numbers, got \{'age': 31\}"):
        make(ARMS, dimension=8).select({"age": 31})


def test_a_history_added_later_keeps_the_counts_and_the_way_contexts_are_read():
    policy = hr.HLinUCB(ARMS, context=DECLARED)
    policy.update(policy.select({"age": None, "device": "mobile"}), 1.0)
    policy.history = logged(["age", "device"])
    assert policy.select({"age": None, "device": "mobile"}).context == (0.0, 0.0, 1.0)
    assert policy.encoding.unknown == {"age": 2}


def test_workers_made_of_one_declaration_can_be_merged():
    one, other = (hr.Auto(ARMS, context=DECLARED) for _ in range(2))
    for worker in (one, other):
        worker.learn("a", 1.0, {"age": 31, "device": "mobile"})
    one.merge(other)
    assert one.rounds == 2
    with pytest.raises(ValueError, match="only workers that read contexts alike can be merged"):
        one.merge(hr.Auto(ARMS, context={"x": "number", "y": "number", "z": "number"}))


def test_experts_of_a_meta_share_what_they_were_made_with():
    experts = [hr.LinUCB(ARMS, context=DECLARED), hr.LinTSC(ARMS, context=DECLARED)]
    assert hr.Meta(experts).select({"age": 31, "device": "mobile"}).context == (31.0, 0.0, 1.0)


@pytest.mark.parametrize("make", POLICIES.values(), ids=POLICIES)
def test_a_row_of_a_matrix_is_a_context(make):
    policy = make(ARMS, dimension=2)
    flat = policy.select([0.5, 1.0])
    for row in (np.array([[0.5, 1.0]]), [[0.5, 1.0]], np.array([[0.5, 1.0]], dtype=np.float32)):
        assert policy.select(row) == flat
        policy.learn("a", 1.0, row)
        flat = policy.select([0.5, 1.0])
    with pytest.raises(ValueError, match=r"context must be 2 numbers, got shape \(2, 1\)"):
        policy.select(np.array([[0.5], [1.0]]))


@pytest.mark.parametrize("make", [hr.Auto, hr.META])
def test_a_context_that_was_forgotten_is_asked_for_by_the_names_of_its_values(make):
    with pytest.raises(ValueError, match="needs a context: a mapping with 'age', 'device', or 3 numbers; got none"):
        make(ARMS, context=DECLARED).select()
