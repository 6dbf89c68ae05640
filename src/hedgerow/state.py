"""Save and load: a zip of one JSON text and plain .npy arrays, nothing in it can run.

Members are stored, not compressed, so a file never unpacks to more than its own size, and an array is read only
after its declared type and shape were found to be the expected ones.
"""

import io
import json
import os
import tempfile
import zipfile
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.lib import format as npy

from .types import Floats

FORMAT = 1
MANIFEST = "manifest.json"
KINDS = {"history": ("history", "History"), "bandit": ("bandit", "Bandit"), "meta": ("meta", "Meta")}

Manifest: TypeAlias = dict[str, Any]
Arrays: TypeAlias = dict[str, Floats]


def save(path: str | Path, manifest: Manifest, arrays: Mapping[str, Floats]) -> None:
    """Write a state file whole or not at all; the same state gives the same bytes."""
    path = Path(path)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
            text = json.dumps({"format": FORMAT, **manifest}, indent=1)
            archive.writestr(zipfile.ZipInfo(MANIFEST), text)
            for name, array in arrays.items():
                buffer = io.BytesIO()
                npy.write_array(buffer, np.ascontiguousarray(array, dtype=np.float64), version=(1, 0), allow_pickle=False)
                archive.writestr(zipfile.ZipInfo(f"{name}.npy"), buffer.getvalue())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


class StateFile:
    """An open state file: its manifest, and its arrays by name and expected shape."""

    def __init__(self, archive: zipfile.ZipFile, manifest: Manifest, prefix: str = ""):
        self._archive = archive
        self.manifest = manifest
        self.prefix = prefix

    def inside(self, manifest: Manifest, prefix: str) -> "StateFile":
        """The part of the file that holds a policy within the policy."""
        return StateFile(self._archive, manifest, f"{self.prefix}{prefix}/")

    def array(self, name: str, shape: tuple[int, ...]) -> Floats:
        member = f"{self.prefix}{name}.npy"
        data = self._archive.read(member)
        stream = io.BytesIO(data)
        if npy.read_magic(stream) != (1, 0):
            raise ValueError(f"{member} is not a plain .npy array")
        declared, fortran, dtype = npy.read_array_header_1_0(stream)
        if dtype != np.dtype(np.float64) or fortran:
            raise ValueError(f"{member} holds {dtype}, not rows of float64")
        if declared != shape:
            raise ValueError(f"{member} has shape {declared}, not {shape}")
        body = data[stream.tell() :]
        if len(body) != 8 * int(np.prod([1, *shape], dtype=object)):
            raise ValueError(f"{member} holds {len(body)} bytes, not the {shape} numbers it declares")
        array = np.frombuffer(body, dtype=np.float64).reshape(shape).copy()
        if not np.isfinite(array).all():
            raise ValueError(f"{member} holds NaN or infinite numbers")
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
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = _manifest(archive)
            module, name = KINDS[manifest["kind"]]
            return getattr(import_module(f".{module}", __package__), name)._restore(StateFile(archive, manifest))
    except zipfile.BadZipFile as error:
        raise ValueError(f"{path} is not a hedgerow state file, or was cut short: {error}") from error
    except KeyError as error:
        raise ValueError(f"{path} is not a sound hedgerow state file: it lacks {error}") from error
    except (ValueError, TypeError, AttributeError, RecursionError, EOFError) as error:
        raise ValueError(f"{path} is not a sound hedgerow state file: {error}") from error


def _manifest(archive: zipfile.ZipFile) -> Manifest:
    for member in archive.infolist():
        if member.compress_type != zipfile.ZIP_STORED or member.flag_bits & 1:
            raise ValueError(f"{member.filename} is compressed or encrypted")
    names = [member.filename for member in archive.infolist()]
    if len(set(names)) < len(names):
        raise ValueError("a name stands in it twice")
    if strange := [name for name in names if name != MANIFEST and not _is_array_name(name)]:
        raise ValueError(f"{strange[0]!r} does not belong there")
    manifest = json.loads(archive.read(MANIFEST))
    if not isinstance(manifest, dict) or not isinstance(manifest.get("format"), int):
        raise ValueError("its manifest has no format number")
    if manifest["format"] > FORMAT:
        raise ValueError(
            f"it has format {manifest['format']} of a newer hedgerow, this one reads up to {FORMAT}; upgrade hedgerow"
        )
    return manifest


def _is_array_name(name: str) -> bool:
    parts = name.split("/")
    return name.endswith(".npy") and all(part not in ("", ".", "..") and "\\" not in part for part in parts)
