"""Saves that nothing spoils: threads, links, modes of files, a killed process, interruptions, and files that were mutated."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import interruptions
import mutations
import pytest

import hedgerow as hr
from hedgerow.core.kernel import COMPILED
from hedgerow.testing import snapshot


def test_threads_that_save_to_one_path_leave_a_whole_file(tmp_path):
    path, policies = tmp_path / "policy", [hr.UCB(range(2000)) for _ in range(4)]
    for rounds, policy in enumerate(policies):
        for _ in range(rounds):
            policy.learn(0, 1.0)

    def work(policy):
        for _ in range(25):
            policy.save(path)
            assert hr.load(path).rounds in range(4)

    threads = [threading.Thread(target=work, args=(policy,)) for policy in policies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert snapshot(hr.load(path)) in {snapshot(policy) for policy in policies}
    assert os.listdir(tmp_path) == ["policy"]


def test_a_planted_link_is_not_followed_and_a_link_as_target_stays_one(tmp_path):
    victim, path = tmp_path / "victim", tmp_path / "policy"
    victim.write_text("precious")
    for name in (f".policy.{os.getpid()}.part", ".policy.part"):
        (tmp_path / name).symlink_to(victim)
    hr.UCB(["a"]).save(path)
    assert victim.read_text() == "precious"
    link = tmp_path / "link"
    link.symlink_to(path)
    other = hr.UCB(["a", "b"])
    other.save(link)
    assert link.is_symlink()
    assert hr.load(path).arms == ("a", "b")


def test_a_file_keeps_its_mode(tmp_path):
    path = tmp_path / "policy"
    hr.UCB(["a"]).save(path)
    path.chmod(0o600)
    hr.UCB(["a", "b"]).save(path)
    assert path.stat().st_mode & 0o777 == 0o600


SAVE = """
import sys, hedgerow as hr
policies = [hr.UCB(range(50_000)), hr.UCB(range(40_000))]
print("ready", flush=True)
while True:
    for policy in policies:
        policy.save(sys.argv[1])
        print("saved", flush=True)
"""


def test_a_killed_process_leaves_a_whole_file(tmp_path):
    path = tmp_path / "policy"
    for saves in range(1, 6):
        process = subprocess.Popen([sys.executable, "-c", SAVE, str(path)], stdout=subprocess.PIPE, text=True)
        for _ in range(1 + saves):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert len(hr.load(path).arms) in (50_000, 40_000)


needs_kernels = pytest.mark.skipif(not COMPILED, reason="plain Python can be interrupted within a kernel, and takes its time")


@needs_kernels
# an interruption right before a file is closed leaves that to Python, which says so
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("kind", interruptions.KINDS)
def test_whatever_interrupts_a_change_it_is_whole(kind):
    """150 interruptions or so of each kind; `python tests/interruptions.py` makes 1000 of each method."""
    found = interruptions.failures(kind, count=14, seed=1)
    assert {method: half for method, half in found.items() if half} == {}


@needs_kernels
@pytest.mark.parametrize("kind", mutations.KINDS)
def test_a_mutated_file_is_refused_or_can_be_played_on(kind):
    """1500 files or so; `python tests/mutations.py` makes 20,000 of each kind."""
    found = mutations.outcomes(kind, count=190, seed=2)
    assert set(found) == {"refused", "played"}


def test_what_is_refused_is_refused_in_a_sentence(tmp_path):
    path = tmp_path / "policy"
    Path(path).write_bytes(b"no state")
    with pytest.raises(ValueError, match="is not a hedgerow state file, or was cut short"):
        hr.load(path)
