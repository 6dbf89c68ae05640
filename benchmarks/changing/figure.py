"""Reward over time of policies with and without a half-life, in three worlds of the walk-through."""

from pathlib import Path

import numpy as np

import hedgerow as hr
from benchmarks.changing.__main__ import policy
from benchmarks.changing.worlds import ARMS, Generator, World, news, still
from hedgerow.present.plots import new_figure

ROUNDS, WINDOW = 6000, 300
PLAYERS = {
    "Auto": policy(hr.Auto),
    'Auto, half_life="auto"': policy(hr.Auto, half_life="auto"),
    "Auto, half_life=1000": policy(hr.Auto, half_life=1000),
}


def price_change(rounds: int, rng: Generator) -> np.ndarray:
    """From a third on the best offer sells at half its rate."""
    means = rng.uniform(0.05, 0.5, ARMS)
    path = still(means, rounds)
    path[rounds // 3 :, means.argmax()] *= 0.5
    return path


def season(rounds: int, rng: Generator) -> np.ndarray:
    """Two groups of arms take turns every 1500 rounds."""
    means, turn = rng.uniform(0.1, 0.4, ARMS), (np.arange(rounds) // 1500) % 2
    swing = np.where(np.arange(ARMS) % 2 == 0, 1.0, -1.0)
    return means + 0.1 * swing * np.where(turn == 0, 1.0, -1.0)[:, None]


SCENES = {"news that fade": news, "a price change": price_change, "a season": season}


def rewards_over_time(name: str, trials: int, seed: int) -> dict[str, np.ndarray]:
    """Mean expected reward of each policy in each round, and of the best arm."""
    found = {who: np.zeros(ROUNDS) for who in ("best arm", *PLAYERS)}
    for number in range(trials):
        rng = np.random.default_rng([seed, list(SCENES).index(name), number])
        expected = SCENES[name](ROUNDS, rng)
        trial = World(expected, (rng.random(expected.shape) < expected).astype(float), np.zeros((ROUNDS, 0)), None)
        found["best arm"] += expected.max(axis=1) / trials
        for who, play in PLAYERS.items():
            found[who] += expected[np.arange(ROUNDS), play(trial)] / trials
    return found


def draw(path: Path, trials: int, seed: int) -> None:
    """Draw the figure and print the mean rewards.

    Args:
        path: Where it is written.
        trials: Of each world.
        seed: Of the draws.
    """
    figure = new_figure(13.0, 4.2)
    axes = figure.subplots(1, len(SCENES))
    kernel = np.ones(WINDOW) / WINDOW
    for axis, name in zip(axes, SCENES, strict=True):
        for who, rewards in rewards_over_time(name, trials, seed).items():
            print(f"{name:16} {who:24} {1000 * rewards.mean():.0f} per 1000 decisions", flush=True)
            style = {"color": "0.6", "linestyle": ":"} if who == "best arm" else {}
            axis.plot(np.arange(WINDOW - 1, ROUNDS), np.convolve(rewards, kernel, "valid"), label=who, **style)
        axis.set_title(f"{name}: reward, mean of {WINDOW} rounds")
        axis.set_xlabel("round")
    axes[0].legend(frameon=False)
    figure.suptitle(f"seed {seed}, {trials} trials, hedgerow {hr.__version__}")
    figure.savefig(path, dpi=110)
