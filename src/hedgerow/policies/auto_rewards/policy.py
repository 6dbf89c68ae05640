"""Auto without contexts as a family of policies: six functions over one set of arrays."""

import math
from functools import partial
from typing import Any

import numpy as np

from ...core.kernel import compiled
from ...core.records import named, record
from ...core.sums import PLAYS, fields_of, waiting_at
from ...core.tree import PARENT, SIZE
from ...core.types import Floats, Integers, Links
from ..family import Arrays, Change, Course, Estimates, Format, Waiting
from ..registry import register
from ..scan import WAITS_ALONE, added, counts, means_of, wait
from . import rounds
from .index import bound, expected_reward
from .settings import SPREADS
from .state import ARM, ARM_FIELDS, ARM_SIZE, CLUSTER, CLUSTER_FIELDS, LARGE, ROW_SIZE, STATE, STATE_FIELDS, STATE_SIZE


@compiled
def in_unit(value: float, own: Any) -> float:
    """An expected reward of the model as a reward: of two values, the sine's square, and beyond its ends in a line."""
    if own.two_valued == 0.0:
        return value
    inside = min(max(value, 0.0), 0.5 * math.pi)
    reward: float = own.low + (own.high - own.low) * (math.sin(inside) ** 2 + value - inside)
    return reward


@compiled
def estimates(
    tree: Links,
    online: Floats,
    waits: Floats,
    rows: Floats,
    state: Floats,
    means: Floats,
    indices: Floats,
    carriers: Integers,
) -> None:
    """Mean and bound of each arm, and the explanation that has it; of a cluster its arms' mean and highest bound."""
    own, t = record(state, STATE), 1.0 + online[0, PLAYS] + waiting_at(waits, 0)
    counts = np.zeros(len(tree))
    means[:], indices[:] = 0.0, -math.inf
    for node in range(len(tree) - 1, 0, -1):
        if tree[node, SIZE] == 0:
            arm = record(rows[node, :ARM_SIZE], ARM)
            means[node], counts[node] = in_unit(expected_reward(arm), own), 1.0
            indices[node], carriers[node] = bound(arm, t, waiting_at(waits, node))
            indices[node] = in_unit(indices[node], own)
        above = tree[node, PARENT]
        counts[above] += counts[node]
        means[above] += means[node]
        indices[above] = max(indices[above], indices[node])
        means[node] /= counts[node]
    means[0] /= counts[0]


class Rewards:
    """Auto without contexts. Rewards are all it is told; waiting decisions count in widths.

    ``drifting_history``: the model finds out what a history is still worth, so that rounds from before a change may be one.
    """

    drifting_history = True

    def format(self, nodes: int, dimension: int | None) -> Format:
        """Sums, counts of waiting decisions, what is known of each arm and cluster, and of the policy."""
        return Format(fields_of(None, whole=True), WAITS_ALONE, ARM_FIELDS + CLUSTER_FIELDS, STATE_FIELDS)

    def fit(self, arrays: Arrays, change: Change, waiting: Waiting = ()) -> Arrays:
        """The model from the sums; of the state only the range of the rewards is kept."""
        tree, online, history, _, rows, state, _ = arrays
        waits, ceilings = counts(arrays, waiting), np.full(len(tree), -math.inf)
        if change is Change.WAITING:
            return arrays._replace(waiting=waits)
        if change is Change.LOADED:
            _check(arrays)
            rounds.restore_ceilings(tree, rows, state, ceilings)
            return arrays._replace(waiting=waits, extra=(ceilings,))
        rows, state = np.zeros((len(tree), ROW_SIZE)), _new_state(None if change is Change.MADE else state)
        rounds.fit(tree, online, history, rows, state, ceilings)
        return arrays._replace(waiting=waits, rows=rows, state=state, extra=(ceilings,))

    def choose(self, arrays: Arrays, context: Floats, key: int) -> int:
        """The arm of the highest bound; without ceilings all arms are looked at."""
        tree, online, history, waits, rows, state, extra = arrays
        ceilings = extra[0] if extra else np.where(tree[:, SIZE] == 0, np.inf, -np.inf)
        leaf: int = rounds.choose(tree, online, history, waits, rows, state, ceilings)
        return leaf

    def learn(self, arrays: Arrays, leaf: int, reward: float, context: Floats, waiting: Waiting | None = None) -> bool:
        """Add a reward."""
        tree, online, history, waits, rows, state, extra = arrays
        if waiting is None:
            rounds.learn(tree, online, history, rows, state, extra[0], leaf, reward)
        else:
            rounds.settle(tree, online, history, waits, rows, state, extra[0], leaf, reward)
        return True

    def wait(self, arrays: Arrays, leaf: int, context: Floats, times: int, waiting: Waiting = ()) -> None:
        """Count a decision that waits, or no longer."""
        wait(arrays.tree, arrays.waiting, leaf, float(times))

    def estimates(self, arrays: Arrays, context: Floats) -> Estimates:
        """Mean and bound of every node, and the spreads, as standard deviations."""
        tree, online, _, waits, rows, state, _ = arrays
        means, indices = np.empty(len(tree)), np.full(len(tree), np.inf)
        if named(state, STATE).ready == 0.0:
            return Estimates(means_of(arrays), indices)
        carriers = np.zeros(len(tree), np.int64)
        estimates(tree, online, waits, rows, state, means, indices, carriers)
        return Estimates(means, indices, partial(_settings, arrays), reasons=partial(_reasons, arrays, carriers))

    def merge(self, own: Arrays, other: Arrays, since: Arrays | None) -> tuple[Floats, Floats]:
        """Sums add up; the range of the rewards is that of both."""
        state = _new_state(own.state)
        joined, known = named(state, STATE), named(other.state, STATE)
        joined.least, joined.largest = min(joined.least, known.least), max(joined.largest, known.largest)
        return added(own, other, since), state

    def play(self, arrays: Arrays, course: Course, key: int) -> None:
        """Live through a whole trial."""
        tree, online, history, waits, rows, state, extra = arrays
        rounds.play(tree, online, history, waits, rows, state, extra[0], *course[1:])


def _check(arrays: Arrays) -> None:
    """Refuse variances of zero from a file: kernels divide by them."""
    own, inner = named(arrays.state, STATE), arrays.tree[:, SIZE] > 0
    if own.ready == 0.0:
        return
    arms = arrays.rows[~inner | (arrays.tree[:, PARENT] > 0), :ARM_SIZE].view(ARM)  # and clusters within clusters
    clusters = arrays.rows[inner, ARM_SIZE:].view(CLUSTER)
    used = clusters["around"][clusters["arms"] > 0.0]
    variances = (own.typical, own.variance, *arms["noise"].ravel(), *arms["spread"].ravel(), *used.ravel())
    if min(variances) <= 0.0 or (own.two_valued and own.low >= own.high):
        raise ValueError("a variance is zero, or the two values of its rewards are equal")


def _new_state(before: Floats | None) -> Floats:
    """The state of a policy without data; of the one before it has the range of the rewards."""
    state = np.zeros(STATE_SIZE)
    own = named(state, STATE)
    own.due, own.least, own.largest = 1.0, LARGE, -LARGE
    if before is not None:
        own.least, own.largest = named(before, STATE).least, named(before, STATE).largest
    return state


def _reasons(arrays: Arrays, carriers: Integers) -> tuple[str, ...]:
    """Of each arm the explanation that carries its bound, in words; of a cluster nothing."""
    found = [""] * len(arrays.tree)
    for node in np.flatnonzero(arrays.tree[:, SIZE] == 0):
        others = "its cluster" if arrays.tree[node, PARENT] > 0 else "the other arms"
        alike = carriers[node] < SPREADS.size and SPREADS[carriers[node]] < 1.0
        told = f"like {others}" if alike else "on its own" if carriers[node] < SPREADS.size else f"unlike {others}"
        found[node] = told if named(arrays.rows[node], ARM).plays > 0.0 else f"never played, {told}"
    return tuple(found)


def chances_of_misfit(tree: Links, online: Floats, history: Floats, values: tuple[float, float] | None) -> Floats:
    """Of each arm the chance that its cluster is wrong about it, whatever policy has learnt these sums.

    Args:
        tree: First child, number of children and parent of each node.
        online: Sums of the online rounds.
        history: Sums of the history.
        values: The least and largest reward, if known: all may be one or the other.

    Returns:
        A chance for each node: that its arm is none of its cluster, and that the arms of the cluster have something in common.
    """
    rows, state = np.zeros((len(tree), ROW_SIZE)), _new_state(None)
    if values is not None:
        named(state, STATE).least, named(state, STATE).largest = values
    rounds.fit(tree, online, history, rows, state, np.full(len(tree), -math.inf))
    chances = np.zeros(len(tree))
    for node in np.flatnonzero(tree[:, SIZE] == 0) if named(state, STATE).ready else ():
        arm, cluster = named(rows[node], ARM), named(rows[tree[node, PARENT], ARM_SIZE:], CLUSTER)
        chances[node] = ((SPREADS < 1.0) * cluster.share) @ (1.0 - arm.member)
    return chances


def _settings(arrays: Arrays) -> dict[str, float]:
    """Typical noise, spreads within and between clusters, and how far history is off, as standard deviations of rewards.

    ``wrong``: the share of arms whose cluster is wrong about them. ``trusted``: the share of the history's plays that counts.
    """
    own, rows = named(arrays.state, STATE), arrays.rows
    unit = (own.high - own.low) * math.sin(2.0 * own.level) if own.two_valued else 1.0
    clusters = [named(row[ARM_SIZE:], CLUSTER) for row in rows if named(row[ARM_SIZE:], CLUSTER).arms > 0.0]
    arms = np.array([cluster.arms for cluster in clusters])
    within = arms @ [cluster.share @ SPREADS for cluster in clusters] / arms.sum()
    found = {"noise": math.sqrt(own.typical) * unit, "within": math.sqrt(within * own.variance) * unit}
    if len(clusters) > 1:
        found["between"] = math.sqrt((1.0 - within) * own.variance) * unit
        found["wrong"] = float(arms @ [cluster.wrong for cluster in clusters] / arms.sum())
    plays = arrays.history[:, PLAYS] * (arrays.tree[:, SIZE] == 0)
    if plays.sum() > 0.0:
        found["drift"] = math.sqrt(own.drift) * unit
        found["trusted"] = float(plays @ [named(row[:ARM_SIZE], ARM).trust for row in rows] / plays.sum())
    return found | {"two_valued": float(own.two_valued)}


register(
    "hierucb",
    Rewards(),
    summary="Arms are alike within clusters as far as rewards say so: one hierarchical model, one bound",
    source="docs/auto.md",
    cluster_history=False,
)
