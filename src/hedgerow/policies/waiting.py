"""Rounds that wait for their reward, counted."""

from collections import Counter
from typing import Any, TypeVar, cast

from ..core.types import Label, tuples

Key = TypeVar("Key", bound=tuple[Any, ...])


class Waiting(Counter[Key]):
    """How many rounds of each kind wait; the first part of a kind is its arm.

    >>> waiting = Waiting([("a", None), ("a", None), ("b", None)])
    >>> waiting.set(("b", None), 0)
    >>> waiting.listed(), waiting.without("a").total()
    ([['a', None, 2]], 0)
    """

    def set(self, key: Key, count: int) -> None:
        """So many of a kind wait from now on.

        Args:
            key: The kind of round.
            count: How many of it; 0 for none.
        """
        if count > 0:
            self[key] = count
        else:
            self.pop(key, None)

    def copy(self) -> "Waiting[Key]":
        """Another counter of the same rounds."""
        return Waiting(self)

    def without(self, arm: Label) -> "Waiting[Key]":
        """Those of other arms.

        Args:
            arm: The arm left out.

        Returns:
            A new counter.
        """
        return Waiting({key: count for key, count in self.items() if key[0] != arm})

    def together(self, other: "Waiting[Key]", since: "Waiting[Key] | None") -> "Waiting[Key]":
        """Those of two workers; what waited at ``since`` counts once.

        Args:
            other: Those of the other worker.
            since: Those that both waited for when they started.

        Returns:
            A new counter.
        """
        return Waiting(self + other - (since or Counter()))

    def listed(self) -> list[list[Any]]:
        """As a state file holds them."""
        return [[*key, count] for key, count in self.items()]

    @classmethod
    def restored(cls, listed: Any, most: int) -> "Waiting[Key]":
        """Those that ``listed`` wrote, if there are no more than ``most`` of them.

        Args:
            listed: What ``listed`` wrote.
            most: How many there may be.

        Returns:
            A new counter.

        Raises:
            ValueError: It is no such list, or there are more.
        """
        counts = [count for *_, count in listed]
        if any(type(count) is not int or count < 1 for count in counts):
            raise ValueError("it counts decisions that wait by parts, or fewer than one")
        if sum(counts) > most:
            raise ValueError(f"it waits for {sum(counts)} decisions, more than {most}")
        return cls({cast(Key, tuple(key)): count for *key, count in tuples(listed)})
