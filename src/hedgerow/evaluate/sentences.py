"""Numbers as sentences: one place for every word of a verdict."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..core.types import Floats
from ..inference.explained import Explained
from ..inference.shift import Drift
from ..inference.tests import p_value
from ..present.numbers import numeral
from .interval import Gain

if TYPE_CHECKING:
    from .contextual_replay import Contextual
    from .evaluation import Evaluation
    from .logging_grade import Check, Grade
    from .replay import Replay

NAMES = {
    "history": "starting from history, over starting cold",
    "grouping": "the grouped policy, over the one that ignores groups",
    "labels": "your labels, over the same groups with shuffled labels",
    "log": "the policy without groups, over what the log did",
}
SHORT = {
    "history": "history: warm over cold",
    "grouping": "grouping: grouped over not",
    "labels": "labels: yours over shuffled",
    "log": "log: no groups over the log",
}
FEW = 0.01
"""A smaller share of the rewards than this is looked at as a possible mistake."""

HEAVY = 0.3
"""Share of what rewards differ by that is much for a hundredth of the rows."""

SENSITIVITY = "No propensities, and logging was not random: a sensitivity study, not evidence."


def number(value: float) -> str:
    """A gain with its sign and one digit after the point, more if it is small, none if it is large."""
    if abs(value) >= 10_000.0:
        return f"{value:+,.0f}"
    return f"{value:+,.1f}" if abs(value) >= 1.0 else f"{'+' if value > 0.0 else ''}{numeral(value, 2)}"


def span(gain: Gain) -> str:
    """The interval of a gain."""
    return f"{number(gain.low)} to {number(gain.high)}"


def close_call(gain: Gain) -> str:
    """A warning where chance in the simulation decides."""
    return " A close call: another seed may tip it." if gain.close else ""


def counted(rows: int) -> str:
    """So many rows."""
    return f"{rows:,} row{'' if rows == 1 else 's'}"


def left_out(missing: dict[str, int]) -> list[str]:
    """Rows that could not be used, if there are any."""
    return [f"Left out: {', '.join(f'{counted(rows)} with {why}' for why, rows in missing.items())}."] if missing else []


def odd_rewards(reward: Floats) -> str:
    """A warning of a few rewards beside 0 and 1, which may be mistakes and change how all are judged, or of a few that make up
    much of all; empty if there are none."""
    odd = reward[(reward != 0.0) & (reward != 1.0)]
    if not 0 < odd.size <= FEW * reward.size:
        return heavy_rewards(reward) if odd.size else ""
    which = (
        f"{odd.size:,} others, such as {numeral(float(odd[0]))}, are" if odd.size > 1 else f"one, {numeral(float(odd[0]))}, is"
    )
    return f"Nearly all rewards are 0 or 1; {which} not: look whether that is a mistake, for it changes how all are judged."


def heavy_rewards(reward: Floats) -> str:
    """A warning where a hundredth of the rows holds much of what rewards differ by."""
    apart = np.sort(np.abs(reward - np.median(reward)))
    few = int(FEW * apart.size)
    share = float(apart[apart.size - few :].sum() / max(apart.sum(), 1e-300))
    if share < HEAVY:
        return ""
    return (
        f"One row in a hundred makes up {share:.0%} of all that rewards differ by: intervals take the noise to be normal, and "
        "hold the truth more seldom than they say. A cap on the largest rewards would help."
    )


def contradicted(grade: "Grade") -> list[str]:
    """A warning where arms are said to be chosen at random, and the log does not look so."""
    bad = [check for check in grade.checks if not check.passed]
    if grade.letter != "A" or grade.assumed or not bad:
        return []
    told = "; ".join(checks(bad))
    return [f"Arms are said to be chosen at random, but the log does not look so ({told}): if they were not, all this is biased."]


def untried(arms: int) -> list[str]:
    """Arms without a row, if there are any."""
    if not arms:
        return []
    told = "1 arm has no row, and only the clusters name it" if arms == 1 else ""
    return [f"{told or f'{arms} arms have no row, and only the clusters name them'}: left out."]


def method(grade: "Grade", replay: "Replay | None", rows: str, effective: float) -> str:
    """The first line of a verdict: what kind of evidence it rests on."""
    if grade.letter == "C":
        return SENSITIVITY
    if grade.letter == "B":
        return f"Method: propensity-weighted arm means ({effective:,.0f} effective rows per arm, median)."
    matched = f"replay of {replay.rounds:,} rounds on {replay.rows:,} rows, and " if replay else ""
    assumed = " assuming arms were not chosen by something that was not given as context" if grade.assumed else ""
    return f"Method: randomised log; {matched}simulation from the {rows}{',' if assumed else ''}{assumed}."


def grouping(gains: dict[str, Gain], ruling: str, p: float) -> list[str]:
    """The verdict on a grouping."""
    group, labels = gains["grouping"], gains["labels"]
    if ruling == "helps":
        first = f"Your grouping helps: {number(labels.value)} per 1000 decisions over shuffled labels ({span(labels)})."
        first += close_call(labels)
        if group.low > 0.0:
            return [first, f"Use it: {number(group.value)} ({span(group)}) over the best policy without it."]
        if group.high < 0.0:
            return [
                first,
                f"But do not switch to it: a policy that ignores groups earns {number(-group.value)[1:]} more ({span(group)}).",
            ]
        if group.low == group.high == 0.0:
            return [first, "Ignoring groups does as well: the history alone decides, and both policies choose alike."]
        return [first, f"It is not shown to beat ignoring groups: {number(group.value)} ({span(group)})."]
    if ruling == "hurts":
        worst = labels if labels.high < 0.0 else group
        over = "shuffled labels" if labels.high < 0.0 else "ignoring it"
        return [
            f"A bandit that trusts your grouping loses {number(-worst.value)[1:]} per 1000 decisions against {over} "
            f"({span(worst)}).{close_call(worst)}"
        ]
    if ruling == "no information":
        most = f"at most {number(labels.high)} per 1000 decisions"
        return [f"No sign that your groups differ more than random ones would ({p_value(p)}); {most}."]
    known = f"{span(labels)} per 1000 decisions over shuffled labels"
    differ = f"Groups differ ({p_value(p)}), but whether a bandit gains is open: {known}."
    if group.low == group.high == 0.0:
        return [f"{differ} You may ignore them: the history alone decides, and policies with and without groups choose alike."]
    return [f"{differ} About x4 rows would halve this.{close_call(labels)}"]


def history(gain: Gain, ruling: str, rows: int) -> str:
    """The verdict on a history."""
    by = f"{number(gain.value)} per 1000 decisions ({span(gain)}), from {rows:,} rows"
    words = {"helps": "Your history helps", "hurts": "Your history hurts", "open": "Whether your history helps is open"}
    return f"{words[ruling]}: {by}.{close_call(gain)}"


def moved(found: Drift) -> str:
    """Whether arms moved between two parts of a log, together or one more than another."""
    p = p_value(found.p)
    if not found.together:
        return f"the arms moved ({p})" if found.p < 0.05 else f"no drift is visible ({p})"
    others = "some more than others" if found.p < 0.05 else "none visibly more than others"
    return f"all arms together moved by {found.shift:+.3g}, {others} ({p})"


def drifted(found: "Evaluation") -> str:
    """What is known of the drift between history and future."""
    if found.drift is None:
        return "Drift between the two parts cannot be tested: too few arms have rows in both."
    factor = found.drift_factor
    what = "odds in the earlier part are" if found.binary else "mean in the earlier part is"
    off = f"an arm's {what} off by {factor} either way"
    told = moved(found.drift)
    if found.drift.together:
        return f"From the earlier part to the later {told}. The judges take that out; beside it {off}."
    if found.drift.p < 0.05:
        alone = "" if found.rulings.get("history") == "hurts" else " That alone is no reason to drop history."
        return f"From the earlier part to the later {told}: {off}.{alone}"
    return f"From the earlier part to the later {told}; the judges allow for one in which {off}."


def explained(found: Explained) -> str:
    """What a grouping explains."""
    return (
        f"Your groups explain {found.share:.0%} ({found.low:.0%} to {found.high:.0%}) of the real differences between arms; "
        f"random groups of these sizes would explain 0% ({p_value(found.p)})."
    )


def tightness(found: Explained) -> str:
    """The theorem's condition, and the trap of the grouped policy."""
    return (
        f"The best arm's group lies wholly above all other arms with probability {found.tight:.0%}; "
        f"the best arm is in the group with the best mean with probability {found.best_in_best:.0%}."
    )


def disagreement(replayed: dict[str, Gain], simulated: dict[str, Gain]) -> str | None:
    """Replay and simulation must agree within 2.6 joint standard errors."""
    for name, gain in replayed.items():
        other = simulated[name]
        if abs(gain.value - other.value) > 2.6 * (gain.error**2 + other.error**2) ** 0.5:
            return "Replay and simulation disagree; rewards depend on context or time. Trust replay."
    return None


def tables(found: "Evaluation") -> list[tuple[str, dict[str, Gain]]]:
    """All gains of a verdict, by the method that found them."""
    parts = [(f"simulation, {found.setting.rounds:,} rounds", found.gains)] if found.gains else []
    if found.replay is not None:
        if found.replay.rounds < found.setting.rounds:
            parts.append((f"simulation, {found.replay.rounds:,} rounds", found.marked))
        parts.append((f"replay, {found.replay.rounds:,} rounds", found.replay.gains))
    if found.contextual is not None:
        parts.append((f"replay with contexts, {found.contextual.rounds:,} rounds", found.contextual.gains))
    return parts


def contextual(found: "Contextual") -> str:
    """What replaying policies with contexts says; it is all that can be said of them."""
    told = ", ".join(f"{name} {number(gain.value)} ({span(gain)})" for name, gain in found.gains.items())
    return f"With contexts ({found.dimension} numbers), replayed for {found.rounds:,} rounds on {found.rows:,} rows: {told}."


def checks(found: Iterable["Check"]) -> list[str]:
    """How arms were chosen; uneven choices do no harm by themselves, choices by context or time do."""
    bad = {"CV": "uneven", "V": "not at random"}
    told = ((check, "fine" if check.passed else bad[check.measure]) for check in found)
    return [f"{check.what}: {check.measure} = {check.size:.3f} ({p_value(check.p)}), {word}" for check, word in told]


def opening(found: "Evaluation") -> list[str]:
    """What the verdict rests on, and what was left out."""
    odd = [found.odd] if found.odd else []
    groups = "" if found.clusters is None else f" in {len(set(found.clusters))} groups"
    held = f"{found.method} {len(found.arms)} arms{groups}."
    return [held, *contradicted(found.grade), *left_out(found.missing), *untried(found.untried), *odd]


def verdict(found: "Evaluation") -> list[str]:
    """The whole verdict, a sentence or two a line."""
    if found.refused:
        return [
            *opening(found),
            *(f"Refused: {reason}" for reason in found.refused),
        ]
    lines = opening(found)
    would = found.grade.letter == "C"
    if "history" in found.gains:
        gain = found.gains["history"]
        lines.append(_would_be("History", gain) if would else history(gain, found.rulings["history"], found.history_rows))
        lines.append(drifted(found))
    if found.grouping_refused:
        lines.append(f"Grouping refused: {found.grouping_refused}")
    if "labels" in found.gains and found.explained is not None:
        lines.append(explained(found.explained))
        lines += _grouping_lines(found, would)
    lines.append(f"{NAMES['log'].capitalize()}: {number(found.gains['log'].value)} ({span(found.gains['log'])}).")
    if found.replay is not None and (warning := disagreement(found.replay.gains, found.marked)):
        lines.append(warning)
    if found.contextual_refused:
        lines.append(f"Contexts refused: {found.contextual_refused}.")
    return lines + ([contextual(found.contextual)] if found.contextual else [])


def _grouping_lines(found: "Evaluation", would: bool) -> list[str]:
    if would:
        return [_would_be("Labels", found.gains["labels"]), _would_be("Grouping", found.gains["grouping"])]
    assert found.explained is not None
    return grouping(found.gains, found.rulings["grouping"], found.explained.p)


def _would_be(what: str, gain: Gain) -> str:
    return f"{what} would be worth {number(gain.value)} per 1000 decisions ({span(gain)}), if arms had been chosen at random."
