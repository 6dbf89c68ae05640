"""Levels of arms where no column of the contexts is constant: found by evidence, and then as if there were one."""

from itertools import pairwise

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.core.records import named
from hedgerow.core.sums import row_size
from hedgerow.experiments.problems import SyntheticContextual
from hedgerow.policies.auto_linear import sums, updates
from hedgerow.policies.auto_linear.standardize import set_units, standardized, standardized_sums
from hedgerow.policies.auto_linear.state import POLICY, new_state

ARMS, D, ROUNDS = 12, 3, 1500
GROUPS = [arm % 4 for arm in range(ARMS)]


def world(seed, *, levels, start=0.0, unit=1.0):
    """Contexts that spread around ``start``; expected rewards of arms whose levels spread by ``levels``; noise."""
    rng = np.random.default_rng(seed)
    numbers, theta = rng.normal(size=(ROUNDS, D)), rng.normal(size=(ARMS, D))
    expected = numbers @ theta.T + levels * rng.normal(size=ARMS)
    return start + unit * numbers, expected, rng.normal(size=ROUNDS)


def lived(contexts, expected, noise, *, policy=None):
    """A policy after these rounds, and its regret."""
    policy = policy or hr.Auto(range(ARMS), clusters=GROUPS, dimension=contexts.shape[1])
    lost = 0.0
    for context, means, error in zip(contexts, expected, noise, strict=True):
        decision = policy.select(context)
        policy.update(decision, means[decision.arm] + error)
        lost += means.max() - means[decision.arm]
    return policy, lost


def levels_of(policy):
    return policy.explain(np.zeros(policy.dimension)).settings["levels"]


def own_of(policy):
    """What the policy keeps, by name."""
    return named(policy.snapshot().arrays.state, POLICY)


def with_a_one(contexts):
    return np.column_stack([contexts, np.ones(len(contexts))])


def test_sums_are_those_of_contexts_with_a_one_after_them():
    rng = np.random.default_rng(1)
    contexts, rewards, weights = rng.uniform(1.0, 3.0, size=(40, 2)), rng.normal(size=40), rng.uniform(0.2, 4.0, size=40)
    short, long = (np.zeros((1, row_size(d) + sums.EXCESS)) for d in (2, 3))
    for context, reward, weight in zip(contexts, rewards, weights, strict=True):
        updates.observe(short, 0, reward, context, weight)
        updates.observe(long, 0, reward, np.append(context, 1.0), weight)
    found, given = new_state(True, 2), new_state(True, 3)
    for rows, state in ((short, found), (long, given)):
        set_units(rows, np.zeros((1, rows.shape[1] - sums.EXCESS)), state)
    np.testing.assert_allclose(standardized_sums(found, short, 0), standardized_sums(given, long, 0), rtol=1e-9, atol=1e-9)
    for context in contexts:
        np.testing.assert_allclose(standardized(found, context), standardized(given, np.append(context, 1.0)), rtol=1e-12)
        assert standardized(found, context)[-1] == 1.0


@pytest.mark.parametrize(("start", "unit"), [(0.0, 1.0), (2000.0, 30.0)], ids=["centred", "far from zero"])
def test_levels_are_found_and_played_by_as_if_contexts_had_a_one(start, unit):
    contexts, expected, noise = world(2, levels=2.0, start=start, unit=unit)
    policy, lost = lived(contexts, expected, noise)
    told, least = lived(with_a_one(contexts), expected, noise)
    assert levels_of(policy) == 1.0
    assert levels_of(told) == 0.0  # the contexts have a level already
    assert lost < 1.3 * least
    assert lost < 0.2 * (expected.max(axis=1) - expected.mean(axis=1)).sum()


def test_the_model_with_levels_is_that_of_contexts_with_a_one():
    contexts, expected, noise = world(3, levels=2.0)
    played = np.random.default_rng(3).integers(ARMS, size=ROUNDS)
    rewards = expected[np.arange(ROUNDS), played] + noise
    made = [
        hr.Auto(range(ARMS), clusters=GROUPS, history=hr.History.from_rounds(arms=played, rewards=rewards, contexts=shown))
        for shown in (contexts, with_a_one(contexts))
    ]
    assert [levels_of(policy) for policy in made] == [1.0, 0.0]
    short, long = made[0].explain(contexts[0]), made[1].explain(with_a_one(contexts)[0])
    for ours, theirs in zip(short, long, strict=True):
        assert (ours.mean, ours.width) == pytest.approx((theirs.mean, theirs.width), rel=1e-9)


@pytest.mark.parametrize("kind", ["a flag", "a share", "zeros"])
def test_arms_that_only_levels_tell_apart_are_found_though_contexts_hardly_vary(kind):
    """Without levels all arms would tie, or be ranked alike everywhere, and the first to lead would be played for good."""
    rng = np.random.default_rng(7)
    flags, shares = (rng.random(size=(ROUNDS, 1)) < 0.3).astype(float), rng.random(size=(ROUNDS, 1))
    contexts = {"a flag": flags, "a share": shares, "zeros": np.zeros((ROUNDS, 1))}[kind]
    lost, least = 0.0, 0.0
    for _ in range(4):
        expected, noise = contexts @ rng.normal(size=(1, ARMS)) + rng.normal(size=ARMS), rng.normal(size=ROUNDS)
        lost += lived(contexts, expected, noise)[1]
        least += lived(with_a_one(contexts), expected, noise)[1]
    assert lost < 1.3 * least


@pytest.mark.parametrize("wait", [False, True])
def test_a_column_that_starts_to_vary_is_noticed_at_once(wait):
    """A flag that was always up stands for the levels of the arms, until it first is not."""
    contexts, expected, noise = world(12, levels=2.0)
    contexts[:, 0] = 1.0
    policy, _ = lived(contexts[:1000], expected[:1000], noise[:1000])
    assert (own_of(policy).constant_column, levels_of(policy)) == (0.0, 0.0)
    decision = policy.select([0.0, *contexts[1000, 1:]])
    if wait:
        policy.expect(decision)
    policy.update(decision, 0.0)
    assert (own_of(policy).constant_column, levels_of(policy)) == (D, 1.0)


def test_levels_that_are_small_are_found_in_the_end():
    """With one spread for coefficients and levels, such levels are unlikely at first."""
    rng = np.random.default_rng(8)
    played, contexts = rng.integers(ARMS, size=12_000), rng.normal(size=(12_000, D))
    expected = (contexts * rng.normal(size=(ARMS, D))[played]).sum(axis=1) + 0.2 * rng.normal(size=ARMS)[played]
    rewards = expected + rng.normal(size=12_000)
    history = [hr.History.from_rounds(arms=played[:n], rewards=rewards[:n], contexts=contexts[:n]) for n in (600, 12_000)]
    policy = hr.Auto(range(ARMS), clusters=GROUPS, history=history[0])
    assert levels_of(policy) == 0.0
    policy.history = history[1]
    assert levels_of(policy) == 1.0


def test_there_are_none_where_arms_have_none():
    contexts, expected, noise = world(4, levels=0.0)
    policy, _ = lived(contexts, expected, noise)
    assert levels_of(policy) == 0.0
    assert own_of(policy).levels_against >= 8.0


def test_what_is_very_unlikely_is_asked_again_when_rounds_have_grown_fourfold():
    contexts, expected, noise = world(11, levels=0.0)
    played = np.random.default_rng(11).integers(ARMS, size=ROUNDS)
    rewards = expected[np.arange(ROUNDS), played] + noise
    logged = [hr.History.from_rounds(arms=played[:n], rewards=rewards[:n], contexts=contexts[:n]) for n in (500, 600)]
    policy = hr.Auto(range(ARMS), clusters=GROUPS, history=logged[0])
    own = own_of(policy)
    assert own.levels_against >= 8.0
    asked = []
    for t in range(500, ROUNDS):
        policy.learn(int(played[t]), rewards[t], contexts[t])
        if own.levels_due not in asked:
            asked.append(own.levels_due)
    assert asked[0] == 2000.0
    assert all(later >= 4.0 * sooner for sooner, later in pairwise(asked))
    policy.history = logged[1]  # which may say something else
    assert own_of(policy).levels_due == 4.0 * (600 + ROUNDS - 500)


def test_a_history_that_takes_the_place_of_another_is_heard():
    contexts, expected, noise = world(9, levels=2.0)
    played = np.random.default_rng(9).integers(ARMS, size=ROUNDS)
    rewards = expected[np.arange(ROUNDS), played] + noise
    without = (contexts * np.random.default_rng(10).normal(size=(ARMS, D))[played]).sum(axis=1) + noise
    policy = hr.Auto(range(ARMS), history=hr.History.from_rounds(arms=played, rewards=without, contexts=contexts))
    assert levels_of(policy) == 0.0
    policy.history = hr.History.from_rounds(arms=played, rewards=rewards, contexts=contexts)
    assert levels_of(policy) == 1.0


def test_rewards_that_bend_are_not_taken_for_levels_if_history_speaks_against_it():
    trial = SyntheticContextual(noise="logistic", eps=3.2).trial(3000, np.random.default_rng(5))
    policy = hr.Auto(trial.arms, clusters=trial.clusters, history=trial.history)
    for context, rewards in zip(trial.contexts, trial.rewards[trial.rows], strict=True):
        decision = policy.select(context)
        policy.update(decision, rewards[decision.arm])
    assert levels_of(policy) == 0.0


def test_levels_stay_with_all_that_happens_to_a_policy(tmp_path):
    contexts, expected, noise = world(6, levels=2.0)
    policy, _ = lived(contexts[:800], expected[:800], noise[:800])
    assert levels_of(policy) == 1.0
    policy.save(tmp_path / "policy")
    loaded = hr.load(tmp_path / "policy")
    other, _ = lived(contexts[800:1100], expected[800:1100], noise[800:1100], policy=hr.load(tmp_path / "policy"))
    loaded.merge(other, since=policy)
    assert (loaded.rounds, levels_of(loaded)) == (1100, 1.0)
    loaded.remove_arm(7)
    loaded.add_arm("new", cluster=0)
    waiting = [loaded.select(context) for context in contexts[1100:1110]]
    for decision in waiting:
        loaded.expect(decision)
    for decision in waiting:
        loaded.update(decision, 0.0 if decision.arm == "new" else expected[0, decision.arm])
    assert (loaded.waiting, levels_of(loaded)) == ([], 1.0)
    assert np.isfinite([score.mean for score in loaded.explain(contexts[0])]).all()
    assert "put a 1" not in str(policy.trust())
