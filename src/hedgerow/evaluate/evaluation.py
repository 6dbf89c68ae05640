"""``hr.evaluate``: would this history, and this grouping, have helped a bandit, and by how much?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..core.types import Floats, Label
from ..data.log import Log
from ..data.roles import ColumnRoles, listed
from ..inference.explained import explain
from ..inference.shift import drift
from ..present.numbers import numeral
from . import log_remarks, sentences
from .contextual_replay import context_refusal, replay_contexts
from .gain import Gain
from .gains import Setting, Worlds, judged
from .logging_grade import Grade, graded
from .replay import replayed
from .rulings import grouping_refusal, on_grouping, on_history, refusals
from .split import Split, Units, levelled, split
from .trust_over_time import trust_over_time
from .usable_log import usable_log
from .verdict import Evaluation

Say = Callable[[str], None]


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
        logging: "random" if you know that arms were drawn by chance alone; then nothing needs to be assumed.
        split: the share of the rows, in the order of time, that is history (a half); the others are the future to be judged by.
        history: False takes all rows as the future, and says nothing about history.
        rounds: decisions that a policy gets, at most as many as the future has rows.
        seed: the same seed gives the same verdict.
        draws: worlds that each judge draws.
        runs: runs of every policy in each world, more where few arms leave much to luck.
        say: called with a word about each step of the work.

    Returns:
        The verdict, or the reasons why there is none.

    Raises:
        ValueError: if the log cannot be read, or if an argument is out of range.

    Examples:
        >>> import numpy as np, polars
        >>> rng = np.random.default_rng(0)
        >>> log = polars.DataFrame({"ad": rng.integers(4, size=400), "click": rng.random(400) < 0.01})
        >>> print(evaluate(log, arm="ad", reward="click", logging="random").refused[0])
        1 events in the later part (200 rows) over 4 arms; about 8 are needed, that is a log of some 3,200 rows.
    """
    roles = ColumnRoles(arm or "", reward or "", listed(context), clusters, unlisted, time, propensity, separator)
    log, untried = usable_log(source, roles)
    if not isinstance(history, bool):
        raise ValueError(f"history must be True or False, whether the log gives one, got {type(history).__name__}")
    if not history and split is not None:
        raise ValueError("without history there is nothing to split off: leave split or history=False (--no-history) out")
    share = 0.5 if split is None else split
    _check(share, rounds, draws, runs)
    grade = graded(log, logging=logging)
    even, units = levelled(log)
    parted = _parted(even, grade, share, history)
    setting = Setting(min(int(rounds), parted.future_rows), int(draws), int(runs), int(seed))
    blank = replace(_blank(log, grade, parted, setting), untried=len(untried))
    if blank.refused:
        return _in_units(blank, units)
    if parted.groups is not None and blank.grouping_refused:
        parted = replace(parted, groups=None)
    return _in_units(_judged(blank, even, parted, units, say or (lambda _: None)), units)


def _judged(blank: Evaluation, even: Log, parted: Split, units: Units, say: Say) -> Evaluation:
    """The verdict on a log that is not refused: replays, judges, and what follows from them."""
    grade, setting, seed = blank.grade, blank.setting, blank.setting.seed
    explained = None
    if parted.groups is not None:
        explained = explain(parted.future, parted.groups, np.random.default_rng([seed, 3]), binary=parted.binary)
    course = trust_over_time(even, parted, weigh=grade.letter == "B", seed=seed)
    say("replaying the log (the first time on a machine, compiling takes some seconds)")
    replay, contextual = None, None
    if grade.letter == "A":
        replay = replayed(even, parted, near_uniform=grade.near_uniform, rounds=setting.rounds, seed=seed)
    if even.context and blank.contextual_refused is None:
        contextual = replay_contexts(even, parted, grade, rounds=setting.rounds, seed=seed, say=say)
    say("playing policies in the worlds of two judges")
    worlds = judged(parted, setting, p=explained.p if explained else None, mark=replay.rounds if replay else None)
    found = replace(blank, explained=explained, course=course, replay=replay, contextual=contextual)
    return _answer(found, parted, worlds, units)


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
        history_rows=parted.history_rows,
        arms=log.arms,
        clusters=log.clusters,
        binary=parted.binary,
        scale=parted.scale,
        setting=setting,
        grade=grade,
        method=sentences.method(grade, None, _rows(parted), effective),
        missing=log.missing,
        odd=log_remarks.odd_rewards(log.reward),
        plays=np.bincount(log.arm[parted.history_rows :], minlength=len(log.arms)).astype(np.float64),
        refused=tuple(refusals(parted)),
        grouping_refused=None if parted.groups is None else grouping_refusal(parted.groups),
        drift=drift(parted.future, parted.history, binary=parted.binary) if parted.remembers else None,
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
    """The first round at which cold UCB earns over a tenth of the horizon what HUCB earns in its first tenth.

    Args:
        curves: expected reward of each decision by policy.

    Returns:
        The round in words.
    """
    cold, warm = curves["UCB"], curves["HUCB"]
    window = max(cold.size // 10, 1)
    running = np.convolve(cold, np.full(window, 1.0 / window), mode="valid")
    reached = np.flatnonzero(running >= warm[:window].mean())
    return f"{int(reached[0]):,}" if reached.size else f"at least {cold.size:,}"
