"""The command line beside a store."""

import subprocess
import sys

import pytest

from hedgerow.service.store import connect


@pytest.fixture
def played(serve, tmp_path):
    url = f"sqlite:///{tmp_path / 'store.db'}"
    served = serve(url)
    served.put(wait=1e6, default=0.0, learn="at once")
    for number in range(20):
        served.decide(decision_id=f"d{number}")
        served.reward(f"d{number}", float(number % 2))
    return url, tmp_path


def hedgerow(*arguments):
    done = subprocess.run([sys.executable, "-m", "hedgerow", *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_verify_says_what_holds_and_what_does_not(played):
    url, _ = played
    code, said, _ = hedgerow("verify", "--store", url)
    assert code == 0, said
    assert said.count("holds") == 7
    store = connect(url)
    store.run("UPDATE log SET value = 0.75 WHERE seq = 5")
    store.close()
    code, said, _ = hedgerow("verify", "ads", "--store", url)
    assert code == 1
    assert "row 5 is 0.75" in said


def test_a_backup_is_a_store(played):
    url, folder = played
    assert hedgerow("backup", "--out", str(folder / "copy.db"), "--store", url)[0] == 0
    assert hedgerow("verify", "--store", f"sqlite:///{folder / 'copy.db'}")[0] == 0
    assert hedgerow("backup", "--out", str(folder / "copy.db"), "--store", url)[0] == 2


def test_an_export_is_a_file(played):
    url, folder = played
    assert hedgerow("export", "ads", "--out", str(folder / "ads.ndjson"), "--store", url)[0] == 0
    assert len((folder / "ads.ndjson").read_text().splitlines()) == 20
    code, _, error = hedgerow("export", "nobody", "--out", str(folder / "x.ndjson"), "--store", url)
    assert (code, "no experiment" in error) == (2, True)


def test_a_token_is_made_and_revoked(played):
    url, _ = played
    code, secret, _ = hedgerow("token", "web", "--role", "decide", "--experiment", "ads", "--store", url)
    assert (code, secret.startswith("hr_")) == (0, True)
    assert hedgerow("token", "web", "--revoke", "--store", url)[0] == 0
    assert hedgerow("token", "web", "--revoke", "--store", url)[0] == 2
    assert hedgerow("token", "web", "--role", "boss", "--store", url)[0] == 2


def test_status_without_a_service_says_so(played):
    code, _, error = hedgerow("status", "ads", "--url", "http://127.0.0.1:1")
    assert (code, "hedgerow serve" in error) == (2, True)
