"""Worlds whose rewards change: the expected reward of each arm in each round, drawn anew for each trial."""

import zlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

Array = np.ndarray
Generator = np.random.Generator


class World(NamedTuple):
    """One trial.

    Args:
        expected: Expected reward of each arm in each round.
        rewards: The reward that each arm would earn.
        contexts: The context of each round, of no numbers without contexts.
        clusters: The cluster of each arm, or None.
    """

    expected: Array
    rewards: Array
    contexts: Array
    clusters: list[int] | None


ARMS, CLUSTERED_ARMS, CLUSTERS = 10, 100, 10
DIMENSION, NOISE, CORRELATION = 5, 0.5, 2000.0
"""Numbers of a context, noise of linear rewards, and rounds over which drifting coefficients are alike."""


def still(means: Array, rounds: int) -> Array:
    """Means that stay."""
    return np.repeat(means[None], rounds, 0)


def from_half(before: Array, after: Array, rounds: int) -> Array:
    """Means that change once, half-way."""
    return np.where(np.arange(rounds)[:, None] < rounds // 2, before, after)


def walk(means: Array, rounds: int, step: float, rng: Generator) -> Array:
    """A random walk between 0 and 1, reflected."""
    path = np.abs(means + np.cumsum(step * rng.normal(size=(rounds, means.size)), 0)) % 2.0
    return np.where(path > 1.0, 2.0 - path, path)


def parts(means: Array, rounds: int) -> Array:
    """As many stretches of equal length as there are rows of means."""
    return means[np.arange(rounds) * len(means) // rounds]


def sinusoid(rounds: int, rng: Generator) -> Array:
    """Each arm swings around 1/2, one to three times."""
    t, phase = np.arange(rounds)[:, None] / rounds, rng.uniform(0, 1, ARMS)
    return 0.5 + 0.3 * np.sin(2 * np.pi * (t * rng.uniform(1, 3, ARMS) + phase)) * rng.uniform(0.3, 1, ARMS)


def worst_becomes_best(rounds: int, rng: Generator) -> Array:
    """The worst arm gains where nobody looks."""
    means = rng.permutation([0.5, 0.45, 0.4, 0.4, 0.4, 0.4, 0.35, 0.3, 0.3, 0.2])
    return from_half(means, np.where(means == means.min(), 0.7, means), rounds)


def best_dies(rounds: int, rng: Generator) -> Array:
    """The best arm earns nothing from half-way on."""
    means = rng.uniform(0, 1, ARMS)
    return from_half(means, np.where(means == means.max(), 0.0, means), rounds)


def new_best(rounds: int, rng: Generator) -> Array:
    """After a third an arm that was not the best becomes it."""
    means = rng.uniform(0, 0.7, ARMS)
    path, other = still(means, rounds), np.argsort(means)[rng.integers(0, ARMS - 1)]
    path[rounds // 3 :, other] = means.max() + 0.2
    return path


def slow_decay(rounds: int, rng: Generator) -> Array:
    """The best of rare rewards falls below the others within some thousand rounds."""
    path = still(np.array([0.08] + [0.04] * (ARMS - 1)), rounds)
    path[:, 0] = 0.03 + 0.05 * np.exp(-np.arange(rounds) / 4000)
    return path[:, rng.permutation(ARMS)]


def news(rounds: int, rng: Generator) -> Array:
    """Ten places for news: each item fades within 700 rounds, and is replaced at random times."""
    path = np.zeros((rounds, ARMS))
    for place in range(ARMS):
        start = -int(rng.integers(0, 1400))
        while start < rounds:
            end = start + int(rng.exponential(1400)) + 200
            at = np.arange(max(start, 0), min(end, rounds))
            path[at, place] = 0.02 + rng.uniform(0.05, 0.5) * np.exp(-(at - start) / 700)
            start = end
    return path


WITHOUT_CLUSTERS: dict[str, Callable[[int, Generator], Array]] = {
    "stationary U(0,1)": lambda rounds, rng: still(rng.uniform(0, 1, ARMS), rounds),
    "stationary gap .1": lambda rounds, rng: still(rng.permutation([0.5] + [0.4] * (ARMS - 1)), rounds),
    "permuted": lambda rounds, rng: (lambda means: from_half(means, rng.permutation(means), rounds))(rng.uniform(0, 1, ARMS)),
    "worst becomes best": worst_becomes_best,
    "5 changes": lambda rounds, rng: parts(rng.uniform(0, 1, (6, ARMS)), rounds),
    "sinusoid": sinusoid,
    "random walk": lambda rounds, rng: walk(rng.uniform(0.2, 0.8, ARMS), rounds, 0.003, rng),
    "best dies": best_dies,
    "new best": new_best,
    "slow decay": slow_decay,
    "news": news,
}


def clustered(name: str, rounds: int, rng: Generator) -> Array:
    """100 arms in 10 clusters: centres U(.1, .9), arms within .05 of them."""
    of, own = np.repeat(np.arange(CLUSTERS), CLUSTERED_ARMS // CLUSTERS), rng.normal(size=CLUSTERED_ARMS) * 0.05
    centres = rng.uniform(0.1, 0.9, CLUSTERS)
    around = lambda level: np.clip(level[..., of] + own, 0.01, 0.99)  # noqa: E731
    if name == "clusters permuted":
        return from_half(around(centres), around(rng.permutation(centres)), rounds)
    if name == "5 changes of centres":
        return parts(around(rng.uniform(0.1, 0.9, (6, CLUSTERS))), rounds)
    if name == "best cluster x .2":
        before = around(centres)
        return from_half(before, np.where(of == centres.argmax(), 0.2 * before, before), rounds)
    if name == "centres walk":
        return around(walk(centres, rounds, 0.003, rng))
    return still(around(centres), rounds)


WITH_CLUSTERS = ("clusters stationary", "clusters permuted", "5 changes of centres", "best cluster x .2", "centres walk")


def coefficients(name: str, rounds: int, rng: Generator) -> Array:
    """Coefficients of each arm in each round, N(0, 1/4) each."""
    drawn = lambda *shape: rng.normal(size=(*shape, ARMS, DIMENSION)) / 2  # noqa: E731
    theta = drawn()
    if name == "jump":
        return np.where((np.arange(rounds) < rounds // 2)[:, None, None], theta, drawn())
    if name == "5 jumps":
        return parts(drawn(6), rounds)
    path = np.repeat(theta[None], rounds, 0)
    if name == "one arm jumps":
        path[rounds // 2 :, rng.integers(ARMS)] = rng.normal(size=DIMENSION)
    if name == "coefficients drift":
        kept = np.exp(-1.0 / CORRELATION)
        for t in range(1, rounds):
            path[t] = kept * path[t - 1] + np.sqrt(1.0 - kept * kept) * drawn()
    return path


WITH_CONTEXTS = ("contexts stationary", "jump", "5 jumps", "one arm jumps", "coefficients drift")


def world(name: str, rounds: int, seed: int, number: int) -> World:
    """A trial of a world.

    Args:
        name: Of the world.
        rounds: How long it lasts.
        seed: Of all trials.
        number: Of this one.

    Returns:
        The trial.
    """
    rng = np.random.default_rng([seed, zlib.crc32(name.encode()), number])
    if name in WITH_CONTEXTS:
        contexts = rng.normal(size=(rounds, DIMENSION))
        contexts[:, 0] = 1.0
        contexts /= np.linalg.norm(contexts, axis=1)[:, None]
        expected = np.einsum("tkd,td->tk", coefficients(name, rounds, rng), contexts)
        return World(expected, expected + NOISE * rng.normal(size=expected.shape), contexts, None)
    none = np.zeros((rounds, 0))
    if name in WITH_CLUSTERS:
        expected = np.ascontiguousarray(clustered(name, rounds, rng))
        labels = np.repeat(np.arange(CLUSTERS), CLUSTERED_ARMS // CLUSTERS).tolist()
        return World(expected, (rng.random(expected.shape) < expected).astype(float), none, labels)
    expected = np.ascontiguousarray(WITHOUT_CLUSTERS[name](rounds, rng))
    return World(expected, (rng.random(expected.shape) < expected).astype(float), none, None)
