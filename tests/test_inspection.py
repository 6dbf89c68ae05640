"""What inspect says of single arms and of spreads, against known truths."""

import re

import numpy as np
import polars as pl
import pytest

import hedgerow as hr
from hedgerow.inference.rates import arcsine, arcsine_variance
from hedgerow.inference.sums import Sums
from hedgerow.inference.two_level import posterior

NAMES = {"arm": "a", "reward": "r", "logging": "random"}


def rare_log(rows, seed):
    """Forty arms whose rates of about 0.02 differ a lot; the frame and the true rates."""
    rng = np.random.default_rng(seed)
    rates = np.minimum(np.exp(rng.normal(np.log(0.02), 1.0, 40)), 0.6)
    arm = rng.integers(0, 40, rows)
    return pl.DataFrame({"a": arm, "r": (rng.random(rows) < rates[arm]).astype(int)}), rates


def test_intervals_of_rare_rates_hold_the_truth():
    """90 % intervals of forty arms in ten logs, 150 rows and about five events an arm: 80 % must hold, also of the best arms."""
    held, first = [], []
    for seed in range(10):
        frame, rates = rare_log(6000, seed)
        found = hr.inspect(frame, **NAMES)
        middle, low, high = found.means
        truth = rates[np.array(found.arms)]
        held.append((low <= truth) & (truth <= high))
        first.append(held[-1][middle.argmax()])
    assert np.mean(held) >= 0.8
    assert np.sum(first) >= 8


def test_single_arms_of_hardly_any_events_are_not_judged():
    frame, _ = rare_log(500, 0)
    found = hr.inspect(frame, **NAMES, clusters={k: k % 8 for k in range(40)})
    assert found.means is found.explained is None
    assert "over 40 arms; about 80 are needed, that is a log of some" in str(found)
    assert str(found).count("are needed") == 1
    assert found.frame()["mean"].is_nan().all()
    assert found.to_dict()["means"] is None
    assert "are needed" in found._repr_html_()
    with pytest.raises(ValueError, match="no means to draw"):
        found.plot()


def test_one_row_of_each_arm_says_nothing_of_the_noise():
    frame = pl.DataFrame({"a": range(20), "r": np.random.default_rng(0).normal(size=20)})
    found = hr.inspect(frame, **NAMES)
    assert found.means is found.noise is None
    assert "no arm has two rows" in str(found)
    assert "noise 0" not in str(found)


@pytest.mark.parametrize("rate", [0.003, 0.3, 0.98])
def test_the_variance_of_the_arcsine_is_that_of_the_binomial_distribution(rate):
    rows = np.array([2.0, 30.0, 400.0, 3000.0])
    hits = np.random.default_rng(0).binomial(rows.astype(int), rate, size=(200_000, 4)).astype(float)
    np.testing.assert_allclose(arcsine_variance(rows, rate), arcsine(hits, rows).var(axis=0), rtol=0.05)


def test_draws_of_rates_are_rates():
    sums = Sums(np.array([1.0, 2.0, 1.0]), np.array([1.0, 1.0, 0.0]), np.array([1.0, 1.0, 0.0]))
    draws = posterior(sums, np.zeros(3, dtype=np.int64), np.random.default_rng(0), binary=True)
    assert draws.min() >= 0.0
    assert draws.max() <= 1.0


def test_inspect_and_trust_tell_the_same_spreads():
    rng = np.random.default_rng(0)
    means = rng.normal(0.0, 1.0, 60).repeat(2) + rng.normal(0.0, 0.1, 120)
    arm = np.arange(120).repeat(200)
    reward = means[arm] + rng.normal(0.0, 0.3, arm.size)
    found = hr.inspect(pl.DataFrame({"a": arm, "r": reward}), **NAMES, clusters={k: k // 2 for k in range(120)}).explained
    history = hr.History.from_rounds(arms=arm, rewards=reward)
    trust = hr.HUCBC(range(120), clusters=[k // 2 for k in range(120)], history=history).trust().grouping
    assert found.within == pytest.approx(trust.within.value, rel=0.02)
    assert found.between == pytest.approx(trust.between.value, rel=0.02)
    assert found.within == pytest.approx(0.1, rel=0.25)


@pytest.mark.parametrize(("low", "high"), [(0.0, 100.0), (-3.0, 7.0)])
def test_two_values_are_judged_as_0_and_1_whatever_they_are(low, high):
    frame, _ = rare_log(6000, 1)
    other = frame.with_columns(r=low + (high - low) * pl.col("r"))
    names = {**NAMES, "clusters": {k: k % 8 for k in range(40)}}
    plain, paid = hr.inspect(frame, **names), hr.inspect(other, **names)
    size = high - low
    np.testing.assert_allclose(paid.means, low + size * plain.means)
    assert paid.noise == pytest.approx(size * plain.noise)
    assert (paid.drift.shift, paid.drift.p) == pytest.approx((size * plain.drift.shift, plain.drift.p))
    assert (paid.explained.share, paid.explained.within) == pytest.approx((plain.explained.share, size * plain.explained.within))
    plain, paid = (hr.evaluate(log, **names, draws=20, runs=1) for log in (frame, other))
    assert paid.binary
    assert paid.rulings == plain.rulings
    np.testing.assert_allclose(paid.means, low + size * plain.means)
    np.testing.assert_allclose(paid.curves["UCB"], low + size * plain.curves["UCB"])
    for name, gain in plain.gains.items():
        assert paid.gains[name] == pytest.approx(gain.times(size))
    for name, gain in plain.replay.gains.items():
        assert paid.replay.gains[name] == pytest.approx(gain.times(size))
    refused = hr.evaluate(other.head(1000), **names)
    assert "are needed" in refused.refused[0]


def test_the_verdict_is_the_same_in_any_unit():
    rng = np.random.default_rng(5)
    arm = rng.integers(0, 12, 4000)
    reward = rng.normal(np.repeat([0.0, 0.3, 0.6], 4)[arm], 0.5)
    names = {"arm": "a", "reward": "r", "logging": "random", "clusters": {k: k // 4 for k in range(12)}}
    usual, *others = (
        (unit, hr.evaluate(pl.DataFrame({"a": arm, "r": unit * reward}), **names, draws=40, runs=1)) for unit in (1.0, 1e-9, 1e9)
    )
    assert usual[1].rulings
    for unit, found in others:
        assert found.rulings == usual[1].rulings
        assert found.drift_factor != usual[1].drift_factor
        for name, gain in usual[1].gains.items():
            assert found.gains[name].value / unit == pytest.approx(gain.value, rel=1e-6)
            assert found.gains[name].low / unit == pytest.approx(gain.low, rel=1e-6)


def test_intervals_show_their_width_beside_large_means():
    rng = np.random.default_rng(0)
    arm = rng.integers(0, 4, 2000)
    told = str(hr.inspect(pl.DataFrame({"a": arm, "r": 100_000.0 + 0.3 * arm + rng.normal(size=2000)}), **NAMES))
    assert "mean 100,000, noise" in told
    rows = [line.split() for line in told.splitlines() if line.strip()[:2] in ("0 ", "1 ", "2 ", "3 ")]
    assert len(rows) == 4
    assert all(float(row[-3].replace(",", "")) < float(row[-1].replace(",", "")) for row in rows)


def test_a_split_that_leaves_no_rows_is_refused():
    frame, _ = rare_log(2000, 0)
    with pytest.raises(ValueError, match="leaves no row of 2,000 for the history"):
        hr.evaluate(frame, **NAMES, split=1e-4)


def test_without_history_nothing_has_moved():
    frame, _ = rare_log(8000, 0)
    assert hr.evaluate(frame, **NAMES, history=False, draws=20, runs=1).drift_factor == ""


def test_a_few_rewards_beside_0_and_1_are_pointed_out():
    frame, _ = rare_log(6000, 0)
    assert "Nearly all" not in str(hr.inspect(frame, **NAMES))
    odd = frame.with_columns(pl.when(pl.int_range(6000) < 3).then(999.0).otherwise(pl.col("r")).alias("r"))
    for found in (hr.inspect(odd, **NAMES), hr.evaluate(odd, **NAMES, draws=20, runs=1)):
        assert "Nearly all rewards are 0 or 1; 3 others, such as 999, are not" in str(found)
    scores = pl.DataFrame({"a": [0, 1] * 50, "r": np.random.default_rng(0).normal(size=100)})
    assert hr.inspect(scores, **NAMES).odd == ""


def test_a_word_that_the_log_speaks_against_is_no_proof():
    rng = np.random.default_rng(0)
    device = rng.integers(2, size=4000)
    arm = np.where(rng.random(4000) < 0.8, device, 1 - device)
    frame = pl.DataFrame({"a": arm, "r": rng.integers(2, size=4000), "device": device.astype(str)})
    said = {"arm": "a", "reward": "r", "context": "device", "logging": "random"}
    warning = "Arms are said to be chosen at random, but the log does not look so (arm and device: V = 0."
    for found in (hr.inspect(frame, **said), hr.evaluate(frame, **said, draws=20, runs=1)):
        assert warning in str(found)
    alone = str(hr.inspect(frame, arm="a", reward="r"))
    assert "as far as the log can show. No context is given, so nobody can tell whether one decided." in alone
    assert "said to be" not in str(hr.inspect(frame, arm="a", reward="r", logging="random"))


def test_spreads_and_the_share_explained_tell_the_same():
    """Of groups that mean nothing inspect once said that they explain 1 %, and that they lie 0.23 apart."""
    rng = np.random.default_rng(3)
    arm = np.arange(60).repeat(100)
    reward = rng.normal(0.0, 0.33, 60)[arm] + rng.normal(size=arm.size)
    frame = pl.DataFrame({"a": arm, "r": reward})
    found = hr.inspect(frame, **NAMES, clusters={k: k // 3 for k in range(60)}).explained
    assert found.low == 0.0
    assert found.between < 0.5 * found.within
    assert found.share == pytest.approx(found.between**2 / (found.between**2 + found.within**2), abs=0.05)


def test_trust_judges_rewards_of_any_two_values_as_0_and_1():
    rng = np.random.default_rng(4)
    arm = np.arange(24).repeat(100)
    hit = rng.random(arm.size) < (0.1 + 0.1 * (arm // 8) + 0.02 * (arm % 8))
    groups, found = [k // 8 for k in range(24)], {}
    for low, high in ((0.0, 1.0), (-3.0, 97.0)):
        history = hr.History.from_rounds(arms=arm[::2], rewards=np.where(hit, high, low)[::2])
        policy = hr.HUCBC(range(24), clusters=groups, history=history)
        for k, paid in zip(arm[1::2].tolist(), np.where(hit, high, low)[1::2].tolist(), strict=True):
            policy.learn(k, paid)
        found[high] = policy.trust()
    plain, paid = found[1.0], found[97.0]
    assert paid.grouping.share == pytest.approx(plain.grouping.share)
    assert paid.grouping.within == pytest.approx([100.0 * part for part in plain.grouping.within])
    assert paid.history.p == pytest.approx(plain.history.p)
    assert paid.history.farthest[0][1] == pytest.approx(100.0 * plain.history.farthest[0][1] - 3.0)


def test_inspect_leaves_evaluate_a_function():
    frame, _ = rare_log(2000, 0)
    hr.inspect(frame, **NAMES)
    assert hr.evaluate(frame, **NAMES, draws=20, runs=1).source


def test_hostile_names_stay_text():
    """Names of arms, groups and files as text: in pages no markup, in a terminal no signs that steer it."""
    rng = np.random.default_rng(0)
    names = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "{{ 7 * 7 }}", "{% raw %}", "\x1b[2J", '"><b>']
    arm = rng.integers(6, size=3000)
    age = "age\x1b]0;owned\x07"
    frame = pl.DataFrame({"a": [names[k] for k in arm], "r": rng.random(3000) < 0.2 + 0.1 * (arm % 3), age: rng.random(3000)})
    groups = {name: f"<i>{k % 2}</i>" for k, name in enumerate(names)}
    found = hr.inspect(frame, **NAMES, clusters=groups, context=age)
    verdict = hr.evaluate(
        frame.with_columns(pl.when(pl.col(age) < 0.9).then(age)), **NAMES, clusters=groups, context=age, draws=20, runs=1
    )
    for page in (found._repr_html_(), verdict._repr_html_()):
        assert not re.search("<(script|img|i)\\b", page)
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
        assert "{{ 7 * 7 }}" in page
        assert "{% raw %}" in page
    for text in (str(found), str(verdict)):
        assert "\x1b" not in text


def test_names_do_not_steer_a_terminal_that_prints_what_a_policy_says():
    steers = "\x1b]0;owned\x07\x1b[2J"
    arms = [f"{k}{steers}" for k in range(6)]
    groups = [f"{k % 2}{steers}" for k in range(6)]
    log = hr.History.from_rounds(arms=arms * 20, rewards=np.random.default_rng(0).normal(size=120))
    policy = hr.Meta(
        {f"wide{steers}": hr.UCBC(arms, clusters=groups, scale="auto"), "warm": hr.HUCBC(arms, clusters=groups, history=log)}
    )
    for arm in arms * 20:
        policy.learn(arm, 7.0)
    with pytest.warns(UserWarning, match="differ beyond chance") as warned:
        told = str(policy.trust())
    for text in (told, str(warned[0].message), str(policy.explain())):
        assert "\x1b" not in text
        assert "owned" in text
