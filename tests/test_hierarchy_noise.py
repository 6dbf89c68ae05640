"""Noise that grows with the mean, and a history that is off: what Auto with contexts makes of them, and what workers tell."""

import numpy as np
import pytest
from linear_model import TWO, Hierarchy, assert_same_posterior, play, sums_of, world

import hedgerow as hr
from hedgerow.core.records import named
from hedgerow.policies.auto_linear.history_drift import likelihood_with, spread_of_arms
from hedgerow.policies.auto_linear.policy import merged
from hedgerow.policies.auto_linear.settings import SETTINGS
from hedgerow.policies.auto_linear.state import POLICY
from hedgerow.policies.auto_linear.sums import EXCESS


def test_rewards_of_two_values_never_get_weights():
    contexts, means, rng = world(9, 12, 3, 2000)
    uniforms = rng.uniform(size=2000)
    hierarchy = Hierarchy(12, TWO, 3)
    play(hierarchy, contexts, lambda t, arm: 5.0 + 2.0 * (uniforms[t] < np.clip(means[t, arm], 0, 1)))
    assert hierarchy.own.unit_noise == 0.0
    assert not hierarchy.arrays.online[:, -EXCESS:].any()


@pytest.mark.parametrize(("growing", "allowed"), [(False, True), (True, True), (True, False)])
def test_weights_come_on_when_the_noise_grows_with_the_mean_and_they_are_allowed(growing, allowed):
    contexts, means, rng = world(10, 12, 5, 2000)
    noise = rng.uniform(0, 2, size=2000) if growing else rng.normal(size=2000)
    hierarchy = Hierarchy(12, TWO, 5, weights=allowed)
    play(hierarchy, contexts, lambda t, arm: means[t, arm] * noise[t] if growing else means[t, arm] + noise[t])
    assert hierarchy.policy.settings()["weighted"] == (growing and allowed)
    assert hierarchy.arrays.online[:, -EXCESS:].any() == (growing and allowed)


def test_first_rewards_that_are_nearly_equal_do_not_hide_the_shape_of_the_noise():
    """The bins of residuals follow the variance of the rewards."""
    rng = np.random.default_rng(0)
    theta = rng.uniform(0.2, 1.0, size=(10, 3))
    policy = hr.HierLinUCB(range(10), dimension=3)
    for t in range(1500):
        x = rng.uniform(0.0, 1.0, size=3)
        decision = policy.select(x)
        policy.update(decision, 1e-6 * t if t < 2 else 2.0 * float(theta[decision.arm] @ x) * rng.random())
    own = named(policy.snapshot().arrays.state, POLICY)
    assert policy.settings()["weighted"] == 1.0
    assert (own.bin_rounds > 0.0).sum() > 3
    assert own.bin_rounds[-1] == 0.0


def after_history(rows, honest, rounds=400, weights=False):
    """A policy whose history is its own, or that of other arms, after some rounds."""
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
def test_a_history_of_other_arms_is_found_out_and_an_honest_one_is_not_accused(rows):
    """Thetas of spread 1 and 0.5 around it, swapped at random: they move by about sqrt(2 x 1.25); noise 1."""
    honest, other = (after_history(rows, honest) for honest in (True, False))
    assert honest.policy.settings()["drift"] == 0.0
    assert 0.7 < np.sqrt(other.own.drift * other.own.noise) < 3.0
    assert other.own.noise == pytest.approx(1.0, rel=0.2)  # the difference is not taken for noise
    assert_same_posterior(other, 1e-9)


def test_residuals_from_a_history_that_is_off_say_nothing_of_the_noise():
    """The first look is after 32 rounds: then they are forgotten, and those of an honest history are kept."""
    counts = [after_history(5000, honest, rounds=32, weights=True).own.bin_rounds.sum() for honest in (True, False)]
    assert counts == [32.0, 0.0]


def test_a_history_let_go_of_takes_its_drift_with_it():
    policy = after_history(1000, honest=False).policy
    assert policy.settings()["drift"] > 0.0
    policy.history = None
    policy.history = hr.History([0], np.zeros((1, 15)), 3)
    assert "drift" not in policy.settings()


def test_no_drift_nearby_is_likelier_than_the_one_in_use():
    hierarchy = after_history(1000, honest=False)
    hierarchy.refresh()
    drift, kept = hierarchy.own.drift, hierarchy.own.kept
    best = likelihood_with(hierarchy.parts, drift, kept)
    nearby = [(factor * drift, kept) for factor in (0.25, 0.5, 2.0, 4.0)] + [(drift, kept + step) for step in (-0.25, 0.25)]
    assert all(likelihood_with(hierarchy.parts, *other) <= best for other in [(0.0, 1.0), *nearby] if 0.0 <= other[1] <= 1.0)


def test_a_history_that_is_half_of_what_it_was_does_not_drive_the_drift_to_nothing():
    """Its coefficients are half of those of now, exactly: the likeliest drift is 0, and its message would be rounding errors."""
    contexts, means, rng = world(17, 12, 3, 6000)
    played = rng.integers(12, size=6000)
    rewards = np.where(np.arange(6000) < 3000, 0.5, 1.0) * means[np.arange(6000), played] + 0.3 * rng.normal(size=6000)
    hierarchy = Hierarchy(12, TWO, 3, sums_of(12, 3, played[:3000], rewards[:3000], contexts[:3000]), weights=False)
    for arm, reward, context in zip(played[3000:].tolist(), rewards[3000:], contexts[3000:], strict=True):
        hierarchy.learn(arm, reward, context)
    hierarchy.refresh()
    own = hierarchy.own
    assert own.kept == 0.5
    assert 0.5 * SETTINGS.least_drift <= own.drift / spread_of_arms(hierarchy.record()) <= 4.0 * SETTINGS.least_drift
    assert own.noise == pytest.approx(0.09, rel=0.05)
    assert own.offset == pytest.approx(0.0, abs=0.05)


def test_what_two_workers_know_of_the_noise_is_that_of_the_rounds_of_both():
    contexts, means, rng = world(14, 12, 3, 600)
    parts = []
    for worker, unit in enumerate((1.0, 40.0)):
        hierarchy = Hierarchy(12, TWO, 3)
        noise = rng.uniform(0, 2, size=600)
        play(hierarchy, contexts[worker::2], lambda t, arm, unit=unit, noise=noise: unit * means[t, arm] * noise[t])
        parts.append(hierarchy.arrays.state)
    both, one, two = (named(state, POLICY) for state in (merged(*parts), *parts))
    assert both.largest == max(one.largest, two.largest)
    assert both.rounds == one.rounds + two.rounds
    for name in ("bin_rounds", "bin_predictions", "bin_residuals"):
        assert getattr(both, name).sum() == pytest.approx(getattr(one, name).sum() + getattr(two, name).sum())
    used = both.bin_rounds > 0.0
    sizes = np.log2(both.bin_predictions[used] / both.bin_rounds[used] / both.middle_bin)
    np.testing.assert_array_equal(np.floor(sizes).astype(int) + 32, np.flatnonzero(used))


def test_what_workers_started_from_is_counted_once_though_the_unit_of_the_bins_has_changed():
    contexts, means, rng = world(14, 12, 3, 600)
    workers = [Hierarchy(12, TWO, 3) for _ in range(3)]
    for hierarchy in workers:
        play(hierarchy, contexts[:200], lambda t, arm: means[t, arm])
    for hierarchy in workers[1:]:
        noise = rng.uniform(0, 2, size=600)
        play(hierarchy, contexts[200:], lambda t, arm, noise=noise: 100.0 * means[200 + t, arm] * noise[t])
    since, one, two = (hierarchy.arrays.state for hierarchy in workers)
    assert named(since, POLICY).middle_bin < named(one, POLICY).middle_bin
    counts = [named(state, POLICY).bin_rounds.sum() for state in (merged(one, two, since), one, two, since)]
    assert counts[0] == counts[1] + counts[2] - counts[3]
