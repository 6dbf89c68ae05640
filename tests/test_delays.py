"""Rewards that come some rounds late, in whole trials."""

from collections import deque

import numpy as np
import pytest

import hedgerow as hr


def delayed(make, delay, trial):
    """Regret when rewards come late, the obvious way."""
    policy = make(trial.arms, clusters=trial.clusters, history=trial.history, dimension=trial.dimension)
    waiting = deque()
    regret = 0.0
    for t, row in enumerate(trial.rows):
        decision = policy.select(trial.contexts[t] if trial.dimension else None)
        policy.expect(decision)
        waiting.append((decision, float(trial.rewards[row, decision.arm])))
        expected = trial.expected[row if len(trial.expected) > 1 else 0]
        regret += expected.max() - expected[decision.arm]
        if len(waiting) > delay:
            policy.update(*waiting.popleft())
    return regret


@pytest.mark.parametrize("problem", [hr.problems.SyntheticClassical(arms=20), hr.problems.SyntheticContextual(arms=20)])
@pytest.mark.parametrize("delay", [0, 1, 50])
def test_simulated_delays(problem, delay):
    result = hr.simulate([hr.Auto], problem, rounds=300, trials=2, seed=3, jobs=1, delay=delay)
    expected = [delayed(hr.Auto, delay, problem.trial(300, np.random.default_rng([3, n]))) for n in range(2)]
    assert result.of("Auto", "regret") == pytest.approx(expected, rel=1e-9)
    assert ("50 rounds late" in str(result.problem)) == (delay == 50)


def test_a_delay_is_a_number_of_rounds():
    with pytest.raises(ValueError, match="delay must be a whole number of at least 0, got -1"):
        hr.simulate([hr.UCB], hr.problems.SyntheticClassical(), rounds=5, trials=1, delay=-1)


@pytest.mark.slow
def test_a_delay_of_1000_rounds_costs_less_than_a_tenth():
    """Regret at a delay of 1000 rounds within 1.1x of undelayed, K = 100."""
    problem = hr.problems.SyntheticClassical(history_share=0.0)
    late, prompt = (
        hr.simulate([hr.UCB], problem, rounds=10_000, trials=3, seed=11, delay=delay).of("UCB", "regret").sum()
        for delay in (1000, 0)
    )
    assert late < 1.1 * prompt
