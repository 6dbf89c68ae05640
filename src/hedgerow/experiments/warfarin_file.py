"""The patients of the International Warfarin Pharmacogenetics Consortium (IWPC).

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
from .data_files import DataError, find, text_of

LOW_DOSE, HIGH_DOSE = 21.0, 49.0  # mg per week: the classes of the paper's experiment are below, between and above
CLASSES = ("low", "medium", "high")
ARMS_PER_CLASS = 5
DOSE_HEADING = "Therapeutic Dose of Warfarin"
NOT_KNOWN = ("", "NA")
PLAIN_NUMBER = re.compile(r"(\d{1,15}(?:\.\d*)?)")
POSITIVE = re.compile(r"(?=.*[1-9])" + PLAIN_NUMBER.pattern)
AGE_BAND = re.compile(r"(\d{1,2})0 ?(?:- ?\d+|\+)")


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
IWPC_COLUMNS = [heading for heading, _, _ in (*MEASURES.values(), *CATEGORIES.values())]
IWPC_COLUMNS += [*chain.from_iterable(QUESTIONS.values()), DOSE_HEADING]


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

        Returns:
            One number for each patient.
        """
        classes = (self.dose >= LOW_DOSE).astype(np.int64) + (self.dose > HIGH_DOSE)
        arms = ARMS_PER_CLASS * classes
        for number in range(len(CLASSES)):
            _, members, counts = np.unique(self.dose[classes == number], return_inverse=True, return_counts=True)
            middle = (np.cumsum(counts) - counts / 2) / max(members.size, 1)
            arms[classes == number] += np.floor(ARMS_PER_CLASS * middle[members]).astype(np.int64)
        return arms

    def clusters(self) -> tuple[str, ...]:
        """The class of each arm.

        Returns:
            Low, medium or high for each of the 15 arms.
        """
        return tuple(name for name in CLASSES for _ in range(ARMS_PER_CLASS))


def warfarin(folder_or_file: str | Path | None = None, *, seed: int = 0) -> Warfarin:
    """The IWPC patients with a known dose, in the order of ``warfarin.csv``.

    Args:
        folder_or_file: the file or its folder; None for the folder that HEDGEROW_DATA names.
        seed: of the simulated patients that take the place of a file that is not there.

    Returns:
        Their features and their doses.
    """
    path = find(folder_or_file, "warfarin.csv")
    if path is None:
        cells = simulators.patients(seed)
        patients = _Patients("the simulator", range(simulators.PATIENT_COUNT), cells)
        source = f"simulated from the IWPC dosing equation, {len(patients.lines)} patients, seed {seed}"
    else:
        patients = _read_patients(path)
        source = f"IWPC file {path.name}, {len(patients.lines)} patients"
    columns = _features(patients)
    dose = _numbers(patients, DOSE_HEADING, POSITIVE, "a positive number of mg per week")
    return Warfarin(np.column_stack(list(columns.values())), tuple(columns), dose, source, simulated=path is None)


class _Patients(NamedTuple):
    """The cells under each heading, and the line of the file each patient stands in."""

    file: str
    lines: Sequence[int]
    cells: Mapping[str, Sequence[str]]

    def refused(self, heading: str, row: int, wanted: str) -> DataError:
        value = self.cells[heading][row]
        return DataError(f"{self.file}, line {self.lines[row]}: {heading!r} is {value!r}; make it {wanted}, or NA if not known")


def _read_patients(path: Path) -> _Patients:
    reader = csv.reader(io.StringIO(text_of(path), newline=""), strict=True)
    try:
        rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if row]
    except csv.Error as error:
        raise DataError(f"{path.name}, line {reader.line_num}, is not CSV ({error}); save it as CSV in UTF-8") from error
    header = rows.pop(0)[1]
    if missing := [heading for heading in IWPC_COLUMNS if heading not in header]:
        raise DataError(f"{path.name} has no column {shown(missing, len(missing))}; use the IWPC file with its own headings")
    for line, row in rows:
        if len(row) != len(header):
            raise DataError(f"{path.name}, line {line}, has {len(row)} cells; make it {len(header)}, as the headings")
    at = {heading: header.index(heading) for heading in IWPC_COLUMNS}
    dose = header.index(DOSE_HEADING)
    known = [(line, row) for line, row in rows if row[dose] not in NOT_KNOWN]
    if not known:
        raise DataError(f"{path.name} has no patient with a {DOSE_HEADING!r}; use the IWPC file")
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
        if cell not in NOT_KNOWN:
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
        level = "unknown" if cell in NOT_KNOWN else cell if cell in levels else rest
        if level is None:
            raise patients.refused(heading, row, f"one of {shown(levels)}")
        columns[level][row] = 1.0
    return {f"{name}={level}": column for level, column in columns.items()}


def _answers(name: str, patients: _Patients) -> dict[str, Floats]:
    """Yes if any of the cells is 1, unknown if no cell says anything."""
    headings = QUESTIONS[name]
    cells = np.array([patients.cells[heading] for heading in headings])
    missing = np.isin(cells, NOT_KNOWN)
    if (wrong := np.argwhere(~missing & ~np.isin(cells, ("0", "1")))).size:
        raise patients.refused(headings[wrong[0, 0]], wrong[0, 1], "0 or 1")
    return {name: (cells == "1").any(axis=0).astype(np.float64), f"{name} unknown": missing.all(axis=0).astype(np.float64)}
