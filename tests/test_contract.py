"""The contract of hedgerow.testing over every policy, bare and under Meta."""

import os
import subprocess
import sys
from functools import partial

import pytest

import hedgerow as hr
from hedgerow.kernel import COMPILED
from hedgerow.testing import ARMS, check_policy

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


RULES = [
    hr.rules.ucb(0.7),
    hr.rules.ucb("auto"),
    hr.rules.ucbv(),
    hr.rules.klucb(),
    hr.rules.minucb(0.2),
    hr.rules.thompson(),
    hr.rules.bast(0.2, "auto"),
    hr.rules.linucb(0.7),
    hr.rules.lints(0.7),
    hr.rules.hierucb(),
    hr.rules.hierts(),
    hr.rules.hierlinucb(),
    hr.rules.hierlinucb(weights=False),
]
DRAWS = {"one_cluster_decides_as_flat", "singletons_decide_as_flat"}
"""A policy that draws at every level draws more often with clusters."""
NESTS = {"bast": {"one_cluster_decides_as_flat"}, "hierlinucb": DRAWS, "hierucb": DRAWS}
"""A bound on a cluster that holds all arms is one more bound; a spread around one centroid is not a spread around 0, nor is an
arm alone in its cluster one of many; and arms are first tried in an order that depends on the tree."""

WEIGHTS = {"late_rewards_end_alike", "merge_equals_one_worker"}
"""A round weighs by what was predicted when it came, so that the order of rounds may count."""


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.name} {rule.parameters}")
def test_every_shape_of_every_rule(rule):
    skip = set(DRAWS if rule.draws else NESTS.get(rule.name, ()))
    skip |= WEIGHTS if rule == hr.rules.hierlinucb() else set()
    check_policy(bandit(rule), dimension=3 if rule.contextual else None, skip=skip)


@pytest.mark.parametrize("rule", ["ucb", "d3rb"])
def test_meta_by_either_rule(rule):
    check_policy(partial(hr.META, rule=rule, scale="auto"))


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


class Greedy:
    """Another one: it never tries what it has not seen."""

    def __init__(self, policy):
        self._policy = policy

    def __getattr__(self, name):
        return getattr(self._policy, name)

    def select(self, context=None, *, rng=None):
        return self._policy.select(context, rng=rng)._replace(arm=ARMS[0])


def test_a_policy_that_tries_one_arm_is_found():
    with pytest.raises(AssertionError, match="never tried"):
        check_policy(lambda arms: Greedy(hr.UCB(arms)), skip={"load_equals_saved"})


def test_an_unknown_check_cannot_be_skipped():
    with pytest.raises(ValueError, match="no_such_check"):
        check_policy(hr.UCB, skip={"no_such_check"})
