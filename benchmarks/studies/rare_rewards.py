"""What useless groups cost where 0/1 rewards are rare, and how often Auto gets stuck there.

    python -m benchmarks.studies.rare_rewards                    400 trials each with 0, 2, 3 and 5 groups: some minutes

Ten ads pay .1 to .01 of the time (benchmarks/league/rates.py), 20,000 rounds. A trial is called stuck if its regret is above
500: as much as 10,000 rounds of a second-best ad cost. Playing at random costs 1320.
"""

import argparse
from collections.abc import Sequence

import numpy as np

import hedgerow as hr
from benchmarks.league.settings import setting

STUCK = 500.0
"""Regret above which a trial counts as stuck."""

RESAMPLES = 2000
"""Of the bootstrap."""


def regrets(groups: int, trials: int, seed: int) -> np.ndarray:
    """Regret of Auto in each trial, with so many useless groups."""
    named = setting(f"rare groups={groups}" if groups else "rare")
    played = hr.simulate({"Auto": hr.Auto}, named.problem, rounds=named.rounds, trials=trials, seed=seed, jobs=1)
    return np.asarray(played.of("Auto", "regret"))


def interval(values: np.ndarray, none: np.ndarray) -> tuple[float, float]:
    """The 95 % bootstrap interval of a ratio of means; the trials with and without groups are not the same."""
    rng = np.random.default_rng(0)
    drawn = [rng.choice(values, values.size).mean() / rng.choice(none, none.size).mean() for _ in range(RESAMPLES)]
    low, high = np.percentile(drawn, (2.5, 97.5))
    return float(low), float(high)


def main(arguments: Sequence[str] | None = None) -> None:
    """Play, and print a row for each number of groups."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=400)
    parser.add_argument("--seed", type=int, default=20_271_119)
    given = parser.parse_args(arguments)
    none = regrets(0, given.trials, given.seed)
    print("| useless groups | mean regret | against none | trials above 500 |\n|---|---|---|---|")
    for groups in (0, 2, 3, 5):
        values = regrets(groups, given.trials, given.seed) if groups else none
        low, high = interval(values, none)
        against = f"{values.mean() / none.mean():.2f} [{low:.2f}, {high:.2f}]" if groups else ""
        print(f"| {groups} | {values.mean():.0f} | {against} | {100 * np.mean(values > STUCK):.1f} % |", flush=True)


if __name__ == "__main__":
    main()
