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
from ..data.roles import ColumnRoles, listed
from ..inference.explained import Explained, explain
from ..inference.rates import COIN, values_of
from ..inference.shift import Drift, drift
from ..inference.sums import Sums, numbered, tally, tally_weighted
from ..inference.two_level import posterior
from ..present.text import printable_lines
from . import best_arms, inspection_sentences, log_remarks
from .changed_arms import Changed, changed_arms
from .logging_grade import Grade, graded
from .rulings import few_events, grouping_refusal
from .split import levelled
from .usable_log import usable_log

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Bounds:
    """Regret that the paper's theorems allow over these rounds if the estimated means were true; None: not tight.

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
    changed: Changed | None = None
    """What changed within the log; None if no change is visible."""

    def __str__(self) -> str:
        if self.means is None:
            return printable_lines(inspection_sentences.in_words(self))
        table = best_arms.lines(self.arms, self.clusters, self.plays, self.means, "the JSON (--json, to_dict)")
        return printable_lines([*inspection_sentences.in_words(self), *table])

    def _repr_html_(self) -> str:
        from .page import inspection_section

        return inspection_section(self)

    def frame(self) -> "pl.DataFrame":
        """The arms as a data frame.

        Returns:
            A row per arm: cluster, plays, estimated mean with its 90 % interval.
        """
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
        """Arms by group, with intervals.

        Returns:
            A figure of matplotlib.

        Raises:
            ValueError: if single arms cannot be judged.
        """
        if self.means is None:
            raise ValueError(f"there are no means to draw: {self.means_refused}")
        from .figures import arms_figure

        return arms_figure(self.arms, self.clusters, self.means)

    def to_dict(self) -> dict[str, Any]:
        """All numbers, for JSON.

        Returns:
            Dicts, lists, numbers and texts.
        """
        found = asdict(self)
        found["grade"]["checks"] = [{**asdict(check), "passed": check.passed} for check in self.grade.checks]
        return found | {
            "plays": self.plays.tolist(),
            "means": best_arms.named(self.means),
            "summary": inspection_sentences.in_words(self),
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

    Args:
        source: a frame, a file, or a :class:`hedgerow.Log`, which needs no names of columns.
        arm: column of the arm that was chosen.
        reward: column of the reward.
        context: column of the context, or several.
        clusters: the cluster of each arm, as in :meth:`hedgerow.Log.read`.
        unlisted: the cluster of arms that ``clusters`` do not name.
        time: column of the time; without it rows are taken in their order.
        propensity: column of the probability with which the logged arm was chosen.
        separator: what stands between the cells of text files.
        logging: "random" if you know that arms were drawn by chance alone.
        seed: the same seed gives the same intervals.

    Returns:
        What the log says without a policy being played.

    Examples:
        >>> import polars
        >>> log = polars.DataFrame({"ad": ["a", "b"] * 50, "click": [0, 1, 1, 1] * 25})
        >>> print(str(inspect(log, arm="ad", reward="click")).splitlines()[0])
        frame of polars: 100 rows, 2 arms.
    """
    roles = ColumnRoles(arm or "", reward or "", listed(context), clusters, unlisted, time, propensity, separator)
    log, untried = usable_log(source, roles)
    grade = graded(log, logging=logging)
    even, (level, size) = levelled(log)
    binary, count, rng = values_of(even.reward) == COIN, len(log.arms), np.random.default_rng([seed, 6])
    plain, half = tally(log.arm, even.reward, count), log.arm.size // 2
    known = log.propensity if grade.letter == "B" else None
    sums = _summed(even, slice(None), known)
    groups = np.zeros(count, dtype=np.int64) if log.clusters is None else numbered(log.clusters)
    unsure = _refusal(sums, log.arm.size, binary=binary)
    refused = None if log.clusters is None else _grouping_refusal(log, groups, unsure)
    means = level + size * posterior(sums, groups, rng, binary=binary)
    explained = None if log.clusters is None or refused else explain(sums, groups, rng, binary=binary).times(size)
    moved = drift(_summed(even, slice(half, None), known), _summed(even, slice(half), known), binary=binary)
    varied = np.ptp(log.reward) > 0.0
    return Inspection(
        source=log.source,
        rows=log.arm.size,
        arms=log.arms,
        clusters=log.clusters,
        never_tried=untried,
        missing=log.missing,
        odd=log_remarks.odd_rewards(log.reward),
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
        changed=changed_arms(log) if varied else None,
    )


def _summed(log: Log, part: slice, propensity: Floats | None) -> Sums:
    """Sums of some rows, weighted by propensities if there are any."""
    chosen, reward, count = log.arm[part], log.reward[part], len(log.arms)
    return tally(chosen, reward, count) if propensity is None else tally_weighted(chosen, reward, propensity[part], count)


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
