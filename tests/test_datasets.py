"""The real data sets where they are at hand, their simulators, and files that are not what they should be."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hedgerow.experiments import simulators, warfarin_file
from hedgerow.experiments.datasets import DataError, Latencies, Warfarin, latencies, warfarin

FOLDER = os.environ.get("HEDGEROW_DATA", "")
HEADINGS = (*warfarin_file.IWPC_COLUMNS, "", "", "")
PATIENT = {"Age": "60 - 69", "Height (cm)": "170.0", "Weight (kg)": "80.0", "Gender": "male", "Race": "White"}
PATIENT |= {"VKORC1 -1639 consensus": "A/G", "CYP2C9 consensus": "*1/*2", "Amiodarone (Cordarone)": "1"}
PATIENT |= {"Therapeutic Dose of Warfarin": "28.00"}
Writer = Callable[..., Path]


def real(name: str) -> pytest.MarkDecorator:
    there = bool(FOLDER) and (Path(FOLDER) / name).is_file()
    return pytest.mark.skipif(not there, reason=f"HEDGEROW_DATA names no folder with {name}")


@pytest.fixture(autouse=True)
def no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEDGEROW_DATA", raising=False)


@pytest.fixture
def patients_file(tmp_path: Path) -> Writer:
    """A file like the IWPC's: a byte order mark, three empty columns at the end, NA for what is not known."""

    def write(*changes: dict[str, str], headings: tuple[str, ...] = HEADINGS) -> Path:
        rows = [[(PATIENT | change).get(heading, "NA" if heading else "") for heading in headings] for change in changes]
        path = tmp_path / "warfarin.csv"
        path.write_text("".join(",".join(row) + "\n" for row in (headings, *rows)), encoding="utf-8-sig")
        return path

    return write


@pytest.fixture
def latency_file(tmp_path: Path) -> Writer:
    def write(text: str) -> Path:
        path = tmp_path / "univ-latencies.txt"
        path.write_text(text)
        return path

    return write


def column(data: Warfarin, name: str) -> list[float]:
    values: list[float] = data.features[:, data.names.index(name)].tolist()
    return values


@real("warfarin.csv")
def test_warfarin_file() -> None:
    data = warfarin(FOLDER)
    assert data.source == "IWPC file warfarin.csv, 5528 patients"
    assert not data.simulated
    assert data.features.shape == (5528, len(data.names)) == (5528, 40)
    assert np.isfinite(data.features).all()
    assert (data.features[:, 0] == 1.0).all()
    assert data.dose.min() == 2.1
    assert data.dose.max() == 315.0


@real("warfarin.csv")
def test_warfarin_file_has_fifteen_arms_of_about_a_fifth_of_their_class() -> None:
    data = warfarin(FOLDER)
    arms = data.arms()
    classes = np.bincount(arms // 5)
    assert classes.tolist() == [1495, 3382, 651]
    shares = np.bincount(arms, minlength=15).reshape(3, 5) / classes[:, None]
    assert shares.min() > 0.1
    assert shares.max() < 0.3
    by_dose = np.argsort(data.dose, kind="stable")
    assert (np.diff(arms[by_dose]) >= 0).all(), "more mg, never a lower arm"
    assert (np.diff(arms[by_dose])[np.diff(data.dose[by_dose]) == 0] == 0).all(), "one dose, one arm"


@real("univ_latencies_ms.npz")
def test_latency_file_and_its_likeness() -> None:
    data = latencies(Path(FOLDER) / "univ_latencies_ms.npz")
    assert data.source == "file univ_latencies_ms.npz, 760 servers, 1361 probes"
    assert data.ms.shape == (1361, 760)
    assert (data.ms == 500.0).all(axis=0).sum() == 104
    assert (data.ms == 500.0).mean() == pytest.approx(0.257, abs=0.001)
    assert data.domains() is None
    simulated = latencies().ms
    assert simulated.mean() == pytest.approx(data.ms.mean(), rel=0.05)
    in_time = [np.quantile(ms[ms < 500.0], [0.25, 0.5, 0.75, 0.95]) for ms in (simulated, data.ms)]
    assert in_time[0] == pytest.approx(in_time[1], rel=0.15)


@real("warfarin.csv")
def test_simulated_patients_resemble_the_real_ones() -> None:
    true, simulated = warfarin(FOLDER), warfarin()
    assert simulated.names == true.names
    assert np.abs(simulated.features.mean(axis=0) - true.features.mean(axis=0)).max() < 0.04
    quantiles = [0.05, 0.25, 0.5, 0.75, 0.95]
    assert np.quantile(simulated.dose, quantiles) == pytest.approx(np.quantile(true.dose, quantiles), rel=0.15)


@pytest.mark.parametrize("load", [warfarin, latencies])
def test_simulators_are_labelled_and_repeatable(load: Callable[..., Warfarin | Latencies]) -> None:
    first, again, other = (load(seed=seed) for seed in (3, 3, 4))
    assert first.simulated
    assert first.source.startswith("simulated ")
    assert first.source.endswith(", seed 3")
    for name in ("features", "dose", "ms"):
        if hasattr(first, name):
            assert np.array_equal(getattr(first, name), getattr(again, name))
            assert not np.array_equal(getattr(first, name), getattr(other, name))


def test_the_equation_by_hand() -> None:
    cells = {
        **{heading: ["0", "0", "0"] for heading in warfarin_file.IWPC_COLUMNS},
        "VKORC1 -1639 consensus": ["A/G", "G/G", "NA"],
        "CYP2C9 consensus": ["*1/*2", "*1/*1", "NA"],
        "Race": ["White", "Asian", "Unknown"],
        "Amiodarone (Cordarone)": ["1", "NA", "0"],
        "Phenytoin (Dilantin)": ["0", "1", "NA"],
        "Rifampin or Rifampicin": ["0", "1", "NA"],
    }
    root = simulators.square_root_dose(cells, age=[6, 5, 7], height=[170, 160, 180], weight=[80, 60, 100])
    first = 5.6044 - 1.5684 + 1.479 + 1.024 - 0.8677 - 0.5211 - 0.5503
    second = 5.6044 - 1.307 + 1.392 + 0.768 - 0.1092 + 1.1816
    third = 5.6044 - 1.8298 + 1.566 + 1.28 - 0.4854 - 0.2188 - 0.1032
    assert root == pytest.approx([first, second, third])
    assert root[0] ** 2 == pytest.approx(21.16, abs=0.01), "mg per week"


def test_simulated_patients_follow_the_equation() -> None:
    data = warfarin()
    assert data.features.shape == (5528, 40)
    assert np.isfinite(data.features).all()
    root = np.sqrt(data.dose)
    fitted = data.features @ np.linalg.lstsq(data.features, root, rcond=None)[0]
    assert np.var(fitted) / np.var(root) == pytest.approx(0.45, abs=0.04)
    groups = [data.features[:, data.names.index(f"VKORC1={genotype}")] == 1.0 for genotype in ("G/G", "A/G", "A/A")]
    carriers = [root[group].mean() for group in groups]
    assert carriers == sorted(carriers, reverse=True)
    assert np.bincount(data.arms() // 5) / 5528 == pytest.approx([0.27, 0.61, 0.12], abs=0.03)
    assert np.bincount(data.arms(), minlength=15).min() > 100


def test_simulated_latencies() -> None:
    data = latencies()
    assert data.ms.shape == (1361, 760)
    assert data.ms.min() >= 10.0
    assert data.ms.max() == 500.0
    assert (data.ms == 500.0).all(axis=0).sum() == 104
    assert (data.ms == 500.0).mean() == pytest.approx(0.257, abs=0.02)
    assert data.urls is None
    assert data.domains() is None


def test_a_file_a_folder_and_the_environment(patients_file: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    path = patients_file({}, {})
    monkeypatch.setenv("HEDGEROW_DATA", str(path.parent))
    for place in (path, str(path), path.parent, None):
        assert warfarin(place).source == "IWPC file warfarin.csv, 2 patients"
    assert latencies().simulated, "a folder without the file"
    assert latencies(path.parent).simulated


@pytest.mark.parametrize("load", [warfarin, latencies])
def test_a_path_that_leads_nowhere(load: Callable[..., object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match=r"there is no file .*nowhere\.csv"):
        load(tmp_path / "nowhere.csv")
    monkeypatch.setenv("HEDGEROW_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match=r"HEDGEROW_DATA is .*nowhere', which is not a folder"):
        load()


def test_features_by_hand(patients_file: Writer) -> None:
    one = {"Age": "70 - 79", "Gender": "NA", "Race": "", "Phenytoin (Dilantin)": "1", "Rifampin or Rifampicin": "0"}
    two = {"Age": "90+", "Height (cm)": "NA", "CYP2C9 consensus": "*1/*11", "Race": "Mixed", "Aspirin": "0"}
    data = warfarin(patients_file(one, {"Therapeutic Dose of Warfarin": "NA"}, two))
    assert data.dose.tolist() == [28.0, 28.0]
    assert column(data, "constant") == [1.0, 1.0]
    assert column(data, "age") == [-1.0, 1.0]
    assert column(data, "height") == [0.0, 0.0]
    assert column(data, "height missing") == [0.0, 1.0]
    assert column(data, "gender=unknown") == [1.0, 0.0]
    assert column(data, "race=unknown") == [1.0, 1.0]
    assert column(data, "VKORC1=A/G") == [1.0, 1.0]
    assert column(data, "CYP2C9=*1/*2") == [1.0, 0.0]
    assert column(data, "CYP2C9=other") == [0.0, 1.0]
    assert column(data, "enzyme inducer") == [1.0, 0.0]
    assert column(data, "enzyme inducer unknown") == [0.0, 1.0]
    assert column(data, "amiodarone") == [1.0, 1.0]
    assert column(data, "aspirin unknown") == [1.0, 0.0]


def test_a_patient_of_whom_nothing_but_the_dose_is_known(patients_file: Writer) -> None:
    unknown = dict.fromkeys(PATIENT, "NA") | {"Therapeutic Dose of Warfarin": "35"}
    data = warfarin(patients_file(unknown))
    assert np.isfinite(data.features).all()
    known = {name for name, value in zip(data.names, data.features[0], strict=True) if value == 1.0}
    assert known == {name for name in data.names if name.endswith(("constant", "unknown", "missing"))}


def test_arms_by_hand() -> None:
    dose = np.array([5.0, 7.0, 7.0, 7.0, 20.9, 21.0, 30.0, 49.0, 49.1, 70.0])
    data = Warfarin(np.ones((10, 1)), ("constant",), dose, "by hand", simulated=False)
    # Low: five patients, the three of 7 mg share the middle bin. Medium: middles at 1/6, 1/2, 5/6. High: 1/4, 3/4.
    assert data.arms().tolist() == [0, 2, 2, 2, 4, 5, 7, 9, 11, 13]
    assert data.clusters() == ("low",) * 5 + ("medium",) * 5 + ("high",) * 5


@pytest.mark.parametrize("dose", ["lots", "0", "0.0", "-7", "nan", "inf", "2_8"])
def test_a_dose_that_is_no_dose(patients_file: Writer, dose: str) -> None:
    with pytest.raises(DataError, match=f"line 3: 'Therapeutic Dose of Warfarin' is '{dose}'; make it a positive number"):
        warfarin(patients_file({}, {"Therapeutic Dose of Warfarin": dose}))


@pytest.mark.parametrize(
    ("heading", "value", "wanted"),
    [
        ("Age", "old", "an age band like '60 - 69' or '90+'"),
        ("Height (cm)", "tall", "a positive number"),
        ("Gender", "M", "one of 'female', 'male'"),
        ("VKORC1 -1639 consensus", "G/A", "one of 'G/G', 'A/G', 'A/A'"),
        ("Aspirin", "yes", "0 or 1"),
        ("Phenytoin (Dilantin)", "2", "0 or 1"),
    ],
)
def test_a_cell_that_cannot_be_read(patients_file: Writer, heading: str, value: str, wanted: str) -> None:
    with pytest.raises(DataError) as caught:
        warfarin(patients_file({}, {heading: value}))
    assert str(caught.value) == f"warfarin.csv, line 3: {heading!r} is {value!r}; make it {wanted}, or NA if not known"


def test_missing_columns_and_doses(patients_file: Writer) -> None:
    kept = tuple(heading for heading in HEADINGS if heading not in {"Age", "Aspirin"})
    with pytest.raises(DataError, match="has no column 'Age', 'Aspirin'; use the IWPC file"):
        warfarin(patients_file({}, headings=kept))
    with pytest.raises(DataError, match="has no patient with a 'Therapeutic Dose"):
        warfarin(patients_file({"Therapeutic Dose of Warfarin": "NA"}))


@pytest.mark.parametrize(
    ("extra", "message"), [("1,2", "has 2 cells; make it"), ("," * 99, "has 100 cells; make it"), ('1,"2', "is not CSV")]
)
def test_a_row_that_does_not_fit(patients_file: Writer, extra: str, message: str) -> None:
    path = patients_file({})
    path.write_text(path.read_text(encoding="utf-8") + extra, encoding="utf-8")
    with pytest.raises(DataError, match=f"line 3, {message}"):
        warfarin(path)


@pytest.mark.parametrize("load", [warfarin, latencies])
@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "empty"), (b"\xef\xbb\xbf \n\n", "empty"), (b"PK\x03\x04\x00\x00", "binary"), (b"a,b\n\xff\xfe\n", "UTF-8")],
)
def test_files_that_are_no_text(load: Callable[..., object], content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        load(path)


@pytest.mark.parametrize("separator", [",", "\t", " ", ", "])
def test_latencies_with_urls(latency_file: Writer, separator: str) -> None:
    rows = [["http://www.mit.edu/", "www.ox.ac.uk", "https://ethz.CH:443/en"], ["10", "20.5", "0"], ["40", "50", "60"]]
    path = latency_file("\n".join(separator.join(row) for row in rows) + "\n")
    for place in (path, path.parent):
        data = latencies(place)
        assert data.ms.tolist() == [[10.0, 20.5, 0.0], [40.0, 50.0, 60.0]]
        assert data.urls == tuple(rows[0])
        assert data.domains() == ("edu", "uk", "ch")
        assert data.source == "file univ-latencies.txt, 3 servers, 2 probes"
        assert not data.simulated


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a.edu,b.edu\n1,2\n3,slow\n", "line 3, has 'slow'; make it a number"),
        ("a.edu,b.edu\n1,nan\n", "line 2, has 'nan'"),
        ("a.edu,b.edu\n1,inf\n", "line 2, has 'inf'"),
        ("a.edu,b.edu\n-1,2\n", "line 2, has '-1'"),
        ("a.edu,b.edu,c.edu\n1,,2\n", "line 2, has ''"),
        ("a.edu,b.edu\n1,2\n\n3\n", "line 4, has 1 cells; make it 2, one per URL"),
        ("a.edu b.edu\n2004-05-01 1 2\n", "line 2, has 3 cells; make it 2"),
        ("1,2\n3,4\n", "must have URLs in the first line"),
        ("a.edu,b.edu\n", "and latencies below"),
    ],
)
def test_malformed_latency_text(latency_file: Writer, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        latencies(latency_file(text))


def test_latency_archive_is_turned(tmp_path: Path) -> None:
    np.savez(tmp_path / "univ_latencies_ms.npz", ms=np.array([[10, 20, 30], [40, 50, 60]], dtype=np.int16))
    data = latencies(tmp_path)
    assert data.ms.tolist() == [[10.0, 40.0], [20.0, 50.0], [30.0, 60.0]]
    assert data.source == "file univ_latencies_ms.npz, 2 servers, 3 probes"


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"latency": np.ones((2, 2))}, "no NumPy archive with an array 'ms'"),
        ({"ms": np.ones(3)}, r"float64 of shape \(3,\)"),
        ({"ms": np.ones((0, 3))}, r"shape \(0, 3\)"),
        ({"ms": np.array([["a", "b"]])}, "<U1 of shape"),
        ({"ms": np.array([[None, 1]], dtype=object)}, "no NumPy archive"),
        ({"ms": np.array([[1.0, np.nan]])}, "has nan for server 0, probe 1"),
        ({"ms": np.array([[1.0], [-2.0]])}, r"has -2\.0 for server 1, probe 0"),
    ],
)
def test_malformed_latency_archives(arrays: dict[str, np.ndarray], message: str, tmp_path: Path) -> None:
    path = tmp_path / "univ_latencies_ms.npz"
    np.savez(path, **arrays)  # type: ignore[arg-type]
    with pytest.raises(DataError, match=message):
        latencies(path)


@pytest.mark.parametrize("content", [b"", b"not an archive", b"PK\x03\x04 cut short"])
def test_latency_archives_that_are_none(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "univ_latencies_ms.npz"
    path.write_bytes(content)
    with pytest.raises(DataError, match="no NumPy archive with an array 'ms'"):
        latencies(path)
