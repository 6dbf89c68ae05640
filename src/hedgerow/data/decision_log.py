"""A file of decisions and their rewards, which ``History.from_file``, ``evaluate`` and a spreadsheet read."""

import csv
import datetime
import io
import math
import os
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..core.labels import as_label, shown
from ..core.types import Decision, Label
from ..core.validate import checked_reward
from .text_columns import EMPTY_CELLS

try:
    import fcntl
except ImportError:  # Windows: a row is one write there, too, but two processes may mend a half line at once
    fcntl = None  # type: ignore[assignment]

COLUMNS = ("time", "arm", "cluster", "reward", "propensity", "explored", "policy", "expert")
"""Columns of every row; those of the context follow."""

STAMP = "at"
"""Column of the stamps of a policy with a half-life, before those of the context: ``time="at"`` of ``History.from_file``."""

Row = dict[str, str]


class DecisionLog:
    """Appends decisions and their rewards to a CSV file with a header.

    Each row is one write of a whole line at the end of the file. Several threads and processes of a machine may append to one
    file. A row is in the hands of the operating system when ``append`` returns: it outlives the process, but not always a power
    cut. A last line without a line end is what a killed process left. It is removed with a warning.

    An arm is written as text and read back as ``History.from_file`` reads any file: arms are whole numbers if all of them look
    so, truth values if all are true or false, else text. A tuple is written as a path: ``("shoes", "red")`` as "shoes/red",
    and it comes back as that text. So take text that is no number, or whole numbers, as arms of a policy that is to start from
    its own log.

    Args:
        path: The file, whose name ends with .csv. The first row makes it; rows are added to a file that is there.

    Raises:
        ValueError: The name has another ending.

    Examples:
        >>> import hedgerow as hr, pathlib, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> log = hr.DecisionLog(pathlib.Path(folder.name) / "decisions.csv")
        >>> log.append(hr.Decision("ad-1", "news", propensity=0.95), 1.0, time="2026-02-01T12:00:00")
        >>> print(log.path.read_text())
        time,arm,cluster,reward,propensity,explored,policy,expert
        2026-02-01T12:00:00.000000+00:00,ad-1,news,1.0,0.95,false,,
        <BLANKLINE>
        >>> folder.cleanup()
    """

    def __init__(self, path: str | Path):
        self.path: Path = Path(path).expanduser()
        if self.path.suffix.lower() != ".csv":
            raise ValueError(f"a decision log is a CSV file: let its name end with .csv, got {str(path)!r}")
        self._header: tuple[int, list[str]] = (0, [])  # of the file with this inode

    def append(
        self,
        decision: Decision,
        reward: float,
        *,
        time: datetime.datetime | str | float | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> None:
        """Add one row: now, or when the reward is known.

        Args:
            decision: From ``select``.
            reward: What it earned.
            time: When it was made: a datetime, a text in ISO 8601 or seconds since 1970; without a zone it is UTC. Now if left
                out.
            context: The raw values by name, a column for each. Without it the numbers of the decision's context are written, as
                x_1, x_2 and so on.

        Raises:
            ValueError: A value cannot be written so that it is read back, or the row has other columns than the file.
            OSError: The file cannot be written; it is as it was before.
        """
        if not isinstance(decision, Decision):
            raise ValueError(f"decision must be a hedgerow.Decision, as select returns it, got {type(decision).__name__}")
        cells = (
            _moment(time),
            _label(decision.arm, "arm"),
            "" if decision.cluster is None else _label(decision.cluster, "cluster"),
            repr(checked_reward(reward)),
            _value(decision.propensity),
            _value(decision.explored),
            decision.policy,
            "/".join(decision.experts),
        )
        row = dict(zip(COLUMNS, cells, strict=True)) | _stamped(decision, context) | _context(decision, context)
        if "\0" in "".join(row.values()):
            raise ValueError("a row must not have a zero byte in it: the file could not be read any more")
        self._write(row)

    def _write(self, row: Row) -> None:
        with self.path.open("a+b", buffering=0) as file:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)  # until the file is closed
            size = self._mended(file)
            columns = self._columns(file, size, row)
            data = (_line(columns) if size == 0 else b"") + _line(row[name] for name in columns)
            if (written := file.write(data)) < len(data):
                file.truncate(size)
                raise OSError(f"{self.path} took {written} of {len(data)} bytes, so the row was taken back: is the disk full?")

    def _mended(self, file: IO[bytes]) -> int:
        """The size of the file, once a half line at its end is gone."""
        size = file.seek(0, os.SEEK_END)
        if size == 0 or (file.seek(size - 1) >= 0 and file.read(1) == b"\n"):
            return size
        whole = _whole_lines(self.path)
        file.truncate(whole)
        warnings.warn(f"{self.path} ended with half a line, which was removed: {size - whole} bytes", UserWarning, stacklevel=4)
        return whole

    def _columns(self, file: IO[bytes], size: int, row: Row) -> list[str]:
        """The columns of the file, which the row must have, too."""
        inode = os.fstat(file.fileno()).st_ino
        if size == 0:
            self._header = inode, list(row)
        elif not self._header[1] or self._header[0] != inode:
            file.seek(0)
            text = file.readline().decode("utf-8-sig", errors="replace")
            self._header = inode, next(csv.reader([text]), [])
        columns = self._header[1]
        if columns != list(row) and sorted(columns) != sorted(row):
            lacks, adds = [name for name in columns if name not in row], [name for name in row if name not in columns]
            differs = [f"lacks {shown(lacks)}"] * bool(lacks) + [f"adds {shown(adds)}"] * bool(adds)
            raise ValueError(
                f"a row must have the columns of {self.path.name}, this one {' and '.join(differs) or 'has each once'}: "
                "give contexts of the same names, or begin another file"
            )
        return columns

    def __repr__(self) -> str:
        return f"DecisionLog({str(self.path)!r})"


def _whole_lines(path: Path) -> int:
    """Bytes up to the end of the last row. A line end between quotes ends no row."""
    end = at = quotes = 0
    with path.open("rb") as file:
        for line in file:
            at, quotes = at + len(line), quotes + line.count(b'"')
            if line.endswith(b"\n") and quotes % 2 == 0:
                end = at
    return end


def _line(cells: Iterable[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue().encode()


def _moment(time: Any) -> str:
    """A time in UTC as ISO 8601 writes it, always to the microsecond."""
    try:
        if time is None:
            moment = datetime.datetime.now(datetime.UTC)
        elif isinstance(time, int | float | np.number) and not isinstance(time, bool):
            moment = datetime.datetime.fromtimestamp(float(time), datetime.UTC)
        else:
            moment = time if isinstance(time, datetime.datetime) else datetime.datetime.fromisoformat(time)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
        return moment.astimezone(datetime.UTC).isoformat(timespec="microseconds")
    except (TypeError, ValueError, OverflowError, OSError):
        raise ValueError(
            f"time must be a datetime, a text such as 2026-02-01T12:00:00 or seconds since 1970, got {time!r:.80}"
        ) from None


def _label(label: Label, what: str) -> str:
    """A label as a cell that is not read as a missing value; a tuple as the path of its parts."""
    label = as_label(label, f"an {what} label" if what == "arm" else f"a {what} label")
    parts = _parts(label) if isinstance(label, tuple) else [label]
    texts = [_value(part) for part in parts]
    if isinstance(label, tuple) and any("/" in text for text in texts):
        raise ValueError(
            f"{what} {label!r} has a '/' in one of its names, and the log puts '/' between names: give one text instead"
        )
    text = "/".join(texts)
    if text in EMPTY_CELLS:
        raise ValueError(f"{what} {label!r} would be read back as a missing value: call it something else")
    return text


def _parts(label: tuple[Any, ...]) -> list[Any]:
    return [name for part in label for name in (_parts(part) if isinstance(part, tuple) else [part])]


def _value(value: Any) -> str:
    """A value as the reader of files takes it; nothing for a missing one."""
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _stamped(decision: Decision, raw: Any) -> Row:
    """The cell of a decision's stamp, of a policy with a half-life; others have none."""
    if decision.at is None:
        return {}
    if isinstance(raw, Mapping) and STAMP in raw:
        raise ValueError(f"the decision has a stamp, whose column is {STAMP!r}: call that number of the context something else")
    return {STAMP: repr(float(decision.at))}


def _context(decision: Decision, raw: Any) -> Row:
    """The cells of a context: raw values by name, or the numbers of the decision."""
    if raw is None:
        return {f"x_{place}": repr(float(number)) for place, number in enumerate(decision.context or (), start=1)}
    if not isinstance(raw, Mapping):
        raise ValueError(
            f"context must be a mapping from names to raw values, got {type(raw).__name__}; numbers are in the decision"
        )
    if odd := [name for name in raw if not isinstance(name, str) or name.splitlines() != [name] or name in COLUMNS]:
        raise ValueError(f"names of a context must be text on one line, and none of {', '.join(COLUMNS)}; got {shown(odd)}")
    return {name: _value(value) for name, value in raw.items()}
