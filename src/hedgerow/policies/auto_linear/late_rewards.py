"""Decisions that wait for their reward: covariances narrow as they will once it is there, means stay."""

from ...core.kernel import compiled
from ...core.records import record
from ...core.sums import WAITS, dot
from ...core.tree import PARENT
from ...core.types import Floats, Integers, Links
from .noise_shape import noise_at
from .refresh import refresh
from .standardize import standardized
from .state import NODE_SIZE, POLICY, Parts, climb, covariance_start, dimension_seen, room_for
from .updates import narrow_path, prediction_of, refresh_due, step


@compiled
def narrow(tree: Links, waiting: Floats, state: Floats, leaf: int, context: Floats) -> None:
    """The covariances as they will be once a decision has its reward."""
    own, seen = record(state, POLICY), standardized(state, context)
    images = room_for(own, seen)
    width = climb(tree, waiting, own.spread_below, leaf, seen, images)
    mean = own.offset + dot(waiting, leaf, NODE_SIZE, seen)
    narrow_path(tree, waiting, own.spread_below, leaf, images, noise_at(own, prediction_of(own, mean, width)))


@compiled
def copy_posterior(rows: Floats, waiting: Floats) -> None:
    """Posteriors with nothing that waits; the counts, which stand first in a row, stay."""
    waiting[:, 1:] = rows[:, 1:]


@compiled
def count_waiting(tree: Links, waiting: Floats, leaf: int, more: float) -> None:
    """So many more decisions wait at an arm and every node above it."""
    node = leaf
    while node >= 0:
        waiting[node, WAITS] += more
        node = tree[node, PARENT]


@compiled
def wait(tree: Links, waiting: Floats, rows: Floats, state: Floats, leaf: int, context: Floats) -> None:
    """Count a decision whose reward is still to come: covariances narrow as they will, means stay."""
    if waiting[0, WAITS] == 0.0:
        copy_posterior(rows, waiting)
    count_waiting(tree, waiting, leaf, 1.0)
    narrow(tree, waiting, state, leaf, context)


@compiled
def narrow_all(tree: Links, waiting: Floats, rows: Floats, state: Floats, others: Integers, shown: Floats) -> None:
    """The posterior without any that wait, narrowed by those that still do: their leaves, and their contexts."""
    copy_posterior(rows, waiting)
    for at in range(others.size):
        narrow(tree, waiting, state, others[at], shown[at])


@compiled
def give_up(tree: Links, waiting: Floats, rows: Floats, state: Floats, leaf: int, others: Integers, shown: Floats) -> None:
    """A decision whose reward will not come: those that still wait narrow the posterior again, in the same call."""
    count_waiting(tree, waiting, leaf, -1.0)
    narrow_all(tree, waiting, rows, state, others, shown)


@compiled
def settle(
    tree: Links,
    online: Floats,
    history: Floats,
    waiting: Floats,
    rows: Floats,
    state: Floats,
    leaf: int,
    reward: float,
    context: Floats,
    others: Integers,
    shown: Floats,
) -> None:
    """The reward of a decision that was waited for; after a refresh those that still wait narrow the covariances again."""
    parts = Parts(tree, online, history, rows, state)
    leverage = step(parts, leaf, reward, context)
    count_waiting(tree, waiting, leaf, -1.0)
    if refresh_due(parts, leaf, leverage):
        refresh(parts)
        narrow_all(tree, waiting, rows, state, others, shown)
    else:
        mean_end = covariance_start(dimension_seen(state))
        waiting[:, NODE_SIZE:mean_end] = rows[:, NODE_SIZE:mean_end]
