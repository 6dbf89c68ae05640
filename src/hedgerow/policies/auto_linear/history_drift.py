"""How far coefficients have moved since the history: not at all, unless that is much likelier.

    theta_then ~ N(c theta, delta sig2 I)

c is the share kept, delta the drift. A history that is believed is compared with two others: arms that have moved a little
(c = 1), and a history that says nothing of them (c = 0, delta their full spread). From the best of these the search climbs.
"""

from typing import Any

from ...core.kernel import compiled
from ...core.records import record
from .likelihood import fit_at, pose
from .settings import SETTINGS
from .state import POLICY, Parts


@compiled
def spread_of_arms(own: Any) -> float:
    """Variance of a coefficient among the arms, in units of the noise."""
    spread: float = own.spread_top + (own.spread_below if own.depth > 1.0 else 0.0)
    return spread


@compiled
def likelihood_with(parts: Parts, drift: float, kept: float) -> float:
    """Log likelihood, less a margin, if history is off by so much and the spreads are as they are; it stays noted so."""
    own = record(parts.state, POLICY)
    own.drift, own.kept = drift, kept
    found: float = fit_at(pose(parts, True), own.spread_top, own.spread_below).log_likelihood
    return found - (SETTINGS.drift_margin if drift > 0.0 else 0.0)


@compiled
def climb_drift(parts: Parts, value: float) -> None:
    """From the drift that is noted, whose value is given, to a likelier one as long as there is one next to it."""
    own, found = record(parts.state, POLICY), True
    while found:
        found = False
        for factor, step in ((2.0, 0.0), (0.5, 0.0), (1.0, SETTINGS.kept_step), (1.0, -SETTINGS.kept_step)):
            drift, kept = own.drift, own.kept
            if not 0.0 <= kept + step <= 1.0 or factor * drift < SETTINGS.least_drift * spread_of_arms(own):
                continue
            other = likelihood_with(parts, factor * drift, kept + step)
            if other > value:
                value, found = other, True
            else:
                own.drift, own.kept = drift, kept


@compiled
def estimate_drift(parts: Parts, value: float) -> None:
    """Note the likeliest drift; ``value``: the log likelihood of the one so far."""
    own = record(parts.state, POLICY)
    drift, kept, spread = own.drift, own.kept, spread_of_arms(own)
    tried = ((SETTINGS.small_drift * spread, 1.0), (spread, 0.0))
    if drift > 0.0:
        value = likelihood_with(parts, 0.0, 1.0)
        tried = ((drift, kept), (drift, 0.0))
    best, chosen = value, (0.0, 1.0)
    for option in tried:
        other = likelihood_with(parts, option[0], option[1])
        if other > best:
            best, chosen = other, option
    own.drift, own.kept = chosen
    if chosen[0] > 0.0:
        climb_drift(parts, best)
