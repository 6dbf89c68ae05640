"""Auto with contexts as a family of policies: six functions over one set of arrays."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from ...core.draws import draw
from ...core.kernel import compiled
from ...core.records import Field, named
from ...core.sums import PLAYS, WAITS, dimension_of, fields_of, second_moments, usable
from ...core.tree import SIZE
from ...core.types import Floats, Integers, Links
from ..family import Arrays, Change, Course, Estimates, Format, Waiting, as_arrays
from ..parameter import Parameter
from ..registry import register
from . import late_rewards, updates
from .forced_exploration import forced_arm
from .index import best_arm, expected_reward
from .noise_shape import drop_impossible_bins, forget_residuals, history_weights, mean_residual, merge_residuals
from .refresh import depth_of_tree, refresh
from .standardize import standardized_rows
from .state import (
    NODE_FIELDS,
    NODE_SIZE,
    POLICY,
    Parts,
    dimension_given,
    dimension_seen,
    forget_levels,
    new_state,
    posterior_fields,
    row_width,
    state_fields,
)
from .sums import EXCESS, reweighed


@compiled
def choose(
    tree: Links, online: Floats, history: Floats, waiting: Floats, rows: Floats, state: Floats, context: Floats, key: int
) -> int:
    """The leaf to play, or -1 for a context that cannot be used."""
    leaf = forced_arm(tree, online, history, waiting)
    if leaf >= 0 and usable(context):
        return leaf
    return best_arm(tree, rows, waiting if len(waiting) > 0 else rows, state, context, draw(key, 0))


@compiled
def choose_many(
    tree: Links,
    online: Floats,
    history: Floats,
    waiting: Floats,
    rows: Floats,
    state: Floats,
    contexts: Floats,
    keys: Integers,
    chosen: Integers,
) -> None:
    """The leaf to play for each row of contexts."""
    leaf = forced_arm(tree, online, history, waiting)
    posterior = waiting if len(waiting) > 0 else rows
    for row in range(chosen.size):
        if leaf >= 0 and usable(contexts[row]):
            chosen[row] = leaf
        else:
            chosen[row] = best_arm(tree, rows, posterior, state, contexts[row], draw(keys[row], 0))


@compiled
def play(
    tree: Links,
    online: Floats,
    history: Floats,
    waiting: Floats,
    rows: Floats,
    state: Floats,
    contexts: Floats,
    rewards: Floats,
    drawn: Integers,
    arm_of: Integers,
    arms: Integers,
) -> None:
    """Live through a whole trial and note the arms."""
    for t in range(drawn.size):
        leaf = choose(tree, online, history, waiting, rows, state, contexts[t], -1)
        arms[t] = arm_of[leaf]
        updates.learn(tree, online, history, rows, state, leaf, rewards[drawn[t], arms[t]], contexts[t])


class Linear:
    """Auto with contexts.

    Args:
        values: ``weights``: "auto" or False.
    """

    def __init__(self, values: Mapping[str, Any]):
        self.weights: bool = values["weights"] == "auto"

    def format(self, nodes: int, dimension: int | None) -> Format:
        """Weighed sums; what waits, and the posterior with it; the posterior of each node; the model."""
        d = dimension or 0
        posterior, online = posterior_fields(d), (*fields_of(d, whole=True), Field("excess", shape=(EXCESS,)))
        waiting = (Field("decisions", low=0.0, whole=True), *posterior)
        return Format(online, waiting, (NODE_FIELDS[0], *posterior), state_fields(d))

    def fit(self, arrays: Arrays, change: Change, waiting: Waiting = ()) -> Arrays:
        """The model from the sums. Other arms may have levels; residuals of predictions from another history do not count."""
        if change is Change.LOADED:
            self._check(arrays)
            return arrays
        if change is Change.WAITING:
            return arrays._replace(waiting=_narrowed(arrays, waiting))
        tree, online, history, _, _, state, _ = arrays
        d = dimension_of(history.shape[1])
        state = new_state(self.weights, d) if change is Change.MADE else state.copy()
        if change in (Change.ARMS, Change.WITHDRAWN, Change.HISTORY):
            forget_levels(state)
        if change is Change.HISTORY:
            forget_residuals(state, named(state, POLICY).unit_noise)
        named(state, POLICY).levels_due = 0.0
        rows = np.zeros((len(tree), row_width(d)))
        refresh(Parts(tree, online, history, rows, state))
        fitted = arrays._replace(rows=rows, state=state)
        return fitted._replace(waiting=_narrowed(fitted, waiting))

    def _check(self, arrays: Arrays) -> None:
        """Refuse numbers that no policy on this tree can have, though each is in its range."""
        own, d = named(arrays.state, POLICY), dimension_given(arrays.state)
        columns = own.constant_column == d if own.levels else own.constant_column < d
        if not columns or own.depth != depth_of_tree(arrays.tree) or own.weights != float(self.weights):
            raise ValueError("its state is that of another policy")
        for rows in (arrays.rows, arrays.waiting):
            if not _are_covariances(rows, dimension_seen(arrays.state)):
                raise ValueError("it holds a matrix that is no covariance")

    def choose(self, arrays: Arrays, context: Floats, key: int) -> int:
        """The leaf to play, or -1 for a context that cannot be used."""
        tree, online, history, waiting, rows, state, _ = arrays
        leaf: int = choose(tree, online, history, waiting, rows, state, context, key)
        return leaf

    def choose_many(self, arrays: Arrays, contexts: Floats, keys: Integers, chosen: Integers) -> None:
        """The leaf to play for each row of contexts."""
        tree, online, history, waiting, rows, state, _ = arrays
        choose_many(tree, online, history, waiting, rows, state, contexts, keys, chosen)

    def learn(self, arrays: Arrays, leaf: int, reward: float, context: Floats, waiting: Waiting | None = None) -> bool:
        """Add a reward, unless the context cannot be used; after a refresh, what still waits narrows the posterior again."""
        tree, online, history, waits, rows, state, _ = arrays
        if waiting is None:
            learnt: bool = updates.learn(tree, online, history, rows, state, leaf, reward, context)
            return learnt
        others = as_arrays(waiting, context.size)
        late_rewards.settle(tree, online, history, waits, rows, state, leaf, reward, context, *others)
        return True

    def wait(self, arrays: Arrays, leaf: int, context: Floats, times: int, waiting: Waiting = ()) -> None:
        """Count a decision that waits, or no longer."""
        tree, _, _, waits, rows, state, _ = arrays
        if times > 0:
            late_rewards.wait(tree, waits, rows, state, leaf, context)
            return
        late_rewards.give_up(tree, waits, rows, state, leaf, *as_arrays(waiting, context.size))

    def estimates(self, arrays: Arrays, context: Floats) -> Estimates:
        """Mean and index of every node; a cluster's are those of its centroid."""
        tree, _, _, waits, rows, state, _ = arrays
        posterior = waits if len(waits) else rows
        found = [expected_reward(tree, posterior, state, context, node) for node in range(1, len(tree))]
        means, widths = np.array([(np.nan, np.nan), *found]).T
        return Estimates(means, means + widths, partial(_settings, arrays))

    def merge(self, own: Arrays, other: Arrays, since: Arrays | None) -> tuple[Floats, Floats]:
        """Sums add up, weights standing for the same noise as the own ones; the model is that of the worker who has one."""
        learnt = other.online - (0.0 if since is None else since.online)
        state = merged(own.state, other.state, None if since is None else since.state)
        unit = named(state, POLICY).unit_noise
        if unit > 0.0 and noise_of_unit(other.state) > 0.0:
            learnt = reweighed(learnt, unit / noise_of_unit(other.state), dimension_given(own.state))
        return own.online + learnt, state

    def play(self, arrays: Arrays, course: Course, key: int) -> None:
        """Live through a whole trial."""
        tree, online, history, waiting, rows, state, _ = arrays
        play(tree, online, history, waiting, rows, state, *course)


def _narrowed(arrays: Arrays, waiting: Waiting) -> Floats:
    """Rows of the decisions that wait; none while nothing waits."""
    waits = np.zeros_like(arrays.rows)
    for leaf, context in waiting:
        late_rewards.wait(arrays.tree, waits, arrays.rows, arrays.state, leaf, context)
    return waits if waits[0, WAITS] > 0.0 else waits[:0]


def _are_covariances(rows: Floats, d: int) -> bool:
    """Whether the rows of all nodes but the root hold covariances, up to rounding errors."""
    found = rows[1:, NODE_SIZE + d : NODE_SIZE + d + d * d].reshape(-1, d, d)
    if not found.size:
        return True
    size = 1e-6 * np.abs(found).max(axis=(1, 2))
    symmetric = (np.abs(found - found.transpose(0, 2, 1)).max(axis=(1, 2)) <= size).all()
    return bool(symmetric and (np.linalg.eigvalsh(found)[:, 0] >= -size).all())


def noise_of_unit(state: Floats) -> float:
    """Noise variance of a round of weight 1; while all rounds weigh 1, the mean squared residual.

    Args:
        state: Of the policy.

    Returns:
        The variance, in squared rewards; 0 while nothing is known of it.
    """
    return float(named(state, POLICY).unit_noise) or mean_residual(state)


def merged(state: Floats, other: Floats, since: Floats | None = None) -> Floats:
    """The state of two workers, before a refresh brings it up to date: the rounds of both, and the model of the first.

    Args:
        state: Of the first worker.
        other: Of the second.
        since: Of the policy that both started from, whose rounds count once.

    Returns:
        A new state.
    """
    one, two = named(state, POLICY), named(other, POLICY)
    both = (state if one.due > 1.0 else other).copy()
    own = named(both, POLICY)
    own.weights = one.weights
    own.unit_noise = noise_of_unit(state) or noise_of_unit(other) if one.unit_noise or two.unit_noise else 0.0
    own.levels_against = max(one.levels_against, two.levels_against)
    own.least, own.largest = min(one.least, two.least), max(one.largest, two.largest)
    own.rounds = 0.0
    for bins in (own.bin_rounds, own.bin_predictions, own.bin_residuals):
        bins[:] = 0.0
    merge_residuals(both, state, 1.0)
    merge_residuals(both, other, 1.0)
    if since is not None:
        merge_residuals(both, since, -1.0)
    drop_impossible_bins(both)
    return both


def _settings(arrays: Arrays) -> dict[str, float]:
    """What is estimated: noise, spreads within and between clusters, drift (standard deviations), offset, levels, weights.

    ``levels``: whether arms have levels that no column of the contexts stands for. ``trusted``: the share of the history's
    information about its arms that counts. ``weighted``: whether the noise grows with the mean.
    """
    own = named(arrays.state, POLICY)
    unit_noise, clustered = own.unit_noise, own.depth > 1.0
    below, top = np.sqrt(own.spread_below * own.noise), np.sqrt(own.spread_top * own.noise)
    noise = np.sqrt(
        (unit_noise > 0.0 and mean_residual(arrays.state)) or own.noise
    )  # of a round of weight 1, or of all residuals
    found = {"noise": float(noise), "offset": float(own.offset)}
    found |= {"within": float(below), "between": float(top)} if clustered else {"within": float(top)}
    if arrays.history[0, PLAYS] > 0.0:
        spread = top**2 + (own.depth - 1.0) * below**2
        found["drift"] = float(np.sqrt((1.0 - own.kept) ** 2 * spread + own.drift * own.noise))
        found["trusted"] = _trusted(arrays)
    return found | {"levels": float(own.levels), "weighted": float(own.noise_intercept > 0.0)}


def _trusted(arrays: Arrays) -> float:
    """Trace of all messages c^2 (A^-1 + delta I)^-1 of the histories over that of all A."""
    history, state, own = arrays.history, arrays.state, named(arrays.state, POLICY)
    if own.drift == 0.0:
        return 1.0
    leaves = np.flatnonzero(arrays.tree[:, SIZE] == 0).astype(np.int32)
    weights = history_weights(history, state, leaves)
    moments = second_moments(standardized_rows(history[leaves], state), dimension_seen(state))
    known = np.maximum(weights[:, None] * np.linalg.eigvalsh(moments), 0.0)
    heard = own.kept**2 * known / (1.0 + own.drift * known)
    return float(heard.sum() / max(known.sum(), 1e-300))


register(
    "hierlinucb",
    Linear,
    summary="Coefficients are alike within clusters as far as rewards say so: one hierarchical linear model, mean and bonus",
    source="docs/auto-contexts.md",
    parameters={"weights": Parameter("auto", "Whether rounds may weigh by one over their variance.", choices=("auto", False))},
    contextual=True,
    cluster_history=False,
)
