"""Replay with contexts on simulated logs whose truth is known: is its centre right?

python -m benchmarks.studies.contextual_coverage --logs 100
"""

import argparse
from dataclasses import dataclass

import numpy as np

from hedgerow.core.types import Floats
from hedgerow.evaluate.gains import paired
from hedgerow.evaluate.matched_rows import Contest, Rows
from hedgerow.evaluate.settings import REPLAY
from hedgerow.evaluate.split import Split
from hedgerow.inference.rates import COIN, values_of
from hedgerow.inference.sums import tally

WORLD_ARMS, WORLD_GROUPS, NUMBERS = 20, 4, 5
REWARD_NOISE = 0.5
RUNS_IN_ONE_WORLD = 200


@dataclass(frozen=True)
class World:
    """Linear arms: a reward is x'theta_k plus noise, and arms of a group have alike theta."""

    theta: Floats

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> "World":
        centres = rng.normal(0.0, 0.2, size=(WORLD_GROUPS, NUMBERS))
        return cls(np.repeat(centres, WORLD_ARMS // WORLD_GROUPS, axis=0) + rng.normal(0.0, 0.1, size=(WORLD_ARMS, NUMBERS)))

    def rows(self, count: int, rng: np.random.Generator) -> Rows:
        """Logged rows, arms chosen evenly at random."""
        contexts = np.column_stack([np.ones(count), rng.standard_normal((count, NUMBERS - 1))])
        arm = rng.integers(0, WORLD_ARMS, size=count)
        mean = (contexts * self.theta[arm]).sum(axis=1)
        return Rows(arm, mean + REWARD_NOISE * rng.standard_normal(count), contexts)


def contest_of(known: Rows, future: Rows) -> Contest:
    """The policies that start from these rows."""
    later, earlier = (tally(rows.arm, rows.reward, WORLD_ARMS) for rows in (future, known))
    groups = np.repeat(np.arange(WORLD_GROUPS), WORLD_ARMS // WORLD_GROUPS)
    rewards = np.concatenate([known.reward, future.reward])
    shares = np.full(WORLD_ARMS, 1.0 / WORLD_ARMS)
    split = Split(
        later, earlier, groups, shares, values_of(rewards) == COIN, float(rewards.std()), future.arm.size, known.arm.size
    )
    return Contest(known, split)


def true_gains(world: World, contest: Contest, rounds: int, rng: np.random.Generator) -> dict[str, float]:
    """Gains with fresh rows, as many as a run may need; each run has rows of its own."""
    found = []
    for _ in range(RUNS_IN_ONE_WORLD):
        fresh = world.rows(int(rounds * WORLD_ARMS * 1.6), rng)
        found.append(contest.values(fresh, np.arange(fresh.arm.size), rounds, rng))
    values = {name: np.array([value[name] for value in found]) for name in found[0]}
    return {name: float(gain.mean()) for name, gain in paired(values).items()}


def compared(rows: int, seed: int) -> dict[str, tuple[float, float]]:
    """Replay's centre and the truth of one log."""
    rng = np.random.default_rng(seed)
    world = World.drawn(rng)
    known, future = world.rows(rows // 2, rng), world.rows(rows - rows // 2, rng)
    contest, rounds = contest_of(known, future), int(REPLAY.share * (rows - rows // 2) / WORLD_ARMS)
    centre = contest.gains(future, np.arange(future.arm.size), rounds, REPLAY.orders, rng)
    true = true_gains(world, contest, rounds, rng)
    return {name: (float(gain.mean()), true[name]) for name, gain in centre.items()}


def main() -> None:
    """Print the mean of both over logs, with the standard error of their difference."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.studies.contextual_coverage")
    parser.add_argument("--logs", type=int, default=100)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    found = [compared(given.rows, given.seed + index) for index in range(given.logs)]
    for name in found[0]:
        pairs = np.array([row[name] for row in found])
        off = pairs[:, 0] - pairs[:, 1]
        error = off.std(ddof=1) / np.sqrt(len(off))
        print(
            f"{name}: replay {pairs[:, 0].mean():.2f}, truth {pairs[:, 1].mean():.2f}, off by {off.mean():+.2f} (se {error:.2f})"
        )


if __name__ == "__main__":
    main()
