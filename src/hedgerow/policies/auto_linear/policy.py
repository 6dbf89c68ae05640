"""Auto with contexts as a family of policies: six functions over one set of arrays."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...core.draws import draw, mixed
from ...core.kernel import compiled
from ...core.records import Field
from ...core.sums import PLAYS, WAITS, dimension_of, fields_of, second_moments, usable, waiting_at
from ...core.types import Floats, Integers, Links
from ..family import Arrays, Change, Course, Estimates, Format, Waiting
from ..forced_exploration import neglected
from ..registry import Parameter, register
from . import linear
from .ledger import (
    ASK,
    CONSTANT,
    DEPTH,
    DRIFT,
    ETA,
    KEPT,
    LEVELS,
    OFFSET,
    PHI,
    RHO,
    SIG2,
    STANDARD,
    forget_levels,
    ledger_size,
    mean_residual,
    merged,
    new_ledger,
    standard_of,
)
from .lens import dimension_given, dimension_seen, viewed
from .posterior import depth_of, derived_size
from .rebuild import forget_residuals, rebuild
from .shape import history_weights
from .sums import EXCESS, reweighed
from .width import bonus

SELDOM = 8
"""One round in so many, by a fixed shuffle, is looked at for an arm that is neglected."""


@compiled
def spared(tree: Links, online: Floats, history: Floats, waiting: Floats) -> int:
    """The arm that this round is for whatever the context, or -1."""
    rounds = 1.0 + online[0, PLAYS] + waiting_at(waiting, 0)
    return neglected(tree, online, history, waiting, rounds) if mixed(int(rounds)) % SELDOM == 0 else -1


@compiled
def choose(
    tree: Links, online: Floats, history: Floats, waiting: Floats, rows: Floats, state: Floats, context: Floats, key: int
) -> int:
    """The leaf to play, or -1 for a context that cannot be used."""
    leaf = spared(tree, online, history, waiting)
    if leaf >= 0 and usable(context):
        return leaf
    return linear.choose(tree, rows, waiting if len(waiting) > 0 else rows, state, context, draw(key, 0))


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
    leaf = spared(tree, online, history, waiting)
    posterior = waiting if len(waiting) > 0 else rows
    for row in range(chosen.size):
        if leaf >= 0 and usable(contexts[row]):
            chosen[row] = leaf
        else:
            chosen[row] = linear.choose(tree, rows, posterior, state, contexts[row], draw(keys[row], 0))


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
        linear.learn(tree, online, history, rows, state, leaf, rewards[drawn[t], arms[t]], contexts[t])


class Linear:
    """Auto with contexts.

    Args:
        values: ``weights``: "auto" or False.
    """

    def __init__(self, values: Mapping[str, Any]):
        self.weights = values["weights"] == "auto"

    def format(self, nodes: int, dimension: int | None) -> Format:
        """Sums with contexts; what waits, and the posterior with it; the posterior of each node; the ledger."""
        d = dimension or 0
        posterior = (Field("odd"), Field("posterior", shape=(derived_size(d) - 2,)))
        online = (*fields_of(d, whole=True), Field("excess", shape=(EXCESS,)))
        waiting = (Field("decisions", low=0.0, whole=True), *posterior)
        return Format(online, waiting, (Field("ceiling", low=0.0), *posterior), (Field("ledger", shape=(ledger_size(d),)),))

    def fit(self, arrays: Arrays, change: Change, waiting: Waiting = ()) -> Arrays:
        """The model from the sums."""
        tree, online, history, _, rows, state, _ = arrays
        if change is Change.LOADED:
            check_state(tree, state)
            return arrays
        if change is not Change.WAITING:
            d = dimension_of(history.shape[1])
            state = new_ledger(self.weights, d) if change is Change.MADE else state.copy()
            if change in (Change.ARMS, Change.WITHDRAWN, Change.HISTORY):  # other arms may have levels
                forget_levels(state)
            if change is Change.HISTORY:  # nor do the residuals of predictions from another history count
                forget_residuals(state, state[STANDARD])
            state[ASK] = 0.0
            rows = np.zeros((len(tree), derived_size(d)))
            rebuild(tree, online, history, rows, state)
        return arrays._replace(rows=rows, state=state, waiting=awaited(tree, rows, state, waiting))

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
        """Add a reward, unless the context cannot be used."""
        tree, online, history, waits, rows, state, _ = arrays
        if waiting is None:
            learnt: bool = linear.learn(tree, online, history, rows, state, leaf, reward, context)
            return learnt
        if linear.settle(tree, online, history, waits, rows, state, leaf, reward, context):
            for other, shown in waiting:
                linear.narrow(tree, waits, state, other, shown)
        return True

    def wait(self, arrays: Arrays, leaf: int, context: Floats, times: int, waiting: Waiting = ()) -> None:
        """Count a decision that waits, or no longer."""
        tree, _, _, waits, rows, state, _ = arrays
        if times > 0:
            linear.expect(tree, waits, rows, state, leaf, context)
            return
        linear.forget(tree, waits, rows, leaf)
        for other, shown in waiting:
            linear.narrow(tree, waits, state, other, shown)

    def estimates(self, arrays: Arrays, context: Floats) -> Estimates:
        """Mean and index of every node; a cluster's are those of its centroid."""
        tree, _, _, waits, rows, state, _ = arrays
        posterior = waits if len(waits) else rows
        found = [linear.estimate(tree, posterior, state, context, node) for node in range(1, len(tree))]
        means, spreads = np.array([(np.nan, np.nan), *found]).T
        return Estimates(means, means + np.array([bonus(state, spread / state[SIG2]) for spread in spreads]), settings(arrays))

    def merge(self, own: Arrays, other: Arrays, since: Arrays | None) -> tuple[Floats, Floats]:
        """Rows whose weights stand for the same variance as the own ones; the state of two workers."""
        learnt = other.online - (0.0 if since is None else since.online)
        state = merged(own.state, other.state, None if since is None else since.state)
        if state[STANDARD] > 0.0 and standard_of(other.state) > 0.0:
            learnt = reweighed(learnt, state[STANDARD] / standard_of(other.state), dimension_given(own.state))
        return own.online + learnt, state

    def play(self, arrays: Arrays, course: Course, key: int) -> None:
        """Live through a whole trial."""
        tree, online, history, waiting, rows, state, _ = arrays
        play(tree, online, history, waiting, rows, state, *course)


def awaited(tree: Links, rows: Floats, state: Floats, waiting: Waiting) -> Floats:
    """Rows of the decisions that wait; none while nothing waits."""
    waits = np.zeros_like(rows)
    for leaf, context in waiting:
        linear.expect(tree, waits, rows, state, leaf, context)
    return waits if waits[0, WAITS] > 0.0 else waits[:0]


def check_state(tree: Links, state: Floats) -> None:
    """Refuse a state whose columns are not those of the contexts, or whose depth is not that of the tree."""
    levels, constant, dimension = state[LEVELS], state[CONSTANT], dimension_given(state)
    columns = levels in (0.0, 1.0) and (constant == dimension if levels else constant in range(-1, dimension))
    if not columns or state[DEPTH] != max(depth_of(tree, node) for node in range(len(tree))):
        raise ValueError("its state is that of another policy")


def settings(arrays: Arrays) -> dict[str, float]:
    """Noise, spreads within and between clusters, drift since history (standard deviations), offset, whether levels of the arms
    were found that no column of the contexts stands for, whether weights are on.

    ``trusted``: the share of the history's information about its arms that counts.
    """
    state, clustered = arrays.state, arrays.state[DEPTH] > 1.0
    within, between = np.sqrt(state[[RHO, PHI]] * state[SIG2])
    found = {"noise": _noise(state), "offset": float(state[OFFSET])}
    found |= {"within": float(within), "between": float(between)} if clustered else {"within": float(between)}
    if arrays.history[0, PLAYS] > 0.0:
        spread = between**2 + (state[DEPTH] - 1.0) * within**2
        found["drift"] = float(np.sqrt((1.0 - state[KEPT]) ** 2 * spread + state[DRIFT] * state[SIG2]))
        found["trusted"] = _trusted(arrays)
    return found | {"levels": float(state[LEVELS]), "weighted": float(state[ETA] > 0.0)}


def _noise(state: Floats) -> float:
    """Standard deviation of a round around its mean: of a round of weight 1 or, once some weigh otherwise, of the residuals."""
    return float(np.sqrt((state[STANDARD] > 0.0 and mean_residual(state)) or state[SIG2]))


def _trusted(arrays: Arrays) -> float:
    """Trace of all messages c^2 (A^-1 + delta I)^-1 of the histories over that of all A."""
    history, state = arrays.history, arrays.state
    if state[DRIFT] == 0.0:
        return 1.0
    leaves = np.flatnonzero(arrays.tree[:, 1] == 0)
    weights = history_weights(history, state, leaves)
    moments = second_moments(viewed(history[leaves], state), dimension_seen(state))
    known = np.maximum(weights[:, None] * np.linalg.eigvalsh(moments), 0.0)
    heard = state[KEPT] ** 2 * known / (1.0 + state[DRIFT] * known)
    return float(heard.sum() / max(known.sum(), 1e-300))


register(
    "hierlinucb",
    Linear,
    summary="Coefficients are alike within clusters as far as rewards say so: one hierarchical linear model, mean and bonus",
    source="docs/policies.md",
    parameters={"weights": Parameter("auto", "Whether rounds may weigh by one over their variance.", choices=("auto", False))},
    contextual=True,
    cluster_history=False,
)
