"""What half_life="auto" costs Auto where nothing changes: the stationary random problems of benchmarks.wild.

    python -m benchmarks.changing.stationary --seeds 70001 70060

The cost is the geometric mean of the ratios of regret, with "auto" over without,
each plus a thousandth of what random play loses.
"""

import argparse
import math
import time

import numpy as np

import hedgerow as hr
from benchmarks.wild.problems import problem

ADDED = 1e-3
"""Part of random play's regret that is added to both, so that a problem without regret has a ratio."""


def regret_of(policy: object, rewards: np.ndarray, expected: np.ndarray) -> float:
    """The regret of a policy over a table of rewards."""
    from hedgerow.policies.family import Course
    from hedgerow.policies.meta_play import positions

    rounds = len(rewards)
    arms = np.zeros(rounds, dtype=np.int64)
    none = np.zeros((rounds, 0))
    policy.play(Course(none, np.ascontiguousarray(rewards), np.arange(rounds), positions(policy), arms), np.random.default_rng(0))
    found = expected.max(axis=1) - (expected[0][arms] if len(expected) == 1 else expected[np.arange(rounds), arms])
    return float(found.sum())


def ratio_of(seed: int) -> float | None:
    """The ratio on a problem; None if its rewards change."""
    which = problem(seed)
    rewards, expected = which.table(0)
    if len(expected) > 1:
        return None
    arms = range(rewards.shape[1])
    history = None
    if which.history_arms.size:
        history = hr.History.from_rounds(arms=which.history_arms.tolist(), rewards=which.history_rewards)
    given = {"clusters": None if which.clusters is None else which.clusters.tolist(), "history": history}
    random = len(rewards) * float((expected.max(axis=1) - expected.mean(axis=1)).mean())
    plain, auto = (regret_of(hr.Auto(arms, half_life=each, **given), rewards, expected) for each in (None, "auto"))
    return (auto + ADDED * random) / (plain + ADDED * random)


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs=2, default=(70_001, 70_060))
    parser.add_argument("--seconds", type=float, default=math.inf)
    given = parser.parse_args()
    ratios: list[float] = []
    start = time.monotonic()
    for seed in range(given.seeds[0], given.seeds[1] + 1):
        found = ratio_of(seed)
        if found is not None:
            ratios.append(found)
            logs = np.log(ratios)
            half = 1.96 * logs.std(ddof=1) / math.sqrt(len(logs)) if len(logs) > 1 else math.nan
            low, high = math.exp(logs.mean() - half), math.exp(logs.mean() + half)
            print(f"{seed}: {found:.3f}; {len(ratios)} problems, {math.exp(logs.mean()):.3f} [{low:.3f}, {high:.3f}]", flush=True)
        if time.monotonic() - start > given.seconds:
            break


if __name__ == "__main__":
    main()
