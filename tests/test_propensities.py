"""Logs whose arms were chosen by the context, with known probabilities."""

import numpy as np
import polars as pl
import pytest

import hedgerow as hr
from hedgerow.evaluate.logging_grade import check_propensities

COLUMNS = {"arm": "ad", "reward": "click", "propensity": "p"}


def chosen_by_segment(rows=20_000, seed=0):
    """Half of twelve ads suit each of two segments, and are mostly shown to it: nothing changes in time."""
    rng = np.random.default_rng(seed)
    segment, suits = rng.integers(0, 2, rows), np.arange(12) % 2
    chances = np.where(suits == np.arange(2)[:, None], 0.15, 0.1 / 6.0)
    ad = np.array([rng.choice(12, p=chances[s]) for s in segment])
    click = (rng.random(rows) < np.where(suits[ad] == segment, 0.6, 0.1) + 0.01 * (ad // 3)).astype(int)
    return pl.DataFrame({"ad": ad, "click": click, "p": chances[segment, ad], "segment": segment.astype(str)})


def test_what_the_log_did_is_what_it_earned():
    """It earned 0.56 a row; the best ad, shown to everyone, earns 0.38."""
    frame = chosen_by_segment()
    found = hr.evaluate(frame, **COLUMNS, draws=40, runs=1)
    assert found.gains["log"].high < -100.0
    assert found.means[0].max() - frame["click"].mean() < -0.1


def test_arms_chosen_by_the_context_do_not_look_as_if_they_had_moved():
    """Past and future are weighed alike; a policy still starts from the rows as they are."""
    told = [hr.evaluate(chosen_by_segment(seed=seed), **COLUMNS, draws=20, runs=1) for seed in range(4)]
    assert sum(found.drift.p < 0.05 for found in told) <= 1
    assert not any(found.drift.together for found in told)
    assert max(found.course.moved[-1] for found in told) < 0.03


def test_propensities_that_differ_within_an_arm_are_no_random_logging():
    with pytest.raises(ValueError, match="differ between rows of one arm: leave logging out"):
        hr.inspect(chosen_by_segment(2000), **COLUMNS, logging="random")
    rng = np.random.default_rng(0)
    ad = rng.choice(2, p=[0.3, 0.7], size=2000)
    frame = pl.DataFrame({"ad": ad, "click": rng.integers(2, size=2000), "p": np.where(ad == 0, 0.3, 0.7)})
    assert hr.inspect(frame, **COLUMNS, logging="random").grade.letter == "A"


def test_arms_that_happen_to_have_no_row_are_no_misfit():
    rng = np.random.default_rng(0)
    ad = rng.integers(80, size=240)
    frame = pl.DataFrame({"ad": ad, "click": rng.integers(2, size=240), "p": 1 / 80})
    assert frame["ad"].n_unique() < 80
    assert hr.inspect(frame, **COLUMNS).grade.letter == "A"
    with pytest.raises(ValueError, match="do not fit"):
        hr.inspect(frame.with_columns(p=1 / 160), **COLUMNS)


def test_effective_events_are_called_so():
    rng = np.random.default_rng(1)
    segment = rng.integers(0, 2, 4000)
    chances = np.array([[0.01] * 10 + [0.09] * 10, [0.09] * 10 + [0.01] * 10])
    ad = np.array([rng.choice(20, p=chances[s]) for s in segment])
    frame = pl.DataFrame({"ad": ad, "click": (rng.random(4000) < 0.01).astype(int), "p": chances[segment, ad]})
    assert " effective events in the later part" in hr.evaluate(frame, **COLUMNS).refused[0]


def test_a_log_takes_no_more_columns_and_no_history_no_split():
    frame = chosen_by_segment(2000)
    log = hr.Log.read(frame, arm="ad", reward="click")
    for ask in (hr.evaluate, hr.inspect):
        with pytest.raises(ValueError, match="give 'clusters', 'time' to Log.read instead"):
            ask(log, time="nonsense", clusters="segment")
    with pytest.raises(ValueError, match="nothing to split off"):
        hr.evaluate(log, history=False, split=0.3)


def test_inspect_weighs_the_halves_that_it_compares():
    """Arms 0 to 2 are shown to one segment first and to the other later: only the choice changes, no reward."""
    rng = np.random.default_rng(1)
    rows, segment = 12_000, rng.integers(2, size=12_000)
    favoured = np.where(np.arange(rows) >= rows // 2, 1 - segment, segment)[:, None] * np.where(np.arange(6) < 3, 1.2, 0.0)
    chances = np.exp(favoured) / np.exp(favoured).sum(axis=1, keepdims=True)
    ad = (chances.cumsum(axis=1) < rng.random(rows)[:, None]).sum(axis=1)
    click = (rng.random(rows) < (0.2 + 0.05 * (ad % 3)) * np.where(segment == 1, 1.5, 0.5)).astype(int)
    frame = pl.DataFrame({"ad": ad, "click": click, "p": chances[np.arange(rows), ad]})
    assert hr.inspect(frame, **COLUMNS).drift.p > 0.05
    assert hr.inspect(frame.drop("p"), arm="ad", reward="click", logging="random").drift.p < 1e-6


@pytest.mark.parametrize(("rows", "arms", "explore"), [(600, 4, 0.05), (2000, 4, 0.02)])
def test_a_policy_that_seldom_explores_writes_an_honest_log(rows, arms, explore):
    """An arm that is nearly always chosen lacks the rounds in which it was improbable; that is no forgery."""
    for seed in range(20):
        rng = np.random.default_rng([seed, rows])
        means, policy, played = 0.5 * rng.random(arms), hr.Auto(range(arms), explore=explore), []
        for _ in range(rows):
            decision = policy.select(rng=rng)
            reward = float(rng.random() < means[decision.arm])
            policy.update(decision, reward)
            played.append((decision.arm, reward, decision.propensity))
        arm, reward, propensity = (list(part) for part in zip(*played, strict=True))
        frame = pl.DataFrame({"arm": arm, "reward": reward, "p": propensity})
        check_propensities(hr.Log.read(frame, arm="arm", reward="reward", propensity="p"))


def test_a_log_in_which_nothing_was_drawn_has_no_propensities():
    frame = pl.DataFrame({"arm": [0, 1] * 30, "reward": [0.0, 1.0] * 30, "p": [1.0] * 60})
    with pytest.raises(ValueError, match="every propensity is 1: nothing was drawn"):
        check_propensities(hr.Log.read(frame, arm="arm", reward="reward", propensity="p"))
