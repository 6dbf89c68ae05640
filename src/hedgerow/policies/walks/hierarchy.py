"""The family of policies/auto_rewards behind the functions of a walk, until Bandit calls families itself."""

from collections.abc import Iterable

import numpy as np

from ...core.sums import row_size as row_size
from ...core.types import Floats, Links
from ..arrays import Layout, Nodes
from ..auto_rewards.policy import Rewards
from ..auto_rewards.state import ROW_SIZE, STATE_SIZE
from ..family import Arrays, Change
from ..family import Course as FamilyCourse
from ..rules import Rule
from . import Course
from .waiting import expect as expect
from .waiting import pending_size as pending_size
from .waiting import release as release

FAMILY, NONE = Rewards(), np.zeros(0)


def _arrays(nodes: Nodes) -> Arrays:
    """The last column of the derived rows has the ceilings."""
    rows = nodes.derived
    return Arrays(nodes.arms.tree, nodes.online, nodes.past, nodes.pending, rows, nodes.ledger, (rows[:, ROW_SIZE],))


def shapes(rule: Rule, nodes: int, dimension: int | None) -> tuple[tuple[int, int], tuple[int]]:
    """Rows and state, and a ceiling in each row."""
    return (nodes, ROW_SIZE + 1), (STATE_SIZE,)


def derive(
    tree: Links, online: Floats, past: Floats, pending: Floats, rule: Rule, layout: Layout, before: Floats | None
) -> tuple[Floats, Floats]:
    """The model from the sums."""
    arrays = Arrays(tree, online, past, pending, NONE, NONE if before is None else before)
    fitted = FAMILY.fit(arrays, Change.MADE if before is None else Change.ROUNDS)
    return np.column_stack([fitted.rows, fitted.extra[0]]), fitted.state


def sound(tree: Links, ledger: Floats, dimension: int | None) -> bool:
    """Nothing in it points at a node."""
    return True


def join(learnt: Floats, own: Floats, other: Floats, since: Floats | None) -> tuple[Floats, Floats]:
    """Rows as they are, and the range of the rewards of both."""
    blank = Arrays(np.zeros((0, 3), np.int32), NONE, NONE, NONE, NONE, own)
    return learnt, FAMILY.merge(blank, blank._replace(state=other), None)[1]


def relabelled(ledger: Floats, withdrawn: bool) -> Floats:
    """The range of the rewards is kept."""
    return ledger


def rewarmed(ledger: Floats) -> Floats:
    """The range of the rewards is kept."""
    return ledger


def choose(rule: int, clock: int, nodes: Nodes, context: Floats, key: int) -> int:
    """The leaf to play."""
    return FAMILY.choose(_arrays(nodes), context, key)


def learn(rule: int, nodes: Nodes, leaf: int, reward: float, context: Floats) -> bool:
    """Add a reward."""
    return FAMILY.learn(_arrays(nodes), leaf, reward, context)


def settle(rule: int, nodes: Nodes, leaf: int, reward: float, context: Floats, others: Iterable[tuple[int, Floats]]) -> None:
    """The reward of an expected decision."""
    FAMILY.learn(_arrays(nodes), leaf, reward, context, others)


def estimates(rule: int, clock: int, nodes: Nodes, context: Floats) -> tuple[Floats, Floats]:
    """Mean and bound of every node."""
    return FAMILY.estimates(_arrays(nodes), context)[:2]


def settings(nodes: Nodes) -> dict[str, float]:
    """What it has estimated about itself."""
    return FAMILY.estimates(_arrays(nodes), NONE).settings


def play(rule: int, clock: int, nodes: Nodes, key: int, course: Course) -> None:
    """Live through a whole trial and note the arms."""
    FAMILY.play(_arrays(nodes), FamilyCourse(*course), key)
