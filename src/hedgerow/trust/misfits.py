"""Arms that do not seem to belong to their group."""

from typing import NamedTuple

from ..core.types import Label
from .settings import SETTINGS


class Misfit(NamedTuple):
    """An arm that does not seem to belong to its group.

    Args:
        arm: Its label.
        group: That it is in.
        chance: Probability that it does not belong there.
    """

    arm: Label
    group: Label
    chance: float


def misfit_words(found: tuple[Misfit, ...]) -> str:
    """The arms in a sentence, for a reader who is no statistician.

    Args:
        found: At least one.

    Returns:
        A sentence.
    """
    shown = [f"{arm!r} in {group!r} (a chance of {min(chance, 0.99):.0%})" for arm, group, chance in found[: SETTINGS.named]]
    more = f", and {len(found) - SETTINGS.named} more in theirs" if len(found) > SETTINGS.named else ""
    one, some = "One arm does not seem to belong where it is", "Some arms do not seem to belong where they are"
    return f"{one if len(found) == 1 else some}: {'; '.join(shown)}{more}."
