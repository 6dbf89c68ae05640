"""State files: round trips, and files that were cut, forged or written by a later version."""

import copy
import io
import json
import pickle
import zipfile
from functools import partial

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.core.validate import accepted


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
    monkeypatch.setattr("hedgerow.core.state_file.json.dumps", lambda *args, **kwargs: 1 / 0)
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


def named(manifest, change):
    """The manifest with other names for the numbers of the online sums."""
    fields = manifest.get("fields", {"online": []})
    return {"manifest.json": json.dumps({**manifest, "fields": {**fields, "online": change(fields["online"])}})}


def hostile(content):
    manifest = json.loads(content["manifest.json"])
    rows, width = np.lib.format.read_array(io.BytesIO(content["online.npy"])).shape
    sums = np.lib.format.read_array(io.BytesIO(content["online.npy"]))
    huge = npy(np.zeros((rows, width))).replace(b"(%d, %d), }" % (rows, width), b"(%d, 9%d),}" % (rows, width))

    def said(**changes):
        return {"manifest.json": json.dumps({**manifest, **changes})}

    return {
        "a pickled array": ({"online.npy": npy(np.array([Bomb()], dtype=object), allow_pickle=True)}, "which are not"),
        "a pickle": ({"online.npy": pickle.dumps(Bomb())}, "which are not"),
        "a huge declared shape": ({"online.npy": huge}, "does not begin as a plain array"),
        "a huge dimension": (said(dimension=10**12), "lacks the field|in another order or size"),
        "fewer bytes than declared": ({"online.npy": content["online.npy"][:-8]}, "which are not"),
        "integers": ({"online.npy": npy(np.zeros((rows, width), dtype=int))}, "does not begin as a plain array"),
        "a header that is no Python": ({"online.npy": content["online.npy"].replace(b"descr", b"(((((")}, "does not begin"),
        "NaN": ({"online.npy": npy(np.full((rows, width), np.nan))}, "NaN"),
        "negative counts": ({"online.npy": npy(np.full((rows, width), -1.0))}, "in online, plays must be between 0 and 9"),
        "half a round": (
            {"online.npy": npy(np.where(np.arange(width) == 0, 0.5, sums))},
            "in online, plays must be a whole number",
        ),
        "clusters that are not sums": ({"online.npy": npy(sums + (np.arange(rows) == 0)[:, None])}, "not those of its arms"),
        "a path outside": ({"../../outside.npy": b""}, "has a member"),
        "a foreign file": ({"run.py": b"print()"}, "has a member"),
        "a newer format": (said(format=99), "format 99 of a newer hedgerow"),
        "a format that never was": (said(format=-5), "no format number|there is no format -5|it has format -5"),
        "no format": ({"manifest.json": "[]"}, "no format number"),
        "no JSON": ({"manifest.json": "{"}, "Expecting"),
        "deep JSON": ({"manifest.json": "[" * 100_000}, "recursion"),
        "an unknown kind": (said(kind="os"), "lacks 'os'"),
        "an unknown rule": (said(rule="eval"), "there is no rule 'eval'"),
        "a huge parameter": (said(parameters={"alpha": 10**400}), "alpha must be"),
        "an unknown parameter": (said(parameters={"beta": 1.0}), "linucb takes alpha, not beta"),
        "an unknown precision": (said(precision="quadruple"), "precision must be one of"),
        "a field too many": (named(manifest, lambda fields: [*fields, ["luck"]]), "has a field 'luck', which this version"),
        "a field too few": (named(manifest, lambda fields: fields[1:]), "lacks the field 'plays', which this version"),
        "duplicate arms": (said(arms=["b", "b", 3]), "more than once"),
        "a path without end": (said(paths=[[0] * 60_000, ["x"], ["x"]]), "at most 64"),
        "more arms than rows": (said(arms=[1, 2, 3, 4], paths=[["x"]] * 4), "which are not"),
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
    del content["history.npy"]
    forge(path, content)
    with pytest.raises(ValueError, match="history.npy"):
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


def test_a_file_keeps_the_permissions_of_the_user(saved, tmp_path):
    import os

    other = tmp_path / "made by open"
    other.write_text("")
    assert saved[1].stat().st_mode == other.stat().st_mode
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        saved[0].save(tmp_path / "nowhere" / "policy.zip")
    assert not any(name.endswith(".part") for name in os.listdir(tmp_path))


def test_what_was_saved_can_be_loaded(tmp_path):
    policy = hr.LinUCB(["a", "b"], dimension=2)
    for _ in range(10):
        policy.update(policy.select([9.9e99, 1.0]), 9.9e99)
    policy.save(tmp_path / "large.zip")
    assert hr.load(tmp_path / "large.zip").rounds == 10


@pytest.mark.parametrize("make", [hr.UCB, hr.Auto, hr.META])
def test_copies_and_pickles_go_their_own_way(make):
    policy = make(["a", "b", "c"])
    policy.update(policy.select(), 1.0)
    for other in (copy.copy(policy), copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))):
        other.update(other.select(), 0.5)
        assert (policy.rounds, other.rounds) == (1, 2)
        assert other.select().arm in "abc"


@pytest.mark.parametrize("make", [hr.UCB, hr.UCBC, hr.Auto, hr.LinUCBC, hr.HierLinUCB, partial(hr.META, dimension=2)])
def test_sums_whose_parts_cancel_can_be_loaded(make, tmp_path):
    given = {"clusters": ["x", "y", "y"], "dimension": 2}
    policy = make(["a", "b", "c"], **accepted(make, given))
    rng = np.random.default_rng(3)
    for t in range(40):
        order = rng.permutation(policy.arms)
        for sign in (1.0, -1.0):
            context = None if policy.dimension is None else sign * (1.0 + t) * np.array([0.1, 0.7])
            for arm, reward in zip(order, (0.1, 0.3, 1e-3), strict=True):
                policy.learn(arm, sign * reward, context)
    policy.save(tmp_path / "policy.zip")
    assert hr.load(tmp_path / "policy.zip").rounds == policy.rounds


def test_a_folder_or_nothing_is_no_file(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder: name a file in it"):
        hr.UCB(["a"]).save(tmp_path)
    with pytest.raises(ValueError, match="needs the path of a file, got None"):
        hr.load(None)


@pytest.mark.parametrize(
    ("waiting", "message"),
    [
        ([["a", [1.0, 0.0], None, 10**9]], "waits for 1000000000 decisions, more than"),
        ([["a", [1.0, 0.0], None, 2]], "does not match its counts"),
        ([["a", [1.0, 0.0], None, -3]], "whole numbers of at least 1"),
        ([["z", [1.0, 0.0], None, 1]], "unknown arm 'z'"),
        ([["a", [1.0], None, 1]], "context must be 2 numbers"),
        ([["a", ["x", "y"], None, 1]], "context must be 2 numbers"),
        ([["a", [1.0, 0.0], 1]], "listed with 4 values"),
        ([["a", [1.0, 0.0], 1.5, 1]], "id must be a text or a whole number"),
        ([["a", [1.0, 0.0], "r", 1], ["b", [1.0, 0.0], "r", 1]], "waits twice for a decision called 'r'"),
    ],
)
def test_forged_decisions_that_wait(tmp_path, waiting, message):
    policy, path = hr.Auto(["a", "b"], dimension=2), tmp_path / "policy"
    policy.expect(policy.select([1.0, 0.0]))
    policy.save(path)
    assert len(hr.load(path).waiting) == 1
    content = members(path)
    manifest = json.loads(content["manifest.json"])
    forge(path, {**content, "manifest.json": json.dumps({**manifest, "decisions": waiting})})
    with pytest.raises(ValueError, match=message):
        hr.load(path)


def test_a_value_that_nothing_reads_is_refused(tmp_path):
    path = tmp_path / "policy"
    hr.META(["a", "b"]).save(path)
    content = members(path)
    manifest = json.loads(content["manifest.json"])
    inner = {**manifest, "parts": {**manifest["parts"], "expert-1": {**manifest["parts"]["expert-1"], "half_life_of": 5}}}
    for changed, name in (({**manifest, "newer": 1}, "newer"), (inner, "half_life_of")):
        forge(path, {**content, "manifest.json": json.dumps(changed)})
        with pytest.raises(ValueError, match=f"it has a value '{name}', which this version of hedgerow does not know"):
            hr.load(path)
