"""Replay of policies with contexts (Li et al. 2011).

Logged rows are offered in random order; one counts, and is learnt from, where the policy's arm is the logged one.
That is valid, and wasteful, for arms chosen about evenly: one row in K matches. Other logs are thinned first: a row stays with
probability p_min / p, p its propensity, and among those that stay every arm is as likely as any other, whatever the context.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..core.types import Floats, Integers
from ..data.encoding import Encoding
from ..inference.intervals import bootstrapped
from .gain import Gain
from .logging_grade import Grade
from .matched_rows import Contest, Rows
from .rulings import roughly
from .settings import REPLAY
from .split import Split

if TYPE_CHECKING:
    from ..data.log import Log


@dataclass(frozen=True)
class Contextual:
    """What policies with contexts gain on logged rows.

    Args:
        rounds: Rounds that were played.
        rows: Logged rows that were offered.
        dimension: Numbers in a context.
        gains: By name, per 1000 decisions.
    """

    rounds: int
    rows: int
    dimension: int
    gains: dict[str, Gain]


def with_numbers(log: "Log") -> Floats:
    """Contexts as numbers: 1, scaled numbers, and a column for each category but the first.

    Args:
        log: With contexts.

    Returns:
        A row for each row of the log.
    """
    encoding = Encoding.of(log.context, scale=True)
    base = {column.names[0] for column in encoding.columns if column.levels is not None}
    kept = [at for at, name in enumerate(encoding.names) if name not in base]
    return np.column_stack([np.ones(log.arm.size), encoding.matrix(log.context)[:, kept]])


def offered(log: "Log", split: Split, grade: Grade, seed: int) -> Integers:
    """The later rows, thinned to an even choice of arms if it was not even.

    Args:
        log: The log.
        split: The same as sums.
        grade: How its arms were chosen.
        seed: Of the thinning.

    Returns:
        Which rows stay.
    """
    later = np.arange(log.arm.size - split.future_rows, log.arm.size)
    if grade.letter == "A" and grade.near_uniform:
        return later
    chance = split.shares[log.arm] if log.propensity is None else log.propensity
    stays = chance[later].min() / chance[later]
    return np.asarray(later[np.random.default_rng([seed, 7]).random(later.size) < stays])


def horizon(rows: int, arms: int, rounds: int) -> int:
    """Rounds that a replay with contexts can have.

    Args:
        rows: That are offered.
        arms: How many there are.
        rounds: How many to play, at most.

    Returns:
        A number of rounds.
    """
    return min(int(REPLAY.share * min(rows, REPLAY.most_offered) / arms), rounds)


def context_refusal(log: "Log", split: Split, grade: Grade, rounds: int, seed: int) -> str | None:
    """Why policies with contexts cannot be replayed.

    Args:
        log: The log.
        split: The same as sums.
        grade: How its arms were chosen.
        rounds: That are wanted.
        seed: Of the thinning.

    Returns:
        A sentence; None if they can be, or if there are no contexts.
    """
    if not log.context:
        return None
    if grade.letter == "C":
        return "policies with contexts can be replayed only where arms were chosen at random or with known propensities"
    rows, arms = offered(log, split, grade, seed).size, split.arms
    if rows < split.future_rows and rows // arms < REPLAY.matched * arms:
        return (
            f"thinned to an even choice of arms, {split.future_rows:,} rows become {rows:,}, of which some {rows // arms:,} "
            f"would match what a policy chooses; it takes {REPLAY.matched * arms:,}, that is some "
            f"{roughly(split.future_rows * REPLAY.matched * arms * arms / max(rows, 1)):,} rows like these"
        )
    if (length := horizon(rows, arms, rounds)) < arms:
        return f"{rows:,} rows make a replay with contexts of {length} rounds; it needs as many as arms, {arms}"
    if (width := with_numbers(log).shape[1]) > REPLAY.widest:
        most = REPLAY.widest
        return (
            f"these contexts are {width} numbers, too many to be learnt from in a replay; choose fewer columns ({most} numbers)"
        )
    return None


def replay_contexts(log: "Log", split: Split, grade: Grade, *, rounds: int, seed: int, say: Callable[[str], None]) -> Contextual:
    """The gains of contextual policies, where ``context_refusal`` has nothing to say.

    Args:
        log: The log, with rewards as they are judged.
        split: The same as sums.
        grade: How its arms were chosen.
        rounds: How many to play, at most.
        seed: Of all luck.
        say: Called with a word about each step.

    Returns:
        The gains.
    """
    numbers, later = with_numbers(log), offered(log, split, grade, seed)
    count, length = later.size, horizon(later.size, split.arms, rounds)
    earlier = np.arange(log.arm.size - split.future_rows)
    known, rows = (Rows(log.arm[part], log.reward[part], numbers[part]) for part in (earlier, later))
    contest, rng = Contest(known, split), np.random.default_rng([seed, 5])
    orders = contest.gains(rows, np.arange(count), length, REPLAY.orders, rng)
    bootstraps = []
    for turn in range(REPLAY.bootstraps):
        if turn % 10 == 0:
            say(f"replaying with contexts: {turn} of {REPLAY.bootstraps} bootstraps")
        bootstraps.append(contest.gains(rows, rng.integers(0, count, size=count), length, REPLAY.repeats, rng))
    gains = {name: Gain(*bootstrapped(d, np.stack([b[name] for b in bootstraps]))) for name, d in orders.items()}
    return Contextual(length, count, numbers.shape[1], gains)
