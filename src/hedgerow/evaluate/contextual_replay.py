"""Replay of policies with contexts (Li et al. 2011).

Logged rows are offered in random order; one counts, and is learnt from, where the policy's arm is the logged one.
That is valid, and wasteful, for arms chosen about evenly: one row in K matches. Other logs are thinned first: a row stays with
probability p_min / p, p its propensity, and among those that stay every arm is as likely as any other, whatever the context.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..core.draws import NO_KEY
from ..core.kernel import compiled
from ..core.types import Floats, Integers, Links
from ..data.encoding import Encoding
from ..data.history import History
from ..policies import linucb, ridge_tree
from ..policies.bandit import Bandit
from ..policies.meta_play import positions
from ..policies.paper import HLinUCB, HLinUCBC
from .gains import paired
from .interval import Gain
from .logging_grade import Grade
from .replay import BOOTSTRAPS, ORDERS, REPEATS, SHARE, bootstrap_gain
from .rulings import roughly
from .split import Split

if TYPE_CHECKING:
    from ..data.log import Log

MOST_OFFERED = 20_000
"""Rows offered in a pass: the time of 240 passes of each policy stays within a minute or so."""

WIDEST = 40
"""Numbers in a context beyond which regressions have too little to learn from within a replay."""


MATCHED = 10
"""Rows per arm that must match in a thinned log."""


@dataclass(frozen=True)
class Contextual:
    """Gains per 1000 decisions of policies with contexts in the first ``rounds`` rounds, replayed on ``rows`` logged ones."""

    rounds: int
    rows: int
    dimension: int
    gains: dict[str, Gain]


@compiled
def offer(
    tree: Links,
    online: Floats,
    history: Floats,
    waiting: Floats,
    derived: Floats,
    state: Floats,
    arm_of: Integers,
    contexts: Floats,
    logged: Integers,
    rewards: Floats,
    order: Integers,
    rounds: int,
) -> tuple[float, int]:
    """Sum of rewards over the first so many matched rows, and how many there were."""
    earned, matched = 0.0, 0
    for row in order:
        leaf = linucb.choose(tree, derived, state, contexts[row], NO_KEY)
        if arm_of[leaf] == logged[row]:
            ridge_tree.learn(tree, online, history, waiting, derived, leaf, rewards[row], contexts[row])
            earned += rewards[row]
            matched += 1
            if matched == rounds:
                break
    return earned, matched


@dataclass(frozen=True)
class Rows:
    """Logged rows with their contexts as numbers, the first of them 1."""

    arm: Integers
    reward: Floats
    contexts: Floats


def replay_policy(policy: Bandit, rows: Rows, order: Integers, rounds: int) -> float:
    """Mean reward of a fresh policy over its first matched rows; the policy stays as it is."""
    arrays = policy.snapshot().arrays
    sums = (arrays.online.copy(), arrays.history, arrays.waiting, arrays.rows.copy(), arrays.state)
    earned, matched = offer(arrays.tree, *sums, positions(policy), rows.contexts, rows.arm, rows.reward, order, rounds)
    return earned / max(matched, 1)


class Contest:
    """LinUCB, HLinUCB, HLinUCBC and HLinUCBC with shuffled labels, as far as there are history and groups."""

    def __init__(self, past: Rows, split: Split):
        dimension = past.contexts.shape[1]
        self.groups = split.groups
        self.known = {"dimension": dimension, "alpha": split.scale}
        self.arms = range(split.arms)
        self.history = History.from_rounds(arms=past.arm, rewards=past.reward, contexts=past.contexts) if past.arm.size else None
        self.policies = {"UCB": HLinUCB(self.arms, **self.known)}
        if self.history is not None:
            self.policies["HUCB"] = HLinUCB(self.arms, history=self.history, **self.known)
        if self.groups is not None:
            self.policies["grouped"] = self.clustered(self.groups)

    def clustered(self, groups: Integers) -> Bandit:
        """HLinUCBC over groups."""
        return HLinUCBC(self.arms, clusters=groups.tolist(), history=self.history, **self.known)

    def values(self, rows: Rows, order: Integers, rounds: int, rng: np.random.Generator) -> dict[str, float]:
        """Reward per 1000 decisions of each policy on rows in this order."""
        entrants = dict(self.policies)
        if self.groups is not None:
            entrants["shuffled"] = self.clustered(rng.permutation(self.groups))
        return {name: 1000.0 * replay_policy(policy, rows, order, rounds) for name, policy in entrants.items()}

    def gains(self, rows: Rows, sample: Integers, rounds: int, count: int, rng: np.random.Generator) -> dict[str, Floats]:
        """Gains of so many orders of the sampled rows."""
        found = [self.values(rows, rng.permutation(sample), rounds, rng) for _ in range(count)]
        return paired({name: np.array([value[name] for value in found]) for name in found[0]})


def with_numbers(log: "Log") -> Floats:
    """Contexts as numbers: 1, scaled numbers, and a column for each category but the first."""
    encoding = Encoding.of(log.context, scale=True)
    base = {column.names[0] for column in encoding.columns if column.levels is not None}
    kept = [at for at, name in enumerate(encoding.names) if name not in base]
    return np.column_stack([np.ones(log.arm.size), encoding.matrix(log.context)[:, kept]])


def offered(log: "Log", split: Split, grade: Grade, seed: int) -> Integers:
    """The later rows, thinned to an even choice of arms if it was not even."""
    later = np.arange(log.arm.size - split.future_rows, log.arm.size)
    if grade.letter == "A" and grade.near_uniform:
        return later
    chance = split.shares[log.arm] if log.propensity is None else log.propensity
    stays = chance[later].min() / chance[later]
    return np.asarray(later[np.random.default_rng([seed, 7]).random(later.size) < stays])


def horizon(rows: int, arms: int, rounds: int) -> int:
    """Rounds that a replay of so many rows with contexts can have."""
    return min(int(SHARE * min(rows, MOST_OFFERED) / arms), rounds)


def context_refusal(log: "Log", split: Split, grade: Grade, rounds: int, seed: int) -> str | None:
    """Why policies with contexts cannot be replayed, if there are contexts."""
    if not log.context:
        return None
    if grade.letter == "C":
        return "policies with contexts can be replayed only where arms were chosen at random or with known propensities"
    rows, arms = offered(log, split, grade, seed).size, split.arms
    if rows < split.future_rows and rows // arms < MATCHED * arms:
        return (
            f"thinned to an even choice of arms, {split.future_rows:,} rows become {rows:,}, of which some {rows // arms:,} "
            f"would match what a policy chooses; it takes {MATCHED * arms:,}, that is some "
            f"{roughly(split.future_rows * MATCHED * arms * arms / max(rows, 1)):,} rows like these"
        )
    if (length := horizon(rows, arms, rounds)) < arms:
        return f"{rows:,} rows make a replay with contexts of {length} rounds; it needs as many as arms, {arms}"
    if (width := with_numbers(log).shape[1]) > WIDEST:
        return (
            f"these contexts are {width} numbers, too many to be learnt from in a replay; choose fewer columns ({WIDEST} numbers)"
        )
    return None


def replay_contexts(log: "Log", split: Split, grade: Grade, *, rounds: int, seed: int, say: Callable[[str], None]) -> Contextual:
    """The gains of contextual policies, where ``context_refusal`` has nothing to say."""
    numbers, later = with_numbers(log), offered(log, split, grade, seed)
    count, length = later.size, horizon(later.size, split.arms, rounds)
    earlier = np.arange(log.arm.size - split.future_rows)
    past, rows = (Rows(log.arm[part], log.reward[part], numbers[part]) for part in (earlier, later))
    contest, rng = Contest(past, split), np.random.default_rng([seed, 5])
    orders = contest.gains(rows, np.arange(count), length, ORDERS, rng)
    bootstraps = []
    for turn in range(BOOTSTRAPS):
        if turn % 10 == 0:
            say(f"replaying with contexts: {turn} of {BOOTSTRAPS} bootstraps")
        bootstraps.append(contest.gains(rows, rng.integers(0, count, size=count), length, REPEATS, rng))
    gains = {name: bootstrap_gain(d, np.stack([b[name] for b in bootstraps])) for name, d in orders.items()}
    return Contextual(length, count, numbers.shape[1], gains)
