"""Bounds on the regret of policies without contexts: HUCB, HUCBC, HUCBC'."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..core.types import Floats
from .bound import Bound, Plays, Reading, Term, Weighting, check_plays, require, vacuous
from .clusters import Clusters, parted


def tight(means: ArrayLike, clusters: Clusters, *, horizon: int, history: Plays = None, form: Weighting = "printed") -> Bound:
    """The bound of HUCBC under tight clustering (theo:tight).

    A term per suboptimal cluster and per suboptimal arm of the optimal cluster; k* and its equals cause no regret and are left
    out.

    Args:
        means: expected reward of each arm.
        clusters: cluster of each arm.
        horizon: rounds T.
        history: historical plays of each arm.
        form: "printed": every play costs 1; "gap-weighted": a play of a cluster costs the largest gap in it, one of an arm
            its own gap.

    Returns:
        The bound and its terms.

    Raises:
        ValueError: if the clusters are not tight, or if an argument is out of range.

    Examples:
        >>> bound = tight([0.9, 0.7, 0.5, 0.1], ["news", "news", "sport", "sport"], horizon=1000, form="gap-weighted")
        >>> [(term.level, term.label, round(term.plays), round(term.weight, 1)) for term in bound.terms]
        [('cluster', 'sport', 1386, 0.8), ('arm', 1, 1386, 0.2)]
    """
    values, held = check_plays(means, history, horizon, form, Weighting)
    parts, members = parted(values, clusters)
    top, best_held = float(values.max()), float(held[members[parts.optimal]].sum())
    terms = []
    for label, lower, gap in zip(parts.labels, parts.lower, parts.delta, strict=True):
        if gap <= 0.0:
            raise ValueError(f"the clustering is not tight: cluster {label!r} overlaps the optimal cluster {parts.optimal!r}")
        if label != parts.optimal:
            plays = _plays(gap, horizon, float(held[members[label]].sum()), best_held)
            terms.append(Term("cluster", label, gap, plays, 1.0 if form == "printed" else top - lower))
    terms += _arm_terms(values, members[parts.optimal], horizon, held, form)
    return _bound(terms, form, "HUCBC under tight clustering (Theorem 1)", values, horizon)


def hucb(means: ArrayLike, *, horizon: int, history: Plays = None, form: Weighting = "printed") -> Bound:
    """The bound of HUCB, or of UCB without ``history`` (fact:hucb): a term per suboptimal arm.

    Args:
        means: expected reward of each arm.
        horizon: rounds T.
        history: historical plays of each arm.
        form: as in :func:`tight`.

    Returns:
        The bound and its terms.

    Examples:
        >>> bound = hucb([0.9, 0.4], horizon=1000, history=[20, 30])
        >>> round(bound.value, 3)  # 1 + (8 log 1030 / 0.5^2 - 30) + pi^2 181 / (6 61^2) + pi^2 121 / (6 41^2)
        193.192
    """
    values, held = check_plays(means, history, horizon, form, Weighting)
    terms = _arm_terms(values, range(values.size), horizon, held, form)
    return _bound(terms, form, "HUCB (Fact 2)", values, horizon)


def adversarial(
    means: ArrayLike, clusters: Clusters, *, horizon: int, r: float, s: float, history: Plays = None, form: Reading = "printed"
) -> Bound:
    """The bound of HUCBC' under any clustering (theo:adversarial), a function of r and s, which the paper leaves unknown.

    What holds without them is the shape: the count of terms and their gaps. The maximum over a cluster's arms is reached by its
    best arm, so its gap is that between best arms. Every cluster with an arm as good as the best one is optimal: its
    suboptimal arms have a term each (fact:hucb).

    Args:
        means: expected reward of each arm.
        clusters: cluster of each arm.
        horizon: rounds T.
        r: the constant r of the theorem.
        s: the constant s of the theorem.
        history: historical plays of each arm.
        form: "printed", or "repaired", which has pi^2 / 3 where pi / 3 is printed.

    Returns:
        The bound and its terms.

    Examples:
        >>> bound = adversarial([0.9, 0.2, 0.7, 0.8], ["a", "a", "b", "b"], horizon=1000, r=1.0, s=10.0, form="repaired")
        >>> [(term.level, term.label, round(term.gap, 6)) for term in bound.terms]
        [('arm', 1, 0.7), ('cluster', 'b', 0.1)]
    """
    values, held = check_plays(means, history, horizon, form, Reading)
    require(0.0 < r < math.inf, "r", "a number above 0", r)
    require(0.0 <= s < math.inf, "s", "a number of at least 0", s)
    parts, members = parted(values, clusters)
    rest = 2.0 * s + (math.pi if form == "printed" else math.pi**2) / 3.0
    terms = []
    for label, upper in zip(parts.labels, parts.upper, strict=True):
        if gap := float(values.max()) - upper:
            terms.append(Term("cluster", label, gap, 16.0 * r * math.log(horizon) / (gap / 2.0) / (gap / 2.0) + rest, 1.0))
        else:
            terms += _arm_terms(values, members[label], horizon, held, "printed")
    return _bound(terms, form, f"HUCBC' (Theorem 3), if r = {r:g} and s = {s:g}", values, horizon)


def _plays(gap: float, horizon: int, held: float, best_held: float) -> float:
    """Plays of a suboptimal arm (fact:hucb) or cluster (theo:tight): 1 + l + a tail of its own and one of the best."""
    needed = max(0.0, 8.0 * math.log(horizon + held) / gap / gap - held)
    tails = (math.pi**2 * (1.0 + 6.0 * h) / (6.0 * (2.0 * h + 1.0) ** 2) for h in (held, best_held))
    return 1.0 + needed + sum(tails)


def _arm_terms(values: Floats, arms: Sequence[int], horizon: int, held: Floats, form: str) -> list[Term]:
    """HUCB among these arms (fact:hucb); of equal best arms the first is k*."""
    best = max(arms, key=values.__getitem__)
    terms = []
    for arm in arms:
        if gap := float(values[best] - values[arm]):
            plays = _plays(gap, horizon, float(held[arm]), float(held[best]))
            terms.append(Term("arm", arm, gap, plays, 1.0 if form == "printed" else gap))
    return terms


def _bound(terms: Sequence[Term], form: str, title: str, values: Floats, horizon: int) -> Bound:
    value = math.fsum(term.plays * term.weight for term in terms)
    span = float(np.ptp(values))
    cost = "the most it can cost" if form == "gap-weighted" else "1 (a count of plays), enough as no gap exceeds 1"
    note = f"{title}: bounds the expected regret for rewards in [0, 1] and a bonus of scale 1, each suboptimal play at {cost}."
    note += f" Not so here: means that lie {span:g} apart need rewards outside [0, 1]." if span > 1.0 else ""
    return Bound(value, form, note + vacuous(value, span * horizon), tuple(terms))
