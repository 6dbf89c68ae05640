"""explore=: a share of the decisions is drawn uniformly, and a decision says how probable it was."""

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.core.kernel import COMPILED

ARMS = ["a", "b", "c", "d", "e"]
CLUSTERS = ["x", "x", "x", "y", "y"]
ROUNDS = 100_000 if COMPILED else 3_000

MAKES = {
    "UCB": lambda **given: hr.UCB(ARMS, **given),
    "Auto": lambda **given: hr.Auto(ARMS, clusters=CLUSTERS, **given),
    "META": lambda **given: hr.META(ARMS, clusters=CLUSTERS, **given),
    "TSC": lambda **given: hr.TSC(ARMS, **given),
    "LinUCB": lambda **given: hr.LinUCB(ARMS, dimension=2, **given),
    "HLinUCBC": lambda **given: hr.HLinUCBC(ARMS, clusters=CLUSTERS, dimension=2, **given),
}


def context_of(policy, rng):
    return rng.normal(size=2) if policy.dimension else None


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_without_explore_nothing_is_drawn(make):
    policy = make()
    decision = policy.select(context_of(policy, np.random.default_rng(0)))
    assert (decision.propensity, decision.explored) == (None if policy.name == "TSC" else 1.0, False)


@pytest.mark.parametrize("name", ["UCB", "Auto", "META", "LinUCB"])
@pytest.mark.parametrize("among", [None, ["b", "d", "e"]])
def test_frequencies_are_the_propensities(name, among):
    """Chi-square over arms: of many draws from one state, by the caller's generator."""
    rng = np.random.default_rng(1)
    policy = MAKES[name](explore=0.3)
    for _ in range(50):
        x = context_of(policy, rng)
        policy.update(policy.select(x, rng=rng), float(rng.random()))
    x = context_of(policy, rng)
    rounds = ROUNDS if name == "UCB" else ROUNDS // 5
    decisions = [policy.select(x, among=among, rng=rng) for _ in range(rounds)]
    expected = policy.propensities(x, among=among)
    counts = np.array([sum(d.arm == arm for d in decisions) for arm in ARMS])
    said = {d.arm: d.propensity for d in decisions}
    for at, arm in enumerate(ARMS):
        assert (arm in said) == (expected[at] > 0)
        assert said.get(arm, 0.0) == pytest.approx(expected[at])
    kept = expected > 0
    chi2 = ((counts - rounds * expected)[kept] ** 2 / (rounds * expected[kept])).sum()
    assert expected.sum() == pytest.approx(1.0)
    assert chi2 < 25.0  # 2 to 4 degrees of freedom: less than 1 in 10,000
    share = np.mean([d.explored for d in decisions])
    assert abs(share - 0.3) < 5 * np.sqrt(0.21 / rounds)


def test_without_a_generator_the_count_of_rounds_is_the_source():
    """So a replay explores alike, and a round asked twice gives one answer."""
    one, other = (hr.UCB(ARMS, explore=0.5) for _ in range(2))
    explored = []
    for _ in range(400):
        decision = one.select()
        assert decision == one.select() == other.select()
        explored.append(decision.explored)
        one.update(decision, 0.5)
        other.update(hr.Decision.from_json(decision.to_json()), 0.5)
    assert 150 < sum(explored) < 250


def test_an_inverse_propensity_estimate_covers_the_value_of_a_policy_that_never_played():
    """300 logs of a policy that learns and explores; the value of always playing "b", at nominal 90 %."""
    means, covered = np.array([0.2, 0.35, 0.3, 0.5, 0.1]), 0
    for seed in range(300):
        rng = np.random.default_rng([7, seed])
        policy, weighed = hr.Auto(ARMS, explore=0.2), []
        for _ in range(1500):
            decision = policy.select(rng=rng)
            reward = float(rng.random() < means[ARMS.index(decision.arm)])
            policy.update(decision, reward)
            weighed.append(reward * (decision.arm == "b") / decision.propensity)
        error = np.std(weighed, ddof=1) / np.sqrt(len(weighed))
        covered += abs(np.mean(weighed) - means[1]) < 1.645 * error
    assert 0.87 <= covered / 300 <= 0.93


def test_a_drawn_arm_is_learnt_and_under_meta_follows_nobody():
    policy = hr.META(ARMS, clusters=CLUSTERS, explore=1.0)
    for _ in range(20):
        decision = policy.select(rng=np.random.default_rng(policy.rounds + len(ARMS)))
        assert (decision.explored, decision.experts, decision.propensity) == (True, (), 0.2)
        policy.expect(decision)
        policy.update(decision, 1.0)
    assert policy.rounds == 0  # no expert was followed
    assert [expert.rounds for expert in policy.experts.values()] == [20, 20]
    assert policy.waiting == []


def test_explore_can_be_assigned_and_is_kept_in_a_file(tmp_path):
    for policy in (hr.UCB(ARMS), hr.META(ARMS)):
        policy.explore = 0.25
        policy.save(tmp_path / "policy")
        again = hr.load(tmp_path / "policy")
        assert again.explore == 0.25
        assert again.identity == policy.identity
        with pytest.raises(ValueError, match="from 0 to 1 such as 0.02, got 2"):
            policy.explore = 2
        assert policy.explore == 0.25


@pytest.mark.parametrize("explore", [-0.1, 1.1, float("nan"), "0.1", True])
def test_what_is_no_share_is_refused(explore):
    with pytest.raises(ValueError, match="explore must be a share"):
        hr.UCB(ARMS, explore=explore)


def test_experts_do_not_explore_by_themselves():
    with pytest.raises(ValueError, match="explore belongs to the Meta"):
        hr.Meta([hr.UCB(ARMS, explore=0.1)])


def test_rows_of_a_batch_and_places_of_a_ranking_draw_by_themselves():
    for make in (MAKES["LinUCB"], lambda **given: hr.META(ARMS, dimension=2, **given)):
        policy = make(explore=0.5)
        batch = policy.select_many(np.random.default_rng(0).normal(size=(400, 2)))
        assert 150 < sum(decision.explored for decision in batch) < 250
        assert {decision.propensity for decision in batch} <= {0.1, 0.6}
    ranked = hr.UCB([f"arm {k}" for k in range(200)], explore=0.5).rank(200)
    assert 70 < sum(decision.explored for decision in ranked) < 130
    assert ranked[-1].propensity == 1.0


def test_ties_that_are_drawn_and_sampling_have_no_simple_propensity():
    assert hr.UCB(ARMS).select(rng=np.random.default_rng(0)).propensity is None
    assert hr.TSC(ARMS, explore=0.1).select().propensity is None
    assert hr.TSC(ARMS).propensities(draws=200).sum() == pytest.approx(1.0)
