"""What ``policy.trust()`` returns: numbers with their intervals, and the same in words."""

import warnings
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from ..core.types import Label
from ..inference.intervals import Estimate
from ..inference.shift import SETTINGS as SHIFT
from ..inference.significance import p_value
from ..policies.forgetting.memory import Memory
from ..present.numbers import numeral
from ..present.pages import notebook
from ..present.text import printable_lines
from .memory import remembered
from .misfits import Misfit, misfit_words
from .settings import SETTINGS
from .view import figure_of, frame_of, noticed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

UNCHECKED = " Mostly the history says so: only few of its arms have been played since, and an error in it would go unnoticed."

NO_GROUPING = {False: "It has no groups to judge.", True: "It is too early to say what the groups are worth."}


@dataclass(frozen=True)
class Grouping:
    """What a grouping is worth.

    Args:
        share: Of the real differences between arms, what the groups explain.
        within: Standard deviation of arms within a group: of expected rewards or, with contexts, of coefficients, each column of
            the contexts in a unit of its own.
        between: Standard deviation from group to group, beyond that of random groups; the squares of both add up.
        groups: How many there are.
        contextual: Whether these are coefficients.
        unchecked: Whether it is mostly history that says so.
    """

    share: Estimate
    within: Estimate
    between: Estimate
    groups: int
    contextual: bool
    unchecked: bool = False

    @property
    def verdict(self) -> str:
        """What the interval of the share means: an estimate alone decides nothing."""
        _, low, high = self.share
        if high - low > SETTINGS.wide or (low < SETTINGS.nothing and high >= SETTINGS.little):
            return "It is too early to say what the groups are worth"
        if low < SETTINGS.nothing:
            return "The groups say little or nothing about the arms, as far as can be seen"
        if high < SETTINGS.little:
            return "The groups say little about the arms, but something"
        return f"The groups say {'much' if low > SETTINGS.much else 'something'} about the arms"

    @property
    def doubted(self) -> bool:
        """Whether the groups say little at most, as far as can be seen."""
        _, low, high = self.share
        return high < SETTINGS.little and high - low <= SETTINGS.wide

    def words(self) -> str:
        """The grouping in a sentence or two, for a reader who is no statistician.

        Returns:
            Sentences.
        """
        of = "Coefficients" if self.contextual else "Expected rewards"
        units = " (every column of the contexts in a unit of its own)" if self.contextual else ""
        share = f"{self.share.value:.0%} ({self.share.low:.0%} to {self.share.high:.0%})"
        return (
            f"{self.verdict}: they explain {share} of the real differences. {of} differ by about {self.within} "
            f"within a group, and by about {self.between} from group to group{units}.{UNCHECKED if self.unchecked else ''}"
        )


@dataclass(frozen=True)
class Agreement:
    """Whether history and online rounds tell the same of the arms: a chi-square test over arms with enough of both.

    Args:
        plays: Of the history.
        known: Arms that have history.
        arms: Those of them that could be compared.
        p: The probability of such differences by chance.
        farthest: The arms that differ most, as (arm, historical mean, online mean, difference in standard errors). With contexts
            the means are those expected in the mean context of the arm's history, and the difference is that of all coefficients.
        drift: How far the policy takes expected rewards (coefficients) to have moved since, as a standard deviation; None for
            policies that count history as it is.
        trusted: The share of the history's plays, or information, that counts for the policy.
        contextual: Whether coefficients are compared. The test takes noise to be the same in all contexts, and is too strict
            where it is not.
        bent: Whether rewards of two values are compared by coefficients. They do not rise in a straight line with contexts, and
            rounds are played where an arm is good; so they seem to differ from history where nothing has changed.
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
        return self.arms < SETTINGS.checked * self.known and not self.differs

    @property
    def let_go(self) -> bool:
        """Whether the policy has found that the history says next to nothing."""
        return self.trusted is not None and self.trusted < SETTINGS.let_go

    @property
    def differs(self) -> bool:
        """Whether they differ beyond chance, and for no other reason that is known.

        With contexts, a policy that looks for a drift itself must have found one.
        """
        found = self.p < SHIFT.beyond_chance and not self.bent and not (self.contextual and self.drift == 0.0)
        return self.let_go or found

    def warn(self, stacklevel: int) -> None:
        """Warn if they differ.

        Args:
            stacklevel: Calls up to the line that is warned of.
        """
        if self.differs:
            warnings.warn(self.words(), UserWarning, stacklevel=stacklevel + 1)

    def words(self) -> str:
        """The agreement in a sentence or two, for a reader who is no statistician.

        Returns:
            Sentences.
        """
        if self.arms == 0:
            told = f"No arm has both history and rounds enough to compare; the history counts {numeral(self.plays)} plays."
            return f"{told} {self._consequence()}" if self.drift else told
        arms = "one arm" if self.arms == 1 else f"{self.arms} arms"
        arms += f" of {self.known}" if self.arms < self.known else ""
        compared = f"over the {arms} with enough of both ({p_value(self.p)})"
        if self.let_go and self.p >= SHIFT.beyond_chance:
            told = f"Arm by arm history and rounds differ no more than by chance, {compared}; all together they do."
            return f"{told} {self._consequence()}"
        if self.differs:
            apart = "its coefficients are " if self.contextual else ""
            shown = "; ".join(
                f"{arm!r} paid {numeral(then)}, now {numeral(now)} ({apart}{abs(z):.1f} standard errors apart)"
                for arm, then, now, z in self.farthest
            )
            return f"History and rounds differ beyond chance, {compared}: {shown}. {self._consequence()}"
        if self.p >= SHIFT.beyond_chance:
            told = f"History and rounds agree as far as can be seen, {compared}."
            if self.p < SETTINGS.hint:
                told = f"There is a hint that history and rounds differ, not enough to say so, {compared}."
        elif self.bent:
            told = (
                f"History and rounds differ, {compared}. With contexts, rewards of two values do so even if nothing has changed, "
                "since they do not rise in a straight line: compare the arms' rates before and now in like contexts."
            )
        else:
            return (
                f"History and rounds differ, {compared}. The cause is rather noise that varies with the contexts than a drift: "
                "this policy looks for a drift, has found none, and counts history in full."
            )
        if self.arms < self.known:
            others = self.known - self.arms
            who, whose = ("The other arm has", "its") if others == 1 else (f"The other {others} arms have", "their")
            told += f" {who} not been played enough since; an error in {whose} history would go unnoticed."
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


@dataclass(frozen=True, repr=False)
class Trust:
    """What is known about the worth of grouping and history; prints as sentences.

    Args:
        policy: Its name.
        rounds: That it has learnt.
        grouped: Whether there are groups to judge.
        grouping: What they are worth; None as long as there is too little data to judge them by.
        misfits: Arms that do not seem to belong to their group, the clearest first; with contexts nobody looks for them.
        history: Whether history and rounds agree; None without history.
        experts: Of a policy that chooses among experts, the share of rounds in which it followed each.
        noise: Standard deviation of an arm's rewards that the policy has estimated and explores by, if it does: the scale of
            ``scale="auto"``.
        levelless: Whether contexts have nothing constant in them, so that arms cannot differ in their level.
        far_from_0: Mean reward, if rewards differ so little beside it that the sums hardly hold it; None otherwise.
        memory: What a policy with a half-life remembers; None of others.
        older: What becomes of rounds from before a change: "counts as history" or "no longer counts".
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
    far_from_0: float | None = None
    memory: Memory | None = None
    older: str = "no longer counts"

    def words(self) -> list[str]:
        """The findings, a sentence or two each.

        Returns:
            Lines.
        """
        lines = [f"{self.policy} after {self.rounds} round{'' if self.rounds == 1 else 's'}:"]
        lines.append(self.grouping.words() if self.grouping else NO_GROUPING[self.grouped])
        if self.misfits:
            lines.append(misfit_words(self.misfits))
        lines.append(self.history.words() if self.history else "It has no history.")
        if self.memory is not None:
            lines.append(remembered(self.memory, self.rounds, self.older))
        if self.experts:
            shares = ", ".join(f"{name} in {share:.0%}" for name, share in self.experts.items())
            lines.append(f"Of the experts it followed {shares} of the rounds.")
        if self.noise is not None:
            lines.append(
                f"Rewards of an arm vary by about {numeral(self.noise)} (one standard deviation); that is what it explores by."
            )
        if self.levelless:
            lines.append("No number of the contexts is constant: put a 1 into each if arms may differ in their level.")
        if self.far_from_0 is not None:
            lines.append(
                f"All rewards are about {numeral(self.far_from_0)}. If they differ by less than a hundred-thousandth of that, "
                "their differences are lost: subtract it from every reward."
            )
        return lines

    def noticed(self) -> dict[str, str | None]:
        """What a log hears of.

        Returns:
            A sentence by a name that stays the same, None for what is not so.
        """
        return noticed(self)

    def to_dict(self) -> dict[str, Any]:
        """All numbers, ready for JSON.

        Returns:
            A dictionary.
        """
        return asdict(self)

    def frame(self, backend: Any = "polars") -> Any:
        """All numbers as a data frame.

        Args:
            backend: polars, pandas or pyarrow.

        Returns:
            A row for each number: what it is, of which arm or expert, its value, and the ends of its 90 % interval.

        Raises:
            ImportError: Without the backend.
        """
        return frame_of(self, backend)

    def plot(self) -> "Figure":
        """The share that groups explain, how often each expert was followed, and the arms farthest from their history.

        Returns:
            A figure of matplotlib.

        Raises:
            ImportError: Without matplotlib.
        """
        return figure_of(self)

    def _repr_html_(self) -> str | None:
        title, *lines = self.words()
        return notebook(title, lines=lines)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return printable_lines(self.words())
