"""Test hedgerow elsewhere: on other Pythons, on the oldest packages that it allows, and as a wheel with nothing else.

    python tools/elsewhere.py 3.12 3.13 lowest wheel types

Each environment lies in .elsewhere/ and gets the wheel that is built from the source archive, so that what is tested is what a
user installs. uv makes the environments.

- 3.12, 3.13 and so on: that Python, pinned packages, the command line, and the tests in EVERYWHERE;
- lowest: Python 3.11, the oldest packages that pyproject.toml allows, and the same tests;
- wheel: Python 3.11, what `pip install hedgerow` brings and nothing else: a decision, a reward, a file, and what is said where a
  package of an extra is missing;
- types: the share of public names whose type pyright knows, at least LEAST_TYPED percent.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOME = ROOT / ".elsewhere"
OLDEST_PYTHON = "3.11"
LEAST_TYPED = 98.0
EVERYWHERE = (
    "tests/test_typed_arms.py",
    "tests/test_import.py",
    "tests/test_saving.py",
    "tests/test_history.py",
    "tests/test_encoding.py",
    "tests/test_log.py",
    "tests/test_raw_features.py",
    "tests/test_inputs.py",
    "tests/test_sql.py",
)
"""Tests that touch every package hedgerow needs, in about a minute."""

ALONE = """
import hedgerow as hr

policy = hr.Auto(["a", "b", "c"], clusters=["x", "x", "y"], explore=0.1)
for round in range(50):
    decision = policy.select()
    policy.update(decision, float(decision.arm == "b"))
assert policy.select().arm == "b", policy.scores()
policy.save("policy.hedgerow")
assert hr.load("policy.hedgerow", hr.Bandit).state_hash() == policy.state_hash()
try:
    hr.Log.read("log.csv", arm="a", reward="r")
except ImportError as error:
    assert 'pip install "hedgerow[files]"' in str(error), error
else:
    raise AssertionError("polars is here")
print(hr.__version__, policy)
"""


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    """A command whose failure ends everything."""
    print("+", *command if len(" ".join(map(str, command))) < 400 else command[:3], flush=True)
    subprocess.run([str(part) for part in command], check=True, cwd=cwd)


def built() -> Path:
    """The wheel, built from the source archive."""
    shutil.rmtree(HOME / "dist", ignore_errors=True)
    run("uv", "build", "--quiet", "--out-dir", HOME / "dist", ROOT)
    return next((HOME / "dist").glob("*.whl"))


def environment(name: str, version: str) -> Path:
    """An empty environment of a version of Python, and its Python; pyenv's are not on the path that uv searches."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = sorted(pyenv.glob(f"versions/{version}*/bin/python"))
    run("uv", "venv", "--quiet", "--clear", "--python", found[-1] if found else version, HOME / name)
    return HOME / name / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def oldest() -> Path:
    """The oldest packages that pyproject.toml allows, as constraints."""
    pins = HOME / "oldest.txt"
    how = ("--quiet", "--resolution", "lowest-direct", "--python-version", OLDEST_PYTHON, "--extra", "cli", "--output-file", pins)
    run("uv", "pip", "compile", *how, ROOT / "pyproject.toml")
    return pins


def install(python: Path, *what: str | Path) -> None:
    """Packages into an environment."""
    run("uv", "pip", "install", "--quiet", "--python", python, *what)


def typed(python: Path) -> None:
    """Ask pyright, which looks for hedgerow in the active environment."""
    active = {**os.environ, "VIRTUAL_ENV": str(python.parents[1]), "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"}
    command = [str(python), "-m", "pyright", "--verifytypes", "hedgerow", "--ignoreexternal"]
    done = subprocess.run(command, env=active, cwd=HOME, capture_output=True, text=True, check=False)
    score = re.search(r"completeness score: ([\d.]+)%", done.stdout)
    if score is None or float(score[1]) < LEAST_TYPED:
        sys.exit(f"{done.stdout[-3000:]}{done.stderr}\npyright must know {LEAST_TYPED:g} % of the public names")
    print(f"pyright knows the type of {score[1]} % of the public names", flush=True)


def test(name: str, wheel: Path) -> None:
    """One environment, and what is tested in it."""
    python = environment(name, name if name[0].isdigit() else OLDEST_PYTHON)
    if name == "types":
        install(
            python,
            "--constraint",
            ROOT / "constraints.txt",
            f"hedgerow[cli,service,postgres,sklearn] @ {wheel.as_uri()}",
            "pyright",
        )
        typed(python)
        return
    if name == "wheel":
        install(python, wheel)
        (HOME / "alone").mkdir(exist_ok=True)
        run(python, "-W", "error", "-c", ALONE, cwd=HOME / "alone")
        return
    pins = oldest() if name == "lowest" else ROOT / "constraints.txt"
    install(python, "--constraint", pins, f"hedgerow[cli] @ {wheel.as_uri()}", "--group", "tests")
    run(python, "-m", "pytest", *EVERYWHERE)


if __name__ == "__main__":
    if shutil.which("uv") is None:
        sys.exit("tools/elsewhere.py needs uv: pip install uv")
    HOME.mkdir(exist_ok=True)
    made = built()
    for place in sys.argv[1:]:
        test(place, made)
