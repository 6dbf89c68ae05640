"""Whether a history fits a policy, or another history."""

from collections.abc import Collection, Mapping, Sequence

from ..core.labels import shown
from ..core.types import Label
from .encoding import Encoding, check_alike, common_encoding

WITH_CONTEXTS = "make it with from_rounds(contexts=), or with from_frame or from_file and context="
"""The way out for a history without contexts."""


def check_fit(arms: Sequence[Label], dimension: int | None, known: Collection[Label], needed: int | None) -> None:
    """Refuse a history of other arms, or of contexts of another length.

    Args:
        arms: the arms of the history.
        dimension: how many numbers its contexts have, None for none.
        known: the arms of the policy.
        needed: how many numbers the policy needs, None for none.

    Raises:
        ValueError: with the way out.
    """
    if strangers := [arm for arm in arms if arm not in known]:
        text = {str(arm) for arm in known} & {str(arm) for arm in strangers}
        way = "drop them with history.only(arms)"
        if text:
            way = f"{shown(sorted(text))} is a number in one of them and text in the other: write them alike"
        raise ValueError(f"history has arms that the policy does not: {shown(strangers)}; {way}")
    if needed is not None and arms and dimension != needed:
        have = f"contexts of {dimension} numbers" if dimension else "no contexts"
        way = "" if dimension else f": {WITH_CONTEXTS}"
        raise ValueError(f"history has {have}, the policy needs contexts of {needed}{way}")


def shared_encoding(one: Encoding | None, other: Encoding | None, both: bool) -> Encoding | None:
    """The encoding of the sum of two histories; numbers as they are may be added to those of unnamed contexts.

    Args:
        one: the encoding of a history.
        other: that of the other.
        both: whether both have arms; an empty history fits every other.

    Returns:
        The encoding, None if there is none.
    """
    if both:
        check_alike(one, other, "histories with different encodings cannot be added")
    return common_encoding((one, other), "histories with different encodings cannot be added")


def listed_reasons(missing: Mapping[str, int]) -> str:
    """Rows that were left out, in words.

    Args:
        missing: how many, by reason.

    Returns:
        The words.
    """
    return ", ".join(f"{rows} {reason}" for reason, rows in missing.items())
