"""What a log itself gives cause to say: rows left out, odd rewards, how arms were chosen."""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..core.types import Floats
from ..inference.significance import p_value
from ..present.numbers import numeral
from .settings import VERDICT

if TYPE_CHECKING:
    from .logging_grade import Check, Grade

ODD_SHARE = 0.01
"""A smaller share of the rewards than this is looked at as a possible mistake."""

HEAVY_SHARE = 0.3
"""Share of what rewards differ by that is much for a hundredth of the rows."""


def left_out(missing: dict[str, int]) -> list[str]:
    """Rows that could not be used.

    Args:
        missing: how many, by reason.

    Returns:
        One sentence; none if all rows are used.
    """
    counted = (f"{rows:,} row{'' if rows == 1 else 's'} with {why}" for why, rows in missing.items())
    return [f"Left out: {', '.join(counted)}."] if missing else []


def untried(arms: int) -> list[str]:
    """Arms without a row.

    Args:
        arms: how many there are.

    Returns:
        One sentence; none if there are none.
    """
    if not arms:
        return []
    told = "1 arm has no row, and only the clusters name it" if arms == 1 else ""
    return [f"{told or f'{arms} arms have no row, and only the clusters name them'}: left out."]


def odd_rewards(reward: Floats) -> str:
    """A warning of rewards that may be mistakes, or that make up much of all.

    Args:
        reward: the reward of each row.

    Returns:
        One or two sentences; empty if there is nothing to warn of.
    """
    odd = reward[(reward != 0.0) & (reward != 1.0)]
    if not 0 < odd.size <= ODD_SHARE * reward.size:
        return _heavy_rewards(reward) if odd.size else ""
    first = numeral(float(odd[0]))
    which = f"{odd.size:,} others, such as {first}, are" if odd.size > 1 else f"one, {first}, is"
    return f"Nearly all rewards are 0 or 1; {which} not. Check whether that is a mistake: it changes how all rewards are judged."


def _heavy_rewards(reward: Floats) -> str:
    """A warning where a hundredth of the rows holds much of what rewards differ by."""
    apart = np.sort(np.abs(reward - np.median(reward)))
    few = int(ODD_SHARE * apart.size)
    share = float(apart[apart.size - few :].sum() / max(apart.sum(), 1e-300))
    if share < HEAVY_SHARE:
        return ""
    return (
        f"One row in a hundred makes up {share:.0%} of all that rewards differ by. Intervals assume normal noise, so they are "
        "too narrow here. Cap the largest rewards."
    )


def few_decisions(rounds: int, arms: int, rows: int) -> list[str]:
    """A warning where policies get few decisions for each arm.

    Args:
        rounds: decisions that a policy gets.
        arms: how many arms there are.
        rows: rows to judge by, the most decisions there can be.

    Returns:
        One or two sentences; none if there are decisions enough.
    """
    enough = math.ceil(VERDICT.few_decisions * arms)
    if rounds >= enough:
        return []
    told = (
        f"Few decisions: {rounds:,} for {arms:,} arms. UCB without history first plays each arm once, so the gains are mostly "
        "those of not having to."
    )
    way = (
        f"Ask for more with rounds={min(enough, rows)} (--rounds)" if rounds < rows else f"The log has no more than {rows:,} rows"
    )
    return [f"{told} {way}."]


def contradicted(grade: "Grade") -> list[str]:
    """A warning where arms are said to be chosen at random, and the log does not look so.

    Args:
        grade: the grade of the evidence.

    Returns:
        One sentence; none if there is no contradiction.
    """
    bad = [check for check in grade.checks if not check.passed]
    if grade.letter != "A" or grade.assumed or not bad:
        return []
    told = "; ".join(checks(bad))
    return [
        f"Arms are said to be chosen at random, but the log does not look so ({told}). If they were not, all numbers are biased."
    ]


def checks(found: Iterable["Check"]) -> list[str]:
    """How arms were chosen. Uneven choices do no harm by themselves, choices by context or time do.

    Args:
        found: the checks.

    Returns:
        One part of a sentence for each.
    """
    bad = {"CV": "uneven", "V": "not at random"}
    told = ((check, "fine" if check.passed else bad[check.measure]) for check in found)
    return [f"{check.what}: {check.measure} = {check.size:.3f} ({p_value(check.p)}), {word}" for check, word in told]
