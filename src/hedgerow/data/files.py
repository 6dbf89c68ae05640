"""Log files: Parquet, CSV, TSV, plain or gzipped, one or many, read lazily and with errors that name the file."""

import csv
import glob
import gzip
import io
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeVar

from ..core.labels import shown

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")

WINDOW = 4 << 20
"""Bytes at the beginning of a text file that are looked at before it is handed on."""

LONGEST_LINE = 1 << 20
"""A line this long at the beginning of a text file means that it is no table."""

ROWS_TO_INFER = 1000
"""Rows from which the types of text columns are inferred at first."""

MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None")
"""What stands in a text file where there is no value, in any of its columns."""

SEPARATORS = {".csv": ",", ".txt": ",", ".tsv": "\t"}
SEPARATORS |= {f"{ending}.gz": separator for ending, separator in SEPARATORS.items()}
"""Of text files by their ending, unless another is given."""


class Wanted(NamedTuple):
    """What is to be read of a log's files: the columns that each must have.

    ``numbers`` are columns that may hold numbers, ``labels`` those of which 01 and 1, or 1.10 and 1.1, are different values;
    ``contexts`` are numbers, unless some have leading zeros.
    """

    columns: Sequence[str]
    numbers: Sequence[str]
    labels: Sequence[str]
    contexts: Sequence[str]
    separator: str | None = None


def read_with(path: str | Path, wanted: Wanted, use: Callable[["pl.LazyFrame"], T]) -> T:
    """What ``use`` makes of the rows of a file, a folder or a pattern of files.

    Types of text columns are inferred from the first rows; should a later row not fit, from all rows.
    """
    need_polars()
    import polars as pl

    paths = found(path)
    separator = _separator(paths, wanted.separator)
    with _errors_naming(paths, separator):
        if separator is None:
            return use(pl.scan_parquet(paths))
        texts = _Texts(paths, separator, wanted)
        try:
            return use(texts.scan(ROWS_TO_INFER))
        except _misfits():
            return use(texts.scan(None))


def read_texts(path: str | Path, separator: str | None = None) -> dict[str, list[Any]]:
    """All columns of a small file beside the log; those of a text file as text."""
    need_polars()
    import polars as pl

    paths = found(path)
    usual = _separator(paths, None)
    own = None if usual is None else _own_separator(paths[0], usual, separator)
    with _errors_naming(paths, own):
        table = pl.read_parquet(paths) if own is None else _scan(paths, own, infer_schema=False).collect()
        columns: dict[str, list[Any]] = table.to_dict(as_series=False)
    return columns


def _own_separator(path: Path, usual: str, given: str | None) -> str:
    """The separator given for the log, if the header of a file beside it has one; else the usual one."""
    if given is None:
        return usual
    with _opened(path) as file:
        header = file.readline().decode(errors="replace")
    return _as_separator(given) if _as_separator(given) in header else usual


def _as_separator(given: str) -> str:
    """What stands between the cells of a text file."""
    separator = "\t" if given == r"\t" else given  # how it is written on a command line
    if len(separator.encode()) != 1 or separator in '"\r\n':
        raise ValueError(f"separator must be one character, such as ';', got {given!r}")
    return separator


def need_polars() -> None:
    """Say how to get the library that reads files and makes tables, where it is missing."""
    if find_spec("polars") is None:
        raise ImportError('this needs polars: pip install "hedgerow[cli]"')


def _misfits() -> tuple[type[Exception], ...]:
    """What is raised for a value that does not fit its column: by polars, or in its name by narwhals."""
    import narwhals as nw
    import polars as pl

    return pl.exceptions.ComputeError, nw.exceptions.ComputeError


@contextmanager
def _errors_naming(paths: Sequence[Path], separator: str | None) -> Iterator[None]:
    """Say in a sentence which file it was that a parser stumbled over; text files have a separator."""
    import narwhals as nw
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, nw.exceptions.NarwhalsError, OSError) as error:
        if separator is not None and "more fields" in str(error):
            _refuse_ragged(paths, separator)
        name = paths[0].name if len(paths) == 1 else f"{paths[0].name} or another of {len(paths)} files"
        lines = str(error).strip().splitlines() or [type(error).__name__]
        hint = "; save it as UTF-8" if "utf-8" in lines[0].lower() else ""
        raise ValueError(f"{name} cannot be read: {lines[0]:.300}{hint}") from error


def _refuse_ragged(paths: Sequence[Path], separator: str) -> None:
    """Name the first line that has more cells than the header."""
    for path in paths:
        with _opened(path) as file, suppress(csv.Error, UnicodeDecodeError):
            rows = csv.reader(io.TextIOWrapper(file, "utf-8-sig", newline=""), delimiter=separator)
            header = next((row for row in rows if row), [])
            if long := next((row for row in rows if len(row) > len(header)), None):
                raise ValueError(
                    f"{path.name} cannot be read: line {rows.line_num} has {len(long)} cells, the header {len(header)}; "
                    f"put cells with {separator!r} in them into quotes"
                ) from None


def found(path: str | Path) -> list[Path]:
    """The files that a path, a folder or a pattern stands for, in order of their names."""
    place = Path(path).expanduser()
    if place.is_dir():
        inside = sorted(file for file in place.iterdir() if file.is_file() and not file.name.startswith((".", "_")))
        if not inside:
            raise ValueError(f"the folder {str(path)!r} has no files in it")
        return inside
    if place.exists():
        return [place]
    matches = sorted(Path(name) for name in glob.glob(str(place), recursive=True))
    if not (files := [file for file in matches if file.is_file()]):
        raise ValueError(f"there is no file {str(path)!r}" + (", only folders: name one of them" if matches else ""))
    return files


def exists(path: str | Path) -> bool:
    """Whether a path or pattern stands for anything."""
    return Path(path).expanduser().exists() or bool(glob.glob(str(path)))


def _separator(paths: Sequence[Path], given: str | None) -> str | None:
    """What stands between the cells of text files, None for Parquet; what the files' beginnings show to be unfit is refused."""
    known = (".parquet", *SEPARATORS)
    kinds = {path: next((ending for ending in known if path.name.lower().endswith(ending)), "") for path in paths}
    if strange := [path.name for path, kind in kinds.items() if not kind]:
        raise ValueError(f"a log must be a file of {', '.join(known)}, got {shown(strange)}")
    if len(set(kinds.values())) > 1:
        raise ValueError(f"the files of a log must be of one kind, got {', '.join(sorted(set(kinds.values())))}")
    if kinds[paths[0]] == ".parquet":
        for path in paths:
            _check_parquet(path)
        return None
    separator = SEPARATORS[kinds[paths[0]]] if given is None else _as_separator(given)
    for path in paths:
        _check_text(path, separator)
    return separator


def _check_parquet(path: Path) -> None:
    with path.open("rb") as file:
        if file.read(4) != b"PAR1":
            raise ValueError(f"{path.name} is not a Parquet file, or was cut short")


def _opened(path: Path) -> IO[bytes]:
    """The bytes of a text file, unpacked."""
    return gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb")  # type: ignore[return-value]


def _check_text(path: Path, separator: str) -> None:
    """Refuse what is no table, before a parser takes memory for it."""
    try:
        with _opened(path) as file:
            start = file.read(WINDOW)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path.name} is not a gzip file, or was cut short: {error}") from error
    if not start.strip():
        raise ValueError(f"{path.name} is empty")
    if b"\0" in start:
        raise ValueError(f"{path.name} is not a text file: it has zero bytes in it")
    lines = start.split(b"\n")
    if max(map(len, lines)) > LONGEST_LINE:
        raise ValueError(f"{path.name} has a line of more than {LONGEST_LINE:,} characters, so it is not a table of rows")
    first = next(line for line in lines if line.strip())
    header = next(csv.reader([first.decode("utf-8-sig", errors="replace").strip("\r")], delimiter=separator))
    if twice := [name for name, times in Counter(header).items() if name and times > 1]:
        raise ValueError(f"{path.name} has more than one column named {shown(twice)}")


def _scan(paths: Sequence[Path], separator: str, **options: Any) -> "pl.LazyFrame":
    import polars as pl

    return pl.scan_csv(list(paths), separator=separator, null_values=list(MISSING), **options)


class _Texts:
    """Text files of one log, whose columns are found by name: each may have them in an order of its own."""

    def __init__(self, paths: Sequence[Path], separator: str, wanted: Wanted):
        self.paths, self.separator, self.wanted = paths, separator, wanted
        headers = {path: _scan([path], separator, infer_schema=False).collect_schema().names() for path in paths}
        first = headers[paths[0]]
        self.last = {path: header[-1] for path, header in headers.items()}
        self.alike = all(header == first for header in headers.values())
        self.names = [name for name in first if all(name in header for header in headers.values())]
        everywhere = {name for header in headers.values() for name in header}
        for path, header in headers.items():
            needed = dict.fromkeys((*wanted.columns, *wanted.labels))
            if lacking := [name for name in needed if name in everywhere and name not in header]:
                raise ValueError(f"{path.name} has no column {shown(lacking)}, which other files of the log have")

    def scan(self, rows: int | None) -> "pl.LazyFrame":
        """The rows, with types inferred from so many of each file; whole numbers are doubles, since fractions may follow."""
        import polars as pl

        plain = self._joined(infer_schema=False)
        inferred = self._inferred(rows)
        numbers = [name for name in self.wanted.numbers if name in inferred]
        texts = [name for name in numbers if inferred[name] == pl.String]
        if rows is not None and texts and not all(plain.select(texts).head(rows).count().collect().row(0)):
            return self.scan(None)  # a column without a value so far is taken for text
        whole = [name for name, dtype in inferred.items() if dtype.is_integer()]
        codes = _codes(plain, [name for name in whole if name in (*self.wanted.labels, *self.wanted.contexts)])
        doubles = {name: pl.Float64 for name in numbers if name in whole}
        labels = {name: inferred[name] for name in self.wanted.labels if name in inferred and name not in numbers}
        kept = [name for name, dtype in labels.items() if dtype.is_float() or dtype.is_temporal() or dtype.is_decimal()]
        kept += [name for name, dtype in labels.items() if str(dtype) == "Int128"]  # too long for 64 bits
        kept += codes
        kept += [name for name, dtype in inferred.items() if dtype.is_temporal() and not _starts_with_the_year(plain, name)]
        known = {name: dtype for name, dtype in inferred.items() if not dtype.is_temporal()}
        used = {*self.wanted.columns, *self.wanted.labels, *self.wanted.numbers}
        kept += [name for name in self.last.values() if name not in used]
        overrides = {**known, **doubles, **dict.fromkeys(kept, pl.String)}
        return self._joined(whole=True, schema_overrides=overrides, **self._options(rows))

    def _joined(self, *, whole: bool = False, **options: Any) -> "pl.LazyFrame":
        """All rows, the ``whole`` of each: then one with too many cells is noticed, though nobody asks for the last column."""
        import polars as pl

        def scanned(paths: Sequence[Path]) -> "pl.LazyFrame":
            rows, last = _scan(paths, self.separator, **options), pl.col(self.last[paths[0]])
            return rows.filter(last.is_null() | last.is_not_null()) if whole else rows

        if self.alike:
            return scanned(self.paths)
        return pl.concat([scanned([path]).select(self.names) for path in self.paths])

    def _inferred(self, rows: int | None) -> dict[str, Any]:
        import polars as pl

        if self.alike:
            return dict(self._joined(**self._options(rows)).collect_schema())
        parts = [_scan([path], self.separator, infer_schema=False).select(self.names) for path in self.paths]
        sample = pl.concat(parts if rows is None else [part.head(rows) for part in parts]).collect()
        text = sample.write_csv().encode()
        return dict(pl.read_csv(text, infer_schema_length=None, try_parse_dates=rows is not None).schema)

    def _options(self, rows: int | None) -> dict[str, Any]:
        """Of all rows only numbers are told from text: to try each text as a date takes fifty times as long."""
        return {"infer_schema_length": rows, "infer_schema_files": len(self.paths), "try_parse_dates": rows is not None}


def _codes(plain: "pl.LazyFrame", names: Sequence[str]) -> list[str]:
    """Those of the columns of whole numbers that have some with leading zeros: then they are codes, and 01 is not 1."""
    import polars as pl

    if not names:
        return []
    found = plain.select(pl.col(*names).str.contains(r"^\s*[+-]?0\d").any()).collect(engine="streaming").row(0)
    return [name for name, coded in zip(names, found, strict=True) if coded]


def _starts_with_the_year(plain: "pl.LazyFrame", name: str) -> bool:
    """Whether dates are written 2024-02-01; of 01/02/2024 nobody can tell which is the month."""
    import polars as pl

    first = plain.select(pl.col(name).str.strip_chars()).filter(pl.col(name) != "").head(1).collect(engine="streaming")
    return bool(first[name].str.contains(r"^\d{4}").all())
