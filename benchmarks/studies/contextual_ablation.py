"""What each part of Auto with contexts is worth: its regret without the part over that with it, on random problems.

    python -m benchmarks.studies.contextual_ablation --problems 50 --seed 10001
    python -m benchmarks.studies.contextual_ablation --only "noise shape"

A part is switched off by the value of its setting, such as a margin without end. Kernels take settings as constants, so each
part has a process of its own, with machine code of its own, which takes about half a minute. All play the same rewards. Only
small problems ``contextual(seed)`` are taken, by arms x columns^2 x rounds. A ratio above 1 says that the part pays; its 95 %
interval is a bootstrap over problems. A hundredth of the regret of random play is added to both regrets.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import numpy as np

from benchmarks.wild.problems import Contextual, contextual
from hedgerow.policies.auto_linear import settings

WHOLE = "nothing"
PARTS: dict[str, dict[str, float]] = {
    WHOLE: {},
    "levels where there may be none": {"levels_margin": -math.inf},
    "a choice between levels and none (always levels)": {"levels_margin": math.inf},
    "units of columns": {"binary_tolerance": math.inf},
    "misplaced arms": {"misplaced_margin": math.inf},
    "forced exploration": {"forced_share": 0.0},
    "noise shape": {"noise_margin": math.inf},
    "drift of history": {"drift_margin": math.inf},
    "narrower widths of known arms": {"known_rounds": math.inf},
}
"""What is left out, and the settings that do so."""

HOPELESS = 1e-4
"""Regret a round of random play below which a problem is left out: its arms are alike."""

FLOOR = 0.01
"""Of random play's regret: below it nothing counts."""

RESAMPLES = 2000


def small_problems(first: int, count: int, cells: float) -> Iterator[Contextual]:
    """So many problems with at most ``cells`` arms x columns^2 x rounds, from a seed on.

    Args:
        first: The first seed.
        count: How many problems.
        cells: The largest problem.

    Yields:
        Problems in the order of their seeds.
    """
    seed = first
    while count > 0:
        found = contextual(seed)
        seed += 1
        if found.arms * found.dimension**2 * found.rounds <= cells:
            count -= 1
            yield found


def play_problem(which: Contextual) -> list[float]:
    """The regret of Auto, and that of random play.

    Args:
        which: The problem.

    Returns:
        Both, summed over its rounds.
    """
    import hedgerow as hr
    from hedgerow.experiments.play import play
    from hedgerow.experiments.problems import Trial

    contexts, rewards, expected = which.table(0)
    logged = {"arms": which.history_arms.tolist(), "rewards": which.history_rewards, "contexts": which.history_contexts}
    history = hr.History.from_rounds(**logged) if len(which.history_arms) else None
    clusters = None if which.clusters is None else which.clusters.tolist()
    policy = hr.Auto(range(which.arms), clusters=clusters, history=history, dimension=which.dimension)
    rounds = np.arange(len(rewards))
    arms = play(policy, Trial(tuple(clusters or ()), policy.history, rewards, expected, rounds, contexts)).arms
    best = expected.max(axis=1)
    return [float((best - expected[rounds, arms]).sum()), float((best - expected.mean(axis=1)).sum())]


def play_part(part: str, options: argparse.Namespace) -> None:
    """Play all problems without a part, and print a line of JSON for each.

    Args:
        part: Its name.
        options: Of the command line.
    """
    kernels = [
        name for name in sys.modules if name.startswith("hedgerow.policies.auto_linear.") and not name.endswith("settings")
    ]
    if kernels:
        raise RuntimeError(f"kernels have taken the settings already: {kernels}")
    settings.SETTINGS = settings.SETTINGS._replace(**PARTS[part])
    for which in small_problems(options.seed, options.problems, options.cells):
        print(json.dumps([which.seed, which.rounds, *play_problem(which)]), flush=True)


def scores_without(part: str, command: list[str]) -> dict[int, float]:
    """The regret of each problem without a part, over that of random play.

    Args:
        part: Its name.
        command: The options that say which problems.

    Returns:
        Scores by seed.
    """
    with tempfile.TemporaryDirectory() as folder:
        child = [sys.executable, "-m", "benchmarks.studies.contextual_ablation", *command, "--play", part]
        run = subprocess.run(child, env={**os.environ, "NUMBA_CACHE_DIR": folder}, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(run.stderr)
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    return {int(seed): lost / random for seed, rounds, lost, random in rows if random > HOPELESS * rounds}


def comparison(part: str, whole: dict[int, float], without: dict[int, float]) -> str:
    """A line of the table.

    Args:
        part: What was left out.
        whole: Scores with it.
        without: Scores without it.

    Returns:
        The geometric mean of the ratio with its interval, and the problems in which the score is another.
    """
    logs = np.array([math.log((without[seed] + FLOOR) / (whole[seed] + FLOOR)) for seed in whole])
    drawn = np.random.default_rng(0).integers(logs.size, size=(RESAMPLES, logs.size))
    low, high = np.percentile(logs[drawn].mean(axis=1), (2.5, 97.5))
    changed = f"{np.count_nonzero(logs)} of {logs.size}"
    extremes = f"{math.exp(logs.min()):.2f} to {math.exp(logs.max()):.2f}"
    return f"| {part} | {math.exp(logs.mean()):.3f} [{math.exp(low):.3f}, {math.exp(high):.3f}] | {changed} | {extremes} |"


def main() -> None:
    """Play with and without each part, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=50, help="how many")
    parser.add_argument("--seed", type=int, default=10_001, help="of the first problem looked at")
    parser.add_argument("--cells", type=float, default=3e7, help="the largest problem: arms x columns^2 x rounds")
    parser.add_argument("--only", nargs="*", choices=[part for part in PARTS if part != WHOLE], help="parts; all if left out")
    parser.add_argument("--play", choices=list(PARTS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.play:
        play_part(options.play, options)
        return
    command = ["--problems", str(options.problems), "--seed", str(options.seed), "--cells", str(options.cells)]
    whole = scores_without(WHOLE, command)
    print(f"contextual problems from seed {options.seed} on, at most {options.cells:g} cells: {', '.join(map(str, whole))}\n")
    print("| without | regret without / with [95 %] | problems that differ | least to largest |\n|---|---|---|---|")
    for part in options.only or [part for part in PARTS if part != WHOLE]:
        print(comparison(part, whole, scores_without(part, command)), flush=True)


if __name__ == "__main__":
    main()
