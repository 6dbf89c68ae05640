"""Regret where rewards change.

    python -m benchmarks.changing                      all tables, 100 trials of 10,000 rounds
    python -m benchmarks.changing --trials 20 --rounds 100000 permuted jump
    python -m benchmarks.changing --figure docs/changing.png

Draws are paired: all policies see the same rewards. Each cell is the mean regret and half the width of its 95 % interval.
"""

import argparse
import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import hedgerow as hr
from benchmarks.changing import detector
from benchmarks.changing.worlds import WITH_CLUSTERS, WITH_CONTEXTS, WITHOUT_CLUSTERS, World, world
from hedgerow.policies.family import Course
from hedgerow.policies.meta_play import positions

SEED = 20270311
HALF_LIVES = (250, 1000, 4000)
Player = Callable[[World], np.ndarray]


def policy(make: Any, **given: Any) -> Player:
    """A policy of hedgerow that plays a world in compiled code."""

    def player(trial: World) -> np.ndarray:
        known = dict(given)
        if trial.contexts.shape[1]:
            known["dimension"] = trial.contexts.shape[1]
        if trial.clusters is not None and known.pop("told", True):
            known["clusters"] = trial.clusters
        known.pop("told", None)
        made = make(range(trial.rewards.shape[1]), **known)
        rounds = len(trial.rewards)
        arms = np.zeros(rounds, dtype=np.int64)
        made.play(Course(trial.contexts, trial.rewards, np.arange(rounds), positions(made), arms), np.random.default_rng(0))
        return arms

    return player


AUTO = {"Auto": policy(hr.Auto), "Auto auto": policy(hr.Auto, half_life="auto")}
AUTO |= {f"Auto H={half_life}": policy(hr.Auto, half_life=half_life) for half_life in HALF_LIVES}
GLR: dict[str, Player] = {"GLR-klUCB": lambda trial: detector.play(trial.rewards)}
KLUCB = {"KL-UCB": policy(hr.KLUCB, told=False), "KL-UCB auto": policy(hr.KLUCB, told=False, half_life="auto")}
KLUCB |= {"KL-UCB H=1000": policy(hr.KLUCB, told=False, half_life=1000)}
HUCBC = {"HUCBC": policy(hr.HUCBC, scale="auto"), "HUCBC auto": policy(hr.HUCBC, scale="auto", half_life="auto")}
FLAT = {"Auto auto, no labels": policy(hr.Auto, told=False, half_life="auto")}
LINEAR = {"LinUCB": policy(hr.LinUCB, alpha=0.5), "LinUCB auto": policy(hr.LinUCB, alpha=0.5, half_life="auto")}
LINEAR |= {f"LinUCB H={half_life}": policy(hr.LinUCB, alpha=0.5, half_life=half_life) for half_life in HALF_LIVES}


def players(name: str) -> dict[str, Player]:
    """Who plays a world."""
    if name in WITH_CONTEXTS:
        return LINEAR | AUTO
    return AUTO | GLR | (HUCBC | FLAT if name in WITH_CLUSTERS else KLUCB)


def regrets(name: str, rounds: int, trials: int, seed: int) -> dict[str, list[float]]:
    """The regret of each policy in each trial of a world."""
    found: dict[str, list[float]] = {who: [] for who in players(name)}
    for number in range(trials):
        trial = world(name, rounds, seed, number)
        best = trial.expected.max(axis=1)
        for who, play in players(name).items():
            arms = play(trial)
            found[who].append(float((best - trial.expected[np.arange(rounds), arms]).sum()))
    return found


def cell(values: list[float]) -> str:
    """Mean and half the width of its 95 % interval."""
    spread = 1.96 * np.std(values, ddof=1) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return f"{np.mean(values):.0f} ± {spread:.0f}"


def ratio(found: dict[str, list[float]], name: str) -> float:
    """Auto with "auto" over the better of the detector and the best fixed half-life; where nothing changes, over Auto."""
    means = {who: float(np.mean(values)) for who, values in found.items()}
    if "stationary" in name:
        return means["Auto auto"] / means["Auto"]
    rivals = [means[f"Auto H={half_life}"] for half_life in HALF_LIVES] + [means[who] for who in GLR if who in means]
    return means["Auto auto"] / min(rivals)


def line(name: str, found: dict[str, list[float]], taken: float) -> str:
    """A world's figures as a line of text."""
    cells = "  ".join(f"{who} {cell(values)}" for who, values in found.items())
    return f"{name:22} x{ratio(found, name):.2f}  {cells}  ({taken:.0f} s)"


def main() -> None:
    """Play, print, and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("worlds", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--figure", type=Path)
    given = parser.parse_args()
    if given.figure is not None:
        from benchmarks.changing.figure import draw

        draw(given.figure, given.trials, given.seed)
        return
    print(f"hedgerow {hr.__version__}, seed {given.seed}, {given.trials} trials of {given.rounds} rounds", flush=True)
    kept: dict[str, dict[str, list[float]]] = {}
    for name in given.worlds or [*WITHOUT_CLUSTERS, *WITH_CLUSTERS, *WITH_CONTEXTS]:
        start = time.perf_counter()
        kept[name] = regrets(name, given.rounds, given.trials, given.seed)
        print(line(name, kept[name], time.perf_counter() - start), flush=True)
        if given.out is not None:
            given.out.write_text(json.dumps(kept), encoding="utf-8")


if __name__ == "__main__":
    main()
