"""Text files of one log, with a type for each column."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.labels import shown
from .roles import ColumnRoles, absent_from

if TYPE_CHECKING:
    import polars as pl

EMPTY_CELLS = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None")
"""What stands in a text file where there is no value, in any of its columns."""


def scan(paths: Sequence[Path], separator: str, **options: Any) -> "pl.LazyFrame":
    """Text files as a lazy frame.

    Args:
        paths: files with the same columns in the same order.
        separator: what stands between their cells.
        **options: further options of ``polars.scan_csv``.

    Returns:
        Their rows; empty cells are null.
    """
    import polars as pl

    return pl.scan_csv(list(paths), separator=separator, null_values=list(EMPTY_CELLS), glob=False, **options)


class TextColumns:
    """Text files of one log, whose columns are found by name: each may have them in an order of its own.

    Args:
        paths: the files.
        separator: what stands between their cells.
        roles: the columns that are wanted.
    """

    def __init__(self, paths: Sequence[Path], separator: str, roles: ColumnRoles):
        self.paths: Sequence[Path] = paths
        self.separator: str = separator
        self.roles: ColumnRoles = roles
        headers = {path: scan([path], separator, infer_schema=False).collect_schema().names() for path in paths}
        first = headers[paths[0]]
        everywhere = set(first).intersection(*headers.values())
        anywhere = {name for header in headers.values() for name in header}
        self.last: dict[Path, str] = {path: header[-1] for path, header in headers.items()}
        self.alike: bool = all(header == first for header in headers.values())
        self.names: list[str] = [name for name in first if name in everywhere]
        needed = [name for name in dict.fromkeys((*roles.columns, *roles.labels)) if name in anywhere]
        for path, header in headers.items():
            if lacking := absent_from(header, needed):
                raise ValueError(f"{path.name} has no column {shown(lacking)}, which other files of the log have")

    def typed(self, rows: int | None) -> "pl.LazyFrame":
        """The rows, with a type for each column.

        Args:
            rows: how many rows of each file tell the types; None for all.

        Returns:
            The rows. Whole numbers are doubles, since fractions may follow; labels that numbers would change stay text.
        """
        import polars as pl

        plain = self._joined(infer_schema=False)
        inferred = self._inferred(rows)
        numbers = [name for name in self.roles.numbers if name in inferred]
        texts = [name for name in numbers if inferred[name] == pl.String]
        if rows is not None and texts and not all(plain.select(texts).head(rows).count().collect().row(0)):
            return self.typed(None)  # a column without a value so far is taken for text
        overrides = {name: dtype for name, dtype in inferred.items() if not dtype.is_temporal()}
        overrides |= {name: pl.Float64 for name in numbers if inferred[name].is_integer()}
        overrides |= dict.fromkeys(self._kept(plain, inferred), pl.String)
        return self._joined(whole=True, schema_overrides=overrides, **self._options(rows))

    def _kept(self, plain: "pl.LazyFrame", inferred: dict[str, Any]) -> list[str]:
        """Columns that stay text, since a number or a date would be another value."""
        labels, contexts = set(self.roles.labels), set(self.roles.context)
        numbers, used = set(self.roles.numbers), {*self.roles.columns, *self.roles.labels}
        kept = []
        for name in self.roles.labels:
            dtype = inferred.get(name)
            if dtype is not None and name not in numbers:
                too_long = str(dtype) == "Int128"  # for 64 bits
                kept += [name] if dtype.is_float() or dtype.is_temporal() or dtype.is_decimal() or too_long else []
        whole = [name for name, dtype in inferred.items() if dtype.is_integer() and (name in labels or name in contexts)]
        dates = [name for name, dtype in inferred.items() if dtype.is_temporal()]
        kept += [*_codes(plain, whole), *(name for name in dates if not _starts_with_the_year(plain, name))]
        return kept + [name for name in self.last.values() if name not in used]

    def _joined(self, *, whole: bool = False, **options: Any) -> "pl.LazyFrame":
        """All rows, the ``whole`` of each: then one with too many cells is noticed, though nobody asks for the last column."""
        import polars as pl

        def scanned(paths: Sequence[Path]) -> "pl.LazyFrame":
            rows, last = scan(paths, self.separator, **options), pl.col(self.last[paths[0]])
            return rows.filter(last.is_null() | last.is_not_null()) if whole else rows

        if self.alike:
            return scanned(self.paths)
        return pl.concat([scanned([path]).select(self.names) for path in self.paths])

    def _inferred(self, rows: int | None) -> dict[str, Any]:
        import polars as pl

        if self.alike:
            return dict(self._joined(**self._options(rows)).collect_schema())
        parts = [scan([path], self.separator, infer_schema=False).select(self.names) for path in self.paths]
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
