"""Another history for a policy in use, or one arm less: nothing that came of the old ones stays."""

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.core.records import named
from hedgerow.policies.auto_linear.state import POLICY

RATES = (0.1, 0.3, 0.5, 0.6, 0.7, 0.9)


def log_without_levels(rng):
    """0/1 rewards of six arms that differ in their slopes alone."""
    slopes = np.array([[0.25, 0.1], [-0.25, 0.1], [0.1, 0.25], [0.1, -0.25], [0.2, 0.2], [-0.2, -0.2]])
    contexts, arms = rng.uniform(-1.0, 1.0, (20000, 2)), rng.integers(6, size=20000)
    rewards = rng.random(20000) < 0.5 + (slopes[arms] * contexts).sum(axis=1)
    return hr.History.from_rounds(arms=arms, rewards=rewards.astype(float), contexts=contexts)


def levels_against(policy):
    """Log likelihood by which arms without levels were ahead."""
    return named(policy.snapshot().arrays.state, POLICY).levels_against


def teach(policies, rng, rounds):
    """Rounds of arms that differ in their level alone."""
    for _ in range(rounds):
        context, arm = rng.uniform(-1.0, 1.0, 2), int(rng.integers(6))
        reward = float(rng.random() < RATES[arm])
        for policy in policies:
            policy.learn(arm, reward, context)


@pytest.mark.parametrize("weight", [0.0, 0.001])
def test_levels_are_looked_for_again(weight):
    rng = np.random.default_rng(0)
    log = log_without_levels(rng)
    policy, fresh = hr.Auto(range(6), history=log), hr.Auto(range(6), dimension=2)
    teach([policy, fresh], rng, 1)
    assert policy.explain([0.0, 0.0]).settings["levels"] == 0.0
    policy.history = log.weighted(weight) if weight else None
    teach([policy, fresh], rng, 3000)
    found, expected = ([score.mean for score in known.explain([0.0, 0.0])] for known in (policy, fresh))
    assert found == pytest.approx(expected, abs=0.02)


def test_other_arms_may_have_levels():
    rng = np.random.default_rng(1)
    policy = hr.Auto(range(6), history=log_without_levels(rng))
    assert levels_against(policy) > 0.0
    policy.add_arm("new")
    assert levels_against(policy) < 100.0  # what the data say, not what they said once
    for arm in range(6):
        policy.remove_arm(arm) if len(policy.arms) > 1 else None
    assert levels_against(policy) == 0.0


@pytest.mark.parametrize("seed", range(3))
def test_predictions_from_another_history_say_nothing_of_the_noise(seed):
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=(6, 2))
    contexts, arms = rng.normal(size=(3000, 2)), rng.integers(6, size=3000)
    lies = -3.0 * (theta[arms] * contexts).sum(axis=1) + 0.3 * rng.normal(size=3000)
    policy = hr.Auto(range(6), history=hr.History.from_rounds(arms=arms, rewards=lies, contexts=contexts))
    fresh = hr.Auto(range(6), dimension=2)
    for n, (context, arm) in enumerate(zip(contexts[:600], arms, strict=False)):
        if n == 25:
            policy.history = None
        reward = theta[arm] @ context + 0.3 * rng.normal()
        policy.learn(arm, reward, context)
        fresh.learn(arm, reward, context)
    found, expected = (known.explain([1.0, 1.0]).settings for known in (policy, fresh))
    assert found["noise"] == pytest.approx(expected["noise"], rel=0.05)
    assert found["weighted"] == expected["weighted"]


def test_the_same_history_again_changes_nothing():
    trial = hr.problems.SyntheticContextual().trial(300, np.random.default_rng(0))
    policy = hr.Auto(trial.arms, clusters=trial.clusters, history=trial.history)
    for context, rewards in zip(trial.contexts, trial.rewards[trial.rows], strict=True):
        decision = policy.select(context)
        policy.update(decision, rewards[decision.arm])
    assert policy.explain(trial.contexts[0]).settings["weighted"] == 1.0
    policy.history = policy.history
    assert policy.explain(trial.contexts[0]).settings["weighted"] == 1.0


def test_a_policy_knows_nothing_of_the_history_it_had_before():
    rng = np.random.default_rng(0)
    means, arms = np.repeat([0.0, 2.0, 4.0], 4), np.repeat(np.arange(12), 20)
    logs = []
    for odd in (-3.0, 4.0):
        means[9] = odd
        logs.append(hr.History.from_rounds(arms=arms, rewards=rng.normal(means[arms], 0.5)))
    policy, fresh = (hr.Auto(range(12), clusters=np.arange(12) // 4, history=log) for log in logs)
    for known in (policy, fresh):
        known.learn(8, 4.1)
    policy.history = logs[1]
    found, expected = ([score.index for score in known.explain()] for known in (policy, fresh))
    assert found == pytest.approx(expected, abs=1e-4)
    assert policy.settings() == pytest.approx(fresh.settings(), abs=1e-3)
