"""Vermorel's university latencies."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..core.types import Floats
from . import simulators
from .data_files import DataError, find, text_of

MILLISECONDS = re.compile(r"(\d{1,15}(?:\.\d*)?)")


@dataclass(frozen=True, eq=False)
class Latencies:
    """How many milliseconds each server (column) took at each probe (row)."""

    ms: Floats
    urls: tuple[str, ...] | None
    source: str
    simulated: bool

    def domains(self) -> tuple[str, ...] | None:
        """The top-level domain of each server.

        Returns:
            The domains, None if the URLs are not known.
        """
        return None if self.urls is None else tuple(_domain(url) for url in self.urls)


def latencies(folder_or_file: str | Path | None = None, *, seed: int = 0) -> Latencies:
    """Vermorel's university latencies: ``univ-latencies.txt``, which has the URLs, else ``univ_latencies_ms.npz``.

    Args:
        folder_or_file: the file or its folder; None for the folder that HEDGEROW_DATA names.
        seed: of the simulated latencies that take the place of a file that is not there.

    Returns:
        Milliseconds by probe and server.
    """
    path = find(folder_or_file, "univ-latencies.txt", "univ_latencies_ms.npz")
    urls = None
    if path is None:
        ms = simulators.server_latencies(seed)
    elif path.suffix.lower() == ".npz":
        ms = _read_archive(path)
    else:
        ms, urls = _read_table(path)
    origin, end = ("simulated log-normal latencies", f", seed {seed}") if path is None else (f"file {path.name}", "")
    return Latencies(ms, urls, f"{origin}, {ms.shape[1]} servers, {ms.shape[0]} probes{end}", simulated=path is None)


def _read_archive(path: Path) -> Floats:
    """The array ``ms``, one row per server, turned."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            stored = archive["ms"]
    except Exception as error:  # zipfile, zlib and numpy have a dozen ways to say that a file is broken
        raise DataError(f"{path.name} is no NumPy archive with an array 'ms' ({error}); get the file again") from error
    if stored.ndim != 2 or stored.size == 0 or stored.dtype.kind not in "iuf":
        raise DataError(f"'ms' in {path.name} is {stored.dtype} of shape {stored.shape}; make it ms by server and probe")
    ms = np.ascontiguousarray(stored.T, dtype=np.float64)
    if (wrong := ~((ms >= 0.0) & (ms < 1e9))).any():
        probe, server = np.argwhere(wrong)[0]
        raise DataError(f"'ms' in {path.name} has {ms[probe, server]} for server {server}, probe {probe}; make it 0 or more ms")
    return ms


def _read_table(path: Path) -> tuple[Floats, tuple[str, ...]]:
    """URLs in the first line, then one line of milliseconds per probe."""
    lines = [(number, _split(line)) for number, line in enumerate(text_of(path).splitlines(), start=1) if line.strip()]
    urls = lines.pop(0)[1]
    if not lines or all(MILLISECONDS.fullmatch(url) for url in urls):
        raise DataError(f"{path.name} must have URLs in the first line and latencies below; get the original file again")
    for number, cells in lines:
        if len(cells) != len(urls):
            raise DataError(f"{path.name}, line {number}, has {len(cells)} cells; make it {len(urls)}, one per URL")
        for cell in cells:
            if not MILLISECONDS.fullmatch(cell):
                raise DataError(f"{path.name}, line {number}, has {cell!r}; make it a number of milliseconds, 0 or more")
    return np.array([cells for _, cells in lines]).astype(np.float64), tuple(urls)


def _split(line: str) -> list[str]:
    """Cells of a line, at commas, else tabs, else spaces; a comma at the end of the line is no cell."""
    separator = next((mark for mark in ",\t" if mark in line), None)
    cells = [cell.strip() for cell in line.strip().split(separator)]
    return cells[:-1] if cells[-1] == "" else cells


def _domain(url: str) -> str:
    host = re.split(r"[/:?#]", re.sub(r"^\w+://", "", url))[0]
    return host.rstrip(".").rpartition(".")[2].lower()
