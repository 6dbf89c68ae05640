"""Replay against policies played by hand, and the coverage study."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import hedgerow as hr
from benchmarks.studies import coverage
from hedgerow.evaluate import replay
from hedgerow.evaluate.contextual_replay import context_refusal, offered, replay_contexts, with_numbers
from hedgerow.evaluate.gains import entrants
from hedgerow.evaluate.logging_grade import graded
from hedgerow.evaluate.matched_rows import Contest, Rows, replay_policy
from hedgerow.evaluate.split import split
from hedgerow.inference.intervals import bootstrapped


def logged(rows=3000, arms=6, seed=0, rewards="clicks"):
    rng = np.random.default_rng(seed)
    arm, age = rng.integers(0, arms, size=rows), rng.normal(40, 10, size=rows)
    mean = 0.1 + 0.1 * arm
    reward = (rng.random(rows) < mean).astype(float) if rewards == "clicks" else mean + rng.normal(0, 0.3, size=rows)
    frame = pl.DataFrame({"arm": arm, "reward": reward, "age": age, "city": rng.choice(["Oslo", "Rome", "Bern"], size=rows)})
    clusters = {k: f"group {k // 2}" for k in range(arms)}
    return hr.Log.read(frame, arm="arm", reward="reward", context=["age", "city"], clusters=clusters)


@pytest.fixture(scope="module")
def log():
    return logged()


@pytest.mark.parametrize("name", ["UCB", "HUCB", "grouped"])
def test_a_replay_is_what_the_policy_does_on_these_queues(log, name):
    parted = split(log, share=0.5, history=True, weigh=False)
    start, order = entrants(parted, 120)[name]
    rng = np.random.default_rng(1)
    queues, sizes = rng.integers(0, 2, size=(6, 120)).astype(float), np.full(6, 100)
    mean, empty = replay.replay(start, order, queues, sizes)
    past = hr.History.from_rounds(arms=[log.arms[k] for k in log.arm[:1500]], rewards=log.reward[:1500])
    make = {
        "UCB": lambda: hr.UCB(log.arms, scale=parted.scale),
        "HUCB": lambda: hr.HUCB(log.arms, history=past, scale=parted.scale),
        "grouped": lambda: hr.HUCBC(log.arms, clusters=log.clusters, history=past, scale=parted.scale),
    }
    policy, plays, earned = make[name](), [0] * 6, 0.0
    for _ in range(120):
        decision = policy.select()
        k = log.arms.index(decision.arm)
        reward = queues[k, plays[k]]
        plays[k] += 1
        earned += reward
        policy.update(decision, reward)
    assert mean == pytest.approx(earned / 120)
    assert empty == sum(max(n - 100, 0) for n in plays)


def test_queues_hold_each_reward_once_and_then_draw_again():
    rewards, first = np.arange(10.0), np.array([0, 4, 10])
    queues = np.empty((2, 6))
    replay.fill(queues, rewards, first, np.random.default_rng(0))
    assert sorted(queues[0, :4]) == [0, 1, 2, 3]
    assert set(queues[0, 4:]) <= {0.0, 1.0, 2.0, 3.0}
    assert sorted(queues[1]) == [4, 5, 6, 7, 8, 9]


def test_a_bootstrap_stays_within_its_arm():
    drawn = replay.resample(np.arange(10.0), np.array([0, 4, 10]), np.random.default_rng(0))
    assert set(drawn[:4]) <= {0.0, 1.0, 2.0, 3.0}
    assert set(drawn[4:]) <= {4.0, 5.0, 6.0, 7.0, 8.0, 9.0}


def test_the_interval_of_a_replay_by_hand():
    orders, bootstraps = np.array([1.0, 3.0, 5.0]), np.array([[1.0, 2.0], [6.0, 4.0], [3.0, 3.0]])
    total, within = np.var([1.5, 5.0, 3.0], ddof=1), np.mean([0.5, 2.0, 0.0])
    upper = min(total * (1 + 1.3 * np.sqrt(2 / 3)) - within / 2, total)
    found = bootstrapped(orders, bootstraps)
    assert found.value == 3.0
    assert found.high - found.value == pytest.approx(1.644854 * np.sqrt(upper + 4.0 / 3))


def test_replay_needs_as_many_rounds_as_arms(log):
    parted = split(log, share=0.5, history=True, weigh=False)
    assert replay.replayed(log, parted, near_uniform=True, rounds=4, seed=0) is None
    found = replay.replayed(log, parted, near_uniform=True, rounds=1000, seed=0)
    assert found.rounds == int(0.8 * 1500 / 6)
    assert found.redrawn <= 0.05
    assert found.gains["history"].low > 0


def test_a_contextual_replay_is_li_et_al_by_hand(log):
    parted = split(log, share=0.5, history=True, weigh=False)
    numbers = with_numbers(log)
    assert numbers.shape[1] == 4  # 1, age, and two of three cities
    past, rows = (Rows(log.arm[part], log.reward[part], numbers[part]) for part in (slice(0, 1500), slice(1500, None)))
    contest = Contest(past, parted)
    order = np.random.default_rng(2).permutation(1500)
    for name in ("UCB", "HUCB", "grouped"):
        policy, earned, matched = contest.policies[name], 0.0, 0
        value = replay_policy(policy, rows, order, 60)
        for row in order:
            decision = policy.select(rows.contexts[row])
            if decision.arm == rows.arm[row] and matched < 60:
                policy.update(decision, rows.reward[row])
                earned += rows.reward[row]
                matched += 1
        assert value == pytest.approx(earned / matched)


def test_contextual_replay_needs_contexts_rows_and_even_choices(log):
    parted = split(log, share=0.5, history=True, weigh=False)
    grade = graded(log, logging=None)
    found = replay_contexts(log, parted, grade, rounds=30, seed=0, say=lambda _: None)
    assert (found.rounds, found.dimension) == (30, 4)
    assert set(found.gains) == {"history", "grouping", "labels"}
    assert context_refusal(log, parted, grade, 1000, 0) is None
    assert "needs as many as arms, 6" in context_refusal(log, parted, grade, 5, 0)
    assert "chosen at random or with known propensities" in context_refusal(log, parted, replace(grade, letter="C"), 1000, 0)
    assert context_refusal(replace(log, context={}), parted, grade, 5, 0) is None


def tilted(rows, arms=6, seed=0):
    """A log whose choice of the arm follows the device, with propensities."""
    rng = np.random.default_rng(seed)
    device = rng.integers(0, 2, size=rows)
    chance = np.exp(0.8 * np.outer([-1, 1], np.linspace(-1, 1, arms)))
    chance /= chance.sum(axis=1, keepdims=True)
    arm = (rng.random(rows)[:, None] > chance[device].cumsum(axis=1)).sum(axis=1)
    reward = (rng.random(rows) < 0.1 + 0.1 * arm * device).astype(float)
    frame = pl.DataFrame({"arm": arm, "reward": reward, "device": device, "p": chance[device, arm]})
    clusters = {k: f"group {k // 2}" for k in range(arms)}
    return hr.Log.read(frame, arm="arm", reward="reward", context=["device"], clusters=clusters, propensity="p")


def test_a_thinned_log_is_one_of_even_choices():
    """In each context every arm is left as often as any other: 1/6 of some 7000 rows, within four standard errors."""
    log = tilted(40_000)
    parted, grade = split(log, share=0.5, history=True, weigh=True), graded(log, logging=None)
    assert grade.letter == "B"
    kept = offered(log, parted, grade, seed=0)
    assert kept.min() >= 20_000
    for device in (0.0, 1.0):
        counts = np.bincount(log.arm[kept][log.context["device"][kept] == device], minlength=6)
        assert np.abs(counts - counts.mean()).max() < 4 * np.sqrt(counts.mean())
    found = replay_contexts(log, parted, grade, rounds=100, seed=0, say=lambda _: None)
    assert found.rows == kept.size
    assert found.gains["history"].low > 0.0


def test_a_log_that_thins_to_little_is_refused():
    log = tilted(1000)
    parted, grade = split(log, share=0.5, history=True, weigh=True), graded(log, logging=None)
    assert "would match what a policy chooses; it takes 60" in context_refusal(log, parted, grade, 1000, 0)


def test_simulated_logs_have_the_truth_they_were_made_from():
    cell = coverage.Cell("good", "clean", "skewed", rows=4_000_000)
    truth = coverage.simulate(cell, np.random.default_rng(0))
    assert truth.split.future.mean == pytest.approx(truth.means, rel=0.1)
    plain = coverage.Cell("harmful", "none", rows=2_000_000)
    truth = coverage.simulate(plain, np.random.default_rng(1))
    assert truth.split.future.mean == pytest.approx(truth.means, rel=0.1)
    assert truth.split.history_rows == 0
    best = int(truth.means.argmax())
    assert truth.split.groups[best] != cell.groups[best]


def test_a_small_study_goes_on_where_it_stopped(tmp_path):
    path = tmp_path / "coverage.jsonl"
    cells = (coverage.Cell("good", "none", rows=2000, rate=0.3), coverage.Cell("good", "clean", rows=100, rate=0.005))
    assert len(list(coverage.study(cells, 1, path, jobs=1, base=0))) == 2
    before = path.read_text()
    list(coverage.study(cells, 2, path, jobs=1, base=0))
    assert path.read_text().startswith(before)
    rows = coverage.read(path)
    assert [row["answered"] for row in rows] == [True, False, True, False]
    assert coverage.summary(rows)["answered"] == 2
    assert coverage.table(rows).count("\n") == 6  # heads, two cells, good ones by history, all
    assert rows[0] == json.loads(json.dumps(coverage.examine(cells[0], 0)))


def test_the_study_has_a_command():
    shown = subprocess.run([sys.executable, "-m", "benchmarks.studies.coverage", "--help"], capture_output=True, text=True)
    assert "logs of each cell" in shown.stdout
