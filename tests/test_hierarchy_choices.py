"""Which arm HierUCB plays, against a plain reading of docs/policies.md."""

import math
from collections import Counter, deque

import numpy as np
import pytest
from hedgerow.policies.auto_rewards.choices import drawn
from hedgerow.policies.auto_rewards.rewards import bound
from hedgerow.policies.auto_rewards.table import (
    ARM_PLAYS,
    BINARY,
    CEILING,
    CENTRE,
    DRIFT2,
    ERRED,
    EVIDENCE,
    GROWN,
    MEAN,
    MU0,
    NEXT,
    NOISE,
    POOLED,
    S2,
    SPREAD2,
    STRANGER,
    TAU2,
    TYPICAL,
    UNIT,
    WITHIN,
    WITHIN_SPREAD,
)

import hedgerow as hr
from hedgerow.core.tree import PARENT
from hedgerow.experiments.play import play
from hedgerow.experiments.simulate import build


def w(spread, z, level, arms):
    """W(V, z, c) = sqrt(V (log(1 + c z) + log(1 + z / K)))."""
    return np.sqrt(spread * (np.log(1 + level * z) + np.log(1 + z / arms)))


def hoped(nodes):
    """h_k: the arm's own variance, drawn by 2 plays to that of the arms played most; of two values, the larger of both."""
    rows, pooled = nodes.derived[nodes.arms.leaves], nodes.ledger[POOLED]
    if nodes.ledger[BINARY]:
        return np.maximum(rows[:, NOISE], pooled)
    sums = nodes.online[nodes.arms.leaves] + nodes.past[nodes.arms.leaves]
    assert nodes.ledger[DRIFT2] == 0.0
    deviations = sums[:, 2] - sums[:, 1] ** 2 / sums[:, 0]
    return (deviations + 2 * pooled) / (sums[:, 0] - 1 + 2)


def log_normal(value, mean, variance):
    return -0.5 * (np.log(2 * np.pi * variance) + (value - mean) ** 2 / variance)


def strangers(nodes, groups):
    """w_k: tau^2 / (s^2 + tau^2) + 1 / K before, 1 / 10 once labels were caught, then by the likelihood of the arm's mean in its
    cluster and outside."""
    rows, ledger = nodes.derived[nodes.arms.leaves], nodes.ledger
    error, found = rows[:, NOISE] / rows[:, ARM_PLAYS], np.empty(len(rows))
    whole = ledger[S2] + ledger[SPREAD2]
    before = min(1, ledger[SPREAD2] / whole + max(1 / len(rows), 0.1 * ledger[ERRED]))
    for k, mean in enumerate(rows[:, MEAN]):
        others = np.flatnonzero((groups == groups[k]) & (np.arange(len(rows)) != k))
        tau2 = nodes.derived[nodes.arms.tree[nodes.arms.leaves[k], PARENT], TAU2]
        weights = np.append(1 / (tau2 + error[others]), 1 / ledger[S2])
        centre = np.average(np.append(rows[others, MEAN], ledger[MU0]), weights=weights)
        member = log_normal(mean, centre, ledger[SPREAD2] + error[k] + 1 / weights.sum())
        ratio = np.exp(min(log_normal(mean, ledger[MU0], whole + error[k]) - member, 50))
        found[k] = before * ratio / (before * ratio + 1 - before)
    return found


def believed(ledger, arms, t):
    """Labels make arms likelier by three nats, no arm has shown that they err, and there were few rounds."""
    return ledger[EVIDENCE] > 3 and not ledger[ERRED] and t < 100 * arms


def caught(nodes, groups, t):
    """Whether a poor arm of the leading cluster is a stranger there, by a chance above 0.8 after 5 plays, later 0.6 after 10."""
    rows = nodes.derived[nodes.arms.leaves]
    inside = groups == groups[int(rows[:, WITHIN].argmax())]
    centre = nodes.derived[nodes.arms.tree[nodes.arms.leaves[np.flatnonzero(inside)[0]], PARENT], CENTRE]
    plays, chance = (10, 0.6) if t >= 10 * len(rows) else (5, 0.8)
    return bool((inside & (rows[:, MEAN] < centre) & (rows[:, ARM_PLAYS] >= plays) & (strangers(nodes, groups) > chance)).any())


def inside(ledger):
    """c of widths inside a cluster, and of strangers while labels are believed."""
    return 1 if ledger[BINARY] else 3


def bounds(rows, ledger, t, awaited, stranger):
    """As a member and as a stranger: E + W(V, t V / (K v), c) and F + W(R, w t R / (K v), c); awaited rewards are E."""
    arms, grown = len(rows), max(1, ledger[POOLED] / ledger[TYPICAL])
    level = 1 if ledger[BINARY] else 15 * min(2, grown)
    plays, mean, noise = rows[:, ARM_PLAYS], rows[:, MEAN], rows[:, NOISE]
    spread = 1 / (1 / rows[:, WITHIN_SPREAD] + awaited / noise)
    member = rows[:, WITHIN] + w(spread, t * spread / (arms * noise), level, arms)
    whole = max(ledger[S2] + ledger[SPREAD2], ledger[UNIT]) + ledger[DRIFT2]
    prior = noise / (whole * grown**8)
    alone = np.where(plays > 0, (plays * mean + prior * ledger[MU0]) / (plays + prior), ledger[MU0])
    error = np.where(plays > 0, noise / (plays + prior), whole)
    alone = (alone / error + awaited * rows[:, WITHIN] / noise) / (1 / error + awaited / noise)
    error = 1 / (1 / error + awaited / noise)
    bold = inside(ledger) if believed(ledger, arms, t) else level
    return member, alone + w(error, stranger * t * error / (arms * noise), bold, arms)


def chosen_by_hand(policy, groups, t, awaited):
    """The arms that may be played, and as what, in a round that is neither for an arm never played nor for one given up; all arms
    have their first plays behind."""
    if arms := neglected_by_hand(policy, t, awaited):
        return arms, "neglected"
    nodes = policy._nodes
    rows, ledger = nodes.derived[nodes.arms.leaves], nodes.ledger
    member, stranger = bounds(rows, ledger, t, awaited, strangers(nodes, groups))
    best = np.maximum(member, stranger)
    arm = int(best.argmax())
    leading = groups[arm] == groups[int(rows[:, WITHIN].argmax())]
    if not leading and stranger[arm] >= member[arm]:
        return set(np.flatnonzero(best >= best[arm] - 1e-12).tolist()), "stranger"  # two that are alone may be equal
    own = np.flatnonzero(groups == groups[arm])
    plays = rows[own, ARM_PLAYS] + awaited[own]
    if leading and believed(ledger, len(rows), t) and plays.min() < (10 if t >= 10 * len(rows) else 5):
        return set(own[plays == plays.min()].tolist()), "checked"
    means = (rows[own, ARM_PLAYS] * rows[own, MEAN] + awaited[own] * rows[own, WITHIN]) / plays
    index = means + w(hoped(nodes)[own] / plays, t / (len(own) * plays), inside(ledger), len(rows))
    return {int(own[index.argmax()])}, "member"


def neglected_by_hand(policy, t, awaited):
    """The arm played least, if all that were not played ten times as often could have one play more within sqrt(t) / 2."""
    plays = sum(rows[policy._nodes.arms.leaves, 0] for rows in (policy._nodes.online, policy._nodes.past)) + awaited
    once_more = plays.min() + 1
    return {int(plays.argmin())} if once_more * (plays < 10 * once_more).sum() <= math.sqrt(t) / 2 else set()


def given_up_by_hand(policy, t):
    """The arms that first plays may have wronged: of highest m + W(h / n, t / n, 1), if that is above the highest E."""
    rows = policy._nodes.derived[policy._nodes.arms.leaves]
    bounds = rows[:, MEAN] + w(hoped(policy._nodes) / rows[:, ARM_PLAYS], t / rows[:, ARM_PLAYS], 1, len(rows))
    return {int(bounds.argmax())} if bounds.max() > rows[:, WITHIN].max() else set()


@pytest.mark.parametrize("delay", [0, 25])
@pytest.mark.parametrize("labels", ["true", "shuffled", "adversarial"])
@pytest.mark.parametrize("noise", ["uniform", "bernoulli", "gaussian"])
def test_the_arm_played_is_the_one_the_model_names(labels, noise, delay):
    problem = hr.problems.SyntheticClassical(6, 60, (0.9, 1.1), 1.0, history_mean=2.0, labels=labels, noise=noise)
    trial = problem.trial(900, np.random.default_rng(1))
    policy = build(hr.HierUCB, trial, np.random.default_rng(0))
    groups = np.array(trial.clusters)
    for arm in np.tile(np.arange(60), 3):
        policy.learn(arm, trial.rewards[policy.rounds, arm])
    played, waiting, erred = Counter(), deque(), bool(policy._nodes.ledger[ERRED])
    for t in range(180, 900):
        decision = policy.select()
        awaited = np.bincount([each.arm for each, _ in waiting], minlength=60)
        arms, why = chosen_by_hand(policy, groups, t + 1, awaited)
        assert decision.arm in arms
        played[why] += 1
        played["believed"] += believed(policy._nodes.ledger, 60, t + 1)
        policy.expect(decision)
        waiting.append((decision, trial.rewards[t, decision.arm]))
        if len(waiting) > delay:
            policy.update(*waiting.popleft())
            erred |= caught(policy._nodes, groups, policy.rounds + 1)
        assert bool(policy._nodes.ledger[ERRED]) == erred
    assert erred or labels == "true" or noise != "uniform"
    assert played["stranger"] > 0 or labels == "true"
    assert played["checked"] > 0 or labels != "true"
    assert played["believed"] == 0 or labels != "shuffled"


@pytest.mark.parametrize("growing", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_after_100_rounds_an_arm_some_go_to_those_given_up_by_mistake(seed, growing):
    """Of rounds that grow as 0.3 (min(2, g) / 2)^2 sqrt(5 t); with noise that grows with the mean, or equal noise."""
    rng = np.random.default_rng(seed)
    policy, none, others = hr.HierUCB(range(5)), np.zeros(5), []

    def reward(arm):
        return (arm + 1.0) * rng.exponential() if growing else rng.normal(arm, 1.0)

    for arm in np.tile(np.arange(5), 3):
        policy.learn(arm, reward(arm))
    for t in range(16, 2101):
        arm, named = policy.select().arm, chosen_by_hand(policy, np.zeros(5), t, none)[0]
        doubts = 0.3 * (min(2.0, policy._nodes.ledger[GROWN]) / 2.0) ** 2 * 5.0**0.5
        if t >= 500 and math.floor(doubts * t**0.5) > math.floor(doubts * (t - 1) ** 0.5):
            named = neglected_by_hand(policy, t, none) or given_up_by_hand(policy, t) or named
            others.append(t)
        assert arm in named
        policy.learn(arm, reward(arm))
    assert len(others) > (8 if growing else 1)


def test_draws_are_those_of_the_posterior():
    policy = hr.HierTS(range(6), clusters=[0, 0, 0, 1, 1, 1])
    rng = np.random.default_rng(2)
    for arm in (0, 0, 0, 1, 1, 2, 3, 3, 3, 3, 4):
        policy.learn(arm, rng.normal(arm, 2.0))
    nodes = policy._nodes
    for leaf in nodes.arms.leaves:
        keys = rng.integers(1 << 60, size=2000)
        draws = np.array([drawn(nodes.arms.tree, nodes.pending, nodes.derived, leaf, key) for key in keys])
        mean, sd = nodes.derived[leaf, WITHIN], np.sqrt(nodes.derived[leaf, WITHIN_SPREAD])
        assert draws.mean() == pytest.approx(mean, abs=4 * sd / np.sqrt(2000))
        assert draws.std() == pytest.approx(sd, rel=4 / np.sqrt(4000))


def half_known(arms, means, rng):
    """A history of 20 plays for half of the arms, of each of five clusters alike."""
    past = np.repeat(np.flatnonzero(np.arange(arms) % 10 < 5), 20)
    return hr.History.from_rounds(arms=past, rewards=means[past] + 0.5 * rng.normal(size=past.size))


def plays_of(policy, means, rounds, rng):
    """The arms of so many rounds."""
    played = []
    for _ in range(rounds):
        played.append(policy.select().arm)
        policy.learn(played[-1], means[played[-1]] + 0.5 * rng.normal())
    return np.array(played)


@pytest.mark.parametrize(("arms", "pace"), [(60, 1), (150, 3), (300, 27)])
def test_where_labels_say_nothing_one_round_in_so_many_goes_to_an_arm_never_played(arms, pace):
    """One in (K / 100)^3."""
    rng = np.random.default_rng(0)
    means = np.arange(arms) % 5
    log = half_known(arms, means, rng)
    policy = hr.HierUCB(range(arms), clusters=rng.permutation(means), history=log)
    untried = set(range(arms)) - set(log.arms)
    played = plays_of(policy, means, 160, rng)
    assert policy._nodes.ledger[EVIDENCE] < 3
    for t, arm in enumerate(played, start=1):
        assert arm in untried or t % pace or not untried
        untried.discard(arm)


def test_labels_that_are_believed_are_played_by():
    """In the leading cluster all arms are played five times; after ten rounds an arm ten times, and four are tried of others."""
    rng = np.random.default_rng(0)
    means = np.arange(60) % 5
    past = np.repeat(np.flatnonzero(np.arange(60) < 15), 20)  # three arms of each cluster
    log = hr.History.from_rounds(arms=past, rewards=means[past] + 0.5 * rng.normal(size=past.size))
    policy = hr.HierUCB(range(60), clusters=means, history=log)
    good = np.flatnonzero(means == 4)
    early = plays_of(policy, means, 599, rng)
    assert believed(policy._nodes.ledger, 60, 599)
    assert set(early[early > 14].tolist()) == {arm for arm in range(15, 60) if means[arm] == 4}
    assert np.bincount(early, minlength=60)[good[3:]].min() >= 5
    later = plays_of(policy, means, 200, rng)
    assert Counter(means[list(set(later[later > 14].tolist()))].tolist()) == {0: 1, 1: 1, 2: 1, 3: 1, 4: 9}
    assert np.bincount(np.concatenate([past, early, later]), minlength=60)[good].min() >= 10
    assert believed(policy._nodes.ledger, 60, 5999)
    assert not believed(policy._nodes.ledger, 60, 6000)


def test_an_arm_that_does_not_belong_to_the_leading_cluster_makes_all_be_tried():
    """The best arm has the label of the worst cluster, and no history; one of the worst that of the best."""
    rng = np.random.default_rng(0)
    labels = np.arange(60) % 5
    means = labels.astype(float)
    log = half_known(60, means, rng)
    means[55], means[59] = 6.0, 0.0
    policy = hr.HierUCB(range(60), clusters=labels, history=log)
    assert believed(policy._nodes.ledger, 60, 1)
    played = plays_of(policy, means, 150, rng)
    assert not believed(policy._nodes.ledger, 60, 150)
    assert set(played.tolist()) >= set(range(60)) - set(log.arms)
    assert (played[-50:] == 55).mean() > 0.8


def test_labels_once_caught_are_not_believed_again():
    """Though the arm turns out to belong to its cluster after all; and neither by those who learn of it."""
    rng = np.random.default_rng(0)
    means = np.arange(60) % 5
    log = half_known(60, means, rng)
    policy, other = (hr.HierUCB(range(60), clusters=means, history=log) for _ in range(2))
    for reward in np.concatenate([rng.normal(0.0, 0.5, size=6), rng.normal(4.0, 0.5, size=5000)]):
        policy.learn(59, reward)
    other.merge(policy)
    for nodes in (policy._nodes, other._nodes):
        assert nodes.derived[nodes.arms.leaves, STRANGER].max() < 0.6
        assert nodes.ledger[ERRED]


def test_another_history_before_the_first_round_speaks_for_itself():
    rng = np.random.default_rng(0)
    means = np.arange(60) % 5
    bad = hr.History.from_rounds(
        arms=np.repeat(range(60), 6), rewards=np.repeat(np.where(np.arange(60) == 59, 0, means), 6) + rng.normal(0.0, 0.3, 360)
    )
    good = half_known(60, means, rng)
    policy, fresh = hr.HierUCB(range(60), clusters=means, history=bad), hr.HierUCB(range(60), clusters=means, history=good)
    assert policy._nodes.ledger[ERRED]
    policy.history = good
    np.testing.assert_array_equal(policy._nodes.ledger, fresh._nodes.ledger)


def test_two_arms_of_each_cluster_are_played_three_times_first():
    """The history of one that does not belong there must not speak for all of them, nor must one low reward."""
    means = np.repeat([1.0, 2.0, 5.0], 8)
    means[16] = 0.0
    log = hr.History.from_rounds(
        arms=[*np.repeat([0, 1, 8, 9], 6), *[16] * 12], rewards=[*np.repeat([1.0, 1.1, 2.0, 2.1], 6), *[0.0, 0.1] * 6]
    )
    policy = hr.HierUCB(range(24), clusters=np.repeat(range(3), 8), history=log)
    first = policy.select()
    assert first.arm in range(17, 24)
    for _ in range(3):
        assert policy.select().arm == first.arm
        policy.expect(first)
    assert policy.select().arm not in range(17, 24)
    played = plays_of(hr.HierUCB(range(24), clusters=np.repeat(range(3), 8)), means, 18, np.random.default_rng(0))
    assert sorted(Counter(played.tolist()).values()) == [3] * 6
    assert np.bincount(played // 8).tolist() == [6, 6, 6]


@pytest.mark.parametrize(("noise", "least", "most"), [("uniform", 2.0, 10.0), ("gaussian", 1.0, 1.2)])
def test_how_much_noisier_the_arms_played_most_are(noise, least, most):
    """Rewards U(0, 2 mu) of good arms are noisier than the typical ones, normal ones are not."""
    trial = hr.problems.SyntheticClassical(noise=noise).trial(2000, np.random.default_rng(0))
    policy = build(hr.HierUCB, trial, np.random.default_rng(0))
    play(policy, trial)
    assert least <= policy._nodes.ledger[GROWN] <= most


@pytest.mark.parametrize(("labels", "rounds", "least", "most"), [("adversarial", 150, 80, 100), ("true", 1000, 0, 15)])
def test_labels_that_err_are_caught_soon_and_others_seldom(labels, rounds, least, most):
    """Of a hundred trials of the paper's bandit with clusters that are worth believing."""
    problem, caught = hr.problems.SyntheticClassical(alpha=(0.8, 1.2), labels=labels), 0
    for seed in range(100):
        trial = problem.trial(rounds, np.random.default_rng([7, seed]))
        policy = build(hr.HierUCB, trial, np.random.default_rng(0))
        play(policy, trial)
        caught += policy._nodes.ledger[ERRED]
    assert least <= caught <= most


def test_no_bound_passes_its_ceiling_when_a_history_catches_its_labels():
    """The misfit is in the last cluster, so the others are looked at before labels are given up."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(5), 12)
    means = labels.astype(float)
    means[-1] = 0.0
    past = np.repeat(np.arange(60), 10)
    log = hr.History.from_rounds(arms=past, rewards=means[past] + 0.5 * rng.normal(size=past.size))
    nodes = hr.HierUCB(range(60), clusters=labels, history=log)._nodes
    assert nodes.ledger[EVIDENCE] > 3
    assert nodes.ledger[ERRED]
    for leaf in nodes.arms.leaves:
        assert nodes.derived[leaf, CEILING] == bound(nodes.derived, nodes.ledger, leaf, nodes.ledger[NEXT], 0.0)
