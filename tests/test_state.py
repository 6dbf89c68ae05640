"""State files: round trips, and files that were cut, forged or written by a later version."""

import io
import json
import pickle
import zipfile

import numpy as np
import pytest

import hedgerow as hr


@pytest.fixture
def saved(tmp_path):
    policy = hr.HLinUCBC([("ad", 1), "b", 3], clusters=[("x", "y"), ("x", "z"), "w"], dimension=2)
    for t in range(20):
        x = [1.0, t / 10]
        policy.update(policy.select(x), t % 3)
    policy.save(tmp_path / "policy.zip")
    return policy, tmp_path / "policy.zip"


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def forge(path, content, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in content.items():
            archive.writestr(name, data)


def npy(array, **kwargs):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, **kwargs)
    return buffer.getvalue()


def test_labels_clusters_and_sums_come_back(saved):
    policy, path = saved
    loaded = hr.load(path)
    assert loaded.arms == policy.arms
    assert loaded.clusters == policy.clusters
    assert loaded.explain([1, 2]) == policy.explain([1, 2])
    assert loaded.name == "HLinUCBC"


def test_the_same_state_gives_the_same_bytes(saved, tmp_path):
    policy, path = saved
    policy.save(tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == path.read_bytes()


def test_a_failed_save_leaves_the_old_file(saved, monkeypatch):
    policy, path = saved
    before = path.read_bytes()
    monkeypatch.setattr("hedgerow.state.json.dumps", lambda *args, **kwargs: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        policy.save(path)
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == ["policy.zip"]


def test_decisions_outlive_the_process(saved):
    policy, path = saved
    decision = policy.select([1, 2])
    loaded = hr.load(path)
    loaded.update(hr.Decision.from_json(decision.to_json()), 1.0)
    policy.update(decision, 1.0)
    assert loaded.explain([1, 2]) == policy.explain([1, 2])


@pytest.mark.parametrize("keep", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_truncated(saved, keep):
    _, path = saved
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * keep)])
    with pytest.raises(ValueError, match="not a hedgerow state file, or was cut short"):
        hr.load(path)


def test_a_flipped_bit_is_found(saved):
    _, path = saved
    data = bytearray(path.read_bytes())
    data[data.index(b"NUMPY") + 200] ^= 1
    path.write_bytes(data)
    with pytest.raises(ValueError, match="cut short"):
        hr.load(path)


class Bomb:
    exploded = False

    def __reduce__(self):
        return (setattr, (Bomb, "exploded", True))


def hostile(content):
    manifest = json.loads(content["manifest.json"])
    rows, width = np.lib.format.read_array(io.BytesIO(content["online.npy"])).shape
    huge = npy(np.zeros((rows, width))).replace(b"(%d, %d), }" % (rows, width), b"(%d, 9%d),}" % (rows, width))
    return {
        "a pickled array": ({"online.npy": npy(np.array([Bomb()], dtype=object), allow_pickle=True)}, "holds object"),
        "a pickle": ({"online.npy": pickle.dumps(Bomb())}, "magic"),
        "a huge declared shape": ({"online.npy": huge}, "has shape"),
        "a huge dimension": ({"manifest.json": json.dumps({**manifest, "dimension": 10**12})}, "has shape"),
        "fewer bytes than declared": ({"online.npy": content["online.npy"][:-8]}, "bytes, not the"),
        "integers": ({"online.npy": npy(np.zeros((rows, width), dtype=int))}, "holds int64"),
        "NaN": ({"online.npy": npy(np.full((rows, width), np.nan))}, "NaN"),
        "negative counts": ({"online.npy": npy(np.full((rows, width), -1.0))}, "fewer than no plays"),
        "a path outside": ({"../../outside.npy": b""}, "does not belong"),
        "a foreign file": ({"run.py": b"print()"}, "does not belong"),
        "a newer format": ({"manifest.json": json.dumps({**manifest, "format": 99})}, "format 99 of a newer hedgerow"),
        "no format": ({"manifest.json": "[]"}, "no format number"),
        "no JSON": ({"manifest.json": "{"}, "Expecting"),
        "deep JSON": ({"manifest.json": "[" * 100_000}, "recursion"),
        "an unknown kind": ({"manifest.json": json.dumps({**manifest, "kind": "os"})}, "lacks 'os'"),
        "an unknown rule": ({"manifest.json": json.dumps({**manifest, "rule": ["eval", 1]})}, "lacks 'eval'"),
        "duplicate arms": ({"manifest.json": json.dumps({**manifest, "arms": ["b", "b", 3]})}, "more than once"),
        "more arms than rows": (
            {"manifest.json": json.dumps({**manifest, "arms": [1, 2, 3, 4], "paths": [["x"]] * 4})},
            "has shape",
        ),
    }


@pytest.mark.parametrize("case", hostile({"manifest.json": "{}", "online.npy": npy(np.zeros((1, 1)))}))
def test_forged(saved, case):
    _, path = saved
    content = members(path)
    change, message = hostile(content)[case]
    forge(path, {**content, **change})
    with pytest.raises(ValueError, match=message):
        hr.load(path)
    assert not Bomb.exploded


def test_a_missing_array_is_named(saved):
    _, path = saved
    content = members(path)
    del content["past.npy"]
    forge(path, content)
    with pytest.raises(ValueError, match="past.npy"):
        hr.load(path)


def test_compressed_members_are_refused(saved):
    _, path = saved
    forge(path, members(path), zipfile.ZIP_DEFLATED)
    with pytest.raises(ValueError, match="compressed"):
        hr.load(path)


def test_an_expert_that_is_no_expert(tmp_path):
    path = tmp_path / "meta.zip"
    hr.META(["a", "b"], clusters=["x", "y"]).save(path)
    content = members(path)
    manifest = json.loads(content["manifest.json"])
    manifest["parts"]["expert-0"]["kind"] = "history"
    forge(path, {**content, "manifest.json": json.dumps(manifest)})
    with pytest.raises(ValueError, match="history"):
        hr.load(path)


def test_no_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        hr.load(tmp_path / "none.zip")
