"""What a log holds, in sentences."""

from typing import TYPE_CHECKING

import numpy as np

from ..core.labels import shown
from ..present.numbers import numeral
from . import log_remarks, sentences
from .logging_grade import Grade

if TYPE_CHECKING:
    from .changed_arms import Changed
    from .inspection import Bounds, Inspection


def in_words(found: "Inspection") -> list[str]:
    """The inspection in words.

    Args:
        found: the inspection.

    Returns:
        A sentence or two a line.
    """
    low, mean, high = found.reward
    plays = found.plays
    groups = f" in {len(set(found.clusters))} groups" if found.clusters else ""
    noise = "" if found.noise is None else f", noise {numeral(found.noise)} (standard deviation within an arm)"
    lines = [
        f"{found.source}: {found.rows:,} rows, {len(found.arms)} arms{groups}.",
        f"Plays per arm: {plays.min():,.0f} to {plays.max():,.0f}, median {np.median(plays):,.0f}.",
        f"Rewards: {numeral(low, 6)} to {numeral(high, 6)}, mean {numeral(mean, 4)}{noise}.",
    ]
    lines += [*log_remarks.left_out(found.missing), *log_remarks.untried(len(found.never_tried))]
    lines += [found.odd] if found.odd else []
    lines.append("How arms were chosen: " + "; ".join(log_remarks.checks((found.grade.uniform, *found.grade.checks))) + ".")
    lines.append(_evidence(found.grade))
    lines += log_remarks.contradicted(found.grade)
    if found.drift is not None:
        lines.append(f"First half against second: {sentences.moved(found.drift)}.")
    if found.changed is not None:
        lines.append(_change_sentence(found.changed, found.rows))
    return lines + _grouping_sentences(found)


def _change_sentence(found: "Changed", rows: int) -> str:
    """What changed, when, and what to do about it."""
    who = f"of {shown(found.arms)}" if found.arms else "of a group as a whole"
    many = "" if found.changes == 1 else f", the newest of {found.changes} changes"
    return (
        f"Rewards {who} changed at about row {found.row:,} of {rows:,}{many}: let the policy forget, with "
        f'half_life="auto" or half_life={found.half_life} (decisions).'
    )


def _evidence(grade: Grade) -> str:
    if grade.letter == "A" and not grade.assumed:
        return "Evidence: grade A, arms were chosen at random."
    blind = grade.letter == "A" and len(grade.checks) == 1  # time alone
    if grade.unchecked:
        return "Evidence: grade B, propensities are given, but rows are too few to check them."
    return EVIDENCE_BY_GRADE[grade.letter] + (" No context is given, so nobody can tell whether one decided." if blind else "")


EVIDENCE_BY_GRADE = {
    "A": "Evidence: grade A, arms look chosen at random, as far as the log can show.",
    "B": "Evidence: grade B, propensities are given and fit the log.",
    "C": "Evidence: grade C, arms were not chosen at random and there are no propensities: estimates may be biased.",
}


def _grouping_sentences(found: "Inspection") -> list[str]:
    lines = [f"Single arms: {found.means_refused}"] if found.means_refused else []
    lines += [f"Grouping: {found.grouping_refused}"] if found.grouping_refused not in (None, found.means_refused) else []
    if found.explained is not None:
        lines += [sentences.explained(found.explained), sentences.tightness(found.explained)]
        lines.append(
            f"Spread of the arms' mean rewards: {numeral(found.explained.between)} between groups, "
            f"{numeral(found.explained.within)} within groups (standard deviations)."
        )
    if found.bounds is not None and found.bounds.telling:
        lines.append(_bound_sentence(found.bounds, grouped=found.clusters is not None))
    return lines


def _bound_sentence(found: "Bounds", *, grouped: bool) -> str:
    """The theorems' bounds, beside the largest regret."""
    told = f"Bound on the regret of {found.horizon:,} rounds at the estimated means: HUCB {found.hucb:,.0f}"
    if grouped:
        told += ", HUCBC has none, since its groups overlap" if found.hucbc is None else f", HUCBC {found.hucbc:,.0f}"
    return f"{told}. The largest possible regret is {found.most:,.0f}."
