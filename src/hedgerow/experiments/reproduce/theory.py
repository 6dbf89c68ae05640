"""Measurements for the theorems: bounds beside measured regret."""

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ... import bounds
from ...core.sums import second_moments
from ...policies.paper_linear import HLinUCB
from ..play import play
from ..problems import SyntheticContextual, TightBernoulli
from ..result import Difference, Simulation, interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Setting = tuple[str, Difference]
FAILURE_CHANCE = 0.05


class RidgeRun(NamedTuple):
    """A trial of HLinUCB with rewards divided by the largest expected one, so that they lie within the theorem's reach.

    Args:
        regret: of the trial.
        printed: the bound as printed.
        repaired: the bound, repaired.
        least_history: the least log det H of an arm.
        radius: the bonus that the repaired form asks for.
        rounds: of the trial.
    """

    regret: float
    printed: float
    repaired: float
    least_history: float
    radius: float
    rounds: int


def ridge_runs(*, seed: int, trials: int, rounds: int) -> list[RidgeRun]:
    """HLinUCB on the synthetic contextual bandit, with the determinants that its theorem needs.

    Args:
        seed: of the draws.
        trials: how many.
        rounds: of each.

    Returns:
        One run for each trial.
    """
    runs = []
    for number in range(trials):
        trial = SyntheticContextual().trial(rounds, np.random.default_rng([seed, number]))
        policy = HLinUCB(trial.arms, history=trial.history)
        arms = play(policy, trial).arms
        d, learnt = trial.contexts.shape[1], policy.snapshot()
        known, online = learnt.history_rows(), learnt.online_rows(policy.arms)
        largest = np.abs(trial.expected).max()
        theta = np.linalg.lstsq(trial.contexts, trial.expected, rcond=None)[0] / largest
        regret = (trial.expected.max(axis=1) - trial.expected[trial.rows, arms]).sum() / largest
        before, after = (second_moments(rows, d) + np.eye(d) for rows in (known, known + online))  # I + sum x x' per arm
        history = bounds.log_determinant(before)
        bound = partial(bounds.hlinucb, bounds.log_determinant(after), history=history)
        given = {
            "dimension": d,
            "horizon": rounds,
            "sigma": 1.0,
            "delta": FAILURE_CHANCE,
            "norm": float(np.linalg.norm(theta)),
        }
        least = min(bounds.log_determinant(matrix[None]) for matrix in before)
        printed, repaired = (bound(form=form, **given).value for form in ("printed", "repaired"))
        growth = bounds.log_determinant(after) - history
        radius = repaired / float(np.sqrt(8.0 * rounds * growth))
        runs.append(RidgeRun(regret, printed, repaired, least, radius, rounds))
    return runs


def ridge_slack(runs: list[RidgeRun]) -> list[Setting]:
    """Bound less regret of HLinUCB, printed and repaired.

    Args:
        runs: of HLinUCB.

    Returns:
        Setting and difference of each form.
    """
    return [
        (
            f"contextual bandit, HLinUCB theorem, {form}",
            interval("bound - regret", np.array([getattr(run, form) - run.regret for run in runs])),
        )
        for form in ("printed", "repaired")
    ]


def _tight_bounds() -> dict[str, "partial[bounds.Bound]"]:
    problem = TightBernoulli()
    history = np.full(problem.means().size, problem.history_each)
    return {
        "HUCB": partial(bounds.hucb, problem.means(), history=history),
        "HUCBC": partial(bounds.tight, problem.means(), problem.labels(), history=history),
    }


def slack(result: Simulation) -> list[Setting]:
    """Bound less regret of HUCB and HUCBC on tightly clustered 0/1 rewards, printed and weighted by gaps.

    Args:
        result: the simulation.

    Returns:
        Setting and difference of each policy and form.
    """
    found = []
    for policy, bound in _tight_bounds().items():
        for form in ("printed", "gap-weighted"):
            value = bound(horizon=result.rounds, form=form).value
            found.append(
                (f"{policy}, {form}, T = {result.rounds}", interval("bound - regret", value - result.of(policy, "regret")))
            )
    return found


def remarks(result: Simulation, runs: list[RidgeRun]) -> str:
    """What a reader must know of the bounds: which say nothing at this horizon, and what was assumed.

    Args:
        result: the simulation.
        runs: of HLinUCB.

    Returns:
        Sentences.
    """
    said = [f"{policy}: {bound(horizon=result.rounds).note}" for policy, bound in _tight_bounds().items()]
    ceiling = 2.0 * runs[0].rounds
    empty = sum(min(run.printed, run.repaired) > ceiling for run in runs)
    said.append(
        f"HLinUCB: {len(runs)} trials of {runs[0].rounds} rounds, rewards divided by the largest expected one, sigma = 1, "
        f"delta = {FAILURE_CHANCE}; in {empty} of them the bounds exceed {ceiling:g}, which no regret can. The repaired form "
        f"asks for a bonus alpha = {np.mean([run.radius for run in runs]):.3g} on average; the policy ran with alpha = 1"
    )
    said.append("HUCBC': not tested, since the constants r and s of its theorem are unknown")
    return ". ".join(said).replace("..", ".") + "."


def fewer_terms() -> list[Setting]:
    """HUCB's bound less HUCBC's, for sqrt(n) clusters of sqrt(n) arms; nothing is random here.

    Returns:
        Setting and difference of each n.
    """
    found = []
    for root in (3, 5, 10):
        problem = TightBernoulli(clusters=root, arms_each=root)
        flat = bounds.hucb(problem.means(), horizon=100_000).value
        clustered = bounds.tight(problem.means(), problem.labels(), horizon=100_000).value
        difference = Difference("HUCB's bound - HUCBC's", flat - clustered, flat - clustered, flat - clustered)
        found.append((f"n = {root * root} arms, T = 100000, printed", difference))
    return found


def figure(result: Simulation) -> "Figure":
    """The bounds of HUCB and HUCBC, printed form, above their measured regret.

    Args:
        result: the simulation.

    Returns:
        The figure.
    """
    rounds = np.arange(1, result.rounds + 1)
    measured = {
        policy: np.interp(rounds, result.at, result.regret[result.policies.index(policy)].mean(axis=0))
        for policy in _tight_bounds()
    }
    return bounds.plot(_tight_bounds(), measured, title="Printed bounds and measured regret, tightly clustered arms")
