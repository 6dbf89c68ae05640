"""Files that are there whole or not at all, whatever interrupts the writing."""

import os
import secrets
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Put a file in place at once: written beside it under a name of its own, on disk, then renamed.

    Another thread or process that writes the same file does no harm. The mode of a file that is replaced stays, and a link stays
    a link.

    Args:
        path: The file.
        data: What it is to hold.

    Raises:
        OSError: The file cannot be written there.
    """
    target = Path(os.path.realpath(path))
    unfinished = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
    try:
        mode = target.stat().st_mode & 0o7777
    except FileNotFoundError:
        mode = None
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(unfinished, flags, 0o666 if mode is None else 0o600)
        with os.fdopen(descriptor, "wb") as file:
            if mode is not None:
                unfinished.chmod(mode)  # before there is anything to read in it
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
