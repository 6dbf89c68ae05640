"""What a policy has learnt of each arm, as rows, numbers and a table."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..core.noise import arm_noise
from ..core.sums import PLAYS, TOTAL, waiting_at
from ..core.types import Floats, Label
from ..present.frames import label_text
from ..present.numbers import decimals, numeral
from ..present.tables import Table
from .learnt import Learnt

MEAN_DIGITS = 3
"""Digits that a notebook shows of the largest mean."""


class ArmRow(NamedTuple):
    """What has been learnt of an arm.

    Args:
        arm: Its label.
        cluster: That of its cluster, None without.
        plays: Online rounds.
        mean: Mean reward of these, NaN without any.
        error: Standard error of that, NaN with fewer than two.
        history: Plays of the history.
        history_mean: Mean reward of these.
        waiting: Decisions that wait for their reward.
    """

    arm: Label
    cluster: Label | None
    plays: int
    mean: float
    error: float
    history: float
    history_mean: float
    waiting: int


def arm_rows(learnt: Learnt) -> list[ArmRow]:
    """What has been learnt of each arm.

    Args:
        learnt: All that a policy has learnt.

    Returns:
        A row for each arm, in their order.
    """
    arms, arrays, *_ = learnt
    clusters = arms.clusters or [None] * len(arms.labels)
    rows, none = [], np.zeros_like(arrays.history)
    for arm, cluster, leaf in zip(arms.labels, clusters, arms.leaves.tolist(), strict=True):
        plays, mean, deviations = arm_noise(arrays.online, none, leaf, 0.0)
        before, before_mean, _ = arm_noise(none, arrays.history, leaf, 1.0)
        error = math.sqrt(deviations / (plays - 1.0) / plays) if plays > 1.0 else math.nan
        waiting = int(waiting_at(arrays.waiting, leaf))
        means = (mean if plays else math.nan, error, before, before_mean if before else math.nan)
        rows.append(ArmRow(arm, cluster, int(plays), *means, waiting))
    return rows


def plays_of(learnt: Learnt) -> list[tuple[Label, int]]:
    """The online rounds of each arm.

    Args:
        learnt: All that a policy has learnt.

    Returns:
        Each arm with its rounds.
    """
    plays = learnt.arrays.online[learnt.arms.leaves, PLAYS].astype(int).tolist()
    return list(zip(learnt.arms.labels, plays, strict=True))


def arm_metrics(learnt: Learnt) -> dict[str, float]:
    """Numbers about the arms, for a dashboard.

    Args:
        learnt: All that a policy has learnt.

    Returns:
        Numbers by name.
    """
    arms, arrays, *_ = learnt
    plays, rounds = arrays.online[arms.leaves, PLAYS], float(arrays.online[0, PLAYS])
    found: dict[str, float] = {
        "arms": len(plays),
        "played_arms": int(np.count_nonzero(plays)),
        "effective_arms": spread_of(plays),
    }
    found["history_plays"] = float(arrays.history[arms.leaves, PLAYS].sum())
    if rounds > 0.0:
        found["mean_reward"] = float(arrays.online[0, TOTAL]) / rounds
    if arms.clusters is not None:
        found["clusters"] = len(set(arms.clusters))
    return found


def spread_of(plays: Floats) -> float:
    """Over how many arms plays are spread: the exponential of the entropy of their shares.

    Args:
        plays: Of each arm.

    Returns:
        From 1, all on one arm, to the number of arms; 0 without plays.
    """
    shares = plays[plays > 0.0] / plays.sum() if plays.sum() > 0.0 else np.zeros(0)
    return float(np.exp(-(shares * np.log(shares)).sum())) if shares.size else 0.0


def arm_table(rows: Sequence[ArmRow]) -> Table:
    """Arms as a table for a notebook.

    Args:
        rows: What has been learnt of each.

    Returns:
        A table, without columns in which nothing stands.
    """
    means = [mean for row in rows for mean in (row.mean, row.history_mean)]
    after = decimals(means, MEAN_DIGITS)
    cells = {
        "arm": [label_text(row.arm) for row in rows],
        "cluster": ["" if row.cluster is None else label_text(row.cluster) for row in rows],
        "plays": [f"{row.plays:,}" for row in rows],
        "mean reward": ["" if math.isnan(row.mean) else f"{row.mean:,.{after}f}" for row in rows],
        "history": [numeral(row.history) if row.history else "" for row in rows],
        "its mean": ["" if math.isnan(row.history_mean) else f"{row.history_mean:,.{after}f}" for row in rows],
        "waiting": [str(row.waiting) if row.waiting else "" for row in rows],
    }
    kept = {name: column for name, column in cells.items() if name in ("arm", "plays") or any(column)}
    return Table(
        tuple(kept), list(zip(*kept.values(), strict=True)), numbers=[name for name in kept if name not in ("arm", "cluster")]
    )
