"""The contract of hedgerow.testing over every policy, bare and under Meta."""

import json
import math
import os
import subprocess
import sys
from functools import partial

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.core.kernel import COMPILED
from hedgerow.policies.explanation import Explanation, Score
from hedgerow.policies.registry import load_all
from hedgerow.policies.registry import rule as rule_of
from hedgerow.testing import ARMS, CHECKS, check_policy

if not COMPILED:
    check_policy = partial(check_policy, rounds=60)  # plain Python takes its time

CLASSICAL = [hr.UCB, hr.HUCB, hr.UCBC, hr.HUCBC, hr.HUCBCPrime]
CONTEXTUAL = [hr.LinUCB, hr.HLinUCB, hr.LinUCBC, hr.HLinUCBC]
PRIME = {"singletons_decide_as_flat"}
"""HUCBC' with an arm per cluster is UCB, without clusters it is HUCB: by its definition, they differ."""


def bandit(rule):
    """The rule behind each name in every shape: with clusters or not, warm or not."""

    def make(arms, clusters=None, history=None, dimension=None):
        return hr.Bandit(arms, rule, clusters=clusters, history=history, dimension=dimension)

    return make


def under_meta(make, shared):
    def made(arms, clusters=None, history=None, dimension=None):
        flat = hr.UCB(arms) if dimension is None else hr.LinUCB(arms, dimension=dimension)
        given = {"clusters": clusters, "history": history, "dimension": dimension}
        accepted = make.__code__.co_varnames[: make.__code__.co_argcount + make.__code__.co_kwonlyargcount]
        inner = make(arms, **{key: value for key, value in given.items() if key in accepted})
        return hr.Meta({"inner": inner, "flat": flat}, shared=shared)

    return made


@pytest.mark.parametrize("make", CLASSICAL, ids=lambda make: make.__name__)
def test_classical(make):
    check_policy(make, skip=PRIME if make is hr.HUCBCPrime else ())


@pytest.mark.parametrize("make", CONTEXTUAL, ids=lambda make: make.__name__)
def test_contextual(make):
    check_policy(make, dimension=3)


KINDS = {name: kind for name, kind in load_all().items() if kind.reads_clusters}
OTHERS = [hr.rules.ucb(0.7), hr.rules.ucb("auto"), hr.rules.ucb("auto/4"), hr.rules.hierlinucb(weights=False)]
RULES = [*(rule_of(name, kind.example) for name, kind in KINDS.items()), *OTHERS]
DRAWS = {"one_cluster_decides_as_flat", "singletons_decide_as_flat"}
"""A policy that draws at every level draws more often with clusters."""
NESTS = {"bast": {"one_cluster_decides_as_flat"}, "hierlinucb": DRAWS, "hierucb": DRAWS}
"""A bound on a cluster that holds all arms is one more bound; a spread around one centroid is not a spread around 0, nor is an
arm alone in its cluster one of many; and arms are first tried in an order that depends on the tree."""

WEIGHTS = {"late_rewards_end_alike", "merge_equals_one_worker"}
"""A round weighs by what was predicted when it came, so that the order of rounds may count."""


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_every_shape_of_every_registered_rule(rule):
    skip = set(DRAWS if rule.kind.draws else NESTS.get(rule.name, ()))
    skip |= WEIGHTS if rule == hr.rules.hierlinucb() else set()
    check_policy(bandit(rule), dimension=3 if rule.kind.contextual else None, skip=skip)


@pytest.mark.parametrize("scale", ["auto", 0.02])
@pytest.mark.parametrize("rule", ["ucb", "d3rb"])
def test_meta_by_either_rule(rule, scale):
    check_policy(partial(hr.META, rule=rule, scale=scale))


def test_single_precision():
    check_policy(partial(hr.HLinUCBC, precision="single"), dimension=3)


@pytest.mark.parametrize("shared", [True, False], ids=["shared", "own rounds"])
@pytest.mark.parametrize("make", [*CLASSICAL, *CONTEXTUAL], ids=lambda make: make.__name__)
def test_under_meta(make, shared):
    contextual = make in CONTEXTUAL
    skip = PRIME if make is hr.HUCBCPrime else set()
    check_policy(under_meta(make, shared), dimension=3 if contextual else None, skip=skip)


@pytest.mark.parametrize("shared", [True, False], ids=["shared", "own rounds"])
@pytest.mark.parametrize("dimension", [None, 3])
def test_meta(dimension, shared):
    check_policy(partial(hr.META, shared=shared), dimension=dimension)


def test_meta_of_metas():
    def make(arms, clusters=None, history=None):
        inner = hr.META(arms, clusters=clusters, history=history)
        return hr.Meta({"inner": inner, "flat": hr.UCB(arms)}, name="outer")

    check_policy(make)


def test_classical_and_contextual_experts_together():
    def make(arms, clusters=None, history=None, dimension=None):
        linear = hr.HLinUCBC(arms, clusters=clusters, history=history, dimension=dimension)
        return hr.Meta([linear, hr.HUCB(arms, history=history)])

    check_policy(make, dimension=2)


@pytest.mark.skipif(not COMPILED, reason="this is the plain run")
def test_the_contract_in_plain_python():
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    run = subprocess.run(command, env={**os.environ, "HEDGEROW_COMPILE": "0"}, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:]


class Homemade:
    """A policy that is not made of hedgerow's parts: the arm of the highest mean, untried ones first."""

    name, identity, dimension, clusters, clustered = "Homemade", "homemade", None, None, False

    def __init__(self, arms):
        self.sums = {arm: [0, 0.0] for arm in arms}

    arms = property(lambda self: tuple(self.sums))
    rounds = property(lambda self: sum(plays for plays, _ in self.sums.values()))

    def select(self, context=None, *, rng=None):
        if context is not None:
            raise ValueError("Homemade takes no context")
        return hr.Decision(max(self.sums, key=self.mean), policy=self.identity)

    def mean(self, arm):
        plays, total = self.sums[arm]
        return total / plays if plays else math.inf

    def update(self, decision, reward):
        if getattr(decision, "policy", None) != self.identity or decision.context is not None:
            raise ValueError(f"not a decision of Homemade: {decision!r}")
        if not isinstance(reward, float) or not math.isfinite(reward):
            raise ValueError(f"not a reward: {reward!r}")
        self.sums[decision.arm] = [self.sums[decision.arm][0] + 1, self.sums[decision.arm][1] + reward]

    def explain(self, context=None):
        means = {arm: self.mean(arm) for arm in self.sums}
        return Explanation(Score("arm", arm, mean, 0.0, mean, self.sums[arm][0], 0.0) for arm, mean in means.items())

    def add_arm(self, arm, *, cluster=None):
        if arm in self.sums:
            raise ValueError(f"{arm!r} is there already")
        self.sums[arm] = [0, 0.0]

    def remove_arm(self, arm):
        del self.sums[arm]

    def merge(self, other, *, since=None):
        if not isinstance(other, Homemade):
            raise ValueError(f"not a Homemade: {other!r}")
        for arm, (plays, total) in other.sums.items():
            before = since.sums[arm] if since else [0, 0.0]
            self.sums[arm] = [self.sums[arm][0] + plays - before[0], self.sums[arm][1] + total - before[1]]

    def save(self, path):
        path.write_text(json.dumps(self.sums))

    @classmethod
    def load(cls, path):
        made = cls([])
        made.sums = json.loads(path.read_text())
        return made


def test_a_policy_of_ones_own():
    check_policy(Homemade, load=Homemade.load)
    with pytest.raises(AssertionError, match="select is pure"):
        check_policy(lambda arms: Forgetful(Homemade(arms)), load=Homemade.load)


class Forgetful:
    """A policy that breaks the contract: select counts."""

    def __init__(self, policy):
        self._policy = policy

    def __getattr__(self, name):
        return getattr(self._policy, name)

    def select(self, context=None, *, rng=None):
        decision = self._policy.select(context, rng=rng)
        self._policy.update(decision, 0.0)
        return decision


def test_a_policy_that_learns_in_select_is_found():
    with pytest.raises(AssertionError, match="flat, cold, select is pure"):
        check_policy(lambda arms: Forgetful(hr.UCB(arms)))


class Stubborn:
    """Another one: it never tries what it has not seen."""

    def __init__(self, policy):
        self._policy = policy

    def __getattr__(self, name):
        return getattr(self._policy, name)

    def select(self, context=None, *, rng=None):
        return self._policy.select(context, rng=rng)._replace(arm=ARMS[0])


def test_a_policy_that_tries_one_arm_is_found():
    with pytest.raises(AssertionError, match="never tried"):
        check_policy(lambda arms: Stubborn(hr.UCB(arms)), skip={"load_equals_saved"})


class Greedy:
    """The policy of docs/concepts.md: it cannot be saved, explained or merged, and its arms stay."""

    name, dimension = "Greedy", None

    def __init__(self, arms):
        self.arms = tuple(arms)
        self.sums, self.plays = np.zeros(len(self.arms)), np.zeros(len(self.arms))

    def select(self, context=None, *, rng=None):
        means = np.where(self.plays > 0, self.sums / np.maximum(self.plays, 1), np.inf)
        return hr.Decision(self.arms[int(means.argmax())])

    def update(self, decision, reward):
        at = self.arms.index(decision.arm)
        self.sums[at] += reward
        self.plays[at] += 1


def test_a_small_policy_passes_what_applies_and_the_rest_is_listed():
    report = check_policy(Greedy)
    assert report.held == (
        "select_is_pure",
        "replay_equals_live",
        "same_seed_same_arms",
        "every_arm_is_tried",
        "the_best_arm_is_found",
    )
    assert report.not_applicable["load_equals_saved"] == "the policy has no save"
    assert report.not_applicable["rejected_changes_change_nothing"] == "the policy has no add_arm, remove_arm, merge"
    assert set(report.held) | set(report.not_applicable) == set(CHECKS)


def test_a_policy_whose_update_does_nothing_is_found():
    class Deaf(Greedy):
        def update(self, decision, reward):
            pass

    with pytest.raises(AssertionError, match="flat, cold, every arm is tried: never tried"):
        check_policy(Deaf)


def test_an_unknown_check_cannot_be_skipped():
    with pytest.raises(ValueError, match="no_such_check"):
        check_policy(hr.UCB, skip={"no_such_check"})


class Half:
    """A policy that has only begun."""

    name = "Half"

    def __init__(self, arms):
        self.arms = tuple(arms)

    def select(self, context=None, *, rng=None):
        return hr.Decision(self.arms[0])


def test_a_policy_is_told_what_it_lacks():
    with pytest.raises(AssertionError, match="the policy lacks dimension, update: see hedgerow.Policy"):
        check_policy(Half)
    with pytest.raises(ValueError, match="Half cannot play, it lacks dimension, update"):
        hr.simulate([Half], hr.problems.SyntheticClassical(), rounds=10, trials=1)
