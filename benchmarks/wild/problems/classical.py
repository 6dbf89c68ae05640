"""A problem without contexts: each factor from its own generator, then tables of rewards."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field

import numpy as np

from .change import CHANGES, course
from .clusters import QUALITIES, SIZES, clusters
from .draws import CLASSICAL_KIND, FIRST_TABLE, Array, generator, one_of
from .history import CLASSICAL_HISTORIES, logged
from .means import means
from .noise import CLASSICAL_NOISES, NEGATIVE, noise, units
from .sizes import size


@dataclass(frozen=True)
class Classical:
    """A problem without contexts; the files of this folder say how each part is drawn.

    Args:
        seed: Which problem it is.
        arms: K.
        rounds: T.
        noise: Kind of noise.
        shape: Shape of the means.
        top: Largest mean before units; the best rate with 0/1 rewards.
        floor: Smallest mean before units, as a share of the largest.
        unit: What one unit of reward is.
        shift: Where its zero lies, in units.
        quality: How well the clusters fit.
        sizes: How large the clusters are; "none" without.
        history: What the history tells.
        change: How the means change.
        means: Of the arms, in units; before any change.
        clusters: The cluster of each arm, or None.
        history_arms: The arm of each logged round.
        history_rewards: Its reward.
        noise_sd: True standard deviation of a reward, the mean over the arms.
        hardness: It over D, the gap between the best arm and the mean of all.
    """

    seed: int
    arms: int
    rounds: int
    noise: str
    shape: str
    top: float
    floor: float
    unit: float
    shift: float
    quality: str
    sizes: str
    history: str
    change: str
    means: Array = field(repr=False)
    clusters: Array | None = field(repr=False)
    history_arms: Array = field(repr=False)
    history_rewards: Array = field(repr=False)
    noise_sd: float
    hardness: float
    _expected: Callable[[], Array] = field(repr=False)
    _rewards: Callable[[Array, int], Array] = field(repr=False)

    @property
    def binary(self) -> bool:
        """Whether rewards are 0 or 1."""
        return self.noise == "bernoulli"

    def table(self, replication: int) -> tuple[Array, Array]:
        """Draw the rewards of a replication, the same for all policies.

        Args:
            replication: Its number, from 0 on.

        Returns:
            Rewards, one row for each round and one column for each arm; and expected rewards, as many rows or a single one.
        """
        expected = self._expected()
        rewards = self._rewards(expected, replication)
        return (rewards, expected) if self.binary else tuple(self.unit * (part + self.shift) for part in (rewards, expected))


def problem(seed: int) -> Classical:
    """Draw a problem without contexts.

    Args:
        seed: Which one.

    Returns:
        The problem.

    Examples:
        >>> from benchmarks.wild.problems import problem
        >>> drawn = problem(17)
        >>> drawn.table(0)[0].shape == (drawn.rounds, drawn.arms)
        True
    """
    of_size, of_noise, of_means, of_units, of_clusters, of_history, of_change = (
        generator(CLASSICAL_KIND, seed, n) for n in range(7)
    )
    K, T = size(of_size)
    kind = one_of(of_noise, CLASSICAL_NOISES)
    binary = kind == "bernoulli"
    drawn = means(of_means, K, binary=binary)
    m = drawn.of_arms
    scale = units(of_units, binary=binary)
    rewards = noise(of_noise, kind, m)
    quality, sizes = one_of(of_clusters, QUALITIES), one_of(of_clusters, SIZES)
    cluster = clusters(of_clusters, m, quality, sizes)
    told = one_of(of_history, CLASSICAL_HISTORIES)
    log = logged(of_history, told, m, binary=binary, negative=kind in NEGATIVE)
    seen = rewards.draw(log.means[log.arms], log.arms, of_history)
    change = one_of(of_change, CHANGES)
    arms = np.arange(K)
    noise_sd = float(scale.unit * rewards.sd(m, arms).mean())

    def table(expected: Array, replication: int) -> Array:
        wide = np.broadcast_to(expected, (T, K))
        return rewards.draw(wide, np.broadcast_to(arms, (T, K)), generator(CLASSICAL_KIND, seed, FIRST_TABLE + replication))

    return Classical(
        seed=seed,
        arms=K,
        rounds=T,
        noise=kind,
        shape=drawn.shape,
        top=drawn.top,
        floor=drawn.floor,
        unit=scale.unit,
        shift=scale.shift,
        quality=quality,
        sizes="none" if cluster is None else sizes,
        history=told,
        change=change,
        means=scale.of(m),
        clusters=cluster,
        history_arms=log.arms,
        history_rewards=scale.of(seen),
        noise_sd=noise_sd,
        hardness=noise_sd / (scale.unit * (m.max() - m.mean())),
        _expected=lambda: course(deepcopy(of_change), change, m, T),
        _rewards=table,
    )
