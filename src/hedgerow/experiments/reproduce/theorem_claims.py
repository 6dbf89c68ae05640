"""The claims of the theorems."""

from collections.abc import Mapping

from ..result import Simulation, interval
from . import theory
from .claim import Check, Claim, above_zero


def logarithmic(setting: str, result: Simulation, policy: str) -> Check:
    """Regret that grows as log T adds the same with every doubling of T; as sqrt(T), 1.41 times as much as the time before.

    Args:
        setting: where it was measured.
        result: the simulation.
        policy: the policy.

    Returns:
        The check.
    """
    T = result.rounds
    full, half, quarter = (result.of(policy, "regret", at=at) for at in (T, T // 2, T // 4))
    what = f"{policy}: sqrt(2) x the growth of the doubling before the last, less that of the last"
    return above_zero(setting, interval(what, 2**0.5 * (half - quarter) - (full - half)))


def theorems(results: Mapping[str, Simulation]) -> list[Claim]:
    """The claims of the theorems, on tightly clustered 0/1 rewards and on the contextual bandit.

    Args:
        results: the simulation of each panel.

    Returns:
        The claims.
    """
    result = results["bounds"]
    setting = f"{result.problem.split(',')[0]}, T = {result.rounds}"
    ridge = theory.ridge_runs(seed=result.seed, trials=min(result.trials, 10), rounds=min(result.rounds, 10_000))
    least = min(run.least_history for run in ridge)
    return [
        Claim(
            "bounds",
            "The regret is logarithmic in T (here: slower than the square root)",
            tuple(logarithmic(setting, result, policy) for policy in result.policies),
        ),
        Claim(
            "bounds",
            "Each bound lies above the measured regret",
            tuple(above_zero(s, difference) for s, difference in theory.slack(result) + theory.ridge_slack(ridge)),
            note=theory.remarks(result, ridge),
        ),
        Claim(
            "bounds",
            "Under tight clustering with sqrt(n) clusters HUCBC's bound is below HUCB's",
            tuple(above_zero(s, difference) for s, difference in theory.fewer_terms()),
        ),
        Claim(
            "bounds",
            "det(A_T) / det(H) <= det(A_T)",
            (Check("contextual bandit, eps = 0.1", "log det H, the least of all arms and trials", least, least, least, -1e-9),),
            note="With the same A_T on both sides; the A_T of LinUCB itself has no history in it.",
        ),
    ]
