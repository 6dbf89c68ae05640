"""Save and load: a zip of one JSON text and plain .npy arrays, nothing in it can run.

Members are stored, not compressed, so a file never unpacks to more than its own size, and an array is read only
after its declared type and shape were found to be the expected ones. The manifest names the numbers of each array, so that a
file of another version is refused in a sentence instead of being read wrongly.
"""

import io
import json
import math
import zipfile
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias, TypeVar, overload

import numpy as np
from numpy.lib import format as npy

from .records import Field, check_ranges, width
from .types import Floats
from .whole_file import write_whole

FORMAT = 2
MANIFEST = "manifest.json"
KINDS = {"history": ("data.history", "History"), "bandit": ("policies.bandit", "Bandit"), "meta": ("policies.meta", "Meta")}
"""Where the classes of saved things are; loaded by name, since the core knows no policies."""

Manifest: TypeAlias = dict[str, Any]


class Block(NamedTuple):
    """An array to be saved, and the names of its columns.

    Args:
        numbers: Rows of numbers, or one row.
        fields: The fields of a row.
    """

    numbers: Floats
    fields: Sequence[Field]


def save(path: str | Path, manifest: Manifest, blocks: Mapping[str, Block]) -> None:
    """Write a state file whole or not at all; the same state gives the same bytes.

    Another thread or process that saves to the same path does no harm: one of the two files is there afterwards. The mode of a
    file that is replaced stays, and a link stays a link.

    Args:
        path: The file.
        manifest: What is to be kept beside the arrays.
        blocks: The arrays by name.

    Raises:
        OSError: The file cannot be written there.
        ValueError: The state could not be loaded again.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder: name a file in it")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r} to save {path.name!r} in")
    write_whole(path, pack(manifest, blocks))


def pack(manifest: Manifest, blocks: Mapping[str, Block]) -> bytes:
    """The bytes of a state file.

    Args:
        manifest: What is to be kept beside the arrays.
        blocks: The arrays by name.

    Returns:
        A zip archive.

    Raises:
        ValueError: The state could not be loaded again.
    """
    for name, block in blocks.items():
        if not np.isfinite(block.numbers).all():
            raise ValueError(f"the sums in {name!r} have grown beyond what a number can hold, so they cannot be saved")
        check_ranges(block.numbers, block.fields)
    fields = {name: _listed(block.fields) for name, block in blocks.items()}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo(MANIFEST), json.dumps({"format": FORMAT, **manifest, "fields": fields}, indent=1))
        for name, block in blocks.items():
            data = _header(block.numbers.shape) + np.ascontiguousarray(block.numbers, dtype="<f8").tobytes()
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), data)
    return file.getvalue()


def _listed(fields: Sequence[Field]) -> list[list[Any]]:
    """Fields as the manifest names them."""
    return [[field.name, *field.shape] for field in fields]


def _header(shape: tuple[int, ...]) -> bytes:
    """The beginning of a .npy file of doubles of this shape."""
    buffer = io.BytesIO()
    npy.write_array_header_1_0(buffer, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return buffer.getvalue()


class StateFile:
    """An open state file: its manifest, and its arrays by name.

    Args:
        archive: The open zip.
        manifest: Of the whole file, or of a part.
        fields: Names of the numbers in each array.
        prefix: Of the part's names.
        taken: The members read so far.
    """

    def __init__(
        self,
        archive: zipfile.ZipFile,
        manifest: Manifest,
        fields: Mapping[str, Any],
        prefix: str = "",
        taken: set[str] | None = None,
    ):
        self._archive, self._fields, self._prefix = archive, fields, prefix
        self.taken: set[str] = {MANIFEST} if taken is None else taken
        self.manifest = manifest

    def inside(self, manifest: Manifest, prefix: str) -> "StateFile":
        """The part of the file that holds a policy within the policy.

        Args:
            manifest: Of that part.
            prefix: Of its arrays.

        Returns:
            The part as a file.
        """
        return StateFile(self._archive, manifest, self._fields, f"{self._prefix}{prefix}/", self.taken)

    def array(self, name: str, fields: Sequence[Field], rows: int | None = None) -> Floats:
        """An array of doubles that must have these fields; nothing else the file may say of itself is believed.

        Args:
            name: Of the array.
            fields: The fields of a row.
            rows: How many rows; None: a single row.

        Returns:
            A new array.

        Raises:
            ValueError: It has other fields or another shape, or numbers out of range.
        """
        member = f"{self._prefix}{name}"
        self._check_fields(member, fields)
        shape = (width(fields),) if rows is None else (rows, width(fields))
        size = self._archive.getinfo(f"{member}.npy").file_size
        header = _header(shape)
        if size != len(header) + 8 * math.prod(shape):
            raise ValueError(f"{member} has {size} bytes, which are not {shape} numbers")
        data = self._archive.read(f"{member}.npy")
        if not data.startswith(header):
            raise ValueError(f"{member} does not begin as a plain array of {shape} numbers")
        array = np.frombuffer(data, dtype="<f8", offset=len(header)).reshape(shape).astype(np.float64)
        if not np.isfinite(array).all():
            raise ValueError(f"{member} holds NaN or infinite numbers")
        try:
            check_ranges(array, fields)
        except ValueError as error:
            raise ValueError(f"in {member}, {error}") from error
        self.taken.add(f"{member}.npy")
        return array

    def _check_fields(self, member: str, fields: Sequence[Field]) -> None:
        found, wanted = self._fields.get(member), _listed(fields)
        if found == wanted:
            return
        names = {str(field[0]) for field in found if isinstance(field, list) and field} if isinstance(found, list) else set()
        known = {field.name for field in fields}
        if unknown := sorted(names - known):
            raise ValueError(f"{member} has a field {unknown[0]!r}, which this version of hedgerow does not know")
        if missing := sorted(known - names):
            raise ValueError(f"{member} lacks the field {missing[0]!r}, which this version of hedgerow needs")
        raise ValueError(f"{member} has its fields in another order or size than this version of hedgerow")


Kept = TypeVar("Kept")


@overload
def load(path: str | Path) -> Any: ...
@overload
def load(path: str | Path, kind: type[Kept]) -> Kept: ...
def load(path: str | Path, kind: type[Any] = object) -> Any:
    """The policy or history that ``save`` wrote.

    Args:
        path: The file.
        kind: What it must hold, such as ``hr.Bandit``: then the type of what is returned is known.

    Returns:
        A policy, a Meta or a History, as it was saved.

    Raises:
        ValueError: It is no state file, none that this version can read, or of another kind; the message says why.
        OSError: The file cannot be read.

    Examples:
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
        return _checked(source, str(path), kind)


@overload
def from_bytes(data: bytes) -> Any: ...
@overload
def from_bytes(data: bytes, kind: type[Kept]) -> Kept: ...
def from_bytes(data: bytes, kind: type[Any] = object) -> Any:
    """The policy that ``to_bytes`` gave: from a database, a message, a cache.

    Args:
        data: The bytes; those of a file that ``save`` wrote will do, too.
        kind: What it must be, such as ``hr.Bandit``: then the type of what is returned is known.

    Returns:
        A policy, a Meta or a History, as it was.

    Raises:
        ValueError: They are no state, none that this version can read, or of another kind; the message says why.

    Examples:
        >>> import hedgerow as hr
        >>> hr.from_bytes(hr.UCB(["a", "b"]).to_bytes(), hr.Bandit)
        UCB(2 arms, 0 rounds)
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise ValueError(f"from_bytes needs bytes, got {type(data).__name__}; hr.load reads a file")
    return _checked(io.BytesIO(data), "what from_bytes was given", kind)


def _checked(source: IO[bytes], name: str, kind: type[Any]) -> Any:
    """What a source holds; ``name``: of the source, for messages."""
    try:
        found = _read(source)
    except zipfile.BadZipFile as error:
        raise ValueError(f"{name} is not a hedgerow state file, or was cut short: {error}") from error
    except KeyError as error:
        raise ValueError(f"{name} is not a sound hedgerow state file: it lacks {error}") from error
    except Exception as error:  # whatever a forged file makes the parsers raise
        raise ValueError(f"{name} is not a sound hedgerow state file: {error}") from error
    if not isinstance(found, kind):
        raise ValueError(f"{name} holds a {type(found).__name__}, not a {kind.__name__}")
    return found


def _read(source: IO[bytes]) -> Any:
    with zipfile.ZipFile(source) as archive:
        manifest = _manifest(archive)
        module, name = KINDS[manifest["kind"]]
        file = StateFile(archive, manifest, manifest["fields"])
        restored = getattr(import_module(f"hedgerow.{module}"), name)._restore(file)
        _check_names({key: value for key, value in manifest.items() if key not in ("format", "fields")}, restored._state(True)[0])
        if strange := set(archive.namelist()) - file.taken:
            raise ValueError(f"it has a member {min(strange)!r}, which this version of hedgerow does not know")
        return restored


def _check_names(found: Manifest, known: Manifest) -> None:
    """Refuse a manifest with a value that nothing read: a newer version may have written it, and meant something by it."""
    if strange := set(found) - set(known):
        raise ValueError(f"it has a value {min(strange)!r}, which this version of hedgerow does not know")
    for part, inner in found.get("parts", {}).items():
        _check_names(inner, known["parts"].get(part, {}))


def _manifest(archive: zipfile.ZipFile) -> Manifest:
    for member in archive.infolist():
        if member.compress_type != zipfile.ZIP_STORED or member.flag_bits & 1:
            raise ValueError(f"{member.filename} is compressed or encrypted")
    names = archive.namelist()
    if len(set(names)) < len(names):
        raise ValueError("two of its members have one name")
    manifest = json.loads(archive.read(MANIFEST))
    if not isinstance(manifest, dict) or type(manifest.get("format")) is not int:
        raise ValueError("its manifest has no format number")
    if not 1 <= manifest["format"] <= FORMAT:
        raise ValueError(f"it has format {manifest['format']} of a newer hedgerow, this one reads {FORMAT}; upgrade hedgerow")
    if manifest["format"] < FORMAT:
        raise ValueError(
            f"it has format {manifest['format']}, whose numbers have no names; this hedgerow reads {FORMAT}: "
            "learn the policy anew from its log, or load it with the version that saved it"
        )
    if not isinstance(manifest.get("fields"), dict):
        raise ValueError("its manifest does not list the fields of its arrays")
    return manifest
