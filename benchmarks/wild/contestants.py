"""Who plays, by name, and on which problems.

A name may end in " without clusters" or " without history": the policy is then not told of them. It may begin with "baseline ":
an older hedgerow plays it (baseline.py).
"""

from dataclasses import replace

import numpy as np

from benchmarks.wild.library import Problem, fraction, play_library, without_history
from benchmarks.wild.problems import Contextual
from benchmarks.wild.problems.draws import generator

BASELINE = "baseline "
NO_CLUSTERS, NO_HISTORY = " without clusters", " without history"
AUTO = ("Auto", f"Auto{NO_CLUSTERS}", f"Auto{NO_HISTORY}")
BASELINE_AUTO = tuple(BASELINE + name for name in AUTO)
FRACTIONS = ("1/8", "1/4", "1/2")
HUCBS = tuple(
    f"{policy} {setting}"
    for setting in ("auto", *(f"{part} estimated sd" for part in FRACTIONS), *(f"{part} true sd" for part in (*FRACTIONS, "1")))
    for policy in ("HUCB", "HUCBC")
)
BINARY = ("Beta Thompson", "KL-UCB")
"""Rivals for 0/1 rewards only."""

RIVALS = ("Gaussian Thompson", "MOSS", "AdaUCB", "IMED", *BINARY)
CLASSICAL_POLICIES = (
    *AUTO,
    *HUCBS,
    "META auto",
    "TSC",
    "UCBV",
    *RIVALS,
    *(rival + NO_HISTORY for rival in RIVALS if rival != "KL-UCB"),
)
"""All policies without contexts, but the baseline's."""

CONTEXTUAL_POLICIES = (
    *AUTO,
    *(f"{policy} {alpha}" for policy in ("HLinUCB", "HLinUCBC", "META", "LinTSC") for alpha in ("0.25", "1")),
)
"""All policies with contexts, but the baseline's."""

WITHOUT_SETTINGS = ("Auto", "HUCB auto", "HUCBC auto", "META auto", "TSC", "UCBV", *RIVALS)
"""Policies that need no number from the user; AdaUCB is told the number of rounds, UCBV the range of the rewards."""

DRAWING = 99
"""Number of the generator of the rivals that draw."""


def suits(name: str, problem: Problem) -> bool:
    """Whether a policy can play a problem.

    Args:
        name: Of the policy.
        problem: Any.

    Returns:
        False for rivals that are for 0/1 rewards, where rewards are others.
    """
    return isinstance(problem, Contextual) or problem.binary or bare(name) not in BINARY


def bare(name: str) -> str:
    """Return the name of a policy without what it is not told.

    Args:
        name: Such as "baseline Auto without history".

    Returns:
        Such as "Auto".
    """
    return name.removeprefix(BASELINE).replace(NO_CLUSTERS, "").replace(NO_HISTORY, "")


def stand_in(name: str, problem: Problem) -> str:
    """Return the policy that makes the same decisions on a problem, so that it is played once.

    Without clusters HUCBC and META are HUCB; without a history to ignore, ignoring it changes nothing.

    Args:
        name: Of the policy.
        problem: The problem.

    Returns:
        Its name, or the name of another one.
    """
    if problem.clusters is None:
        name = name.replace(NO_CLUSTERS, "")
        first, _, rest = name.partition(" ")
        flat = "HLinUCB" if isinstance(problem, Contextual) else "HUCB"
        if first in ("HUCBC", "HLinUCBC", "META"):
            name = f"{flat} {rest}"
    return name if problem.history_arms.size else name.replace(NO_HISTORY, "")


def play_named(name: str, problem: Problem, rewards: np.ndarray, contexts: np.ndarray | None, replication: int) -> np.ndarray:
    """Play a policy.

    Args:
        name: Of the policy.
        problem: The problem.
        rewards: A row for each round, a column for each arm.
        contexts: A row for each round, or None.
        replication: Its number.

    Returns:
        The arm of each round.
    """
    told = replace(problem, clusters=None) if NO_CLUSTERS in name else problem
    told = without_history(told) if NO_HISTORY in name else told
    known = bare(name)
    if known in RIVALS or known.endswith("estimated sd"):
        return _play_rival(known, told, rewards, replication)
    return play_library(known, told, rewards, contexts, replication)


def _play_rival(name: str, problem: Problem, rewards: np.ndarray, replication: int) -> np.ndarray:
    from benchmarks.wild.rivals import adaucb, imed, klucb, learning, moss, thompson, ucb_fraction  # a baseline plays none

    log = learning.log_of(problem.history_arms, problem.history_rewards, problem.arms)
    if name.endswith("estimated sd"):
        policy, part, *_ = name.split()
        flat = policy == "HUCB" or problem.clusters is None
        clusters = ucb_fraction.clustering(np.zeros(problem.arms, int) if flat else problem.clusters)
        return ucb_fraction.ucb_fraction(rewards, log, clusters, fraction(part))
    plays = {
        "Gaussian Thompson": thompson.gaussian_thompson,
        "Beta Thompson": thompson.beta_thompson,
        "MOSS": moss.moss,
        "AdaUCB": adaucb.adaucb,
        "IMED": imed.binary_imed if problem.noise == "bernoulli" else imed.gaussian_imed,
        "KL-UCB": klucb.klucb,
    }
    return plays[name](rewards, log, generator(DRAWING, problem.seed, replication))
