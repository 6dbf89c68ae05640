"""Arm labels, clusters and deeper paths, and the tree they make."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import Any, TypeAlias, cast

import numpy as np

from .labels import as_label, as_path, check_direction, name_of, shown
from .tree import FIRST, SIZE
from .types import Floats, Integers, Label, Links

Clusters: TypeAlias = Iterable[Label] | Mapping[Label, Label]
"""The cluster of each arm, in the order of the arms, or a mapping arm -> cluster; a tuple is a path from the root."""

Paths: TypeAlias = tuple[tuple[Label, ...], ...]


def _labels(arms: Iterable[Any]) -> Sequence[Label]:
    """Distinct labels; 0, 1, 2 and so on stay a range, which takes no memory."""
    if isinstance(arms, str | bytes):
        raise ValueError(f"arms must be a list of labels, got the single string {arms!r}")
    if isinstance(arms, set | frozenset):
        raise ValueError(f"arms must have a fixed order, and a set has none: give a list such as sorted(arms), got {arms!r:.80}")
    if not isinstance(arms, Iterable):
        raise ValueError(f"arms must be a list of labels, such as ['a', 'b'] or range(2), got {arms!r}")
    labels = tuple(as_label(arm, "an arm label") for arm in arms)
    if labels and all(type(arm) is int for arm in labels) and labels == tuple(range(len(labels))):
        return range(len(labels))
    if not labels:
        raise ValueError("arms must name at least one arm, got none")
    if len(set(labels)) < len(labels):
        seen: set[Label] = set()
        twice = [arm for arm in labels if arm in seen or seen.add(arm)]  # type: ignore[func-returns-value]
        raise ValueError(f"arms must be distinct, given more than once: {shown(dict.fromkeys(twice))}")
    return labels


def _is_keyed_by(clusters: Any, arms: Sequence[Label]) -> bool:
    """A pandas Series is no Mapping; with the arms as its index it is meant as one."""
    return hasattr(clusters, "keys") and set(arms) <= set(clusters.keys())


def _paths(arms: Sequence[Label], clusters: Clusters | None) -> Paths | None:
    if clusters is None:
        return None
    if isinstance(clusters, str | bytes | set | frozenset):
        raise ValueError(f"clusters must name the cluster of each arm, in order, or be a mapping, got {clusters!r}")
    if hasattr(clusters, "columns"):
        raise ValueError(
            "clusters must name the cluster of each arm, or be a mapping, got a frame: give dict(zip(frame[arm], frame[cluster]))"
        )
    if isinstance(clusters, Mapping) or _is_keyed_by(clusters, arms):
        given = {as_label(arm, "an arm label"): label for arm, label in cast(Any, clusters).items()}
        known = set(arms)
        if strangers := [arm for arm in given if arm not in known]:
            check_direction(given, arms)
            way = "leave them out, as in {arm: clusters[arm] for arm in arms}"
            raise ValueError(f"clusters name arms that do not exist: {shown(strangers)}; {way}")
        if missing := [arm for arm in arms if arm not in given]:
            raise ValueError(f"clusters must name one cluster per arm, none given for: {shown(missing)}")
        return tuple(as_path(given[arm]) for arm in arms)
    labels = list(clusters)
    if len(labels) != len(arms):
        raise ValueError(f"clusters must name one cluster per arm: {len(arms)} arms, {len(labels)} given")
    return tuple(as_path(label) for label in labels)


class Arms:
    """The arms of a policy and their tree: which node is which arm, and which nodes lie above it.

    Args:
        arms: Distinct labels.
        clusters: The cluster of each arm, a mapping arm -> cluster, or None.

    Raises:
        ValueError: The labels are no labels, are not distinct, or do not fit the clusters.
    """

    def __init__(self, arms: Iterable[Label], clusters: Clusters | None = None):
        self.labels: Sequence[Label] = _labels(arms)
        self.paths: Paths | None = _paths(self.labels, clusters)
        self.tree: Links
        self.leaves: Links
        self.inner: dict[int, tuple[Label, ...]]
        self.tree, self.leaves, self.inner = _grow(len(self.labels), self.paths)
        numbered = isinstance(self.labels, range)
        self._position_of = None if numbered else {arm: position for position, arm in enumerate(self.labels)}
        self._clusters = None if self.paths is None else [name_of(path) for path in self.paths]
        self._positions = None if self.paths is None else dict(zip(self.leaves.tolist(), range(len(self.leaves)), strict=True))
        self.depth: int = 1 if self.paths is None else 1 + max(len(path) for path in self.paths)

    @property
    def clustered(self) -> bool:
        return self.paths is not None

    @property
    def clusters(self) -> tuple[Label, ...] | None:
        """The cluster of each arm, or None for a flat policy."""
        return None if self._clusters is None else tuple(self._clusters)

    def named(self, leaf: int) -> tuple[Label, Label | None]:
        """The arm at a leaf, and its cluster.

        Args:
            leaf: The node of the arm.

        Returns:
            Its label and that of its cluster, None without clusters.
        """
        if self._positions is None or self._clusters is None:
            return self.labels[leaf - 1], None
        position = self._positions[leaf]
        return self.labels[position], self._clusters[position]

    def position(self, arm: Label) -> int:
        """The place of an arm in the given order.

        Args:
            arm: Its label.

        Returns:
            The place, from 0 on.

        Raises:
            KeyError: There is no such arm.
        """
        try:
            return self._position_of[arm] if self._position_of is not None else self.labels.index(arm)
        except (KeyError, TypeError, ValueError):
            raise KeyError(f"unknown arm {arm!r}; the arms are {shown(self.labels)}") from None

    def leaf(self, arm: Label) -> int:
        """The node of an arm.

        Args:
            arm: Its label.

        Returns:
            The number of the node.

        Raises:
            KeyError: There is no such arm.
        """
        position = self.position(arm)
        return position + 1 if self.paths is None else int(self.leaves[position])

    @cached_property
    def rising(self) -> Integers:
        """The nodes of all arms, in rising order."""
        return np.sort(self.leaves).astype(np.int64)

    def leaves_among(self, among: Iterable[Label]) -> Integers:
        """The nodes of some arms.

        Args:
            among: Their labels, in any order; one that is named twice counts once.

        Returns:
            Their nodes, in rising order.

        Raises:
            ValueError: There are none, or one is unknown.
        """
        if isinstance(among, str | bytes) or not isinstance(among, Iterable):
            raise ValueError(f"among must be a list of arms, got {among!r}")
        try:
            leaves = {self.leaf(arm) for arm in among}
        except KeyError as error:
            raise ValueError(f"among must name arms of this policy: {error.args[0]}") from None
        if not leaves:
            raise ValueError("among must name at least one arm, got none: nothing can be chosen")
        return np.array(sorted(leaves), dtype=np.int64)

    def manifest(self) -> dict[str, Any]:
        """The labels and paths, as a state file keeps them.

        Returns:
            Lists of labels and of paths.
        """
        return {"arms": list(self.labels), "paths": None if self.paths is None else list(self.paths)}

    def totals(self, rows: Floats) -> Floats:
        """Rows of all nodes from the rows of the arms: a cluster is the sum of its arms.

        Args:
            rows: A row for each arm, in the order of the arms.

        Returns:
            A row for each node.
        """
        nodes = np.zeros((len(self.tree), rows.shape[1]))
        nodes[self.leaves] = rows
        for node in (*reversed(self.inner), 0):
            first = self.tree[node, FIRST]
            nodes[node] = nodes[first : first + self.tree[node, SIZE]].sum(axis=0)
        return nodes


def clusters_of_new(arms: Mapping[Label, Label] | Iterable[Label]) -> dict[Label, Label | None]:
    """Arms about to be added, each with its cluster.

    Args:
        arms: The cluster of each arm; or only the arms.

    Returns:
        A cluster for each, None where none is given.

    Raises:
        ValueError: It is neither a mapping nor a list, or an arm is named twice.
    """
    if isinstance(arms, str | bytes) or not isinstance(arms, Iterable):
        raise ValueError(f"arms must be a mapping arm -> cluster, or a list of arms, got {arms!r}")
    if isinstance(arms, Mapping):
        return dict(arms)
    labels = list(arms)
    if len(set(labels)) < len(labels):
        raise ValueError("an arm that is to be added is named twice")
    return dict.fromkeys(labels)


def new_path(
    arm: Label, cluster: Label | None, *, arms: Sequence[Label], clusters: Iterable[Label] | None, new_cluster: bool = False
) -> tuple[Label, ...]:
    """The path of an arm about to be added to a policy with these arms and clusters, or the reason why it cannot be.

    Args:
        arm: The new arm.
        cluster: Its cluster, None for a policy without.
        arms: The arms that are there.
        clusters: The cluster of each, None for a policy without.
        new_cluster: Whether its cluster may be one that no arm has yet.

    Returns:
        The path, empty without clusters.

    Raises:
        ValueError: The arm is there already, or its cluster is missing or not wanted.
    """
    if as_label(arm, "an arm label") in arms:
        raise ValueError(f"arm {arm!r} is there already")
    if clusters is not None and cluster is None:
        raise ValueError(f"arm {arm!r} needs a cluster; the clusters are {shown(dict.fromkeys(clusters))}")
    if clusters is None and cluster is not None:
        raise ValueError(f"this policy has no clusters: add arm {arm!r} without cluster {cluster!r}")
    if clusters is not None and not new_cluster and as_path(cluster) not in {as_path(known) for known in clusters}:
        near = get_close_matches(str(cluster), {str(known): None for known in clusters}, n=3, cutoff=0.4)
        meant = f"is it {' or '.join(map(repr, near))}? " if near else ""
        raise ValueError(f"no arm is in the cluster {cluster!r} of arm {arm!r} yet: {meant}a new one needs new_cluster=True")
    return () if cluster is None else as_path(cluster)


def regrouped(policy: Any, clusters: Clusters) -> Arms:
    """The arms of a policy in other clusters, or the reason why they cannot be.

    Args:
        policy: A policy with clusters.
        clusters: The new ones.

    Returns:
        Its arms in the new clusters.

    Raises:
        ValueError: The policy has no clusters, or these do not fit its arms.
    """
    if not policy.clustered:
        raise ValueError(f"{policy.name} has no clusters to change: make another policy, with clusters=")
    if clusters is None:
        raise ValueError("clusters must name the cluster of each arm, got None: a policy without clusters is another policy")
    return Arms(policy.arms, clusters)


def _grow(arms: int, paths: Paths | None) -> tuple[Links, Links, dict[int, tuple[Label, ...]]]:
    """The tree, the node of each arm, and the path of each inner node but the root; breadth first, so children are neighbours."""
    if paths is None:
        tree = np.zeros((arms + 1, 3), dtype=np.int32)
        tree[0] = 1, arms, -1
        return tree, np.arange(1, arms + 1, dtype=np.int32), {}
    children: dict[tuple[Label, ...], dict[Any, None]] = {(): {}}
    for position, path in enumerate(paths):
        for depth in range(len(path)):
            children[path[:depth]][path[: depth + 1]] = None
            children.setdefault(path[: depth + 1], {})
        children[path][position] = None
    leaves = np.zeros(len(paths), dtype=np.int32)
    inner: dict[int, tuple[Label, ...]] = {}
    rows = [[0, 0, -1]]
    queue: list[tuple[int, tuple[Label, ...]]] = [(0, ())]
    for node, path in queue:
        rows[node][FIRST], rows[node][SIZE] = len(rows), len(children[path])
        for child in children[path]:
            if isinstance(child, tuple):
                inner[len(rows)] = child
                queue.append((len(rows), child))
            else:
                leaves[child] = len(rows)
            rows.append([0, 0, node])
    return np.array(rows, dtype=np.int32), leaves, inner
