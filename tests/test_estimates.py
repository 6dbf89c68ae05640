"""What sums say of a grouping: against the dense Gaussian model, and against known truths."""

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.core.records import named
from hedgerow.experiments.play import play
from hedgerow.experiments.simulate import build
from hedgerow.inference.explained import spreads_of
from hedgerow.inference.sums import Sums
from hedgerow.inference.two_level import OWN_STEPS, SPREAD_GRID, Arms, evidence, posterior
from hedgerow.policies.auto_linear.likelihood import pose
from hedgerow.policies.auto_linear.settings import SETTINGS
from hedgerow.policies.auto_linear.state import POLICY, Parts, new_state, row_width
from hedgerow.trust import linear
from hedgerow.trust.nodes import seen_by
from hedgerow.trust.rewards import grouping


def dense_evidence(value, variance, groups, width):
    """By the covariance matrices of each group's arms, for each pair of spreads, summed over the group's own spread."""
    spreads = width * SPREAD_GRID
    step = np.log(SPREAD_GRID[1] / SPREAD_GRID[0])
    found = np.empty((spreads.size, spreads.size))
    for a, within in enumerate(spreads):
        for b, between in enumerate(spreads):
            both = np.diag(within**2 + variance) + between**2 * (groups[:, None] == groups)
            ones = np.linalg.solve(both, np.ones(value.size))
            overall = ones @ value / ones.sum()
            whole = np.hypot(within, between)
            found[a, b] = np.log(within * between / whole / (1.0 + (whole / width) ** 2))
            for group in set(groups):
                mine = groups == group
                likely = 0.0
                for shift in OWN_STEPS:
                    own = spreads[min(max(a + shift, 0), spreads.size - 1)]
                    covariance = np.diag(own**2 + variance[mine]) + between**2
                    off = value[mine] - overall
                    fit = off @ np.linalg.solve(covariance, off)
                    likely += np.exp(-0.5 * (fit + np.linalg.slogdet(covariance)[1] + (shift * step) ** 2))
                found[a, b] += np.log(likely)
    return found


def test_the_evidence_is_that_of_the_dense_model():
    rng = np.random.default_rng(0)
    value, variance, groups = rng.normal(size=7), rng.uniform(0.05, 0.5, 7), np.array([0, 0, 0, 1, 1, 2, 2])
    found = evidence(Arms(value, variance, 0.4), groups)
    np.testing.assert_allclose(found, dense_evidence(value, variance, groups, 0.4), rtol=1e-9)


@pytest.mark.parametrize("noise", ["uniform", "gaussian", "bernoulli"])
@pytest.mark.parametrize("labels", ["true", "shuffled"])
def test_intervals_of_the_share_hold_the_truth_though_arms_were_chosen_by_what_they_paid(labels, noise):
    """90 % intervals, of two policies in forty trials: they must hold it in 80 %."""
    problem, held = hr.problems.SyntheticClassical(alpha=(0.8, 1.2), labels=labels, noise=noise), 0
    for seed in range(40):
        trial = problem.trial(5000, np.random.default_rng(seed))
        groups = np.unique(trial.clusters, return_inverse=True)[1]
        truth = float(spreads_of(trial.expected, groups).share[0].clip(0.0, 1.0))
        for make in (hr.Auto, hr.HUCBC):
            policy = build(make, trial, np.random.default_rng(0))
            play(policy, trial)
            share = grouping(seen_by(policy), groups, 0.0).share
            held += share.low <= truth + 1e-9 and truth <= share.high + 1e-9
    assert held >= 64


@pytest.mark.parametrize("plays", [3, 10, 30])
def test_many_arms_with_few_coin_flips_each_are_told_from_noise(plays):
    """Here a few percent of the noise of a rate are as much as what arms differ by."""
    held = 0
    for seed in range(8):
        rng, groups = np.random.default_rng(seed), np.arange(1000) % 20
        rates = 0.5 + (0.08 * rng.normal(size=20))[groups] + 0.04 * rng.normal(size=1000)
        hits = rng.binomial(plays, rates).astype(float)
        sums = Sums(np.full(1000, float(plays)), hits, hits)
        low, high = np.quantile(spreads_of(posterior(sums, groups, rng, binary=True), groups).share, [0.05, 0.95])
        held += low <= spreads_of(rates[None, :], groups).share[0] <= high
    assert held >= 6


def test_an_arm_without_rows_does_not_pull_the_others_down():
    rng = np.random.default_rng(2)
    groups = np.arange(30) % 5
    mean = 1e6 + rng.normal(size=5)[groups] + 0.3 * rng.normal(size=30)
    rows = np.full(30, 1000.0)
    shares = []
    for unseen in (0, 3):
        rows[:unseen] = 0.0
        sums = Sums(rows, rows * mean, rows * (mean**2 + 0.01**2))
        draws = posterior(sums, groups, np.random.default_rng(0), binary=False)
        shares.append(np.median(spreads_of(draws, groups).share))
    assert shares[1] == pytest.approx(shares[0], abs=0.1)


def test_one_play_of_each_arm_says_nothing_of_the_groups():
    policy = hr.UCBC(range(12), clusters=[k % 3 for k in range(12)])
    for arm, reward in enumerate(np.random.default_rng(0).normal(size=12)):
        policy.learn(arm, reward)
    assert policy.trust().grouping is None
    policy.learn(0, 0.5)
    assert policy.trust().grouping is not None


def arms_of_one_kind(common, rng):
    """Twenty-four arms that share ``common`` and differ beside it, in groups that mean nothing; thirty rounds of each."""
    theta = common + 0.5 * rng.normal(size=(24, common.size))
    arms = np.repeat(np.arange(24), 30)
    contexts = rng.normal(size=(arms.size, common.size))
    rewards = (theta[arms] * contexts).sum(axis=1) + rng.normal(size=arms.size)
    history = hr.History.from_rounds(arms=arms, rewards=rewards, contexts=contexts)
    groups = rng.permutation(np.arange(24) % 6).tolist()
    return hr.HLinUCBC(range(24), clusters=groups, history=history, dimension=common.size)


def test_what_all_arms_share_is_no_merit_of_the_groups():
    for seed in range(5):
        found = arms_of_one_kind(np.array([3.0, -2.0, 1.0]), np.random.default_rng(seed)).trust().grouping
        assert found.share.value < 0.15
        assert found.within.low < 0.5 < found.within.high * 1.1


def test_the_evidence_with_contexts_is_that_of_the_dense_model():
    """r = a + (theta_0 + theta_group + theta_arm)'x + noise, a flat and the noise's variance profiled."""
    common = 2.0**20  # with more, rounding spoils the dense model
    rng = np.random.default_rng(0)
    arm, groups, x = rng.integers(6, size=40), np.array([0, 0, 1, 1, 2, 2]), rng.normal(size=(40, 3))
    reward = 2.0 + x @ np.array([1.0, 0.0, -1.0]) + rng.normal(size=40)
    policy = hr.HLinUCBC(range(6), clusters=groups.tolist(), dimension=3)
    for k, r, context in zip(arm.tolist(), reward, x, strict=True):
        policy.learn(k, r, context)
    nodes = seen_by(policy)
    rows, state = np.zeros((len(nodes.online), row_width(3))), new_state(False, 3)
    named(state, POLICY).levels = 0.0
    model = pose(Parts(nodes.arms.tree, nodes.online, nodes.history, rows, state), False)
    steps, unit = np.array([-6.0, -1.0, 2.0]), 1.3
    found = linear.evidence(model, unit, steps, steps, common)
    same_arm, same_group = arm[:, None] == arm, groups[arm][:, None] == groups[arm]
    truth = []
    for rho in 2.0**steps / unit:
        for phi in 2.0**steps / unit:
            covariance = np.eye(40) + (common / unit + phi * same_group + rho * same_arm) * (x @ x.T)
            inverse = np.linalg.inv(covariance)
            ones = inverse.sum(axis=0)
            off = reward - ones @ reward / ones.sum()
            sig2 = off @ inverse @ off / 40.0
            penalty = SETTINGS.prior * (np.log2(rho * unit) ** 2 + np.log2(phi * unit) ** 2)
            value = -0.5 * (40.0 * np.log(sig2) + np.linalg.slogdet(covariance)[1]) - penalty
            truth.append((value, rho * sig2, phi * sig2, sig2))
    truth = np.array(truth).T
    np.testing.assert_allclose(found[1:], truth[1:], rtol=1e-6)
    np.testing.assert_allclose(found[0] - found[0, 0], truth[0] - truth[0, 0], atol=1e-6)


def grouped_linear(noise, clusters, rng):
    """Forty arms in eight groups: coefficients differ by 0.3 within them, and by 1 from group to group."""
    groups = np.arange(40) // 5
    theta = rng.normal(size=(8, 3))[groups] + 0.3 * rng.normal(size=(40, 3))
    arms, contexts = rng.integers(1, 40, 6000), rng.normal(size=(6000, 3))
    rewards = (theta[arms] * contexts).sum(axis=1) + noise * rng.normal(size=6000)
    history = hr.History.from_rounds(arms=arms, rewards=rewards, contexts=contexts)
    return hr.Auto(range(40), clusters=[clusters(group) for group in groups.tolist()], history=history), theta


@pytest.mark.parametrize("noise", [0.3, 0.03, 0.001])
def test_groups_are_worth_the_same_however_little_noise_there_is(noise):
    """The arm without history is predicted from its group."""
    policy, theta = grouped_linear(noise, lambda group: group, np.random.default_rng(0))
    found = policy.trust().grouping
    assert found.share.low < 0.9 < found.share.high
    assert found.within.low < 0.3 < found.within.high
    context = theta[1:5].mean(axis=0)
    predicted = next(score.mean for score in policy.explain(context) if score.kind == "arm" and score.label == 0)
    assert predicted == pytest.approx(context @ context, rel=0.1)


def test_of_nested_groups_the_innermost_are_judged():
    flat = grouped_linear(0.3, lambda group: group, np.random.default_rng(0))[0].trust().grouping
    nested = grouped_linear(0.3, lambda group: (group % 2, group), np.random.default_rng(0))[0].trust().grouping
    assert nested.groups == flat.groups == 8
    assert nested.share.value == pytest.approx(flat.share.value, abs=0.02)
    assert nested.within.value == pytest.approx(flat.within.value, rel=0.05)
