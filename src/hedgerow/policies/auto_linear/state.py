"""The names of the numbers that Auto with contexts keeps, of the policy, each column and each node; and the width of an arm.

    state   POLICY_FIELDS, then for each column one over its unit, then for each column its centre (standardize.py)
    rows    NODE_FIELDS, then mean (d) and covariance (d x d, row by row) of the node's coefficients, in contexts as they are seen

There is room for one column more than the contexts have: where arms have levels, a 1 is seen after the columns.
While decisions wait, rows of their own hold their number and the posterior as it will be, narrowed by them.
"""

from typing import Any, NamedTuple

import numpy as np

from ...core.kernel import compiled, summing
from ...core.records import Field, kind_of, record, width
from ...core.tree import PARENT
from ...core.types import Floats, Links
from .settings import FARTHEST_STEP, INTERCEPTS

BIN_COUNT = 64
"""Bins of residuals, by size of prediction; a bin is a factor of two wide."""

LARGE, SMALL = 1e200, 5e-324
"""More than the square of any reward; the least variance that one can divide by."""

MOST_ROUNDS = 1e18

POLICY_FIELDS = (
    Field("due", 1.0, 10.0 * MOST_ROUNDS),  # rounds, online and historical, at which the next refresh is due; 1: no data so far
    Field("depth", 0.0, MOST_ROUNDS, whole=True),  # levels of the tree under the root
    Field("rounds", 0.0, MOST_ROUNDS, whole=True),  # online rounds, as the residuals know them
    Field("least", -LARGE, LARGE),  # online reward
    Field("largest", -LARGE, LARGE),
    Field("reward_variance", 0.0, LARGE),  # of all rewards, at the last refresh
    # the model
    Field("offset", -LARGE, LARGE),  # a
    Field("noise", SMALL, LARGE),  # sig2
    Field("spread_top", SMALL, 1e300),  # phi
    Field("spread_below", SMALL, 1e300),  # rho
    Field("log2_spread", -FARTHEST_STEP, FARTHEST_STEP),  # of the one searched finely: below, in a flat policy at the top
    Field("drift", 0.0, 1e300),  # delta; 0: history is that of theta itself
    Field("kept", 0.0, 1.0),  # c
    # levels of the arms
    Field("levels", 0.0, 1.0, whole=True),  # whether a 1 is seen after the columns; 1 without data
    Field("constant_column", -1.0, MOST_ROUNDS, whole=True),  # the column that never changes, or -1
    Field("levels_against", 0.0, 1e300),  # log likelihood by which arms without levels were ahead, at most
    Field("levels_due", 0.0, 10.0 * MOST_ROUNDS),  # rounds from which on levels are looked for again
    # the noise
    Field("weights", 0.0, 1.0, whole=True),  # whether rounds may weigh other than 1
    Field("noise_intercept", -1.0, float(INTERCEPTS[0])),  # eta; -1: the noise is constant, kappa
    Field("noise_slope", 0.0, LARGE),  # kappa
    Field("unit_noise", 0.0, LARGE),  # that of weight 1; 0 until the noise has first looked other than constant
    Field("middle_bin", 0.0, LARGE),  # prediction z of the middle bin
    Field("bin_rounds", 0.0, MOST_ROUNDS, (BIN_COUNT,)),
    Field("bin_predictions", 0.0, 1e300, (BIN_COUNT,)),  # sums of z
    Field("bin_residuals", 0.0, 1e300, (BIN_COUNT,)),  # sums of squared residuals
    # the index
    Field("width_rate", 0.0, 1e300),
    Field("width_floor", 0.0, 1.0),
    Field("mean_square", 0.0, 1e300),  # of a context: mean of x'x
)
NODE_FIELDS = (
    Field("ceiling", 0.0, LARGE),  # what sets a limit to an arm's bonus until the next refresh (index.py)
    Field("extra_spread", 0.0, LARGE),  # of an arm that does not belong to its cluster, added to rho (misplaced_arms.py)
)
POLICY = kind_of(POLICY_FIELDS)
POLICY_SIZE, NODE_SIZE = width(POLICY_FIELDS), width(NODE_FIELDS)


def state_fields(dimension: int) -> tuple[Field, ...]:
    """The names and ranges of the numbers in the state of a policy.

    Args:
        dimension: Length of the contexts.

    Returns:
        Those of the whole policy, then the unit and centre of each column.
    """
    columns = (dimension + 1,)
    return *POLICY_FIELDS, Field("inverse_unit", 0.0, LARGE, columns), Field("centre", -1e300, 1e300, columns)


def posterior_fields(dimension: int) -> tuple[Field, ...]:
    """The names and ranges of the numbers in a node's row, without the ceiling, which comes first.

    Args:
        dimension: Length of the contexts.

    Returns:
        The extra spread, then mean and covariance of the coefficients.
    """
    columns = dimension + 1
    return NODE_FIELDS[1], Field("mean_and_covariance", -LARGE, LARGE, (columns + columns**2,))


class Parts(NamedTuple):
    """The arrays of a policy, as a refresh takes them.

    Args:
        tree: First child, number of children and parent of each node.
        online: Sums of the online rounds.
        history: Sums of the history.
        rows: What is known of each node.
        state: And of the policy as a whole.
    """

    tree: Links
    online: Floats
    history: Floats
    rows: Floats
    state: Floats


def row_width(dimension: int) -> int:
    """Length of a node's row, with room for one column more than the contexts have.

    Args:
        dimension: Length of the contexts.

    Returns:
        The number of floats.
    """
    return NODE_SIZE + (dimension + 1) + (dimension + 1) ** 2


def new_state(weights: bool, dimension: int) -> Floats:
    """The state of a policy without data; a refresh makes it fit the sums.

    Args:
        weights: Whether rounds may weigh other than 1.
        dimension: Length of the contexts.

    Returns:
        One row of numbers.
    """
    state = np.zeros(width(state_fields(dimension)))
    clear_state(state)
    set_without_data(state, weights)
    return state


@compiled
def set_without_data(state: Floats, weights: bool) -> None:
    """What a policy is made with."""
    own = record(state, POLICY)
    own.weights = 1.0 if weights else 0.0
    own.constant_column = -1.0
    inverse_units(state)[:] = 1.0


@compiled
def clear_state(state: Floats) -> None:
    """Forget all but what the policy was made with."""
    own = record(state, POLICY)
    weights, constant = own.weights, own.constant_column
    state[:POLICY_SIZE] = 0.0
    own.weights, own.constant_column = weights, constant
    own.least, own.largest = LARGE, -LARGE
    own.due, own.spread_below, own.spread_top, own.noise, own.kept = 1.0, 1.0, 1.0, 1.0, 1.0
    own.noise_intercept, own.noise_slope = -1.0, 1.0
    own.levels, own.width_floor = 1.0, 1.0


@compiled
def forget_levels(state: Floats) -> None:
    """What data said of levels of the arms counts no more."""
    own = record(state, POLICY)
    own.levels_against, own.levels_due = 0.0, 0.0


@compiled
def tells_nothing(own: Any) -> bool:
    """Whether history was found to say nothing of the arms."""
    found: bool = own.drift > 0.0 and own.kept == 0.0
    return found


@compiled
def dimension_given(state: Floats) -> int:
    """Length of the contexts that a state is made for."""
    return (state.size - POLICY_SIZE) // 2 - 1


@compiled
def dimension_seen(state: Floats) -> int:
    """Length of the contexts as the policy sees them."""
    return dimension_given(state) + int(record(state, POLICY).levels)


@compiled
def inverse_units(state: Floats) -> Floats:
    """One over the unit of each column."""
    return state[POLICY_SIZE : POLICY_SIZE + dimension_given(state) + 1]


@compiled
def centres(state: Floats) -> Floats:
    """The centre of each column, in units of the constant one."""
    return state[POLICY_SIZE + dimension_given(state) + 1 :]


@compiled
def covariance_start(dimension: int) -> int:
    """Where the covariance starts in the row of a node; before it stands the mean, from NODE_SIZE on."""
    return NODE_SIZE + dimension


@compiled
def ceilings_of(rows: Floats) -> Floats:
    """The ceiling of each node: a column of the rows, since a record of each arm in each round would take a fifth of its time."""
    return rows[:, 0]


@compiled
def extra_spreads_of(rows: Floats) -> Floats:
    """The extra spread of each node."""
    return rows[:, 1]


@compiled
def spread_at(rows: Floats, node: int, spread_below: float) -> float:
    """Variance of a node around its parent, in units of the noise."""
    spread: float = spread_below + rows[node, 1]
    return spread


@compiled
def depth_of(tree: Links, node: int) -> int:
    """Levels from the root down to a node."""
    depth = 0
    while tree[node, PARENT] >= 0:
        node = tree[node, PARENT]
        depth += 1
    return depth


@summing
def image(posterior: Floats, node: int, scale: float, vectors: Floats, source: int, target: int) -> float:
    """u = scale M y, y and u rows of ``vectors``; returns scale y'u."""
    d = vectors.shape[1]
    at = covariance_start(d)
    product = 0.0
    for i in range(d):
        entry = 0.0
        for j in range(d):
            entry += posterior[node, at + j] * vectors[source, j]
        at += d
        vectors[target, i] = scale * entry
        product += scale * entry * scale * vectors[source, i]
    return product


@compiled
def room_for(own: Any, context: Floats) -> Floats:
    """Room for a vector per level of the tree, and one for the context."""
    return np.empty((int(own.depth) + 1, context.size))


@compiled
def climb(tree: Links, posterior: Floats, spread_below: float, node: int, context: Floats, images: Floats) -> float:
    """The width of an arm in a context, h = x'S x; row i of ``images`` becomes the u of the node i + 1 levels below the root."""
    depth = depth_of(tree, node)
    for i in range(context.size):
        images[depth, i] = context[i]
    scale, width = 1.0, 0.0
    for level in range(depth, 0, -1):
        width += image(posterior, node, scale, images, level, level - 1)
        scale = 1.0 / spread_at(posterior, node, spread_below)
        node = tree[node, PARENT]
    return max(width, 0.0)
