"""An environment for each library, and the worker that runs in it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
BENCH = HERE.parent / ".bench"
PINS = HERE / "peers.txt"
OWN = ("hedgerow", "bare")
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def pins() -> dict[str, list[str]]:
    """The packages of each peer's environment; the first of a line is the peer."""
    lines = [line.split() for line in PINS.read_text().splitlines() if line.strip()]
    return {packages[0].split("==")[0]: packages for packages in lines}


def environment(library: str) -> str | None:
    """The Python of a library's environment, made if it is not there; None if the library does not install."""
    if library in OWN:
        return sys.executable
    python, ready = BENCH / library / "bin" / "python", BENCH / library / "ready"
    packages = pins()[library]
    if ready.exists() and ready.read_text() == " ".join(packages):
        return str(python)
    print(f"installing {packages[0]}", file=sys.stderr)
    BENCH.mkdir(exist_ok=True)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
    with (BENCH / f"{library}.log").open("w") as log:
        for command in ([sys.executable, "-m", "venv", "--clear", str(BENCH / library)], install):
            if subprocess.run(command, stdout=log, stderr=log, check=False).returncode != 0:
                return None
    ready.write_text(" ".join(packages))
    return str(python)


class Worker:
    """A library at work in its own environment; ``problem`` says why it is not. ``older``: a folder with an older hedgerow."""

    def __init__(self, library: str, older: Path | None = None):
        self.library = library if older is None else f"older-{library}"
        self.version = ""
        python = environment(library)
        self.problem = "" if python else "did not install"
        if python:
            BENCH.mkdir(exist_ok=True)
            self._log = (BENCH / f"{self.library}-worker.log").open("w")
            path = str(HERE) if older is None else os.pathsep.join((str(older / "benchmarks"), str(older / "src")))
            self._process = subprocess.Popen(
                [python, "-P", "-m", "workers", library],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                text=True,
                env={**os.environ, **ONE_THREAD, "PYTHONPATH": path},
            )

    def do(self, task: dict[str, Any]) -> dict[str, Any]:
        """The worker's answer to a task, or why there is none, under "error"."""
        if self.problem:
            return {"error": self.problem}
        try:
            self._process.stdin.write(json.dumps(task) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self.problem = f"did not run, see .bench/{self.library}-worker.log"
            return {"error": self.problem}
        result = json.loads(line)
        self.version = result.get("version", "")
        return result

    def close(self) -> None:
        """Let the worker go."""
        if not hasattr(self, "_process"):
            return
        if self._process.poll() is None:
            self._process.stdin.close()
            self._process.wait()
        self._log.close()
