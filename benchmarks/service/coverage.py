"""Simulated services with an exploration floor: does what ``evaluate`` says of their exported events cover the truth?

python -m benchmarks.service.coverage --services 200 --seed 1

Each service plays Auto on arms of random click rates, through the fold and the draws of a real one. evaluate judges its events
by their propensities: what a bandit would have gained over what the log earned, with a 90 % interval, which is to hold the truth.
"""

import argparse
import math
import random

import numpy as np
import polars

import hedgerow as hr
from benchmarks.studies.coverage import Truth, true_gains
from hedgerow.evaluate.split import split
from hedgerow.service import plans
from hedgerow.service.entries import Entry, Kind
from hedgerow.service.fold import Fold
from hedgerow.service.plans import State
from hedgerow.service.tallies import Tallies
from hedgerow.service.wire import Ask, Config

ARMS = ["a", "b", "c", "d"]
DRAWS = 100
"""Worlds that evaluate draws; half of its default, which doubles the speed."""


def service(seed: int, rounds: int, explore: float) -> tuple[list[dict[str, float | str]], dict[str, float]]:
    """A service's events, and the true click rates.

    Args:
        seed: Of the rates, and of who clicks.
        rounds: Decisions.
        explore: Share that is drawn.

    Returns:
        Rows, and rates by arm.
    """
    rng = random.Random(seed)
    rates = {arm: rng.uniform(0.02, 0.3) for arm in ARMS}
    state = State(Config(arms=ARMS, policy="Auto", wait=60.0, explore=explore))
    fold = Fold("x", b"salt%d" % seed, state, plans.build(state, lambda _: b""), seq=0, epoch=0, tallies=Tallies())
    rows: list[dict[str, float | str]] = []
    for number in range(rounds):
        made = fold.decide(Ask(), f"{seed}-{number}")
        reward = float(rng.random() < rates[made.arm])
        fold.apply(Entry(fold.seq + 1, Kind.OUTCOME, str(number), reward, None, made), lambda _: b"")
        rows.append({"arm": made.arm, "reward": reward, "propensity": made.propensity or math.nan})
    return rows, rates


def covered(seed: int, rounds: int, explore: float) -> tuple[bool, float, tuple[float, float]]:
    """Whether the interval of one service holds the truth.

    Args:
        seed: Of the service.
        rounds: Decisions.
        explore: Share that is drawn.

    Returns:
        Whether it does, the true gain of a bandit over what the log earned per 1000 decisions, and the interval.
    """
    rows, rates = service(seed, rounds, explore)
    frame = polars.DataFrame(rows)
    found = hr.evaluate(frame, arm="arm", reward="reward", propensity="propensity", history=False, seed=seed, draws=DRAWS)
    log = hr.Log.read(frame, arm="arm", reward="reward", propensity="propensity")
    parted = split(log, share=0.5, history=False, weigh=True)
    means = np.array([rates[str(arm)] for arm in log.arms])
    true, _ = true_gains(Truth(parted, means), found.setting.rounds, seed)["log"]
    gain = found.gains["log"]
    return gain.low <= true <= gain.high, true, (gain.low, gain.high)


def main() -> None:
    """Count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--services", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=6000)
    parser.add_argument("--explore", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    hits = judged = 0
    for number in range(given.services):
        try:
            hit, true, (low, high) = covered(given.seed + number, given.rounds, given.explore)
        except ValueError as error:  # propensities that happen to look wrong: refused, so nothing is claimed
            print(f"{number + 1}: refused, {error}", flush=True)
            continue
        hits, judged = hits + hit, judged + 1
        print(f"{number + 1}: {hits} of {judged} cover; true {true:+.1f}, {low:+.1f} to {high:+.1f}", flush=True)
    refused = f"{given.services - judged} refused, {given.rounds} decisions each, seed {given.seed}"
    print(f"hedgerow {hr.__version__}: {hits} of {judged} cover ({hits / judged:.1%}), {refused}")


if __name__ == "__main__":
    main()
