"""The state of a Bandit or Meta as one thing: files, bytes, a hash of what was learnt, and many rounds learnt at once."""

import hashlib
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from copy import deepcopy
from itertools import repeat
from pathlib import Path
from typing import Any, Self

from ..core import state_file
from ..core.locking import Locked, whole
from ..core.types import Context, Floats, Label


class Kept(Locked):
    """A state that can be written down, and compared."""

    identity: str

    @abstractmethod
    def _state(self, waiting: bool) -> tuple[state_file.Manifest, dict[str, state_file.Block]]:
        """What a file holds."""

    @abstractmethod
    def _take(self, other: Self) -> None:
        """Put the state of a copy in place, at once."""

    @abstractmethod
    def sums(self) -> Iterable[tuple[str, Floats]]:
        """What was learnt, as sums.

        Returns:
            A name and the numbers of each part, in an order that does not depend on the order of the arms.
        """

    @whole
    def save(self, path: str | Path, *, waiting: bool = True) -> None:
        """Write the whole state to a file that ``hedgerow.load`` reads.

        A process that is killed while it saves leaves the old file as it was, and perhaps a file ``.NAME.*.part`` beside it
        that may be deleted.

        Args:
            path: The file; what is there is replaced, whole or not at all.
            waiting: Whether the decisions that wait are kept in it.

        Raises:
            OSError: The file cannot be written there.
            ValueError: Sums have grown beyond what a file can hold, or an expert is somebody else's policy, which ``load`` could
                not make again.

        Examples:
            >>> import hedgerow as hr, tempfile, pathlib
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     hr.UCB(["a", "b"]).save(pathlib.Path(folder) / "policy.zip")
            ...     hr.load(pathlib.Path(folder) / "policy.zip").arms
            ('a', 'b')
        """
        state_file.save(path, *self._state(waiting))

    @whole
    def to_bytes(self, *, waiting: bool = True) -> bytes:
        """The whole state, as a file would hold it: for a database, a message, a cache.

        Args:
            waiting: Whether the decisions that wait are kept in it.

        Returns:
            Bytes that ``hedgerow.from_bytes`` reads; the same state gives the same bytes.

        Raises:
            ValueError: As with ``save``.

        Examples:
            >>> import hedgerow as hr
            >>> hr.from_bytes(hr.UCB(["a", "b"]).to_bytes()).arms
            ('a', 'b')
        """
        return state_file.pack(*self._state(waiting))

    @whole
    def state_hash(self) -> str:
        """A hash of what was learnt: the sums of every arm, of rounds and history.

        Policies made alike that learnt the same rewards in the same order have the same hash, whatever waits.

        Returns:
            32 hexadecimal digits.

        Examples:
            >>> import hedgerow as hr
            >>> one, other = hr.UCB(["a", "b"]), hr.UCB(["a", "b"])
            >>> one.learn("a", 1.0)
            >>> one.state_hash() == other.state_hash()
            False
            >>> other.learn("a", 1.0)
            >>> one.state_hash() == other.state_hash()
            True
        """
        digest = hashlib.blake2b(self.identity.encode(), digest_size=16)
        for name, numbers in self.sums():
            digest.update(name.encode())
            digest.update(numbers.tobytes())
        return digest.hexdigest()

    @whole
    def learn_many(self, arms: Sequence[Label], rewards: Sequence[float], contexts: Sequence[Context] | None = None) -> None:
        """Learn from many rounds that someone else decided, one after the other: all of them or none.

        Args:
            arms: What was played.
            rewards: What each earned.
            contexts: In which context each, for a policy with contexts.

        Raises:
            ValueError: They are no lists of equal length, or a reward or context cannot be used; then nothing is learnt.
            KeyError: An arm is not there; then nothing is learnt.

        Examples:
            >>> import hedgerow as hr
            >>> policy = hr.UCB(["a", "b"])
            >>> policy.learn_many(["a", "b", "a"], [1.0, 0.0, 0.5])
            >>> policy.rounds
            3
        """
        given = (arms, rewards) if contexts is None else (arms, rewards, contexts)
        if isinstance(arms, str) or not all(hasattr(part, "__len__") for part in given):
            raise ValueError(f"arms, rewards and contexts must be lists of equal length, got {arms!r:.40} and {rewards!r:.40}")
        if len(lengths := {len(part) for part in given}) > 1:
            raise ValueError(f"arms, rewards and contexts must be equally long, got {' and '.join(map(str, sorted(lengths)))}")
        worker: Any = deepcopy(self)
        for arm, reward, context in zip(arms, rewards, repeat(None) if contexts is None else contexts, strict=False):
            worker.learn(arm, reward, context)
        self._take(worker)
