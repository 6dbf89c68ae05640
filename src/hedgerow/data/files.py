"""Log files: Parquet, CSV, TSV, plain or gzipped, one or many, read lazily and with errors that name the file."""

import glob
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..core import extras
from ..core.labels import shown
from .roles import ColumnRoles
from .text_columns import TextColumns, scan
from .text_files import SEPARATORS, as_separator, check_beginning, own_separator, refuse_ragged

if TYPE_CHECKING:
    import polars as pl

Result = TypeVar("Result")

ROWS_TO_INFER = 1000
"""Rows of each file that tell the types of text columns at first."""


def read_with(path: str | Path, roles: ColumnRoles, use: Callable[["pl.LazyFrame"], Result]) -> Result:
    """What a function makes of the rows of a file, a folder or a pattern of files.

    Types of text columns are inferred from the first rows; should a later row not fit, from all rows.

    Args:
        path: the file, the folder or the pattern.
        roles: which columns to read, and how.
        use: called with the rows.

    Returns:
        What ``use`` returns.

    Raises:
        ValueError: if a file cannot be read.
    """
    need_polars()
    import polars as pl

    paths = found(path)
    separator = _separator(paths, roles.separator)
    with _errors_naming(paths, separator):
        if separator is None:
            return use(pl.scan_parquet(paths, glob=False))
        texts = TextColumns(paths, separator, roles)
        try:
            return use(texts.typed(ROWS_TO_INFER))
        except _misfits():
            return use(texts.typed(None))


def read_texts(path: str | Path, separator: str | None = None) -> dict[str, list[Any]]:
    """All columns of a small file beside the log.

    Args:
        path: the file.
        separator: the separator of the log's own files.

    Returns:
        The cells of each column; those of a text file as text.

    Raises:
        ValueError: if the file cannot be read.
    """
    need_polars()
    import polars as pl

    paths = found(path)
    usual = _separator(paths, None)
    own = None if usual is None else own_separator(paths[0], usual, separator)
    with _errors_naming(paths, own):
        table = pl.read_parquet(paths, glob=False) if own is None else scan(paths, own, infer_schema=False).collect()
        columns: dict[str, list[Any]] = table.to_dict(as_series=False)
    return columns


def need_polars() -> None:
    """Say how to get the library that reads files and makes tables.

    Raises:
        ImportError: if it is missing.
    """
    if find_spec("polars") is None:
        raise extras.absent("this", "polars", "files")


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
            refuse_ragged(paths, separator)
        name = paths[0].name if len(paths) == 1 else f"{paths[0].name} or another of {len(paths)} files"
        lines = str(error).strip().splitlines() or [type(error).__name__]
        hint = "; save it as UTF-8" if "utf-8" in lines[0].lower() else ""
        raise ValueError(f"{name} cannot be read: {lines[0]:.300}{hint}") from error


def found(path: str | Path) -> list[Path]:
    """The files that a path, a folder or a pattern stands for.

    Args:
        path: the file, the folder or the pattern.

    Returns:
        The files in the order of their names.

    Raises:
        ValueError: if there is none.
    """
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
    """Whether a path or a pattern stands for anything.

    Args:
        path: the file, the folder or the pattern.

    Returns:
        True if there is at least one file or folder.
    """
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
    separator = SEPARATORS[kinds[paths[0]]] if given is None else as_separator(given)
    for path in paths:
        check_beginning(path, separator)
    return separator


def _check_parquet(path: Path) -> None:
    with path.open("rb") as file:
        if file.read(4) != b"PAR1":
            raise ValueError(f"{path.name} is not a Parquet file, or was cut short")
