"""What Auto is asked to show: its figures, those of the baseline, and the goals."""

from collections.abc import Callable
from typing import NamedTuple

from benchmarks.wild.contestants import BASELINE, NO_CLUSTERS, NO_HISTORY, WITHOUT_SETTINGS
from benchmarks.wild.scores import Scores
from benchmarks.wild.statistics import Estimate, disasters, estimate, geometric_mean, near_best, ratio, ratio_to_best
from benchmarks.wild.tables import markdown

INFORMATIVE = ("perfect", "noisy", "wrong")
"""Qualities of clusters that say something about the arms."""


class Goal(NamedTuple):
    """One figure and what it is to be.

    Args:
        what: It measures.
        measure: It, from scores and the name of a policy.
        bound: What it is to keep to.
        at_least: Whether the bound is the lower one.
        share: Whether it is a share, shown in percent.
        compared: Whether the baseline has the figure, too.
    """

    what: str
    measure: Callable[[Scores, str], Estimate | None]
    bound: float
    at_least: bool = False
    share: bool = False
    compared: bool = True


def _against(other: str) -> Callable[[Scores, str], Estimate | None]:
    return lambda scores, us: ratio(scores, us, other) if other in scores.complete else None


def _without(what: str, quality: Callable[[object], bool]) -> Callable[[Scores, str], Estimate | None]:
    """A policy against itself without what it is told, on some problems."""

    def measure(scores: Scores, us: str) -> Estimate | None:
        if us + what not in scores.complete:
            return None
        concerned = scores.where([quality(problem) for problem in scores.problems])
        return ratio(concerned, us, us + what) if concerned.problems else None

    return measure


def _nearness(scores: Scores, us: str) -> Estimate:
    return geometric_mean(ratio_to_best(scores, us))


STATIONARY_GOALS = (
    Goal("regret against the baseline's Auto, geometric mean", _against(f"{BASELINE}Auto"), 0.85, compared=False),
    Goal("share of random play's regret, mean", lambda scores, us: estimate(scores.of(us)), 0.38),
    Goal("ratio to the best of all policies, geometric mean", _nearness, 1.85),
    Goal("within 1.2 times the best", near_best, 0.35, at_least=True, share=True),
    Goal("disasters", disasters, 0.08, share=True),
    Goal("against HUCBC at 1/4 of an estimated noise, geometric mean", _against("HUCBC 1/4 estimated sd"), 1.0),
    Goal("against HUCB at 1/8 of an estimated noise, geometric mean", _against("HUCB 1/8 estimated sd"), 1.0),
    Goal("useless clusters (shuffled) against none", _without(NO_CLUSTERS, lambda p: p.quality == "shuffled"), 1.03),
    Goal("informative clusters against none", _without(NO_CLUSTERS, lambda p: p.quality in INFORMATIVE), 0.85),
    Goal("honest history against ignoring it", _without(NO_HISTORY, lambda p: p.history == "honest"), 0.58),
    Goal("swapped history against ignoring it", _without(NO_HISTORY, lambda p: p.history == "swapped"), 1.1),
)
"""On stationary problems without contexts."""

CONTEXTUAL_GOALS = (
    Goal("ratio to the best of all policies, geometric mean", _nearness, 1.15),
    Goal("disasters", disasters, 0.02, share=True),
)
"""On problems with contexts."""


def goals(scores: Scores, wanted: tuple[Goal, ...]) -> str:
    """Return a line for each goal.

    Args:
        scores: Of the problems that it is about.
        wanted: The goals.

    Returns:
        A table.
    """
    rows = []
    for goal in wanted:
        today = goal.measure(scores, f"{BASELINE}Auto") if goal.compared and f"{BASELINE}Auto" in scores.complete else None
        now = goal.measure(scores, "Auto") if "Auto" in scores.complete else None
        sign, bound = ">=" if goal.at_least else "<=", f"{100 * goal.bound:.0f} %" if goal.share else f"{goal.bound:g}"
        rows.append((goal.what, _shown(goal, today), _shown(goal, now), f"{sign} {bound}", _met(goal, now)))
    table = markdown(("what", f"{BASELINE}Auto", "Auto", "goal", "met"), rows)
    return f"{table}\n\nMet: by the figure itself, wherever its interval lies."


def fewest_disasters(scores: Scores) -> str:
    """Return which policy without settings has the fewest disasters, Auto beside it.

    Args:
        scores: Of stationary problems without contexts.

    Returns:
        A sentence.
    """
    known = [name for name in WITHOUT_SETTINGS if name in scores.complete]
    shares = sorted((disasters(scores, name).value, name) for name in known)
    return "Disasters of policies without settings: " + ", ".join(f"{name} {100 * share:.1f} %" for share, name in shares) + "."


def _shown(goal: Goal, found: Estimate | None) -> str:
    if found is None:
        return ""
    return found.percent() if goal.share else found.text()


def _met(goal: Goal, found: Estimate | None) -> str:
    if found is None:
        return ""
    return "yes" if (found.value >= goal.bound if goal.at_least else found.value <= goal.bound) else "no"
