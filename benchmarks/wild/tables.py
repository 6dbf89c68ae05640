"""The tables of the wild league, in Markdown."""

from collections.abc import Iterable, Sequence

import numpy as np

from benchmarks.wild.contestants import BASELINE
from benchmarks.wild.factors import cuts
from benchmarks.wild.scores import Scores
from benchmarks.wild.statistics import BAD, FAR, FLOOR, disasters, floored, geometric_mean, near_best, ratio, ratio_to_best

RIVALS_BY_FACTOR = (f"{BASELINE}Auto", "HUCBC 1/4 estimated sd", "HUCB 1/8 estimated sd", "HLinUCB 0.25", "HLinUCBC 0.25")
"""Whom Auto is compared with at each level of each factor."""


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table.

    Args:
        head: Its columns.
        rows: A text for each column.

    Returns:
        Lines.
    """
    lines = [list(head), ["---"] * len(head), *(list(row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def protagonist(scores: Scores) -> str:
    """Return the policy that the others are compared with.

    Args:
        scores: Of some problems.

    Returns:
        Auto if it has played, else the baseline's Auto, else the first policy.
    """
    return next((name for name in ("Auto", f"{BASELINE}Auto") if name in scores.complete), scores.complete[0])


def overall(scores: Scores) -> str:
    """Return a line for each policy, the lowest ratio to the best first.

    Args:
        scores: Of some problems; policies that do not play all of them have no line, but count for the best.

    Returns:
        A table.
    """
    us = protagonist(scores)
    ratios = {name: ratio_to_best(scores, name) for name in scores.complete}
    rows = []
    for name in sorted(scores.complete, key=lambda name: geometric_mean(ratios[name]).value):
        values = scores.of(name)
        high, highest = np.quantile(ratios[name], (0.9, 0.99))
        rows.append(
            (
                f"**{name}**" if name == us else name,
                f"{values.mean():.3f}",
                f"{geometric_mean(floored(values)).value:.3f}",
                geometric_mean(ratios[name]).text(),
                f"{high:.1f} / {highest:.0f}",
                near_best(scores, name).percent(),
                disasters(scores, name).percent(),
                "1" if name == us else ratio(scores, us, name).text(),
            )
        )
    head = ("policy", "score: mean", "geo. mean", "ratio to best: geo. mean", "90 % / 99 %", "within 1.2 x", "disasters")
    return markdown((*head, f"{us} / it"), rows)


def by_factor(scores: Scores) -> str:
    """Return a line for each level of each factor.

    Args:
        scores: Of problems of one kind.

    Returns:
        A table.
    """
    us = protagonist(scores)
    others = [name for name in RIVALS_BY_FACTOR if name in scores.complete and name != us]
    rows = []
    for factor, level, chosen in cuts(scores.problems):
        cut = scores.where(chosen)
        ratios = ratio_to_best(cut, us)
        best = sorted(cut.complete, key=lambda name: geometric_mean(ratio_to_best(cut, name)).value)[:2]
        rows.append(
            (
                factor,
                level,
                str(len(cut.problems)),
                geometric_mean(ratios).text(),
                f"{np.quantile(ratios, 0.9):.1f}",
                disasters(cut, us).percent(),
                *(_marked(cut, us, other) for other in others),
                ", ".join(f"{name} {geometric_mean(ratio_to_best(cut, name)).value:.2f}" for name in best),
            )
        )
    head = ("factor", "level", "problems", f"{us}: ratio to best", "90 %", "disasters", *(f"{us} / {name}" for name in others))
    return markdown((*head, "two lowest ratios to the best"), rows)


def _marked(scores: Scores, us: str, other: str) -> str:
    """The ratio of two policies; bold where its interval lies above 1."""
    found = ratio(scores, us, other)
    return f"**{found.text()}**" if found.low > 1.0 else found.text()


NOTES = f"""Score: regret over that of uniform random play. {FLOOR:g} is added to every score before ratios.
Ratio to best: to the policy of least regret on that problem, chosen on the same replications.
Disaster: ratio to best above {FAR:g} and score above {BAD:g}. Brackets: 95 % intervals, bootstrap over problems.
"estimated sd", "true sd": the scale of the bonus as a part of the noise's standard deviation."""
