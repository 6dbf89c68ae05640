"""What ``policy.trust()`` returns: numbers with their intervals, and the same in words."""

import warnings
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from ..core.types import Label
from ..inference.chi_square import p_value
from ..present.numbers import numeral, numerals

BEYOND_CHANCE = 0.01
"""History and rounds that differ with a lower probability than this are said to differ."""

A_HINT = 0.05
"""Below this there is a hint that they may."""

LET_GO = 0.1
"""A policy that counts less than this share of its history has let it go."""

NOTHING, LITTLE, WIDE = 0.05, 0.25, 0.8
"""Shares of the differences: groups that explain less than the first may say nothing, less than the second in no case much; an
interval wider than the third tells nothing."""

CHECKED = 0.5
"""Share of a history's arms that rounds must have tried for their agreement to speak for the others."""

SHOWN = 3
"""Arms that are named in a sentence."""

UNCHECKED = " That is mostly what history says: rounds have tried few of its arms, so nobody can tell if it still holds."

NO_GROUPING = {False: "It has no groups to judge.", True: "It is too early to say what the groups are worth."}


class Estimate(NamedTuple):
    """A number with its 90 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        value, low, high = numerals(*self)
        return f"{value} ({low} to {high})"


@dataclass(frozen=True)
class Grouping:
    """``share`` of the real differences between arms that the groups explain; spreads are standard deviations.

    Of expected rewards or, with contexts, of the arms' coefficients, each column of the contexts in a unit of its own (lens.py).
    ``unchecked``: it is mostly history that says so.
    """

    share: Estimate
    within: Estimate
    between: Estimate
    groups: int
    contextual: bool
    unchecked: bool = False

    def words(self) -> str:
        """For a reader who is no statistician."""
        of = "coefficients" if self.contextual else "expected rewards"
        units = " (every column of the contexts in a unit of its own)" if self.contextual else ""
        share = f"{self.share.value:.0%} ({self.share.low:.0%} to {self.share.high:.0%})"
        if self.share.high < LITTLE:
            verdict = "The groups say little or nothing about the arms, as far as can be seen"
        elif self.share.high - self.share.low > WIDE or self.share.low < NOTHING:
            verdict = "It is too early to say what the groups are worth"
        elif self.share.value > 0.5:
            verdict = "The groups say much about the arms"
        else:
            verdict = "The groups say something about the arms"
        return (
            f"{verdict}: they explain {share} of the real differences. {of.capitalize()} differ by about {self.within} "
            f"within a group, and by about {self.between} from group to group{units}.{UNCHECKED if self.unchecked else ''}"
        )


class Misfit(NamedTuple):
    """An arm that does not seem to belong to its group, and the chance that it does not."""

    arm: Label
    group: Label
    chance: float


def _misfits(found: tuple[Misfit, ...]) -> str:
    """For a reader who is no statistician."""
    shown = [f"{arm!r} in {group!r} (a chance of {min(chance, 0.99):.0%})" for arm, group, chance in found[:SHOWN]]
    more = f", and {len(found) - SHOWN} more in theirs" if len(found) > SHOWN else ""
    one, some = "One arm does not seem to belong where it is", "Some arms do not seem to belong where they are"
    return f"{one if len(found) == 1 else some}: {'; '.join(shown)}{more}."


@dataclass(frozen=True)
class Agreement:
    """Whether history and online rounds tell the same of the arms: a chi-square test over arms with enough of both.

    ``plays`` of the history, the arms ``known`` by it, and those of them that could be compared.
    ``farthest``: the arms that differ most, as (arm, historical mean, online mean, difference in standard errors); with contexts
    the means are those expected in the mean context of the arm's history, and the difference is that of all coefficients.
    ``contextual``: the test then takes noise to be the same in all contexts, and is too strict where it is not.
    ``bent``: rewards of two values do not rise in a straight line with contexts, and rounds are played where an arm is good; so
    they seem to differ from history where nothing has changed.
    ``drift``: how far the policy takes expected rewards (coefficients) to have moved since, as a standard deviation; None for
    policies that count history as it is. ``trusted``: the share of the history's plays, or information, that counts for it.
    """

    plays: float
    known: int
    arms: int
    p: float
    farthest: tuple[tuple[Label, float, float, float], ...] = ()
    drift: float | None = None
    trusted: float | None = None
    contextual: bool = False
    bent: bool = False

    @property
    def unchecked(self) -> bool:
        """Whether it counts, and rounds have tried too few of its arms to tell if it still holds."""
        return self.arms < CHECKED * self.known and not self.differs

    @property
    def let_go(self) -> bool:
        """Whether the policy has found that the history says next to nothing."""
        return self.trusted is not None and self.trusted < LET_GO

    @property
    def differs(self) -> bool:
        """Whether they differ beyond chance, and for no other reason that is known.

        With contexts, a policy that looks for a drift itself must have found one.
        """
        found = self.p < BEYOND_CHANCE and not self.bent and not (self.contextual and self.drift == 0.0)
        return self.let_go or found

    def warn(self, stacklevel: int) -> None:
        """Warn, as from so many calls up, if they differ."""
        if self.differs:
            warnings.warn(self.words(), UserWarning, stacklevel=stacklevel + 1)

    def words(self) -> str:
        """For a reader who is no statistician."""
        if self.arms == 0:
            told = f"No arm has both history and rounds enough to compare; the history counts {numeral(self.plays)} plays."
            return f"{told} {self._consequence()}" if self.drift else told
        arms = "one arm" if self.arms == 1 else f"{self.arms} arms"
        arms += f" of {self.known}" if self.arms < self.known else ""
        compared = f"over the {arms} with enough of both ({p_value(self.p)})"
        if self.let_go and self.p >= BEYOND_CHANCE:
            told = f"Arm by arm history and rounds differ no more than by chance, {compared}; all together they do."
            return f"{told} {self._consequence()}"
        if self.differs:
            apart = "its coefficients are " if self.contextual else ""
            shown = "; ".join(
                f"{arm!r} paid {numeral(then)}, now {numeral(now)} ({apart}{abs(z):.1f} standard errors apart)"
                for arm, then, now, z in self.farthest
            )
            return f"History and rounds differ beyond chance, {compared}: {shown}. {self._consequence()}"
        if self.p >= BEYOND_CHANCE:
            told = f"History and rounds agree as far as can be seen, {compared}."
            if self.p < A_HINT:
                told = f"There is a hint that history and rounds differ, not enough to say so, {compared}."
        elif self.bent:
            told = (
                f"History and rounds differ, {compared}. With contexts, rewards of two values do so even if nothing has changed, "
                "since they do not rise in a straight line: compare the arms' rates before and now in like contexts."
            )
        else:
            return (
                f"History and rounds differ, {compared}, but rather for noise that varies with the contexts than for a drift: "
                "this policy, which would find one, has not, and counts history in full."
            )
        if self.arms < self.known:
            others = "other" if self.known - self.arms == 1 else f"other {self.known - self.arms}"
            told += f" Of the {others} history speaks alone: should it be wrong, nobody would notice."
        return f"{told} {self._consequence()}" if self.drift else told

    def _consequence(self) -> str:
        if self.drift is None:
            return "Weigh it less with policy.history = history.weighted(0.1), or use Auto, which finds out how far to trust it."
        if self.drift == 0.0:
            return "This policy still counts it in full; it looks again as rounds come in."
        moved = f"This policy takes the arms to have moved by about {numeral(self.drift)} since"
        if self.trusted is None:
            return f"{moved}."
        if self.trusted < 0.005:
            return f"{moved}, and no longer counts history."
        return f"{moved}, and still gives history {self.trusted:.0%} of its weight."


@dataclass(frozen=True)
class Trust:
    """What is known about the worth of grouping and history; prints as sentences.

    ``grouped``: whether there are groups to judge; ``grouping`` is None as long as there is too little data to judge them by.
    ``misfits``: arms that do not seem to belong to their group, the clearest first; with contexts nobody looks for them.
    ``noise``: the standard deviation of an arm's rewards that the policy has estimated and explores by, if it does: the scale of
    ``scale="auto"``. ``levelless``: contexts have nothing constant in them, so that arms cannot differ in their level.
    """

    policy: str
    rounds: int
    grouped: bool = False
    grouping: Grouping | None = None
    misfits: tuple[Misfit, ...] = ()
    history: Agreement | None = None
    experts: dict[str, float] = field(default_factory=dict)
    noise: float | None = None
    levelless: bool = False

    def words(self) -> list[str]:
        """The findings, a sentence or two each."""
        lines = [f"{self.policy} after {self.rounds} round{'' if self.rounds == 1 else 's'}:"]
        lines.append(self.grouping.words() if self.grouping else NO_GROUPING[self.grouped])
        if self.misfits:
            lines.append(_misfits(self.misfits))
        lines.append(self.history.words() if self.history else "It has no history.")
        if self.experts:
            shares = ", ".join(f"{name} in {share:.0%}" for name, share in self.experts.items())
            lines.append(f"Of the experts it followed {shares} of the rounds.")
        if self.noise is not None:
            lines.append(
                f"Rewards of an arm vary by about {numeral(self.noise)} (one standard deviation); that is what it explores by."
            )
        if self.levelless:
            lines.append("No number of the contexts is constant: put a 1 into each if arms may differ in their level.")
        return lines

    def to_dict(self) -> dict[str, Any]:
        """All numbers, ready for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        return "\n".join(self.words())
