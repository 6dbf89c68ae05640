"""Stamps, epochs and weights: a round weighs 2^(its epoch / 16), and inside an epoch all rounds weigh the same.

An epoch is a sixteenth of a half-life. So whatever a policy derives between two epochs stays exact, and forgetting is one refresh
at the end of an epoch. Sums of such weights do not mind the order of rounds.
"""

import datetime
import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np

EPOCHS = 16
"""Epochs of a half-life: a round counts at most 1 - 2^(-1/16) = 4 % more than its age says."""

EPOCH_ROUNDS = 32
"""Rounds of an epoch of "auto" (chosen on 16 trials of other seeds than the tables of docs/changing.md)."""

CONTEXT_ROUNDS = 64
"""The same with contexts."""

ROUNDS_OF_AN_ARM, CONTEXTS_OF_AN_ARM = 1, 4
"""With many arms an epoch of "auto" has so many rounds for each arm, so that its refresh costs each round little; with contexts a
refresh takes longer."""

MOST_BY_AGE = 100_000
"""Of "auto", which keeps some 30 to 50 rows of sums for each arm."""

LEAST, MOST_STAMP = 1e-3, 1e15

HalfLifeLike: TypeAlias = float | datetime.timedelta | str | None
Stamp: TypeAlias = float | datetime.datetime | None
"""When a decision was made: a number of decisions, or a time (seconds since 1970, or a datetime)."""


class HalfLife(NamedTuple):
    """After how long a round counts half.

    Args:
        value: In decisions or seconds; infinite for a policy that never forgets, and for "auto".
        seconds: Whether it is a time; else it counts decisions.
        epoch_rounds: Of "auto", the rounds of an epoch; 0 for a fixed half-life.
    """

    value: float
    seconds: bool = False
    epoch_rounds: int = 0

    @property
    def auto(self) -> bool:
        """Whether the policy finds out by itself what is too old."""
        return self.epoch_rounds > 0

    @property
    def first_epoch(self) -> int:
        """The epoch of a policy that has seen nothing: 0, or before all times."""
        return -(1 << 60) if self.seconds else 0

    def epoch(self, stamp: float) -> int:
        """The epoch of a stamp.

        Args:
            stamp: In decisions or seconds.

        Returns:
            A whole number.
        """
        if self.epoch_rounds:
            return math.floor(stamp / self.epoch_rounds)
        return 0 if math.isinf(self.value) else math.floor(stamp * EPOCHS / self.value)

    def begin(self, epoch: int) -> float:
        """The first stamp of an epoch.

        Args:
            epoch: The epoch.

        Returns:
            In decisions or seconds.
        """
        if self.auto:
            return float(epoch * self.epoch_rounds)
        return 0.0 if math.isinf(self.value) else epoch * self.value / EPOCHS

    def stamp(self, at: Any, name: str) -> float:
        """A stamp that a user gave, as a number.

        Args:
            at: A number, or a datetime; without a zone it is UTC.
            name: What the policy is called, for messages.

        Returns:
            Decisions or seconds.

        Raises:
            ValueError: It is none, or of the other kind.
        """
        if isinstance(at, datetime.datetime):
            if not self.seconds:
                raise ValueError(f"{name} counts its half-life in decisions: at must be a number of decisions, got {at!r}")
            return (at if at.tzinfo else at.replace(tzinfo=datetime.UTC)).timestamp()
        if isinstance(at, bool) or not isinstance(at, int | float | np.number) or not abs(float(at)) < MOST_STAMP:
            raise ValueError(f"at must be a number of decisions, seconds since 1970 or a datetime, got {at!r}")
        return float(at)

    def listed(self) -> Any:
        """As a state file holds it: a number, "auto" with its rounds, or seconds."""
        if self.auto:
            return {"auto": self.epoch_rounds}
        value = "inf" if math.isinf(self.value) else self.value
        return {"seconds": value} if self.seconds else {"decisions": value}

    @classmethod
    def restored(cls, listed: Any) -> "HalfLife | None":
        """That which ``listed`` wrote.

        Args:
            listed: What a state file holds.

        Returns:
            The half-life, or None.

        Raises:
            ValueError: It is none.
        """
        if listed is None:
            return None
        ((unit, value),) = listed.items()
        if unit == "auto" and type(value) is int and value >= EPOCH_ROUNDS:
            return cls(math.inf, False, value)
        if unit not in ("seconds", "decisions") or not (float(value) >= LEAST):
            raise ValueError(f"there is no half-life {listed!r}")
        return cls(float(value), unit == "seconds")

    def __str__(self) -> str:
        if self.auto:
            return '"auto"'
        return str(datetime.timedelta(seconds=self.value)) if self.seconds else f"{self.value:g} decisions"


def weight(epochs: int) -> float:
    """What a round weighs that is so many epochs old: 2^(-epochs / 16).

    Args:
        epochs: Its age.

    Returns:
        1 for a new round, exactly 0 for one that is very old.
    """
    return 1.0 if epochs <= 0 else math.ldexp(2.0 ** (-(epochs % EPOCHS) / EPOCHS), -min(epochs // EPOCHS, 5000))


def half_life_of(given: Any, arms: int, dimension: int | None = None) -> HalfLife | None:
    """The half-life that a user gave.

    Args:
        given: None, a number of decisions, a timedelta or "auto".
        arms: How many arms the policy has.
        dimension: Length of its contexts.

    Returns:
        The half-life, or None.

    Raises:
        ValueError: It is none.
    """
    if given is None or isinstance(given, HalfLife):
        return given
    if isinstance(given, str) and given == "auto":
        if arms > MOST_BY_AGE:
            raise ValueError(
                f'half_life="auto" keeps sums by age and takes up to {MOST_BY_AGE} arms, got {arms}: give a number of decisions'
            )
        least, of_an_arm = (EPOCH_ROUNDS, ROUNDS_OF_AN_ARM) if dimension is None else (CONTEXT_ROUNDS, CONTEXTS_OF_AN_ARM)
        return HalfLife(math.inf, False, 1 << (max(of_an_arm * arms, least) - 1).bit_length())
    seconds = isinstance(given, datetime.timedelta)
    value: Any = given.total_seconds() if isinstance(given, datetime.timedelta) else given
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not float(value) >= LEAST:
        raise ValueError(f'half_life must be None, a number of decisions above 0, a timedelta or "auto", got {given!r}')
    return HalfLife(float(value), seconds)
