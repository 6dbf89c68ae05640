"""The factors by which results are cut, and their levels."""

from collections.abc import Callable
from typing import Any, NamedTuple

from benchmarks.wild.problems import Contextual

FEWEST_AT_A_LEVEL = 4
"""Problems that a level needs to be shown."""


class Factor(NamedTuple):
    """What results are cut by.

    Args:
        name: Of the factor.
        level: Of a problem; None if the factor does not concern it.
    """

    name: str
    level: Callable[[Any], str | None]


def _binned(value: Callable[[Any], float | None], ends: tuple[float, ...], names: tuple[str, ...]) -> Callable[[Any], str | None]:
    """The level of a number: its bin, which holds its upper end."""

    def level(problem: Any) -> str | None:
        number = value(problem)
        return None if number is None else names[sum(number > end for end in ends)]

    return level


CLASSICAL_FACTORS = (
    Factor("noise", lambda p: p.noise),
    Factor("shape of the means", lambda p: p.shape),
    Factor("clusters", lambda p: p.quality),
    Factor("cluster sizes", lambda p: p.sizes if p.clusters is not None else None),
    Factor("history", lambda p: p.history),
    Factor("change", lambda p: p.change),
    Factor("K", _binned(lambda p: p.arms, (5, 20, 100, 300), ("2-5", "6-20", "21-100", "101-300", "301-1000"))),
    Factor("T / K", _binned(lambda p: p.rounds / p.arms, (20, 50, 100, 200), ("5-20", "20-50", "50-100", "100-200", "200-1000"))),
    Factor("noise sd / D", _binned(lambda p: p.hardness, (1, 3, 10), ("up to 1", "1-3", "3-10", "over 10"))),
    Factor(
        "best rate, 0/1 rewards",
        _binned(lambda p: p.top if p.binary else None, (0.02, 0.1, 0.3), ("up to 2 %", "2-10 %", "10-30 %", "over 30 %")),
    ),
)
CONTEXTUAL_FACTORS = (
    Factor("link", lambda p: p.coefficients.link),
    Factor("noise", lambda p: p.noise),
    Factor("contexts", lambda p: p.contexts.kind),
    Factor("clusters", lambda p: p.quality),
    Factor("history", lambda p: p.history),
    Factor("last number is 1", lambda p: "yes" if p.contexts.one else "no"),
    Factor("arms have levels", lambda p: "yes" if p.coefficients.levels else "no"),
    Factor("sparse coefficients", lambda p: "yes" if p.coefficients.sparse else "no"),
    Factor("d", _binned(lambda p: p.dimension, (3, 10), ("1-3", "4-10", "11-50"))),
    Factor("K", _binned(lambda p: p.arms, (5, 20, 100), ("2-5", "6-20", "21-100", "101-300"))),
    Factor("T / (K d)", _binned(lambda p: p.rounds / p.arms / p.dimension, (1, 5, 30), ("up to 1", "1-5", "5-30", "over 30"))),
    Factor("unit", _binned(lambda p: p.unit, (0.5, 2), ("up to .5", ".5-2", "over 2"))),
)


def cuts(problems: tuple[Any, ...]) -> list[tuple[str, str, list[bool]]]:
    """Return which problems have which level of which factor.

    Args:
        problems: All of one kind.

    Returns:
        Factor, level, and for each problem whether it has it; without levels of fewer than FEWEST_AT_A_LEVEL problems, or of all.
    """
    found = []
    for factor in CONTEXTUAL_FACTORS if problems and isinstance(problems[0], Contextual) else CLASSICAL_FACTORS:
        levels = [factor.level(problem) for problem in problems]
        for level in _sorted({level for level in levels if level is not None}):
            chosen = [one == level for one in levels]
            if FEWEST_AT_A_LEVEL <= sum(chosen) < len(problems):
                found.append((factor.name, level, chosen))
    return found


def _sorted(levels: set[str]) -> list[str]:
    """Numbers by their beginning, "up to" first and "over" last, then names."""

    def place(level: str) -> tuple[float, str]:
        if level.startswith("up to"):
            return -1.0, ""
        if level.startswith("over"):
            return float("inf"), ""
        digits = level.split("-")[0].split(" ")[0]
        return (float(digits), "") if digits.replace(".", "").isdigit() else (0.0, level)

    return sorted(levels, key=place)
