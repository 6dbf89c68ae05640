"""Down the levels by an index over reward sums: UCB, HUCBC and the like; bounds from below (BAST); prices (D3RB)."""

from collections.abc import Iterable

import numpy as np

from ...core.kernel import compiled
from ...core.sums import AWAITED, PLAYS, TOTAL
from ...core.sums import row_size as row_size
from ...core.tree import PARENT, clock_at
from ...core.types import Floats, Integers, Links
from ..arrays import Layout, Nodes
from ..balance import PRICES
from ..reward_paths import bounds_from_below, credit_rewards, credit_sums, descend_rewards, descend_ucb
from ..rules import BAST, D3RB, NEVER, NEXT, SCALE, UCB, Rule, score
from ..scale import rescale
from . import Course
from .waiting import expect as expect
from .waiting import pending_size as pending_size
from .waiting import release as release


def shapes(rule: Rule, nodes: int, dimension: int | None) -> tuple[tuple[int, int], tuple[int]]:
    """No derived rows; for D3RB the ledger holds the experts' prices, too."""
    return (0, 1), (len(rule.ledger()) + (nodes if rule.number == D3RB else 0),)


def derive(
    tree: Links, online: Floats, past: Floats, pending: Floats, rule: Rule, layout: Layout, before: Floats | None
) -> tuple[Floats, Floats]:
    """The scale in use and, for D3RB, prices as before, or of 1 for other experts than before."""
    rows, (size,) = shapes(rule, len(tree), None)
    ledger = np.ones(size)
    if before is not None and before.size == size:
        ledger = before.copy()
    ledger[: len(rule.ledger())] = rule.ledger()
    if online[0, PLAYS] >= ledger[NEXT]:
        rescale(tree, online, past, ledger)
    return np.zeros(rows), ledger


def sound(tree: Links, ledger: Floats, dimension: int | None) -> bool:
    """There are no rows in it."""
    return True


def join(learnt: Floats, own: Floats, other: Floats, since: Floats | None) -> tuple[Floats, Floats]:
    """Rows as they are, and the higher price of each expert; nothing else in the ledger is learnt apart from the sums."""
    return learnt, np.maximum(own, other)


def relabelled(ledger: Floats, withdrawn: bool) -> Floats:
    """Nothing in it speaks of labels that is not estimated anew."""
    return ledger


def rewarmed(ledger: Floats) -> Floats:
    """Nor of history."""
    return ledger


def choose(rule: int, clock: int, nodes: Nodes, context: Floats, key: int) -> int:
    """The leaf to play."""
    arms, online, past, pending, _, ledger, places, seats, _, heap = nodes
    if rule == UCB and key < 0 and not pending.size and not places.size:
        return descend_ucb(clock, arms.tree, online, past, ledger)
    return descend_rewards(rule, clock, arms.tree, online, past, pending, ledger, places, seats, heap, key)


def learn(rule: int, nodes: Nodes, leaf: int, reward: float, context: Floats) -> bool:
    """Add a reward."""
    arms, online, past, _, _, ledger, places, _, seat_of, heap = nodes
    if rule == D3RB or places.size:
        credit_rewards(rule, arms.tree, online, past, ledger, places, seat_of, heap, leaf, reward)
    elif credit_sums(arms.tree, online, ledger, leaf, reward):
        rescale(arms.tree, online, past, ledger)
    return True


def settle(rule: int, nodes: Nodes, leaf: int, reward: float, context: Floats, others: Iterable[tuple[int, Floats]]) -> None:
    """The reward of an expected decision."""
    release(nodes, leaf, context)
    learn(rule, nodes, leaf, reward, context)


def estimates(rule: int, clock: int, nodes: Nodes, context: Floats) -> tuple[Floats, Floats]:
    """Mean and index of every node."""
    arms, online, past, pending, _, ledger, *_ = nodes
    indices = np.empty(len(online))
    with np.errstate(divide="ignore", invalid="ignore"):
        means = (online[:, TOTAL] + past[:, TOTAL]) / (online[:, PLAYS] + past[:, PLAYS])
    if rule == BAST:
        return means, bounds_from_below(rule, clock, arms.tree, online, past, pending, ledger, -1)
    if rule == D3RB:
        awaited = pending[:, AWAITED] if len(pending) else 0.0
        return means, 0.0 - ledger[PRICES:] * np.sqrt(online[:, PLAYS] + awaited)
    for node in range(1, len(online)):
        rounds = clock_at(clock, online, pending, arms.tree[node, PARENT])
        indices[node] = score(rule, online, past, pending, node, rounds, ledger, -1)
    return means, indices


def settings(nodes: Nodes) -> dict[str, float]:
    """An automatic scale."""
    return {"scale": float(nodes.ledger[SCALE])} if nodes.ledger[NEXT] < NEVER else {}


@compiled
def _play(
    rule: int,
    clock: int,
    tree: Links,
    online: Floats,
    past: Floats,
    pending: Floats,
    derived: Floats,
    ledger: Floats,
    places: Integers,
    seats: Links,
    seat_of: Links,
    heap: Floats,
    key: int,
    rewards: Floats,
    rows: Integers,
    arm_of: Integers,
    arms: Integers,
) -> None:
    # short of arguments, since Numba counts references for each array that it hands to a function with branches
    plain = rule == UCB and key < 0 and len(pending) == 0 and len(places) == 0
    sums_alone = rule != D3RB and len(places) == 0
    for t in range(rows.size):
        if plain:
            leaf = descend_ucb(clock, tree, online, past, ledger)
        else:
            drawn = key + t if key >= 0 else key
            leaf = descend_rewards(rule, clock, tree, online, past, pending, ledger, places, seats, heap, drawn)
        arm = arm_of[leaf]
        if sums_alone:
            if credit_sums(tree, online, ledger, leaf, rewards[rows[t], arm]):
                rescale(tree, online, past, ledger)
        else:
            credit_rewards(rule, tree, online, past, ledger, places, seat_of, heap, leaf, rewards[rows[t], arm])
        arms[t] = arm


def play(rule: int, clock: int, nodes: Nodes, key: int, course: Course) -> None:
    """Live through a whole trial and note the arms."""
    _play(rule, clock, nodes.arms.tree, *nodes[1:], key, *course[1:])
