"""A verdict as one self-contained page, in the style of the other reports."""

import json
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from ..present.numbers import numeral
from ..present.plots import svg
from . import best_arms, sentences
from .figures import arms_figure, course_figure, curves_figure, gains_figure
from .interval import Gain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .evaluation import Evaluation
    from .inspection import Inspection

BADGES = {"helps": "yes", "hurts": "no", "open": "partly", "no information": "partly"}


def write(found: "Evaluation", folder: str | Path) -> Path:
    """index.html and verdict.json in a folder."""
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    (path / "verdict.json").write_text(json.dumps(found.to_dict(), indent=2, default=str) + "\n", encoding="utf-8")
    page = path / "index.html"
    page.write_text(html(found), encoding="utf-8")
    return page


def html(found: "Evaluation") -> str:
    """The whole page."""
    style = files("hedgerow.experiments.reproduce").joinpath("page.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>hedgerow: verdict on {escape(found.source)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        f"{section(found)}\n</main>\n</body>\n</html>\n"
    )


def section(found: "Evaluation") -> str:
    """The page without its frame, as notebooks show it."""
    parts = [f"<h1>Verdict on {escape(found.source)}</h1>", _sentences(found)]
    if found.gains:
        parts += [_gains(found), _time(found), _course(found)]
    if found.means is not None:
        parts.append(_arms(found))
    return "\n".join([*parts, _settings(found)])


def _sentences(found: "Evaluation") -> str:
    badges = " &middot; ".join(_badge(part, ruling, found.gains[part].low) for part, ruling in found.rulings.items())
    first, *rest = sentences.verdict(found)
    head = _paragraph(f"<b>Grade {found.grade.letter}.</b> {escape(first)}", found.grade.letter == "C")
    return "\n".join([f"<p>{badges}</p>", head, *(_paragraph(escape(line), "refused:" in line.lower()) for line in rest)])


def _badge(part: str, ruling: str, least: float) -> str:
    """A ruling in colour: a grouping that beats shuffled labels, but not the lack of one, is no reason to use it."""
    if part == "grouping" and ruling == "helps" and least <= 0.0:
        return '<span class="badge partly">grouping: better than shuffled labels, not shown to beat none</span>'
    return f'<span class="badge {BADGES[ruling]}">{part}: {ruling}</span>'


def _paragraph(text: str, warn: bool) -> str:
    return f'<p class="warn">{text}</p>' if warn else f"<p>{text}</p>"


def _drawing(figure: "Figure", caption: str) -> str:
    text = escape(caption)
    return (
        f'<figure role="img" aria-label="{text}"><div class="scroll">{svg(figure)}</div><figcaption>{text}</figcaption></figure>'
    )


def _gains(found: "Evaluation") -> str:
    parts = sentences.tables(found)
    rows = "".join(_row(name, [gains.get(name) for _, gains in parts]) for name in found.gains)
    head = f"<tr><th>gain of</th>{''.join(f'<th>{escape(how)}</th>' for how, _ in parts)}</tr>"
    proven = "one counts as proven if its whole interval lies on one side of 0"
    study = "a sensitivity study, so that none counts as proven"
    caption = f"Gains per 1000 decisions; {study if found.grade.letter == 'C' else proven}."
    return (
        f"<h2>Gains</h2>\n{_drawing(gains_figure(found), caption)}\n"
        f'<div class="scroll"><table><thead>{head}</thead><tbody>{rows}</tbody></table></div>'
    )


def _row(name: str, gains: list[Gain | None]) -> str:
    shown = (f"{sentences.number(gain.value)} ({sentences.span(gain)})" if gain else "" for gain in gains)
    return f"<tr><td>{escape(sentences.SHORT[name])}</td>{''.join(f'<td class=n>{cell}</td>' for cell in shown)}</tr>"


def _time(found: "Evaluation") -> str:
    saved = f"<p>Rounds that history saves: {escape(found.rounds_saved)} (no interval).</p>" if found.rounds_saved else ""
    caption = (
        "Expected reward of each decision, the mean over worlds that fit the log, over a window of a fiftieth of the rounds."
    )
    return f"<h2>Over time</h2>\n{_drawing(curves_figure(found), caption)}\n{saved}"


def _course(found: "Evaluation") -> str:
    course = found.course
    if course is None or (course.share is None and course.moved is None):
        return ""
    caption = (
        "The share of the real differences between arms that the groups explain, with its 90 % interval, and how far arms have "
        "moved since the history (a standard deviation; 0: no more than chance), as the later rows come in."
    )
    return f"<h2>Trust over time</h2>\n{_drawing(course_figure(course, found.scale), caption)}"


def _arms(found: "Evaluation") -> str:
    assert found.means is not None
    assert found.plays is not None
    grouped = f"<p>{escape(sentences.tightness(found.explained))}</p>" if found.explained is not None else ""
    caption = "Expected reward of each arm in the later part with its 90 % interval, as the judge sees it; the best group first."
    drawing = _drawing(arms_figure(found.arms, found.clusters, found.means), caption)
    table = _ranking(
        best_arms.best(found.arms, found.clusters, found.plays, found.means), best_arms.rest(found.arms, "verdict.json")
    )
    return f"<h2>Arms by group</h2>\n{drawing}\n{grouped}\n{table}"


def _ranking(best: Sequence[dict[str, str]], left_out: Sequence[str]) -> str:
    """The best arms as a table."""
    head = "".join(f"<th>{escape(name)}</th>" for name in best[0])
    starts = {name: "<td>" if name in best_arms.TEXTS else "<td class=n>" for name in best[0]}
    rows = "".join(f"<tr>{''.join(f'{starts[name]}{escape(cell)}</td>' for name, cell in row.items())}</tr>" for row in best)
    rest = "".join(f"<p>{escape(line)}</p>" for line in left_out)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>\n{rest}'


def _settings(found: "Evaluation") -> str:
    setting = found.setting
    told = (
        f"{found.rows:,} rows to judge by, {found.history_rows:,} rows of history, {len(found.arms)} arms. "
        f"Bonus of every policy: {numeral(found.scale, 4)} (standard deviation of the log's rewards) times the paper's. "
        f"{setting.rounds:,} rounds, {setting.draws} worlds of each judge, {setting.runs} runs in each, seed {setting.seed}."
    )
    checks = _list(sentences.checks((found.grade.uniform, *found.grade.checks)))
    return f'<h2>What it rests on</h2>\n<p class="small">{escape(told)}</p>\n<p>How arms were chosen:</p>\n{checks}'


def _list(lines: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"


def inspection_section(found: "Inspection") -> str:
    """An inspection, as notebooks show it."""
    from .inspection import in_words

    caption = "Estimated expected reward of each arm with its 90 % interval; the best group first."
    lines = "\n".join(f"<p>{escape(line)}</p>" for line in in_words(found))
    if found.means is None:
        return f"<h1>{escape(found.source)}</h1>\n{lines}"
    best = best_arms.best(found.arms, found.clusters, found.plays, found.means)
    table = _ranking(best, best_arms.rest(found.arms, "to_dict() and frame()"))
    return f"<h1>{escape(found.source)}</h1>\n{lines}\n{_drawing(found.plot(), caption)}\n{table}"
