"""The sentences of a verdict, and its table of gains."""

from typing import TYPE_CHECKING

from ..inference.explained import Explained
from ..inference.shift import Drift
from ..inference.significance import p_value
from ..present.numbers import numeral
from ..present.tables import Table
from . import log_remarks
from .gain import Gain

if TYPE_CHECKING:
    from .contextual_replay import Contextual
    from .logging_grade import Grade
    from .replay import Replay
    from .verdict import Evaluation

GAIN_TITLES = {
    "history": "history: warm over cold",
    "grouping": "grouping: grouped over not",
    "labels": "labels: yours over shuffled",
    "log": "log: no groups over the log",
}

SENSITIVITY = "No propensities, and logging was not random: a sensitivity study, not evidence."


def number(value: float) -> str:
    """A gain with its sign.

    Args:
        value: the gain.

    Returns:
        One digit after the point, more if it is small, none if it is large.
    """
    if abs(value) >= 10_000.0:
        return f"{value:+,.0f}"
    return f"{value:+,.1f}" if abs(value) >= 1.0 else f"{'+' if value > 0.0 else ''}{numeral(value, 2)}"


def span(gain: Gain) -> str:
    """The interval of a gain.

    Args:
        gain: the gain.

    Returns:
        Its two ends.
    """
    return f"{number(gain.low)} to {number(gain.high)}"


def _close_call(gain: Gain) -> str:
    """A warning where chance in the simulation decides."""
    return " A close call: another seed may change the verdict." if gain.close else ""


def method(grade: "Grade", replay: "Replay | None", rows: str, effective: float) -> str:
    """The first line of a verdict: what kind of evidence it rests on.

    Args:
        grade: the grade of the evidence.
        replay: the replay of the log, if there was one.
        rows: the rows to judge by, in words.
        effective: effective rows of each arm, the median.

    Returns:
        One sentence.
    """
    if grade.letter == "C":
        return SENSITIVITY
    if grade.letter == "B":
        return f"Method: propensity-weighted arm means ({effective:,.0f} effective rows per arm, median)."
    matched = f"replay of {replay.rounds:,} rounds on {replay.rows:,} rows, and " if replay else ""
    assumed = ", assuming that nothing but the given context influenced the choice of arms" if grade.assumed else ""
    return f"Method: randomised log; {matched}simulation from the {rows}{assumed}."


def grouping(gains: dict[str, Gain], ruling: str, p: float) -> list[str]:
    """The verdict on a grouping.

    Args:
        gains: those named "grouping" and "labels".
        ruling: the ruling on the grouping.
        p: how often random groups differ as much.

    Returns:
        One or two sentences.
    """
    group, labels = gains["grouping"], gains["labels"]
    if ruling == "helps":
        first = f"Your grouping helps: {number(labels.value)} per 1000 decisions over shuffled labels ({span(labels)})."
        return [first + _close_call(labels), _whether_to_use_it(group)]
    if ruling == "hurts":
        worst = labels if labels.high < 0.0 else group
        over = "shuffled labels" if labels.high < 0.0 else "ignoring it"
        return [
            f"A bandit that trusts your grouping loses {number(-worst.value)[1:]} per 1000 decisions against {over} "
            f"({span(worst)}).{_close_call(worst)}"
        ]
    if ruling == "no information":
        most = f"A bandit gains at most {number(labels.high)} per 1000 decisions from them."
        return [f"No sign that your groups differ more than random ones would ({p_value(p)}). {most}"]
    known = f"{span(labels)} per 1000 decisions over shuffled labels"
    differ = f"Groups differ ({p_value(p)}), but whether a bandit gains from them is open: {known}."
    if _equal(group):
        return [f"{differ} You may ignore them: the history alone decides, and policies with and without groups choose alike."]
    return [f"{differ} Four times as many rows would make the interval half as wide.{_close_call(labels)}"]


def _whether_to_use_it(group: Gain) -> str:
    """What to do with a grouping that beats shuffled labels."""
    if group.low > 0.0:
        return f"Use it: {number(group.value)} ({span(group)}) over the best policy without it."
    if group.high < 0.0:
        return f"But do not switch to it: a policy that ignores groups earns {number(-group.value)[1:]} more ({span(group)})."
    if _equal(group):
        return "A policy that ignores groups earns as much: the history alone decides, and both policies choose alike."
    return f"It is not shown to beat ignoring groups: {number(group.value)} ({span(group)})."


def _equal(gain: Gain) -> bool:
    return gain.low == gain.high == 0.0


def _history(gain: Gain, ruling: str, rows: int) -> str:
    """The verdict on a history."""
    by = f"{number(gain.value)} per 1000 decisions ({span(gain)}), from {rows:,} rows"
    words = {"helps": "Your history helps", "hurts": "Your history hurts", "open": "Whether your history helps is open"}
    return f"{words[ruling]}: {by}.{_close_call(gain)}"


def moved(found: Drift) -> str:
    """Whether arms moved between two parts of a log, together or one more than another.

    Args:
        found: the drift.

    Returns:
        One part of a sentence.
    """
    p = p_value(found.p)
    if not found.together:
        return f"the arms moved ({p})" if found.p < 0.05 else f"no drift is visible ({p})"
    others = "some more than others" if found.p < 0.05 else "none visibly more than others"
    return f"all arms together moved by {found.shift:+.3g}, {others} ({p})"


def _drifted(found: "Evaluation") -> str:
    """What is known of the drift between history and future."""
    if found.drift is None:
        return "Drift between the two parts cannot be tested: too few arms have rows in both."
    factor = found.drift_factor
    what = "the odds" if found.binary else "the mean"
    off = f"{what} of an arm in the earlier part to be off by {factor}, up or down"
    told = f"From the earlier part to the later, {moved(found.drift)}."
    if found.drift.together:
        return f"{told} The judges take that out, and allow {off}."
    alone = ""
    if found.drift.p < 0.05 and found.rulings.get("history") != "hurts":
        alone = " That alone is no reason to drop history."
    return f"{told} The judges allow {off}.{alone}"


def explained(found: Explained) -> str:
    """What a grouping explains.

    Args:
        found: the share, with its interval.

    Returns:
        One sentence.
    """
    return (
        f"Your groups explain {found.share:.0%} ({found.low:.0%} to {found.high:.0%}) of the real differences between arms; "
        f"random groups of these sizes would explain 0% ({p_value(found.p)})."
    )


def tightness(found: Explained) -> str:
    """The theorem's condition, and the trap of the grouped policy.

    Args:
        found: their probabilities.

    Returns:
        One sentence.
    """
    return (
        f"Probability that the best arm's group stands wholly above all other arms: {found.tight:.0%}; "
        f"that the best arm is in the group with the best mean: {found.best_in_best:.0%}."
    )


def disagreement(replayed: dict[str, Gain], simulated: dict[str, Gain]) -> str | None:
    """A warning where replay and simulation differ by more than 2.6 joint standard errors.

    Args:
        replayed: gains by replay.
        simulated: gains by simulation.

    Returns:
        The warning, None if they agree.
    """
    for name, gain in replayed.items():
        other = simulated[name]
        if abs(gain.value - other.value) > 2.6 * (gain.error**2 + other.error**2) ** 0.5:
            return "Replay and simulation disagree: rewards depend on context or time. Trust replay."
    return None


def gains_table(found: "Evaluation") -> Table:
    """All gains of a verdict, a column for each method that found them.

    Args:
        found: the verdict.

    Returns:
        The table.
    """
    parts = {f"simulation, {found.setting.rounds:,} rounds": found.gains}
    if found.replay is not None:
        if found.replay.rounds < found.setting.rounds:
            parts[f"simulation, {found.replay.rounds:,} rounds"] = found.marked
        parts[f"replay, {found.replay.rounds:,} rounds"] = found.replay.gains
    if found.contextual is not None:
        parts[f"replay with contexts, {found.contextual.rounds:,} rounds"] = found.contextual.gains
    rows = [[GAIN_TITLES[name], *(_cell(gains.get(name)) for gains in parts.values())] for name in found.gains]
    return Table(["gain of", *parts], rows)


def _cell(gain: Gain | None) -> str:
    return f"{number(gain.value)} ({span(gain)})" if gain else ""


def _contextual(found: "Contextual") -> str:
    """What replaying policies with contexts says; it is all that can be said of them."""
    told = ", ".join(f"{name} {_cell(gain)}" for name, gain in found.gains.items())
    return f"With contexts ({found.dimension} numbers), replayed for {found.rounds:,} rounds on {found.rows:,} rows: {told}."


def _opening(found: "Evaluation") -> list[str]:
    """What the verdict rests on, and what was left out."""
    odd = [found.odd] if found.odd else []
    groups = "" if found.clusters is None else f" in {len(set(found.clusters))} groups"
    held = f"{found.method} {len(found.arms)} arms{groups}."
    remarks = [*log_remarks.contradicted(found.grade), *log_remarks.left_out(found.missing), *log_remarks.untried(found.untried)]
    return [held, *remarks, *odd]


def verdict(found: "Evaluation") -> list[str]:
    """The whole verdict.

    Args:
        found: what was found.

    Returns:
        A sentence or two a line.
    """
    lines = _opening(found)
    if found.refused:
        return [*lines, *(f"Refused: {reason}" for reason in found.refused)]
    lines += log_remarks.few_decisions(found.setting.rounds, len(found.arms), found.rows)
    would = found.grade.letter == "C"
    if "history" in found.gains:
        gain = found.gains["history"]
        lines.append(_would_be("History", gain) if would else _history(gain, found.rulings["history"], found.history_rows))
        lines.append(_drifted(found))
    if found.grouping_refused:
        lines.append(f"Grouping refused: {found.grouping_refused}")
    if "labels" in found.gains and found.explained is not None:
        lines.append(explained(found.explained))
        lines += _grouping_lines(found, would)
    lines.append(f"A bandit that ignores groups, over what your log earned: {_over_the_log(found.gains['log'])}.")
    if found.replay is not None and (warning := disagreement(found.replay.gains, found.marked)):
        lines.append(warning)
    if found.contextual_refused:
        lines.append(f"Contexts refused: {found.contextual_refused}.")
    return lines + ([_contextual(found.contextual)] if found.contextual else [])


def _over_the_log(gain: Gain) -> str:
    return f"{number(gain.value)} per 1000 decisions ({span(gain)})"


def _grouping_lines(found: "Evaluation", would: bool) -> list[str]:
    if would:
        return [_would_be("Labels", found.gains["labels"]), _would_be("Grouping", found.gains["grouping"])]
    assert found.explained is not None
    return grouping(found.gains, found.rulings["grouping"], found.explained.p)


def _would_be(what: str, gain: Gain) -> str:
    return f"{what} would be worth {number(gain.value)} per 1000 decisions ({span(gain)}), if arms had been chosen at random."
