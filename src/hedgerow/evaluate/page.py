"""A verdict as one self-contained page, and as what notebooks show."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..present.numbers import numeral
from ..present.pages import drawing, rendered
from ..present.tables import Table
from . import best_arms, log_remarks, sentences
from .figures import arms_figure, course_figure, curves_figure, gains_figure
from .inspection_sentences import in_words

if TYPE_CHECKING:
    from .inspection import Inspection
    from .verdict import Evaluation

RULING_COLOURS = {"helps": "yes", "hurts": "no", "open": "partly", "no information": "partly"}
"""Classes of the style sheet."""


class Badge(NamedTuple):
    """A ruling in colour.

    Args:
        kind: a class of the style sheet.
        text: the ruling.
    """

    kind: str
    text: str


class Line(NamedTuple):
    """A sentence of the verdict.

    Args:
        text: the sentence.
        warns: whether it warns.
    """

    text: str
    warns: bool


def write(found: "Evaluation", folder: str | Path) -> Path:
    """Write index.html and verdict.json into a folder.

    Args:
        found: the verdict.
        folder: the folder, which is made if it is not there.

    Returns:
        The path of index.html.
    """
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    (path / "verdict.json").write_text(json.dumps(found.to_dict(), indent=2, default=str) + "\n", encoding="utf-8")
    page = path / "index.html"
    page.write_text(rendered("evaluate/verdict_page.html", **_shown(found)), encoding="utf-8")
    return page


def section(found: "Evaluation") -> str:
    """The page without its frame, as notebooks show it.

    Args:
        found: the verdict.

    Returns:
        HTML.
    """
    return rendered("evaluate/verdict.html", **_shown(found))


def inspection_section(found: "Inspection") -> str:
    """An inspection, as notebooks show it.

    Args:
        found: the inspection.

    Returns:
        HTML.
    """
    arms = None if found.means is None else _arms(found, "to_dict() and frame()")
    return rendered("evaluate/inspection.html", source=found.source, lines=in_words(found), arms=arms)


def _shown(found: "Evaluation") -> dict[str, Any]:
    """What the template shows of a verdict."""
    lines = sentences.verdict(found)
    warns = [found.grade.letter == "C", *("refused:" in line.lower() for line in lines[1:])]
    course = found.course
    traced = found.gains and course is not None and (course.share is not None or course.moved is not None)
    return {
        "source": found.source,
        "badges": [badge(part, ruling, found.gains[part].low) for part, ruling in found.rulings.items()],
        "grade": found.grade.letter,
        "lines": [Line(text, warn) for text, warn in zip(lines, warns, strict=True)],
        "gains": _gains(found) if found.gains else None,
        "curves": drawing(curves_figure(found)) if found.gains else None,
        "rounds_saved": found.rounds_saved,
        "course": drawing(course_figure(course, found.scale)) if course is not None and traced else None,
        "arms": None if found.means is None else _arms(found, "verdict.json"),
        "tightness": sentences.tightness(found.explained) if found.explained is not None else "",
        "settings": _settings(found),
        "checks": log_remarks.checks((found.grade.uniform, *found.grade.checks)),
    }


def badge(part: str, ruling: str, least: float) -> Badge:
    """A ruling in colour.

    Args:
        part: what the ruling is on, "history" or "grouping".
        ruling: the ruling.
        least: the lower end of the gain's interval. A grouping that beats shuffled labels, but not the lack of one, is no
            reason to use it.

    Returns:
        Its class and its text.
    """
    if part == "grouping" and ruling == "helps" and least <= 0.0:
        return Badge("partly", "grouping: better than shuffled labels, not shown to beat none")
    return Badge(RULING_COLOURS[ruling], f"{part}: {ruling}")


def _gains(found: "Evaluation") -> dict[str, Any]:
    proven = "a gain counts as proven if its whole interval lies on one side of 0"
    study = "a sensitivity study, so that none counts as proven"
    caption = f"Gains per 1000 decisions; {study if found.grade.letter == 'C' else proven}."
    return {"drawing": drawing(gains_figure(found)), "caption": caption, "table": sentences.gains_table(found)}


def _arms(found: "Evaluation | Inspection", where: str) -> dict[str, Any]:
    assert found.means is not None
    assert found.plays is not None
    table: Table = best_arms.table(found.arms, found.clusters, found.plays, found.means)
    picture = drawing(arms_figure(found.arms, found.clusters, found.means))
    return {"drawing": picture, "table": table, "left_out": best_arms.rest(found.arms, where)}


def _settings(found: "Evaluation") -> str:
    setting = found.setting
    return (
        f"{found.rows:,} rows to judge by, {found.history_rows:,} rows of history, {len(found.arms)} arms. "
        f"Bonus of every policy: {numeral(found.scale, 4)} (standard deviation of the log's rewards) times the paper's. "
        f"{setting.rounds:,} rounds, {setting.draws} worlds of each judge, {setting.runs} runs in each, seed {setting.seed}."
    )
