"""Which arm a hierarchical policy over rewards plays."""

import math

from ...core.draws import mixed, normal
from ...core.kernel import compiled
from ...core.sums import waiting
from ...core.tree import FIRST, PARENT, SIZE
from ...core.types import Floats, Links
from ..forced_exploration import neglected, plays_of
from .rewards import (
    BOLDER,
    CALM,
    CHECKED,
    CHECKED_LATER,
    FAMILIARITY,
    as_member,
    as_stranger,
    believed,
    bound,
    inside_level,
    late,
    leading,
    width,
)
from .table import (
    ARM_PLAYS,
    ARMS,
    CEILING,
    CENTRE,
    COUNT,
    FAMILIAR,
    GROWN,
    HOPED,
    INNER,
    LAST,
    LEAD,
    MEAN,
    NOISE,
    PRECISION,
    TAU2,
    TRIED,
    UNIT,
    WITHIN,
)

KNOWN, KNOWN_LATER = 2.0, 4.0
"""Arms of each cluster that are played before anything else, some times; and those that are tried in the end."""

SOME = 1e-300
"""Plays of an arm that was played at all."""

LEADING = 1e-9
"""Clusters whose best means differ by less, in units of the arm means' spread, promise the same, and the first goes first."""

SWEEP = 100.0
"""One round in (K / SWEEP)^3 goes to an arm never played, while there is one: of a hundred arms each is tried at once, unless
labels speak for them."""

DOUBT = 0.3
"""After CALM rounds an arm, up to DOUBT sqrt(K t) of the first t go to arms that may have been given up by mistake."""


@compiled
def untried(tree: Links, online: Floats, past: Floats, pending: Floats, first: int, last: int) -> int:
    """Of the arms from ``first`` up to ``last`` that were never played one by a fixed shuffle, or -1."""
    chosen, least = -1, 1 << 33
    for node in range(first, last):
        if tree[node, SIZE] == 0 and plays_of(online, past, pending, node) == 0.0:
            rank = mixed(node - first)
            if rank < least:
                chosen, least = node, rank
    return chosen


@compiled
def known(tree: Links, online: Floats, past: Floats, pending: Floats, cluster: int, enough: float) -> float:
    """How many arms of a cluster were played, or are waited for, so often."""
    found = 0.0
    for node in range(tree[cluster, FIRST], tree[cluster, FIRST] + tree[cluster, SIZE]):
        if tree[node, SIZE] == 0 and plays_of(online, past, pending, node) >= enough:
            found += 1.0
    return found


@compiled
def unfamiliar(tree: Links, online: Floats, past: Floats, pending: Floats, cluster: int) -> int:
    """Of the arms of a cluster that were played too little to speak for it the one played most, by a fixed shuffle, or -1."""
    first, last = tree[cluster, FIRST], tree[cluster, FIRST] + tree[cluster, SIZE]
    chosen, most, least = -1, -1.0, 1 << 33
    for node in range(first, last):
        plays = plays_of(online, past, pending, node)
        rank = mixed(node - first)
        if tree[node, SIZE] == 0 and plays < FAMILIARITY and (plays > most or (plays == most and rank < least)):
            chosen, most, least = node, plays, rank
    return chosen


@compiled
def unknown(tree: Links, online: Floats, past: Floats, pending: Floats, derived: Floats, cluster: int, later: bool) -> int:
    """An arm of a cluster of which too few are known, or -1.

    Of a cluster known by one arm all would be thought what that one is, and its label may be wrong; or its rewards were low by
    chance.
    """
    wanted = min(KNOWN, derived[cluster, ARMS])
    if derived[cluster, FAMILIAR] < wanted and known(tree, online, past, pending, cluster, FAMILIARITY) < wanted:
        return unfamiliar(tree, online, past, pending, cluster)
    wanted = min(KNOWN_LATER, derived[cluster, ARMS])
    if later and derived[cluster, TRIED] < wanted and known(tree, online, past, pending, cluster, SOME) < wanted:
        return untried(tree, online, past, pending, tree[cluster, FIRST], tree[cluster, FIRST] + tree[cluster, SIZE])
    return -1


@compiled
def opening(tree: Links, online: Floats, past: Floats, pending: Floats, derived: Floats, ledger: Floats, rounds: float) -> int:
    """An arm of a cluster of which too few are known, of the most promising one first; the least played arm while all rewards are
    equal; now and then one untried, neglected, or given up too early; or -1."""
    chosen, lead, later = -1, 0.0, late(ledger, rounds) and believed(ledger, rounds)
    apart = LEADING * math.sqrt(ledger[UNIT])
    for node in range(int(ledger[INNER])):
        if tree[node, SIZE] > 0:
            arm = unknown(tree, online, past, pending, derived, node, later)
            if arm >= 0 and (chosen < 0 or derived[node, LEAD] > lead + apart):
                chosen, lead = arm, derived[node, LEAD]
    if chosen >= 0:
        return chosen
    if ledger[UNIT] == 0.0:
        chosen, least = 0, math.inf
        for node in range(1, len(tree)):
            plays = plays_of(online, past, pending, node)
            if tree[node, SIZE] == 0 and plays < least:
                chosen, least = node, plays
        return chosen
    if sweeping(ledger, rounds):
        chosen = untried(tree, online, past, pending, 1, len(tree))
        if chosen >= 0:
            return chosen
    chosen = neglected(tree, online, past, pending, rounds)
    if chosen >= 0:
        return chosen
    return most_hoped(tree, pending, derived, ledger, rounds) if doubting(ledger, rounds) else -1


@compiled
def sweeping(ledger: Floats, rounds: float) -> bool:
    """Whether this round is for an arm never played, whatever its label says."""
    if believed(ledger, rounds):
        return False
    due: bool = rounds % max(1.0, math.floor((ledger[COUNT] / SWEEP) ** 3)) == 0.0
    return due


@compiled
def doubting(ledger: Floats, rounds: float) -> bool:
    """Whether this round is for an arm that may have been given up by mistake, if there is one.

    That is likely where noise grows with the mean: there a good arm whose first rewards were low looks both poor and certain.
    """
    doubts = DOUBT * (min(BOLDER, ledger[GROWN]) / BOLDER) ** 2 * math.sqrt(ledger[COUNT])
    due: bool = math.floor(doubts * math.sqrt(rounds)) > math.floor(doubts * math.sqrt(rounds - 1.0))
    return due and rounds >= CALM * ledger[COUNT]


@compiled
def filled_mean(derived: Floats, node: int, awaited: float) -> float:
    """Mean of an arm's rewards, each awaited one taken to be what is expected of it: a lucky one is not believed for long."""
    mean: float = derived[node, MEAN]
    mean += awaited / (derived[node, ARM_PLAYS] + awaited) * (derived[node, WITHIN] - mean)
    return mean


@compiled
def most_hoped(tree: Links, pending: Floats, derived: Floats, ledger: Floats, rounds: float) -> int:
    """The arm of the highest bound of its own, had it the noise of the arms played most; -1 if none is above the leading mean."""
    chosen, best = -1, derived[leading(tree, derived, ledger), LEAD]
    for node in range(1, len(tree)):
        if tree[node, SIZE] == 0:
            awaited = waiting(pending, node)
            plays = derived[node, ARM_PLAYS] + awaited
            if plays > 0.0:
                own = width(derived[node, HOPED] / plays, rounds / plays, 1.0, ledger[COUNT])
                value = filled_mean(derived, node, awaited) + own
                if value > best:
                    chosen, best = node, value
    return chosen


@compiled
def most_promising(tree: Links, pending: Floats, derived: Floats, ledger: Floats, rounds: float) -> int:
    """The arm of the highest bound; those whose ceiling is lower than the best so far need not be looked at."""
    pruned = len(pending) == 0
    chosen = int(ledger[LAST]) if pruned else 0
    best = bound(derived, ledger, chosen, rounds, 0.0) if chosen > 0 else -math.inf
    for node in range(1, len(tree)):
        if tree[node, SIZE] == 0 and (not pruned or derived[node, CEILING] >= best):
            value = bound(derived, ledger, node, rounds, waiting(pending, node))
            if value > best or (value == best and node < chosen):
                best, chosen = value, node
    return chosen


@compiled
def best_inside(tree: Links, pending: Floats, derived: Floats, ledger: Floats, cluster: int, rounds: float) -> int:
    """Inside a cluster: an arm never played, or too little to tell whether it belongs; else the highest bound of its own mean."""
    first, last = tree[cluster, FIRST], tree[cluster, FIRST] + tree[cluster, SIZE]
    wanted = 1.0
    if believed(ledger, rounds) and cluster == leading(tree, derived, ledger):
        wanted = CHECKED_LATER if late(ledger, rounds) else CHECKED
    chosen, best, fewest, least = -1, -math.inf, math.inf, 1 << 33
    for node in range(first, last):
        if tree[node, SIZE] > 0:
            continue
        awaited = waiting(pending, node)
        plays = derived[node, ARM_PLAYS] + awaited
        if plays < wanted:
            rank = mixed(node - first)
            if plays < fewest or (plays == fewest and rank < least):
                chosen, best, fewest, least = node, math.inf, plays, rank
        elif best < math.inf:
            z = rounds / (derived[cluster, ARMS] * plays)
            own = width(derived[node, HOPED] / plays, z, inside_level(ledger), ledger[COUNT])
            value = filled_mean(derived, node, awaited) + own
            if value > best:
                chosen, best = node, value
    return chosen


@compiled
def choose_bound(
    tree: Links, online: Floats, past: Floats, pending: Floats, derived: Floats, ledger: Floats, rounds: float
) -> int:
    """HierUCB: the arm to play."""
    chosen = opening(tree, online, past, pending, derived, ledger, rounds)
    if chosen >= 0:
        return chosen
    promising = most_promising(tree, pending, derived, ledger, rounds)
    cluster = tree[promising, PARENT]
    if cluster != leading(tree, derived, ledger):
        awaited = waiting(pending, promising)
        member = as_member(derived, ledger, promising, rounds, awaited)
        if as_stranger(derived, ledger, promising, rounds, awaited) >= member:
            return promising
    return best_inside(tree, pending, derived, ledger, cluster, rounds)


@compiled
def choose_draw(
    tree: Links, online: Floats, past: Floats, pending: Floats, derived: Floats, ledger: Floats, rounds: float, key: int
) -> int:
    """HierTS: the arm of the highest draw; centres first, then the arms around them."""
    chosen = opening(tree, online, past, pending, derived, ledger, rounds)
    if chosen >= 0:
        return chosen
    best = -math.inf
    for node in range(1, len(tree)):
        if tree[node, SIZE] == 0:
            value = drawn(tree, pending, derived, node, key)
            if value > best:
                best, chosen = value, node
    return chosen


@compiled
def drawn(tree: Links, pending: Floats, derived: Floats, node: int, key: int) -> float:
    """A draw of an arm's expected reward; awaited rewards narrow it around what is expected of it."""
    above = tree[node, PARENT]
    tau2, noise = derived[above, TAU2], derived[node, NOISE]
    centre = derived[above, CENTRE] + normal(key, above) / math.sqrt(derived[above, PRECISION])
    own = 1.0 / tau2 + derived[node, ARM_PLAYS] / noise
    mean = (centre / tau2 + derived[node, ARM_PLAYS] * derived[node, MEAN] / noise) / own
    value: float = mean + normal(key, node) / math.sqrt(own)
    awaited = waiting(pending, node)
    if awaited > 0.0:
        narrower = math.sqrt(own / (own + awaited / noise))
        value = derived[node, WITHIN] + narrower * (value - derived[node, WITHIN])
    return value
