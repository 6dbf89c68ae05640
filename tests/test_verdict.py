"""Inspect and evaluate as a user meets them: grades of evidence, verdicts, refusals, words, pages, commands."""

import io
import json
import math
import os
import re
import subprocess
import sys
import threading
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import hedgerow as hr
from hedgerow.cli import app
from hedgerow.evaluate import best_arms, gains, log_remarks, logging_grade, rulings, sentences
from hedgerow.evaluate.evaluation import rounds_saved
from hedgerow.evaluate.figures import arms_figure
from hedgerow.evaluate.gain import Gain
from hedgerow.evaluate.inspection import Bounds
from hedgerow.evaluate.page import badge
from hedgerow.evaluate.settings import GRADE
from hedgerow.inference.explained import group_means
from hedgerow.inference.shift import changes, drift, spread_of_changes
from hedgerow.inference.significance import permutation
from hedgerow.inference.sums import Sums
from hedgerow.inference.two_level import posterior
from hedgerow.present.plots import svg

QUICK = {"draws": 30, "runs": 2, "rounds": 200}


def made_log(rows=12_000, arms=24, groups=6, rate=0.15, spread=0.9, seed=1, tilt=0.0, shuffled=False, propensities=False):
    """A log of clicks: arms of a topic are alike; with a tilt the choice of the arm depends on the device, as clicks do."""
    rng = np.random.default_rng(seed)
    topic = np.repeat(np.arange(groups), arms // groups)
    odds = math.log(rate / (1 - rate)) + spread * (0.95 * rng.standard_normal(groups)[topic] + 0.3 * rng.standard_normal(arms))
    device = rng.integers(0, 2, size=rows)
    chance = np.exp(tilt * np.outer([0, 1], np.linspace(-1, 1, arms)))
    chance /= chance.sum(axis=1, keepdims=True)
    arm = (rng.random(rows)[:, None] > chance[device].cumsum(axis=1)).sum(axis=1)
    click = rng.random(rows) < 1 / (1 + np.exp(-(odds[arm] + (1.5 * device if tilt else 0.0))))
    label = rng.permutation(topic) if shuffled else topic
    frame = {"ad": [f"ad-{a:02d}" for a in arm], "click": click.astype(int), "day": np.arange(rows), "device": device}
    frame["topic"] = [f"topic-{label[a]}" for a in arm]
    if propensities:
        frame["p"] = chance[device, arm]
    return pl.DataFrame(frame)


COLUMNS = {"arm": "ad", "reward": "click", "clusters": "topic", "time": "day"}


@pytest.fixture(scope="module")
def good():
    return hr.evaluate(made_log(), **COLUMNS, logging="random", history=False, **QUICK)


@pytest.fixture(scope="module")
def warm():
    return hr.evaluate(made_log(), **COLUMNS, **QUICK)


def naive_cramer(first, second):
    r, c, n = max(first) + 1, max(second) + 1, len(first)
    table = [[sum(a == i and b == j for a, b in zip(first, second, strict=True)) for j in range(c)] for i in range(r)]
    expected = [[sum(row) * sum(t[j] for t in table) / n for j in range(c)] for row in table]
    x2 = sum((table[i][j] - expected[i][j]) ** 2 / expected[i][j] for i in range(r) for j in range(c))
    square = max(0.0, x2 / n - (r - 1) * (c - 1) / (n - 1))
    return math.sqrt(square / min(r - 1 - (r - 1) ** 2 / (n - 1), c - 1 - (c - 1) ** 2 / (n - 1)))


def test_association_is_the_corrected_cramers_v():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 4, size=300)
    second = np.where(rng.random(300) < 0.4, first % 3, rng.integers(0, 3, size=300))
    size, p = logging_grade.association(first, second)
    assert size == pytest.approx(naive_cramer(first.tolist(), second.tolist()))
    assert p < 1e-6
    assert logging_grade.association(first, np.zeros(300, dtype=np.int64)) == (0.0, 1.0)


def test_variation_of_counts_by_hand():
    counts = np.array([50.0, 70.0, 90.0])
    x2 = (20**2 + 0 + 20**2) / 70
    assert logging_grade.variation(counts)[0] == pytest.approx(math.sqrt((x2 - 2) / 210))
    assert logging_grade.variation(np.full(5, 10.0)) == (0.0, 1.0)


def test_numbers_are_binned_by_quantiles_and_categories_kept():
    assert np.bincount(logging_grade.binned(np.arange(100.0))).tolist() == [20, 20, 20, 20, 20]
    assert logging_grade.binned(np.array(["b", "a", "b"])).tolist() == [1, 0, 1]
    assert logging_grade.binned(np.array([f"word {i}" for i in range(400)])).max() == GRADE.most_categories - 1


def test_drift_by_hand():
    now, then = (
        Sums(np.full(3, 100.0), np.array([10.0, 20.0, 30.0]), None),
        Sums(np.full(3, 50.0), np.array([5.0, 5.0, 15.0]), None),
    )
    both = Sums(np.full(3, 150.0), np.array([15.0, 25.0, 45.0]), np.array([15.0, 25.0, 45.0]))
    rates = (both.total + 2) / (150 + 2 / (85 / 450))
    variance = rates * (1 - rates) * (1 / 100 + 1 / 50)
    change = np.array([0.0, 0.1, 0.0])
    shift = (change / variance).sum() / (1 / variance).sum()
    given = [Sums(part.rows, part.total, part.total) for part in (now, then)]
    found = drift(*given, binary=True)
    assert found.statistic == pytest.approx(((change - shift) ** 2 / variance).sum())
    assert found.freedom == 2
    assert found.error == pytest.approx((1 / variance).sum() ** -0.5)
    assert drift(given[0], Sums(*np.zeros((3, 3))), binary=True) is None


@pytest.mark.parametrize(
    ("then", "now", "told"),
    [
        ([10, 20, 30], [10, 20, 30], "no drift is visible"),
        ([10, 20, 30], [40, 50, 60], r"all arms together moved by \+0.3\d*, none visibly more than others"),
        ([10, 20, 30], [40, 20, 10], r"moved.* \(p < 0.001\)"),
    ],
)
def test_arms_that_moved_together_are_told_from_those_that_moved_apart(then, now, told):
    past, future = (Sums(np.full(3, 100.0), np.array(total, float), np.array(total, float)) for total in (then, now))
    assert re.search(told, sentences.moved(drift(future, past, binary=True)))


def test_dollars_in_labels_are_no_formulas():
    figure = arms_figure(("a", "$b$", "c"), ("$0-$10", "$g^{$", "a group with a very long name"), np.array([[0.1, 0.2, 0.3]] * 3))
    figure.savefig(io.BytesIO())
    arms, groups = figure.axes[0], figure.axes[0].child_axes[0]
    assert [tick.get_text() for tick in arms.get_xticklabels()] == ["c", r"\$b\$", "a"]
    assert [tick.get_text() for tick in groups.get_xticklabels()] == ["a group with…ery long name", r"\$g^{\$", r"\$0-\$10"]


def test_long_names_of_arms_are_told_apart():
    arms = tuple(f"garden tools of the year {year}, {kind}, a dozen" for year in (2023, 2024) for kind in ("red", "blue"))
    figure = arms_figure(arms, None, np.array([[0.4, 0.3, 0.2, 0.1]] * 3))
    names = [tick.get_text() for tick in figure.axes[0].get_xticklabels()]
    assert names == [f"…{arm[-27:]}" for arm in arms]


def test_signs_that_no_font_has_are_no_cause_for_warnings():
    assert "\U0001f370" in svg(arms_figure(("\U0001f370", "b"), None, np.array([[0.4, 0.3]] * 3)))


def test_the_best_arms_are_listed_by_name():
    arms, means = (*(f"ad-{a}" for a in range(22)), "ad\n22"), np.array([np.linspace(0.1, 0.32, 23)] * 3)
    told = best_arms.lines(arms, None, np.arange(1000.0, 1023.0), means, "the JSON")
    assert told[:3] == [
        "Arms, best first, means drawn together where rows are few:",
        "  arm     rows   mean  90 % interval",
        "  ad 22  1,022  0.320  0.320 to 0.320",
    ]
    assert (len(told), told[-1]) == (23, "3 more arms: all are in the JSON.")
    assert best_arms.rest(arms[:20], "the JSON") == []
    grouped = best_arms.lines(arms[:2], ("x", "why"), np.ones(2), means[:, :2], "the JSON")
    assert grouped[1:] == [
        "  arm   group  rows   mean  90 % interval",
        "  ad-1  why       1  0.110  0.110 to 0.110",
        "  ad-0  x         1  0.100  0.100 to 0.100",
    ]


def test_of_many_arms_each_group_shows_its_best():
    means = np.linspace(0.0, 1.0, 1000)
    figure = arms_figure(tuple(range(1000)), tuple(arm % 10 for arm in range(1000)), np.array([means] * 3))
    shown = [container.lines[0].get_ydata() for container in figure.axes[0].containers]
    assert [len(group) for group in shown] == [20] * 10
    assert figure.axes[0].get_xlabel() == "the 20 best of each group, at most"
    assert min(group.max() for group in shown) > 0.98


def test_a_grouping_that_only_beats_shuffled_labels_has_no_green_badge():
    assert badge("grouping", "helps", 0.1) == ("yes", "grouping: helps")
    assert badge("grouping", "helps", 0.0) == ("partly", "grouping: better than shuffled labels, not shown to beat none")
    assert badge("history", "helps", 0.1) == ("yes", "history: helps")


def test_a_history_is_no_choice_of_evaluate():
    log = {"ad": ["a", "b"] * 50, "click": [0, 1] * 50}
    with pytest.raises(ValueError, match="True or False.*, got History"):
        hr.evaluate(pl.DataFrame(log), arm="ad", reward="click", history=hr.History.from_rounds(arms=["a"], rewards=[1]))


def test_a_random_log_is_grade_a_and_says_what_it_assumes():
    log = hr.Log.read(made_log(), arm="ad", reward="click", context="device")
    assert logging_grade.graded(log, logging=None).letter == "A"
    assert logging_grade.graded(log, logging=None).assumed
    assert not logging_grade.graded(log, logging="random").assumed
    with pytest.raises(ValueError, match="logging must be 'random'"):
        logging_grade.graded(log, logging="uniform")


def test_a_choice_that_depends_on_the_context_is_grade_c_or_b_with_propensities():
    frame = made_log(tilt=1.0, propensities=True)
    seen = hr.Log.read(frame, arm="ad", reward="click", context="device")
    assert logging_grade.graded(seen, logging=None).letter == "C"
    weighed = hr.Log.read(frame, arm="ad", reward="click", propensity="p")
    assert logging_grade.graded(weighed, logging=None).letter == "B"


def test_propensities_of_something_else_are_found_out():
    frame = made_log(tilt=1.0, propensities=True).with_columns(p=pl.col("p") * 3)
    with pytest.raises(ValueError, match="propensities do not fit the log: the mean of 1 / propensity is"):
        hr.evaluate(frame, **COLUMNS, propensity="p")


@pytest.mark.parametrize(("arms", "p"), [(60, 0.016667), (60, 0.0167), (12, 0.083)])
def test_rounded_propensities_are_right(arms, p):
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"ad": rng.integers(arms, size=20000), "click": rng.integers(2, size=20000), "p": np.full(20000, p)})
    assert logging_grade.graded(hr.Log.read(frame, arm="ad", reward="click", propensity="p"), logging=None).letter == "A"


@pytest.mark.parametrize(("arms", "rows"), [(60, 6000), (12, 2000), (60, 700)])
def test_nonsense_is_refused_or_said_to_be_unchecked(arms, rows):
    rng = np.random.default_rng(0)
    columns = {"ad": rng.integers(arms, size=rows), "click": rng.integers(2, size=rows), "p": rng.uniform(0.05, 0.95, rows)}
    if rows < 20 * arms:
        assert "rows are too few to check them" in str(
            hr.inspect(pl.DataFrame(columns), arm="ad", reward="click", propensity="p")
        )
        return
    with pytest.raises(ValueError, match=f"should be the number of arms, {arms}; check that it is the chance of the logged arm"):
        hr.inspect(pl.DataFrame(columns), arm="ad", reward="click", propensity="p")


def test_a_few_rows_that_hold_most_of_the_reward_are_pointed_out():
    rng = np.random.default_rng(0)
    revenue = (rng.random(5000) < 0.04) * 30.0 * np.exp(rng.normal(0.0, 0.5, 5000))
    assert "One row in a hundred makes up 4" in log_remarks.odd_rewards(revenue)
    for usual in (rng.exponential(size=5000), rng.normal(size=5000), rng.lognormal(size=5000), np.ones(5000), revenue[:50]):
        assert log_remarks.odd_rewards(usual) == ""


def test_a_good_grouping_helps(good):
    assert good.rulings == {"grouping": "helps"}
    assert good.gains["labels"].low > 0
    assert good.explained.share > 0.6
    assert "Your grouping helps" in str(good)
    assert str(good).startswith("Method: randomised log; replay of 200 rounds")
    assert "assuming" not in good.method
    assert "history" not in good.gains


def test_a_shuffled_grouping_has_no_information():
    found = hr.evaluate(made_log(shuffled=True), **COLUMNS, history=False, **QUICK)
    assert found.rulings["grouping"] in ("no information", "hurts")
    assert found.explained.low == 0.0


def test_history_helps_and_replay_agrees(warm):
    assert warm.rulings["history"] == "helps"
    assert warm.gains["history"].low > 0
    assert warm.replay.gains["history"].value == pytest.approx(warm.marked["history"].value, abs=60)
    assert "Trust replay" not in str(warm)
    assert "no drift is visible" in str(warm)


def test_grade_c_gives_numbers_but_no_verdict():
    found = hr.evaluate(made_log(tilt=1.5), **COLUMNS, context="device", **QUICK)
    assert found.grade.letter == "C"
    assert found.rulings == {}
    assert "a sensitivity study, not evidence" in str(found)
    assert "would be worth" in str(found)
    assert "helps" not in str(found)
    page = found._repr_html_()
    assert "a sensitivity study, so that none counts as proven" in page
    assert "counts as proven if" not in page


def test_propensities_undo_what_the_context_did_to_the_arm_means():
    frame = made_log(rows=60_000, tilt=1.5, propensities=True, seed=3)
    found = hr.evaluate(frame, **COLUMNS, propensity="p", history=False, **QUICK)
    assert found.grade.letter == "B"
    assert "propensity-weighted" in found.method
    fair = frame.group_by("ad", "device").agg(pl.col("click").mean()).group_by("ad").agg(pl.col("click").mean()).sort("ad")
    order = np.argsort([str(arm) for arm in found.arms])
    assert found.means[0][order] == pytest.approx(fair["click"].to_numpy(), abs=0.08)


def test_other_rewards_have_a_judge_of_their_own():
    rng = np.random.default_rng(5)
    frame = made_log().with_columns(click=pl.Series(rng.normal(0, 3, 12_000)) + pl.col("ad").str.slice(3).cast(pl.Int64) * 0.5)
    found = hr.evaluate(frame, **COLUMNS, history=False, **QUICK)
    assert not found.binary
    assert found.gains["log"].low > 0


def test_too_few_events_are_refused_with_what_is_needed():
    found = hr.evaluate(made_log(rate=0.004, rows=4000, spread=0.1), **COLUMNS)
    assert found.gains == {}
    assert "events in the later part (2,000 rows) over 24 arms; about 48 are needed, that is a log of some" in found.refused[0]
    assert str(found).count("Refused:") == 1
    assert found.plot() is not None


def test_few_groups_refuse_the_grouping_only():
    frame = made_log().with_columns(topic=pl.when(pl.col("topic") == "topic-0").then(pl.lit("a")).otherwise(pl.lit("b")))
    found = hr.evaluate(frame, **COLUMNS, **QUICK)
    assert found.refused == ()
    assert "2 of the 2 groups have two arms or more; at least 3" in found.grouping_refused
    assert "Grouping refused" in str(found)
    assert set(found.gains) == {"history", "log"}


def test_hundreds_of_arms_can_be_judged():
    """In more ways to deal them out than a double can hold."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"ad": rng.integers(300, size=3000), "click": rng.integers(2, size=3000)})
    assert hr.inspect(frame.with_columns(topic=pl.col("ad") % 20), arm="ad", reward="click", clusters="topic").explained


def test_three_pairs_of_arms_are_too_few_for_any_p_value():
    rng = np.random.default_rng(0)
    arm = rng.integers(6, size=6000)
    click = (rng.random(6000) < np.array([0.1, 0.1, 0.3, 0.3, 0.5, 0.5])[arm]).astype(float)
    frame = pl.DataFrame({"ad": arm, "click": click})
    found = hr.evaluate(frame, arm="ad", reward="click", clusters={k: k // 2 for k in range(6)}, **QUICK)
    assert "in 15 ways only" in found.grouping_refused
    assert "grouping" not in found.rulings
    assert hr.inspect(frame, arm="ad", reward="click", clusters={k: k // 2 for k in range(6)}).explained is None


@pytest.mark.parametrize("level", [1e9, -1e12])
def test_the_level_of_rewards_does_not_matter(level):
    noise = pl.Series(np.random.default_rng(0).integers(4, size=4000) / 8)  # exact beside any level
    frames = [made_log(rows=4000).with_columns(pl.col("click") + noise + start) for start in (0.5, level)]
    small, large = (hr.evaluate(frame, **COLUMNS, **QUICK) for frame in frames)
    for name, gain in small.gains.items():
        assert large.gains[name] == pytest.approx(gain, rel=0.01, abs=0.1)
    np.testing.assert_allclose(large.means - level, small.means - 0.5, atol=1e-3)
    small, large = (hr.inspect(frame, **COLUMNS) for frame in frames)
    assert large.noise == pytest.approx(small.noise, rel=1e-3)
    assert large.drift.p == pytest.approx(small.drift.p, rel=1e-3)
    np.testing.assert_allclose(large.means - level, small.means - 0.5, atol=1e-3)


def test_rewards_that_never_differ_have_no_noise_and_no_bounds():
    found = hr.inspect(made_log().with_columns(click=pl.lit(1.0)), **COLUMNS)
    assert (found.noise, found.bounds) == (0.0, None)


def test_too_few_rows_and_empty_arms_are_refused():
    clusters = {f"ad-{a:02d}": "x" for a in range(24)} | {f"new-{a}": "y" for a in range(10)}
    found = hr.evaluate(made_log(rows=160, rate=0.5), arm="ad", reward="click", clusters=clusters)
    assert "effective rows per arm" in " ".join(found.refused)
    assert len(found.arms) == 24
    assert "10 arms have no row, and only the clusters name them: left out." in str(found)
    gone = made_log(rows=400, rate=0.5).filter(~pl.col("ad").is_in([f"ad-{a:02d}" for a in range(12)]) | (pl.col("day") < 100))
    assert "11 of 23 arms have no row" in " ".join(hr.evaluate(gone, **COLUMNS).refused)


def test_an_arm_that_only_the_clusters_name_changes_no_verdict(good):
    frame = made_log()
    clusters = dict(zip(frame["ad"], frame["topic"], strict=True)) | {"ad-99": frame["topic"][0]}
    found = hr.evaluate(frame, arm="ad", reward="click", clusters=clusters, time="day", **QUICK)
    same = hr.evaluate(frame, arm="ad", reward="click", clusters="topic", time="day", **QUICK)
    assert (found.gains, found.rulings, found.untried) == (same.gains, same.rulings, 1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"split": 1.5}, "split must be a share above 0 and below 1, got 1.5"),
        ({"rounds": 3}, "rounds must be a whole number of at least 10, got 3"),
        ({"draws": 2.5}, "draws must be a whole number"),
        ({"reward": "nothing"}, "nothing"),
        ({"context": "ad,device"}, "give each by itself"),
        ({"context": "click"}, "column 'click' is given twice, as reward and context"),
        ({"context": ["device", "device"]}, "column 'device' is given twice, as context and context"),
        ({"propensity": "ad"}, "column 'ad' is given twice, as arm and propensity"),
        ({"time": "click"}, "column 'click' is given twice, as reward and time"),
        ({"context": ["device", "topic"], "clusters": None}, "context 'topic' is the same in all rows of an arm"),
    ],
)
def test_bad_input_is_said_in_a_sentence(given, message):
    with pytest.raises(ValueError, match=message):
        hr.evaluate(made_log(rows=300), **{**COLUMNS, **given})


def test_trust_over_time_ends_where_the_verdict_is(warm):
    """The last step has seen all later rows; a history from the same arms has not moved."""
    course = warm.course
    assert course.rows.tolist() == [750 * step for step in range(1, 9)]
    median, low, high = course.share[:, -1]
    assert median == pytest.approx(warm.explained.share, abs=0.1)
    assert low < median < high
    assert (course.share[2] - course.share[1])[0] > (high - low)  # more rows say more
    assert (course.moved == 0.0).all()
    assert len(warm.to_dict()["course"]["rows"]) == 8


def test_a_distance_is_found_beyond_chance():
    rng = np.random.default_rng(0)
    rows, rate, moved = np.full(50, 400.0), 0.3, 0.1 * rng.standard_normal(50)
    then, now = (Sums(rows, 1.0 * hits, 1.0 * hits) for hits in (rng.binomial(400, rate, 50), rng.binomial(400, rate + moved)))
    assert spread_of_changes(changes(now, then, binary=True)) == pytest.approx(0.1, rel=0.3)
    assert spread_of_changes(changes(then, then, binary=True)) == 0.0


def test_equal_rewards_leave_nothing_to_explain():
    found = hr.inspect(made_log(rows=300).with_columns(click=0), **COLUMNS)
    assert found.explained is None
    assert "all rewards are 0" in str(found)


def test_many_arms_stay_small():
    """Tables of draws and shuffles are cut into pieces."""
    rng = np.random.default_rng(1)
    groups = rng.permutation(np.repeat(np.arange(500), 40))
    sums = Sums(np.full(20_000, 5.0), rng.normal(size=20_000), np.ones(20_000) * 5.0)
    assert posterior(sums, groups, rng, binary=False).shape == (400, 20_000)
    draws = rng.normal(size=(3, 20_000))
    assert group_means(draws, groups)[:, 7] == pytest.approx(draws[:, groups == 7].mean(axis=1))
    tracemalloc.start()
    permutation(sums, groups, rng, binary=False)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1e9


def test_rewards_that_never_vary_and_missing_names():
    with pytest.raises(ValueError, match="all rewards of the log are 1"):
        hr.evaluate(made_log(rows=300).with_columns(click=1), **COLUMNS)
    with pytest.raises(ValueError, match="arm= and reward= must name"):
        hr.evaluate(made_log(rows=300))


def test_rules_of_the_verdict():
    up, down, both = Gain(2, 1, 3), Gain(-2, -3, -1), Gain(0, -1, 1)
    assert rulings.on_grouping(both, up, 0.01) == "helps"
    assert rulings.on_grouping(up, up, 0.2) == "no information"
    assert rulings.on_grouping(both, down, 0.2) == "hurts"
    assert rulings.on_grouping(down, both, 0.01) == "hurts"
    assert rulings.on_grouping(up, both, 0.01) == "open"
    assert [rulings.on_history(gain) for gain in (up, down, both)] == ["helps", "hurts", "open"]


def test_words_for_each_ruling():
    up, down, both = Gain(8.5, 3.1, 14.0), Gain(-4.0, -6.0, -2.0), Gain(0.5, -1.0, 2.0)
    lines = sentences.grouping({"grouping": up, "labels": up}, "helps", 0.0005)
    assert lines[0] == "Your grouping helps: +8.5 per 1000 decisions over shuffled labels (+3.1 to +14.0)."
    assert lines[1].startswith("Use it: +8.5")
    assert "not shown to beat ignoring" in sentences.grouping({"grouping": both, "labels": up}, "helps", 0.0005)[1]
    assert "do not switch" in sentences.grouping({"grouping": down, "labels": up}, "helps", 0.0005)[1]
    assert (
        "loses 4.0 per 1000 decisions against ignoring it"
        in sentences.grouping({"grouping": down, "labels": both}, "hurts", 0.3)[0]
    )
    assert "at most +2.0" in sentences.grouping({"grouping": both, "labels": both}, "no information", 0.3)[0]
    assert "is open: -1.0 to +2.0" in sentences.grouping({"grouping": both, "labels": both}, "open", 0.01)[0]
    assert sentences.disagreement({"history": up}, {"history": down}) is not None
    assert sentences.disagreement({"history": up}, {"history": up}) is None


@pytest.mark.parametrize(
    ("rounds", "rows", "way"),
    [(1000, 20_000, "Ask for more with rounds=5145 (--rounds)."), (1000, 1000, "The log has no more than 1,000 rows.")],
)
def test_few_decisions_for_many_arms_are_pointed_out(rounds, rows, way):
    (told,) = log_remarks.few_decisions(rounds, 1715, rows)
    assert told.startswith("Few decisions: 1,000 for 1,715 arms. ")
    assert told.endswith(way)
    assert log_remarks.few_decisions(5145, 1715, rows) == []


def test_a_verdict_by_few_decisions_says_so(warm):
    assert "Few decisions" not in str(warm)
    assert "Few decisions: 60 for 24 arms." in str(replace(warm, setting=replace(warm.setting, rounds=60)))


def test_rounds_saved():
    cold, warm_curve = np.concatenate([np.zeros(50), np.ones(50)]), np.full(100, 0.75)
    assert rounds_saved({"UCB": cold, "HUCB": warm_curve}) == "48"
    assert rounds_saved({"UCB": np.zeros(100), "HUCB": warm_curve}) == "at least 100"


def test_the_result_in_all_its_forms(warm):
    frame = warm.frame()
    assert frame.columns == ["method", "rounds", "gain", "value", "low", "high"]
    assert set(frame["method"]) == {"simulation", "replay"}
    assert set(zip(frame["method"], frame["rounds"], strict=True)) == {("simulation", 200), ("replay", warm.replay.rounds)}
    found = json.loads(json.dumps(warm.to_dict(), default=str))
    assert found["gains"]["history"]["value"] == warm.gains["history"].value
    assert (sum(found["plays"]), list(found["means"]), len(found["means"]["low"])) == (6000, ["median", "low", "high"], 24)
    assert "<svg" in warm._repr_html_()
    assert warm.plot().axes


def test_the_same_seed_gives_the_same_verdict(warm):
    again = hr.evaluate(made_log(), **COLUMNS, **QUICK)
    assert again.gains == warm.gains
    assert again.replay == warm.replay


def test_inspect_describes_a_log():
    found = hr.inspect(made_log(), **COLUMNS, context="device")
    assert found.rows == 12_000
    assert found.never_tried == ()
    assert found.grade.letter == "A"
    text = str(found)
    assert text.startswith("frame of polars: 12,000 rows, 24 arms in 6 groups.")
    for part in (
        "Plays per arm",
        "arm and device: V =",
        "Your groups explain",
        "First half against second",
    ):
        assert part in text
    assert "Arms, best first" in text
    assert "4 more arms: all are in the JSON (--json, to_dict)." in text
    assert "4 more arms: all are in to_dict() and frame()." in found._repr_html_()
    assert found.frame().height == 24
    assert json.loads(json.dumps(found.to_dict(), default=str))["rows"] == 12_000
    assert "<svg" in found._repr_html_()
    assert "arms look chosen at random" in text
    assert "arms were chosen at random." in str(hr.inspect(made_log(), **COLUMNS, logging="random"))


def test_a_bound_that_says_nothing_is_left_out():
    found = hr.inspect(made_log(), **COLUMNS)
    told, untold = (str(replace(found, bounds=Bounds(100, most, 50.0, None))) for most in (60.0, 50.0))
    assert "HUCB 50, HUCBC has none, since its groups overlap. The largest possible regret is 60." in told
    assert "Bound on the regret" not in untold
    assert Bounds(100, 50.0, 50.0, 40.0).telling


def test_a_gain_of_nothing_but_rounding_is_none():
    value = {"UCB": np.array([[100.0, 3.0]]), "HUCB": np.array([[100.0 + 1e-13, 4.0]])}
    assert gains.paired(value)["history"].tolist() == [[0.0, 1.0]]


def test_inspect_knows_arms_that_were_never_tried_and_values_that_lack():
    frame = made_log().with_columns(click=pl.when(pl.col("day") < 7).then(None).otherwise(pl.col("click")))
    clusters = {f"ad-{a:02d}": f"topic {a % 6}" for a in range(24)} | {"ad-99": "topic 1"}
    found = hr.inspect(frame, arm="ad", reward="click", clusters=clusters)
    assert found.never_tried == ("ad-99",)
    assert "7 rows with no reward" in str(found)
    assert "1 arm has no row, and only the clusters name it: left out." in str(found)


def test_inspect_and_evaluate_judge_the_same_arms():
    frame = made_log()
    clusters = dict(zip(frame["ad"], frame["topic"], strict=True))
    more = clusters | {f"new-{a}": f"topic-{a}" for a in range(6)}
    seen, found = (look(frame, arm="ad", reward="click", clusters=more, time="day") for look in (hr.inspect, hr.evaluate))
    assert seen.grade.uniform == found.grade.uniform
    assert seen.grade.uniform.passed
    plain = hr.inspect(frame, arm="ad", reward="click", clusters=clusters, time="day")
    assert str(seen).replace("6 arms have no row, and only the clusters name them: left out.\n", "") == str(plain)
    assert seen.to_dict()["never_tried"] == tuple(f"new-{a}" for a in range(6))


@pytest.mark.parametrize("look", [hr.inspect, hr.evaluate])
def test_a_log_of_few_rows_is_called_small_before_anything_else(look):
    with pytest.raises(ValueError, match="at least 4 rows and 2 arms, this one has 3 and 2"):
        look(pl.DataFrame({"ad": ["a", "b", "a"], "click": [0, 1, 1], "x": [1, 2, 1]}), arm="ad", reward="click", context="x")


def run(*arguments, folder):
    return subprocess.run(
        [sys.executable, "-m", "hedgerow", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "120"},
    )


def test_the_commands_write_a_page_and_exit_with_what_happened(tmp_path):
    made_log().write_csv(tmp_path / "log.csv")
    made_log(rate=0.004, rows=2000, spread=0.1).write_csv(tmp_path / "poor.csv")
    names = ["--arm", "ad", "--reward", "click", "--clusters", "topic", "--time", "day"]
    fine = run("evaluate", "log.csv", *names, "--no-history", "--rounds", "200", folder=tmp_path)
    assert fine.returncode == 0, fine.stderr
    assert "Your grouping helps" in fine.stdout
    page = (tmp_path / "verdict" / "index.html").read_text()
    assert page.count("<svg") == 4
    assert "Trust over time" in page
    assert "http" not in page.replace("http://www.w3.org", "").replace("http://purl.org", "").replace(
        "http://creativecommons.org", ""
    )
    assert json.loads((tmp_path / "verdict" / "verdict.json").read_text())["rulings"] == {"grouping": "helps"}
    poor = run("evaluate", "poor.csv", *names, "--out", "poor", folder=tmp_path)
    assert poor.returncode == 3
    assert "Refused:" in poor.stdout
    wrong = run("evaluate", "log.csv", "--arm", "ad", "--reward", "klick", folder=tmp_path)
    assert wrong.returncode == 2
    assert "klick" in wrong.stderr
    for out, message in (("", "--out must name a folder"), ("log.csv/deep", "log.csv is a file")):
        wrong = run("evaluate", "log.csv", *names, "--out", out, folder=tmp_path)
        assert wrong.returncode == 2
        assert message in wrong.stderr
    made_log().write_csv(tmp_path / "log.txt", separator=";")
    for log in (["log.csv"], ["log.txt", "--separator", ";"]):
        seen = run("inspect", *log, *names, folder=tmp_path)
        assert seen.returncode == 0, seen.stderr
        assert "12,000 rows, 24 arms in 6 groups" in seen.stdout


def test_names_of_a_log_do_not_steer_the_terminal(tmp_path):
    steers = "\x1b]0;owned\x07\x1b[2J"
    some = pl.when(pl.col("day") > 9).then("device")  # rows without are told of by the column's name
    frame = made_log(rows=600).with_columns(pl.col("ad") + steers, pl.col("topic") + steers, some.alias(steers))
    frame.write_csv(tmp_path / f"log{steers}.csv")
    names = ["--arm", "ad", "--reward", "click", "--clusters", "topic", "--context", steers]
    for command in ("inspect", "evaluate"):
        seen = run(command, f"log{steers}.csv", *names, folder=tmp_path)
        assert seen.returncode in (0, 3), seen.stderr
        assert "owned" in seen.stdout
        assert "\x1b" not in seen.stdout + seen.stderr


def test_a_package_that_is_there_and_does_not_load_is_not_called_missing_only(tmp_path):
    made_log(rate=0.004, rows=2000, spread=0.1).write_csv(tmp_path / "poor.csv")
    (tmp_path / "jinja2.py").write_text("raise ImportError('libfoo.so.1: no such file')")
    names = ["--arm", "ad", "--reward", "click", "--time", "day"]
    told = run("evaluate", "poor.csv", *names, folder=tmp_path).stderr
    assert "in a checkout: pip install -e" in told
    assert "Python says: libfoo.so.1: no such file" in told


def test_without_a_terminal_a_long_step_is_told_of_again(monkeypatch):
    asked, again = [], threading.Event()

    def clock():
        asked.append(None)
        if len(asked) == 2:
            again.set()
        return 7.0 * len(asked)

    def long_work(*_, say, **__):
        say("long work")
        assert again.wait(60)
        raise KeyboardInterrupt

    monkeypatch.setattr("hedgerow.cli.logs.REMINDER_SECONDS", 0.01)
    monkeypatch.setattr("hedgerow.cli.logs.perf_counter", clock)
    monkeypatch.setattr(sys.modules["hedgerow.evaluate.evaluation"], "evaluate", long_work)
    end = CliRunner().invoke(app, ["evaluate", "log.csv", "--arm", "ad", "--reward", "click"])
    assert end.exit_code == 130
    assert "long work, 7 s so far" in end.stderr
    assert "Interrupted. Nothing is kept: the same command starts anew" in end.stderr


ROOT = Path(__file__).parent.parent


def test_the_readme_shows_what_the_example_says():
    names = {"arm": "ad", "reward": "click", "time": "day"}
    found = hr.evaluate(ROOT / "examples" / "log.csv", clusters=f"{ROOT / 'examples' / 'ads.csv'}:ad,topic", **names)
    shown = (ROOT / "README.md").read_text().split("compiling the first time:\n\n```\n")[1].split("\n```")[0].splitlines()
    assert len(shown) == 4
    assert set(shown) <= set(str(found).splitlines())


def test_the_example_is_what_its_script_makes(tmp_path):
    subprocess.run([sys.executable, ROOT / "examples" / "make_log.py", tmp_path], check=True)
    for name in ("log.csv", "ads.csv"):
        assert (tmp_path / name).read_bytes() == (ROOT / "examples" / name).read_bytes()


@pytest.mark.skipif("HEDGEROW_DATA" not in os.environ, reason="HEDGEROW_DATA does not name the folder of the public logs")
@pytest.mark.parametrize(("log", "grade", "events"), [("random", "A", "19 events"), ("bts", "B", "4 effective events")])
def test_the_public_log_is_refused(log, grade, events):
    folder = Path(os.environ["HEDGEROW_DATA"]) / "obd" / log
    if not (folder / "all.csv").exists():
        pytest.skip("the public log is not in HEDGEROW_DATA")
    given = dict(arm="item_id", reward="click", time="timestamp", propensity="propensity_score")
    found = hr.evaluate(folder / "all.csv", **given, clusters=f"{folder}/item_context.csv:item_id,item_feature_1")
    assert found.grade.letter == grade
    assert found.refused[0].startswith(events)
