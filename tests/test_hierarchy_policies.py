"""Auto with contexts as a user meets it: histories that lie, few arms, late rewards, arms that go, workers."""

from copy import deepcopy

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.core.records import named
from hedgerow.core.sums import PLAYS
from hedgerow.experiments.play import play
from hedgerow.experiments.simulate import build
from hedgerow.policies.auto_linear.policy import noise_of_unit
from hedgerow.policies.auto_linear.state import POLICY
from hedgerow.policies.auto_linear.sums import reweighed, weighed


def own_of(policy):
    """What Auto with contexts keeps, by name."""
    return named(policy.snapshot().arrays.state, POLICY)


def weight_of(policy):
    """Sum of the weights of all rounds."""
    arrays = policy.snapshot().arrays
    return weighed(arrays.online, 0, PLAYS, policy.dimension)


def regrets(arms, seeds, lying, rounds=2000, rows=3000, d=3):
    """Regret of Auto without history, and with one in which the worst arm has that of the best, and so on."""
    found = np.zeros((2, seeds))
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        contexts = np.column_stack([np.ones(rows + rounds), rng.normal(size=(rows + rounds, d - 1))])
        means = 0.5 * contexts @ rng.normal(size=(d, arms))
        rewards = means + 0.5 * rng.normal(size=means.shape)
        order, told = np.argsort(means.mean(axis=0)), np.empty(arms, dtype=int)
        told[order] = order[::-1]
        played = rng.integers(arms, size=rows)
        then = rewards[np.arange(rows), told[played]]
        history = hr.History.from_rounds(arms=played.tolist(), rewards=then, contexts=contexts[:rows])
        for at, known in enumerate((None, history) if lying else (None,)):
            policy = hr.Auto(range(arms), dimension=d, history=known)
            for t in range(rows, rows + rounds):
                decision = policy.select(contexts[t])
                policy.update(decision, rewards[t, decision.arm])
                found[at, seed] += means[t].max() - means[t, decision.arm]
    return found


@pytest.mark.slow
def test_a_reversed_history_costs_little_more_than_a_cold_start():
    """If history could only be more or less exact, and not void, it would cost more than four times as much."""
    cold, lied_to = regrets(8, 12, lying=True).mean(axis=1)
    assert lied_to < 2.5 * cold


@pytest.mark.slow
def test_few_arms_with_contexts_are_not_given_up_too_early():
    """With widths of one standard deviation one trial in twenty has four times the usual regret or more."""
    cold = regrets(8, 40, lying=False)[0]
    assert cold.max() < 3.0 * np.median(cold)


def world_of_policies(seed=20, arms=6, d=3, rows=600, noise=0.3):
    rng = np.random.default_rng(seed)
    contexts, theta = rng.normal(size=(rows + 400, d)), rng.normal(size=(arms, d))
    return contexts, theta, rng.integers(arms, size=rows), noise * rng.normal(size=rows + 400)


def lived(policy, contexts, theta, noise):
    for x, error in zip(contexts, noise, strict=True):
        decision = policy.select(x)
        policy.update(decision, theta[decision.arm] @ x + error)
    return policy


@pytest.mark.parametrize("case", ["another level", "more noise"])
def test_a_void_history_says_nothing_of_level_and_noise(case):
    contexts, theta, played, noise = world_of_policies()
    level, factor = (5.0, 1.0) if case == "another level" else (0.0, 10.0)
    then = level + (contexts[:600] * theta[::-1][played]).sum(axis=1) + factor * noise[:600]
    history = hr.History.from_rounds(arms=played.tolist(), rewards=then, contexts=contexts[:600])
    settings = lived(hr.Auto(range(6), history=history), contexts[600:], theta, noise[600:]).explain(contexts[0]).settings
    assert settings["trusted"] == 0.0
    assert settings["noise"] == pytest.approx(0.3, rel=0.15)
    assert settings["offset"] == pytest.approx(0.0, abs=0.1)


def test_the_noise_it_tells_of_is_that_of_the_rounds_though_some_weighed_more():
    """In the third of these worlds (uniform, eps = 0.8) a round of weight 1 has but 0.8 of it."""
    for seed in range(3):
        trial = hr.problems.SyntheticContextual(noise="uniform", eps=0.8).trial(3000, np.random.default_rng(seed))
        policy = hr.Auto(trial.arms, clusters=trial.clusters, history=trial.history)
        at = trial.rows, play(policy, trial).arms
        told = policy.explain(trial.contexts[0]).settings
        assert told["weighted"] == 1.0
        assert told["noise"] == pytest.approx(np.sqrt(np.mean((trial.rewards - trial.expected)[at] ** 2)), rel=0.05)


def test_the_trusted_share_is_a_share():
    """History with half the coefficients."""
    contexts, theta, played, noise = world_of_policies()
    then = 0.5 * (contexts[:600] * theta[played]).sum(axis=1) + noise[:600]
    history = hr.History.from_rounds(arms=played.tolist(), rewards=then, contexts=contexts[:600])
    settings = lived(hr.Auto(range(6), history=history), contexts[600:], theta, noise[600:]).explain(contexts[0]).settings
    assert settings["drift"] > 0.0
    assert 0.0 <= settings["trusted"] < 0.5


def test_a_history_taken_away_before_the_first_round_leaves_nothing_behind():
    contexts, theta, played, _ = world_of_policies()
    then = 100.0 + (contexts[:600] * theta[played]).sum(axis=1)
    policy = hr.Auto(range(6), history=hr.History.from_rounds(arms=played.tolist(), rewards=then, contexts=contexts[:600]))
    policy.history = None
    assert policy.explain(contexts[0]) == hr.Auto(range(6), dimension=3).explain(contexts[0])


def test_decisions_wait_through_a_refresh_that_another_round_brings_about():
    contexts, theta, _, noise = world_of_policies(noise=0.1)
    waiting, plain = hr.Auto(range(6), dimension=3), hr.Auto(range(6), dimension=3)
    for t in range(4):
        for policy in (waiting, plain):
            policy.learn(t, theta[t] @ contexts[t] + noise[t], contexts[t])
    for t in range(4, 60, 3):
        expected = [waiting.select(contexts[t + step]) for step in (0, 1)]
        for decision in expected:
            waiting.expect(decision)
        for arm, at in ((5, t + 2), *((decision.arm, t + step) for step, decision in enumerate(expected))):
            for policy in (waiting, plain):
                policy.learn(arm, theta[arm] @ contexts[at] + noise[at], tuple(contexts[at]))
    assert (waiting.waiting, waiting.rounds) == ([], plain.rounds)
    pairs = list(zip(waiting.explain(contexts[-1]), plain.explain(contexts[-1]), strict=True))
    assert [a.width for a, _ in pairs] == pytest.approx([b.width for _, b in pairs], rel=0.1)
    assert [a.mean for a, _ in pairs] == pytest.approx([b.mean for _, b in pairs], abs=0.05)


def test_an_arm_withdrawn_takes_the_weights_of_its_rounds_with_it(tmp_path):
    """Noise in proportion to the mean; the arm played most goes."""
    rng = np.random.default_rng(3)
    policy = hr.Auto(range(4), dimension=2)
    for t in range(2000):
        x, arm = np.abs(rng.normal(size=2)) + 0.5, 3 if t % 4 else t // 4 % 3
        policy.learn(arm, (1.0 + 5.0 * (arm == 3)) * x.sum() * rng.uniform(0.0, 2.0), x)
    assert policy.explain([1.0, 1.0]).settings["weighted"] == 1.0
    before = {score.label: score.mean for score in policy.explain([1.0, 1.0])}
    policy.remove_arm(3)
    policy.save(tmp_path / "policy")
    for score in hr.load(tmp_path / "policy").explain([1.0, 1.0]):
        assert score.mean == pytest.approx(before[score.label], rel=0.1)
    assert own_of(policy).rounds == policy.rounds - 1500


def grown_noise(seed, rounds):
    """A policy after rounds whose noise is in proportion to the mean."""
    rng, policy = np.random.default_rng(seed), hr.Auto(range(4), dimension=2)
    for t in range(rounds):
        x = np.abs(rng.normal(size=2)) + 0.5
        policy.learn(t % 4, (1.0 + t % 4) * x.sum() * rng.uniform(0.0, 2.0), x)
    return policy


def test_workers_whose_weights_have_different_units_can_be_merged():
    """The same rounds with weights twice as large, where 1 stands for twice the variance, say the same."""
    one, two, other = grown_noise(1, 600), grown_noise(2, 600), grown_noise(2, 600)
    online = other.snapshot().arrays.online
    assert one.explain([1.0, 1.0]).settings["weighted"] == two.explain([1.0, 1.0]).settings["weighted"] == 1.0
    online[:] = reweighed(online, 2.0, 2)
    own_of(other).unit_noise *= 2.0
    merged = [grown_noise(1, 600), grown_noise(1, 600)]
    merged[0].merge(two)
    merged[1].merge(other)
    np.testing.assert_allclose(*(policy.snapshot().arrays.online for policy in merged), rtol=1e-9, atol=1e-9)
    weights = [weight_of(policy) / 600 for policy in (one, merged[0])]
    assert weights[1] == pytest.approx(2.0 * weights[0], rel=0.2)  # of two workers with 600 rounds each in one world


@pytest.mark.parametrize("weighted_first", [True, False])
def test_a_worker_without_weights_can_be_merged_with_one_who_has_them(weighted_first):
    """Its rounds weigh as much as its noise says."""
    policies = [grown_noise(1, 600), hr.Auto(range(4), dimension=2)]
    rng = np.random.default_rng(3)
    for t in range(600):
        policies[1].learn(t % 4, 1.0 + 0.1 * rng.normal(), rng.normal(size=2))
    first, second = policies if weighted_first else policies[::-1]
    own = weight_of(first)
    units = [noise_of_unit(policy.snapshot().arrays.state) for policy in (first, second)]
    added = weight_of(second) * units[0] / units[1]
    first.merge(second)
    assert weight_of(first) == pytest.approx(own + added)
    assert own_of(first).unit_noise == pytest.approx(units[0])


def test_workers_who_both_find_a_drift_can_be_merged():
    contexts, theta, played, noise = world_of_policies()
    then = (contexts[:600] * theta[::-1][played]).sum(axis=1) + noise[:600]
    start = lived(
        hr.Auto(range(6), history=hr.History.from_rounds(arms=played.tolist(), rewards=then, contexts=contexts[:600])),
        contexts[600:620], theta, noise[600:620],
    )  # fmt: skip
    workers = [lived(deepcopy(start), contexts[at : at + 100], theta, noise[at : at + 100]) for at in (620, 720)]
    assert all(own_of(worker).drift > 0.0 for worker in workers)
    workers[0].merge(workers[1], since=start)
    assert workers[0].rounds == 220
    assert (own_of(workers[0]).bin_rounds >= 0.0).all()


@pytest.mark.parametrize("noise", ["uniform", "gaussian", "logistic"])
@pytest.mark.parametrize("share", [0.0, 1.0])
def test_rewards_with_contexts_in_other_units_are_the_same(noise, share):
    """Times 1000, or a hundred more: the same arms, also where the noise grows with the mean."""
    problem = hr.problems.SyntheticContextual(arms=20, clusters=4, noise=noise, history_share=share)
    trial = problem.trial(1500, np.random.default_rng(2))
    arms = []
    for scale, shift in ((1.0, 0.0), (1000.0, 0.0), (1.0, 100.0)):
        history, rewards = rescaled(trial.history, scale, shift), scale * trial.rewards + shift
        moved = trial._replace(rewards=rewards, expected=scale * trial.expected + shift, history=history)
        arms.append(play(build(hr.Auto, moved, np.random.default_rng(0)), moved).arms)
    assert np.mean(arms[0] == arms[1]) > 0.99
    assert np.mean(arms[0] == arms[2]) > 0.99


def rescaled(history, scale, shift):
    """A history whose every reward r was scale r + shift."""
    sums, d = history.sums.copy(), history.dimension
    plays, total, squares = history.sums[:, :3].T
    sums[:, 1] = scale * total + shift * plays
    sums[:, 2] = scale**2 * squares + 2 * scale * shift * total + shift**2 * plays
    sums[:, 3 : 3 + d] = scale * sums[:, 3 : 3 + d] + shift * sums[:, -d:]
    return hr.History(history.arms, sums, d)


@pytest.mark.parametrize("constant", [True, False])
def test_an_arm_that_goes_takes_the_weights_of_its_rounds_along(constant):
    """Rounds of noise that grows with the mean weigh differently; the constant of the contexts knows how much."""
    rng = np.random.default_rng(4)
    policy = hr.HierLinUCB(range(6), clusters=[0, 0, 0, 1, 1, 1], dimension=3)
    theta = rng.normal(size=(6, 3))
    numbers = rng.normal(size=(4000, 3))
    contexts = np.column_stack([np.ones(4000), 100.0 + 10.0 * numbers[:, 1:2], numbers[:, 2:]]) if constant else numbers
    expected = (numbers if not constant else np.column_stack([np.ones(4000), numbers[:, 1:]])) @ theta.T
    lost = []
    for t, context in enumerate(contexts):
        if t == 1500:
            assert own_of(policy).unit_noise > 0.0
            policy.remove_arm(4)
        decision = policy.select(context)
        policy.update(decision, 2.0 * expected[t, decision.arm] * rng.random())
        offered = expected[t, list(policy.arms)]
        lost.append((offered.max() - expected[t, decision.arm]) / (offered.max() - offered.mean()))
    if constant:
        assert own_of(policy).constant_column == 0.0
        weight = policy.snapshot().arrays.online[0, 3 + 3]  # sum w x_0^2
        assert weight_of(policy) == pytest.approx(weight, rel=1e-9)
    assert np.mean(lost[1500:]) < 0.2
