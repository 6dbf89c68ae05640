"""What policies, trust, explanations, histories and simulations show of themselves, and what a policy notices."""

import importlib.util
import io
import logging
import math
import pickle
import warnings
from copy import deepcopy

import numpy as np
import pandas as pd
import pytest

import hedgerow as hr
from hedgerow.core.kernel import COMPILED

ARMS = ["<b>ad</b>", "$x$ ad", *(f"ad-{k}" for k in range(6))]
CLUSTERS = ["x", "x", "x", "y", "y", "y", ("z", "<i>"), ("z", "<i>")]
LOG = hr.History.from_rounds(arms=ARMS * 5, rewards=[0.0, 1.0, 1.0, 0.0, 1.0] * 8)
MAKES = {
    "UCB": lambda: hr.UCB(ARMS),
    "Auto": lambda: hr.Auto(ARMS, clusters=CLUSTERS, history=LOG),
    "LinUCB": lambda: hr.LinUCB(ARMS, context={"age": "number"}),
    "META": lambda: hr.Meta({"inner": hr.META(ARMS, clusters=CLUSTERS, history=LOG), "auto": hr.Auto(ARMS)}),
    "D3RB": lambda: hr.META(ARMS, clusters=CLUSTERS, rule="d3rb"),
}


def played(make, rounds=60):
    policy, rng = make(), np.random.default_rng(0)
    for _ in range(rounds):
        decision = policy.select({"age": 3} if policy.dimension else None)
        policy.update(decision, float(rng.random() < 0.4))
    policy.expect(policy.select([3.0] if policy.dimension else None))
    return policy


def shown_by(policy):
    context = [1.0] if policy.dimension else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        warm = policy.experts["inner"] if policy.name == "META" and "inner" in policy.experts else policy
        return policy, policy.trust(), policy.explain(context), warm.history


@pytest.mark.parametrize("rounds", [0, 60])
@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_everything_shows_itself_in_a_notebook_a_frame_and_a_figure(make, rounds):
    for value in shown_by(played(make, rounds)):
        page = value._repr_html_()
        assert page.startswith("<div")
        assert "<b>ad" not in page
        assert "<i>" not in page
        frame = value.frame()
        assert frame.height == len(value.frame("pandas")) > 0
        value.plot().savefig(io.BytesIO(), format="svg")  # names between dollars are no formulas


def test_a_frame_holds_what_was_learnt():
    policy = hr.UCBC(["a", "b", "c"], clusters=["x", "x", "y"], scale=0.1)
    policy.learn_many(["a", "a", "b"], [1.0, 0.0, 0.5])
    policy.expect(hr.Decision("c"))
    rows = policy.frame().to_dicts()
    assert [(row["arm"], row["cluster"], row["plays"], row["mean"], row["waiting"]) for row in rows] == [
        ("a", "x", 2, 0.5, 0),
        ("b", "x", 1, 0.5, 0),
        ("c", "y", 0, None, 1),
    ]
    assert rows[0]["error"] == pytest.approx(0.5)  # deviations of 1/2 each, two rewards: sqrt(0.5 / 2)
    assert rows[1]["error"] is None
    assert isinstance(policy.frame("pandas"), pd.DataFrame)
    with pytest.raises(ImportError, match="pip install cudf"):
        policy.frame("cudf")
    with pytest.raises(ValueError, match="backend must be polars, pandas or pyarrow, got 'excel'"):
        policy.frame("excel")


def test_a_frame_of_experts_has_a_row_for_each_of_their_arms():
    policy = played(MAKES["META"])
    assert set(policy.frame()["expert"]) == {"inner/HUCBC", "inner/HUCB", "auto"}
    assert policy.frame().height == 3 * len(ARMS)
    labels = hr.UCB([1, "a", (2, "b")]).frame()["arm"]
    assert labels.to_list() == ["1", "a", "2/b"]
    assert hr.UCB([7, 8]).frame()["arm"].to_list() == [7, 8]


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_metrics_are_flat_and_finite(make):
    policy = played(make)
    found = policy.metrics()
    assert all(type(name) is str and type(value) is float and math.isfinite(value) for name, value in found.items())
    assert (found["rounds"], found["waiting"], found["arms"]) == (policy.rounds, 1.0, len(ARMS))
    assert 1.0 <= found["effective_arms"] <= found["played_arms"] <= len(ARMS)
    assert found == policy.metrics()


def test_metrics_by_hand():
    policy = hr.UCB(["a", "b", "c"], explore=0.1)
    assert "mean_reward" not in policy.metrics()
    policy.learn_many(["a", "b"], [1.0, 0.0])
    expected = {"rounds": 2, "waiting": 0, "arms": 3, "explore": 0.1, "played_arms": 2, "effective_arms": 2, "mean_reward": 0.5}
    assert policy.metrics() == pytest.approx(expected | {"history_plays": 0})
    raw = hr.LinUCB(["a"], context={"age": "number"})
    raw.select({"age": None})
    assert raw.metrics()["unknown_values"] == 1
    meta = hr.META(["a", "b"], clusters=["x", "y"])
    meta.update(meta.select(), 1.0)
    assert meta.metrics()["followed_HUCBC"] + meta.metrics()["followed_HUCB"] == 1.0


class Other:
    """Somebody's policy, which shows nothing of itself."""

    name, dimension, arms = "Other", None, ("a", "b")

    def select(self, context=None, *, rng=None):
        return hr.Decision("a")

    def update(self, decision, reward): ...
    def learn(self, arm, reward, context=None): ...
    def expect(self, decision): ...
    def cancel(self, decision): ...


def test_of_other_peoples_experts_only_the_shares_are_shown():
    policy = hr.Meta({"one": Other(), "two": Other()})
    policy.update(policy.select(), 1.0)
    assert policy.metrics() == {"rounds": 1.0, "waiting": 0.0, "explore": 0.0, "followed_one": 1.0, "followed_two": 0.0}
    assert policy.frame().height == 0
    assert "followed_one = 1" in policy._repr_html_()
    policy.plot()


def test_a_log_hears_once_of_a_history_that_differs(caplog):
    caplog.set_level(logging.INFO, logger="hedgerow")
    log = hr.History.from_rounds(arms=["a", "b"] * 200, rewards=[1.0, 0.0] * 200)
    policy = hr.HUCB(["a", "b"], history=log)
    policy.learn_many(["a", "b"] * 100, [0.0, 1.0] * 100)
    for _ in range(2):
        with pytest.warns(UserWarning, match="differ"):
            policy.trust()
    assert [record.name for record in caplog.records] == ["hedgerow"]
    assert "HUCB, round 200: History and rounds differ beyond chance" in caplog.text
    policy.history = None
    policy.trust()
    policy.history = log
    with pytest.warns(UserWarning, match="differ"):
        policy.trust()
    assert len(caplog.records) == 2


@pytest.mark.skipif(not COMPILED, reason="plain Python takes its time")
def test_a_log_hears_of_a_drift_that_auto_finds_and_of_groups_that_it_doubts(caplog):
    caplog.set_level(logging.INFO, logger="hedgerow")
    rng, arms = np.random.default_rng(0), list(range(20))
    log = hr.History.from_rounds(arms=arms * 100, rewards=(rng.random(2000) < np.tile(rng.random(20), 100)).astype(float))
    policy = hr.Auto(arms, clusters=[arm % 4 for arm in arms], history=log, explore=0.5)
    policy.metrics()
    assert caplog.records == []
    means = rng.random(20)
    for _ in range(3000):
        decision = policy.select(rng=rng)
        policy.update(decision, float(rng.random() < means[decision.arm]))
    policy.metrics()
    assert "Auto, round 3000: arms have moved by about" in caplog.text
    with pytest.warns(UserWarning, match="differ"):
        policy.trust()
    assert "The groups say little or nothing about the arms" in caplog.text


def test_a_log_hears_of_an_arm_that_is_tried_again(caplog):
    caplog.set_level(logging.INFO, logger="hedgerow")
    policy = hr.UCB(["a", "b", "c"])
    policy.learn_many(["a", "b"], [1.0, 0.0])
    policy.metrics()
    policy.learn_many(["a"] * 29, [1.0] * 29)
    policy.metrics()
    policy.learn_many(["b", "c"], [0.0, 0.0])  # after 29 rounds seen without it: too few, and c is new
    policy.metrics()
    assert caplog.records == []
    policy.learn_many(["a"] * 40, [1.0] * 40)
    policy.metrics()
    policy.learn("b", 0.0)
    policy.metrics()
    assert caplog.messages == ["UCB, round 74: tries 'b' again, left for at least 40 rounds"]


def test_names_cannot_steer_the_terminal_that_shows_a_log(caplog):
    caplog.set_level(logging.INFO, logger="hedgerow")
    log = hr.History.from_rounds(arms=["a\x1b[2J", "b"] * 200, rewards=[1.0, 0.0] * 200)
    policy = hr.Bandit(["a\x1b[2J", "b"], hr.rules.ucb(1.0), history=log, name="n\x1b[2J")
    policy.learn_many(["a\x1b[2J", "b"] * 100, [0.0, 1.0] * 100)
    with pytest.warns(UserWarning, match="differ"):
        policy.trust()
    assert caplog.messages
    assert "\x1b" not in caplog.text


def test_looking_changes_nothing_that_is_saved(tmp_path):
    policy = played(MAKES["META"])
    before = policy.to_bytes()
    policy.metrics()
    policy.frame()
    policy._repr_html_()
    assert policy.to_bytes() == before
    for other in (deepcopy(policy), pickle.loads(pickle.dumps(policy)), hr.from_bytes(before)):
        assert other.metrics() == policy.metrics()


def test_without_jinja_a_notebook_shows_the_text(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    from hedgerow.present import pages

    monkeypatch.setattr(pages, "find_spec", lambda name: None)
    for value in shown_by(hr.UCB(["a"])):
        assert value._repr_html_() is None


def test_a_notebook_shows_some_arms_and_says_where_the_others_are():
    assert "480 more arms: all are in frame()." in hr.UCB(range(500))._repr_html_()
    assert "480 more arms" in hr.History.from_rounds(arms=range(500), rewards=[0.5] * 500)._repr_html_()
    assert "400 more lines: all are in frame()." in hr.UCB(range(500)).explain()._repr_html_()


def test_trust_prints_as_sentences_and_has_every_number_in_its_frame():
    policy = played(MAKES["Auto"])
    found = policy.findings()
    assert repr(found) == str(found)
    rows = {row["what"]: row for row in found.frame().to_dicts()}
    assert rows["rounds"]["value"] == 60.0
    assert rows["history: plays"]["value"] == 40.0
    if found.grouping is not None:
        share = rows["share explained by groups"]
        assert (share["value"], share["low"], share["high"]) == found.grouping.share


def test_simulate_calls_back_after_each_trial():
    seen = []
    given = {"rounds": 50, "trials": 3, "jobs": 1}
    problem = hr.problems.SyntheticClassical(arms=5, clusters=2)
    result = hr.simulate([hr.UCB], problem, **given, callback=seen.append)
    assert [part.trials for part in seen] == [1, 2, 3]
    assert np.array_equal(seen[-1].reward, result.reward)
    assert np.array_equal(seen[0].reward, result.reward[:, :1])
    assert "1 trial," in repr(seen[0])

    def enough(so_far):
        raise RuntimeError(f"stop after {so_far.trials}")

    with pytest.raises(RuntimeError, match="stop after 1"):
        hr.simulate([hr.UCB], problem, **given, callback=enough)
    with pytest.raises(ValueError, match="callback must be a function of the simulation so far, got 3"):
        hr.simulate([hr.UCB], problem, **given, callback=3)
