"""The wild league: problems, textbook rivals, runs that go on, and tables."""

import csv
import importlib.util
import json
import math
from dataclasses import replace
from pathlib import Path

import naive_rivals
import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.wild import comparisons, results
from benchmarks.wild.__main__ import app
from benchmarks.wild.contestants import play_named, stand_in, suits
from benchmarks.wild.factors import cuts
from benchmarks.wild.problems import contextual, problem
from benchmarks.wild.results import Row
from benchmarks.wild.rivals import adaucb, imed, klucb, moss, thompson, ucb_fraction
from benchmarks.wild.rivals.learning import log_of
from benchmarks.wild.scores import Scores, load
from benchmarks.wild.statistics import disasters, estimate, geometric_mean, near_best, ratio, ratio_to_best
from benchmarks.wild.trial import Trial, play_trial

GOLDEN_FILES = Path(__file__).parent / "goldens"


def golden_draws():
    spec = importlib.util.spec_from_file_location("wild_problems", GOLDEN_FILES / "wild_problems.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_seeds_draw_what_they_have_always_drawn():
    drawn, kept = golden_draws().held(), json.loads((GOLDEN_FILES / "wild_problems.json").read_text())
    for kind in ("classical", "contextual"):
        assert list(drawn[kind]) == list(kept[kind])
        for seed, (mark, *sums) in kept[kind].items():
            assert drawn[kind][seed][0] == mark, (kind, seed)
            assert drawn[kind][seed][1:] == pytest.approx(sums, rel=1e-7), (kind, seed)


def test_a_replication_is_the_same_each_time_and_unlike_another():
    for drawn in (small(lambda p: True), small(lambda p: p.change != "stationary"), contextual(9)):
        first, again, other = drawn.table(0), drawn.table(0), drawn.table(1)
        assert all(np.array_equal(one, two) for one, two in zip(first, again, strict=True))
        assert not np.array_equal(first[-2], other[-2])


def test_rewards_have_the_expectation_and_the_spread_that_a_problem_tells():
    drawn = small(lambda p: p.noise == "gaussian" and p.rounds > 1000)
    rewards, expected = drawn.table(0)
    assert expected[0] == pytest.approx(drawn.means)
    assert rewards.std(axis=0, ddof=1).mean() == pytest.approx(drawn.noise_sd, rel=0.05)
    assert np.abs(rewards.mean(axis=0) - drawn.means).max() < 5 * drawn.noise_sd / math.sqrt(len(rewards))


def small(wanted, first=1):
    """The first problem of at most 100,000 rewards that is as wanted."""
    seeds = range(first, first + 400)
    return next(p for p in map(problem, seeds) if p.arms * p.rounds <= 100_000 and wanted(p))


# ------------------------------------------------------------------------------------------------------------------- rivals
@pytest.fixture(params=["cold", "warm"])
def table(request):
    """Rewards of twelve arms, normal and 0/1, with and without a history."""
    rng = np.random.default_rng(5)
    means = rng.random(12)
    arms = rng.integers(10, size=40 if request.param == "warm" else 0)
    normal = means + 0.4 * rng.standard_normal((400, 12))
    coins = (rng.random((400, 12)) < means).astype(float)
    logs = [log_of(arms, table[: arms.size][np.arange(arms.size), arms], 12) for table in (normal, coins)]
    return normal, coins, *logs


SCORED = {
    "moss": (moss.moss, naive_rivals.moss, "normal"),
    "adaucb": (adaucb.adaucb, naive_rivals.adaucb, "normal"),
    "gaussian imed": (imed.gaussian_imed, naive_rivals.gaussian_imed, "normal"),
    "binary imed": (imed.binary_imed, naive_rivals.binary_imed, "coins"),
    "klucb": (klucb.klucb, naive_rivals.klucb, "coins"),
    "gaussian thompson": (thompson.gaussian_thompson, naive_rivals.gaussian_thompson, "normal"),
    "beta thompson": (thompson.beta_thompson, naive_rivals.beta_thompson, "coins"),
}


@pytest.mark.parametrize("name", SCORED)
def test_a_rival_plays_an_arm_whose_score_is_the_highest(table, name):
    play, score, rewards = SCORED[name]
    normal, coins, of_normal, of_coins = table
    paid, log = (normal, of_normal) if rewards == "normal" else (coins, of_coins)
    arms = play(paid, log, np.random.default_rng(3))
    naive_rivals.check(arms, paid, log, score, np.random.default_rng(3))


@pytest.mark.parametrize("cluster", [np.zeros(12, int), np.array([4, 4, 4, 7, 7, 7, 7, 2, 2, 2, 4, 7])])
def test_hucbc_at_a_fraction_of_the_noise_follows_its_formula(table, cluster):
    normal, _, log, _ = table
    arms = ucb_fraction.ucb_fraction(normal, log, ucb_fraction.clustering(cluster), 0.25)
    naive_rivals.check_clustered(arms, normal, log, cluster, 0.25)


# -------------------------------------------------------------------------------------------------------------- contestants
def test_a_policy_without_something_to_ignore_is_the_policy_itself():
    plain = small(lambda p: p.clusters is None and p.history_arms.size == 0)
    told = small(lambda p: p.clusters is not None and p.history_arms.size > 0)
    assert stand_in("Auto without clusters", plain) == stand_in("Auto without history", plain) == "Auto"
    assert stand_in("HUCBC 1/4 true sd", plain) == "HUCB 1/4 true sd"
    assert stand_in("META auto", plain) == "HUCB auto"
    for name in ("Auto without clusters", "Auto without history", "HUCBC 1/4 true sd", "META auto"):
        assert stand_in(name, told) == name
    assert not suits("Beta Thompson", replace(told, noise="gaussian"))


def test_without_history_nothing_of_it_counts():
    told = small(lambda p: p.history_arms.size > 100 and p.noise == "gaussian")
    rewards, _ = told.table(0)
    forgotten = replace(told, history_arms=told.history_arms[:0], history_rewards=told.history_rewards[:0])
    for name in ("MOSS", "HUCB auto"):
        ignoring = play_named(f"{name} without history", told, rewards, None, 0)
        assert np.array_equal(ignoring, play_named(name, forgotten, rewards, None, 0))
        assert not np.array_equal(ignoring, play_named(name, told, rewards, None, 0))


def test_regret_is_what_the_best_arm_pays_more():
    drawn = small(lambda p: p.change == "dies" and p.noise != "bernoulli")
    row, *_ = play_trial(Trial("classical", drawn.seed, 0, ("MOSS",), 0.0), "here")
    rewards, expected = drawn.table(0)
    arms = play_named("MOSS", drawn, rewards, None, 0)
    lost = [expected[t].max() - expected[t, arm] for t, arm in enumerate(arms)]
    assert row.regret == pytest.approx(sum(lost))
    assert row.late_regret == pytest.approx(sum(lost[len(lost) // 2 :]))
    assert row.random == pytest.approx(sum(row.max() - row.mean() for row in expected))


# ------------------------------------------------------------------------------------------------------------------- tables
def made_up(folder, scores, seeds, replications=1):
    """A folder of results: every policy has its scores on these seeds, times a random regret of 50."""
    rows = [
        Row(seed, replication, name, 50.0 * score, 0.0, 50.0, 1.0, "abc1234")
        for name, by_problem in scores.items()
        for seed, score in zip(seeds, by_problem, strict=True)
        for replication in range(replications)
    ]
    results.append(folder / "classical.csv", rows)
    return folder


def test_statistics_are_those_computed_by_hand():
    scores = Scores((None,) * 4, ("Auto", "other"), np.array([[0.09, 0.19], [0.39, 0.04], [0.01, 0.01], [0.99, 0.03]]))
    assert ratio_to_best(scores, "Auto") == pytest.approx([1.0, 8.0, 1.0, 25.0])
    assert ratio_to_best(scores, "other") == pytest.approx([2.0, 1.0, 1.0, 1.0])
    assert ratio(scores, "Auto", "other").value == pytest.approx((0.5 * 8 * 1 * 25) ** 0.25)
    assert near_best(scores, "Auto").value == 0.5
    assert near_best(scores, "other").value == 0.75
    assert disasters(scores, "Auto").value == 0.5
    assert disasters(scores, "other").value == 0.0


def test_an_interval_holds_the_mean_and_is_the_same_each_time():
    values = np.random.default_rng(0).normal(1.0, 2.0, size=400)
    found = estimate(values)
    assert found.low < found.value < found.high
    assert found.high - found.low == pytest.approx(2 * 1.96 * 0.1, rel=0.15)
    assert estimate(values) == found
    assert geometric_mean(np.array([1.0, 4.0])).value == pytest.approx(2.0)


def test_a_problem_counts_once_all_policies_have_played_it(tmp_path):
    seeds = [p.seed for p in map(problem, range(1, 60)) if p.clusters is not None and p.history_arms.size][:4]
    made_up(tmp_path, {"MOSS": (0.2, 0.4, 0.6, 0.8)}, seeds, replications=2)
    made_up(tmp_path, {"Auto": (0.1, 0.3)}, seeds[:2])
    played = load(tmp_path, "classical")
    assert [p.seed for p in played.scores.problems] == seeds[:2]
    assert played.scores.of("MOSS") == pytest.approx([0.2, 0.4])
    assert played.scores.of("Auto") == pytest.approx([0.1, 0.3])
    assert (played.unfinished, dict(played.replications)) == (2, {1: 2})
    assert load(tmp_path, "contextual") is None


def test_goals_compare_auto_with_itself_on_the_problems_they_are_about(tmp_path):
    drawn = [
        p for p in map(problem, range(1, 300)) if p.change == "stationary" and p.clusters is not None and p.history_arms.size
    ]
    chosen = [p for p in drawn if p.quality == "shuffled"][:2] + [p for p in drawn if p.quality == "perfect"][:2]
    seeds = sorted(p.seed for p in chosen)
    shuffled = [problem(seed).quality == "shuffled" for seed in seeds]
    auto = [0.19 if useless else 0.09 for useless in shuffled]
    made_up(tmp_path, {"Auto": auto, "Auto without clusters": [0.19] * 4, "baseline Auto": [0.39] * 4}, seeds)
    text = comparisons.goals(load(tmp_path, "classical").scores, comparisons.STATIONARY_GOALS)
    lines = {line.split(" | ")[0].strip("| "): line for line in text.splitlines()}
    assert "| 1.00 [1.00, 1.00] | <= 1.03 | yes |" in lines["useless clusters (shuffled) against none"]
    assert "| 0.50 [0.50, 0.50] | <= 0.85 | yes |" in lines["informative clusters against none"]
    assert "| 0.35 [" in lines["regret against the baseline's Auto, geometric mean"]
    assert lines["honest history against ignoring it"].endswith("|  |  | <= 0.58 |  |")


def test_levels_of_a_factor_are_cut_at_their_ends():
    drawn = tuple(replace(problem(1), arms=arms) for arms in (2, 5, 6, 20, 5, 3, 101, 300, 101, 300, 301, 1000))
    levels = {level: sum(chosen) for factor, level, chosen in cuts(drawn) if factor == "K"}
    assert levels == {"2-5": 4, "101-300": 4}


# --------------------------------------------------------------------------------------------------------------- the command


def tiny_seeds():
    """Three seeds in a row, the first of them with few rounds."""
    return next(
        first for first in range(1, 2000) if all(p.arms * p.rounds < 40_000 for p in map(problem, range(first, first + 3)))
    )


def invoke(*words):
    run = CliRunner().invoke(app, [str(word) for word in words])
    assert run.exit_code == 0, run.output
    return run.output


def rows_of(folder):
    with (folder / "classical.csv").open() as file:
        return list(csv.DictReader(file))


def test_the_command_plays_goes_on_and_writes_a_page(tmp_path):
    first = tiny_seeds()
    options = ["--seeds", f"{first}-{first + 2}", "--workers", 1, "--into", tmp_path]
    invoke("play", *options, "--policies", "MOSS, HUCB auto")
    before = (tmp_path / "classical.csv").read_text()
    assert len(rows_of(tmp_path)) == 3 * 3 * 2
    invoke("play", *options, "--policies", "MOSS, HUCB auto")
    assert (tmp_path / "classical.csv").read_text() == before

    cut = before[: len(before) * 2 // 3]
    (tmp_path / "classical.csv").write_text(cut)  # as a killed run leaves it, in the middle of a line
    invoke("play", *options, "--policies", "MOSS, HUCB auto, HUCB 1/8 estimated sd")
    kept = {row[:3]: row.regret for row in results.read(tmp_path / "classical.csv")}
    assert len(kept) == 3 * 3 * 3
    for line in csv.DictReader(before.splitlines()):
        assert kept[int(line["seed"]), int(line["replication"]), line["policy"]] == pytest.approx(float(line["regret"]))

    assert "HUCB 1/8 estimated sd" in invoke("tables", tmp_path)
    page = tmp_path / "wild.md"
    invoke("page", tmp_path, "--into", page)
    text = page.read_text()
    assert f"--seeds {first}-" in text
    assert "3 with 3 replications" in text
    assert "are there to tune on" in text
    assert "(wild-distribution.png)" in text
    assert (tmp_path / "wild-distribution.png").read_bytes().startswith(b"\x89PNG")


def test_workers_share_the_trials(tmp_path):
    first = tiny_seeds()
    for workers in (1, 2):
        invoke(
            "play",
            "--seeds",
            f"{first}-{first + 2}",
            "--workers",
            workers,
            "--policies",
            "MOSS",
            "--into",
            tmp_path / str(workers),
        )
    alone, together = ({row[:3]: row.regret for row in results.read(tmp_path / str(n) / "classical.csv")} for n in (1, 2))
    assert alone == together


def test_a_baseline_plays_in_a_process_of_its_own(tmp_path):
    """Here the baseline is the same source, so it must choose the same arms."""
    first, repository = tiny_seeds(), Path(__file__).parents[1]
    policies = ["--policies", "HUCB auto, baseline HUCB auto", "--baseline", repository]
    invoke("play", "--seeds", f"{first}-{first + 1}", "--workers", 1, *policies, "--into", tmp_path)
    scores = load(tmp_path, "classical").scores
    assert len(scores.problems) == 2
    assert np.array_equal(scores.of("HUCB auto"), scores.of("baseline HUCB auto"))


def test_problems_with_contexts_are_played(tmp_path):
    seed = next(
        seed for seed in range(1, 200) if (p := contextual(seed)).arms * p.rounds * p.dimension < 20_000 and p.clusters is None
    )
    options = ["--kind", "contextual", "--workers", 1, "--into", tmp_path, "--policies", "HLinUCB 0.25, HLinUCBC 0.25"]
    invoke("play", "--seeds", f"{seed}-{seed}", *options)
    assert {row.policy for row in results.read(tmp_path / "contextual.csv")} == {"HLinUCB 0.25"}
    assert "Contexts: 1 problem" in invoke("tables", tmp_path)


@pytest.mark.parametrize("kind", ["stationary", "changing"])
def test_a_kind_leaves_the_other_problems_out(kind, tmp_path):
    first = tiny_seeds()
    invoke("play", "--seeds", f"{first}-{first + 2}", "--kind", kind, "--workers", 1, "--policies", "MOSS", "--into", tmp_path)
    played = {int(row["seed"]) for row in rows_of(tmp_path)} if (tmp_path / "classical.csv").exists() else set()
    wanted = {seed for seed in range(first, first + 3) if (problem(seed).change == "stationary") == (kind == "stationary")}
    assert played == wanted


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (["--seeds", "9-3"], "--seeds must be such as"),
        (["--kind", "cosy"], "--kind must be one of"),
        (["--policies", "Auto, Nobody"], "'Nobody'"),
        (["--policies", "baseline Auto"], "--baseline"),
        (["--policies", "baseline Auto", "--baseline", "nowhere"], "nowhere is not"),
        (["--backend", "abacus"], "--backend must be"),
        (["--policies", "MOSS", "--until", "noon"], "--until must be"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, says, tmp_path):
    run = CliRunner().invoke(app, ["play", "--seeds", "1-1", "--into", str(tmp_path), *wrong])
    assert isinstance(run.exception, ValueError)
    assert says in str(run.exception)
