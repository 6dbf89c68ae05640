"""Everything that Auto with contexts derives, made anew from its sums."""

from typing import Any

from ...core.kernel import compiled
from ...core.noise import arm_noise
from ...core.records import record
from ...core.sums import PLAYS
from ...core.types import Links
from .empirical_bayes import estimate_spreads
from .history_drift import estimate_drift
from .index import set_width
from .levels import estimate_levels
from .likelihood import Model, pose
from .misplaced_arms import mark_misplaced
from .noise_shape import forget_residuals, set_middle_bin, set_noise_shape, withdraw_residuals
from .posterior import solve
from .settings import SETTINGS
from .standardize import set_units
from .state import POLICY, Parts, clear_state, depth_of, forget_levels, tells_nothing


@compiled
def depth_of_tree(tree: Links) -> float:
    """Levels of a tree under its root."""
    deepest = 0
    for node in range(len(tree)):
        deepest = max(deepest, depth_of(tree, node))
    return float(deepest)


@compiled
def set_due(own: Any, online_rounds: float, past_rounds: float) -> None:
    """When the next refresh is due: when all rounds have grown by half, or the online ones fourfold from 32 on.

    The latter finds out soon that a long history is off; if it says nothing, they need to have grown by half only.
    """
    factor, rounds = SETTINGS.growth if tells_nothing(own) else SETTINGS.online_growth, online_rounds + past_rounds
    soon = past_rounds + max(SETTINGS.online_first, factor * online_rounds)
    own.due = max(rounds + 1.0, min(SETTINGS.growth * rounds, soon))


@compiled
def prepare(parts: Parts) -> None:
    """What must be known before the model: units of the columns, depth of the tree, shape of the noise."""
    tree, online, history, _, state = parts
    own = record(state, POLICY)
    rounds = online[0, PLAYS] + history[0, PLAYS]
    if rounds == 0.0:
        clear_state(state)
    if own.rounds > online[0, PLAYS]:
        withdraw_residuals(own, online[0, PLAYS])
    set_units(online, history, state)
    if online[0, PLAYS] == 0.0 or history[0, PLAYS] == 0.0:
        own.drift, own.kept = 0.0, 1.0
    own.depth = depth_of_tree(tree)
    if rounds > 0.0:
        own.reward_variance = arm_noise(online, history, 0, 1.0)[2] / rounds
        set_middle_bin(state)
        set_noise_shape(online, state)


@compiled
def estimate_model(parts: Parts, unit_noise: float) -> Model:
    """Spreads, noise, offset, levels and drift; ``unit_noise``: what it goes back to if history turns out to be off."""
    _, online, history, _, state = parts
    own = record(state, POLICY)
    believed = own.drift == 0.0
    model, value = estimate_levels(parts, pose(parts, False))
    comparable = online[0, PLAYS] > 0.0 and history[0, PLAYS] > 0.0
    for _ in range(SETTINGS.turns if comparable else 0):
        drift, kept = own.drift, own.kept
        estimate_drift(parts, value)
        if own.drift == drift and own.kept == kept:
            break
        if believed:
            forget_residuals(state, unit_noise)
        if tells_nothing(own):
            forget_levels(state)
        model = pose(parts, False)
        value = estimate_spreads(model, state)
    return model


@compiled
def refresh(parts: Parts) -> None:
    """Noise shape, spreads, noise, offset, drift and posterior from the sums."""
    own = record(parts.state, POLICY)
    online_rounds, past_rounds = parts.online[0, PLAYS], parts.history[0, PLAYS]
    unit_noise = own.unit_noise
    prepare(parts)
    if online_rounds + past_rounds == 0.0:
        solve(pose(parts, False), parts.state)
        return
    model = estimate_model(parts, unit_noise)
    set_width(model, own)
    set_due(own, online_rounds, past_rounds)
    solve(model, parts.state)
    if mark_misplaced(parts):
        estimate_spreads(model, parts.state)
        set_width(model, own)
        solve(model, parts.state)
