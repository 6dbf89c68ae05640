"""Text files before a parser sees them: their separators, and beginnings that are no table."""

import csv
import gzip
import io
import zlib
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from ..core.labels import shown

BEGINNING = 4 << 20
"""Bytes at the beginning of a text file that are looked at before it is handed on."""

LONGEST_LINE = 1 << 20
"""Bytes; a line this long at the beginning of a text file means that it is no table."""

SEPARATORS = {".csv": ",", ".txt": ",", ".tsv": "\t"}
SEPARATORS |= {f"{ending}.gz": separator for ending, separator in SEPARATORS.items()}
"""Of text files by their ending, unless another is given."""


def as_separator(given: str) -> str:
    r"""A separator as a user gives it.

    Args:
        given: one character, or ``\t`` as it is written on a command line.

    Returns:
        The character.

    Raises:
        ValueError: if it is not one character that may stand between cells.
    """
    separator = "\t" if given == r"\t" else given
    if len(separator.encode()) != 1 or separator in '"\r\n':
        raise ValueError(f"separator must be one character, such as ';', got {given!r}")
    return separator


def own_separator(path: Path, usual: str, given: str | None) -> str:
    """The separator of a file that lies beside the log.

    Args:
        path: the file.
        usual: the separator that its ending stands for.
        given: the separator given for the log.

    Returns:
        The log's separator if the header of the file has it, else the usual one.
    """
    if given is None:
        return usual
    with _opened(path) as file:
        header = file.readline().decode(errors="replace")
    return as_separator(given) if as_separator(given) in header else usual


def check_beginning(path: Path, separator: str) -> None:
    """Refuse a text file that is no table, before a parser takes memory for it.

    Args:
        path: the file.
        separator: what stands between its cells.

    Raises:
        ValueError: if it is empty, binary, cut short, without lines, or has two columns of the same name.
    """
    try:
        with _opened(path) as file:
            start = file.read(BEGINNING)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path.name} is not a gzip file, or was cut short: {error}") from error
    if not start.strip():
        raise ValueError(f"{path.name} is empty")
    if b"\0" in start:
        raise ValueError(f"{path.name} is not a text file: it has zero bytes in it")
    if max(map(len, start.splitlines())) > LONGEST_LINE:
        raise ValueError(f"{path.name} has a line of more than {LONGEST_LINE:,} characters, so it is not a table of rows")
    first = next(line for line in start.split(b"\n") if line.strip()).strip(b"\r")
    _check_header(path, first.decode("utf-8-sig", errors="replace"), separator)


def _check_header(path: Path, line: str, separator: str) -> None:
    try:
        header = next(csv.reader([line], delimiter=separator))
    except csv.Error as error:
        fault = f"its first line is no header, {error}"
        if "\r" in line:
            fault = "its lines end with a bare carriage return; save it with the line ends of Unix or Windows"
        raise ValueError(f"{path.name} cannot be read: {fault}") from error
    if twice := [name for name, times in Counter(header).items() if name and times > 1]:
        raise ValueError(f"{path.name} has more than one column named {shown(twice)}")


def refuse_ragged(paths: Sequence[Path], separator: str) -> None:
    """Name the first line that has more cells than the header.

    Args:
        paths: text files, one of which a parser has refused.
        separator: what stands between their cells.

    Raises:
        ValueError: with the line; nothing if there is none.
    """
    for path in paths:
        with _opened(path) as file, suppress(csv.Error, UnicodeDecodeError):
            rows = csv.reader(io.TextIOWrapper(file, "utf-8-sig", newline=""), delimiter=separator)
            header = next((row for row in rows if row), [])
            if long := next((row for row in rows if len(row) > len(header)), None):
                raise ValueError(
                    f"{path.name} cannot be read: line {rows.line_num} has {len(long)} cells, the header {len(header)}; "
                    f"put cells with {separator!r} in them into quotes"
                ) from None


def _opened(path: Path) -> IO[bytes]:
    """The bytes of a text file, unpacked."""
    return gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb")  # type: ignore[return-value]
