"""The contract that every policy keeps, as a check to run over your own.

>>> import hedgerow as hr
>>> check_policy(hr.HUCBC)
14 checks held in 6 cases
stamps weigh alike: not applicable, the policy has no half-life
>>> check_policy(hr.LinUCB, dimension=3)
11 checks held in 1 case
stamps weigh alike: not applicable, the policy has no half-life
empty history equals none: not applicable, its constructor takes no history
one cluster decides as flat: not applicable, its constructor takes no clusters
singletons decide as flat: not applicable, its constructor takes no clusters
"""

from collections.abc import Collection, Iterator
from functools import partial
from typing import Any, NamedTuple

from ..core.state_file import load as hedgerow_load
from ..core.validate import accepted, lacking
from .contract import CHECKS, Check, Make
from .world import ARMS, THREE_LEVELS, TWO_LEVELS, Load, World, snapshot

__all__ = ["ARMS", "CHECKS", "Report", "World", "check_policy", "snapshot"]

NEEDED = ("name", "arms", "dimension", "select", "update")
"""What every policy has; checks that need more are left out where a policy has not."""


class Report(NamedTuple):
    """What was checked.

    Args:
        cases: The shapes in which the policy was made: "flat, cold", "two levels, warm" and the like.
        held: Names of the checks that held in all of them.
        not_applicable: Names of the checks that were left out, and why.
    """

    cases: tuple[str, ...]
    held: tuple[str, ...]
    not_applicable: dict[str, str]

    def __repr__(self) -> str:
        cases = "1 case" if len(self.cases) == 1 else f"{len(self.cases)} cases"
        lines = [f"{len(self.held)} checks held in {cases}"]
        lines += [f"{name.replace('_', ' ')}: not applicable, {reason}" for name, reason in self.not_applicable.items()]
        return "\n".join(lines)


def check_policy(
    make: Make,
    *,
    dimension: int | None = None,
    rounds: int = 150,
    seed: int = 0,
    skip: Collection[str] = (),
    load: Load = hedgerow_load,
) -> Report:
    """Raise an AssertionError if a policy breaks the contract.

    Args:
        make: A constructor. It is called with arms and, of ``clusters=``, ``history=`` and ``dimension=``, those it accepts; the
            check runs flat, with clusters and with clusters of clusters, cold and warm, as far as it does.
        dimension: Length of the contexts, for policies with contexts.
        rounds: Online rounds of each check.
        seed: Seed of the rounds.
        skip: Names in ``CHECKS`` that do not apply to the policy.
        load: Reads what the policy's ``save`` wrote, if it has one of its own. ``save`` writes one file, and the same one for the
            same state.

    Returns:
        What was checked, and what was not because the policy has no such thing, as arms that come and go.

    Raises:
        AssertionError: A check does not hold; the message names it.
        ValueError: ``skip`` names no check.

    Examples:
        >>> import hedgerow as hr
        >>> check_policy(hr.UCBC, rounds=50)
        13 checks held in 3 cases
        stamps weigh alike: not applicable, the policy has no half-life
        empty history equals none: not applicable, its constructor takes no history
    """
    if unknown := set(skip) - set(CHECKS):
        raise ValueError(f"skip names no check: {sorted(unknown)}; the checks are {sorted(CHECKS)}")
    world = World(dimension, rounds, seed, load)
    takes = set(accepted(make, dict.fromkeys(("clusters", "history", "dimension"), True)))
    cases = dict(_cases(make, takes, world))
    policy = next(iter(cases.values()))()
    if absent := lacking(policy, NEEDED):
        raise AssertionError(f"the policy lacks {', '.join(absent)}: see hedgerow.Policy")
    left_out = {name: reason for name, check in CHECKS.items() if (reason := _reason(check, policy, takes, name in skip))}
    applied = {name: check for name, check in CHECKS.items() if name not in left_out}
    for case, made in cases.items():
        for name, check in applied.items():
            _hold(check, made, world, f"{case}, {name.replace('_', ' ')}")
    return Report(tuple(cases), tuple(applied), left_out)


def _reason(check: Check, policy: Any, takes: Collection[str], skipped: bool) -> str:
    """Why a check does not apply; empty if it does."""
    if skipped:
        return "skipped"
    if absent := lacking(policy, check.members):
        return f"the policy has no {', '.join(absent)}"
    if check.keyword and check.keyword not in takes:
        return f"its constructor takes no {check.keyword}"
    if check.forgets and getattr(policy, "memory", None) is None:
        return "the policy has no half-life"
    return ""


def _hold(check: Check, made: Make, world: World, where: str) -> None:
    try:
        check.holds(made, world)
    except AssertionError as error:
        raise AssertionError(f"{where}: {error or 'does not hold'}") from error


def _cases(make: Make, takes: Collection[str], world: World) -> Iterator[tuple[str, Make]]:
    dimension = {"dimension": world.dimension} if "dimension" in takes and world.dimension else {}
    for shape, clusters in {"flat": None, "two levels": TWO_LEVELS, "three levels": THREE_LEVELS}.items():
        for start, history in {"cold": None, "warm": world.history}.items():
            if (clusters is None or "clusters" in takes) and (history is None or "history" in takes):
                given = {"clusters": clusters, "history": history}
                fixed: dict[str, Any] = {key: value for key, value in given.items() if key in takes}
                yield f"{shape}, {start}", partial(make, ARMS, **dimension, **fixed)
