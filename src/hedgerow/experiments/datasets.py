"""The paper's two real data sets: read from a file at hand, or else simulated and labelled so.

The features of a Warfarin patient, from the headings in MEASURES, CATEGORIES and QUESTIONS below, in this order:

- ``constant``: 1;
- ``age`` (decade of the age band), ``height`` (cm), ``weight`` (kg): less the mean and over the standard deviation of
  the patients whose file says it, 0 for the others; after each, ``age missing`` and so on: 1 if the file does not say;
- ``gender=female``, ``gender=male``, ``gender=unknown``, and likewise the race (mixed counts as unknown), the VKORC1
  genotype at -1639, and the CYP2C9 genotype (rare alleles count as other): exactly one of each group is 1;
- ``enzyme inducer`` (carbamazepine, phenytoin or rifampin), ``amiodarone``, ``aspirin``: 1 if the patient takes it;
  ``smoker``, ``diabetes``, ``heart failure`` (or cardiomyopathy), ``valve replacement``: 1 if so;
  after each, ``aspirin unknown`` and so on: 1 if the file does not say.
"""

import csv
import io
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..core.labels import shown
from ..core.types import Floats, Integers
from . import simulators

FOLDER = "HEDGEROW_DATA"  # the environment variable that names the folder of the data files
LOW, HIGH = 21.0, 49.0  # mg per week: the classes of the paper's experiment are below, between and above
CLASSES = ("low", "medium", "high")
BINS = 5
DOSE = "Therapeutic Dose of Warfarin"
MISSING = ("", "NA")
NUMBER = re.compile(r"(\d{1,15}(?:\.\d*)?)")
POSITIVE = re.compile(r"(?=.*[1-9])" + NUMBER.pattern)
AGE_BAND = re.compile(r"(\d{1,2})0 ?(?:- ?\d+|\+)")


class DataError(ValueError):
    """A data file that cannot be used, and what to do about it."""


MEASURES = {
    "age": ("Age", AGE_BAND, "an age band like '60 - 69' or '90+'"),
    "height": ("Height (cm)", POSITIVE, "a positive number"),
    "weight": ("Weight (kg)", POSITIVE, "a positive number"),
}
# Levels, and the one that takes all other text; with None, other text is an error.
CATEGORIES: dict[str, tuple[str, tuple[str, ...], str | None]] = {
    "gender": ("Gender", ("female", "male"), None),
    "race": ("Race", ("White", "Asian", "Black or African American"), "unknown"),
    "VKORC1": ("VKORC1 -1639 consensus", ("G/G", "A/G", "A/A"), None),
    "CYP2C9": ("CYP2C9 consensus", ("*1/*1", "*1/*2", "*1/*3", "*2/*2", "*2/*3", "*3/*3"), "other"),
}
QUESTIONS = {
    "enzyme inducer": ("Carbamazepine (Tegretol)", "Phenytoin (Dilantin)", "Rifampin or Rifampicin"),
    "amiodarone": ("Amiodarone (Cordarone)",),
    "aspirin": ("Aspirin",),
    "smoker": ("Current Smoker",),
    "diabetes": ("Diabetes",),
    "heart failure": ("Congestive Heart Failure and/or Cardiomyopathy",),
    "valve replacement": ("Valve Replacement",),
}
COLUMNS = [heading for heading, _, _ in (*MEASURES.values(), *CATEGORIES.values())]
COLUMNS += [*chain.from_iterable(QUESTIONS.values()), DOSE]


@dataclass(frozen=True, eq=False)
class Warfarin:
    """Patients and the weekly dose of Warfarin that suited them; the head of this module says what the features are."""

    features: Floats
    names: tuple[str, ...]
    dose: Floats
    source: str
    simulated: bool

    def arms(self) -> Integers:
        """The right arm of each patient, 0 to 14: five per class, cut at the quantiles of the class's doses.

        Doses come in tablets, so many patients share one. A dose is never split between two arms: it goes where the
        middle of its patients falls.
        """
        classes = (self.dose >= LOW).astype(np.int64) + (self.dose > HIGH)
        arms = BINS * classes
        for number in range(len(CLASSES)):
            _, members, counts = np.unique(self.dose[classes == number], return_inverse=True, return_counts=True)
            middle = (np.cumsum(counts) - counts / 2) / max(members.size, 1)
            arms[classes == number] += np.floor(BINS * middle[members]).astype(np.int64)
        return arms

    def clusters(self) -> tuple[str, ...]:
        """The class of each arm: low, medium or high."""
        return tuple(name for name in CLASSES for _ in range(BINS))


@dataclass(frozen=True, eq=False)
class Latencies:
    """How many milliseconds each server (column) took at each probe (row)."""

    ms: Floats
    urls: tuple[str, ...] | None
    source: str
    simulated: bool

    def domains(self) -> tuple[str, ...] | None:
        """The top-level domain of each server, if the URLs are known."""
        return None if self.urls is None else tuple(_domain(url) for url in self.urls)


def warfarin(folder_or_file: str | Path | None = None, *, seed: int = 0) -> Warfarin:
    """The IWPC patients with a known dose, in the order of ``warfarin.csv``.

    The file is the one given, or in the folder given or that HEDGEROW_DATA names; without it, ``seed`` simulates patients.
    """
    path = _find(folder_or_file, "warfarin.csv")
    if path is None:
        cells = simulators.patients(seed)
        patients = _Patients("the simulator", range(len(cells[DOSE])), cells)
        source = f"simulated from the IWPC dosing equation, {len(patients.lines)} patients, seed {seed}"
    else:
        patients = _read_patients(path)
        source = f"IWPC file {path.name}, {len(patients.lines)} patients"
    columns = _features(patients)
    dose = _numbers(patients, DOSE, POSITIVE, "a positive number of mg per week")
    return Warfarin(np.column_stack(list(columns.values())), tuple(columns), dose, source, simulated=path is None)


def latencies(folder_or_file: str | Path | None = None, *, seed: int = 0) -> Latencies:
    """Vermorel's university latencies: ``univ-latencies.txt``, which has the URLs, else ``univ_latencies_ms.npz``.

    The file is looked for as in :func:`warfarin`; without it, latencies are simulated.
    """
    path = _find(folder_or_file, "univ-latencies.txt", "univ_latencies_ms.npz")
    urls = None
    if path is None:
        ms = simulators.server_latencies(seed)
    elif path.suffix.lower() == ".npz":
        ms = _read_archive(path)
    else:
        ms, urls = _read_table(path)
    origin, end = ("simulated log-normal latencies", f", seed {seed}") if path is None else (f"file {path.name}", "")
    return Latencies(ms, urls, f"{origin}, {ms.shape[1]} servers, {ms.shape[0]} probes{end}", simulated=path is None)


def _find(given: str | Path | None, *names: str) -> Path | None:
    """The file to read, or None if there is a folder without it or no folder at all."""
    named = os.environ.get(FOLDER)
    if given is None and not named:
        return None
    path = Path(given if given is not None else str(named)).expanduser()
    if path.is_dir():
        return next((path / name for name in names if (path / name).is_file()), None)
    if given is None:
        raise DataError(f"{FOLDER} is {named!r}, which is not a folder; name the folder of {shown(names)} or unset it")
    if not path.exists():
        raise DataError(f"there is no file {str(path)!r}; give an existing file or folder, or none for simulated data")
    return path


class _Patients(NamedTuple):
    """The cells under each heading, and the line of the file each patient stands in."""

    file: str
    lines: Sequence[int]
    cells: Mapping[str, Sequence[str]]

    def refused(self, heading: str, row: int, wanted: str) -> DataError:
        value = self.cells[heading][row]
        return DataError(f"{self.file}, line {self.lines[row]}: {heading!r} is {value!r}; make it {wanted}, or NA if not known")


def _read_patients(path: Path) -> _Patients:
    reader = csv.reader(io.StringIO(_text(path), newline=""), strict=True)
    try:
        rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if row]
    except csv.Error as error:
        raise DataError(f"{path.name}, line {reader.line_num}, is not CSV ({error}); save it as CSV in UTF-8") from error
    header = rows.pop(0)[1]
    if missing := [heading for heading in COLUMNS if heading not in header]:
        raise DataError(f"{path.name} has no column {shown(missing, len(missing))}; use the IWPC file with its own headings")
    for line, row in rows:
        if len(row) != len(header):
            raise DataError(f"{path.name}, line {line}, has {len(row)} cells; make it {len(header)}, as the headings")
    at = {heading: header.index(heading) for heading in COLUMNS}
    known = [(line, row) for line, row in rows if row[at[DOSE]] not in MISSING]
    if not known:
        raise DataError(f"{path.name} has no patient with a {DOSE!r}; use the IWPC file")
    cells = {heading: [row[column] for _, row in known] for heading, column in at.items()}
    return _Patients(path.name, [line for line, _ in known], cells)


def _features(patients: _Patients) -> dict[str, Floats]:
    columns = {"constant": np.ones(len(patients.lines))}
    for name, (heading, pattern, wanted) in MEASURES.items():
        values = _numbers(patients, heading, pattern, wanted)
        columns |= {name: _standardised(values), f"{name} missing": np.isnan(values).astype(np.float64)}
    for name in CATEGORIES:
        columns |= _indicators(name, patients)
    for name in QUESTIONS:
        columns |= _answers(name, patients)
    return columns


def _numbers(patients: _Patients, heading: str, pattern: re.Pattern[str], wanted: str) -> Floats:
    """The cells as numbers, NaN where missing."""
    values = np.full(len(patients.lines), np.nan)
    for row, cell in enumerate(patients.cells[heading]):
        if cell not in MISSING:
            match = pattern.fullmatch(cell)
            if match is None:
                raise patients.refused(heading, row, wanted)
            values[row] = float(match[1])
    return values


def _standardised(values: Floats) -> Floats:
    known = values[~np.isnan(values)]
    if known.size == 0 or np.ptp(known) == 0.0:
        return np.zeros(values.size)
    return np.where(np.isnan(values), 0.0, (values - known.mean()) / known.std())


def _indicators(name: str, patients: _Patients) -> dict[str, Floats]:
    """One 0/1 column per level, and one for the unknown."""
    heading, levels, rest = CATEGORIES[name]
    columns = {level: np.zeros(len(patients.lines)) for level in (*levels, rest or "unknown", "unknown")}
    for row, cell in enumerate(patients.cells[heading]):
        level = "unknown" if cell in MISSING else cell if cell in levels else rest
        if level is None:
            raise patients.refused(heading, row, f"one of {shown(levels)}")
        columns[level][row] = 1.0
    return {f"{name}={level}": column for level, column in columns.items()}


def _answers(name: str, patients: _Patients) -> dict[str, Floats]:
    """Yes if any of the cells is 1, unknown if no cell says anything."""
    headings = QUESTIONS[name]
    cells = np.array([patients.cells[heading] for heading in headings])
    missing = np.isin(cells, MISSING)
    if (wrong := np.argwhere(~missing & ~np.isin(cells, ("0", "1")))).size:
        raise patients.refused(headings[wrong[0, 0]], wrong[0, 1], "0 or 1")
    return {name: (cells == "1").any(axis=0).astype(np.float64), f"{name} unknown": missing.all(axis=0).astype(np.float64)}


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
    lines = [(number, _split(line)) for number, line in enumerate(_text(path).splitlines(), start=1) if line.strip()]
    urls = lines.pop(0)[1]
    if not lines or all(NUMBER.fullmatch(url) for url in urls):
        raise DataError(f"{path.name} must have URLs in the first line and latencies below; get the original file again")
    for number, cells in lines:
        if len(cells) != len(urls):
            raise DataError(f"{path.name}, line {number}, has {len(cells)} cells; make it {len(urls)}, one per URL")
        for cell in cells:
            if not NUMBER.fullmatch(cell):
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


def _text(path: Path) -> str:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path.name} cannot be read as text in UTF-8 ({error}); get the file again") from error
    if "\0" in text or not text.strip():
        raise DataError(f"{path.name} is {'binary' if text.strip() else 'empty'}, not text; get the file again")
    return text
