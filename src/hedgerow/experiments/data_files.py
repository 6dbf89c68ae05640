"""Where the files of the paper's data sets are, and how their text is read."""

import os
from pathlib import Path

from ..core.labels import shown

DATA_VARIABLE = "HEDGEROW_DATA"
"""The environment variable that names the folder of the data files."""


class DataError(ValueError):
    """A data file that cannot be used, and what to do about it."""


def find(given: str | Path | None, *names: str) -> Path | None:
    """The file to read.

    Args:
        given: a file or a folder; None for the folder that the environment names.
        *names: names that the file may have in a folder, the preferred one first.

    Returns:
        Its path, None if there is a folder without it or no folder at all.

    Raises:
        DataError: if what is given does not exist.
    """
    named = os.environ.get(DATA_VARIABLE)
    if given is None and not named:
        return None
    path = Path(given if given is not None else str(named)).expanduser()
    if path.is_dir():
        return next((path / name for name in names if (path / name).is_file()), None)
    if given is None:
        raise DataError(f"{DATA_VARIABLE} is {named!r}, which is not a folder; name the folder of {shown(names)} or unset it")
    if not path.exists():
        raise DataError(f"there is no file {str(path)!r}; give an existing file or folder, or none for simulated data")
    return path


def text_of(path: Path) -> str:
    """The text of a data file.

    Args:
        path: the file.

    Returns:
        Its text.

    Raises:
        DataError: if it is no text in UTF-8.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path.name} cannot be read as text in UTF-8 ({error}); get the file again") from error
    if "\0" in text or not text.strip():
        raise DataError(f"{path.name} is {'binary' if text.strip() else 'empty'}, not text; get the file again")
    return text
