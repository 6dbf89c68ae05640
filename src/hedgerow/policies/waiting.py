"""Rounds that wait for their reward, counted."""

from collections import Counter
from typing import Any, TypeVar, cast

from ..core.types import Label, tuples

Key = TypeVar("Key", bound=tuple[Any, ...])


class Waiting(Counter[Key]):
    """How many rounds of each kind wait; the first part of a kind is its arm.

    >>> waiting = Waiting([("a", None), ("a", None), ("b", None)])
    >>> waiting.settle(("b", None))
    >>> waiting.listed(), waiting.without("a").total()
    ([['a', None, 2]], 0)
    """

    def settle(self, key: Key) -> None:
        """One waits no longer, however many others do."""
        self[key] -= 1
        if self[key] == 0:
            del self[key]

    def without(self, arm: Label) -> "Waiting[Key]":
        """Those of other arms."""
        return Waiting({key: count for key, count in self.items() if key[0] != arm})

    def listed(self) -> list[list[Any]]:
        """As a state file holds them."""
        return [[*key, count] for key, count in self.items()]

    @classmethod
    def restored(cls, listed: list[list[Any]]) -> "Waiting[Key]":
        """Those that ``listed`` wrote."""
        if any(type(count) is not int or count < 1 for *_, count in listed):
            raise ValueError("it counts decisions that wait by parts, or fewer than one")
        return cls({cast(Key, tuple(key)): count for *key, count in tuples(listed)})
