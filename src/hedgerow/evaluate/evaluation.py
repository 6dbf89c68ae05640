"""``hr.evaluate``: would this history, and this grouping, have helped a bandit, and by how much?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.arms import shown
from ..core.types import Floats, Label
from ..data.files import need_polars
from ..data.log import Log
from ..inference.explained import Explained, explain
from ..inference.shift import Drift, drift
from ..present.numbers import numeral
from . import best_arms, sentences
from .contextual_replay import Contextual, context_refusal, replay_contexts
from .gains import Setting, Worlds, judged
from .interval import Gain
from .logging_grade import Grade, graded
from .replay import Replay, replayed
from .rulings import grouping_refusal, on_grouping, on_history, refusals
from .split import Split, Units, levelled, split
from .trust_over_time import Course, trust_over_time

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

Say = Callable[[str], None]


@dataclass(frozen=True)
class Evaluation:
    """The verdict on a log. ``refused`` says why there is none; ``gains`` are per 1000 decisions, with 90 % intervals.

    ``gains`` has "history", "grouping", "labels" and "log" as far as they can be told; ``marked`` are the same for as many
    rounds as the replay has. ``rulings`` has "history" and "grouping": "helps", "hurts", "open" or "no information".
    """

    source: str
    rows: int
    history_rows: int
    arms: tuple[Label, ...]
    clusters: tuple[Label, ...] | None
    binary: bool
    scale: float
    setting: Setting
    grade: Grade
    method: str
    missing: dict[str, int] = field(default_factory=dict)
    odd: str = ""
    """Rows left out, by reason."""
    untried: int = 0
    """Arms without a row, which only the clusters name; they are left out."""
    refused: tuple[str, ...] = ()
    grouping_refused: str | None = None
    explained: Explained | None = None
    drift: Drift | None = None
    drift_factor: str = ""
    rounds_saved: str = ""
    gains: dict[str, Gain] = field(default_factory=dict)
    marked: dict[str, Gain] = field(default_factory=dict)
    rulings: dict[str, str] = field(default_factory=dict)
    replay: Replay | None = None
    contextual: Contextual | None = None
    contextual_refused: str | None = None
    curves: dict[str, Floats] = field(default_factory=dict, repr=False)
    course: Course | None = field(default=None, repr=False)
    plays: Floats | None = field(default=None, repr=False)
    """Rows of each arm to judge by."""
    means: Floats | None = field(default=None, repr=False)
    """Expected reward of each arm: median, 5 % and 95 % quantile (3 x arms)."""

    def __str__(self) -> str:
        return "\n".join(sentences.verdict(self))

    def _repr_html_(self) -> str:
        from .page import section

        return section(self)

    def frame(self) -> "pl.DataFrame":
        """The gains as a table."""
        need_polars()
        import polars as pl

        parts = {"simulation": self.gains, "replay": self.replay.gains if self.replay else {}}
        parts["contextual replay"] = self.contextual.gains if self.contextual else {}
        rounds = {"simulation": self.setting.rounds, "replay": self.replay.rounds if self.replay else 0}
        rounds["contextual replay"] = self.contextual.rounds if self.contextual else 0
        rows = [(how, rounds[how], name, *gain) for how, gains in parts.items() for name, gain in gains.items()]
        return pl.DataFrame(rows, schema=["method", "rounds", "gain", "value", "low", "high"], orient="row")

    def plot(self) -> "Figure":
        """Gains with their intervals; the page also draws rewards over time and arms by group."""
        from .figures import verdict_figure

        return verdict_figure(self)

    def save(self, folder: str | Path) -> Path:
        """Write the page, index.html, and its numbers, verdict.json, into a folder; the page's path."""
        from .page import write

        return write(self, folder)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        found = asdict(replace(self, curves={}, course=None, plays=None, means=None))
        for name in ("curves", "marked"):
            del found[name]
        found |= {"plays": None if self.plays is None else self.plays.tolist(), "means": best_arms.named(self.means)}
        found["course"] = self.course and {name: part.tolist() for name, part in vars(self.course).items() if part is not None}
        found["gains"] = {name: gain._asdict() for name, gain in self.gains.items()}
        for part in ("replay", "contextual"):
            if found[part] is not None:
                found[part]["gains"] = {name: gain._asdict() for name, gain in getattr(self, part).gains.items()}
        found["grade"]["checks"] = [{**asdict(check), "passed": check.passed} for check in self.grade.checks]
        found["verdict"] = sentences.verdict(self)
        return found


def evaluate(
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
    split: float | None = None,
    history: bool = True,
    rounds: int = 1000,
    seed: int = 0,
    draws: int = 200,
    runs: int = 4,
    say: Say | None = None,
) -> Evaluation:
    """Would this history, and this grouping, have helped a bandit, and by how much? The whole method is in docs/verdict.md.

    Arguments
        source: a frame, a file, or a :class:`hedgerow.Log`, which then needs no names of columns; these, ``clusters``,
            ``unlisted`` and ``separator`` are those of :meth:`hedgerow.Log.read`.
        logging: "random" if you know that arms were drawn by chance alone; then nothing needs to be assumed.
        split: the share of the rows, in the order of time, that is history (a half); the others are the future to be judged by.
        history: False takes all rows as the future, and says nothing about history.
        rounds: decisions that a policy gets, at most as many as the future has rows.
        draws, runs: worlds that each judge draws, and runs of every policy in each, more where few arms leave much to luck.
        say: called with a word about each step of the work.
    """
    log, untried = as_log(source, arm, reward, context, clusters, unlisted, time, propensity, separator)
    if not isinstance(history, bool):
        raise ValueError(f"history says whether to split one off the log, True or False, got {type(history).__name__}")
    if not history and split is not None:
        raise ValueError("without history there is nothing to split off: leave split or history=False (--no-history) out")
    share = 0.5 if split is None else split
    _check(share, rounds, draws, runs)
    tell: Say = say or (lambda _: None)
    grade = graded(log, logging=logging)
    even, units = levelled(log)
    parted = _parted(even, grade, share, history)
    setting = Setting(min(int(rounds), parted.future_rows), int(draws), int(runs), int(seed))
    blank = replace(_blank(log, grade, parted, setting), untried=len(untried))
    if blank.refused:
        return _in_units(blank, units)
    if parted.groups is not None and blank.grouping_refused:
        parted = replace(parted, groups=None)
    explained = None
    if parted.groups is not None:
        explained = explain(parted.future, parted.groups, np.random.default_rng([seed, 3]), binary=parted.binary)
    course = trust_over_time(even, parted, weigh=grade.letter == "B", seed=seed)
    tell("replaying the log (the first time on a machine, compiling takes some seconds)")
    replay, contextual = None, None
    if grade.letter == "A":
        replay = replayed(even, parted, near_uniform=grade.near_uniform, rounds=setting.rounds, seed=seed)
    if log.context and blank.contextual_refused is None:
        contextual = replay_contexts(even, parted, grade, rounds=setting.rounds, seed=seed, say=tell)
    tell("playing policies in the worlds of two judges")
    worlds = judged(parted, setting, p=explained.p if explained else None, mark=replay.rounds if replay else None)
    found = replace(blank, explained=explained, course=course, replay=replay, contextual=contextual)
    return _in_units(_answer(found, parted, worlds, units), units)


def as_log(
    source: Any,
    arm: str | None,
    reward: str | None,
    context: str | Sequence[str],
    clusters: Mapping[Any, Any] | str | Path | None,
    unlisted: Label | None,
    time: str | None,
    propensity: str | None,
    separator: str | None,
) -> tuple[Log, tuple[Label, ...]]:
    """A log as it is, or one read from a frame or a file, with the arms that have rows; and the arms that have none."""
    if isinstance(source, Log):
        named: dict[str, Any] = {"arm": arm, "reward": reward, "context": context or None, "clusters": clusters, "time": time}
        named |= {"unlisted": unlisted, "propensity": propensity, "separator": separator}
        if given := [name for name, value in named.items() if value is not None]:
            raise ValueError(f"a hedgerow.Log has its columns already: give {shown(given)} to Log.read instead")
        log = source
    elif arm is None or reward is None:
        raise ValueError("arm= and reward= must name the columns of the log; only a hedgerow.Log has them already")
    else:
        log = Log.read(
            source,
            arm=arm,
            reward=reward,
            context=context,
            clusters=clusters,
            unlisted=unlisted,
            time=time,
            propensity=propensity,
            separator=separator,
        )
    log, untried = _tried(log)
    if len(log) < 4 or len(log.arms) < 2:
        raise ValueError(f"a log must have at least 4 rows and 2 arms, this one has {len(log)} and {len(log.arms)}")
    if fixed := log.fixed_contexts():
        raise ValueError(
            f"context {shown(fixed)} is the same in all rows of an arm: a property of arms, not of the rounds; "
            "leave it out, or give it as clusters"
        )
    return log, untried


def _tried(log: Log) -> tuple[Log, tuple[Label, ...]]:
    """The log without the arms that only the clusters name, and these: nothing can be said of them."""
    clusters = None if log.clusters is None else log.clusters[: log.tried]
    return replace(log, arms=log.arms[: log.tried], clusters=clusters), log.arms[log.tried :]


def _check(share: float, rounds: int, draws: int, runs: int) -> None:
    if not 0.0 < share < 1.0:
        instead = "history=False (--no-history) takes all rows as the future"
        raise ValueError(f"split must be a share above 0 and below 1, got {share!r}; {instead}")
    for name, value, least in (("rounds", rounds, 10), ("draws", draws, 20), ("runs", runs, 1)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")


def _parted(log: Log, grade: Grade, share: float, history: bool) -> Split:
    found = split(log, share=share, history=history, weigh=grade.letter == "B")
    if found.scale == 0.0:
        raise ValueError(f"all rewards of the log are {log.reward[0]:g}: there is nothing to learn from them")
    return found


def _blank(log: Log, grade: Grade, parted: Split, setting: Setting) -> Evaluation:
    """What can be said before anything is judged."""
    effective = float(np.median(parted.future.rows))
    return Evaluation(
        source=log.source,
        rows=parted.future_rows,
        history_rows=parted.past_rows,
        arms=log.arms,
        clusters=log.clusters,
        binary=parted.binary,
        scale=parted.scale,
        setting=setting,
        grade=grade,
        method=sentences.method(grade, None, _rows(parted), effective),
        missing=log.missing,
        odd=sentences.odd_rewards(log.reward),
        plays=np.bincount(log.arm[parted.past_rows :], minlength=len(log.arms)).astype(np.float64),
        refused=tuple(refusals(parted)),
        grouping_refused=None if parted.groups is None else grouping_refusal(parted.groups),
        drift=drift(parted.future, parted.past, binary=parted.binary) if parted.remembers else None,
        contextual_refused=context_refusal(log, parted, grade, setting.rounds, setting.seed),
    )


def _rows(parted: Split) -> str:
    return f"{parted.future_rows:,} later rows" if parted.remembers else f"{parted.future_rows:,} rows"


def _answer(found: Evaluation, parted: Split, worlds: Worlds, units: Units) -> Evaluation:
    """The gains, the rulings that follow from them, and what is drawn."""
    rulings: dict[str, str] = {}
    if "history" in worlds.gains:
        rulings["history"] = on_history(worlds.gains["history"])
    if found.explained is not None:
        rulings["grouping"] = on_grouping(worlds.gains["grouping"], worlds.gains["labels"], found.explained.p)
    effective = float(np.median(parted.future.rows))
    return replace(
        found,
        method=sentences.method(found.grade, found.replay, _rows(parted), effective),
        setting=replace(found.setting, runs=worlds.runs),
        gains=worlds.gains,
        marked=worlds.marked,
        rulings={} if found.grade.letter == "C" else rulings,
        drift_factor=_factor(worlds.draws.drift, units, parted.binary) if parted.remembers else "",
        rounds_saved=rounds_saved(worlds.curves) if parted.remembers else "",
        curves=worlds.curves,
        means=np.quantile(worlds.draws.means, [0.5, 0.05, 0.95], axis=0),
    )


def _in_units(found: Evaluation, units: Units) -> Evaluation:
    """Everything in the units of the log's own rewards."""
    level, size = units

    def gains(parts: dict[str, Gain]) -> dict[str, Gain]:
        return {name: gain.times(size) for name, gain in parts.items()}

    return replace(
        found,
        scale=size * found.scale,
        drift=found.drift and found.drift.times(size),
        explained=found.explained and found.explained.times(size),
        course=found.course and found.course.times(size),
        gains=gains(found.gains),
        marked=gains(found.marked),
        replay=found.replay and replace(found.replay, gains=gains(found.replay.gains)),
        contextual=found.contextual and replace(found.contextual, gains=gains(found.contextual.gains)),
        curves={name: level + size * curve for name, curve in found.curves.items()},
        means=None if found.means is None else level + size * found.means,
    )


def _factor(drift: Floats, units: Units, binary: bool) -> str:
    """The drift of an arm in words: a factor of the odds, or an amount."""
    deviation = float(np.median(drift))
    return f"a factor of {np.exp(deviation):.2f}" if binary else numeral(units.size * deviation)


def rounds_saved(curves: dict[str, Floats]) -> str:
    """The first round at which cold UCB earns over a tenth of the horizon what HUCB earns in its first tenth."""
    cold, warm = curves["UCB"], curves["HUCB"]
    window = max(cold.size // 10, 1)
    running = np.convolve(cold, np.full(window, 1.0 / window), mode="valid")
    reached = np.flatnonzero(running >= warm[:window].mean())
    return f"{int(reached[0]):,}" if reached.size else f"at least {cold.size:,}"
