"""Rounds that wait for their reward: counted, or by an id of the caller's."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

from ..core.types import Label, tuples

Key = TypeVar("Key", bound=tuple[Any, ...])

Id: TypeAlias = str | int
"""What a caller calls a decision that waits: the number of a request, for instance."""


class Expected(NamedTuple):
    """A decision that waits for its reward.

    Args:
        arm: What was played.
        context: In which context, None without.
        experts: Under Meta, the experts that were followed.
        id: What the caller calls it, None if it has no name.
    """

    arm: Label
    context: tuple[float, ...] | None
    experts: tuple[str, ...]
    id: Id | None


def checked_id(given: Any) -> Id:
    """An id that a file can hold, or an error that names it.

    Args:
        given: What the user gave.

    Returns:
        A text or a whole number.

    Raises:
        ValueError: It is neither.
    """
    if isinstance(given, bool) or not isinstance(given, str | int):
        raise ValueError(f"id must be a text or a whole number, got {given!r}")
    return given


class Waiting(Counter[Key]):
    """How many rounds of each kind wait. A kind begins with its arm and ends with an id, None for those that are only counted.

    >>> waiting = Waiting([("a", None), ("a", None), ("b", "req-1")])
    >>> waiting.of("req-1"), waiting.of("req-2")
    (('b', 'req-1'), None)
    >>> waiting.set(("b", "req-1"), 0)
    >>> waiting.listed(), waiting.without("a").total()
    ([['a', None, 2]], 0)
    """

    _by_id: dict[Any, Key] | None = None

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
        if self._by_id is not None and key[-1] is not None:
            self._by_id[key[-1]] = key

    def of(self, id: Any) -> Key | None:
        """The round that waits under an id.

        Args:
            id: What the caller calls it.

        Returns:
            Its kind, or None if none waits.
        """
        if self._by_id is None:
            self._by_id = {key[-1]: key for key in self if key[-1] is not None}
        key = self._by_id.get(id)
        if key is not None and key not in self:
            del self._by_id[id]
            return None
        return key

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

        Raises:
            ValueError: Both wait for different decisions under one id.
        """
        found = Waiting(self + other - (since or Counter()))
        for key in [key for key in found if key[-1] is not None]:
            if found[key] > 1 or found.of(key[-1]) != key:
                raise ValueError(f"both workers wait for a decision called {key[-1]!r}: give ids that no two decisions share")
        return found

    def listed(self) -> list[list[Any]]:
        """As a state file holds them."""
        return [[*key, count] for key, count in self.items()]

    @classmethod
    def restored(cls, listed: Any, most: int, parts: int) -> "Waiting[Key]":
        """Those that ``listed`` wrote, if there are no more than ``most`` of them.

        Args:
            listed: What ``listed`` wrote.
            most: How many there may be.
            parts: How many parts a kind has.

        Returns:
            A new counter.

        Raises:
            ValueError: It is no such list, or there are more.
        """
        if any(len(row) != parts + 1 for row in listed):
            raise ValueError(f"each waiting decision must be listed with {parts + 1} values")
        counts = [count for *_, count in listed]
        if any(type(count) is not int or count < 1 for count in counts):
            raise ValueError("counts of waiting decisions must be whole numbers of at least 1")
        if sum(counts) > most:
            raise ValueError(f"it waits for {sum(counts)} decisions, more than {most}")
        made = cls({cast(Key, tuple(key)): count for *key, count in tuples(listed)})
        for key, count in made.items():
            if key[-1] is not None and (count > 1 or made.of(checked_id(key[-1])) != key):
                raise ValueError(f"it waits twice for a decision called {key[-1]!r}")
        return made


def check_same(waiting: Waiting[Key], key: Key) -> None:
    """Refuse a round under an id that another one waits under.

    Args:
        waiting: What waits.
        key: A kind of round.

    Raises:
        ValueError: It is another round.
    """
    known = None if key[-1] is None else waiting.of(key[-1])
    if known is not None and known != key:
        raise ValueError(f"the decision called {key[-1]!r} that waits is another one: it is for {known[0]!r}, not for {key[0]!r}")


def expected(waiting: Waiting[Any], *, experts: bool) -> Iterator[Expected]:
    """What waits, one by one.

    Args:
        waiting: The counter.
        experts: Whether its kinds name experts.

    Returns:
        Each decision.
    """
    for key in waiting.elements():
        arm, *followed, context, id = key
        yield Expected(arm, context, followed[0] if experts else (), id)
