"""The part of a Bandit that changes as a whole: its arms, clusters, history, what workers learnt, and its file."""

from collections.abc import Iterable, Mapping
from typing import Self

from ..core.arms import Clusters, clusters_of_new
from ..core.locking import whole
from ..core.types import ArmType, Label
from ..data.history import History
from .bandit_state import BanditState
from .forgetting import ageing


class BanditChanges(BanditState[ArmType]):
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
        """What the policy started from; assign another, or a weighted one, at any time.

        Of a policy with a half-life, as far as it counts now.
        """
        now = self._learnt
        return ageing.history_of(self._recipe, now)

    @history.setter
    @whole
    def history(self, history: History | None) -> None:
        self.put(self.with_history(history))

    def add_arm(self, arm: Label, cluster: Label | None = None, *, new_cluster: bool = False) -> None:
        """Offer one more arm from now on.

        Args:
            arm: Its label.
            cluster: Its cluster, for a clustered policy.
            new_cluster: Whether the cluster may be one that no arm has yet; without it, a misspelt one is refused.

        Raises:
            ValueError: The arm is there already, or its cluster is missing, not wanted or not known.

        Examples:
            >>> import hedgerow as hr
            >>> policy = hr.UCB(["a", "b"])
            >>> policy.add_arm("c")
            >>> policy.arms
            ('a', 'b', 'c')
        """
        self.add_arms({arm: cluster}, new_cluster=new_cluster)

    @whole
    def add_arms(self, arms: Mapping[Label, Label] | Iterable[Label], *, new_cluster: bool = False) -> None:
        """Offer more arms from now on, in one change: as quick as one arm.

        Args:
            arms: The cluster of each; or only the arms, for a policy without clusters.
            new_cluster: Whether clusters may be ones that no arm has yet.

        Raises:
            ValueError: As with ``add_arm``; then none is added.

        Examples:
            >>> import hedgerow as hr
            >>> policy = hr.UCBC(["a"], clusters=["x"])
            >>> policy.add_arms({"b": "x", "c": "y"}, new_cluster=True)
            >>> policy.clusters
            ('x', 'x', 'y')
        """
        self.put(self.with_arms(clusters_of_new(arms), new_cluster))

    @whole
    def remove_arm(self, arm: Label) -> None:
        """Withdraw an arm with its rewards, as if it had never been there.

        What they said of the noise of all arms may stay, and ``rounds`` still counts them.

        Args:
            arm: Its label.

        Raises:
            KeyError: The arm is not there.
            ValueError: It is the only one.

        Examples:
            >>> import hedgerow as hr
            >>> policy = hr.UCB(["a", "b", "c"])
            >>> policy.remove_arm("b")
            >>> policy.arms
            ('a', 'c')
        """
        self.put(self.without_arm(arm))

    @whole
    def merge(self, other: Self, *, since: Self | None = None) -> None:
        """Add what another worker learnt online.

        Arms that only the other worker has are added, without its history of them. Arms that were withdrawn here stay withdrawn.

        Args:
            other: A policy made alike.
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
