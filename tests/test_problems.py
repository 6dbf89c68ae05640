"""Problems deal out what the paper describes."""

import os
from pathlib import Path

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.experiments.datasets import latencies, warfarin
from hedgerow.experiments.problems import SyntheticClassical, SyntheticContextual, TightBernoulli, WarfarinDosing, WebLatency


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.fixture(autouse=True)
def simulated_data(monkeypatch):
    monkeypatch.delenv("HEDGEROW_DATA", raising=False)


def test_synthetic_classical():
    trial = SyntheticClassical().trial(4000, rng(3))
    assert np.bincount(trial.clusters).tolist() == [10] * 10
    assert np.unique(trial.history.arms).size == len(trial.history.arms) <= 25
    assert 25 * 10 - 5 * np.sqrt(250) < trial.history.sums[:, 0].sum() < 25 * 10 + 5 * np.sqrt(250)
    means = trial.expected[0]
    assert trial.rewards.mean(axis=0) == pytest.approx(means, rel=0.06)  # sd of a mean is 0.9 %, over 100 arms
    assert (trial.rewards <= 2 * means).all()
    assert trial.rewards.max(axis=0) == pytest.approx(2 * means, rel=0.01)
    cluster = np.array(trial.clusters)
    for i in range(10):  # alpha lies in (0.5, 1.5), the centroid in (1/i, 1 + 1/i) / 2
        assert 0.25 / (i + 1) < means[cluster == i].min()
        assert means[cluster == i].max() < 0.75 * (1 + 1 / (i + 1))


def test_a_single_arm_has_a_mean_too():
    assert SyntheticClassical(arms=1, clusters=1, noise="bernoulli").trial(10, rng()).expected.tolist() == [[0.05]]


def test_every_parameter_of_the_classical_generator_counts():
    trial = SyntheticClassical(clusters=4, arms=10, alpha=(1.0, 1.0), history_share=1.0, history_mean=50).trial(10, rng())
    cluster = np.array(trial.clusters)
    assert sorted(np.bincount(cluster).tolist()) == [2, 2, 3, 3]
    assert all(np.ptp(trial.expected[0][cluster == i]) < 1e-12 for i in range(4))
    assert trial.history.sums[:, 0].mean() == pytest.approx(50, abs=12)


@pytest.mark.parametrize("problem", [SyntheticClassical, SyntheticContextual])
def test_a_swapped_history_is_that_of_another_arm(problem):
    """With much history and little noise from contexts, an arm's past mean is that of one arm, and mostly not its own."""
    make = problem(history_share=1.0, history_mean=3000.0, arms=20, clusters=4, swapped=True)
    if make.dimension is None:
        trial = make.trial(10, rng(3))
        means = trial.expected[0]
        seen = trial.history.sums[:, 1] / trial.history.sums[:, 0]
        assert np.sort(seen) == pytest.approx(np.sort(means), rel=0.1)
        assert np.mean(np.abs(seen - means) < 0.05 * means) < 0.5
    else:
        honest, lying = (problem(arms=20, clusters=4, swapped=swapped).trial(500, rng(3)) for swapped in (False, True))
        assert np.array_equal(honest.history.sums[:, 0], lying.history.sums[:, 0])
        assert not np.allclose(honest.history.sums[:, 1], lying.history.sums[:, 1])
    assert "of another arm" in str(make)


def test_synthetic_contextual():
    trial = SyntheticContextual(eps=0.1, dimension=3).trial(4000, rng(1))
    assert trial.dimension == 3
    assert trial.contexts.mean(axis=0) == pytest.approx(np.zeros(3), abs=0.08)
    theta = np.linalg.lstsq(trial.contexts, trial.expected, rcond=None)[0]
    assert trial.contexts @ theta == pytest.approx(trial.expected, abs=1e-9)  # linear in the context
    cluster = np.array(trial.clusters)
    within = np.concatenate([theta.T[cluster == i] - theta.T[cluster == i].mean(axis=0) for i in range(10)])
    assert within.std() == pytest.approx(0.1 * np.sqrt(0.9), rel=0.2)
    ratio = trial.rewards / trial.expected  # 2 U(0, 1)
    assert ratio.min() >= 0
    assert ratio.max() <= 2
    assert ratio.mean() == pytest.approx(1, abs=0.01)


def test_tight_bernoulli_is_tight():
    problem = TightBernoulli(clusters=4, arms_each=5)
    assert hr.bounds.clustering(problem.means(), problem.labels()).tight
    trial = problem.trial(3000, rng())
    assert set(np.unique(trial.rewards)) == {0.0, 1.0}
    assert trial.rewards.mean(axis=0) == pytest.approx(problem.means(), abs=0.05)


def test_latency_rounds_are_shuffles_of_the_recorded_rows():
    data = latencies()
    trial = WebLatency(data).trial(3000, rng())
    assert sorted(trial.rows[:1361]) == list(range(1361))
    assert sorted(trial.rows[1361:2722]) == list(range(1361))
    assert (trial.rewards == -data.ms).all()
    assert trial.history.sums[:, 0].sum() == 200
    scaled = WebLatency(data, reward="scaled").trial(10, rng()).rewards
    assert scaled.max() <= 1
    assert (np.argsort(scaled[0], kind="stable") == np.argsort(-data.ms[0], kind="stable")).all()


def test_latency_clusters():
    data = latencies()
    by_mean = np.array(WebLatency(data, "mean").trial(10, rng()).clusters)
    level = data.ms.mean(axis=0)
    assert np.bincount(by_mean).tolist() == [152] * 5
    assert all(level[by_mean == i].max() <= level[by_mean == i + 1].min() for i in range(4))
    even = np.array(WebLatency(data, "random even").trial(10, rng()).clusters)
    assert set(np.bincount(even)) == {44, 45}
    uneven = np.bincount(WebLatency(data, "random uneven").trial(10, rng()).clusters)
    assert uneven.size == 17
    assert uneven.max() > 2 * uneven.min()


def test_clusters_from_history_know_the_history_alone():
    data = latencies()
    first, changed = WebLatency(data, "history").trial(10, rng(5)), data.ms.copy()
    played = {int(arm) for arm in first.history.arms}
    for server in set(range(760)) - played:
        changed[:, server] = 499.0
    other = WebLatency(type(data)(changed, None, "changed", True), "history").trial(10, rng(5))
    assert other.clusters == first.clusters


def test_warfarin_patients_are_either_history_or_future():
    data = warfarin()
    problem = WarfarinDosing(data)
    trial = problem.trial(problem.longest, rng())
    assert trial.rewards.sum(axis=1).tolist() == [1.0] * problem.longest
    assert np.linalg.norm(trial.contexts, axis=1) == pytest.approx(np.ones(problem.longest))
    assert trial.history.sums[:, 0].sum() == 1500
    right = np.bincount(data.arms(), minlength=15)
    true = WarfarinDosing(data, "true").trial(problem.longest, rng())
    assert true.history.sums[:, 1].sum() == 1500  # the true dose always pays
    plays = np.array([true.history.plays(arm) for arm in range(15)])
    assert (plays + true.rewards.sum(axis=0)).tolist() == right.tolist()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: WebLatency(latencies(), "alphabet"), "clustering must be one of mean, history"),
        (lambda: WebLatency(latencies(), reward="cents"), "reward must be 'ms' or 'scaled', got 'cents'"),
        (lambda: WebLatency(latencies(), "domain"), "needs the original text file"),
        (lambda: WarfarinDosing(warfarin(), "guessed"), "must be 'random' or 'true', got 'guessed'"),
        (lambda: WarfarinDosing(warfarin()).trial(10**6, rng()), "4028 patients for the online rounds, 1000000 asked for"),
    ],
)
def test_bad_settings(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_domains_from_the_original_text_file(tmp_path):
    file = tmp_path / "univ-latencies.txt"
    lines = ["http://a.edu/\thttp://b.edu/\thttp://c.fr/"] + [f"{10 + i}\t{20 + i}\t{30 + i}" for i in range(100)]
    file.write_text("\n".join(lines))
    trial = WebLatency(latencies(file), "domain").trial(5, rng())
    assert trial.clusters == ("edu", "edu", "fr")


DATA = Path(os.environ.get("HEDGEROW_DATA", "/nowhere"))
"""Read when the file is imported, before the tests forget it."""


@pytest.mark.skipif(not (DATA / "univ_latencies_ms.npz").exists(), reason="HEDGEROW_DATA names no folder with the latencies")
def test_real_latencies_give_the_reference_figures():
    """Mean latency in ms at T = 1361, five clusters by mean: UCB 175, HUCB 139, UCBC 32, HUCBC 29 (independent simulation)."""
    problem = WebLatency(latencies(DATA))
    result = hr.simulate([hr.UCB, hr.HUCB, hr.UCBC, hr.HUCBC], problem, rounds=1361, trials=6, seed=1, jobs=1)
    latency = {policy: np.median(-result.of(policy)) / 1361 for policy in result.policies}
    assert latency == pytest.approx({"UCB": 175, "HUCB": 139, "UCBC": 32, "HUCBC": 29}, abs=5)


@pytest.mark.skipif(not (DATA / "warfarin.csv").exists(), reason="HEDGEROW_DATA names no folder with the Warfarin file")
def test_real_warfarin_gives_the_reference_figures():
    """Accuracy with a history of random doses: LinUCB .141, LinUCBC .155, HLinUCB .166, META .172, HLinUCBC .177."""
    problem = WarfarinDosing(warfarin(DATA))
    policies = [hr.LinUCB, hr.LinUCBC, hr.HLinUCB, hr.META, hr.HLinUCBC]
    result = hr.simulate(policies, problem, rounds=problem.longest, trials=6, seed=1, jobs=1)
    accuracy = {policy: result.of(policy).mean() / problem.longest for policy in result.policies}
    reference = {"LinUCB": 0.141, "LinUCBC": 0.155, "HLinUCB": 0.166, "META": 0.172, "HLinUCBC": 0.177}
    assert accuracy == pytest.approx(reference, abs=0.013)


def test_levels_are_what_contexts_do_not_tell():
    """Expected rewards are linear in the contexts and a 1, but not in the contexts alone."""
    trial = hr.problems.SyntheticContextual(arms=10, clusters=2, dimension=4, levels=True).trial(50, np.random.default_rng(3))
    assert (trial.contexts.shape[1], trial.history.dimension) == (4, 4)
    for shown, holds in ((np.column_stack([trial.contexts, np.ones(50)]), True), (trial.contexts, False)):
        fitted = shown @ np.linalg.lstsq(shown, trial.expected, rcond=None)[0]
        assert np.allclose(fitted, trial.expected, atol=1e-8) == holds


def test_contexts_in_various_units_say_the_same():
    plain, units = (
        hr.problems.SyntheticContextual(arms=10, clusters=2, dimension=4, units=units).trial(50, np.random.default_rng(3))
        for units in (False, True)
    )
    np.testing.assert_array_equal(units.contexts[:, 0], 1.0)
    np.testing.assert_allclose(units.contexts[:, 1:] / [10.0, 100.0, 1000.0] - 3.0, plain.contexts[:, 1:], atol=1e-12)
    fitted = units.contexts @ np.linalg.lstsq(units.contexts, units.expected, rcond=None)[0]
    np.testing.assert_allclose(fitted, units.expected, atol=1e-8)
