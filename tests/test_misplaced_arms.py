"""Arms that do not belong to their cluster, with contexts; and arms that are new among others that are known."""

import numpy as np
import pytest
from linear_model import Hierarchy, assert_same_posterior, world

import hedgerow as hr
from hedgerow.core.arms import Arms
from hedgerow.policies.auto_linear.forced_exploration import neglected

CLUSTERS = [k % 4 for k in range(24)]


def lived(seed, slope, rounds=6600, wait=False):
    """Arms 0 to 23 in four tight clusters, of which the last comes in when the others are known, and has a slope of its own."""
    contexts, means, rng = world(seed, 24, 3, rounds, spread=0.05)
    means[:, 23] += slope * contexts[:, 0]
    hierarchy = Hierarchy(24, CLUSTERS, 3, weights=False)
    for t, context in enumerate(contexts):
        arm = int(rng.integers(23 if t < 6000 else 24))
        decision = hr.Decision(arm, context=tuple(context.tolist()))
        if wait:
            hierarchy.policy.expect(decision)
        hierarchy.policy.update(decision, means[t, arm] + rng.normal())
    return hierarchy


def misplaced(hierarchy):
    return [hierarchy.arm_of(node) for node in np.flatnonzero(hierarchy.extra_spreads).tolist()]


@pytest.mark.parametrize("wait", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_an_arm_that_does_not_belong_is_found_and_no_other_is_accused(seed, wait):
    assert misplaced(lived(seed, slope=0.0, wait=wait)) == []
    hierarchy = lived(seed, slope=3.0, wait=wait)
    assert misplaced(hierarchy) == [23]
    ahead, mates = (hierarchy.estimate(hierarchy.leaves[arm], np.array([1.0, 0.0, 0.0]))[0] for arm in (23, 19))
    assert ahead - mates == pytest.approx(3.0, abs=0.9)
    assert_same_posterior(hierarchy, 1e-9)


def naively_neglected(plays, rounds):
    least = min(plays)
    alike = sum(n < 10.0 * (least + 1.0) for n in plays)
    return plays.index(least) if alike * (least + 1.0) <= 0.5 * np.sqrt(rounds) else -1


def test_the_least_known_arm_is_tried_if_all_like_it_could_be():
    rng = np.random.default_rng(0)
    outcomes = set()
    for _ in range(500):
        arms = int(rng.integers(1, 8))
        flat = Arms(range(arms))
        online, history, waiting = (np.zeros((arms + 1, 3)) for _ in range(3))
        for rows in (online, history, waiting):
            rows[1:, 0] = rng.integers(0, 4, size=arms) * rng.integers(0, 30, size=arms)
        plays = (online + history + waiting)[flat.leaves, 0].tolist()
        rounds = 1.0 + online[1:, 0].sum() + float(rng.integers(3000))
        expected = naively_neglected(plays, rounds)
        assert neglected(flat.tree, online, history, waiting, rounds) == (-1 if expected < 0 else flat.leaves[expected])
        outcomes.add(expected < 0)
    assert outcomes == {True, False}


@pytest.mark.parametrize("contexts", [False, True])
@pytest.mark.parametrize("cluster", ["g0", "g2", "g3", "new"])
def test_a_new_arm_that_is_much_better_is_found_whatever_its_cluster(contexts, cluster):
    """Twenty arms in four clusters that pay 0.05 to 0.2, known by 20,000 plays; one of 0.6 comes in."""
    rng = np.random.default_rng(1)
    rates = np.append(np.repeat([0.05, 0.1, 0.15, 0.2], 5) + rng.uniform(-0.01, 0.01, 20), 0.6)
    played, seen = rng.integers(20, size=20000), rng.normal(size=(20000, 3))
    rewards = (rng.random(20000) < rates[played]).astype(float)
    log = hr.History.from_rounds(arms=played, rewards=rewards, contexts=seen if contexts else None)
    policy = hr.Auto(range(20), clusters=[f"g{k // 5}" for k in range(20)], history=log)
    policy.add_arm(20, cluster=cluster, new_cluster=True)
    chosen = []
    for context in rng.normal(size=(5000, 3)):
        decision = policy.select(context if contexts else None)
        policy.update(decision, float(rng.random() < rates[decision.arm]))
        chosen.append(decision.arm)
    assert np.mean(np.array(chosen[-1000:]) == 20) > 0.9
