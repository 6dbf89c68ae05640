"""Finished trials in a folder, so that an interrupted simulation goes on where it stopped."""

import hashlib
import io
import re
import zipfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..core.whole_file import write_whole
from .outcome import Outcome

DAMAGES = (ValueError, TypeError, KeyError, OSError, EOFError, NotImplementedError, zipfile.BadZipFile)
"""What reading a damaged file may raise."""


def described(make: Any) -> str:
    """A constructor in words: its name and its fixed arguments.

    Args:
        make: a class, a function, or a partial of one.

    Returns:
        The words.
    """
    if isinstance(make, partial):
        fixed = ", ".join([*map(repr, make.args), *(f"{key}={value!r}" for key, value in make.keywords.items())])
        return f"{described(make.func)}({fixed})"
    return str(getattr(make, "__name__", type(make).__name__))


def kept_in(folder: str | Path, description: str, run: Callable[[int], Outcome]) -> Callable[[int], Outcome]:
    """A function that plays a trial, or reads it from a folder.

    Args:
        folder: where trials are kept.
        description: what tells these trials from others in the folder.
        run: plays the trial of a number.

    Returns:
        The same function, with a memory.

    Raises:
        ValueError: if the description names an object by its address, which is another one in each process.
    """
    if found := re.search(r"<[^<>]* at 0x[0-9a-f]+>", description):
        raise ValueError(f"resume tells trials apart by how they print, {found[0]} prints its address: give it a __repr__")
    key = hashlib.blake2b(description.encode(), digest_size=8).hexdigest()
    return partial(_kept, run, Path(folder), key)


def _kept(run: Callable[[int], Outcome], folder: Path, key: str, number: int) -> Outcome:
    path = folder / f"{key}-{number}.npz"
    if path.exists():
        with suppress(*DAMAGES), np.load(path, allow_pickle=False) as file:
            return Outcome(**file)  # unless the file is damaged
    outcome = run(number)
    folder.mkdir(parents=True, exist_ok=True)
    file = io.BytesIO()
    np.savez(file, **outcome._asdict())
    write_whole(path, file.getvalue())  # two runs may share the folder
    return outcome
