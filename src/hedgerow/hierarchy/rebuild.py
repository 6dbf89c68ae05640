"""Everything a hierarchical linear policy derives, made anew from its sums."""

import numpy as np

from ..kernel import compiled
from ..statistics import PULLS, SQUARES
from ..types import Floats, Links
from .evidence import eliminate_lower, eliminate_upper, pose, profile
from .ledger import BINS, DEPTH, DRIFT, ETA, KAPPA, LEDGER_SUMS, MEAN_SQUARE, NEXT, PHI, REFERENCE, RHO, STANDARD
from .posterior import depth_of, search, solve
from .shape import set_shape

GROWTH, ONLINE_GROWTH, ONLINE_FIRST = 1.5, 4.0, 32.0
"""A refresh is due when all rounds have grown by half; or when the online ones have grown fourfold, from 32 on: so a long history
that lies is found out soon."""

MARGIN = 3.0
"""Nats by which a history that is off must be likelier than one that is not."""

FIRST_DRIFT = 0.2
"""The drift that is tried against none, in units of the spread of theta; then in steps of two."""

TURNS = 3
"""Spreads and drift are searched in turns, so many times at most."""


@compiled
def evidence_of(tree: Links, online: Floats, past: Floats, derived: Floats, ledger: Floats, drift: float) -> float:
    """Log evidence, less a margin, if history is off by so much and the spreads are as they are."""
    ledger[DRIFT] = drift
    model, products = pose(tree, online, past, derived, ledger), np.empty(3)
    logdet = eliminate_lower(model, ledger[RHO], products)
    logdet += eliminate_upper(model, ledger[PHI], products)
    return profile(model, logdet, products)[0] - (MARGIN if drift > 0.0 else 0.0)


@compiled
def set_drift(tree: Links, online: Floats, past: Floats, derived: Floats, ledger: Floats, evidence: float) -> None:
    """How far history is off: not at all, unless that is much likelier. ``evidence``: of the drift so far."""
    kept = ledger[DRIFT]
    if kept > 0.0:
        evidence = evidence_of(tree, online, past, derived, ledger, 0.0)
    chosen, best = 0.0, evidence
    drift = kept if kept > 0.0 else FIRST_DRIFT * (ledger[RHO] + ledger[PHI])
    value = evidence_of(tree, online, past, derived, ledger, drift)
    if value > best:
        chosen, best = drift, value
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
    comparable = online[0, PULLS] > 0.0 and past[0, PULLS] > 0.0
    ledger[DRIFT] = ledger[DRIFT] if comparable else 0.0
    drifted, standard = ledger[DRIFT], ledger[STANDARD]
    if pulls > 0.0:
        ledger[MEAN_SQUARE] = (online[0, SQUARES] + past[0, SQUARES]) / pulls
        if ledger[REFERENCE] == 0.0:
            ledger[REFERENCE] = ledger[MEAN_SQUARE]
        set_shape(online, ledger)
    model = pose(tree, online, past, derived, ledger)
    if pulls > 0.0:
        evidence = search(model, ledger)
        for _ in range(TURNS if comparable else 0):
            before = ledger[DRIFT]
            set_drift(tree, online, past, derived, ledger, evidence)
            if ledger[DRIFT] == before:
                break
            if drifted == 0.0:
                forget_residuals(ledger, standard)
            model = pose(tree, online, past, derived, ledger)
            evidence = search(model, ledger)
        soon = past[0, PULLS] + max(ONLINE_FIRST, ONLINE_GROWTH * online[0, PULLS])
        ledger[NEXT] = max(pulls + 1.0, min(GROWTH * pulls, soon))
    solve(model, ledger)
