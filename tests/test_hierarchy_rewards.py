"""HierUCB and HierTS against a plain NumPy reading of their model."""

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.experiments.play import play
from hedgerow.experiments.simulate import build
from hedgerow.policies.auto_rewards.drift import drift_of_means
from hedgerow.policies.auto_rewards.spreads import GRID, NOTHING, estimate_spreads
from hedgerow.policies.auto_rewards.survey import arm_of, hoped_noise, measure, noise_of
from hedgerow.policies.auto_rewards.table import (
    ARM_PLAYS,
    ARMS,
    BINARY,
    CENTRE,
    DRIFT2,
    HOPED,
    MEAN,
    MU0,
    NOISE,
    PRECISION,
    S2,
    SPREAD2,
    TAU2,
    TRUST,
    WITHIN,
    WITHIN_SPREAD,
)


def lived(make, problem, rounds=1500, seed=0):
    trial = problem.trial(rounds, np.random.default_rng(seed))
    policy = build(make, trial, np.random.default_rng(0))
    return policy, play(policy, trial), trial


def dense_likelihood(means, errors, groups, tau2, s2):
    """Log density of the arm means under one Gaussian, mu0 at its best: the model written out as a covariance matrix."""
    same = groups[:, None] == groups[None, :]
    covariance = np.diag(errors + tau2) + s2 * same
    inverse = np.linalg.inv(covariance)
    mu0 = inverse.sum(axis=0) @ means / inverse.sum()
    off = means - mu0
    return -0.5 * (np.linalg.slogdet(covariance)[1] + off @ inverse @ off), mu0


def test_spreads_are_the_posterior_means_of_the_model_over_its_grid():
    rng = np.random.default_rng(0)
    groups = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2])
    policy = hr.HierUCB(range(9), clusters=groups.tolist())
    tree, leaves = policy._nodes.arms.tree, policy._nodes.arms.leaves
    plays, noise = rng.integers(1, 9, size=9).astype(float), rng.uniform(0.5, 1.5, size=9)
    means = rng.normal(size=3)[groups] + 0.4 * rng.normal(size=9)
    table = np.zeros((len(tree), policy._nodes.derived.shape[1]))
    table[:, ARMS] = policy._nodes.derived[:, ARMS]
    table[leaves, ARM_PLAYS], table[leaves, MEAN], table[leaves, NOISE] = plays, means, noise
    unit = means.var(ddof=1)
    s2, mu0, tau2, evidence = estimate_spreads(tree, table, unit)
    logs, values = [], []
    for a in GRID:
        for b in GRID:
            pair = (a * a * unit, (NOTHING if b == GRID[0] else b * b) * unit)
            log, centre = dense_likelihood(means, noise / plays, groups, *pair)
            logs.append(log)
            values.append((pair[1], centre, pair[0]))
    odds = np.exp(np.array(logs) - max(logs))
    assert (s2, mu0, tau2) == pytest.approx(tuple(np.average(values, axis=0, weights=odds)), rel=1e-9)
    labelled = np.array([s2 > NOTHING * unit for s2, _, _ in values])
    assert evidence == pytest.approx(np.log(odds[labelled].mean() / odds[~labelled].mean()), rel=1e-9)


@pytest.mark.parametrize("noise", ["uniform", "bernoulli", "gaussian"])
def test_the_posterior_is_that_of_the_model(noise):
    """E and V of every arm from one Gaussian over all arms, given the spreads in use."""
    policy, _, _ = lived(hr.HierUCB, hr.problems.SyntheticClassical(arms=20, clusters=4, noise=noise))
    nodes = policy._nodes
    derived, ledger, tree = nodes.derived, nodes.ledger, nodes.arms.tree
    for cluster in range(1, 5):
        first, size = tree[cluster, 0], tree[cluster, 1]
        rows = derived[first : first + size]
        prior = ledger[S2] + derived[cluster, TAU2] * np.eye(size)
        seen = rows[:, ARM_PLAYS] > 0
        gain = prior[:, seen] @ np.linalg.inv(prior[np.ix_(seen, seen)] + np.diag(rows[seen, NOISE] / rows[seen, ARM_PLAYS]))
        means = ledger[MU0] + gain @ (rows[seen, MEAN] - ledger[MU0])
        spread = np.diag(prior - gain @ prior[seen])
        assert rows[:, WITHIN] == pytest.approx(means, rel=1e-8)
        assert rows[:, WITHIN_SPREAD] == pytest.approx(spread, rel=1e-8)


def test_steps_between_refreshes_equal_the_sums_told_anew():
    """Plays, means and noise of the arms, as learnt one by one, are those of the sums."""
    policy, _, _ = lived(hr.HierUCB, hr.problems.SyntheticClassical(arms=20, clusters=4))
    nodes = policy._nodes
    leaves = nodes.arms.leaves
    sums = nodes.online[leaves] + nodes.past[leaves]
    assert np.array_equal(nodes.derived[leaves, ARM_PLAYS], sums[:, 0])
    played = sums[:, 0] > 0
    assert nodes.derived[leaves, MEAN][played] == pytest.approx(sums[played, 1] / sums[played, 0], rel=1e-12)
    for leaf in leaves:
        _, _, deviations, freedom = arm_of(nodes.online, nodes.past, nodes.derived, nodes.ledger, leaf)
        assert nodes.derived[leaf, NOISE] == noise_of(nodes.derived, nodes.ledger, leaf, deviations, freedom)
        assert nodes.derived[leaf, HOPED] == hoped_noise(nodes.derived, nodes.ledger, leaf, deviations, freedom)


@pytest.mark.parametrize("make", [hr.HierUCB, hr.HierTS], ids=lambda make: make.__name__)
@pytest.mark.parametrize(("unit", "shift"), [(1024.0, 0.0), (1000.0, 0.0), (1.0, 100.0)])
def test_rewards_in_another_unit_give_the_same_arms(make, unit, shift):
    problem = hr.problems.SyntheticClassical(arms=30, clusters=5, history_share=0.0)
    trial = problem.trial(2000, np.random.default_rng(3))
    moved = trial._replace(rewards=unit * trial.rewards + shift, expected=unit * trial.expected + shift)
    arms = [play(build(make, one, np.random.default_rng(0)), one, np.random.default_rng(1)).arms for one in (trial, moved)]
    assert np.mean(arms[0] == arms[1]) > (0.999 if shift == 0.0 else 0.97)  # rounding decides near-ties


@pytest.mark.parametrize(
    "clusters",
    [None, [0] * 6, [0, 1, 2, 3, 4, 5], [0, 0, 0, 0, 0, 1], [("a", "x"), ("a", "x"), ("a", "y"), "b", "b", ("a", "y")]],
)
def test_any_shape_of_clusters(clusters):
    rng = np.random.default_rng(0)
    policy = hr.HierUCB(range(6), clusters=clusters)
    for _ in range(400):
        decision = policy.select()
        policy.update(decision, rng.normal(decision.arm / 5, 0.3))
    plays = {score.label: score.plays for score in policy.explain() if score.kind == "arm"}
    assert min(plays.values()) >= 1
    assert plays[5] > 250


@pytest.mark.parametrize("make", [hr.HierUCB, hr.HierTS])
def test_a_cluster_of_clusters_is_explained_by_its_mean_reward(make):
    policy = make(list("abcdef"), clusters=[("p", "x"), ("p", "x"), ("p", "y"), ("q", "z"), ("q", "z"), ("r", "w")])
    for arm, reward in (("a", 0.3), ("a", 0.5), ("c", 0.7), ("d", 0.2)):
        policy.learn(arm, reward)
    scores = {score.label: score for score in policy.explain()}
    assert (scores["p"].mean, scores["q"].mean) == pytest.approx((0.5, 0.2))
    assert scores["r"].mean == pytest.approx(scores["r", "w"].mean)
    for score in scores.values():
        assert score.mean + score.width == pytest.approx(score.index)


def test_two_valued_rewards_have_the_noise_of_a_rate():
    """An arm with no hit in 60 plays is not taken to be certain."""
    log = hr.History.from_rounds(arms=[0] * 60 + [1] * 60, rewards=[0] * 60 + [1] * 12 + [0] * 48)
    nodes = hr.HierUCB(range(2), history=log)._nodes
    rate = 2.0 / (60 + 2 / 0.1)
    assert nodes.derived[nodes.arms.leaves[0], NOISE] == pytest.approx(rate * (1 - rate))


def told(kind, rng, arms=30, plays=100, rounds=2000, noise=0.3):
    """A policy with a history that is honest, off by 0.3 in each arm, or that of the arms in reverse, and its regret."""
    means = np.linspace(0.0, 1.0, arms)
    then = {"honest": means, "off": means + 0.3 * rng.standard_normal(arms), "reversed": means[::-1]}[kind]
    past = np.repeat(np.arange(arms), plays)
    log = hr.History.from_rounds(arms=past, rewards=rng.normal(then[past], noise))
    policy = hr.HierUCB(range(arms), clusters=[arm // 5 for arm in range(arms)], history=log)
    regret = 0.0
    for _ in range(rounds):
        decision = policy.select()
        policy.update(decision, rng.normal(means[decision.arm], noise))
        regret += 1.0 - means[decision.arm]
    return policy, regret


def test_a_lying_history_costs_little_and_an_honest_one_nothing():
    rng = np.random.default_rng(0)
    policy, regret = told("honest", rng)
    assert policy._nodes.ledger[DRIFT2] == 0.0
    assert regret < 0.01 * 2000
    policy, regret = told("reversed", rng)
    assert 0.3 < np.sqrt(policy._nodes.ledger[DRIFT2]) < 1.2
    assert regret < 0.05 * 2000  # an arm at random loses 0.5 a round, the arm that the history praises 1


def test_drift_is_the_estimate_of_paule_and_mandel():
    rng = np.random.default_rng(1)
    policy, _ = told("off", rng)
    for arm in [*range(30)] * 20:
        policy.learn(arm, rng.normal(arm / 29, 0.3))
    nodes = policy._nodes
    policy._nodes = nodes._replace(derived=nodes.derived.copy(), ledger=nodes.ledger.copy())
    derived, ledger, leaves = policy._nodes.derived, policy._nodes.ledger, nodes.arms.leaves
    derived[:, TRUST] = 1.0
    measure(nodes.arms.tree, nodes.online, nodes.past, derived, ledger)
    found = drift_of_means(nodes.arms.tree, nodes.online, nodes.past, derived)
    now, then = nodes.online[leaves], nodes.past[leaves]
    both = now[:, 0] > 0
    now, then, noise = now[both], then[both], derived[leaves][both][:, [NOISE, HOPED]].max(axis=1)
    errors = noise * (1 / now[:, 0] + 1 / then[:, 0])
    total = ((now[:, 1] / now[:, 0] - then[:, 1] / then[:, 0]) ** 2 / (found + errors)).sum()
    assert total == pytest.approx(both.sum(), rel=1e-6)
    assert 0.15 < np.sqrt(found) < 0.5


def test_history_counts_as_far_as_it_is_trusted():
    """H plays with an error of d^2 more than chance are worth H / (1 + H d^2 / v)."""
    policy, _ = told("off", np.random.default_rng(1))
    nodes = policy._nodes
    leaves = nodes.arms.leaves
    rows = nodes.derived[leaves]
    assert nodes.ledger[DRIFT2] > 0.0
    assert (rows[:, TRUST] < 0.2).all()
    plays = nodes.online[leaves, 0] + rows[:, TRUST] * nodes.past[leaves, 0]
    assert rows[:, ARM_PLAYS] == pytest.approx(plays, rel=1e-12)
    means = (nodes.online[leaves, 1] + rows[:, TRUST] * nodes.past[leaves, 1]) / plays
    assert rows[:, MEAN] == pytest.approx(means, rel=1e-12)


def test_a_centre_is_known_as_well_as_its_arms_allow():
    policy, _, _ = lived(hr.HierUCB, hr.problems.SyntheticClassical(arms=20, clusters=4))
    nodes = policy._nodes
    for cluster in range(1, 5):
        first, size = nodes.arms.tree[cluster, 0], nodes.arms.tree[cluster, 1]
        rows = nodes.derived[first : first + size]
        u = nodes.derived[cluster, TAU2] + rows[:, NOISE] / np.maximum(rows[:, ARM_PLAYS], 1e-300)
        weight = np.where(rows[:, ARM_PLAYS] > 0, 1 / u, 0.0)
        precision = 1 / nodes.ledger[S2] + weight.sum()
        assert nodes.derived[cluster, PRECISION] == pytest.approx(precision, rel=1e-9)
        centre = (nodes.ledger[MU0] / nodes.ledger[S2] + (weight * rows[:, MEAN]).sum()) / precision
        assert nodes.derived[cluster, CENTRE] == pytest.approx(centre, rel=1e-9)
    assert nodes.ledger[SPREAD2] > 0.0


def test_the_pruned_scan_finds_the_best_bound():
    """The ceilings leave nothing out: with an expected decision all arms are looked at, without one only some."""
    from hedgerow.policies.auto_rewards.choices import most_promising

    policy, _, _ = lived(hr.HierUCB, hr.problems.SyntheticClassical(), rounds=800)
    nodes = policy._nodes
    everything = np.zeros((len(nodes.online), 1))
    for t in range(801, 830):
        assert most_promising(nodes.arms.tree, nodes.pending, nodes.derived, nodes.ledger, float(t)) == most_promising(
            nodes.arms.tree, everything, nodes.derived, nodes.ledger, float(t)
        )


@pytest.mark.slow
def test_auto_against_a_flat_policy_of_a_good_scale():
    """On good labels clearly better than HUCB at scale 1/4, on shuffled ones no worse."""
    from functools import partial

    for labels, most in (("true", 0.8), ("shuffled", 1.05)):
        problem = hr.problems.SyntheticClassical(alpha=(0.8, 1.2), labels=labels)
        makes = {"Auto": hr.Auto, "HUCB": partial(hr.HUCB, scale=0.25)}
        result = hr.simulate(makes, problem, rounds=10_000, trials=60, seed=5)
        assert result.of("Auto", "regret").mean() < most * result.of("HUCB", "regret").mean()


@pytest.mark.slow
@pytest.mark.parametrize("rates", [(0.05, 0.06), (0.02, 0.02, 0.02, 0.03, 0.05)])
def test_few_arms_with_rare_clicks_are_not_given_up_too_early(rates):
    """No groups, no history: no worse than UCB with its automatic scale, which has 1.5 times the regret."""
    from functools import partial

    from hedgerow.experiments.problems import Trial

    class Clicks:
        dimension = None

        def trial(self, rounds, rng):
            clicks = (rng.random((rounds, len(rates))) < rates).astype(float)
            nothing = hr.History.from_rounds(arms=[], rewards=[])
            return Trial((0,) * len(rates), nothing, clicks, np.array([rates]), np.arange(rounds), np.zeros((rounds, 0)))

    makes = {"Auto": hr.Auto, "UCB": partial(hr.UCB, scale="auto")}
    result = hr.simulate(makes, Clicks(), rounds=10_000, trials=60, seed=2)
    assert result.of("Auto", "regret").mean() < result.of("UCB", "regret").mean()


def test_rewards_too_small_to_be_squared_are_equal():
    policy = hr.HierUCB(["a", "b"])
    for _ in range(20):
        decision = policy.select()
        policy.update(decision, 1e-160 if decision.arm == "a" else 3e-160)
    assert [score.plays for score in policy.explain()] == [10, 10]


@pytest.mark.parametrize("make", [hr.Auto, hr.HierTS])
def test_rare_events_in_other_units_are_the_same(make):
    """A history of 0 and 1000, or of 100 and 101, is one of two values before a single round was played."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        rates, past = rng.uniform(0.0, 0.06, 20), np.repeat(np.arange(20), 15)
        paid, rewards = (rng.random(past.size) < rates[past]) * 1.0, (rng.random((400, 20)) < rates) * 1.0
        played = []
        for scale, shift in ((1.0, 0.0), (1000.0, 0.0), (1.0, 100.0)):
            policy = make(range(20), history=hr.History.from_rounds(arms=past, rewards=scale * paid + shift))
            arms = []
            for row in rewards:
                decision = policy.select()
                arms.append(decision.arm)
                policy.update(decision, scale * row[decision.arm] + shift)
            played.append(arms)
        assert np.mean(np.array(played[0]) == played[1]) > 0.95
        assert np.mean(np.array(played[0]) == played[2]) > 0.95


def test_two_different_arms_are_not_enough_to_tell_two_values():
    history = hr.History.from_rounds(arms=list("aaabbbccc"), rewards=[0, 1, 2, 0, 1, 2, 2, 2, 1])
    assert hr.HierUCB(list("abc"), history=history)._nodes.ledger[BINARY] == 0.0


@pytest.mark.parametrize("apart", [3.0, 10.0])
def test_a_history_that_is_far_off_says_nothing_of_the_noise(apart):
    lost = np.zeros(2)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        now, past = rng.normal(size=10), np.repeat(np.arange(10), 50)
        then = (now + apart * rng.normal(size=10))[past] + 0.5 * rng.normal(size=500)
        policies = [
            hr.Auto(range(10), clusters=[0, 1] * 5, history=log)
            for log in (hr.History.from_rounds(arms=past, rewards=then), None)
        ]
        for noise in 0.5 * rng.normal(size=(1500, 10)):
            for place, policy in enumerate(policies):
                decision = policy.select()
                policy.update(decision, now[decision.arm] + noise[decision.arm])
                lost[place] += now.max() - now[decision.arm]
        assert 0.3 < policies[0].explain().settings["noise"] < 0.8  # of few arms, with at most three degrees of freedom each
    assert lost[0] < 2.0 * lost[1]  # it was three to four times as much


def test_of_an_arm_that_has_moved_both_parts_deviate_from_their_own_means():
    rng = np.random.default_rng(1)
    past, now = rng.normal(0.0, 1.0, (4, 30)), rng.normal([[5.0], [-5.0], [9.0], [-9.0]], 1.0, (4, 20))
    policy = hr.HierUCB(range(4), history=hr.History.from_rounds(arms=np.repeat(np.arange(4), 30), rewards=past.ravel()))
    for arm in range(4):
        for reward in now[arm]:
            policy.learn(arm, reward)
    nodes = policy._nodes
    assert nodes.ledger[DRIFT2] > 1.0
    for arm, leaf in enumerate(nodes.arms.leaves):
        trust = nodes.derived[leaf, TRUST]
        plays, mean, deviations, freedom = arm_of(nodes.online, nodes.past, nodes.derived, nodes.ledger, leaf)
        assert plays == pytest.approx(20 + trust * 30)
        assert mean == pytest.approx((now[arm].sum() + trust * past[arm].sum()) / plays)
        assert deviations == pytest.approx(20 * now[arm].var() + trust * 30 * past[arm].var())
        assert freedom == pytest.approx(19 + trust * 29)


@pytest.mark.parametrize(("low", "high"), [(0.0, 0.3), (100.0, 100.3), (123.4, 123.7), (0.0, 1e-12), (-7.0, 1e6)])
def test_two_values_are_told_in_any_unit(low, high):
    rng = np.random.default_rng(2)
    policy = hr.Auto(range(5))
    for hit in rng.random(3000) < 0.3:
        policy.learn(int(rng.integers(5)), high if hit else low)
    assert policy.explain().settings["two_valued"] == 1.0
    policy.learn(0, 0.5 * (low + high))
    assert policy.explain().settings["two_valued"] == 0.0


def test_a_third_value_is_noticed_at_once():
    """With the noise of a rate, p (1 - p), an arm whose mean is above the larger value would have a variance below 0."""
    rng, rates = np.random.default_rng(1), {"a": 0.6, "b": 0.7, "c": 0.9}
    policy = hr.Auto(list(rates))
    for _ in range(400):
        decision = policy.select()
        policy.update(decision, float(rng.random() < rates[decision.arm]))
    policy.learn("a", 1e4)
    for score in policy.explain():
        assert np.isfinite([score.mean, score.index]).all()
    assert (policy._nodes.derived[policy._nodes.arms.leaves, NOISE] > 0.0).all()


@pytest.mark.parametrize("make", [hr.HierUCB, hr.HierTS])
@pytest.mark.parametrize(
    ("arms", "plays", "before", "now"), [(2, 20, 5.0, 0.0), (2, 5, 0.5, 0.0), (5, 10, 1.0, -3.0), (3, 40, 1e9, 1e-9)]
)
def test_constant_rewards_that_differ_from_a_constant_history_are_learnt(make, arms, plays, before, now):
    history = hr.History.from_rounds(arms=np.repeat(range(arms), plays), rewards=np.full(arms * plays, before))
    policy = make(range(arms), history=history)
    for _ in range(100):
        policy.update(policy.select(), now)
    assert policy.rounds == 100
    assert np.isfinite([score.mean for score in policy.explain()]).all()


def test_tiny_rewards_are_not_taken_for_zeros():
    history = hr.History.from_rounds(arms=["a", "b"], rewards=[1e-9, -1e-9])
    assert hr.Auto(["a", "b"], history=history)._nodes.ledger[BINARY] == 0.0


@pytest.mark.parametrize("weight", [1.0, 0.5, 0.2, 0.1, 0.05, 0.01])
def test_a_weighted_history_tells_of_the_noise_too(weight):
    """Up to a factor: how many rounds its plays are parts of is not known."""
    arms = list(range(10))
    rewards = np.random.default_rng(3).normal(size=110)
    history = hr.History.from_rounds(arms=np.repeat(arms, 11), rewards=rewards).weighted(weight)
    assert 0.9 < hr.HUCB(arms, history=history, scale="auto").explain().settings["scale"] < 1.5
    assert 0.9 < hr.Auto(arms, history=history).explain().settings["noise"] < 1.5
