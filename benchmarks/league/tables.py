"""The league on paper: a file of standings that grows run by run, and its tables."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.league.standings import Standing
from hedgerow import __version__

RESULTS = "league.json"
MARKS = ("<!-- league: begin -->", "<!-- league: end -->")

Tables = dict[tuple[str, int, int], list[Standing]]
"""Standings by setting, number of trials and seed."""


def put(tables: Tables, rows: list[Standing]) -> None:
    """Add the standings of a setting, unless there are such of more policies in the same trials."""
    key = rows[0].setting, rows[0].trials, rows[0].seed
    if len(rows) >= len(tables.get(key, [])):
        tables[key] = rows


def load(folder: Path) -> Tables:
    """What earlier runs left in the folder."""
    path = folder / RESULTS
    tables: Tables = {}
    if not path.exists():
        return tables
    try:
        rows = json.loads(path.read_text())["standings"]
        standings = [Standing(**{**row, "error": math.nan if row["error"] is None else row["error"]}) for row in rows]
    except (ValueError, TypeError, KeyError):
        raise ValueError(f"{path} was not written by this version of the league; move it away, or name another --out") from None
    for standing in standings:
        tables.setdefault((standing.setting, standing.trials, standing.seed), []).append(standing)
    return tables


def save(folder: Path, tables: Tables) -> None:
    """Write all standings."""
    rows = [asdict(row) for table in tables.values() for row in table]
    rows = [{**row, "error": None if math.isnan(row["error"]) else row["error"]} for row in rows]  # of a single trial
    content = {"version": __version__, "standings": rows}
    unfinished = folder / f"{RESULTS}.part"
    unfinished.write_text(json.dumps(content, indent=1) + "\n")
    unfinished.replace(folder / RESULTS)


def check_page(path: str) -> None:
    """Refuse a page without the marks between which the league is written."""
    text = Path(path).read_text() if Path(path).is_file() else ""
    if any(mark not in text for mark in MARKS):
        raise ValueError(f"{path} must hold the lines {MARKS[0]} and {MARKS[1]}, between which the league is written")


def write_page(path: str, text: str) -> None:
    """Put the league between the marks of a page."""
    before, rest = Path(path).read_text().split(MARKS[0])
    Path(path).write_text(f"{before}{MARKS[0]}\n\n{text}\n{MARKS[1]}{rest.split(MARKS[1])[1]}")


def markdown(tables: Tables, older: Tables | None = None) -> str:
    """Auto beside the best in hindsight in every setting, then all policies where all play.

    ``older``: standings of an older hedgerow in the same trials, whose Auto is put beside this one's.
    """
    lines = [f"hedgerow {__version__}; regret over the trials named, ratios of means, paired standard errors."]
    for contextual, title in ((False, "Classical"), (True, "With contexts")):
        kind = [table for table in tables.values() if _contextual(table) == contextual]
        if kind:
            fullest = _most_trials(kind)
            lines += [
                "",
                f"### {title}: Auto and the best in hindsight",
                "",
                _seeds(kind),
                "",
                *_auto(fullest, contextual, older),
            ]
            lines += ["", *_summary(fullest, older)] if older else []
        every = [table for table in kind if len(table) > len(_references(table)) + 1]
        if every:
            lines += ["", f"### {title}: every policy, ratio to the best in hindsight", "", *_every(every)]
    return "\n".join(lines) + "\n"


def _contextual(table: Sequence[Standing]) -> bool:
    return any(row.policy.startswith("HLinUCB") for row in table)


def _seeds(tables: Sequence[list[Standing]]) -> str:
    seeds = sorted({row.seed for table in tables for row in table})
    return f"Seed{'s' if len(seeds) > 1 else ''} {', '.join(map(str, seeds))}."


def _references(table: Sequence[Standing]) -> list[str]:
    """The scaled policies among which the best in hindsight is chosen."""
    scaled = ("HUCB ", "HUCBC ", "UCB ", "UCBC ", "HLinUCB ", "HLinUCBC ", "LinUCB ", "LinUCBC ")
    return [row.policy for row in table if row.policy.startswith(scaled) and not row.policy.endswith("auto")]


def _most_trials(tables: Sequence[list[Standing]]) -> list[list[Standing]]:
    """Of each setting the run with most trials."""
    best: dict[str, list[Standing]] = {}
    for table in tables:
        name = table[0].setting
        if name not in best or table[0].trials > best[name][0].trials:
            best[name] = table
    return list(best.values())


def _lines(rows: Sequence[Sequence[str]]) -> list[str]:
    head, *body = ["| " + " | ".join(row) + " |" for row in rows]
    return [head, "|" + "---|" * len(rows[0]), *body]


def ratio_to_older(table: Sequence[Standing], older: Tables) -> float | None:
    """Auto's mean regret over that of an older Auto in the same trials; None if the older one did not play them."""
    beside = older.get((table[0].setting, table[0].trials, table[0].seed))
    if beside is None:
        return None
    now, then = ({row.policy: row.mean for row in rows} for rows in (table, beside))
    if not math.isclose(now[table[0].best], then[table[0].best], rel_tol=1e-9):
        raise ValueError(f"{table[0].setting}: {table[0].best} has other figures in the older league, so its trials were others")
    return now["Auto"] / then["Auto"]


def _summary(tables: Sequence[list[Standing]], older: Tables) -> list[str]:
    """One line about all settings that both have played."""
    found = {table[0].setting: ratio for table in tables if (ratio := ratio_to_older(table, older)) is not None}
    if not found:
        return []
    middle, worst = math.exp(sum(map(math.log, found.values())) / len(found)), max(found, key=lambda name: found[name])
    told = f"geometric mean {middle:.2f}, largest {found[worst]:.2f} ({worst})"
    return [f"Auto over the older Auto in {len(found)} settings: {told}."]


def _auto(tables: Sequence[list[Standing]], contextual: bool, older: Tables | None) -> list[str]:
    flat = "HLinUCB 1" if contextual else "HUCB 0.25"
    rows = [["setting", "trials", "Auto: mean, median, worst", "best in hindsight", "ratio", f"to {flat}", "worst / mean"]]
    if older:
        rows[0].append("to the older Auto")
    for table in tables:
        by_policy = {row.policy: row for row in table}
        auto = by_policy["Auto"]
        numbers = "; ".join(f"{value:,.0f}" for value in (auto.mean, auto.median, auto.worst))
        best = f"{auto.best}: {by_policy[auto.best].mean:,.0f}"
        ratio, to_flat = f"{auto.ratio:.2f} ({auto.error:.2f})", f"{auto.mean / by_policy[flat].mean:.2f}"
        row = [auto.setting, str(auto.trials), numbers, best, ratio, to_flat, f"{auto.worst / auto.mean:.1f}"]
        rows.append([*row, _shown(ratio_to_older(table, older))] if older else row)
    return _lines(rows)


def _shown(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f}"


def _every(tables: Sequence[list[Standing]]) -> list[str]:
    known = {row.policy for table in tables for row in table}
    policies = sorted(known, key=lambda policy: (policy != "Auto", policy))
    rows = [["setting", "trials", *policies]]
    for table in tables:
        ratio = {row.policy: f"{row.ratio:.2f}" for row in table}
        rows.append([table[0].setting, str(table[0].trials), *(ratio.get(policy, "") for policy in policies)])
    return _lines(rows)
