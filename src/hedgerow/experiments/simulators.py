"""Simulated data in place of the two real data sets, where the files are missing: same shape, similar marginals, other numbers.

The constants below are rounded summaries of the real files, so a figure drawn from a simulator shows the kind of
problem, not its result; :mod:`hedgerow.datasets` labels such data as simulated.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..core.types import Floats, Integers

PATIENT_COUNT = 5528
SERVERS, PROBES = 760, 1361

# International Warfarin Pharmacogenetics Consortium, "Estimation of the warfarin dose with clinical and pharmacogenetic
# data", NEJM 2009;360:753-764, supplementary appendix: the pharmacogenetic algorithm for the square root of the weekly
# dose in mg. What a table does not list has no effect: VKORC1 G/G, CYP2C9 *1/*1, White.
BASE, PER_DECADE, PER_CENTIMETRE, PER_KILOGRAM = 5.6044, -0.2614, 0.0087, 0.0128
VKORC1 = {"A/G": -0.8677, "A/A": -1.6974, "NA": -0.4854}
CYP2C9 = {"*1/*2": -0.5211, "*1/*3": -0.9357, "*2/*2": -1.0616, "*2/*3": -1.9206, "*3/*3": -2.3312, "NA": -0.2188}
RACE = {"Asian": -0.1092, "Black or African American": -0.2760, "Unknown": -0.1032}
INDUCER, AMIODARONE = 1.1816, -0.5503

ROOT_NOISE = 1.01
"""Standard deviation added to the square root, so that the equation explains about 45 % of the variance."""

SMALLEST_ROOT = 1.45
"""The smallest dose of the IWPC file is 2.1 mg per week."""


class Group(NamedTuple):
    """Patients of one race in the IWPC file; genotypes are in Hardy-Weinberg proportion.

    Args:
        race: as the file writes it.
        share: of all patients.
        male: share of men.
        age: mean in years.
        height: mean cm of women and men.
        weight: median kg of women and men.
        vkorc1_a: frequency of the allele A.
        cyp2c9: frequencies of the alleles *2, *3 and the rare *11; the rest is *1.
    """

    race: str
    share: float
    male: float
    age: float
    height: tuple[float, float]
    weight: tuple[float, float]
    vkorc1_a: float
    cyp2c9: tuple[float, float, float]


PATIENT_GROUPS = (
    Group("White", 0.537, 0.62, 66.5, (162.3, 176.8), (74.1, 87.9), 0.39, (0.128, 0.072, 0.0)),
    Group("Asian", 0.293, 0.58, 62.4, (154.1, 165.6), (54.0, 64.7), 0.91, (0.001, 0.034, 0.0)),
    Group("Black or African American", 0.084, 0.49, 58.9, (164.0, 178.4), (85.7, 93.5), 0.10, (0.026, 0.010, 0.016)),
    Group("Unknown", 0.086, 0.47, 62.2, (159.5, 171.1), (64.7, 76.7), 0.34, (0.112, 0.048, 0.0)),
)
AGE_SPREAD, HEIGHT_SPREAD, LOG_WEIGHT_SPREAD = 14.5, 7.2, 0.21
HEIGHT_WEIGHT_CORRELATION = 0.4

KNOWN_SHARES = {"Gender": 0.999, "Age": 0.993, "Height (cm)": 0.81, "Weight (kg)": 0.95}
KNOWN_SHARES |= {"VKORC1 -1639 consensus": 0.73, "CYP2C9 consensus": 0.98}
"""Share of the patients whose file says it."""

INDUCERS = {"Carbamazepine (Tegretol)": 0.011, "Phenytoin (Dilantin)": 0.010, "Rifampin or Rifampicin": 0.002}
ANSWERS: tuple[tuple[float, Mapping[str, float]], ...] = (
    (0.44, INDUCERS),
    (0.73, {"Amiodarone (Cordarone)": 0.065}),
    (0.68, {"Aspirin": 0.24}),
    (0.55, {"Current Smoker": 0.14}),
    (0.57, {"Diabetes": 0.19}),
    (0.70, {"Congestive Heart Failure and/or Cardiomyopathy": 0.19}),
    (0.69, {"Valve Replacement": 0.27}),
)
"""Questions asked together: share of the patients asked, and of these the share that said yes to each."""

# Vermorel's university latencies in ms, clipped to [10, 500]: 104 of 760 servers never answer within 500 ms, and
# 25.7 % of all cells are at that cap. The medians of the others are about log-normal.
FASTEST, CAP = 10.0, 500.0
NEVER_IN_TIME = 104
TYPICAL_MEDIAN, LOG_MEDIAN_SPREAD = 220.0, 0.8
SLOWEST_MEDIAN = 600.0  # slow enough to miss the cap mostly, quick enough to make it at times
LOG_JITTER = 0.2


def patients(seed: int) -> dict[str, list[str]]:
    """Columns of cells under the headings of the IWPC file, as that file would have them, missing ones included.

    Args:
        seed: of the draws.

    Returns:
        The cells of each column.
    """
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(PATIENT_GROUPS), size=PATIENT_COUNT, p=[group.share for group in PATIENT_GROUPS])
    male, age, height, weight = _bodies(rng, chosen)
    cells = {
        "Race": [PATIENT_GROUPS[group].race for group in chosen],
        "Gender": ["male" if flag else "female" for flag in male],
        "Age": ["90+" if decade == 9 else f"{decade}0 - {decade}9" for decade in age],
        "Height (cm)": [f"{value:.2f}" for value in height],
        "Weight (kg)": [f"{value:.1f}" for value in weight],
        "VKORC1 -1639 consensus": _genotypes(rng, chosen, ("A", "G"), [(1.0 - group.vkorc1_a,) for group in PATIENT_GROUPS]),
        "CYP2C9 consensus": _genotypes(rng, chosen, ("*1", "*2", "*3", "*11"), [group.cyp2c9 for group in PATIENT_GROUPS]),
    }
    for heading, share in KNOWN_SHARES.items():
        known = rng.random(PATIENT_COUNT) < share
        cells[heading] = [cell if told else "NA" for cell, told in zip(cells[heading], known, strict=True)]
    for share, questions in ANSWERS:
        asked = rng.random(PATIENT_COUNT) < share
        for heading, yes in questions.items():
            cells[heading] = np.where(asked, np.where(rng.random(PATIENT_COUNT) < yes, "1", "0"), "NA").tolist()
    root = square_root_dose(cells, age=age, height=height, weight=weight) + rng.normal(0.0, ROOT_NOISE, PATIENT_COUNT)
    cells["Therapeutic Dose of Warfarin"] = [f"{value:.2f}" for value in np.maximum(root, SMALLEST_ROOT) ** 2]
    return cells


def square_root_dose(cells: Mapping[str, Sequence[str]], *, age: ArrayLike, height: ArrayLike, weight: ArrayLike) -> Floats:
    """The IWPC equation.

    Args:
        cells: what the file says of each patient.
        age: decades.
        height: cm.
        weight: kg.

    Returns:
        The square root of mg per week.
    """
    body = BASE + np.dot((PER_DECADE, PER_CENTIMETRE, PER_KILOGRAM), np.array([age, height, weight]))
    genes = _effects(VKORC1, cells["VKORC1 -1639 consensus"]) + _effects(CYP2C9, cells["CYP2C9 consensus"])
    induced = np.any([np.array(cells[drug]) == "1" for drug in INDUCERS], axis=0)
    drugs = INDUCER * induced + _effects({"1": AMIODARONE}, cells["Amiodarone (Cordarone)"])
    total: Floats = body + genes + _effects(RACE, cells["Race"]) + drugs
    return total


def server_latencies(seed: int) -> Floats:
    """Latencies in whole milliseconds.

    Args:
        seed: of the draws.

    Returns:
        One row per probe and one column per server.
    """
    rng = np.random.default_rng(seed)
    medians = TYPICAL_MEDIAN * np.exp(LOG_MEDIAN_SPREAD * rng.standard_normal(SERVERS))
    jitter = np.exp(LOG_JITTER * rng.standard_normal((PROBES, SERVERS)))
    ms = np.minimum(medians, SLOWEST_MEDIAN) * jitter
    ms[:, rng.choice(SERVERS, size=NEVER_IN_TIME, replace=False)] = CAP
    rounded: Floats = np.clip(np.rint(ms), FASTEST, CAP)
    return rounded


def _bodies(rng: np.random.Generator, chosen: Integers) -> tuple[Integers, Integers, Floats, Floats]:
    """Sex, decade of age, height and weight: weight follows sex and height."""
    male = (rng.random(PATIENT_COUNT) < np.array([group.male for group in PATIENT_GROUPS])[chosen]).astype(np.int64)
    years = rng.normal(np.array([group.age for group in PATIENT_GROUPS])[chosen], AGE_SPREAD)
    tall, heavy = rng.standard_normal((2, PATIENT_COUNT))
    heavy = HEIGHT_WEIGHT_CORRELATION * tall + np.sqrt(1.0 - HEIGHT_WEIGHT_CORRELATION**2) * heavy
    height = np.array([group.height for group in PATIENT_GROUPS])[chosen, male] + HEIGHT_SPREAD * tall
    weight = np.array([group.weight for group in PATIENT_GROUPS])[chosen, male] * np.exp(LOG_WEIGHT_SPREAD * heavy)
    return male, np.clip(years // 10, 1, 9).astype(np.int64), height, weight


def _genotypes(
    rng: np.random.Generator, chosen: Integers, alleles: Sequence[str], frequencies: Sequence[tuple[float, ...]]
) -> list[str]:
    """Two alleles per patient, drawn at the frequencies of the patient's group; the first allele takes what they leave."""
    shares = np.array([(1.0 - sum(rest), *rest) for rest in frequencies])[chosen]
    draws = rng.random((2, PATIENT_COUNT, 1))
    pairs = np.sort((draws > np.cumsum(shares, axis=1)[:, :-1]).sum(axis=2), axis=0)
    return [f"{alleles[one]}/{alleles[other]}" for one, other in pairs.T]


def _effects(table: Mapping[str, float], values: Sequence[str]) -> Floats:
    return np.array([table.get(value, 0.0) for value in values])
