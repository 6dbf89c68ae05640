"""Data frames of whatever kind the reader has."""

from collections.abc import Iterable, Mapping
from typing import Any


def framed(columns: Mapping[str, Any], backend: Any = "polars") -> Any:
    """Columns as a data frame.

    Args:
        columns: Values of equal length by name.
        backend: polars, pandas or pyarrow.

    Returns:
        A frame of that kind.

    Raises:
        ImportError: Without the backend.
        ValueError: There is no such backend.
    """
    import narwhals as nw

    try:
        return nw.from_dict(dict(columns), backend=backend).to_native()
    except ImportError as error:
        raise ImportError(f"a frame of {backend} needs that package: pip install {backend}") from error
    except ValueError as error:
        raise ValueError(f"backend must be polars, pandas or pyarrow, got {backend!r}") from error


def label_text(label: object) -> str:
    """A label as text; the names of a path with a / between them, as a decision log has them.

    Args:
        label: Any label.

    Returns:
        Its text.

    Examples:
        >>> label_text(("shoes", ("red", 7)))
        'shoes/red/7'
    """
    return "/".join(map(label_text, label)) if isinstance(label, tuple) else str(label)


def label_column(labels: Iterable[object]) -> list[Any]:
    """Labels as a column of one kind: as they are, if all are texts, or all whole numbers; else as text.

    Args:
        labels: Of arms or clusters; None where there is none.

    Returns:
        The column.

    Examples:
        >>> label_column([1, 2, None]), label_column([1, "a"])
        ([1, 2, None], ['1', 'a'])
    """
    column = list(labels)
    if {type(label) for label in column if label is not None} in ({str}, {int}):
        return column
    return [None if label is None else label_text(label) for label in column]
