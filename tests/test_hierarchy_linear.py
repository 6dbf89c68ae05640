"""Auto with contexts against a dense Gaussian model, a refresh, the plain scan and plain Python."""

import os
import subprocess
import sys

import numpy as np
import pytest
from linear_model import SHAPES, TWO, Hierarchy, assert_same_posterior, play, prior_covariances, sums_of, world

import hedgerow as hr
from hedgerow.core.tree import SIZE
from hedgerow.policies.auto_linear.index import bonus
from hedgerow.policies.auto_linear.likelihood import fit_at, pose
from hedgerow.policies.auto_linear.posterior import solve
from hedgerow.policies.auto_linear.standardize import set_units
from hedgerow.policies.auto_linear.state import NODE_SIZE, ceilings_of


def dense(hierarchy, played, rewards, contexts, top, below, then=0):
    """Mean and covariance of all thetas, log likelihood, noise and offset from the covariance of the observations.

    The first ``then`` rounds are history, whose thetas are ``kept`` times those of now and differ from that by ``drift``.
    """
    own, leaves = hierarchy.own, hierarchy.leaves[played]
    prior = prior_covariances(hierarchy.arrays.tree, top, below, hierarchy.extra_spreads)
    contexts = hierarchy.seen(contexts)
    d = contexts.shape[1]
    rewards, ones = np.array(rewards), np.ones(len(rewards))
    past = np.arange(len(rewards)) < then
    share = np.where(past, own.kept, 1.0)
    observed = np.kron(share * prior[:, leaves], np.ones((d, 1))) * np.tile(contexts.T, (len(prior), 1))
    same_history = past[:, None] & past[None, :] & (leaves[:, None] == leaves[None, :])
    between = np.outer(share, share) * prior[np.ix_(leaves, leaves)] + own.drift * same_history
    covariance = np.eye(len(rewards)) + between * (contexts @ contexts.T)
    inverse = np.linalg.inv(covariance)
    offset = ones @ inverse @ rewards / (ones @ inverse @ ones)
    residuals = rewards - offset
    noise = residuals @ inverse @ residuals / len(rewards)
    log_likelihood = -0.5 * (len(rewards) * np.log(noise) + np.linalg.slogdet(covariance)[1])
    mean = (observed @ inverse @ residuals).reshape(len(prior), -1)
    return mean, np.kron(prior, np.eye(d)) - observed @ inverse @ observed.T, log_likelihood, noise, offset


def half_history(shape, levels, drift, kept):
    """A policy that has learnt half of some rounds as history; and the rounds."""
    d, arms, rounds = 3, 12, 60
    contexts, means, rng = world(1, arms, d, rounds)
    played = rng.integers(arms - 2, size=rounds)  # two arms are never seen
    rewards = 2.0 + means[np.arange(rounds), played] + rng.normal(size=rounds)
    half = rounds // 2
    hierarchy = Hierarchy(arms, SHAPES[shape], d, sums_of(arms, d, played[:half], rewards[:half], contexts[:half]))
    for arm, reward, context in zip(played[half:].tolist(), rewards[half:], contexts[half:], strict=True):
        hierarchy.learn(arm, reward, context)
    hierarchy.extra_spreads[hierarchy.leaves[[0, 5, 11]]] = 0.8, 30.0, 0.8  # misplaced, one of them never seen
    hierarchy.own.levels = levels
    set_units(hierarchy.arrays.online, hierarchy.arrays.history, hierarchy.arrays.state)
    hierarchy.own.drift, hierarchy.own.kept = drift, kept
    return hierarchy, played, rewards, contexts


@pytest.mark.parametrize(
    ("drift", "kept"), [(0.0, 1.0), (0.4, 1.0), (0.4, 0.5), (2.0, 0.0)], ids=["honest", "off", "half", "nothing"]
)
@pytest.mark.parametrize("levels", [0, 1])
@pytest.mark.parametrize("shape", SHAPES)
def test_posterior_and_likelihood_are_those_of_the_dense_gaussian_model(shape, levels, drift, kept):
    hierarchy, *rounds = half_history(shape, levels, drift, kept)
    own, rng, found, d = hierarchy.own, np.random.default_rng(0), [], 3 + levels
    assert hierarchy.seen(rounds[2]).shape[1] == d
    for below, top in ((0.3, 2.0), (1.5, 0.7), (0.01, 20.0)):
        mean, covariance, log_likelihood, noise, offset = dense(hierarchy, *rounds, top, below, 30)
        model = pose(hierarchy.parts, True)
        fit = fit_at(model, top, below)
        assert [fit.noise, fit.offset] == pytest.approx([noise, offset], rel=1e-8)
        found.append(fit.log_likelihood - log_likelihood)
        own.spread_below, own.spread_top, own.noise, own.offset = below, top, noise, offset
        solve(model, hierarchy.arrays.state)
        for node in hierarchy.nodes():
            x = rng.normal(size=3)
            z, of_node = hierarchy.seen(x)[0], slice(node * d, (node + 1) * d)
            block = covariance[of_node, of_node]
            expected = offset + z @ mean[node], bonus(hierarchy.record(), z @ block @ z)
            assert hierarchy.estimate(node, x) == pytest.approx(expected, rel=1e-8)
            if hierarchy.arrays.tree[node, SIZE] == 0:
                largest = np.linalg.eigvalsh(block)[-1]
                assert own.width_floor * largest <= ceilings_of(hierarchy.arrays.rows)[node] ** 2
    assert found == pytest.approx([found[0]] * 3, rel=1e-8)


@pytest.mark.parametrize("shape", SHAPES)
def test_steps_between_refreshes_equal_a_refresh(shape):
    contexts, means, rng = world(2, 12, 5, 3000)
    hierarchy = Hierarchy(12, SHAPES[shape], 5)
    noise = rng.uniform(0, 2, size=3000)  # the paper's: the weights are on
    play(hierarchy, contexts, lambda t, arm: means[t, arm] * noise[t])
    assert hierarchy.own.due > 3000 + 100
    assert hierarchy.own.unit_noise > 0.0
    assert_same_posterior(hierarchy, 1e-9)


@pytest.mark.slow
def test_steps_stay_exact_for_a_long_time():
    d, arms, rounds = 50, 4, 100_000
    rng = np.random.default_rng(3)
    theta = rng.normal(size=(arms, d))
    hierarchy = Hierarchy(arms, ["a", "a", "b", "b"], d)
    for t in range(rounds):
        context, arm = rng.normal(size=d), t % arms
        hierarchy.learn(arm, theta[arm] @ context * rng.uniform(0, 2), context)
    assert_same_posterior(hierarchy, 1e-9)


def plain_choice(hierarchy, context):
    """The first arm of the highest index, all being looked at."""
    indices = {
        leaf: mean - hierarchy.own.offset + width
        for leaf in sorted(hierarchy.leaves.tolist())
        for mean, width in [hierarchy.estimate(leaf, context)]
    }
    best = max(indices.values())
    return hierarchy.arm_of(next(leaf for leaf, value in indices.items() if value >= best - 1e-10 * abs(best)))


@pytest.mark.parametrize("shape", SHAPES)
def test_the_pruned_scan_finds_what_the_plain_one_finds(shape):
    contexts, means, rng = world(4, 12, 3, 400)
    hierarchy = Hierarchy(12, SHAPES[shape], 3)
    for t, context in enumerate(contexts):
        arm = hierarchy.choose(context)
        for length in (1.0, 0.02, 30.0):
            assert hierarchy.choose(length * context) == plain_choice(hierarchy, length * context)
        hierarchy.learn(arm, means[t, arm] + rng.normal(), context)


def test_a_width_is_what_the_docs_say():
    """12 arms, d = 3, 40 rounds of history; w = (n / 10)^2 for the harmonic mean n of the arms' rounds, each with one more."""
    contexts, means, rng = world(16, 12, 3, 40)
    played = rng.integers(12, size=40)
    hierarchy = Hierarchy(12, TWO, 3, sums_of(12, 3, played, means[np.arange(40), played], contexts))
    w = (12 / sum(1 / (1 + (played == arm).sum()) for arm in range(12)) / 10) ** 2
    floor, rate = 0.1 + 0.9 / (1 + w), 10.0 * 40 / (3 * 144) * (1 + w * 25 / 9) / (1 + w)
    assert [hierarchy.own.width_floor, hierarchy.own.width_rate] == pytest.approx([floor, rate])
    assert hierarchy.own.mean_square == pytest.approx((hierarchy.seen(contexts) ** 2).sum() / 40)
    for h in (0.01, 3.0):
        assert bonus(hierarchy.record(), h) == pytest.approx(np.sqrt(hierarchy.own.noise * h * (floor + np.log(1 + rate * h))))


@pytest.mark.parametrize("shape", SHAPES)
def test_waiting_then_learning_is_learning(shape):
    contexts, means, rng = world(6, 12, 3, 400)
    one, two = Hierarchy(12, SHAPES[shape], 3), Hierarchy(12, SHAPES[shape], 3)
    for start in range(0, 400, 8):
        batch = []
        for t in range(start, start + 8):
            decision = hr.Decision(int(rng.integers(12)), context=tuple(contexts[t].tolist()))
            batch.append((decision, means[t, decision.arm] * rng.uniform(0, 2)))
            two.policy.expect(decision)
        for k in rng.permutation(8):
            for hierarchy in (one, two):
                hierarchy.policy.update(*batch[k])
            for part in ("rows", "state", "online"):
                np.testing.assert_array_equal(getattr(two.arrays, part), getattr(one.arrays, part))
            if two.policy.waiting:
                np.testing.assert_array_equal(
                    two.arrays.waiting[:, NODE_SIZE : NODE_SIZE + 3], one.arrays.rows[:, NODE_SIZE : NODE_SIZE + 3]
                )
    assert one.own.unit_noise > 0.0


def test_a_waiting_decision_narrows_the_arm_and_leaves_the_means():
    contexts, means, _ = world(7, 12, 3, 100)
    hierarchy = Hierarchy(12, TWO, 3)
    play(hierarchy, contexts, lambda t, arm: means[t, arm])
    context, first, other = contexts[0], int(hierarchy.leaves[0]), int(hierarchy.leaves[1])
    before, elsewhere = hierarchy.estimate(first, context), hierarchy.estimate(other, context)
    hierarchy.policy.expect(hr.Decision(0, context=tuple(context.tolist())))
    after = hierarchy.estimate(first, context)
    assert after[0] == before[0]
    assert after[1] < before[1]
    assert hierarchy.estimate(other, context) == elsewhere  # another cluster


RUN = """
import numpy as np, sys
sys.path.insert(0, sys.argv[1])
from linear_model import TWO, UNEVEN, Hierarchy, play, world
contexts, means, rng = world(8, 12, 2, 120)
noise = rng.uniform(0, 2, size=120)
for clusters in (None, TWO, UNEVEN):
    print(*play(Hierarchy(12, clusters, 2), contexts, lambda t, arm: means[t, arm] * noise[t]))
"""


def test_plain_python_plays_the_same_arms():
    def output(compile_it):
        here = os.path.dirname(__file__)
        environment = {**os.environ, "HEDGEROW_COMPILE": compile_it}
        return subprocess.run(
            [sys.executable, "-c", RUN, here], env=environment, capture_output=True, text=True, check=True
        ).stdout

    assert output("0") == output("1")


@pytest.mark.parametrize("shape", ["flat", "two", "three"])
def test_without_data_all_arms_tie(shape):
    hierarchy = Hierarchy(12, SHAPES[shape], 3)
    context = np.array([1.0, -2.0, 0.5])
    assert hierarchy.choose(context) == hierarchy.choose(context, 0.0) == 0
    assert len({hierarchy.choose(context, drawn) for drawn in np.linspace(0.0, 0.999, 100)}) == 12


def test_equal_rewards_are_no_trouble():
    contexts, _, _ = world(11, 12, 3, 200)
    for reward in (0.0, 7.0):
        hierarchy = Hierarchy(12, TWO, 3)
        play(hierarchy, contexts, lambda t, arm, reward=reward: reward)
        assert hierarchy.estimate(1, contexts[0])[0] == pytest.approx(reward, abs=0.2)


def test_an_outlying_context_does_not_spoil_the_covariances():
    contexts, means, _ = world(12, 12, 3, 300)
    hierarchy = Hierarchy(12, TWO, 3, weights=False)
    play(hierarchy, contexts, lambda t, arm: means[t, arm])
    far, leaf = 1e6 * contexts[0], int(hierarchy.leaves[5])
    hierarchy.learn(5, 1e6, far)
    stepped = hierarchy.estimate(leaf, far)
    hierarchy.arrays.rows[:] = hierarchy.solved()
    assert stepped == pytest.approx(hierarchy.estimate(leaf, far), rel=1e-9)


def test_history_counts_like_rounds_of_the_policy_itself():
    contexts, means, rng = world(13, 12, 3, 200)
    played = rng.integers(12, size=200)
    rewards = means[np.arange(200), played] + rng.normal(size=200)
    warm = Hierarchy(12, TWO, 3, sums_of(12, 3, played, rewards, contexts))
    cold = Hierarchy(12, TWO, 3, weights=False)
    for arm, reward, context in zip(played.tolist(), rewards, contexts, strict=True):
        cold.learn(arm, reward, context)
    for hierarchy in (warm, cold):
        hierarchy.refresh()  # units of the contexts are those of a refresh
        own = hierarchy.own
        own.spread_below, own.spread_top, own.offset, own.width_rate, own.width_floor, own.mean_square = (
            0.5,
            2.0,
            0.1,
            3.0,
            0.5,
            2.0,
        )
    np.testing.assert_allclose(warm.solved(), cold.solved(), rtol=1e-9, atol=1e-12)
