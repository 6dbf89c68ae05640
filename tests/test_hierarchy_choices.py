"""Which arm HierUCB plays, against a plain reading of docs/policies.md."""

from collections import deque

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.hierarchy.table import (
    BINARY,
    DRIFT2,
    GROWN,
    HOPED,
    MEAN,
    MU0,
    NOISE,
    PLAYS,
    POOLED,
    S2,
    SPREAD2,
    STRANGER,
    TYPICAL,
    UNIT,
    WITHIN,
    WITHIN_SPREAD,
)
from hedgerow.play import play
from hedgerow.simulation import build


def w(spread, z, level, arms):
    """W(V, z, c) = sqrt(V (log(1 + c z) + log(1 + z / K)))."""
    return np.sqrt(spread * (np.log(1 + level * z) + np.log(1 + z / arms)))


def bounds(rows, ledger, t, awaited):
    """As a member and as a stranger: E + W(V, t V / (K v), c) and F + W(R, w t R / (K v), c); awaited rewards are E."""
    arms, grown = len(rows), max(1, ledger[POOLED] / ledger[TYPICAL])
    level = 3 if ledger[BINARY] else 15 * min(2, grown)
    plays, mean, noise = rows[:, PLAYS], rows[:, MEAN], rows[:, NOISE]
    spread = 1 / (1 / rows[:, WITHIN_SPREAD] + awaited / noise)
    member = rows[:, WITHIN] + w(spread, t * spread / (arms * noise), level, arms)
    whole = max(ledger[S2] + ledger[SPREAD2], ledger[UNIT]) + ledger[DRIFT2]
    prior = noise / (whole * grown**8)
    alone = np.where(plays > 0, (plays * mean + prior * ledger[MU0]) / (plays + prior), ledger[MU0])
    error = np.where(plays > 0, noise / (plays + prior), whole)
    alone = (alone / error + awaited * rows[:, WITHIN] / noise) / (1 / error + awaited / noise)
    error = 1 / (1 / error + awaited / noise)
    return member, alone + w(error, rows[:, STRANGER] * t * error / (arms * noise), level, arms)


def chosen_by_hand(policy, groups, t, awaited):
    """The arm of a round that is neither for an arm never played nor for one given up; all arms have their first play behind."""
    nodes = policy._nodes
    rows, ledger = nodes.derived[nodes.arms.leaves], nodes.ledger
    member, stranger = bounds(rows, ledger, t, awaited)
    arm = int(np.maximum(member, stranger).argmax())
    if groups[arm] != groups[int(rows[:, WITHIN].argmax())] and stranger[arm] >= member[arm]:
        return arm, True
    inside = np.flatnonzero(groups == groups[arm])
    plays = rows[inside, PLAYS] + awaited[inside]
    means = (rows[inside, PLAYS] * rows[inside, MEAN] + awaited[inside] * rows[inside, WITHIN]) / plays
    own = means + w(rows[inside, HOPED] / plays, t / (len(inside) * plays), 1 if ledger[BINARY] else 3, len(rows))
    return int(inside[own.argmax()]), False


@pytest.mark.parametrize("delay", [0, 25])
@pytest.mark.parametrize("labels", ["true", "shuffled", "adversarial"])
@pytest.mark.parametrize("noise", ["uniform", "bernoulli", "gaussian"])
def test_the_arm_played_is_the_one_the_model_names(labels, noise, delay):
    problem = hr.problems.SyntheticClassical(arms=30, clusters=6, history_share=1.0, history_mean=2.0, labels=labels, noise=noise)
    trial = problem.trial(800, np.random.default_rng(1))
    policy = build(hr.HierUCB, trial, np.random.default_rng(0))
    groups = np.array(trial.clusters)
    for arm in range(30):
        policy.learn(arm, trial.rewards[0, arm])
    strangers, waiting = 0, deque()
    for t in range(30, 800):
        decision = policy.select()
        awaited = np.bincount([each.arm for each, _ in waiting], minlength=30)
        arm, stranger = chosen_by_hand(policy, groups, t + 1, awaited)
        assert decision.arm == arm
        strangers += stranger
        policy.expect(decision)
        waiting.append((decision, trial.rewards[t, arm]))
        if len(waiting) > delay:
            policy.update(*waiting.popleft())
    assert strangers > 0 or labels == "true"


@pytest.mark.parametrize(("arms", "pace"), [(60, 1), (150, 3), (300, 27)])
def test_one_round_in_so_many_goes_to_an_arm_never_played_whatever_its_label_says(arms, pace):
    """One in (K / 100)^3; the other rounds nearly all go to the cluster that is by far the best."""
    groups = np.arange(arms) % 5
    past = np.repeat(np.flatnonzero(np.arange(arms) % 10 < 5), 20)  # half of each cluster
    rng = np.random.default_rng(0)
    log = hr.History.from_rounds(arms=past, rewards=groups[past] + 0.5 * rng.normal(size=past.size))
    policy = hr.HierUCB(range(arms), clusters=groups, history=log)
    untried = set(range(arms)) - set(past.tolist())
    others = []
    for t in range(1, 161):
        arm = policy.select().arm
        if t % pace == 0 and untried:
            assert arm in untried
        else:
            others.append(groups[arm] == 4)
        policy.learn(arm, groups[arm] + 0.5 * rng.normal())
        untried.discard(arm)
    assert np.mean(others) > 0.8


@pytest.mark.parametrize(("noise", "least", "most"), [("uniform", 2.0, 10.0), ("gaussian", 1.0, 1.2)])
def test_how_much_noisier_the_arms_played_most_are(noise, least, most):
    """Rewards U(0, 2 mu) of good arms are noisier than the typical ones, normal ones are not."""
    trial = hr.problems.SyntheticClassical(noise=noise).trial(2000, np.random.default_rng(0))
    policy = build(hr.HierUCB, trial, np.random.default_rng(0))
    play(policy, trial)
    assert least <= policy._nodes.ledger[GROWN] <= most
