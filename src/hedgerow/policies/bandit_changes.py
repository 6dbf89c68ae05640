"""The part of a Bandit that changes as a whole: its arms, clusters, history, what workers learnt, and its file."""

from pathlib import Path
from typing import Self

from ..core import state_file
from ..core.arms import Clusters
from ..core.locking import whole
from ..core.types import Label
from ..data.history import History
from .bandit_state import BanditState


class BanditChanges(BanditState):
    """Every change makes a new state, and puts it in place at once."""

    @property
    def clusters(self) -> tuple[Label, ...] | None:
        """The cluster of each arm; assign others at any time."""
        return self._learnt.arms.clusters

    @clusters.setter
    @whole
    def clusters(self, clusters: Clusters) -> None:
        self.put(self.in_clusters(clusters))

    @property
    def history(self) -> History:
        """What the policy started from; assign another, or a weighted one, at any time."""
        now = self._learnt
        return History(now.arms.labels, now.history_rows(), self._dimension, encoding=now.encoding)

    @history.setter
    @whole
    def history(self, history: History | None) -> None:
        self.put(self.with_history(history))

    @whole
    def add_arm(self, arm: Label, cluster: Label | None = None) -> None:
        """Offer one more arm from now on.

        Args:
            arm: Its label.
            cluster: Its cluster, for a clustered policy; it may be new.

        Raises:
            ValueError: The arm is there already, or its cluster is missing or not wanted.

        Examples:
            >>> import hedgerow as hr
            >>> policy = hr.UCB(["a", "b"])
            >>> policy.add_arm("c")
            >>> policy.arms
            ('a', 'b', 'c')
        """
        self.put(self.with_arm(arm, cluster))

    @whole
    def remove_arm(self, arm: Label) -> None:
        """Withdraw an arm with its rewards, as if it had never been there.

        What they said of the noise of all arms may stay.

        Args:
            arm: Its label.

        Raises:
            KeyError: The arm is not there.
            ValueError: It is the only one.
        """
        self.put(self.without_arm(arm))

    @whole
    def merge(self, other: Self, *, since: Self | None = None) -> None:
        """Add what another worker learnt online.

        Args:
            other: A policy made alike, with the same arms.
            since: The policy that both workers started from, if it had learnt something already: that part is in both and is not
                counted again.

        Raises:
            ValueError: The workers do not belong together.

        Examples:
            >>> import hedgerow as hr
            >>> one, other = hr.UCB(["a", "b"]), hr.UCB(["a", "b"])
            >>> other.learn("b", 1.0)
            >>> one.merge(other)
            >>> one.rounds
            1
        """
        self.put(self.merged(other, since=since))

    @whole
    def save(self, path: str | Path, *, waiting: bool = True) -> None:
        """Write the whole state to a file that ``hedgerow.load`` reads.

        Args:
            path: The file; what is there is replaced, whole or not at all.
            waiting: Whether the decisions that wait are kept in it.

        Raises:
            OSError: The file cannot be written there.
            ValueError: Sums have grown beyond what a file can hold.
        """
        state_file.save(path, *self._state(waiting))
