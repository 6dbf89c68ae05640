"""The arithmetic behind the verdict against naive versions: sampler, rollouts, intervals, permutation test, chi-square."""

import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.evaluate import gains, hashed_rewards, rollout
from hedgerow.evaluate.gain import Gain, hull
from hedgerow.evaluate.gains import Setting, contest, differences, judged
from hedgerow.evaluate.judge import judge
from hedgerow.evaluate.settings import VERDICT
from hedgerow.evaluate.split import Split
from hedgerow.inference.explained import explain, spreads_of
from hedgerow.inference.intervals import credible
from hedgerow.inference.significance import between_squares, chi_square_tail, permutation, total_variance
from hedgerow.inference.sums import Sums, tally, tally_weighted, weighted
from hedgerow.inference.two_level import posterior


def made(future, past=None, groups=None, binary=True, scale=0.3):
    """A split from (rows, total) pairs; squares as for 0/1 rewards."""
    rows, total = (np.array(part, dtype=float) for part in future)
    old_rows, old_total = (np.array(part, dtype=float) for part in past) if past else (np.zeros(rows.size), np.zeros(rows.size))
    labels = None if groups is None else np.array(groups)
    return Split(
        Sums(rows, total, total), Sums(old_rows, old_total, old_total), labels, rows / rows.sum(), binary, scale,
        int(rows.sum()), int(old_rows.sum()),
    )  # fmt: skip


def scale_grid(width, count):
    """Values of a half-Cauchy variable, evenly spaced in their logarithm, and their probabilities up to a factor."""
    values = width * np.geomspace(1e-3, 60.0, count)
    return list(zip(values, values / (1.0 + (values / width) ** 2), strict=True))


def gap_density(tails, gaps):
    """Density of the difference of two variables of spread 1, normal ones or Student's."""
    if tails > 1e6:
        return np.exp(-gaps * gaps / 4.0)
    axis = np.linspace(-200.0, 200.0, 80_001)
    one = (1.0 + axis * axis / tails) ** (-0.5 * (tails + 1.0))
    knots = np.geomspace(1e-3, 300.0, 200)
    both = [(one * (1.0 + (axis - gap) ** 2 / tails) ** (-0.5 * (tails + 1.0))).sum() for gap in knots]
    return np.exp(np.interp(np.log(np.maximum(np.abs(gaps), 1e-3)), np.log(knots), np.log(both)))


@pytest.mark.parametrize("tails", [1e9, 4.0])
def test_two_arms_against_a_grid(tails):
    rows, total = np.array([60.0, 45.0]), np.array([20.0, 7.0])
    axis = np.linspace(-4.0, 1.5, 500)
    fit = [s * axis - n * np.logaddexp(0.0, axis) for n, s in zip(rows, total, strict=True)]
    gaps = np.arange(500) * (axis[1] - axis[0])
    prior = sum(p / t * gap_density(tails, gaps / t) for t, p in scale_grid(0.5, 60) if t > 0.01)  # flat mu leaves the gap
    apart = np.abs(np.arange(500)[:, None] - np.arange(500)[None, :])
    weight = prior[apart] * np.exp(fit[0] - fit[0].max())[:, None] * np.exp(fit[1] - fit[1].max())[None, :]
    rates = 1.0 / (1.0 + np.exp(-axis))
    drawn = judge(made((rows, total)), grouped=False, draws=4000, rng=np.random.default_rng(0), tails=tails).means
    for arm, share in enumerate((weight.sum(axis=1), weight.sum(axis=0))):
        mean = (share * rates).sum() / share.sum()
        assert drawn[:, arm].mean() == pytest.approx(mean, abs=0.003)
        assert drawn[:, arm].std() == pytest.approx(math.sqrt((share * (rates - mean) ** 2).sum() / share.sum()), rel=0.06)


def normal_posterior(split, groups, unit, *, grouped):
    """Mean and standard deviation of the arms for normal rewards: given the spreads, all is linear algebra."""
    arms, wide, one = split.arms, 1e6, np.ones((split.arms, split.arms))
    same = (np.array(groups)[:, None] == np.array(groups)[None, :]).astype(float)
    seen = np.concatenate([split.future.mean, split.history.mean])
    noise = np.concatenate([split.future.noise() / split.future.rows, split.history.noise() / split.history.rows])
    found = []
    for t, pt in scale_grid(0.5 * unit, 18):
        for s, ps in scale_grid(0.5 * unit, 18) if grouped else ((0.0, 1.0),):
            for d, pd in scale_grid(0.3 * unit, 18):
                eta = t * t * np.eye(arms) + s * s * same + wide * one
                prior = np.block([[eta, eta], [eta, eta + d * d * np.eye(arms) + wide * one]])
                inverse = np.linalg.inv(prior + np.diag(noise))
                fit = 0.5 * np.linalg.slogdet(inverse)[1] - 0.5 * seen @ inverse @ seen
                mean, cover = prior[:arms] @ inverse @ seen, eta - prior[:arms] @ inverse @ prior[:, :arms]
                found.append((fit + math.log(pt * ps * pd), mean, np.diag(cover)))
    weight = np.exp([f - max(found, key=lambda x: x[0])[0] for f, _, _ in found])
    weight /= weight.sum()
    mean = sum(w * m for w, (_, m, _) in zip(weight, found, strict=True))
    return mean, np.sqrt(sum(w * (v + (m - mean) ** 2) for w, (_, m, v) in zip(weight, found, strict=True)))


@pytest.mark.parametrize("grouped", [False, True])
def test_normal_rewards_with_history_and_groups_against_linear_algebra(grouped):
    rng = np.random.default_rng(1)
    groups, arm = [0, 0, 0, 1, 1, 1], np.repeat(np.arange(6), 40)
    future = tally(arm, rng.normal(np.array([1.0, 1.3, 0.8, 2.0, 2.4, 1.9])[arm], 1.5), 6)
    past = tally(arm, rng.normal(np.array([1.6, 1.7, 1.5, 2.4, 3.1, 2.6])[arm], 1.5), 6)
    split = Split(future, past, np.array(groups), np.full(6, 1 / 6), False, 1.5, 240, 240)
    mean, sd = normal_posterior(split, groups, float(future.mean.std()), grouped=grouped)
    drawn = judge(split, grouped=grouped, draws=4000, rng=rng, tails=1e9).means
    assert drawn.mean(axis=0) == pytest.approx(mean, abs=0.015)
    assert drawn.std(axis=0) == pytest.approx(sd, rel=0.06)


def test_an_arm_with_very_many_rows_has_its_own_rate():
    drawn = judge(made(([1e7] * 4, [1e6, 2e6, 3e6, 4e6])), grouped=False, draws=200, rng=np.random.default_rng(2)).means
    assert drawn.mean(axis=0) == pytest.approx([0.1, 0.2, 0.3, 0.4], abs=1e-4)


def test_the_judge_of_other_rewards_knows_their_noise():
    rng = np.random.default_rng(3)
    arm = np.repeat(np.arange(6), 400)
    reward = rng.normal(10.0 * np.arange(6)[arm], 20.0)
    sums, none = tally(arm, reward, 6), Sums(*np.zeros((3, 6)))
    split = Split(sums, none, None, np.full(6, 1 / 6), False, float(reward.std()), 2400, 0)
    drawn = judge(split, grouped=False, draws=1000, rng=rng).means
    assert drawn.mean(axis=0) == pytest.approx(sums.mean, abs=0.5)
    assert drawn.std(axis=0) == pytest.approx(np.full(6, 1.0), rel=0.15)  # 20 / sqrt(400)


class Hashed:
    """The rewards of a run, by the hash that the rollouts use."""

    def __init__(self, key, means):
        self.key, self.means, self.plays = np.uint64(key), means, [0] * len(means)

    def draw(self, arm):
        with np.errstate(over="ignore"):
            value = hashed_rewards.hashed(self.key, arm, self.plays[arm])
        self.plays[arm] += 1
        return float(value < self.means[arm])


def played_by(policy, means, key, rounds):
    world, earned = Hashed(key, means), []
    for _ in range(rounds):
        decision = policy.select()
        policy.update(decision, world.draw(decision.arm))
        earned.append(means[decision.arm])
    return np.array(earned)


@pytest.mark.parametrize("name", ["UCB", "HUCB", "UCBC", "HUCBC"])
def test_a_rollout_is_what_the_policy_itself_does(name):
    rng = np.random.default_rng(4)
    means, groups = rng.uniform(0.1, 0.6, size=11), [1, 0, 2, 2, 0, 1, 1, 2, 0, 0, 2]
    rows = np.array([3.0, 0, 5, 8, 1, 2, 0, 4, 4, 9, 1]) if name.startswith("H") else np.zeros(11)
    total = np.floor(rows * 0.4)
    log = [(k, r) for k in range(11) for r in [1] * int(total[k]) + [0] * int(rows[k] - total[k])]
    given = {"scale": 0.4}
    if log:
        given["history"] = hr.History.from_rounds(arms=[k for k, _ in log], rewards=[r for _, r in log])
    if name.endswith("C"):
        given["clusters"] = groups
    labels = np.array([{1: 0, 0: 1, 2: 2}[g] for g in groups]) if name.endswith("C") else None
    start, order = rollout.starting(rows, total, groups=labels, scale=0.4, rounds=VERDICT.exact_rounds)
    runs = rollout.run(start, order, means[None, :], np.full(11, -1.0), runs=1, seed=5)
    key = np.random.default_rng(5).integers(0, 2**62, size=1)[0]
    assert runs.curve == pytest.approx(played_by(getattr(hr, name)(range(11), **given), means, key, VERDICT.exact_rounds))
    assert runs.value[0, 0] == pytest.approx(1000.0 * runs.curve.mean())


def test_a_stale_logarithm_changes_next_to_nothing():
    means = np.random.default_rng(6).uniform(0.1, 0.6, size=(20, 8))
    start, order = rollout.starting(np.zeros(8), np.zeros(8), groups=None, scale=0.4, rounds=2000)
    stale = rollout.run(start, order, means, np.full(8, -1.0), runs=4, seed=1).value.mean()
    exact = start._replace(
        clock=np.arange(1.0, 2001),
        row=np.arange(2000),
        bonus=0.4 * np.sqrt(2 * np.log(np.arange(1.0, 2001)))[:, None] * np.ones(8),
    )
    assert stale == pytest.approx(rollout.run(exact, order, means, np.full(8, -1.0), runs=4, seed=1).value.mean(), rel=0.002)


def test_hashed_numbers_are_uniform_and_normal_ones_normal():
    with np.errstate(over="ignore"):
        values = np.array([hashed_rewards.hashed(np.uint64(9), arm, play) for arm in range(50) for play in range(100)])
        normal = np.array(
            [hashed_rewards.reward_of(np.uint64(9), arm, play, 3.0, 2.0) for arm in range(50) for play in range(100)]
        )
    assert np.histogram(values, bins=10, range=(0, 1))[0] == pytest.approx(np.full(10, 500), abs=90)
    assert (normal.mean(), normal.std()) == pytest.approx((3.0, 2.0), abs=0.1)


def test_the_interval_by_hand():
    differences = np.array([[1.0, 3.0], [4.0, 6.0], [-1.0, 1.0], [7.0, 5.0]])
    world = np.array([2.0, 5.0, 0.0, 6.0])
    total, within = world.var(ddof=1), np.mean([2.0, 2.0, 2.0, 2.0])
    factor = math.sqrt(min((total * (1 + 1.3 * math.sqrt(2 / 4)) - within / 2) / total, 1.0))
    low, high = np.quantile(3.25 + factor * (world - 3.25), [0.05, 0.95])
    found = credible(differences)
    assert found.value == 3.25
    assert found.low == pytest.approx(3.25 - math.sqrt((3.25 - low) ** 2 + 2.7 * total / 4))
    assert found.high == pytest.approx(3.25 + math.sqrt((high - 3.25) ** 2 + 2.7 * total / 4))


def test_intervals_do_not_collapse_where_the_luck_of_the_runs_is_nearly_all():
    """200 worlds of standard deviation 1, runs of 12: even the narrowest of 100 intervals is one of worlds."""
    rng = np.random.default_rng(0)
    widths = []
    for _ in range(100):
        found = credible(rng.normal(size=(200, 1)) + 12.0 * rng.normal(size=(200, 4)))
        widths.append(found.high - found.low)
    assert min(widths) > 2 * 1.645


def test_more_runs_are_played_where_few_arms_leave_much_to_luck():
    means, none = np.array([[1.0, 1.05, 0.9, 1.1]]), np.zeros(4)
    rng = np.random.default_rng(0)
    rows = np.full(4, 4000.0)
    total = rows * means[0]
    future = Sums(rows, total, rows * (means[0] ** 2 + 1.0))
    split = Split(future, Sums(none, none, none), None, np.full(4, 0.25), False, 1.0, 16_000, 0)
    worlds = means + 0.004 * rng.normal(size=(200, 4))
    played, setting = gains.settled(split, worlds, gains.Setting(rounds=300))
    assert setting.runs == 64
    assert played["UCB"].value.shape == (200, 64)
    assert gains.settled(split, worlds * [1.0, 1.0, 1.0, 100.0], gains.Setting(rounds=300))[1].runs == 4


def test_where_policies_often_decide_alike_a_gain_of_nothing_is_not_ruled_out():
    rng = np.random.default_rng(0)
    differences = np.abs(rng.normal(size=(100, 4))) * 5.0
    assert credible(differences).low > 0.0
    differences[:6] = 0.0
    assert credible(differences).low <= 0.0


def test_the_hull_has_the_grouped_centre():
    assert hull(Gain(0, -3, 2), Gain(1, -1, 4)) == Gain(1, -3, 4)
    assert credible(np.zeros((10, 2))) == Gain(0, 0, 0)


def poisson_sum(value, freedom):
    """The tail for an even number of degrees of freedom, term by term."""
    x = value / 2.0
    return sum(math.exp(j * math.log(x) - x - math.lgamma(j + 1)) for j in range(freedom // 2))


@pytest.mark.parametrize(("value", "freedom"), [(0.3, 2), (18.3, 10), (66.8, 80), (130.0, 80), (1000.0, 1000), (300.0, 80)])
def test_chi_square_tails(value, freedom):
    assert chi_square_tail(value, freedom) == pytest.approx(poisson_sum(value, freedom), rel=1e-9)
    assert chi_square_tail(0.0, freedom) == 1.0


def test_the_variance_between_arms_by_hand():
    mean, variance = np.array([0.1, 0.3, 0.8]), np.array([0.01, 0.02, 0.01])
    w = [100.0, 50.0, 100.0]
    centre = (10.0 + 15.0 + 80.0) / 250.0
    q = sum(wk * (m - centre) ** 2 for wk, m in zip(w, mean, strict=True))
    assert total_variance(mean, variance) == pytest.approx((q - 2.0) / (250.0 - (100**2 + 50**2 + 100**2) / 250.0))
    assert total_variance(np.full(3, 0.2), variance) == 0.0


def test_the_permutation_statistic_by_hand():
    mean, weight, groups = np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0]), np.array([[0, 1, 1], [1, 0, 1]])
    x = [1.0, 4.0, 12.0]
    first = x[0] ** 2 / 1.0 + (x[1] + x[2]) ** 2 / 5.0 - 17.0**2 / 6.0
    second = x[1] ** 2 / 2.0 + (x[0] + x[2]) ** 2 / 4.0 - 17.0**2 / 6.0
    assert between_squares(groups, mean, weight) == pytest.approx([first, second])


def test_the_permutation_test_with_the_same_shuffles():
    rng = np.random.default_rng(7)
    rows, groups = rng.integers(50, 300, size=12).astype(float), np.repeat([0, 1, 2], 4)
    total = rng.binomial(rows.astype(int), 0.1 + 0.05 * groups).astype(float)
    sums = Sums(rows, total, total)
    mean, pooled = total / rows, total.sum() / rows.sum()
    variance = pooled * (1 - pooled) / rows
    weight = 1.0 / (total_variance(mean, variance) + variance)

    def q(labels):
        parts = [(weight * mean)[labels == i].sum() ** 2 / weight[labels == i].sum() for i in range(3)]
        return sum(parts) - (weight * mean).sum() ** 2 / weight.sum()

    shuffled = np.random.default_rng(8).permuted(np.tile(groups, (1999, 1)), axis=1)
    expected = (1 + sum(q(labels) >= q(groups) - 1e-9 for labels in shuffled)) / 2000
    assert permutation(sums, groups, np.random.default_rng(8), binary=True) == pytest.approx(expected, abs=0.002)


def test_the_share_explained_by_definition():
    means, groups = np.array([[1.0, 3.0, 6.0, 8.0]]), np.array([0, 0, 1, 1])
    assert spreads_of(means, groups).share == pytest.approx([1 - (4 * 1.0 / 2) / ((3.5**2 + 1.5**2) * 2 / 3)])
    assert spreads_of(np.array([[2.0, 2.0, 5.0, 5.0]]), groups).share == pytest.approx([1.0])


def test_arms_that_hardly_differ_within_groups_are_explained():
    rng = np.random.default_rng(9)
    groups = np.repeat(np.arange(6), 5)
    total = rng.binomial(20_000, (0.05 + 0.03 * groups)).astype(float)
    found = explain(Sums(np.full(30, 20_000.0), total, total), groups, rng, binary=True)
    assert found.p == pytest.approx(1 / 2000)
    assert found.low > 0.9
    assert found.tight > 0.9
    assert found.best_in_best > 0.99
    shuffled = explain(Sums(np.full(30, 20_000.0), total, total), rng.permutation(groups), rng, binary=True)
    assert shuffled.low == 0.0
    assert shuffled.tight < 0.1


def test_draws_of_well_known_arms_are_their_rates():
    total = np.array([1000.0, 2000.0, 3000.0, 4000.0])
    sums = Sums(np.full(4, 10_000.0), total, total)
    drawn = posterior(sums, np.array([0, 0, 1, 1]), np.random.default_rng(0), binary=True)
    assert drawn.mean(axis=0) == pytest.approx(total / 10_000, rel=0.02)
    assert drawn.std(axis=0) == pytest.approx(np.sqrt(total / 10_000 * (1 - total / 10_000) / 10_000), rel=0.2)


def test_effective_rows_and_self_normalised_means():
    arm, reward, p = np.array([0, 0, 1]), np.array([1.0, 0.0, 1.0]), np.array([0.5, 0.25, 0.1])
    found = tally_weighted(arm, reward, p, 3)
    assert found.rows == pytest.approx([36.0 / 20.0, 1.0, 0.0])
    assert found.mean == pytest.approx([2.0 / 6.0, 1.0, 0.0])
    assert weighted(*np.zeros((4, 2))).rows == pytest.approx([0.0, 0.0])


def test_no_arm_is_certain_for_lack_of_events():
    sums = Sums(np.array([60.0, 60.0]), np.array([0.0, 6.0]), np.array([0.0, 6.0]))
    assert sums.rates()[0] == pytest.approx(2.0 / (60.0 + 40.0))


def test_gains_are_differences_of_paired_runs():
    split = made(([200] * 6, [20, 30, 40, 60, 70, 80]), ([100] * 6, [10, 15, 20, 30, 35, 40]), groups=[0, 0, 1, 1, 2, 2])
    means = np.tile(split.future.mean, (3, 1))
    played = contest(split, means, Setting(rounds=100, runs=2, seed=1), mark=40)
    found = differences(played, means, split)
    assert found["history"] == pytest.approx(played["HUCB"].value - played["UCB"].value)
    assert found["labels"] == pytest.approx(played["grouped"].value - played["shuffled"].value)
    assert found["log"] == pytest.approx(played["HUCB"].value - 1000.0 * split.future.mean.mean())
    assert played["UCB"].marked.mean() == pytest.approx(1000.0 * played["UCB"].curve[:40].mean())


def test_the_same_seed_gives_the_same_gains_and_only_labels_may_trust_one_judge():
    split = made(([200] * 6, [20, 30, 40, 60, 70, 80]), groups=[0, 0, 1, 1, 2, 2])
    setting = Setting(rounds=100, draws=20, runs=2, seed=3)
    one, two = judged(split, setting, p=0.5), judged(split, setting, p=0.01)
    assert one.gains["grouping"] == two.gains["grouping"]
    assert one.gains["labels"].low <= two.gains["labels"].low
    assert one.gains["labels"].high >= two.gains["labels"].high
    assert "history" not in one.gains


PLAIN = """
import numpy as np
from hedgerow.evaluate import gains, rollout
past = np.array([[3.0, 0, 5, 8], [1.0, 0, 2, 3]])
start, order = rollout.starting(*past, groups=np.array([0, 0, 1, 1]), scale=0.4, rounds=80)
print(rollout.run(start, order, np.array([[0.2, 0.3, 0.5, 0.4]]), np.full(4, {deviation}), runs=2, seed=5).value.tolist())
"""


@pytest.mark.parametrize("deviation", [-1.0, 0.3])
def test_without_numba_the_rollouts_are_the_same(deviation):
    shown = [
        subprocess.run(
            [sys.executable, "-c", PLAIN.format(deviation=deviation)], capture_output=True, text=True, check=True,
            env={**os.environ, "HEDGEROW_COMPILE": compile_it},
        ).stdout
        for compile_it in ("0", "1")
    ]  # fmt: skip
    plain, compiled = (np.array(json.loads(text)) for text in shown)
    assert plain == pytest.approx(compiled, rel=1e-12)
