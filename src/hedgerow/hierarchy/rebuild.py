"""Everything a hierarchical linear policy derives, made anew from its sums."""

import numpy as np

from ..kernel import compiled
from ..statistics import PULLS, SQUARES
from ..types import Floats, Links
from .evidence import mean_square_of_contexts, pose
from .ledger import BINS, DEPTH, DRIFT, ETA, KAPPA, LEDGER_SUMS, MEAN_SQUARE, NEXT, PHI, REFERENCE, RHO, STANDARD, STEP
from .posterior import appraise, depth_of, search, solve
from .shape import set_shape

GROWTH, ONLINE_GROWTH, ONLINE_FIRST = 1.5, 2.0, 32.0
"""A refresh is due when all rounds have grown by half; or when the online ones have doubled, from 32 on, so that a long history
that lies is found out soon."""


MARGIN = 3.0
"""Nats by which a history that is off must be likelier than one that is not."""

FIRST_DRIFTS = np.array([0.02, 0.2, 2.0])
"""Drifts tried against none, in units of the spread of theta; then in steps of two."""

TURNS = 3
"""Spreads and drift are searched in turns, so many times at most."""


@compiled
def evidence_of(tree: Links, online: Floats, past: Floats, derived: Floats, ledger: Floats, drift: float) -> float:
    """Penalised log evidence if history is off by so much."""
    ledger[DRIFT] = drift
    model = pose(tree, online, past, derived, ledger)
    value: float = appraise(model, mean_square_of_contexts(model), ledger[STEP], ledger[DEPTH] == 1.0)[0]
    return value - (MARGIN if drift > 0.0 else 0.0)


@compiled
def set_drift(tree: Links, online: Floats, past: Floats, derived: Floats, ledger: Floats) -> None:
    """How far history is off: not at all, unless that is much likelier."""
    kept = ledger[DRIFT]
    chosen, best = 0.0, evidence_of(tree, online, past, derived, ledger, 0.0)
    firsts = FIRST_DRIFTS * (ledger[RHO] + ledger[PHI]) if kept == 0.0 else np.full(1, kept)
    for drift in firsts:
        value = evidence_of(tree, online, past, derived, ledger, drift)
        if value > best:
            chosen, best = drift, value
    if chosen > 0.0:
        for factor in (0.5, 2.0):
            value = evidence_of(tree, online, past, derived, ledger, factor * chosen)
            while value > best:
                chosen, best = factor * chosen, value
                value = evidence_of(tree, online, past, derived, ledger, factor * chosen)
    ledger[DRIFT] = chosen


@compiled
def forget_residuals(ledger: Floats, standard: float) -> None:
    """Residuals of predictions from a history that is found to be off say nothing of the noise."""
    ledger[BINS:LEDGER_SUMS] = 0.0
    ledger[ETA] = -1.0
    ledger[STANDARD] = standard
    ledger[KAPPA] = standard if standard > 0.0 else 1.0


@compiled
def rebuild(tree: Links, online: Floats, past: Floats, derived: Floats, ledger: Floats) -> None:
    """Noise shape, spreads, noise variance, offset, drift and posterior from the sums."""
    ledger[DEPTH] = 0.0
    for node in range(len(tree)):
        ledger[DEPTH] = max(ledger[DEPTH], float(depth_of(tree, node)))
    pulls = online[0, PULLS] + past[0, PULLS]
    drifted, standard = ledger[DRIFT], ledger[STANDARD]
    if pulls > 0.0:
        ledger[MEAN_SQUARE] = (online[0, SQUARES] + past[0, SQUARES]) / pulls
        if ledger[REFERENCE] == 0.0:
            ledger[REFERENCE] = ledger[MEAN_SQUARE]
        set_shape(online, ledger)
    model = pose(tree, online, past, derived, ledger)
    if pulls > 0.0:
        search(model, ledger)
        for _ in range(TURNS if online[0, PULLS] > 0.0 and past[0, PULLS] > 0.0 else 0):
            before = ledger[DRIFT]
            set_drift(tree, online, past, derived, ledger)
            if ledger[DRIFT] == before:
                break
            if drifted == 0.0:
                forget_residuals(ledger, standard)
            model = pose(tree, online, past, derived, ledger)
            search(model, ledger)
        soon = past[0, PULLS] + max(ONLINE_FIRST, ONLINE_GROWTH * online[0, PULLS])
        ledger[NEXT] = max(pulls + 1.0, min(GROWTH * pulls, soon))
    solve(model, ledger)
