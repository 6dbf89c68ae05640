"""Straight to the arms by a hierarchical linear model: HierLinUCB."""

from collections.abc import Iterable

import numpy as np

from ...core.draws import draw, mixed
from ...core.kernel import compiled
from ...core.sums import PLAYS, second_moments, usable
from ...core.tree import POLICY_CLOCK, clock_at
from ...core.types import Floats, Integers, Links
from ..arrays import Layout, Nodes
from ..auto_linear.ledger import (
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
from ..auto_linear.lens import dimension_given, dimension_seen, viewed
from ..auto_linear.linear import choose as best_arm
from ..auto_linear.linear import estimate, forget, narrow
from ..auto_linear.linear import expect as await_reward
from ..auto_linear.linear import learn as observe
from ..auto_linear.linear import settle as receive
from ..auto_linear.posterior import depth_of, derived_size
from ..auto_linear.rebuild import forget_residuals, rebuild
from ..auto_linear.shape import history_weights
from ..auto_linear.sums import reweighed
from ..auto_linear.sums import row_size as row_size
from ..auto_linear.width import bonus
from ..forced_exploration import neglected
from ..rules import Rule
from . import Course

SELDOM = 8
"""One round in so many, by a fixed shuffle, is looked at for an arm that is neglected."""


def shapes(rule: Rule, nodes: int, dimension: int | None) -> tuple[tuple[int, int], tuple[int]]:
    """Derived rows: ceiling, mean and conditional covariance."""
    return (nodes, derived_size(dimension or 0)), (ledger_size(dimension or 0),)


def derive(
    tree: Links, online: Floats, past: Floats, pending: Floats, rule: Rule, layout: Layout, before: Floats | None
) -> tuple[Floats, Floats]:
    """The model from the sums."""
    ledger = new_ledger(rule.parameters == ("auto",), layout.dimension or 0) if before is None else before.copy()
    ledger[ASK] = 0.0  # arms, history or rounds are others now
    derived = np.zeros(shapes(rule, len(tree), layout.dimension)[0])
    rebuild(tree, online, past, derived, ledger)
    return derived, ledger


def sound(tree: Links, ledger: Floats, dimension: int | None) -> bool:
    """Whether its columns are those of the contexts, and its depth is that of the tree."""
    levels, constant = ledger[LEVELS], ledger[CONSTANT]
    columns = levels in (0.0, 1.0) and (constant == dimension if levels else constant in range(-1, dimension or 0))
    return bool(columns and ledger[DEPTH] == max(depth_of(tree, node) for node in range(len(tree))))


def join(learnt: Floats, own: Floats, other: Floats, since: Floats | None) -> tuple[Floats, Floats]:
    """Rows whose weights stand for the same variance as the own ones; the ledger of two workers who started from ``since``."""
    both = merged(own, other, since)
    if both[STANDARD] > 0.0 and standard_of(other) > 0.0:
        learnt = reweighed(learnt, both[STANDARD] / standard_of(other), dimension_given(own))
    return learnt, both


def relabelled(ledger: Floats, withdrawn: bool) -> Floats:
    """Other arms may have levels."""
    fresh = ledger.copy()
    forget_levels(fresh)
    return fresh


def rewarmed(ledger: Floats) -> Floats:
    """Nor do the residuals of predictions from another history count."""
    fresh = relabelled(ledger, withdrawn=True)
    forget_residuals(fresh, fresh[STANDARD])
    return fresh


@compiled
def _spared(tree: Links, online: Floats, past: Floats, pending: Floats) -> int:
    """The arm that this round is for whatever the context, or -1."""
    rounds = clock_at(POLICY_CLOCK, online, pending, 0)
    return neglected(tree, online, past, pending, rounds) if mixed(int(rounds)) % SELDOM == 0 else -1


@compiled
def _choose(tree: Links, derived: Floats, ledger: Floats, context: Floats, uniform: float, spared: int) -> int:
    return spared if spared >= 0 and usable(context) else best_arm(tree, derived, ledger, context, uniform)


def choose(rule: int, clock: int, nodes: Nodes, context: Floats, key: int) -> int:
    """The leaf to play, or -1 for a context that cannot be used."""
    arms, online, past, pending, derived, ledger, *_ = nodes
    spared = _spared(arms.tree, online, past, pending)
    return _choose(arms.tree, derived, ledger, context, draw(key, 0), spared)


def choose_many(rule: int, clock: int, nodes: Nodes, contexts: Floats, keys: Integers, chosen: Integers) -> None:
    """Fill in the leaf for each row of contexts."""
    arms, online, past, pending, derived, ledger, *_ = nodes
    spared = _spared(arms.tree, online, past, pending)
    _choose_many(arms.tree, derived, ledger, contexts, keys, spared, chosen)


@compiled
def _choose_many(
    tree: Links, derived: Floats, ledger: Floats, contexts: Floats, keys: Integers, spared: int, chosen: Integers
) -> None:
    for row in range(chosen.size):
        chosen[row] = _choose(tree, derived, ledger, contexts[row], draw(keys[row], 0), spared)


def learn(rule: int, nodes: Nodes, leaf: int, reward: float, context: Floats) -> bool:
    """Add a reward, unless the context cannot be used."""
    arms, online, past, _, derived, ledger, *_ = nodes
    return observe(arms.tree, online, past, derived, ledger, leaf, reward, context)


def pending_size(dimension: int | None) -> int:
    """Rows of decisions that wait hold their number, and the posterior without them."""
    return derived_size(dimension or 0)


def expect(nodes: Nodes, leaf: int, context: Floats) -> None:
    """Count a decision that waits for its reward."""
    await_reward(nodes.arms.tree, nodes.pending, nodes.derived, nodes.ledger, leaf, context)


def release(nodes: Nodes, leaf: int, context: Floats, others: Iterable[tuple[int, Floats]]) -> None:
    """Wait for it no longer."""
    forget(nodes.arms.tree, nodes.pending, nodes.derived, leaf)
    for other, shown in others:
        narrow(nodes.arms.tree, nodes.derived, nodes.ledger, other, shown)


def settle(rule: int, nodes: Nodes, leaf: int, reward: float, context: Floats, others: Iterable[tuple[int, Floats]]) -> None:
    """The reward of an expected decision; if the model was made anew, those that still wait narrow it again."""
    arms, online, past, pending, derived, ledger, *_ = nodes
    if receive(arms.tree, online, past, pending, derived, ledger, leaf, reward, context):
        for other, shown in others:
            narrow(arms.tree, derived, ledger, other, shown)


def estimates(rule: int, clock: int, nodes: Nodes, context: Floats) -> tuple[Floats, Floats]:
    """Mean and index of every node; a cluster's are those of its centroid."""
    found = [estimate(nodes.arms.tree, nodes.derived, nodes.ledger, context, node) for node in range(1, len(nodes.online))]
    means, spreads = np.array([(np.nan, np.nan), *found]).T
    return means, means + np.array([bonus(nodes.ledger, spread / nodes.ledger[SIG2]) for spread in spreads])


def settings(nodes: Nodes) -> dict[str, float]:
    """Noise, spreads within and between clusters, drift since history (standard deviations), offset, whether levels of the arms
    were found that no column of the contexts stands for, whether weights are on.

    ``trusted``: the share of the history's information about its arms that counts.
    """
    ledger = nodes.ledger
    within, between = np.sqrt(ledger[[RHO, PHI]] * ledger[SIG2])
    found = {"noise": _noise(ledger), "offset": float(ledger[OFFSET])}
    found |= {"within": float(within), "between": float(between)} if nodes.arms.clustered else {"within": float(between)}
    if nodes.past[0, PLAYS] > 0.0:
        spread = between**2 + (ledger[DEPTH] - 1.0) * within**2
        found["drift"] = float(np.sqrt((1.0 - ledger[KEPT]) ** 2 * spread + ledger[DRIFT] * ledger[SIG2]))
        found["trusted"] = _trusted(nodes)
    return found | {"levels": float(ledger[LEVELS]), "weighted": float(ledger[ETA] > 0.0)}


def _noise(ledger: Floats) -> float:
    """Standard deviation of a round around its mean: of a round of weight 1 or, once some weigh otherwise, of the residuals."""
    return float(np.sqrt((ledger[STANDARD] > 0.0 and mean_residual(ledger)) or ledger[SIG2]))


def _trusted(nodes: Nodes) -> float:
    """Trace of all messages c^2 (A^-1 + delta I)^-1 of the histories over that of all A."""
    if nodes.ledger[DRIFT] == 0.0:
        return 1.0
    weights = history_weights(nodes.past, nodes.ledger, nodes.arms.leaves)
    moments = second_moments(viewed(nodes.past[nodes.arms.leaves], nodes.ledger), dimension_seen(nodes.ledger))
    known = np.maximum(weights[:, None] * np.linalg.eigvalsh(moments), 0.0)
    heard = nodes.ledger[KEPT] ** 2 * known / (1.0 + nodes.ledger[DRIFT] * known)
    return float(heard.sum() / max(known.sum(), 1e-300))


@compiled
def _play(
    tree: Links,
    online: Floats,
    past: Floats,
    pending: Floats,
    derived: Floats,
    ledger: Floats,
    contexts: Floats,
    rewards: Floats,
    rows: Integers,
    arm_of: Integers,
    arms: Integers,
) -> None:
    for t in range(rows.size):
        leaf = _choose(tree, derived, ledger, contexts[t], -1.0, _spared(tree, online, past, pending))
        arms[t] = arm_of[leaf]
        observe(tree, online, past, derived, ledger, leaf, rewards[rows[t], arms[t]], contexts[t])


def play(rule: int, clock: int, nodes: Nodes, key: int, course: Course) -> None:
    """Live through a whole trial and note the arms."""
    tree, online, past, pending, derived, ledger, *_ = nodes
    _play(tree.tree, online, past, pending, derived, ledger, *course)
