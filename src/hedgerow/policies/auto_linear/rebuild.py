"""Everything a hierarchical linear policy derives, made anew from its sums."""

import numpy as np

from ...core.kernel import compiled
from ...core.noise import arm_noise
from ...core.sums import PLAYS
from ...core.types import Floats, Links
from .evidence import Model, eliminate_lower, eliminate_upper, pose, profile
from .ledger import (
    AGAINST,
    ASK,
    BINS,
    CONSTANT,
    COUNT,
    DEPTH,
    DRIFT,
    ETA,
    KAPPA,
    KEPT,
    LEDGER_SUMS,
    LEVELS,
    NEXT,
    PHI,
    RHO,
    STANDARD,
    VARIANCE,
    clear,
    forget_levels,
    set_reference,
    void,
)
from .lens import set_lens
from .posterior import depth_of, search, solve
from .shape import set_shape, two_valued
from .strangers import mark_strangers
from .width import set_width

GROWTH, ONLINE_GROWTH, ONLINE_FIRST = 1.5, 4.0, 32.0
"""A refresh is due when all rounds have grown by half; or when the online ones have grown fourfold, from 32 on: so a long history
that lies is found out soon; if it says nothing, when they have grown by half."""

MARGIN, DISTRUST = 3.0, 5.0
"""Nats by which arms without levels must be likelier than arms with, and a history that is off than one that is not: wrong labels
make an honest one look a little off too."""

UNLIKELY = 8.0
"""Nats by which they must be likelier for levels to be asked for seldom; or, if rewards take two values, never again."""

SELDOM = 4.0
"""They are asked for again when all rounds have grown fourfold."""

LITTLE = 0.2
"""A history that is right is held against one whose arms have moved by this much, in units of the spread of theta, and against
one that says nothing of them, with the full spread."""

LEAST_DRIFT = 1e-4
"""The least drift looked at, in the same units: the message of a smaller one, a difference of inverses, is rounding errors."""

SHARE = 0.25
"""Step in which the share kept is searched; the drift is in factors of two."""

TURNS = 3
"""Spreads and drift are searched in turns, so many times at most."""


@compiled
def set_levels(tree: Links, online: Floats, past: Floats, derived: Floats, ledger: Floats, model: Model) -> tuple[Model, float]:
    """Whether arms have levels of their own, where no column of the contexts is constant; the model, and its log evidence.

    They have, unless that is much less likely: a policy that knows of no levels may never play the arms that would show them.
    Rewards of two values bend, and then look more and more like levels, since an arm is played where it is good: there, what was
    once very unlikely stays so.
    """
    evidence, levels, rounds = search(model, ledger), ledger[LEVELS], online[0, PLAYS] + past[0, PLAYS]
    if rounds < ledger[ASK] or (ledger[CONSTANT] >= 0.0 and levels == 0.0):
        return model, evidence
    if ledger[AGAINST] >= UNLIKELY and levels == 0.0 and two_valued(online, ledger):
        return model, evidence
    other = ledger.copy()
    other[LEVELS] = 1.0 - levels
    set_lens(online, past, other)
    changed = pose(tree, online, past, derived, other, False)
    value = search(changed, other)
    gain = value - evidence if levels == 0.0 else evidence - value
    ledger[AGAINST] = other[AGAINST] = max(ledger[AGAINST], -gain)
    ledger[ASK] = other[ASK] = SELDOM * rounds if gain <= -UNLIKELY else 0.0
    if (gain > -MARGIN) == (levels > 0.0):
        return model, evidence
    ledger[:] = other
    return changed, value


@compiled
def spread_of(ledger: Floats) -> float:
    """Variance of a coefficient among the arms, in units of the noise."""
    spread: float = ledger[PHI] + (ledger[RHO] if ledger[DEPTH] > 1.0 else 0.0)
    return spread


@compiled
def evidence_of(tree: Links, online: Floats, past: Floats, derived: Floats, ledger: Floats, drift: float, kept: float) -> float:
    """Log evidence, less a margin, if history is off by so much and the spreads are as they are."""
    ledger[DRIFT], ledger[KEPT] = drift, kept
    model, products = pose(tree, online, past, derived, ledger, True), np.empty(3)
    logdet = eliminate_lower(model, ledger[RHO], products)
    logdet += eliminate_upper(model, ledger[PHI], products)
    return profile(model, logdet, products)[0] - (DISTRUST if drift > 0.0 else 0.0)


@compiled
def climb_drift(tree: Links, online: Floats, past: Floats, derived: Floats, ledger: Floats, evidence: float) -> None:
    """From the drift of the ledger, whose evidence is given, to a likelier one as long as there is one next to it."""
    found = True
    while found:
        found = False
        for factor, step in ((2.0, 0.0), (0.5, 0.0), (1.0, SHARE), (1.0, -SHARE)):
            drift, kept = ledger[DRIFT], ledger[KEPT]
            if not 0.0 <= kept + step <= 1.0 or factor * drift < LEAST_DRIFT * spread_of(ledger):
                continue
            value = evidence_of(tree, online, past, derived, ledger, factor * drift, kept + step)
            if value > evidence:
                evidence, found = value, True
            else:
                ledger[DRIFT], ledger[KEPT] = drift, kept


@compiled
def set_drift(tree: Links, online: Floats, past: Floats, derived: Floats, ledger: Floats, evidence: float) -> None:
    """How far history is off: not at all, unless that is much likelier. ``evidence``: of the drift so far."""
    drift, kept = ledger[DRIFT], ledger[KEPT]
    spread = spread_of(ledger)
    tried = ((LITTLE * spread, 1.0), (spread, 0.0))
    if drift > 0.0:
        evidence = evidence_of(tree, online, past, derived, ledger, 0.0, 1.0)
        tried = ((drift, kept), (drift, 0.0))
    best, chosen = evidence, (0.0, 1.0)
    for option in tried:
        value = evidence_of(tree, online, past, derived, ledger, option[0], option[1])
        if value > best:
            best, chosen = value, option
    ledger[DRIFT], ledger[KEPT] = chosen
    if chosen[0] > 0.0:
        climb_drift(tree, online, past, derived, ledger, best)


@compiled
def forget_residuals(ledger: Floats, standard: float) -> None:
    """Residuals of predictions from a history that is found to be off say nothing of the noise."""
    ledger[BINS:LEDGER_SUMS] = 0.0
    ledger[ETA] = -1.0
    ledger[STANDARD] = standard
    ledger[KAPPA] = standard if standard > 0.0 else 1.0


@compiled
def withdraw(online: Floats, ledger: Floats) -> None:
    """Rounds went with an arm: as large a share of the residuals goes too."""
    for at in range(BINS, LEDGER_SUMS):
        ledger[at] *= online[0, PLAYS] / ledger[COUNT]
    ledger[COUNT] = online[0, PLAYS]


@compiled
def rebuild(tree: Links, online: Floats, past: Floats, derived: Floats, ledger: Floats) -> None:
    """Noise shape, spreads, noise variance, offset, drift and posterior from the sums."""
    plays = online[0, PLAYS] + past[0, PLAYS]
    if plays == 0.0:
        clear(ledger)
    if ledger[COUNT] > online[0, PLAYS]:
        withdraw(online, ledger)
    comparable = online[0, PLAYS] > 0.0 and past[0, PLAYS] > 0.0
    set_lens(online, past, ledger)
    if not comparable:
        ledger[DRIFT], ledger[KEPT] = 0.0, 1.0
    ledger[DEPTH] = 0.0
    for node in range(len(tree)):
        ledger[DEPTH] = max(ledger[DEPTH], float(depth_of(tree, node)))
    drifted, standard = ledger[DRIFT], ledger[STANDARD]
    if plays > 0.0:
        ledger[VARIANCE] = arm_noise(online, past, 0, 1.0)[2] / plays
        set_reference(ledger)
        set_shape(online, ledger)
    model = pose(tree, online, past, derived, ledger, False)
    if plays > 0.0:
        model, evidence = set_levels(tree, online, past, derived, ledger, model)
        for _ in range(TURNS if comparable else 0):
            before, share = ledger[DRIFT], ledger[KEPT]
            set_drift(tree, online, past, derived, ledger, evidence)
            if ledger[DRIFT] == before and ledger[KEPT] == share:
                break
            if drifted == 0.0:
                forget_residuals(ledger, standard)
            if void(ledger):
                forget_levels(ledger)
            model = pose(tree, online, past, derived, ledger, False)
            evidence = search(model, ledger)
        set_width(model, ledger)
        growth = GROWTH if void(ledger) else ONLINE_GROWTH
        soon = past[0, PLAYS] + max(ONLINE_FIRST, growth * online[0, PLAYS])
        ledger[NEXT] = max(plays + 1.0, min(GROWTH * plays, soon))
    solve(model, ledger)
    if plays > 0.0 and mark_strangers(tree, online, past, derived, ledger):
        search(model, ledger)
        set_width(model, ledger)
        solve(model, ledger)
