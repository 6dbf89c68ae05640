"""What each library can do, shown by a few lines that use it: a yes is code that ran, in the library's own environment.

    python benchmarks/compare.py

Writes the table in README.md and docs/beside.md. An empty cell means that we know no way in that version.
The code behind each yes is in benchmarks/features/, a file for each library: functions called by the names of FEATURES.
"""

import json
import os
import subprocess
import sys

from environments import BENCH, HERE, environment, pins

BEGIN, END = "<!-- python benchmarks/compare.py writes this table -->", "<!-- end of the features -->"
LIBRARIES = {
    "hedgerow": "hedgerow",
    "mabwiser": "MABWiser",
    "vowpalwabbit": "Vowpal Wabbit",
    "river": "river",
    "coba": "coba",
    "contextualbandits": "contextualbandits",
    "bayesianbandits": "bayesianbandits",
}
FEATURES = {
    "one_reward": "learns one reward at a time",
    "contexts": "contexts",
    "alike": "what is learnt of an arm helps arms that are alike",
    "grouping_judged": "says how far a grouping and an old log can be trusted",
    "waiting": "counts decisions whose reward is to come",
    "new_arm": "an arm that comes later",
    "probability": "the probability of a choice",
    "offline": "judges a policy on a log",
    "merging": "adds up what two workers learnt",
    "file_without_code": "a state file that runs no code when it is read",
    "any_model": "any scikit-learn model as the model of an arm",
    "continuous": "continuous actions",
}


def shown(library: str) -> tuple[str, dict[str, bool]]:
    """The version of a library, and whether each feature's code ran; one that fails is told."""
    python = environment(library)
    if python is None:
        raise SystemExit(f"{library} did not install: see {BENCH / library}.log")
    command = [python, "-P", "-m", f"features.{library}"]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(HERE)}, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{library}: {done.stderr[-2000:]}")
    answer = json.loads(done.stdout.splitlines()[-1])
    print(library, answer, file=sys.stderr)
    return answer.pop("version"), answer


def main() -> None:
    """Run all, and write the table."""
    assert set(LIBRARIES) - {"hedgerow"} <= set(pins())
    found = {library: shown(library) for library in LIBRARIES}
    lines = [f"| | {' | '.join(f'{LIBRARIES[name]} {version}' for name, (version, _) in found.items())} |"]
    lines.append("|---" * (len(found) + 1) + "|")
    for key, said in FEATURES.items():
        lines.append(f"| {said} | {' | '.join('yes' if key in ran else '' for _, ran in found.values())} |")
    for page in (HERE.parent / "README.md", HERE.parent / "docs" / "beside.md"):
        text = page.read_text(encoding="utf-8")
        before, after = text.partition(BEGIN)[0], text.partition(END)[2]
        page.write_text("\n".join([f"{before}{BEGIN}", *lines, f"{END}{after}"]), encoding="utf-8")


if __name__ == "__main__":
    main()
