"""FromLog: a log as a problem, whose trials are draws from its rows."""

import itertools
import pickle

import numpy as np
import polars as pl
import pytest

import hedgerow as hr
from hedgerow.experiments.problems import FromLog

CLUSTERS = {"a": "x", "b": ("y", "left"), "c": "x", "d": "z"}


def rng(seed=0):
    return np.random.default_rng(seed)


def plain():
    """Rewards of a are 1, 2 and 6, those of b 0 and 10, that of c 4; d has no row."""
    frame = pl.DataFrame({"ad": list("abacba"), "pay": [1.0, 0.0, 2.0, 4.0, 10.0, 6.0]})
    return hr.Log.read(frame, arm="ad", reward="pay", clusters=CLUSTERS)


def contextual(rows=400, seed=5):
    draws = rng(seed)
    frame = pl.DataFrame(
        {"ad": draws.integers(3, size=rows), "age": draws.normal(40, 12, rows), "city": draws.choice(["Oslo", "Rome"], rows)}
    )
    frame = frame.with_columns(pay=pl.col("ad") * pl.col("age") + 100.0 * (pl.col("city") == "Rome") + draws.normal(size=rows))
    return frame, hr.Log.read(frame, arm="ad", reward="pay", context=["age", "city"])


def test_rewards_of_an_arm_are_drawn_from_its_own():
    problem = FromLog(plain())
    trial = problem.trial(6000, rng()).check()
    assert problem.arms == ("a", "b", "c")
    assert problem.dimension is trial.dimension is None
    assert trial.clusters == ("x", ("y", "left"), "x")
    assert trial.expected.tolist() == [[3.0, 5.0, 4.0]]
    for column, rewards in enumerate([(1.0, 2.0, 6.0), (0.0, 10.0), (4.0,)]):
        found, counts = np.unique(trial.rewards[:, column], return_counts=True)
        assert tuple(found) == rewards
        even = 6000 / len(rewards)
        assert (np.abs(counts - even) <= 4.0 * np.sqrt(even)).all()


def test_arms_and_trials_are_drawn_independently():
    trial = FromLog(plain()).trial(6000, rng())
    assert abs(np.corrcoef(trial.rewards[:, 0], trial.rewards[:, 1])[0, 1]) < 4 / np.sqrt(6000)
    again, other = FromLog(plain()).trial(6000, rng()), FromLog(plain()).trial(6000, rng(1))
    assert np.array_equal(trial.rewards, again.rewards)
    assert not np.array_equal(trial.rewards, other.rewards)


def test_the_history_is_drawn_from_the_rows():
    assert FromLog(plain()).trial(5, rng()).history.arms == ()
    history = FromLog(plain(), history_plays=6000).trial(5, rng()).history
    plays = [history.plays(arm) for arm in range(3)]
    assert sum(plays) == 6000
    assert plays == pytest.approx([3000, 2000, 1000], abs=4 * np.sqrt(1500))
    assert set(history.arms) == {0, 1, 2}


def naive(frame, x, arm, neighbours):
    """Rewards of an arm that a context may earn, by sorting."""
    ages, rome = frame["age"].to_numpy(), (frame["city"] == "Rome").to_numpy().astype(float)
    table = np.column_stack([(ages - ages.mean()) / ages.std(), 1.0 - rome, rome])
    own = np.flatnonzero(frame["ad"].to_numpy() == arm)
    order = own[np.argsort([((table[row] - x) ** 2).sum() for row in own], kind="stable")]
    return frame["pay"].to_numpy()[order[:neighbours]]


def test_with_contexts_rewards_are_those_of_near_rows():
    frame, log = contextual()
    problem = FromLog(log, neighbours=7)
    trial = problem.trial(50, rng()).check()
    assert trial.dimension == problem.dimension == 3
    for t, arm in itertools.product(range(50), range(3)):
        near = naive(frame, trial.contexts[t], log.arms[arm], 7)
        assert trial.rewards[t, arm] in near
        assert trial.expected[t, arm] == pytest.approx(near.mean())


def test_the_size_of_the_parts_does_not_matter(monkeypatch):
    problem = FromLog(contextual()[1], history_plays=30)
    whole = problem.trial(40, rng())
    monkeypatch.setattr("hedgerow.experiments.problems.from_log.CELLS", 3000)
    parts = problem.trial(40, rng())
    assert np.array_equal(whole.rewards, parts.rewards)
    assert whole.expected == pytest.approx(parts.expected, rel=1e-12)
    assert whole.history.dimension == 3


def test_all_rows_that_are_equally_near_count():
    draws = rng(2)
    frame = pl.DataFrame({"ad": draws.integers(2, size=600), "device": draws.choice(["phone", "desk"], 600)})
    frame = frame.with_columns(pay=pl.Series(draws.normal(size=600)) + (pl.col("device") == "desk").cast(float))
    problem = FromLog(hr.Log.read(frame, arm="ad", reward="pay", context="device"), neighbours=5)
    trial = problem.trial(2000, rng())
    means = dict(frame.group_by("ad", "device").agg(pl.col("pay").mean()).rows_by_key(["ad", "device"]))
    for arm in range(2):
        for column, device in enumerate(["desk", "phone"]):
            rounds = trial.contexts[:, column] == 1.0
            assert trial.expected[rounds, arm] == pytest.approx(means[problem.arms[arm], device][0][0])
            assert np.unique(trial.rewards[rounds, arm]).size > 50


def test_an_arm_with_fewer_rows_than_neighbours_has_them_all():
    frame = pl.DataFrame({"ad": ["a", "a", "b", "b", "b"], "age": [1.0, 2.0, 1.0, 2.0, 9.0], "pay": [1.0, 3.0, 0.0, 3.0, 6.0]})
    trial = FromLog(hr.Log.read(frame, arm="ad", reward="pay", context="age"), neighbours=3).trial(20, rng())
    assert np.unique(trial.expected, axis=0).tolist() == [[2.0, 3.0]]


def test_simulate_takes_it():
    result = hr.simulate([hr.UCB, hr.HUCBC], FromLog(plain(), history_plays=10), rounds=300, trials=3, jobs=1)
    assert result.problem == "frame of polars: 6 rows, 3 arms in 2 clusters, 10 historical plays"
    assert (result.regret[:, :, -1] < 300 * 2.0).all()
    result = hr.simulate([hr.LinUCB, hr.HLinUCB], FromLog(contextual()[1]), rounds=60, trials=2, jobs=1)
    assert result.problem == "frame of polars: 400 rows, 3 arms, contexts of 3, 20 nearest rows"


def test_it_goes_to_other_processes():
    problem = FromLog(contextual()[1])
    assert problem.dimension == 3
    sent = pickle.loads(pickle.dumps(problem))
    assert np.array_equal(sent.trial(30, rng()).rewards, problem.trial(30, rng()).rewards)


def test_what_makes_no_problem_is_refused():
    with pytest.raises(ValueError, match=r"must be a hedgerow\.Log, as hedgerow\.Log\.read makes it, got DataFrame"):
        FromLog(pl.DataFrame({"ad": [1], "pay": [1.0]}))
    with pytest.raises(ValueError, match="neighbours must be a whole number of at least 1, got 0"):
        FromLog(plain(), neighbours=0)
    with pytest.raises(ValueError, match="history_plays must be a whole number of at least 0, got 0.5"):
        FromLog(plain(), history_plays=0.5)
    frame = pl.DataFrame({"ad": ["a", "b"] * 4, "price": [1.0, 2.0] * 4, "pay": [0.0] * 8})
    with pytest.raises(ValueError, match="'price' is the same in all rows of an arm"):
        FromLog(hr.Log.read(frame, arm="ad", reward="pay", context="price"))
