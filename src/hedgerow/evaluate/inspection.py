"""``hr.inspect``: what is in a log, how its arms were chosen, what its groups explain, and whether it drifts."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import bounds
from ..core.types import Floats, Integers, Label
from ..data.files import need_polars
from ..data.log import Log
from ..inference.explained import Explained, explain
from ..inference.rates import COIN, values_of
from ..inference.shift import Drift, drift
from ..inference.sums import Sums, numbered, tally, tally_weighted
from ..inference.two_level import posterior
from ..present.numbers import numeral
from . import best_arms, sentences
from .evaluation import as_log
from .logging_grade import Grade, graded
from .rulings import few_events, grouping_refusal
from .split import levelled

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Bounds:
    """Regret that the paper's theorems allow over so many rounds if the estimated means were true; None: not tight.

    ``most`` is the largest regret there can be: a bound above it says nothing.
    """

    horizon: int
    most: float
    hucb: float
    hucbc: float | None

    @property
    def telling(self) -> bool:
        """Whether one of them is below the largest regret."""
        return min(bound for bound in (self.hucb, self.hucbc) if bound is not None) < self.most


@dataclass(frozen=True)
class Inspection:
    """What can be said of a log without playing a policy; ``plays`` and ``means`` are per arm, in the order of ``arms``.

    ``arms`` are those that have rows.
    """

    source: str
    rows: int
    arms: tuple[Label, ...]
    clusters: tuple[Label, ...] | None
    never_tried: tuple[Label, ...]
    """Arms without a row, which only the clusters name; they are left out."""
    missing: dict[str, int]
    odd: str
    """A warning of rewards that may be mistakes."""
    binary: bool
    reward: tuple[float, float, float]
    """Least, mean and largest reward."""
    noise: float | None
    """Standard deviation of rewards within arms; None if it cannot be told."""
    grade: Grade
    plays: Floats
    means: Floats | None
    """Estimated expected reward of each arm: median, 5 % and 95 % quantile (3 x arms)."""
    means_refused: str | None
    drift: Drift | None
    explained: Explained | None
    grouping_refused: str | None
    bounds: Bounds | None

    def __str__(self) -> str:
        if self.means is None:
            return "\n".join(in_words(self))
        table = best_arms.lines(self.arms, self.clusters, self.plays, self.means, "the JSON (--json, to_dict)")
        return "\n".join([*in_words(self), *table])

    def _repr_html_(self) -> str:
        from .page import inspection_section

        return inspection_section(self)

    def frame(self) -> "pl.DataFrame":
        """A row per arm: cluster, plays, estimated mean with its 90 % interval."""
        need_polars()
        import polars as pl

        median, low, high = np.full((3, len(self.arms)), np.nan) if self.means is None else self.means
        columns: dict[str, Any] = {
            "arm": [str(arm) for arm in self.arms],
            "plays": self.plays,
            "mean": median,
            "low": low,
            "high": high,
        }
        if self.clusters is not None:
            columns["cluster"] = [str(label) for label in self.clusters]
        return pl.DataFrame(columns)

    def plot(self) -> "Figure":
        """Arms by group, with intervals."""
        if self.means is None:
            raise ValueError(f"there are no means to draw: {self.means_refused}")
        from .figures import arms_figure

        return arms_figure(self.arms, self.clusters, self.means)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        found = asdict(self)
        found["grade"]["checks"] = [{**asdict(check), "passed": check.passed} for check in self.grade.checks]
        return found | {
            "plays": self.plays.tolist(),
            "means": best_arms.named(self.means),
            "summary": in_words(self),
        }


def inspect(
    source: Any,
    *,
    arm: str | None = None,
    reward: str | None = None,
    context: str | Sequence[str] = (),
    clusters: Mapping[Any, Any] | str | Path | None = None,
    unlisted: Label | None = None,
    time: str | None = None,
    propensity: str | None = None,
    separator: str | None = None,
    logging: str | None = None,
    seed: int = 0,
) -> Inspection:
    """What is in a log, how its arms were chosen, what its groups explain, and whether it drifts.

    ``source`` is a frame, a file, or a :class:`hedgerow.Log`, which needs no names of columns; ``logging`` is "random" if you
    know that arms were drawn by chance alone; see :func:`hedgerow.evaluate`.
    """
    log, untried = as_log(source, arm, reward, context, clusters, unlisted, time, propensity, separator)
    grade = graded(log, logging=logging)
    even, (level, size) = levelled(log)
    binary, count, rng = values_of(even.reward) == COIN, len(log.arms), np.random.default_rng([seed, 6])
    plain, half = tally(log.arm, even.reward, count), log.arm.size // 2
    known = log.propensity if grade.letter == "B" else None

    def summed(part: slice) -> Sums:
        chosen, reward = log.arm[part], even.reward[part]
        return tally(chosen, reward, count) if known is None else tally_weighted(chosen, reward, known[part], count)

    sums = summed(slice(None))
    groups = np.zeros(count, dtype=np.int64) if log.clusters is None else numbered(log.clusters)
    unsure = _refusal(sums, log.arm.size, binary=binary)
    refused = None if log.clusters is None else _grouping_refusal(log, groups, unsure)
    means = level + size * posterior(sums, groups, rng, binary=binary)
    explained = None if log.clusters is None or refused else explain(sums, groups, rng, binary=binary).times(size)
    moved = drift(summed(slice(half, None)), summed(slice(half)), binary=binary)
    varied = np.ptp(log.reward) > 0.0
    return Inspection(
        source=log.source,
        rows=log.arm.size,
        arms=log.arms,
        clusters=log.clusters,
        never_tried=untried,
        missing=log.missing,
        odd=sentences.odd_rewards(log.reward),
        binary=binary,
        reward=(float(log.reward.min()), float(log.reward.mean()), float(log.reward.max())),
        noise=_noise(sums, size, binary=binary) if varied else 0.0,
        grade=grade,
        plays=plain.rows,
        means=None if unsure else np.quantile(means, [0.5, 0.05, 0.95], axis=0),
        means_refused=unsure,
        drift=moved and moved.times(size),
        explained=explained,
        grouping_refused=refused,
        bounds=_bounds(log, means.mean(axis=0), plain) if varied and not unsure else None,
    )


def _noise(sums: Sums, size: float, *, binary: bool) -> float | None:
    return size * float(np.sqrt(sums.variances(binary=binary).mean())) if sums.noise_known(binary=binary) else None


def _refusal(sums: Sums, rows: int, *, binary: bool) -> str | None:
    """Why nothing can be said of single arms."""
    if not sums.noise_known(binary=binary):
        return "no arm has two rows, so that nothing is known of the noise."
    return few_events(sums, f"in the log ({rows:,} rows)", rows) if binary and 0.0 < sums.overall < 1.0 else None


def _grouping_refusal(log: Log, groups: Integers, unsure: str | None) -> str | None:
    if np.ptp(log.reward) == 0.0:
        return f"all rewards are {log.reward[0]:g}, so that there are no differences to explain."
    return grouping_refusal(groups) or unsure


def _bounds(log: Log, means: Floats, sums: Sums) -> Bounds | None:
    """The theorems' bounds at the estimated means, for rewards in [0, 1], with all rows as history."""
    if log.reward.min() < 0.0 or log.reward.max() > 1.0:
        return None
    known: dict[str, Any] = {"horizon": log.arm.size, "history": sums.rows, "form": "gap-weighted"}
    flat = bounds.hucb(means, **known).value
    most = float(np.ptp(means)) * log.arm.size
    if log.clusters is None or not bounds.clustering(means, log.clusters).tight:
        return Bounds(log.arm.size, most, flat, None)
    return Bounds(log.arm.size, most, flat, bounds.tight(means, log.clusters, **known).value)


def in_words(found: Inspection) -> list[str]:
    """The inspection in words."""
    low, mean, high = found.reward
    plays = found.plays
    noise = "" if found.noise is None else f", noise {numeral(found.noise)} (standard deviation within an arm)"
    lines = [
        f"{found.source}: {found.rows:,} rows, {len(found.arms)} arms"
        + (f" in {len(set(found.clusters))} groups." if found.clusters else "."),
        f"Plays per arm: {plays.min():,.0f} to {plays.max():,.0f}, median {np.median(plays):,.0f}.",
        f"Rewards: {numeral(low, 6)} to {numeral(high, 6)}, mean {numeral(mean, 4)}{noise}.",
    ]
    lines += [*sentences.left_out(found.missing), *sentences.untried(len(found.never_tried)), *([found.odd] if found.odd else [])]
    lines.append("How arms were chosen: " + "; ".join(sentences.checks((found.grade.uniform, *found.grade.checks))) + ".")
    lines.append(_evidence(found.grade))
    lines += sentences.contradicted(found.grade)
    if found.drift is not None:
        lines.append(f"First half against second: {sentences.moved(found.drift)}.")
    return lines + _grouping_sentences(found)


def _evidence(grade: Grade) -> str:
    if grade.letter == "A" and not grade.assumed:
        return "Evidence: grade A, arms were chosen at random."
    blind = grade.letter == "A" and len(grade.checks) == 1  # time alone
    if grade.unchecked:
        return "Evidence: grade B, propensities are given, but rows are too few to check them."
    return GRADES[grade.letter] + (" Whether by a context nobody can tell, for none is given." if blind else "")


GRADES = {
    "A": "Evidence: grade A, arms look chosen at random, as far as the log can show.",
    "B": "Evidence: grade B, propensities are given and fit the log.",
    "C": "Evidence: grade C, arms were not chosen at random and there are no propensities: estimates may be biased.",
}


def _grouping_sentences(found: Inspection) -> list[str]:
    lines = [f"Single arms: {found.means_refused}"] if found.means_refused else []
    lines += [f"Grouping: {found.grouping_refused}"] if found.grouping_refused not in (None, found.means_refused) else []
    if found.explained is not None:
        lines += [sentences.explained(found.explained), sentences.tightness(found.explained)]
        lines.append(
            f"Spread of arm means: {numeral(found.explained.between)} between groups, {numeral(found.explained.within)} within."
        )
    if found.bounds is not None and found.bounds.telling:
        lines.append(bound_sentence(found.bounds, grouped=found.clusters is not None))
    return lines


def bound_sentence(found: Bounds, *, grouped: bool) -> str:
    """The theorems' bounds, beside the largest regret."""
    told = f"Bound on the regret of {found.horizon:,} rounds at the estimated means: HUCB {found.hucb:,.0f}"
    if grouped:
        told += ", HUCBC has none, its groups overlap" if found.hucbc is None else f", HUCBC {found.hucbc:,.0f}"
    return f"{told}; regret cannot exceed {found.most:,.0f} anyway."
