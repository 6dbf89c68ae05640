"""Log files: Parquet, CSV, TSV, plain or gzipped, one or many, read lazily and with errors that name the file."""

import csv
import glob
import gzip
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..arms import shown

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")

WINDOW = 4 << 20
"""Bytes at the beginning of a text file that are looked at before it is handed on."""

LONGEST_LINE = 1 << 20
"""A line this long at the beginning of a text file means that it is no table."""

ROWS_TO_INFER = 1000
"""Rows from which the types of text columns are inferred at first."""

MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")
"""What stands in a text file where there is no value, in any of its columns."""

SEPARATORS = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".tsv.gz": "\t"}


def read_with(path: str | Path, numbers: Sequence[str], labels: Sequence[str], use: Callable[["pl.LazyFrame"], T]) -> T:
    """What ``use`` makes of the rows of a file, a folder or a pattern of files.

    ``numbers`` are columns that may hold numbers, ``labels`` those of which 01 and 1 are different values.

    Types of text columns are inferred from the first rows; should a later row not fit, from all rows.
    """
    pl = _polars()
    paths = found(path)
    kind = _kind(paths)
    with _errors_naming(paths):
        if kind == ".parquet":
            return use(pl.scan_parquet(paths))
        try:
            return use(_scan_text(paths, kind, numbers, labels, ROWS_TO_INFER))
        except _misfits():
            return use(_scan_text(paths, kind, numbers, labels, None))


def read_texts(path: str | Path) -> dict[str, list[Any]]:
    """All columns of a small file; those of a text file as text."""
    pl = _polars()
    paths = found(path)
    kind = _kind(paths)
    with _errors_naming(paths):
        lazy = (
            pl.scan_parquet(paths)
            if kind == ".parquet"
            else pl.scan_csv(paths, separator=SEPARATORS[kind], null_values=list(MISSING), infer_schema=False)
        )
        columns: dict[str, list[Any]] = lazy.collect().to_dict(as_series=False)
    return columns


def _polars() -> Any:
    try:
        import polars
    except ImportError as error:
        raise ImportError('reading files needs polars: pip install "hedgerow[cli]"') from error
    return polars


def _misfits() -> tuple[type[Exception], ...]:
    """What is raised for a value that does not fit its column: by polars, or in its name by narwhals."""
    import narwhals as nw
    import polars as pl

    return pl.exceptions.ComputeError, nw.exceptions.ComputeError


@contextmanager
def _errors_naming(paths: Sequence[Path]) -> Iterator[None]:
    """Say in a sentence which file it was that a parser stumbled over."""
    import narwhals as nw
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, nw.exceptions.NarwhalsError, OSError) as error:
        name = paths[0].name if len(paths) == 1 else f"{paths[0].name} or another of {len(paths)} files"
        lines = str(error).strip().splitlines() or [type(error).__name__]
        hint = "; save it as UTF-8" if "utf-8" in lines[0].lower() else ""
        raise ValueError(f"{name} cannot be read: {lines[0]:.300}{hint}") from error


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
    if not matches:
        raise ValueError(f"there is no file {str(path)!r}")
    return [file for file in matches if file.is_file()]


def exists(path: str | Path) -> bool:
    """Whether a path or pattern stands for anything."""
    return Path(path).expanduser().exists() or bool(glob.glob(str(path)))


def _kind(paths: Sequence[Path]) -> str:
    """The ending that all of the files share; what their beginnings show to be unfit is refused."""
    known = (".parquet", *SEPARATORS)
    kinds = {path: next((ending for ending in known if path.name.lower().endswith(ending)), "") for path in paths}
    if strange := [path.name for path, kind in kinds.items() if not kind]:
        raise ValueError(f"a log must be a file of {', '.join(known)}, got {shown(strange)}")
    if len(set(kinds.values())) > 1:
        raise ValueError(f"the files of a log must be of one kind, got {', '.join(sorted(set(kinds.values())))}")
    for path, kind in kinds.items():
        if kind == ".parquet":
            _check_parquet(path)
        else:
            _check_text(path, SEPARATORS[kind])
    return kinds[paths[0]]


def _check_parquet(path: Path) -> None:
    with path.open("rb") as file:
        if file.read(4) != b"PAR1":
            raise ValueError(f"{path.name} is not a Parquet file, or was cut short")


def _check_text(path: Path, separator: str) -> None:
    """Refuse what is no table, before a parser takes memory for it."""
    try:
        with gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb") as file:
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
    header = next(csv.reader([lines[0].decode("utf-8-sig", errors="replace").strip("\r")], delimiter=separator))
    if twice := [name for name, times in Counter(header).items() if name and times > 1]:
        raise ValueError(f"{path.name} has more than one column named {shown(twice)}")


def _scan_text(paths: list[Path], kind: str, numbers: Sequence[str], labels: Sequence[str], rows: int | None) -> "pl.LazyFrame":
    """The rows of text files; a column of whole numbers is read as doubles, since fractions may follow."""
    import polars as pl

    plain = pl.scan_csv(paths, separator=SEPARATORS[kind], null_values=list(MISSING), infer_schema=False)
    options: dict[str, Any] = {
        "separator": SEPARATORS[kind],
        "null_values": list(MISSING),
        "infer_schema_length": rows,
        "infer_schema_files": len(paths),
        "try_parse_dates": True,
    }
    scan = pl.scan_csv(paths, **options)
    inferred = scan.collect_schema()
    texts = [name for name in numbers if name in inferred and inferred[name] == pl.String]
    if rows is not None and texts and not all(scan.select(texts).head(rows).count().collect().row(0)):
        return _scan_text(paths, kind, numbers, labels, None)  # a column without a value so far is taken for text
    doubles = {name: pl.Float64 for name in numbers if name in inferred and inferred[name].is_integer()}
    whole = [name for name in labels if name in inferred and name not in numbers and inferred[name].is_integer()]
    kept = [name for name in whole if _holds_codes(plain, name)]
    kept += [name for name, dtype in inferred.items() if dtype.is_temporal() and not _starts_with_the_year(plain, name)]
    overrides: dict[str, Any] = {**doubles, **dict.fromkeys(kept, pl.String)}
    return pl.scan_csv(paths, **options, schema_overrides=overrides)


def _holds_codes(plain: "pl.LazyFrame", name: str) -> bool:
    """Whether a column of whole numbers has some with leading zeros: then they are codes, and 01 is not 1."""
    import polars as pl

    return bool(plain.select(pl.col(name).str.contains(r"^\s*[+-]?0\d").any()).collect(engine="streaming").item())


def _starts_with_the_year(plain: "pl.LazyFrame", name: str) -> bool:
    """Whether dates are written 2024-02-01; of 01/02/2024 nobody can tell which is the month."""
    import polars as pl

    first = plain.select(pl.col(name).str.strip_chars()).filter(pl.col(name) != "").head(1).collect(engine="streaming")
    return bool(first[name].str.contains(r"^\d{4}").all())
