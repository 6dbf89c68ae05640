"""Bad input: a clear error that names the value."""

import datetime
import random
from functools import partial

import numpy as np
import pandas as pd
import pytest

import hedgerow as hr

ARMS = ["a", "b", "c"]
NO_GENERATORS = (3, np.random.RandomState(0), random.Random(0), np.random)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: hr.UCB([]), "at least one arm"),
        (lambda: hr.UCB("abc"), "single string 'abc'"),
        (lambda: hr.Auto(3), r"such as \['a', 'b'\] or range\(2\), got 3"),
        (lambda: hr.Auto({"a", "b"}), r"have a fixed order, and a set has none: give a list such as sorted\(arms\)"),
        (lambda: hr.UCB(frozenset({"a"})), "a set has none"),
        (lambda: hr.UCB(["a", "b", "a"]), "more than once: 'a'"),
        (lambda: hr.UCB([None]), "got None"),
        (lambda: hr.UCB([float("nan")]), "got nan"),
        (lambda: hr.UCB([["a"]]), r"got \['a'\]"),
        (lambda: hr.UCBC(ARMS, clusters=["x", "y"]), "one cluster per arm: 3 arms, 2 given"),
        (lambda: hr.UCBC(ARMS, clusters="xyz"), "or be a mapping, got 'xyz'"),
        (lambda: hr.UCBC(ARMS, clusters={"a": 1, "b": 1}), "none given for: 'c'"),
        (lambda: hr.UCBC(ARMS, clusters={"a": 1, "b": 1, "c": 1, "d": 2}), "do not exist: 'd'; leave them out, as in {arm: cl"),
        (lambda: hr.UCBC(ARMS, clusters={"x": ["a", "b"], "y": ["c"]}), "'x' is given .*: give arm -> label, as in {arm: label"),
        (lambda: hr.UCBC(["a", "b"], clusters={"x": "a", "y": "b"}), "'x' is given 'a': give arm -> label"),
        (lambda: hr.Auto(ARMS, dimension=2, history=hr.History.from_rounds(arms=["a"], rewards=[1])), "no contexts.*: make it"),
        (lambda: hr.UCBC(ARMS, clusters=[(), "x", "y"]), "empty tuple"),
        (lambda: hr.UCBC(ARMS, clusters=[None, "x", "y"]), "got None"),
        (
            lambda: hr.UCB(ARMS, scale=-1),
            'scale must be a number of at least 0, "auto" or a fraction of it such as "auto/4", got -1',
        ),
        (lambda: hr.UCB(ARMS, scale=np.nan), "got nan"),
        (lambda: hr.UCB(ARMS, scale="automatic"), "got 'automatic'"),
        (lambda: hr.LinUCB(ARMS, dimension=2, alpha=np.inf), "alpha must be"),
        (lambda: hr.LinUCB(ARMS, dimension=0), "dimension must be a whole number of at least 1, got 0"),
        (lambda: hr.LinUCB(ARMS, dimension=2.5), "got 2.5"),
        (lambda: hr.Bandit(ARMS, hr.UCB(ARMS).rule, dimension=2), "takes no contexts"),
        (lambda: hr.LinUCB(ARMS, dimension=2, precision="half"), "precision must be one of 'double', 'single', got 'half'"),
        (lambda: hr.Bandit(ARMS, hr.rules.ucb(), precision="single"), "ucb has no precision to choose"),
        (lambda: hr.Bandit(ARMS, hr.rules.hierlinucb(), dimension=2, precision="single"), "leave precision out"),
        (lambda: hr.rules.hierlinucb(weights="off"), "weights must be \"auto\" or False, got 'off'"),
        (
            lambda: hr.Auto(ARMS, history=pd.DataFrame({"ad": ["a"], "click": [1]})),
            "got DataFrame: make one with History.from_fra",
        ),
        (lambda: hr.LinUCBC(ARMS, clusters=ARMS, dimension=None), "needs dimension="),
        (lambda: hr.HLinUCB(ARMS, history="log.csv"), "got str: make one with History.from_file"),
        (lambda: hr.META(ARMS, history=[1]), "got list: make one"),
        (lambda: hr.META(ARMS, dimension=2, expert_scale="auto"), "give alpha instead of 'auto'"),
        (lambda: hr.META(ARMS, alpha=7.0), "give expert_scale instead of 7.0"),
        (lambda: hr.META(ARMS).select_many([]), "takes no contexts, so all its decisions are alike"),
        (lambda: hr.META(ARMS, dimension=2).select_many(None), "contexts must be rows of 2 numbers"),
        (lambda: hr.KLUCB(ARMS).learn("a", 5.0), "between 0 and 1, got 5.0; use UCB or Auto"),
        (lambda: hr.KLUCB(ARMS, history=hr.History.from_rounds(arms=["a"], rewards=[-0.5])), "the history has others"),
        (
            lambda: hr.simulate([hr.KLUCB], hr.problems.SyntheticClassical(history_share=0), rounds=99, jobs=1),
            "the trial has others",
        ),
        (
            lambda: hr.simulate(
                {"Meta": lambda arms: hr.Meta([hr.KLUCB(arms)])}, hr.problems.SyntheticClassical(), rounds=99, jobs=1
            ),
            "the trial has others",
        ),
        (
            lambda: hr.Auto(["1", "2"], history=hr.History.from_rounds(arms=[1, 2], rewards=[0, 1])),
            "'1', '2' is a number in one of them and text in the other",
        ),
        (lambda: hr.Meta([]), "at least one policy"),
        (lambda: hr.Meta([hr.UCB(ARMS), hr.UCB(ARMS)]), "same name: give them as a dict"),
        (lambda: hr.Meta([hr.UCB(ARMS), hr.HUCB(["b", "a", "c"])]), "same arms in the same order"),
        (lambda: hr.Meta([hr.LinUCB(ARMS, dimension=2), hr.HLinUCB(ARMS, dimension=3)]), r"one length, got \[2, 3\]"),
        (lambda: hr.UCB(ARMS).select([1.0]), "takes no context, got"),
        (lambda: hr.UCB(ARMS).select_many([[1.0]]), "call select"),
        (lambda: hr.LinUCB(ARMS, dimension=2).select(), "needs a context of 2 numbers, got none"),
        (lambda: hr.LinUCB(ARMS, dimension=2).select([1.0]), r"2 numbers, got shape \(1,\)"),
        (lambda: hr.LinUCB(ARMS, dimension=2).select(["x", 1]), "2 numbers, got"),
        (lambda: hr.LinUCB(ARMS, dimension=2).select([1.0, np.nan]), "finite.*nan"),
        (lambda: hr.LinUCB(ARMS, dimension=2).select([1.0, 1e200]), "small enough to be squared"),
        (lambda: hr.LinUCB(ARMS, dimension=2).select(("1", "2")), "2 numbers, got"),
        *((partial(hr.UCB(ARMS).select, rng=rng), "rng must be a numpy.random.Generator, e.g.") for rng in NO_GENERATORS),
        *((partial(hr.META(ARMS, rule="d3rb").select, rng=rng), "rng must be a numpy.random") for rng in NO_GENERATORS),
        *((partial(hr.LinTSC(ARMS, dimension=1).select_many, [[1.0]], rng=rng), "rng must be") for rng in NO_GENERATORS),
        (lambda: hr.UCBC(ARMS, clusters={"x", "y", "z"}), "in order, or be a mapping"),
        (lambda: hr.UCBC(ARMS, clusters=[("x",) * 65, "x", "y"]), "at most 64"),
        (lambda: hr.UCB(["a", 10**30]), "a number of 63 bits.*: write it as text"),
        (lambda: hr.UCB([datetime.date(2024, 2, 1)]), r"got datetime.date\(2024, 2, 1\): write it as text"),
        (lambda: hr.UCB(ARMS, scale=10**400), "scale must be"),
        (lambda: hr.UCB(ARMS, scale=True), "scale must be"),
        (lambda: hr.Meta(["x"]), "must be policies, got 'x'"),
        (lambda: hr.Decision.from_json(None), "not a decision"),
        (lambda: hr.History(["a"], np.zeros((2, 3))), "a row of 3 numbers for each arm"),
        (lambda: hr.History(["a"], np.full((1, 3), np.nan)), "finite sums"),
        (lambda: hr.History.from_rounds(arms=["a"], rewards=[1e200]), "below 1e"),
        (lambda: hr.History.from_rounds(arms=["a"], rewards=[1.0]).weighted("x"), "got 'x'"),
        (lambda: hr.History.from_rounds(arms=["a"], rewards=[1.0]).weighted(1e308), "at least 0"),
        (lambda: hr.LinUCB(ARMS, dimension=2).select_many([1.0, 2.0]), r"rows of 2 numbers, got shape \(2,\)"),
        (lambda: hr.LinUCB(ARMS, dimension=2).select_many([[1.0, np.inf]]), "finite"),
        (lambda: hr.LinUCB(ARMS, dimension=2).select_many([[1, 2], [1]]), "rows of 2 numbers, row 1 is 1 long, row 0 is 2"),
        (lambda: hr.META(ARMS, dimension=2).select_many([[1, 2], ["x", 1]]), "rows of 2 numbers, row 1 has 'x'"),
        (
            lambda: hr.LinUCB(ARMS, dimension=1).select_many({"age": [1, 2]}),
            "a list with a mapping for each, or a frame, got one",
        ),
        (lambda: hr.Decision.from_json("arm: a"), "not a decision"),
        (lambda: hr.Decision.from_json('{"arms": 1}'), "not a decision"),
    ],
)
def test_constructors_and_questions(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("reward", [np.nan, np.inf, -np.inf, None, "1", 1j, [1.0], 1e200, 10**400, np.complex128(1)])
def test_rewards(reward):
    policy = hr.UCB(ARMS)
    with pytest.raises(ValueError, match="reward must be a finite number"):
        policy.update(policy.select(), reward)
    assert policy.rounds == 0


@pytest.mark.parametrize("reward", [1, 0.5, True, np.float32(0.5), np.int8(3), np.bool_(True), -7])
def test_rewards_of_any_number_type(reward):
    policy = hr.UCB(["a"])
    policy.update(policy.select(), reward)
    assert policy.explain()[0].mean == float(reward)


@pytest.mark.parametrize("make", [hr.LinUCB, hr.Auto, hr.META], ids=lambda make: make.__name__)
def test_a_row_of_a_matrix_is_a_context(make):
    policy, rows = make(ARMS, dimension=2), np.array([[1.0, 0.5], [2.0, 0.25]])
    assert policy.select(rows[:1]) == policy.select(rows[0])
    with pytest.raises(ValueError, match=r"2 numbers, got shape \(2, 2\)"):
        policy.select(rows)


def test_decisions_of_other_policies():
    policy = hr.UCB(ARMS)
    for other in (hr.HUCB(ARMS), hr.UCB(["a", "b"]), hr.UCB(ARMS, scale=0.5), hr.META(ARMS), hr.UCBC(ARMS, clusters=ARMS)):
        with pytest.raises(ValueError, match=f"belongs to the policy '{other.identity}'"):
            policy.update(other.select(), 1.0)
    with pytest.raises(ValueError, match="needs a Decision that its select returned, got 'a'"):
        policy.update("a", 1.0)
    with pytest.raises(KeyError, match="unknown arm 'z'; the arms are 'a', 'b', 'c'"):
        policy.update(policy.select()._replace(arm="z"), 1.0)
    meta = hr.META(ARMS)
    with pytest.raises(ValueError, match="names no expert of META"):
        meta.update(meta.select()._replace(experts=("UCB",)), 1.0)
    for experts in (5, (), ("HUCB", "deeper"), ([],)):
        with pytest.raises(ValueError, match="expert"):
            meta.update(meta.select()._replace(experts=experts), 1.0)
    with pytest.raises(ValueError, match="UCB has no experts"):
        policy.update(policy.select()._replace(experts=("x",)), 1.0)
    with pytest.raises(ValueError, match="UCB has no experts"):
        policy.expect(policy.select()._replace(experts=("x",)))
    with pytest.raises(ValueError, match="needs a Decision"):
        policy.expect("a")
    assert policy.waiting == []
    assert policy.rounds == meta.rounds == 0


def test_the_history_of_a_meta_is_that_of_all_experts():
    log = hr.History.from_rounds(arms=["a", "b"], rewards=[1.0, 0.5], contexts=[[1.0], [2.0]])
    meta = hr.Meta([hr.HLinUCB(ARMS, dimension=1), hr.META(ARMS)])
    meta.history = log
    assert np.array_equal(meta.history.sums[:2], log.sums)
    assert meta.experts["META"].experts["HUCB"].history.plays("a") == 1.0
    meta.history = meta.history.weighted(0.1)
    assert [expert.history.plays("b") for expert in meta.experts.values()] == [0.1, 0.1]
    with pytest.raises(ValueError, match="no contexts, the policy needs contexts of 1"):
        hr.Meta({"classical": meta.experts["META"], "linear": meta.experts["HLinUCB"]}).history = hr.META(ARMS).history
    assert meta.history.plays("b") == 0.1


def test_experts_of_other_histories_keep_their_own():
    log = hr.History.from_rounds(arms=["a"], rewards=[1.0])
    meta = hr.Meta([hr.UCB(ARMS), hr.HUCB(ARMS, history=log)])
    with pytest.raises(AttributeError, match=r"ask them: policy.experts\['HUCB'\].history"):
        _ = meta.history
    with pytest.raises(AttributeError, match=r"ask them: policy.experts\['HUCB'\].history"):
        meta.history = None
    assert meta.experts["HUCB"].history.plays("a") == 1.0


def test_an_expert_changed_on_its_own_is_found():
    meta = hr.META(ARMS)
    meta.experts["HUCB"].add_arm("d")
    for change in (lambda: meta.add_arm("e"), lambda: meta.remove_arm("a")):
        with pytest.raises(ValueError, match="'HUCB' were changed apart"):
            change()
    assert meta.arms == tuple(ARMS)


def test_the_type_of_a_number_does_not_make_another_policy():
    identities = {hr.META(ARMS, scale=scale).identity for scale in (1, 1.0, np.float64(1), np.float32(1), np.int64(1))}
    assert len(identities) == 1
    assert hr.UCB(range(3)).identity == hr.UCB([0, 1, 2]).identity


def test_a_series_with_the_arms_as_index_is_a_mapping():
    series = pd.Series({"c": 2, "a": 1, "b": 1})
    assert hr.UCBC(ARMS, clusters=series).clusters == (1, 1, 2)
    assert hr.UCBC(ARMS, clusters=pd.Series([1, 2, 2])).clusters == (1, 2, 2)


def test_a_policy_made_alike_accepts_the_decision():
    decision = hr.UCBC(ARMS, clusters=[1, 1, 2]).select()
    hr.UCBC(ARMS, clusters=[1, 1, 2]).update(decision, 1.0)


def test_arms_that_cannot_be_added_or_removed():
    flat, clustered = hr.UCB(ARMS), hr.META(ARMS, clusters=["x", "x", "y"])
    with pytest.raises(ValueError, match="'a' is there already"):
        flat.add_arm("a")
    with pytest.raises(ValueError, match="no clusters: add arm 'd' without cluster 'x'"):
        flat.add_arm("d", cluster="x")
    with pytest.raises(ValueError, match="'d' needs a cluster; the clusters are 'x', 'y'"):
        clustered.add_arm("d")
    with pytest.raises(ValueError, match="got None"):
        clustered.add_arm("d", cluster=(None,))
    with pytest.raises(KeyError, match="unknown arm 'd'"):
        flat.remove_arm("d")
    with pytest.raises(ValueError, match="only arm and must stay"):
        hr.UCB(["a"]).remove_arm("a")
    assert flat.arms == clustered.arms == tuple(ARMS)


def test_workers_that_cannot_be_merged():
    policy, ahead = hr.UCB(ARMS), hr.UCB(ARMS)
    with pytest.raises(ValueError, match="merged with itself"):
        policy.merge(policy)
    ahead.learn("a", 1.0)
    with pytest.raises(ValueError, match="only workers of the same policy"):
        policy.merge(hr.HUCB(ARMS))
    for stranger in (None, "x"):
        with pytest.raises(ValueError, match="only workers of the same policy"):
            policy.merge(stranger)
    with pytest.raises(ValueError, match="started from"):
        policy.merge(hr.UCB(ARMS), since=ahead)
    for make, context in ((hr.UCB, None), (lambda arms: hr.LinUCB(arms, dimension=1), [2.0])):
        stranger, other = make(ARMS), make(ARMS)
        stranger.learn("a", 5.0, context)
        other.learn("a", 1.0, [1.0] if context else None)
        other.learn("b", 0.5, context)
        with pytest.raises(ValueError, match="started from: it has learnt something else"):
            make(ARMS).merge(other, since=stranger)
    meta, other, since = (hr.META(ARMS) for _ in range(3))
    since.update(since.select(), 1.0)
    with pytest.raises(ValueError, match="started from"):
        meta.merge(other, since=since)
    assert policy.rounds == meta.rounds == 0


def test_labels_of_numpy_are_plain_labels():
    policy = hr.UCBC(np.arange(3), clusters=np.array(["x", "y", "x"]))
    assert policy.arms == (0, 1, 2)
    assert type(policy.select().arm) is int
    assert policy.select().cluster == "x"
