"""Choosing among some of the arms, the best few, and the scores: against a walk over the indices that ``explain`` shows.

python tests/test_among.py 10000        as many random rounds for each policy
"""

import math
import sys

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.core.draws import mixed
from hedgerow.core.labels import as_path
from hedgerow.policies.registry import load_all
from hedgerow.policies.registry import rule as rule_of

ARMS = [f"arm-{k}" for k in range(12)]
NESTED = ["x", ("x", "left"), ("x", "left"), ("x", "right"), "y", "y", "y", ("z", "a"), ("z", "b"), ("z", "b"), "w", "y"]
FLAT = {"hierucb", "hierlinucb", "d3rb"}
"""Rules that score all arms side by side, whatever their clusters."""

SURE = {name: kind for name, kind in load_all().items() if not kind.draws}
DIMENSION = 3
ROUNDS = 400


def first_best(options, value, tie):
    best = max(map(value, options))
    return next(option for option in options if value(option) >= best - tie * abs(best) or value(option) == best)


def children(policy, prefix, eligible):
    """What stands right under a cluster and has eligible arms, in its order: arms, and longer prefixes."""
    found = {}
    for arm, path in zip(policy.arms, paths_of(policy), strict=True):
        if path[: len(prefix)] == prefix:
            child = arm if len(path) == len(prefix) else ("cluster", path[: len(prefix) + 1])
            found[child] = found.get(child, False) or arm in eligible
    return [child for child, there in found.items() if there]


def paths_of(policy):
    return [()] * len(policy.arms) if policy.clusters is None else [as_path(cluster) for cluster in policy.clusters]


def forced(policy, eligible, scores):
    """The arm that forced exploration is for, or None."""
    rounds = 1 + policy.rounds + len(policy.waiting)
    if mixed(rounds) % 8 != 0:
        return None
    plays = {arm: sum((scores["arm", arm].plays, scores["arm", arm].history, scores["arm", arm].waiting)) for arm in eligible}
    least = min(plays, key=plays.get)
    alike = sum(count < 10.0 * (plays[least] + 1.0) for count in plays.values())
    return least if alike * (plays[least] + 1.0) <= 0.5 * math.sqrt(rounds) else None


def best_among(policy, among, context):
    """The choice, from what explain says of each arm and cluster."""
    name = policy.rule.name
    scores = {(score.kind, score.label): score for score in policy.explain(context)}
    eligible = [arm for arm in policy.arms if arm in among]
    tie = 1e-10 if context is not None else 0.0
    if name == "hierlinucb" and (arm := forced(policy, eligible, scores)) is not None:
        return arm
    if name in FLAT:
        return first_best(eligible, lambda arm: scores["arm", arm].index, tie)

    def value(child):
        if not isinstance(child, tuple):
            return scores["arm", child].index
        label = child[1] if len(child[1]) > 1 else child[1][0]
        if name != "bast":
            return scores["cluster", label].index
        below = max(map(value, children(policy, child[1], eligible)))  # a bound below counts for eligible arms only
        return min(below, plain[label] + policy.rule.values["diameter"])

    if name == "bast":  # a cluster's own index, as if nothing stood below it
        scale = policy.settings().get("scale", 1.0)
        t = 1.0 + policy.rounds + len(policy.waiting)
        plain = {label: pooled(score, t, scale) for (kind, label), score in scores.items() if kind == "cluster"}
    prefix = ()
    while True:
        chosen = first_best(children(policy, prefix, eligible), value, tie)
        if not isinstance(chosen, tuple):
            return chosen
        prefix = chosen[1]


def pooled(score, t, scale):
    n = score.plays + score.history + score.waiting
    return score.mean + scale * math.sqrt(2.0 * math.log(t + score.history) / n) if n else math.inf


def made(kind, rng, clustered=True):
    given = {"dimension": DIMENSION} if kind.contextual else {}
    if kind.reads_clusters and clustered:
        given["clusters"] = NESTED
    if kind.reads_history:
        arms = rng.choice(ARMS[:9], size=30)
        contexts = rng.normal(size=(30, DIMENSION)) if kind.contextual else None
        given["history"] = hr.History.from_rounds(arms=arms, rewards=rng.random(30), contexts=contexts)
    return hr.Bandit(ARMS, rule_of(kind.name, kind.example), **given)


def play(kind, rounds, seed):
    """Random subsets, rewards and waiting decisions; each choice is that of the oracle."""
    rng = np.random.default_rng([seed, sum(map(ord, kind.name))])
    policy, means, kept = made(kind, rng), rng.random(len(ARMS)), []
    for arm in ARMS:  # so that everything has a mean and a unit
        policy.learn(arm, float(rng.random()), rng.normal(size=DIMENSION) if kind.contextual else None)
    for _ in range(rounds):
        context = rng.normal(size=DIMENSION) if kind.contextual else None
        among = rng.choice(ARMS, size=rng.integers(1, len(ARMS) + 1), replace=False).tolist()
        decision = policy.select(context, among=among)
        assert decision.arm == best_among(policy, among, context)
        assert policy.select(context, among=ARMS) == policy.select(context)
        if rng.random() < 0.2:
            policy.expect(decision)
            kept.append(decision)
        else:
            policy.update(decision, float(rng.random() < means[ARMS.index(decision.arm)]))
        if len(kept) > 5:
            policy.update(kept.pop(int(rng.integers(len(kept)))), float(rng.random()))


@pytest.mark.parametrize("kind", SURE.values(), ids=SURE)
def test_the_choice_among_some_is_the_best_index_among_them(kind):
    play(kind, ROUNDS, seed=1)


def test_thompson_sampling_among_some_draws_as_if_there_were_no_others():
    """A best mean of normals, by an independent draw; chi-square by eye: 3000 draws, 5 standard errors."""
    rng = np.random.default_rng(0)
    policy = hr.TSC(ARMS, scale=1.0)
    for arm, plays in zip(ARMS, range(1, 13), strict=True):
        for _ in range(plays):
            policy.learn(arm, float(rng.random()))
    among = ARMS[2:6]
    found = policy.propensities(among=among, draws=3000, rng=rng)
    means = {score.label: (score.mean, score.plays) for score in policy.explain()}
    drawn = np.array([rng.normal(means[arm][0], means[arm][1] ** -0.5, size=30_000) for arm in among])
    expected = np.bincount(drawn.argmax(axis=0), minlength=4) / 30_000
    assert np.abs(found[2:6] - expected).max() < 5 * math.sqrt(0.25 / 3000)
    assert found.sum() == pytest.approx(1.0)
    assert found[[0, 1, *range(6, 12)]].sum() == 0.0


@pytest.mark.parametrize("kind", SURE.values(), ids=SURE)
def test_asking_among_some_changes_nothing(kind, tmp_path):
    policy = made(kind, np.random.default_rng(3))
    context = np.ones(DIMENSION) if kind.contextual else None
    policy.save(tmp_path / "before")
    policy.select(context, among=ARMS[3:5])
    policy.rank(4, context)
    policy.scores(context)
    policy.propensities(context)
    policy.save(tmp_path / "after")
    assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()


@pytest.mark.parametrize("kind", SURE.values(), ids=SURE)
def test_the_ranking_chooses_again_and_again_among_the_others(kind):
    policy = made(kind, np.random.default_rng(4))
    context = np.ones(DIMENSION) if kind.contextual else None
    ranked = policy.rank(5, context)
    left = list(ARMS)
    for decision in ranked:
        assert decision == policy.select(context, among=left)
        left.remove(decision.arm)
    assert policy.rank(1, context) == [policy.select(context)]
    assert sorted(d.arm for d in policy.rank(99, context)) == sorted(ARMS)
    assert [d.arm for d in policy.rank(2, context, among=["arm-7"])] == ["arm-7"]


@pytest.mark.parametrize("kind", SURE.values(), ids=SURE)
def test_scores_are_the_indices_of_the_arms(kind):
    policy = made(kind, np.random.default_rng(5))
    context = np.ones(DIMENSION) if kind.contextual else None
    shown = {score.label: score.index for score in policy.explain(context) if score.kind == "arm"}
    assert np.array_equal(policy.scores(context), [shown[arm] for arm in ARMS])


@pytest.mark.parametrize("rule", ["ucb", "d3rb"])
def test_a_meta_hands_the_arms_on_at_any_depth(rule):
    rng = np.random.default_rng(6)
    log = hr.History.from_rounds(arms=rng.choice(ARMS, size=40), rewards=rng.random(40))
    inner = hr.META(ARMS, clusters=NESTED, history=log)
    policy = hr.Meta({"inner": inner, "auto": hr.Auto(ARMS, clusters=NESTED)}, rule=rule)
    for _ in range(200):
        among = rng.choice(ARMS, size=rng.integers(1, 6), replace=False).tolist()
        decision = policy.select(among=among)
        expert = policy.experts[decision.experts[0]]
        assert decision.arm == expert.select(among=among).arm
        assert decision.arm in among
        assert policy.select(among=ARMS) == policy.select()
        assert policy.rank(3)[0] == policy.select()
        assert len({d.arm for d in policy.rank(3)}) == 3
        policy.update(decision, float(rng.random()))
    assert policy.scores().shape == (len(ARMS),)


def test_a_batch_chooses_among_the_same_arms():
    rng = np.random.default_rng(7)
    for policy in (hr.LinUCB(ARMS, dimension=3), hr.Auto(ARMS, clusters=NESTED, dimension=3), hr.META(ARMS, dimension=3)):
        for _ in range(60):
            x = rng.normal(size=3)
            policy.update(policy.select(x), float(x[0]))
        x = rng.normal(size=(50, 3))
        batch = policy.select_many(x, among=ARMS[4:8])
        assert list(batch) == [policy.select(row, among=ARMS[4:8]) for row in x]
        assert batch[3:5] == list(batch)[3:5]


class Greedy:
    """Somebody's policy, which takes no among=."""

    name, dimension, arms = "Greedy", None, ("a", "b")

    def select(self, context=None, *, rng=None):
        return hr.Decision("a")

    def update(self, decision, reward): ...
    def learn(self, arm, reward, context=None): ...
    def expect(self, decision): ...
    def cancel(self, decision): ...


def test_what_cannot_be_chosen_is_refused_in_a_sentence():
    policy = hr.UCB(["a", "b"])
    for among, said in (([], "at least one arm"), (["c"], "unknown arm 'c'"), ("ab", "list of arms"), (3, "list of arms")):
        with pytest.raises(ValueError, match=said):
            policy.select(among=among)
    with pytest.raises(ValueError, match="n must be a whole number of at least 1, got 0"):
        policy.rank(0)
    with pytest.raises(ValueError, match="takes no among"):
        hr.Meta([Greedy()]).select(among=["a"])
    with pytest.raises(ValueError, match="has no scores"):
        hr.Meta([Greedy()]).scores()


if __name__ == "__main__":
    for each in SURE.values():
        play(each, int(sys.argv[1]), seed=2)
        print(f"{each.name}: {sys.argv[1]} rounds, no difference")
