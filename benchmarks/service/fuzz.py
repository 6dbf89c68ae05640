"""The API against its own document: schemathesis makes requests, sound and unsound, and follows what answers lead to.

python -m benchmarks.service.fuzz --examples 4000 --seed 1     about 25 calls of the document, so 100,000 requests
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.service.connection import asked
from benchmarks.service.fleet import Fleet

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
"""What every answer is held to; and none may be 5xx."""


KNOWN = """[parameters]
"path.experiment" = "ads"
"path.id" = "d1"
"""
"""What schemathesis is told of names that are there."""


async def _prepare(port: int) -> None:
    """An experiment, and a decision."""
    await asked(port, "PUT", "/v1/experiments/ads", {"arms": ["a", "b", "c"], "policy": "UCB"}, timeout=900.0)
    await asked(port, "POST", "/v1/experiments/ads/decisions", {"decision_id": "d1"})


def fuzz(examples: int, seed: int, *, known: bool) -> tuple[int, str]:
    """Ask a service of its own whatever its document allows, and what it does not.

    Args:
        examples: Requests of each call and phase.
        seed: Of the draws.
        known: Whether requests are about an experiment and a decision that are there; else about any.

    Returns:
        The exit code of schemathesis, and the end of what it said.
    """
    with tempfile.TemporaryDirectory(prefix="hedgerow-fuzz-") as folder:
        fleet = Fleet(f"sqlite:///{Path(folder) / 'store.db'}", 1)
        port = fleet.ports[0]
        try:
            fleet.start(port)
            asyncio.run(fleet.ready(port))
            asyncio.run(_prepare(port))
            if known:
                (Path(folder) / "schemathesis.toml").write_text(KNOWN)
            command = [
                str(Path(sys.executable).parent / "schemathesis"),
                "run",
                f"http://127.0.0.1:{port}/openapi.json",
                *("--checks", CHECKS, "--mode", "all", "--phases", "examples,fuzzing,stateful", "--no-color"),
                *("-n", str(examples), "--seed", str(seed), "--workers", "1", "--request-timeout", "60"),
            ]
            if not Path(command[0]).exists():
                command[:1] = [sys.executable, "-m", "schemathesis.cli"]
            done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
            return done.returncode, done.stdout[-6000:] + done.stderr[-2000:]
        finally:
            fleet.close()


def main() -> int:
    """Run, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    codes = []
    for known in (True, False):
        code, said = fuzz(given.examples // 2, given.seed, known=known)
        print(said)
        codes.append(code)
    return max(codes)


if __name__ == "__main__":
    raise SystemExit(main())
