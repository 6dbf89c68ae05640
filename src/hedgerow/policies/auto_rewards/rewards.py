"""Hierarchical policies over rewards: HierUCB and HierTS.

The hierarchy says how good an arm may be as one of its cluster, or as a stranger there. The arm of the highest bound is played if
it is a stranger in another cluster than the leading one; else it names its cluster, and a bound of the arms' own means chooses
inside. Widths grow with log(t V / (K v)), so the leader has next to none, and many arms need less each. Units come from the data,
so rewards may be scaled and shifted.
"""

import math

import numpy as np

from ...core.kernel import compiled
from ...core.sums import PLAYS, observe_reward
from ...core.tree import FIRST, PARENT, SIZE
from ...core.types import Floats, Links
from ..scale import GROWTH
from .spreads import estimate_spreads
from .survey import arm_of, hoped_noise, noise_of, survey
from .table import (
    ALONE,
    ALONE_SPREAD,
    ARM_PLAYS,
    ARMS,
    BINARY,
    CEILING,
    CENTRE,
    COLUMNS,
    COUNT,
    DRIFT2,
    ERRED,
    EVIDENCE,
    FAMILIAR,
    GROWN,
    HIGH,
    HOPED,
    INNER,
    LARGEST,
    LAST,
    LEAD,
    LEAST,
    LOW,
    MEAN,
    MU0,
    NEXT,
    NOISE,
    NUMBERS,
    PRECISION,
    S2,
    SPREAD2,
    STRANGER,
    TAU2,
    TRIED,
    UNIT,
    WITHIN,
    WITHIN_SPREAD,
)

LEVEL, BOLDER, INSIDE = 15.0, 2.0, 3.0
"""Of the widths between clusters, see ``level``, and inside a cluster."""

RATES = 1.0
"""Of both if rewards take two values, for a rate tells its noise."""

MARGIN, CALM = 3.0, 100.0
"""Labels are believed if arms are likelier with them by so many nats, and for so many rounds an arm."""

CHECKED, CAUGHT = 5.0, 0.8
"""While labels are believed each arm of the leading cluster gets so many plays; after them a poor one shows that labels err, if
the chance that it does not belong there is so high."""

LATER, CHECKED_LATER, CAUGHT_LATER = 10.0, 10.0, 0.6
"""The same after so many rounds an arm, when there is more to lose."""

FAMILIARITY = 3.0
"""Plays from which on an arm tells what its cluster is worth."""

STRANGERS, ERRING = 1.0, 0.1
"""Arms expected not to belong to their cluster, whatever the spreads say; and their share, once labels were caught."""

SURPRISE = 8
"""A stranger is drawn to the mean of all arms the less, the noisier the arms played most are: by their ratio to this power."""


@compiled
def width(spread: float, z: float, level: float, arms: float) -> float:
    """sqrt(V (log(1 + level z) + log(1 + z / K))), z = t V / (K v): near sqrt(2 V log z) for few arms, and at last for many.

    Of many arms one left too early costs little, for another is nearly as good; of a few it costs much.
    """
    return math.sqrt(spread * (math.log(1.0 + level * z) + math.log(1.0 + z / arms)))


@compiled
def level(ledger: Floats) -> float:
    """The level of widths between clusters: up to twice as high if the arms played most are noisier than the typical ones.

    Then the noise of a good arm with a few low rewards is taken for too small.
    """
    return RATES if ledger[BINARY] > 0.0 else LEVEL * min(BOLDER, ledger[GROWN])


@compiled
def inside_level(ledger: Floats) -> float:
    """The level of widths inside a cluster."""
    return RATES if ledger[BINARY] > 0.0 else INSIDE


@compiled
def believed(ledger: Floats, rounds: float) -> bool:
    """Whether labels have shown that they are worth something, and no arm has shown yet that they err."""
    held: bool = ledger[EVIDENCE] > MARGIN and ledger[ERRED] == 0.0
    return held and rounds < CALM * ledger[COUNT]


@compiled
def late(ledger: Floats, rounds: float) -> bool:
    """Whether there were enough rounds to look at labels once more."""
    due: bool = rounds >= LATER * ledger[COUNT]
    return due


@compiled
def place_arm(derived: Floats, ledger: Floats, node: int, above: int) -> None:
    """An arm in its cluster, whose centre is known: E and V; the chance of being a stranger; and what it would be as one."""
    plays, mean, noise = derived[node, ARM_PLAYS], derived[node, MEAN], derived[node, NOISE]
    tau2, centre, precision = derived[above, TAU2], derived[above, CENTRE], derived[above, PRECISION]
    own = 1.0 / tau2 + plays / noise
    derived[node, WITHIN] = (centre / tau2 + plays * mean / noise) / own
    derived[node, WITHIN_SPREAD] = 1.0 / own + (1.0 / (tau2 * own)) ** 2 / precision
    whole = ledger[S2] + ledger[SPREAD2]
    expected = max(STRANGERS / ledger[COUNT], ERRING * ledger[ERRED])
    chance = min(1.0, ledger[SPREAD2] / whole + expected)
    spread = max(whole, ledger[UNIT]) + ledger[DRIFT2]  # arms that have moved may be anywhere
    if plays == 0.0:
        derived[node, STRANGER] = chance
        derived[node, ALONE], derived[node, ALONE_SPREAD] = ledger[MU0], spread
        return
    error = noise / plays
    left = precision - 1.0 / (tau2 + error)
    others = (centre * precision - mean / (tau2 + error)) / left  # the centre without this arm
    member, stranger = ledger[SPREAD2] + error + 1.0 / left, whole + error
    odds = 0.5 * (math.log(member / stranger) + (mean - others) ** 2 / member - (mean - ledger[MU0]) ** 2 / stranger)
    weight = chance * math.exp(min(odds, 50.0))
    derived[node, STRANGER] = weight / (weight + 1.0 - chance) if chance < 1.0 else 1.0
    drawn = noise / (spread * ledger[GROWN] ** SURPRISE)  # plays that the mean of all arms counts as
    derived[node, ALONE] = (plays * mean + drawn * ledger[MU0]) / (plays + drawn)
    derived[node, ALONE_SPREAD] = noise / (plays + drawn)


@compiled
def as_member(derived: Floats, ledger: Floats, node: int, rounds: float, awaited: float) -> float:
    """How good an arm may be as one of its cluster; awaited rewards narrow it."""
    noise, spread = derived[node, NOISE], derived[node, WITHIN_SPREAD]
    spread /= 1.0 + spread * awaited / noise
    z = rounds / ledger[COUNT] * spread / noise
    value: float = derived[node, WITHIN] + width(spread, z, level(ledger), ledger[COUNT])
    return value


@compiled
def as_stranger(derived: Floats, ledger: Floats, node: int, rounds: float, awaited: float) -> float:
    """How good an arm may be if it does not belong to its cluster, the more boldly the likelier that is.

    While labels are believed no more boldly than inside a cluster, and not at all if it was never played. Awaited rewards narrow
    it, and count as what is expected of them.
    """
    trusting = believed(ledger, rounds)
    if derived[node, ARM_PLAYS] == 0.0 and trusting:
        return -math.inf
    noise, spread, mean = derived[node, NOISE], derived[node, ALONE_SPREAD], derived[node, ALONE]
    share = spread * awaited / noise
    spread /= 1.0 + share
    mean += share / (1.0 + share) * (derived[node, WITHIN] - mean)
    z = rounds / ledger[COUNT] * derived[node, STRANGER] * spread / noise
    bold = inside_level(ledger) if trusting else level(ledger)
    value: float = mean + width(spread, z, bold, ledger[COUNT])
    return value


@compiled
def bound(derived: Floats, ledger: Floats, node: int, rounds: float, awaited: float) -> float:
    """How good an arm may be."""
    return max(as_member(derived, ledger, node, rounds, awaited), as_stranger(derived, ledger, node, rounds, awaited))


@compiled
def place_cluster(tree: Links, derived: Floats, ledger: Floats, above: int) -> None:
    """The centre of a cluster, and its arms."""
    precision, moment = 1.0 / ledger[S2], ledger[MU0] / ledger[S2]
    derived[above, TRIED], derived[above, FAMILIAR] = 0.0, 0.0
    first, last = tree[above, FIRST], tree[above, FIRST] + tree[above, SIZE]
    for node in range(first, last):
        if tree[node, SIZE] == 0 and derived[node, ARM_PLAYS] > 0.0:
            u = derived[above, TAU2] + derived[node, NOISE] / derived[node, ARM_PLAYS]
            precision += 1.0 / u
            moment += derived[node, MEAN] / u
            derived[above, TRIED] += 1.0
            derived[above, FAMILIAR] += 1.0 if derived[node, ARM_PLAYS] >= FAMILIARITY else 0.0
    derived[above, CENTRE] = moment / precision
    derived[above, PRECISION] = precision
    derived[above, LEAD] = -math.inf
    for node in range(first, last):
        if tree[node, SIZE] == 0:
            place_arm(derived, ledger, node, above)
            derived[above, LEAD] = max(derived[above, LEAD], derived[node, WITHIN])


@compiled
def place_clusters(tree: Links, derived: Floats, ledger: Floats) -> None:
    """All clusters that hold arms."""
    for node in range(int(ledger[INNER])):
        if tree[node, SIZE] > 0 and derived[node, ARMS] > 0.0:
            place_cluster(tree, derived, ledger, node)


@compiled
def leading(tree: Links, derived: Floats, ledger: Floats) -> int:
    """The cluster of the arm with the highest posterior mean."""
    chosen, best = 0, -math.inf
    for node in range(int(ledger[INNER])):
        if tree[node, SIZE] > 0 and derived[node, ARMS] > 0.0 and derived[node, LEAD] > best:
            chosen, best = node, derived[node, LEAD]
    return chosen


@compiled
def check_labels(tree: Links, derived: Floats, ledger: Floats, rounds: float) -> None:
    """Note it if a poor arm in the leading cluster does not belong there.

    Only there: the others are many and played little, so that some look strange by chance. Then more of them are expected.
    """
    if ledger[ERRED] > 0.0:
        return
    checked, caught = (CHECKED_LATER, CAUGHT_LATER) if late(ledger, rounds) else (CHECKED, CAUGHT)
    above = leading(tree, derived, ledger)
    for node in range(tree[above, FIRST], tree[above, FIRST] + tree[above, SIZE]):
        poor = tree[node, SIZE] == 0 and derived[node, MEAN] < derived[above, CENTRE]
        if poor and derived[node, ARM_PLAYS] >= checked and derived[node, STRANGER] > caught:
            ledger[ERRED] = 1.0
    if ledger[ERRED] > 0.0:
        place_clusters(tree, derived, ledger)


@compiled
def set_ceilings(tree: Links, derived: Floats, ledger: Floats, first: int, last: int) -> None:
    """What the bounds of the arms from ``first`` up to ``last`` cannot pass until the next refresh."""
    for node in range(first, last):
        if tree[node, SIZE] == 0:
            derived[node, CEILING] = bound(derived, ledger, node, ledger[NEXT], 0.0)


@compiled
def refresh(tree: Links, online: Floats, past: Floats, derived: Floats, ledger: Floats) -> None:
    """Everything from the sums."""
    rounds = 1.0 + online[0, PLAYS]
    ledger[NEXT] = rounds
    if not survey(tree, online, past, derived, ledger):
        ledger[UNIT] = 0.0
        return
    ledger[NEXT] = rounds + max(1.0, math.floor((GROWTH - 1.0) * rounds))
    ledger[S2], ledger[MU0], ledger[SPREAD2], ledger[EVIDENCE] = estimate_spreads(tree, derived, ledger[UNIT])
    place_clusters(tree, derived, ledger)
    check_labels(tree, derived, ledger, rounds)
    set_ceilings(tree, derived, ledger, 1, len(tree))


@compiled
def prepare(tree: Links, derived: Floats, ledger: Floats) -> None:
    """Count the arms, in all and of every cluster, and note the last inner node."""
    for node in range(len(tree)):
        if tree[node, SIZE] > 0:
            ledger[INNER] = node + 1.0
            for child in range(tree[node, FIRST], tree[node, FIRST] + tree[node, SIZE]):
                if tree[child, SIZE] == 0:
                    derived[node, ARMS] += 1.0
                    ledger[COUNT] += 1.0


@compiled
def third_value(ledger: Floats, reward: float) -> bool:
    """Whether rewards took two values so far, and this is neither: then a mean no longer tells their noise."""
    near = 1e-9 * (ledger[HIGH] - ledger[LOW])
    found: bool = ledger[BINARY] > 0.0 and abs(reward - ledger[LOW]) > near and abs(reward - ledger[HIGH]) > near
    return found


@compiled
def learn_reward(tree: Links, online: Floats, past: Floats, derived: Floats, ledger: Floats, leaf: int, reward: float) -> None:
    """Add a reward to an arm and every node above it; bring the arm's cluster up to date, or everything when it is due."""
    node = leaf
    while node >= 0:
        observe_reward(online, node, reward)
        node = tree[node, PARENT]
    ledger[LEAST] = min(ledger[LEAST], reward)
    ledger[LARGEST] = max(ledger[LARGEST], reward)
    ledger[LAST] = float(leaf)
    if 1.0 + online[0, PLAYS] >= ledger[NEXT] or third_value(ledger, reward):
        refresh(tree, online, past, derived, ledger)
        return
    plays, mean, deviations, freedom = arm_of(online, past, derived, ledger, leaf)
    derived[leaf, ARM_PLAYS], derived[leaf, MEAN] = plays, mean
    derived[leaf, NOISE] = noise_of(derived, ledger, leaf, deviations, freedom)
    derived[leaf, HOPED] = hoped_noise(derived, ledger, leaf, deviations, freedom)
    above, erred = tree[leaf, PARENT], ledger[ERRED]
    place_cluster(tree, derived, ledger, above)
    check_labels(tree, derived, ledger, 1.0 + online[0, PLAYS])
    if ledger[ERRED] > erred:  # the bounds of all arms have risen
        set_ceilings(tree, derived, ledger, 1, len(tree))
    else:
        set_ceilings(tree, derived, ledger, tree[above, FIRST], tree[above, FIRST] + tree[above, SIZE])


def new_ledger() -> Floats:
    """The ledger of a policy without data."""
    ledger = np.zeros(NUMBERS)
    ledger[LEAST], ledger[LARGEST] = 1e300, -1e300
    return ledger


def fitted(tree: Links, online: Floats, past: Floats, before: Floats | None = None) -> tuple[Floats, Floats]:
    """Rows and ledger from sums; of a ledger of before the range of the rewards is kept, and what labels have been caught at."""
    derived, ledger = np.zeros((len(tree), COLUMNS)), new_ledger()
    if before is not None:
        ledger[[LEAST, LARGEST, ERRED]] = before[[LEAST, LARGEST, ERRED]]
    prepare(tree, derived, ledger)
    refresh(tree, online, past, derived, ledger)
    return derived, ledger
