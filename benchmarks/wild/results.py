"""Results of a run: a file of rows that only grows, so that a killed run goes on where it stopped."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple


class Row(NamedTuple):
    """What one policy did in one replication of one problem.

    Args:
        seed: Of the problem.
        replication: From 0 on.
        policy: Its name.
        regret: Sum over the rounds of the best arm's expected reward less that of the arm played.
        late_regret: The same over the second half of the rounds.
        random: Regret of playing each arm equally often.
        microseconds: CPU time of a round.
        version: Commit of the hedgerow that played.
    """

    seed: int
    replication: int
    policy: str
    regret: float
    late_regret: float
    random: float
    microseconds: float
    version: str


def append(path: Path, rows: Iterable[Row]) -> None:
    """Add rows to a file, all with one write.

    Args:
        path: The file; it is made if there is none.
        rows: What is added.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    there = path.exists() and path.stat().st_size > 0
    if not there:
        writer.writerow(Row._fields)
    elif _is_cut(path):
        text.write("\n")  # a killed run left half a line, which reading skips
    for row in rows:
        numbers = (f"{value:.7g}" for value in row[3:7])
        writer.writerow((*row[:3], *numbers, row.version))
    with path.open("a", newline="") as file:
        file.write(text.getvalue())


def read(path: Path) -> list[Row]:
    """Read the rows of a file.

    Args:
        path: The file.

    Returns:
        Its whole rows; of two for the same trial and policy the first. None if there is no file.
    """
    rows: dict[tuple[int, int, str], Row] = {}
    if path.exists():
        with path.open(newline="") as file:
            for fields in csv.reader(file):
                row = _row(fields)
                if row is not None:
                    rows.setdefault(row[:3], row)
    return list(rows.values())


def _is_cut(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, io.SEEK_END)
        return file.read(1) != b"\n"


def _row(fields: list[str]) -> Row | None:
    """A row, unless the line is the head or was cut short."""
    if len(fields) != len(Row._fields) or not fields[-1]:
        return None
    try:
        return Row(int(fields[0]), int(fields[1]), fields[2], *map(float, fields[3:7]), fields[7])
    except ValueError:
        return None
