"""Hierarchical linear kernels against a dense Gaussian model, a rebuild, the plain scan and plain Python."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hedgerow.policies.auto_linear.evidence import MEAN, ODD, eliminate_lower, eliminate_upper, pose, profile
from hedgerow.policies.auto_linear.ledger import new_ledger
from hedgerow.policies.auto_linear.lens import seen, seen_sums, set_lens
from hedgerow.policies.auto_linear.linear import choose, estimate, expect, learn, rebuild, settle

import hedgerow as hr
from hedgerow.core.arms import Arms
from hedgerow.core.sums import observe, row_size
from hedgerow.core.tree import PARENT, SIZE
from hedgerow.policies.auto_linear import ledger as book
from hedgerow.policies.auto_linear import sums
from hedgerow.policies.auto_linear.posterior import derived_size, solve

FLAT = None
TWO = [f"c{arm % 4}" for arm in range(12)]
THREE = [(f"a{arm % 2}", f"b{arm % 4}") for arm in range(12)]
UNEVEN = ["a", ("a", "b"), ("a", "b", "c"), "d", "d", ("e", "f"), "e", "a", ("a", "b"), ("g", "h", "i"), ("e", "f"), "d"]
SHAPES = {"flat": FLAT, "two": TWO, "three": THREE, "uneven": UNEVEN}


class Hierarchy:
    """The arrays of a policy and the kernels that work on them."""

    def __init__(self, arms, clusters, d, past=None, weights=True):
        self.arms = Arms(range(arms), clusters)
        self.tree, self.d = self.arms.tree, d
        self.online = np.zeros((len(self.tree), sums.row_size(d)))
        self.past = self.arms.totals(np.zeros((arms, row_size(d))) if past is None else past)
        self.derived, self.ledger = np.zeros((len(self.tree), derived_size(d))), new_ledger(weights, d)
        self.pending = np.zeros_like(self.derived)
        rebuild(self.tree, self.online, self.past, self.derived, self.ledger)

    def seen(self, contexts):
        """Contexts as the policy sees them."""
        return np.array([seen(self.ledger, context) for context in np.atleast_2d(contexts)])

    @property
    def state(self):
        return self.tree, self.online, self.past, self.derived, self.ledger

    def choose(self, context, uniform=-1.0):
        return choose(self.tree, self.derived, self.ledger, context, uniform)

    def learn(self, leaf, reward, context):
        return learn(*self.state, leaf, reward, context)

    def expect(self, leaf, context):
        expect(self.tree, self.pending, self.derived, self.ledger, leaf, context)

    def settle(self, leaf, reward, context):
        return settle(self.tree, self.online, self.past, self.pending, self.derived, self.ledger, leaf, reward, context)

    def estimate(self, node, context):
        return estimate(self.tree, self.derived, self.ledger, context, node)

    def solved(self):
        """The derived rows from the sums, with the settings as they are."""
        fresh = np.zeros_like(self.derived)
        fresh[:, ODD] = self.derived[:, ODD]
        solve(pose(self.tree, self.online, self.past, fresh, self.ledger, False), self.ledger)
        return fresh

    def nodes(self):
        return range(1, len(self.tree))


def sums_of(arms, d, played, rewards, contexts):
    rows = np.zeros((arms, row_size(d)))
    for arm, reward, context in zip(played, rewards, contexts, strict=True):
        observe(rows, arm, reward, context)
    return rows


def world(seed, arms, d, rounds, clusters=4, spread=0.5):
    """Contexts and the expected rewards of arms that resemble others."""
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=(clusters, d))[np.arange(arms) % clusters] + spread * rng.normal(size=(arms, d))
    contexts = rng.normal(size=(rounds, d))
    return contexts, contexts @ theta.T, rng


def leaf_to_arm(hierarchy):
    return {int(leaf): arm for arm, leaf in enumerate(hierarchy.arms.leaves)}


def play(hierarchy, contexts, reward_of):
    """Choose and learn; the arms played."""
    arm_of, played = leaf_to_arm(hierarchy), []
    for t, context in enumerate(contexts):
        leaf = hierarchy.choose(context)
        played.append(arm_of[leaf])
        hierarchy.learn(leaf, reward_of(t, arm_of[leaf]), context)
    return played


def prior_covariances(tree, rho, phi, odd):
    """Of theta_u and theta_v, per coordinate: what their paths from the root share. ``odd``: what is added to rho, by node."""

    def path(node):
        return [] if node == 0 else [*path(tree[node, PARENT]), node]

    def variance(node):
        return phi if tree[node, PARENT] == 0 else rho + odd[node]

    paths = [path(node) for node in range(len(tree))]
    return np.array([[sum(variance(v) for v in set(p) & set(q)) for q in paths] for p in paths])


def dense(hierarchy, leaves, rewards, contexts, rho, phi, drift=0.0, kept=1.0, then=0):
    """Mean and covariance of all thetas, log evidence, noise variance and offset from the covariance of the observations.

    The first ``then`` rounds are history, whose thetas are ``kept`` times those of now and differ from that by a variance of
    ``drift``.
    """
    prior = prior_covariances(hierarchy.tree, rho, phi, hierarchy.derived[:, ODD])
    contexts = hierarchy.seen(contexts)
    d = contexts.shape[1]
    rewards, ones = np.array(rewards), np.ones(len(rewards))
    past = np.arange(len(rewards)) < then
    share = np.where(past, kept, 1.0)
    observed = np.kron(share * prior[:, leaves], np.ones((d, 1))) * np.tile(contexts.T, (len(prior), 1))
    same_history = past[:, None] & past[None, :] & (leaves[:, None] == leaves[None, :])
    between = np.outer(share, share) * prior[np.ix_(leaves, leaves)] + drift * same_history
    covariance = np.eye(len(rewards)) + between * (contexts @ contexts.T)
    inverse = np.linalg.inv(covariance)
    offset = ones @ inverse @ rewards / (ones @ inverse @ ones)
    residuals = rewards - offset
    sig2 = residuals @ inverse @ residuals / len(rewards)
    evidence = -0.5 * (len(rewards) * np.log(sig2) + np.linalg.slogdet(covariance)[1])
    mean = (observed @ inverse @ residuals).reshape(len(prior), -1)
    return mean, np.kron(prior, np.eye(d)) - observed @ inverse @ observed.T, evidence, sig2, offset


@pytest.mark.parametrize(
    ("drift", "kept"), [(0.0, 1.0), (0.4, 1.0), (0.4, 0.5), (2.0, 0.0)], ids=["honest", "off", "half", "void"]
)
@pytest.mark.parametrize("levels", [0, 1])
@pytest.mark.parametrize("shape", SHAPES)
def test_posterior_and_evidence_are_those_of_the_dense_gaussian_model(shape, levels, drift, kept):
    d, arms, rounds = 3, 12, 60
    contexts, means, rng = world(1, arms, d, rounds)
    played = rng.integers(arms - 2, size=rounds)  # two arms are never seen
    rewards = 2.0 + means[np.arange(rounds), played] + rng.normal(size=rounds)
    half = rounds // 2
    hierarchy = Hierarchy(arms, SHAPES[shape], d, sums_of(arms, d, played[:half], rewards[:half], contexts[:half]))
    leaves = hierarchy.arms.leaves[played]
    for leaf, reward, context in zip(leaves[half:], rewards[half:], contexts[half:], strict=True):
        hierarchy.learn(leaf, reward, context)
    hierarchy.derived[hierarchy.arms.leaves[[0, 5, 11]], ODD] = 0.8, 30.0, 0.8  # strangers, one of them never seen
    hierarchy.ledger[book.LEVELS] = levels
    set_lens(hierarchy.online, hierarchy.past, hierarchy.ledger)
    assert hierarchy.seen(contexts).shape[1] == d + levels
    found, seen_d = [], d + levels
    for rho, phi in ((0.3, 2.0), (1.5, 0.7), (0.01, 20.0)):
        mean, covariance, evidence, sig2, offset = dense(hierarchy, leaves, rewards, contexts, rho, phi, drift, kept, half)
        hierarchy.ledger[[book.DRIFT, book.KEPT]] = drift, kept
        model, products = pose(*hierarchy.state, True), np.empty(3)
        logdet = eliminate_lower(model, rho, products)
        logdet += eliminate_upper(model, phi, products)
        value, model_sig2, model_offset = profile(model, logdet, products)
        assert [model_sig2, model_offset] == pytest.approx([sig2, offset], rel=1e-8)
        found.append(value - evidence)
        hierarchy.ledger[[book.RHO, book.PHI, book.SIG2, book.OFFSET]] = rho, phi, sig2, offset
        solve(model, hierarchy.ledger)
        for node in hierarchy.nodes():
            x = rng.normal(size=d)
            z, own = hierarchy.seen(x)[0], slice(node * seen_d, (node + 1) * seen_d)
            block = covariance[own, own]
            assert hierarchy.estimate(node, x) == pytest.approx((offset + z @ mean[node], sig2 * z @ block @ z), rel=1e-8)
            if hierarchy.tree[node, SIZE] == 0:
                assert np.linalg.eigvalsh(block)[-1] <= hierarchy.derived[node, 0] ** 2
    assert found == pytest.approx([found[0]] * 3, rel=1e-8)


def assert_same_posterior(hierarchy, tolerance):
    """Means and covariances are those of the sums; ceilings are only lowered by a refresh."""
    fresh = hierarchy.solved()
    for part in (slice(MEAN, MEAN + hierarchy.d), slice(MEAN + hierarchy.d, None)):
        old, new = hierarchy.derived[1:, part], fresh[1:, part]
        assert np.abs(old - new).max() <= tolerance * np.abs(new).max()


@pytest.mark.parametrize("shape", SHAPES)
def test_steps_between_refreshes_equal_a_rebuild(shape):
    contexts, means, rng = world(2, 12, 5, 3000)
    hierarchy = Hierarchy(12, SHAPES[shape], 5)
    noise = rng.uniform(0, 2, size=3000)  # the paper's: the weights are on
    play(hierarchy, contexts, lambda t, arm: means[t, arm] * noise[t])
    assert hierarchy.ledger[book.NEXT] > 3000 + 100
    assert hierarchy.ledger[book.STANDARD] > 0.0
    assert_same_posterior(hierarchy, 1e-9)


@pytest.mark.slow
def test_steps_stay_exact_for_a_long_time():
    d, arms, rounds = 50, 4, 100_000
    rng = np.random.default_rng(3)
    theta = rng.normal(size=(arms, d))
    hierarchy = Hierarchy(arms, ["a", "a", "b", "b"], d)
    for t in range(rounds):
        context, arm = rng.normal(size=d), t % arms
        hierarchy.learn(hierarchy.arms.leaves[arm], theta[arm] @ context * rng.uniform(0, 2), context)
    assert_same_posterior(hierarchy, 1e-9)


def plain_choice(hierarchy, context):
    """All arms by their full index mu'x + sqrt(sig2 h (floor + log(1 + rate h)))."""
    floor, rate, sig2 = hierarchy.ledger[[book.FLOOR, book.RATE, book.SIG2]]
    indices = {}
    for leaf in sorted(hierarchy.arms.leaves.tolist()):
        mean, spread = hierarchy.estimate(leaf, context)
        indices[leaf] = mean - hierarchy.ledger[book.OFFSET] + np.sqrt(spread * (floor + np.log(1.0 + rate * spread / sig2)))
    best = max(indices.values())
    return next(leaf for leaf, value in indices.items() if value >= best - 1e-10 * abs(best))


@pytest.mark.parametrize("shape", SHAPES)
def test_the_pruned_scan_finds_what_the_plain_one_finds(shape):
    contexts, means, rng = world(4, 12, 3, 400)
    hierarchy = Hierarchy(12, SHAPES[shape], 3)
    for t, context in enumerate(contexts):
        leaf = hierarchy.choose(context)
        for length in (1.0, 0.02, 30.0):
            assert hierarchy.choose(length * context) == plain_choice(hierarchy, length * context)
        hierarchy.learn(leaf, means[t, leaf_to_arm(hierarchy)[leaf]] + rng.normal(), context)


@pytest.mark.parametrize(("rewards_by", "contexts_by"), [(1000.0, 1.0), (1.0, 1000.0), (1e-6, 1e4), (1024.0, 0.125)])
@pytest.mark.parametrize("shape", ["flat", "two"])
def test_units_do_not_matter(shape, rewards_by, contexts_by):
    contexts, means, rng = world(5, 12, 3, 600)
    noise = rng.uniform(0, 2, size=600)
    plain = play(Hierarchy(12, SHAPES[shape], 3), contexts, lambda t, arm: means[t, arm] * noise[t])
    scaled = play(Hierarchy(12, SHAPES[shape], 3), contexts * contexts_by, lambda t, arm: means[t, arm] * noise[t] * rewards_by)
    assert plain == scaled


def plain_lens(contexts):
    """Columns of 0 and 1 as they are; others by their deviation around the mean, or by their size if no column is constant."""
    constant = any(np.ptp(column) == 0.0 and column[0] != 0.0 for column in contexts.T)
    view = contexts.copy()
    for j, column in enumerate(contexts.T):
        if not np.isin(column, (0.0, 1.0)).all():
            moving = constant and np.ptp(column) > 0.0
            view[:, j] = (column - column.mean()) / column.std() if moving else column / np.sqrt((column**2).mean())
    return view


def people(rng, rounds, constant):
    """Age, income, whether new; a city of three; a column that is always the same or one of zeros."""
    city = np.eye(3)[rng.integers(3, size=rounds)]
    age, income, new = rng.uniform(20, 80, rounds), rng.lognormal(10.5, 0.6, rounds), rng.random(rounds) < 0.3
    return np.column_stack([age, income, new, city, np.full(rounds, constant)])


@pytest.mark.parametrize("constant", [0.0, 2.5])
def test_contexts_are_seen_in_units_of_their_own(constant):
    rng = np.random.default_rng(8)
    contexts, rewards = people(rng, 50, constant), rng.normal(size=50)
    rows = sums_of(1, 7, [0] * 50, rewards, contexts)
    ledger = new_ledger(False, 7)
    ledger[book.LEVELS] = 0.0
    set_lens(0.4 * rows, 0.6 * rows, ledger)
    view = plain_lens(contexts)
    np.testing.assert_allclose([seen(ledger, context) for context in contexts], view, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(seen_sums(ledger, rows, 0), sums_of(1, 7, [0] * 50, rewards, view)[0, 3:], rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("constant", [0.0, 1.0])
def test_a_column_may_be_in_any_unit_and_count_from_anywhere_if_there_is_a_constant(constant):
    rng = np.random.default_rng(9)
    contexts = people(rng, 600, constant)
    unit, start = np.array([0.01, 1000.0, 1.0, 1.0, 1.0, 1.0, 1.0]), np.array([-7.0, 3e4, 0.0, 0.0, 0.0, 0.0, 0.0])
    means, noise = plain_lens(contexts) @ rng.normal(size=(7, 12)), rng.normal(size=600)
    plain = play(Hierarchy(12, TWO, 7), contexts, lambda t, arm: means[t, arm] + noise[t])
    other = play(Hierarchy(12, TWO, 7), unit * (contexts + constant * start), lambda t, arm: means[t, arm] + noise[t])
    assert plain == other
    lost = (means.max(axis=1) - means[np.arange(600), plain])[300:].mean()
    assert lost < 0.1 * (means.max(axis=1) - means.mean(axis=1)).mean()


@pytest.mark.parametrize("level", [0.0, 1e3, 1e5])
def test_a_column_far_from_zero_is_not_taken_for_a_constant(level):
    contexts, means, rng = world(10, 12, 3, 500)
    noise = rng.normal(size=500)
    shown = np.column_stack([np.ones(500), level + contexts])
    hierarchy = Hierarchy(12, TWO, 4)
    played = play(hierarchy, shown, lambda t, arm: means[t, arm] + noise[t])
    assert hierarchy.ledger[book.CONSTANT] == 0.0
    lost = (means.max(axis=1) - means[np.arange(500), played])[250:].mean()
    assert lost < 0.15 * (means.max(axis=1) - means.mean(axis=1)).mean()


def test_columns_of_hardly_any_size_are_no_trouble():
    rng = np.random.default_rng(11)
    for size in (1e-120, 1e-150, 1e-157, 1e-170):
        hierarchy = Hierarchy(4, None, 2)
        for t in range(20):
            hierarchy.learn(1 + t % 4, rng.normal(), np.array([1.0, size * rng.normal()]))
        assert np.isfinite(hierarchy.derived).all()
        assert np.isfinite(hierarchy.estimate(1, np.array([1.0, size]))).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_expecting_then_settling_is_learning(shape):
    contexts, means, rng = world(6, 12, 3, 400)
    one, two = Hierarchy(12, SHAPES[shape], 3), Hierarchy(12, SHAPES[shape], 3)
    for start in range(0, 400, 8):
        batch = []
        for t in range(start, start + 8):
            leaf = int(rng.choice(one.arms.leaves))
            batch.append((leaf, means[t, leaf_to_arm(one)[leaf]] * rng.uniform(0, 2), contexts[t]))
            two.expect(leaf, contexts[t])
        for t, k in enumerate(rng.permutation(8), start + 1):
            due = one.ledger[book.NEXT] <= t
            one.learn(*batch[k])
            assert two.settle(*batch[k]) == due
            np.testing.assert_array_equal(two.derived[:, MEAN : MEAN + 3], one.derived[:, MEAN : MEAN + 3])
    assert one.ledger[book.STANDARD] > 0.0
    for part in ("derived", "ledger", "online"):
        np.testing.assert_array_equal(getattr(two, part), getattr(one, part))


def test_an_expected_decision_narrows_the_arm_and_leaves_the_means():
    contexts, means, _ = world(7, 12, 3, 100)
    hierarchy = Hierarchy(12, TWO, 3)
    play(hierarchy, contexts, lambda t, arm: means[t, arm])
    context, leaf = contexts[0], int(hierarchy.arms.leaves[0])
    before, elsewhere = hierarchy.estimate(leaf, context), hierarchy.estimate(int(hierarchy.arms.leaves[1]), context)
    hierarchy.expect(leaf, context)
    after = hierarchy.estimate(leaf, context)
    assert after[0] == before[0]
    assert after[1] < before[1]
    assert hierarchy.estimate(int(hierarchy.arms.leaves[1]), context) == elsewhere  # another cluster


RUN = """
import numpy as np, sys
sys.path.insert(0, sys.argv[1])
from test_hierarchy_linear import TWO, UNEVEN, Hierarchy, play, world
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


def test_two_valued_rewards_never_get_weights():
    contexts, means, rng = world(9, 12, 3, 2000)
    uniforms = rng.uniform(size=2000)
    hierarchy = Hierarchy(12, TWO, 3)
    play(hierarchy, contexts, lambda t, arm: 5.0 + 2.0 * (uniforms[t] < np.clip(means[t, arm], 0, 1)))
    assert hierarchy.ledger[book.STANDARD] == 0.0
    assert not hierarchy.online[:, -sums.EXCESS :].any()


@pytest.mark.parametrize(("growing", "allowed"), [(False, True), (True, True), (True, False)])
def test_weights_come_on_when_the_noise_grows_with_the_mean_and_they_are_allowed(growing, allowed):
    contexts, means, rng = world(10, 12, 5, 2000)
    noise = rng.uniform(0, 2, size=2000) if growing else rng.normal(size=2000)
    hierarchy = Hierarchy(12, TWO, 5, weights=allowed)
    play(hierarchy, contexts, lambda t, arm: means[t, arm] * noise[t] if growing else means[t, arm] + noise[t])
    assert (hierarchy.ledger[book.ETA] > 0.0) == (growing and allowed)
    assert hierarchy.online[:, -sums.EXCESS :].any() == (growing and allowed)


@pytest.mark.parametrize("shape", ["flat", "two", "three"])
def test_without_data_all_arms_tie(shape):
    hierarchy = Hierarchy(12, SHAPES[shape], 3)
    context = np.array([1.0, -2.0, 0.5])
    leaves = sorted(hierarchy.arms.leaves.tolist())
    assert hierarchy.choose(context) == leaves[0]
    assert [hierarchy.choose(context, uniform) for uniform in (0.0, 0.5, 0.999)] == [leaves[0], leaves[6], leaves[-1]]


def test_equal_rewards_are_no_trouble():
    contexts, _, _ = world(11, 12, 3, 200)
    for reward in (0.0, 7.0):
        hierarchy = Hierarchy(12, TWO, 3)
        play(hierarchy, contexts, lambda t, arm, reward=reward: reward)
        assert np.isfinite(hierarchy.derived).all()
        assert hierarchy.estimate(1, contexts[0])[0] == pytest.approx(reward, abs=0.2)


def test_an_unusable_context_changes_nothing():
    hierarchy = Hierarchy(12, TWO, 3)
    hierarchy.learn(5, 1.0, np.ones(3))
    before = [part.copy() for part in hierarchy.state]
    for context in (np.array([1.0, np.nan, 0.0]), np.array([1.0, 0.0, 1e200])):
        assert hierarchy.choose(context) == -1
        assert not hierarchy.learn(5, 1.0, context)
    for part, old in zip(hierarchy.state, before, strict=True):
        np.testing.assert_array_equal(part, old)


def test_an_outlying_context_does_not_spoil_the_covariances():
    contexts, means, _ = world(12, 12, 3, 300)
    hierarchy = Hierarchy(12, TWO, 3, weights=False)
    play(hierarchy, contexts, lambda t, arm: means[t, arm])
    far = 1e6 * contexts[0]
    hierarchy.learn(5, 1e6, far)
    stepped = hierarchy.estimate(5, far)
    hierarchy.derived[:] = hierarchy.solved()
    assert stepped == pytest.approx(hierarchy.estimate(5, far), rel=1e-9)


def test_history_counts_like_rounds_of_the_policy_itself():
    contexts, means, rng = world(13, 12, 3, 200)
    played = rng.integers(12, size=200)
    rewards = means[np.arange(200), played] + rng.normal(size=200)
    warm = Hierarchy(12, TWO, 3, sums_of(12, 3, played, rewards, contexts))
    cold = Hierarchy(12, TWO, 3, weights=False)
    for arm, reward, context in zip(played, rewards, contexts, strict=True):
        cold.learn(cold.arms.leaves[arm], reward, context)
    for hierarchy in (warm, cold):
        rebuild(*hierarchy.state)  # units of the contexts are those of a refresh
        hierarchy.ledger[[book.RHO, book.PHI, book.OFFSET, book.RATE, book.FLOOR, book.LENGTH]] = 0.5, 2.0, 0.1, 3.0, 0.5, 2.0
    np.testing.assert_allclose(warm.solved(), cold.solved(), rtol=1e-9, atol=1e-12)


def lie(rows, honest, rounds=400, weights=False):
    """A policy whose history is that of other arms, or its own, after some rounds."""
    arms, d = 12, 3
    contexts, means, rng = world(15, arms, d, rows + rounds)
    told = np.arange(arms) if honest else rng.permutation(arms)
    played = rng.integers(arms, size=rows)
    rewards = means[np.arange(rows), told[played]] + rng.normal(size=rows)
    hierarchy = Hierarchy(arms, TWO, d, sums_of(arms, d, played, rewards, contexts[:rows]), weights)
    noise = rng.normal(size=rounds)
    play(hierarchy, contexts[rows:], lambda t, arm: means[rows + t, arm] + noise[t])
    return hierarchy


@pytest.mark.parametrize("rows", [300, 5000])
def test_a_history_that_lies_is_found_out_and_an_honest_one_is_not_accused(rows):
    """Thetas of spread 1 and 0.5 around it, swapped at random: they move by about sqrt(2 x 1.25); noise 1."""
    honest, lying = (lie(rows, honest) for honest in (True, False))
    assert honest.ledger[book.DRIFT] == 0.0
    assert 0.7 < np.sqrt(lying.ledger[book.DRIFT] * lying.ledger[book.SIG2]) < 3.0
    assert lying.ledger[book.SIG2] == pytest.approx(1.0, rel=0.2)  # the lie is not taken for noise
    assert_same_posterior(lying, 1e-9)


def test_residuals_from_a_lie_say_nothing_of_the_noise():
    """The first look is after 32 rounds: then they are forgotten, and those of an honest history are kept."""
    counts = [lie(5000, honest, rounds=32, weights=True).ledger[book.BINS :][: book.BIN_COUNT].sum() for honest in (True, False)]
    assert counts == [32.0, 0.0]


def test_a_history_let_go_of_takes_its_drift_with_it():
    hierarchy = lie(1000, honest=False)
    assert hierarchy.ledger[book.DRIFT] > 0.0
    hierarchy.past[:] = 0.0
    rebuild(*hierarchy.state)
    assert hierarchy.ledger[book.DRIFT] == 0.0


def test_a_drift_comes_from_the_evidence():
    """No drift nearby is likelier than the one in use."""
    from hedgerow.policies.auto_linear.rebuild import evidence_of

    hierarchy = lie(1000, honest=False)
    rebuild(*hierarchy.state)
    drift, kept = hierarchy.ledger[[book.DRIFT, book.KEPT]]
    best = evidence_of(*hierarchy.state, drift, kept)
    nearby = [(factor * drift, kept) for factor in (0.25, 0.5, 2.0, 4.0)] + [(drift, kept + step) for step in (-0.25, 0.25)]
    assert all(evidence_of(*hierarchy.state, *other) <= best for other in [(0.0, 1.0), *nearby] if 0.0 <= other[1] <= 1.0)


def test_a_history_that_is_half_of_what_it_was_does_not_drive_the_drift_to_nothing():
    """Its coefficients are half of those of now, exactly: the likeliest drift is 0, and its message would be rounding errors."""
    from hedgerow.policies.auto_linear.rebuild import LEAST_DRIFT, spread_of

    contexts, means, rng = world(17, 12, 3, 6000)
    played = rng.integers(12, size=6000)
    rewards = np.where(np.arange(6000) < 3000, 0.5, 1.0) * means[np.arange(6000), played] + 0.3 * rng.normal(size=6000)
    hierarchy = Hierarchy(12, TWO, 3, sums_of(12, 3, played[:3000], rewards[:3000], contexts[:3000]), weights=False)
    for arm, reward, context in zip(played[3000:], rewards[3000:], contexts[3000:], strict=True):
        hierarchy.learn(hierarchy.arms.leaves[arm], reward, context)
    rebuild(*hierarchy.state)
    assert hierarchy.ledger[book.KEPT] == 0.5
    assert 0.5 * LEAST_DRIFT <= hierarchy.ledger[book.DRIFT] / spread_of(hierarchy.ledger) <= 4.0 * LEAST_DRIFT
    assert hierarchy.ledger[book.SIG2] == pytest.approx(0.09, rel=0.05)
    assert hierarchy.ledger[book.OFFSET] == pytest.approx(0.0, abs=0.05)


def test_merged_ledgers_hold_the_rounds_of_both():
    contexts, means, rng = world(14, 12, 3, 600)
    parts = []
    for worker, unit in enumerate((1.0, 40.0)):
        hierarchy = Hierarchy(12, TWO, 3)
        noise = rng.uniform(0, 2, size=600)
        play(hierarchy, contexts[worker::2], lambda t, arm, unit=unit, noise=noise: unit * means[t, arm] * noise[t])
        parts.append(hierarchy.ledger)
    both = book.merged(*parts)
    assert both.size == parts[0].size
    assert both[book.LARGEST] == max(part[book.LARGEST] for part in parts)
    leading = [part[: book.LEDGER_SUMS] for part in (both, *parts)]
    np.testing.assert_allclose(leading[0][: book.BINS], leading[1][: book.BINS] + leading[2][: book.BINS])
    bins = [part[book.BINS :].reshape(3, -1) for part in leading]
    np.testing.assert_allclose(bins[0].sum(axis=1), bins[1].sum(axis=1) + bins[2].sum(axis=1))
    used = bins[0][0] > 0.0
    levels = np.log2(bins[0][1, used] / bins[0][0, used] / both[book.REFERENCE])
    np.testing.assert_array_equal(np.floor(levels).astype(int) + 32, np.flatnonzero(used))


def test_what_workers_started_from_is_counted_once_though_the_unit_of_the_bins_has_changed():
    contexts, means, rng = world(14, 12, 3, 600)
    workers = [Hierarchy(12, TWO, 3) for _ in range(3)]
    for hierarchy in workers:
        play(hierarchy, contexts[:200], lambda t, arm: means[t, arm])
    for hierarchy in workers[1:]:
        noise = rng.uniform(0, 2, size=600)
        play(hierarchy, contexts[200:], lambda t, arm, noise=noise: 100.0 * means[200 + t, arm] * noise[t])
    since, *parts = (hierarchy.ledger for hierarchy in workers)
    assert since[book.REFERENCE] < parts[0][book.REFERENCE]
    both = book.merged(*parts, since)
    counts = [part[book.BINS :][: book.BIN_COUNT].sum() for part in (both, *parts, since)]
    assert counts[0] == counts[1] + counts[2] - counts[3]


def test_the_widths_grow_as_they_should():
    """12 arms, d = 3, 40 rounds of history; w = (n / 10)^2 for the harmonic mean n of the arms' rounds, each with one more."""
    contexts, means, rng = world(16, 12, 3, 40)
    played = rng.integers(12, size=40)
    hierarchy = Hierarchy(12, TWO, 3, sums_of(12, 3, played, means[np.arange(40), played], contexts))
    w = (12 / sum(1 / (1 + (played == arm).sum()) for arm in range(12)) / 10) ** 2
    assert hierarchy.ledger[book.FLOOR] == pytest.approx(0.1 + 0.9 / (1 + w))
    assert hierarchy.ledger[book.RATE] == pytest.approx(10.0 * 40 / (3 * 144) * (1 + w * 25 / 9) / (1 + w))
    assert hierarchy.ledger[book.LENGTH] == pytest.approx((hierarchy.seen(contexts) ** 2).sum() / 40)


def test_first_rewards_that_are_nearly_equal_do_not_hide_the_shape_of_the_noise():
    """The bins of residuals follow the variance of the rewards."""
    rng = np.random.default_rng(0)
    theta = rng.uniform(0.2, 1.0, size=(10, 3))
    policy = hr.HierLinUCB(range(10), dimension=3)
    for t in range(1500):
        x = rng.uniform(0.0, 1.0, size=3)
        decision = policy.select(x)
        reward = 1e-6 * t if t < 2 else 2.0 * float(theta[decision.arm] @ x) * rng.random()
        policy.update(decision, reward)
    ledger = policy._nodes.ledger
    assert ledger[book.ETA] > 0.0
    used = ledger[book.BINS : book.BINS + book.BIN_COUNT] > 0.0
    assert used.sum() > 3
    assert not used[-1]
