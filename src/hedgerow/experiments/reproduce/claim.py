"""What a claim is: settings in which a number was measured, and the verdict that follows from their intervals."""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from ...present.numbers import numerals
from ..result import Difference, Simulation, interval
from .panels import META_OWN

HOLDS, FAILS, OPEN = "holds", "does not hold", "open"
OUTCOME_ORDER = {FAILS: 0, OPEN: 1, HOLDS: 2}


@dataclass(frozen=True)
class Check:
    """A claim in one setting: the number that decides it and its 95 % interval over trials.

    It holds if the whole interval lies within (``above``, ``below``), does not hold if the whole interval lies outside,
    and is open otherwise: more trials would tell.
    """

    setting: str
    what: str
    value: float
    low: float
    high: float
    above: float = 0.0
    below: float = float("inf")

    @property
    def shown(self) -> tuple[str, str, str]:
        """The number and the ends of its interval, for readers."""
        return numerals(self.value, self.low, self.high)

    @property
    def outcome(self) -> str:
        if self.low > self.above and self.high < self.below:
            return HOLDS
        return FAILS if self.high < self.above or self.low > self.below else OPEN


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, the settings in which it was looked at, and controls, which do not count for the verdict."""

    figure: str
    text: str
    checks: tuple[Check, ...]
    controls: tuple[Check, ...] = ()
    note: str = ""

    @property
    def held(self) -> int:
        return sum(check.outcome == HOLDS for check in self.checks)

    @property
    def failed(self) -> int:
        return sum(check.outcome == FAILS for check in self.checks)

    @property
    def tally(self) -> str:
        """In how many settings it holds, in how many it does not, and how many are open."""
        count = len(self.checks)
        parts = {"yes": self.held, "no": self.failed, "open": count - self.held - self.failed}
        told = ", ".join(f"{word} in {times}" for word, times in parts.items() if times)
        return f"{told} of {count} setting{'' if count == 1 else 's'}"

    @property
    def verdict(self) -> str:
        if self.held:
            return "holds" if self.held == len(self.checks) else "holds under stated settings"
        return "does not hold" if self.failed else "not decided"

    @property
    def weakest(self) -> Check:
        """The setting that speaks least for the claim."""
        return min(self.checks, key=lambda check: OUTCOME_ORDER[check.outcome])

    def as_dict(self) -> dict[str, Any]:
        """The claim for claims.json.

        Returns:
            Its parts by name.
        """
        rows = {
            name: [{**asdict(check), "below": _finite(check.below), "outcome": check.outcome} for check in getattr(self, name)]
            for name in ("checks", "controls")
        }
        return {"figure": self.figure, "text": self.text, "verdict": self.verdict, **rows, "note": self.note}


def _finite(value: float) -> float | None:
    """JSON has no infinity."""
    return value if math.isfinite(value) else None


def above_zero(setting: str, difference: Difference) -> Check:
    """A check that holds if the whole interval lies above 0.

    Args:
        setting: where it was measured.
        difference: what was measured.

    Returns:
        The check.
    """
    return Check(setting, *difference)


def gain(result: Simulation, policy: str, other: str, at: int | None = None) -> Difference:
    """Expected reward per round that a policy earns more than another, paired over trials.

    Args:
        result: the simulation.
        policy: the policy.
        other: the other one.
        at: the round, None for the last.

    Returns:
        The difference.
    """
    rounds = int(result.at[result.point(at)])
    less_regret = result.of(other, "regret", at=at) - result.of(policy, "regret", at=at)
    return interval(f"{policy} - {other}, expected reward per round", less_regret / rounds)


def best(setting: str, result: Simulation, policy: str, others: Iterable[str], at: int | None = None) -> Check:
    """A check that holds if the policy earns more than each of the others; shown is the one that speaks most against it.

    Args:
        setting: where it was measured.
        result: the simulation.
        policy: the policy.
        others: its rivals.
        at: the round, None for the last.

    Returns:
        The check.
    """
    return _weakest(above_zero(setting, gain(result, policy, other, at)) for other in others)


def worst(setting: str, result: Simulation, policy: str, others: Iterable[str]) -> Check:
    """A check that holds if each of the others earns more than the policy.

    Args:
        setting: where it was measured.
        result: the simulation.
        policy: the policy.
        others: its rivals.

    Returns:
        The check.
    """
    return _weakest(above_zero(setting, gain(result, other, policy)) for other in others)


def _weakest(checks: Iterable[Check]) -> Check:
    """One that fails, else one that is open; of several the one that may be lowest."""
    return min(checks, key=lambda check: (OUTCOME_ORDER[check.outcome], check.low))


def control(setting: str, result: Simulation, policy: str, at: int | None = None) -> Check:
    """What the labels themselves are worth to a policy: against the same policy with shuffled labels.

    Args:
        setting: where it was measured.
        result: the simulation.
        policy: the policy.
        at: the round, None for the last.

    Returns:
        The check.
    """
    return above_zero(setting, gain(result, policy, f"{policy} shuffled", at))


def follows(setting: str, result: Simulation, meta: str, expert: str, at: int | None = None) -> Check:
    """A check that holds if META followed the expert in most rounds.

    Args:
        setting: where it was measured.
        result: the simulation.
        meta: the name of the META.
        expert: the name of its expert.
        at: the round, None for the last.

    Returns:
        The check.
    """
    shares = result.share(meta, expert, at=at)
    most = f"most rounds in {int((shares > 0.5).sum())} of {len(shares)} trials"
    return above_zero(_learning(setting, meta), interval(f"share of rounds with {expert}, less 1/2 ({most})", shares - 0.5))


def follows_control(setting: str, result: Simulation, meta: str, expert: str, at: int | None = None) -> Check:
    """How much more META follows the expert than it does with shuffled labels.

    Args:
        setting: where it was measured.
        result: the simulation.
        meta: the name of the META.
        expert: the name of its expert.
        at: the round, None for the last.

    Returns:
        The check.
    """
    more = result.share(meta, expert, at=at) - result.share(f"{meta} shuffled", expert, at=at)
    return above_zero(_learning(setting, meta), interval(f"share of rounds with {expert}, less that with shuffled labels", more))


def _learning(setting: str, meta: str) -> str:
    return f"{setting}, {'experts learn from their own rounds' if meta == META_OWN else 'shared rounds'}"


def horizons(result: Simulation, wanted: Iterable[int]) -> list[int]:
    """Those of the wanted horizons that the simulation reached, each once, or its last round.

    Args:
        result: the simulation.
        wanted: the horizons.

    Returns:
        At least one round.
    """
    return list(dict.fromkeys(T for T in wanted if result.rounds >= T)) or [result.rounds]
