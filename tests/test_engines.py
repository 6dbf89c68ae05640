"""A local Dask cluster, a local Spark session and local Ray: the same sums and the same trials as one process."""

import shutil
import sys
from functools import partial

import numpy as np
import polars as pl
import pytest

import hedgerow as hr
from benchmarks.wild import results, run
from hedgerow.experiments.problems import SyntheticClassical

N = 2000
rng = np.random.default_rng(5)
LOG = pl.DataFrame(
    {
        "ad": [None, *rng.choice(["a", "b", "c"], size=N - 1)],
        "click": [1.0, None, *rng.random(N - 2)],
        "age": [1.0, 1.0, None, *rng.normal(40, 10, size=N - 3)],
        "new": rng.random(N) < 0.5,
        "city": [None if i % 50 == 0 else city for i, city in enumerate(rng.choice(["Oslo", "Rome"], size=N))],
    }
)
MISSING = {"no arm": 1, "no reward": 1, "no age": 1}
CONTEXT = ["age", "new", "city"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),  # PySpark of pandas 3
]


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as workers,
        distributed.Client(workers) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def spark():
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Spark needs a Java runtime")
    options = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.driver.bindAddress": "127.0.0.1"}
    session = sql.SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    yield session
    session.stop()


def in_dask(log):
    import dask.dataframe as dd

    return dd.from_pandas(log.to_pandas(), npartitions=3)


@pytest.fixture(scope="module")
def in_spark(spark, tmp_path_factory):
    path = tmp_path_factory.mktemp("spark") / "log.parquet"
    LOG.write_parquet(path)
    return spark.read.parquet(str(path))


def check(history, scale=False):
    with pytest.warns(UserWarning, match="left out"):
        expected = hr.History.from_frame(LOG, arm="ad", reward="click", context=CONTEXT, scale=scale)
    assert history.arms == expected.arms
    assert history.encoding.names == expected.encoding.names
    assert history.sums == pytest.approx(expected.sums, rel=1e-10, abs=1e-10 if scale else 0.0)
    assert history.missing == expected.missing == MISSING


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("scale", [False, True], ids=["as they are", "scaled"])
def test_dask_gives_the_sums_of_one_machine(scale):
    with pytest.warns(UserWarning, match="left out"):
        history = hr.History.from_frame(in_dask(LOG), arm="ad", reward="click", context=CONTEXT, scale=scale)
    check(history, scale)


@pytest.mark.parametrize("scale", [False, True], ids=["as they are", "scaled"])
def test_spark_gives_the_sums_of_one_machine(in_spark, scale):
    with pytest.warns(UserWarning, match="left out"):
        history = hr.History.from_frame(in_spark, arm="ad", reward="click", context=CONTEXT, scale=scale)
    check(history, scale)


def test_the_query_for_spark_gives_them_too(spark, in_spark):
    in_spark.createOrReplaceTempView("log")
    with pytest.warns(UserWarning, match="left out"):
        expected = hr.History.from_frame(LOG, arm="ad", reward="click", context=CONTEXT)
    query = hr.History.sql("log", arm="ad", reward="click", context=expected.encoding, dialect="spark")
    with pytest.warns(UserWarning, match="1 no arm, 1 no reward, 1 no context"):
        history = hr.History.from_sums(spark.sql(query), context=expected.encoding)
    assert sorted(history.arms) == list(expected.arms)
    rows = [history.arms.index(arm) for arm in expected.arms]
    assert history.sums[rows] == pytest.approx(expected.sums, rel=1e-10)


@pytest.mark.usefixtures("cluster")
def test_bad_frames_are_refused_in_a_sentence(spark, in_spark):
    for frame in (in_spark, in_dask(LOG)):
        with pytest.raises(ValueError, match="no column 'price'"):
            hr.History.from_frame(frame, arm="ad", reward="price")
        with pytest.raises(ValueError, match="'city' must hold numbers, it holds text such as 'Oslo': is it the right column"):
            hr.History.from_frame(frame, arm="ad", reward="city")
    infinite = pl.DataFrame({"ad": ["a"], "click": [np.inf]})
    for frame in (spark.sql("SELECT 'a' AS ad, double('inf') AS click"), in_dask(infinite)):
        with pytest.raises(ValueError, match="rewards must be finite, and below 1e.100, those of arm 'a'"):
            hr.History.from_frame(frame, arm="ad", reward="click")
    log = hr.Log.read(in_spark, arm="ad", reward="click", context="age")
    assert (len(log), log.missing) == (N - 3, MISSING)


SIMULATED = partial(
    hr.simulate,
    {"UCB": hr.UCB, "HUCBC": hr.HUCBC, "shuffled": hr.Shuffled(hr.HUCBC)},
    SyntheticClassical(clusters=3, arms=9, history_mean=4),
    rounds=300,
    trials=5,
    seed=4,
)


def assert_equal_results(one, other):
    for name in ("reward", "regret", "followed", "best", "largest"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.usefixtures("cluster")
def test_dask_plays_the_trials_of_one_process():
    assert_equal_results(SIMULATED(jobs=1), SIMULATED(backend="dask"))


def test_ray_plays_the_trials_of_one_process():
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        assert_equal_results(SIMULATED(jobs=1), SIMULATED(backend="ray"))
    finally:
        ray.shutdown()


@pytest.mark.usefixtures("cluster")
def test_the_wild_league_plays_on_a_cluster_batch_by_batch(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "SENT_TOGETHER", 2)
    rows = []
    for backend in ("joblib", "dask"):
        plan = run.Plan(16_004, 16_005, "classical", ("MOSS",), str(tmp_path / backend), workers=1, backend=backend)
        run.play(plan, lambda line: None)
        rows.append({row[:4] for row in results.read(plan.path)})
    assert len(rows[0]) == 2 * run.REPLICATIONS
    assert rows[0] == rows[1]


def test_joblib_by_name_and_backends_that_are_not_there():
    assert_equal_results(SIMULATED(jobs=1), SIMULATED(jobs=2, backend="joblib"))
    with pytest.raises(ValueError, match="backend must be one of joblib, dask, ray, got 'cloud'"):
        SIMULATED(backend="cloud")


@pytest.mark.parametrize(("backend", "package"), [("dask", "distributed"), ("ray", "ray.util.joblib")])
def test_a_missing_package_is_named_with_the_line_that_installs_it(monkeypatch, backend, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf'pip install "hedgerow\[{backend}\]"'):
        SIMULATED(backend=backend)
