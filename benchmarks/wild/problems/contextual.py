"""A problem with contexts.

    size        d ~ logU(1, 50), K ~ logU(2, 300), T ~ logU(300, 10,000), lowered (not below 300) to d d K T <= 1e9
    noise       of rewards that are not 0/1: gaussian .4 (sd logU(.1, 5)), arm_sd .2 (logU(.1, 3) exp(N(0, 1)) of the arm),
                growing .2 (sd = |f| logU(.1, 2) + .05), heavy .2 (Student t, 3 degrees of freedom, times logU(.1, 3))
    units       a level U(-3, 3) is added to f; the unit is 1 (.6) or logU(.05, 20)
    clusters    none .2, true .4 (the true groups), mixed .1, wrong .1, shuffled .2: see clusters.py
    history     none .4; else plays of an arm ~ Poisson, logU(.3, 100) on average, of all arms (.5) or a share U(.1, .9);
                honest .42, swapped .09 (rewards of other arms), biased .09 (rewards of an arm off by N(0, 1) logU(.1, 3))

contexts.py and coefficients.py have the rest. Leave out a problem whose uniform random play loses less than 1e-4 units a round:
its arms are alike.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .clusters import mistaken, redealt
from .coefficients import Coefficients, coefficients
from .contexts import Contexts, contexts
from .draws import CONTEXTUAL_KIND, FIRST_TABLE, Array, Generator, generator, log_uniform, one_of

CONTEXTUAL_NOISES = {"gaussian": 0.4, "arm_sd": 0.2, "growing": 0.2, "heavy": 0.2}
"""How likely each kind of noise is."""

LARGEST_LEVEL = {"gaussian": 5.0, "arm_sd": 3.0, "growing": 2.0, "heavy": 3.0, "bernoulli": 1.0}
"""Upper end of the noise's level, of each kind."""

LEAST_LEVEL = 0.1
CONTEXTUAL_QUALITIES = {"none": 0.2, "true": 0.4, "mixed": 0.1, "wrong": 0.1, "shuffled": 0.2}
"""How likely each quality of the clusters is."""

CONTEXTUAL_HISTORIES = {"none": 0.4, "honest": 0.42, "swapped": 0.09, "biased": 0.09}
"""How likely each kind of history is."""

BIAS_OF_RATES = 0.3
"""What a bias of 1 adds to a rate of 0/1 rewards."""

MOST_CONTEXTUAL_CELLS = 1e9
"""Most d d K T."""

FEWEST_CONTEXTUAL_ROUNDS, MOST_CONTEXTUAL_ROUNDS = 300, 10_000
PROBED = 1000
"""Contexts on which f is measured, to scale it."""


@dataclass(frozen=True)
class Rewards:
    """From f to expected rewards and to rewards."""

    kind: str
    level: float
    sd_of_arm: Array = field(repr=False)
    unit: float
    intercept: float
    slope: float
    added: float
    scale: float
    middle: float

    def expected(self, payoff: Array) -> Array:
        """Expected rewards, before units."""
        f = payoff * self.scale - self.middle
        return 1 / (1 + np.exp(-(self.intercept + self.slope * f))) if self.kind == "bernoulli" else f + self.added

    def draw(self, expected: Array, arms: Array, rng: Generator) -> Array:
        """Rewards of these expectations, in units."""
        if self.kind == "bernoulli":
            return (rng.random(expected.shape) < expected).astype(float)
        if self.kind == "growing":
            return self.unit * (expected + (self.level * np.abs(expected) + 0.05) * rng.standard_normal(expected.shape))
        if self.kind == "heavy":
            return self.unit * (expected + self.level * rng.standard_t(3, expected.shape))
        return self.unit * (expected + self.sd_of_arm[arms] * rng.standard_normal(expected.shape))


@dataclass(frozen=True)
class Contextual:
    """A problem with contexts.

    Args:
        seed: Which problem it is.
        arms: K.
        rounds: T.
        dimension: d, of the contexts that policies see.
        contexts: How they are drawn.
        coefficients: What the arms pay.
        noise: Kind of noise.
        noise_level: Its size.
        unit: What one unit of reward is.
        quality: How well the clusters fit.
        history: What the history tells.
        clusters: The cluster of each arm, or None.
        history_arms: The arm of each logged round.
        history_rewards: Its reward.
        history_contexts: Its context.
    """

    seed: int
    arms: int
    rounds: int
    dimension: int
    contexts: Contexts = field(repr=False)
    coefficients: Coefficients = field(repr=False)
    noise: str
    noise_level: float
    unit: float
    quality: str
    history: str
    clusters: Array | None = field(repr=False)
    history_arms: Array = field(repr=False)
    history_rewards: Array = field(repr=False)
    history_contexts: Array = field(repr=False)
    _table: Callable[[int], tuple[Array, Array, Array]] = field(repr=False)

    def table(self, replication: int) -> tuple[Array, Array, Array]:
        """Draw the contexts and rewards of a replication, the same for all policies.

        Args:
            replication: Its number, from 0 on.

        Returns:
            Contexts; rewards, one row for each round and one column for each arm; and expected rewards, likewise.
        """
        return self._table(replication)


def contextual(seed: int) -> Contextual:
    """Draw a problem with contexts.

    Args:
        seed: Which one.

    Returns:
        The problem.

    Examples:
        >>> from benchmarks.wild.problems import contextual
        >>> drawn = contextual(17)
        >>> drawn.table(0)[0].shape == (drawn.rounds, drawn.dimension)
        True
    """
    of_size, of_contexts, of_truth, probe, of_noise, of_clusters, of_history = (
        generator(CONTEXTUAL_KIND, seed, n) for n in range(7)
    )
    d, K, T = _size(of_size)
    shown = contexts(of_contexts, d)
    truth = coefficients(of_truth, K, shown.columns)
    rewards = _rewards(of_noise, truth, shown.draw(probe, PROBED)[0])
    quality = one_of(of_clusters, CONTEXTUAL_QUALITIES)
    history = one_of(of_history, CONTEXTUAL_HISTORIES)
    cluster = _clusters(of_clusters, quality, truth.group)
    arms, paid, seen = _logged(of_history, history, K, shown, lambda known: rewards.expected(truth.payoff(known)), rewards)

    def table(replication: int) -> tuple[Array, Array, Array]:
        rng = generator(CONTEXTUAL_KIND, seed, FIRST_TABLE + replication)
        known, shown_now = shown.draw(rng, T)
        expected = rewards.expected(truth.payoff(known))
        drawn = rewards.draw(expected, np.broadcast_to(np.arange(K), expected.shape), rng)
        return np.ascontiguousarray(shown_now), drawn, expected * (1.0 if rewards.kind == "bernoulli" else rewards.unit)

    return Contextual(
        seed=seed,
        arms=K,
        rounds=T,
        dimension=d,
        contexts=shown,
        coefficients=truth,
        noise=rewards.kind,
        noise_level=rewards.level,
        unit=rewards.unit,
        quality=quality,
        history=history,
        clusters=cluster,
        history_arms=arms,
        history_rewards=paid,
        history_contexts=seen,
        _table=table,
    )


def _size(rng: Generator) -> tuple[int, int, int]:
    d, K = round(log_uniform(rng, 1, 50)), round(log_uniform(rng, 2, 300))
    T = round(log_uniform(rng, FEWEST_CONTEXTUAL_ROUNDS, MOST_CONTEXTUAL_ROUNDS))
    return d, K, max(FEWEST_CONTEXTUAL_ROUNDS, min(T, int(MOST_CONTEXTUAL_CELLS / (d * d * K))))


def _rewards(rng: Generator, truth: Coefficients, known: Array) -> Rewards:
    payoff = truth.payoff(known)
    scale = 1 / max(payoff.std(1).mean(), 1e-9)
    kind = "bernoulli" if truth.link == "logistic" else one_of(rng, CONTEXTUAL_NOISES)
    intercept, slope = rng.uniform(-4, 1), log_uniform(rng, 0.5, 3)
    added, unit = rng.uniform(-3, 3), 1.0 if rng.random() < 0.6 else log_uniform(rng, 0.05, 20)
    level = log_uniform(rng, LEAST_LEVEL, LARGEST_LEVEL[kind])
    arms = len(truth.theta)
    sd_of_arm = level * np.exp(rng.normal(size=arms)) if kind == "arm_sd" else np.full(arms, level)
    return Rewards(kind, level, sd_of_arm, unit, intercept, slope, added, scale, payoff.mean() * scale)


def _clusters(rng: Generator, quality: str, group: Array) -> Array | None:
    if quality == "none":
        return None
    if quality == "mixed":
        return redealt(rng, group)
    if quality == "wrong":
        return mistaken(rng, group)
    return rng.permutation(group) if quality == "shuffled" else group.copy()


def _logged(
    rng: Generator, history: str, arms: int, shown: Contexts, expect: Callable[[Array], Array], rewards: Rewards
) -> tuple[Array, Array, Array]:
    """Arm, reward and context of each logged round."""
    played = np.zeros(0, int)
    if history != "none":
        per_arm, share = log_uniform(rng, 0.3, 100), 1.0 if rng.random() < 0.5 else rng.uniform(0.1, 0.9)
        known_arms = rng.permutation(arms)[: max(1, round(share * arms))]
        played = rng.permutation(np.repeat(known_arms, rng.poisson(per_arm, size=known_arms.size)))
    known, seen = shown.draw(rng, played.size)
    paying = rng.permutation(arms)[played] if history == "swapped" else played
    expected = expect(known)[np.arange(played.size), paying]
    if history == "biased":
        off = rng.normal(size=arms) * log_uniform(rng, 0.1, 3)
        binary = rewards.kind == "bernoulli"
        expected = np.clip(expected + BIAS_OF_RATES * off[played], 0, 1) if binary else expected + off[played]
    return played, rewards.draw(expected, paying, rng), seen
