"""The paper's theorems as calculators: upper bounds on regret, not estimates of it.

Each has the bound as the paper prints it and, under another ``form``, one that says more or that holds where the printed
one does not. UCB, UCBC and LinUCB are HUCB, HUCBC and HLinUCB without history. Theorems are cited by their labels in the paper.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from .core.types import Floats, Label
from .present.plots import OKABE_ITO

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Clusters: TypeAlias = Iterable[Label]
Plays: TypeAlias = ArrayLike | None
Weighting: TypeAlias = Literal["printed", "gap-weighted"]
Reading: TypeAlias = Literal["printed", "repaired"]


class Term(NamedTuple):
    """One summand of a bound: a suboptimal cluster, or a suboptimal arm (its position) of an optimal cluster."""

    level: Literal["cluster", "arm"]
    label: Label
    gap: float
    plays: float
    weight: float


@dataclass(frozen=True)
class Bound:
    """A bound's value (if it has terms, the sum of their plays times weight) and a note on what it is and is not."""

    value: float
    form: str
    note: str
    terms: tuple[Term, ...] = ()


@dataclass(frozen=True)
class Clustering:
    """How well clusters part the arms: l_i, u_i and delta_i = l_i* - u_i (nan for i* itself), in the order of ``labels``."""

    labels: tuple[Label, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    delta: tuple[float, ...]
    optimal: Label
    tight: bool


def clustering(means: ArrayLike, clusters: Clusters) -> Clustering:
    """Intervals and gaps of clusters, given the expected reward and the cluster of each arm (definition before theo:tight).

    The optimal cluster i* holds the best arm, so a cluster with a disjoint interval lies wholly below it: u_i < l_i*.
    Intervals that share an end point are not disjoint, hence clusters that share the best reward are never tight.

    >>> found = clustering([0.9, 0.7, 0.5, 0.1], ["news", "news", "sport", "sport"])
    >>> found.tight, found.optimal, found.lower, found.upper, round(found.delta[1], 6)
    (True, 'news', (0.7, 0.1), (0.9, 0.5), 0.2)
    """
    return _parted(_vector(means, "means", "arm"), clusters)[0]


def tight(means: ArrayLike, clusters: Clusters, *, horizon: int, history: Plays = None, form: Weighting = "printed") -> Bound:
    """HUCBC under tight clustering (theo:tight); ``history`` is the number of historical plays of each arm.

    A term per suboptimal cluster and per suboptimal arm of the optimal cluster; k* and its equals cause no regret and are left
    out. Printed, every play costs 1; gap-weighted, one of a cluster costs the largest gap in it, one of an arm its own gap.

    >>> bound = tight([0.9, 0.7, 0.5, 0.1], ["news", "news", "sport", "sport"], horizon=1000, form="gap-weighted")
    >>> [(term.level, term.label, round(term.plays), round(term.weight, 1)) for term in bound.terms]
    [('cluster', 'sport', 1386, 0.8), ('arm', 1, 1386, 0.2)]
    """
    values, held = _checked(means, history, horizon, form, Weighting)
    parts, members = _parted(values, clusters)
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
    """HUCB, or UCB without ``history`` (fact:hucb): a term per suboptimal arm.

    >>> bound = hucb([0.9, 0.4], horizon=1000, history=[20, 30])
    >>> round(bound.value, 3)  # 1 + (8 log 1030 / 0.5^2 - 30) + pi^2 181 / (6 61^2) + pi^2 121 / (6 41^2)
    193.192
    """
    values, held = _checked(means, history, horizon, form, Weighting)
    terms = _arm_terms(values, range(values.size), horizon, held, form)
    return _bound(terms, form, "HUCB (Fact 2)", values, horizon)


def adversarial(
    means: ArrayLike, clusters: Clusters, *, horizon: int, r: float, s: float, history: Plays = None, form: Reading = "printed"
) -> Bound:
    """HUCBC' under any clustering (theo:adversarial), as a function of r and s, which the paper leaves unknown.

    What holds without them is the shape: the count of terms and their gaps. The maximum over a cluster's arms is reached by its
    best arm, so its gap is that between best arms. Every cluster with an arm as good as the best one is optimal: its
    suboptimal arms have a term each (fact:hucb). ``repaired`` has pi^2 / 3 where pi / 3 is printed.

    >>> bound = adversarial([0.9, 0.2, 0.7, 0.8], ["a", "a", "b", "b"], horizon=1000, r=1.0, s=10.0, form="repaired")
    >>> [(term.level, term.label, round(term.gap, 6)) for term in bound.terms]
    [('arm', 1, 0.7), ('cluster', 'b', 0.1)]
    """
    values, held = _checked(means, history, horizon, form, Reading)
    _require(0.0 < r < math.inf, "r", "a number above 0", r)
    _require(0.0 <= s < math.inf, "s", "a number of at least 0", s)
    parts, members = _parted(values, clusters)
    rest = 2.0 * s + (math.pi if form == "printed" else math.pi**2) / 3.0
    terms = []
    for label, upper in zip(parts.labels, parts.upper, strict=True):
        if gap := float(values.max()) - upper:
            terms.append(Term("cluster", label, gap, 16.0 * r * math.log(horizon) / (gap / 2.0) / (gap / 2.0) + rest, 1.0))
        else:
            terms += _arm_terms(values, members[label], horizon, held, "printed")
    return _bound(terms, form, f"HUCBC' (Theorem 3), if r = {r:g} and s = {s:g}", values, horizon)


def log_determinant(matrices: ArrayLike) -> float:
    """Log-determinant of the block matrix with one d x d block per arm: the sum over the arms.

    >>> round(log_determinant([[[2, 0], [0, 3]], [[1, 0], [0, 4]]]), 6)  # log 6 + log 4
    3.178054
    """
    blocks = np.array(matrices, dtype=np.float64)
    if blocks.ndim != 3 or blocks.shape[1] != blocks.shape[2] or blocks.size == 0:
        raise ValueError(f"matrices must be one d x d matrix per arm, got shape {blocks.shape}")
    with np.errstate(invalid="ignore"):
        signs, logs = np.linalg.slogdet(blocks)
    for arm in np.flatnonzero(~((signs > 0.0) & np.isfinite(logs))):
        raise ValueError(f"matrices must have positive determinants, arm {arm} has sign {signs[arm]:g}, logarithm {logs[arm]:g}")
    return float(logs.sum())


def hlinucb(
    final: float,
    *,
    dimension: int,
    horizon: int,
    sigma: float,
    delta: float,
    norm: float,
    phi: float = 1.0,
    history: float | None = None,
    form: Reading = "printed",
) -> Bound:
    """HLinUCB (thm:hlinucb), given log det A_T (``final``) and log det H (``history``), see :func:`log_determinant`.

    ``norm`` is ||theta*||, all arms' coefficients in one vector. Without history det H = 1, and it is LinUCB's bound.
    ``printed`` is the theorem to the letter; it leaves ``phi`` undefined, 1 is the ridge weight. ``repaired``, without d and phi,
    treats history as ordinary data, c = sigma sqrt(2 log(det(A_T)^(1/2) / delta)) + ||theta*||, and goes on as the proof does,
    R(T) <= 2 c sqrt(T) sqrt(2 log(det A_T / det H)), for alpha = c, expected rewards in [-1, 1] and, if c < 1, ||x|| <= 1.

    >>> given = dict(dimension=5, horizon=10_000, sigma=0.5, delta=0.05, norm=1.0, form="repaired")
    >>> round(hlinucb(60.0, **given).value), round(hlinucb(60.0, history=25.0, **given).value)
    (11090, 8470)
    """
    _check(horizon, form, Reading)
    past = 0.0 if history is None else history
    for name, value in {"dimension": dimension, "sigma": sigma, "phi": phi}.items():
        _require(0.0 < value < math.inf, name, "a number above 0", value)
    for name, value in {"norm": norm, "history": past}.items():
        _require(0.0 <= value < math.inf, name, "a number of at least 0", value)
    _require(0.0 < delta < 1.0, "delta", "above 0 and below 1", delta)
    _require(past - 1e-9 * (1.0 + past) <= final < math.inf, "final", f"log det A_T, not below log det H = {past:g}", final)
    growth = max(final - past, 0.0)
    if form == "printed":
        radius = sigma * (math.sqrt(dimension * (growth / 2.0 - math.log(delta))) + norm / math.sqrt(phi))
        note = "HLinUCB (Theorem 4) as printed: not a proven bound, its radius leaves out the noise in history."
    else:
        radius = sigma * math.sqrt(2.0 * (final / 2.0 - math.log(delta))) + norm
        note = f"HLinUCB (Theorem 4), repaired: holds with probability {1.0 - delta:g} if alpha is the radius {radius:.4g}."
    value = radius * math.sqrt(8.0 * horizon * growth)
    return Bound(value, form, note + _vacuous(value, 2.0 * horizon))


def plot(bounds: Mapping[str, Callable[..., Bound]], regret: Mapping[str, ArrayLike], *, title: str = "") -> "Figure":
    """Bounds as functions of T (dashed) against measured cumulative regret (solid), both axes logarithmic.

    A bound is called with ``horizon=T``, as in ``{"HUCB": functools.partial(hucb, means)}``; a regret curve has a number per
    round. Names that stand in both share a colour. Below a regret of 1 the vertical axis is linear, so that 0 has a place.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError('plot needs matplotlib: pip install "hedgerow[cli]"') from error
    curves = {name: _vector(curve, f"regret of {name!r}", "round") for name, curve in regret.items()}
    _require(bool(curves), "regret", "at least one curve", regret)
    rounds = np.unique(np.geomspace(1, max(curve.size for curve in curves.values()), 200).round().astype(np.int64))
    colours = {name: OKABE_ITO[at % len(OKABE_ITO)] for at, name in enumerate(dict.fromkeys((*curves, *bounds)))}
    figure = Figure(figsize=(8.0, 4.5), layout="constrained")
    axes = figure.subplots()
    for name, curve in curves.items():
        seen = rounds[rounds <= curve.size]
        axes.plot(seen, curve[seen - 1], color=colours[name], label=f"{name}, measured")
    for name, bound in bounds.items():
        axes.plot(rounds, [bound(horizon=int(t)).value for t in rounds], "--", color=colours[name], label=f"{name}, bound")
    axes.set_yscale("symlog", linthresh=1.0)
    axes.set(xscale="log", xlabel="round T", ylabel="cumulative regret", title=title)
    figure.legend(loc="outside right upper", frameon=False)
    return figure


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
    return Bound(value, form, note + _vacuous(value, span * horizon), tuple(terms))


def _vacuous(value: float, ceiling: float) -> str:
    return f" At this horizon it says nothing: regret cannot exceed {ceiling:g}." if value > ceiling else ""


def _parted(values: Floats, clusters: Clusters) -> tuple[Clustering, dict[Label, list[int]]]:
    """The clustering, and the arms of each cluster."""
    _require(not isinstance(clusters, str | bytes | Mapping), "clusters", "one label per arm, in order", clusters)
    labels = clusters.tolist() if isinstance(clusters, np.ndarray) else list(clusters)
    if len(labels) != values.size:
        raise ValueError(f"clusters must name one cluster per arm: {values.size} arms, {len(labels)} given")
    arms: dict[Label, list[int]] = {}
    for arm, label in enumerate(labels):
        arms.setdefault(label, []).append(arm)
    lower, upper = (tuple(float(end(values[rows])) for rows in arms.values()) for end in (np.min, np.max))
    best = labels[int(values.argmax())]
    floor = float(values[arms[best]].min())
    delta = tuple(math.nan if label == best else floor - u for label, u in zip(arms, upper, strict=True))
    return Clustering(tuple(arms), lower, upper, delta, optimal=best, tight=not any(gap <= 0.0 for gap in delta)), arms


def _require(valid: bool, name: str, wanted: str, value: Any) -> None:
    if not valid:
        raise ValueError(f"{name} must be {wanted}, got {value!r}")


def _check(horizon: Any, form: Any, forms: Any) -> None:
    whole = isinstance(horizon, int | np.integer) and bool(1 <= horizon < 10**18)
    _require(whole, "horizon", "a whole number from 1 to 1e18", horizon)
    _require(form in get_args(forms), "form", " or ".join(map(repr, get_args(forms))), form)


def _vector(values: Any, what: str, item: str) -> Floats:
    try:
        vector = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} must be numbers, got {values!r}") from error
    if vector.ndim != 1 or vector.size == 0:
        raise ValueError(f"{what} must be one number per {item}, got shape {vector.shape}")
    for at in np.flatnonzero(~np.isfinite(vector)):
        raise ValueError(f"{what} must be finite, {item} {at} has {vector[at]}")
    return vector


def _checked(means: Any, history: Any, horizon: Any, form: Any, forms: Any) -> tuple[Floats, Floats]:
    """Expected rewards and historical plays, one each per arm."""
    _check(horizon, form, forms)
    values = _vector(means, "means", "arm")
    held = np.zeros(values.size) if history is None else _vector(history, "history", "arm")
    if held.size != values.size:
        raise ValueError(f"history must give one number of plays per arm: {values.size} arms, {held.size} given")
    for at in np.flatnonzero(held < 0.0):
        raise ValueError(f"history must not be negative, arm {at} has {held[at]}")
    return values, held
