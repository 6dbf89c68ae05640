"""Save and load: a zip of one JSON text and plain .npy arrays, nothing in it can run.

Members are stored, not compressed, so a file never unpacks to more than its own size, and an array is read only
after its declared type and shape were found to be the expected ones.
"""

import io
import json
import math
import os
import zipfile
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.lib import format as npy

from .types import Floats

FORMAT = 1
MANIFEST = "manifest.json"
KINDS = {"history": ("data.history", "History"), "bandit": ("policies.bandit", "Bandit"), "meta": ("policies.meta", "Meta")}
"""Where the classes of saved things are; loaded by name, since the core knows no policies."""

Manifest: TypeAlias = dict[str, Any]
Arrays: TypeAlias = dict[str, Floats]


def save(path: str | Path, manifest: Manifest, arrays: Mapping[str, Floats]) -> None:
    """Write a state file whole or not at all; the same state gives the same bytes."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder: name a file in it")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r} to save {path.name!r} in")
    if unfit := [name for name, array in arrays.items() if not np.isfinite(array).all()]:
        raise ValueError(f"the sums in {unfit[0]!r} have grown beyond what a number can hold, so they cannot be saved")
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_STORED) as archive:
            text = json.dumps({"format": FORMAT, **manifest}, indent=1)
            archive.writestr(zipfile.ZipInfo(MANIFEST), text)
            for name, array in arrays.items():
                data = _header(array.shape) + np.ascontiguousarray(array, dtype="<f8").tobytes()
                archive.writestr(zipfile.ZipInfo(f"{name}.npy"), data)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _header(shape: tuple[int, ...]) -> bytes:
    """The beginning of a .npy file of doubles of this shape."""
    buffer = io.BytesIO()
    npy.write_array_header_1_0(buffer, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return buffer.getvalue()


class StateFile:
    """An open state file: its manifest, and its arrays by name and expected shape."""

    def __init__(self, archive: zipfile.ZipFile, manifest: Manifest, prefix: str = "", taken: set[str] | None = None):
        self._archive = archive
        self.taken = {MANIFEST} if taken is None else taken
        self.manifest = manifest
        self.prefix = prefix

    def inside(self, manifest: Manifest, prefix: str) -> "StateFile":
        """The part of the file that holds a policy within the policy."""
        return StateFile(self._archive, manifest, f"{self.prefix}{prefix}/", self.taken)

    def array(self, name: str, shape: tuple[int, ...]) -> Floats:
        """An array of doubles that must have this shape; nothing else the file may say of itself is believed."""
        member = f"{self.prefix}{name}.npy"
        size = self._archive.getinfo(member).file_size
        header = _header(shape)
        if size != len(header) + 8 * math.prod(shape):
            raise ValueError(f"{member} has {size} bytes, which are not {shape} numbers")
        data = self._archive.read(member)
        if not data.startswith(header):
            raise ValueError(f"{member} does not begin as a plain array of {shape} numbers")
        array = np.frombuffer(data, dtype="<f8", offset=len(header)).reshape(shape).astype(np.float64)
        if not np.isfinite(array).all():
            raise ValueError(f"{member} holds NaN or infinite numbers")
        self.taken.add(member)
        return array


def load(path: str | Path) -> Any:
    """The policy or history that ``save`` wrote.

    >>> import hedgerow as hr, tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "policy.zip"
    ...     hr.UCB(["a", "b"]).save(path)
    ...     hr.load(path)
    UCB(2 arms, 0 rounds)
    """
    if not isinstance(path, str | Path):
        raise ValueError(f"load needs the path of a file, got {path!r}")
    with Path(path).open("rb") as source:
        try:
            return _read(source)
        except zipfile.BadZipFile as error:
            raise ValueError(f"{path} is not a hedgerow state file, or was cut short: {error}") from error
        except KeyError as error:
            raise ValueError(f"{path} is not a sound hedgerow state file: it lacks {error}") from error
        except Exception as error:  # whatever a forged file makes the parsers raise
            raise ValueError(f"{path} is not a sound hedgerow state file: {error}") from error


def _read(source: IO[bytes]) -> Any:
    with zipfile.ZipFile(source) as archive:
        manifest = _manifest(archive)
        module, name = KINDS[manifest["kind"]]
        file = StateFile(archive, manifest)
        restored = getattr(import_module(f"hedgerow.{module}"), name)._restore(file)
        if strange := set(archive.namelist()) - file.taken:
            raise ValueError(f"{min(strange)!r} does not belong there")
        return restored


def _manifest(archive: zipfile.ZipFile) -> Manifest:
    for member in archive.infolist():
        if member.compress_type != zipfile.ZIP_STORED or member.flag_bits & 1:
            raise ValueError(f"{member.filename} is compressed or encrypted")
    names = archive.namelist()
    if len(set(names)) < len(names):
        raise ValueError("a name stands in it twice")
    manifest = json.loads(archive.read(MANIFEST))
    if not isinstance(manifest, dict) or not isinstance(manifest.get("format"), int):
        raise ValueError("its manifest has no format number")
    if manifest["format"] < 1:
        raise ValueError(f"there is no format {manifest['format']}")
    if manifest["format"] > FORMAT:
        raise ValueError(
            f"it has format {manifest['format']} of a newer hedgerow, this one reads up to {FORMAT}; upgrade hedgerow"
        )
    return manifest
