"""Trust from reward sums: the arms' means in their groups, and before and now."""

import numpy as np

from ..core.sums import PLAYS, SQUARES, TOTAL
from ..core.types import Floats, Integers
from ..inference.explained import spreads_of, unless_random
from ..inference.intervals import estimate
from ..inference.rates import TwoValues, values_in
from ..inference.shift import chance_of_changes, changes, worth
from ..inference.significance import permutation
from ..inference.sums import Sums
from ..inference.two_level import posterior
from ..policies.auto_rewards.policy import chances_of_misfit
from .misfits import Misfit
from .nodes import Nodes
from .report import Agreement, Grouping
from .settings import SETTINGS


def _sums(rows: Floats) -> Sums:
    return Sums(rows[:, PLAYS], rows[:, TOTAL], rows[:, SQUARES])


def _judged(nodes: Nodes) -> tuple[Sums, Sums, TwoValues | None]:
    """History and rounds of the arms, and their two values if they take no others; they are then judged as 0 and 1."""
    leaves = nodes.arms.leaves
    history, online = _sums(nodes.history[leaves]), _sums(nodes.online[leaves])
    values = values_in(_sums(np.vstack([nodes.history[leaves], nodes.online[leaves]])))
    return (history, online, None) if values is None else (values.rates(history), values.rates(online), values)


def grouping(nodes: Nodes, groups: Integers, drift: float) -> Grouping | None:
    """Spreads within and between groups and the share explained, from draws of the arms' expected rewards.

    Args:
        nodes: What the policy has seen.
        groups: The group of each arm.
        drift: Standard deviation by which the policy takes arms to have moved since their history, which counts less then.

    Returns:
        The grouping; None as long as there is too little to judge it by.
    """
    history, online, values = _judged(nodes)
    unit, binary = 1.0 if values is None else values.high - values.low, values is not None
    sums = online + (history.times(worth(history, drift / unit, binary=binary)) if drift > 0.0 else history)
    if not sums.noise_known(binary=binary) or np.count_nonzero(sums.rows) < 3 or np.ptp(sums.mean[sums.rows > 0.0]) == 0.0:
        return None
    p = permutation(sums, groups, np.random.default_rng(1), binary=binary)
    found = spreads_of(posterior(sums, groups, np.random.default_rng(0), binary=binary), groups)
    share, between = unless_random(found.share, p), unless_random(unit * found.between, p)
    return Grouping(share, estimate(unit * found.within), between, int(groups.max()) + 1, contextual=False)


def misfits(nodes: Nodes) -> tuple[Misfit, ...]:
    """Arms whose group is wrong about them by the model of Auto.

    Args:
        nodes: What the policy has seen, with groups.

    Returns:
        The clearest first; none if the groups say nothing.
    """
    history, leaves = nodes.arms.totals(nodes.history[nodes.arms.leaves]), nodes.arms.leaves
    values = _judged(nodes)[2]
    chance = chances_of_misfit(nodes.arms.tree, nodes.online, history, values and (values.low, values.high))[leaves]
    groups = nodes.arms.clusters or ()
    order = [k for k in np.argsort(-chance, kind="stable").tolist() if chance[k] > SETTINGS.doubtful]
    return tuple(Misfit(nodes.arms.labels[k], groups[k], float(chance[k])) for k in order)


def agreement(nodes: Nodes) -> Agreement | None:
    """Means before and now, arm by arm.

    Args:
        nodes: What the policy has seen.

    Returns:
        The agreement; None without history.
    """
    history, online, values = _judged(nodes)
    if history.rows.sum() == 0.0:
        return None
    plays, known, binary = float(history.rows.sum()), int(np.count_nonzero(history.rows)), values is not None
    found = changes(online, history, binary=binary)
    arms = np.flatnonzero(found.arms)
    if arms.size == 0:
        return Agreement(plays, known, 0, 1.0)
    low, unit = (0.0, 1.0) if values is None else (values.low, values.high - values.low)
    order = np.argsort(-np.abs(found.scores), kind="stable")[: SETTINGS.named].tolist()
    farthest = tuple(
        (
            nodes.arms.labels[arms[at]],
            low + unit * float(history.mean[arms[at]]),
            low + unit * float(online.mean[arms[at]]),
            float(found.scores[at]),
        )
        for at in order
    )
    return Agreement(plays, known, arms.size, chance_of_changes(found, online, history, binary=binary), farthest)
