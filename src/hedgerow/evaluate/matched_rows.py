"""Policies with contexts played on logged rows: a row counts where the policy's arm is the logged one."""

from dataclasses import dataclass

import numpy as np

from ..core.draws import NO_KEY
from ..core.kernel import compiled
from ..core.types import Floats, Integers, Links
from ..data.history import History
from ..policies import linucb, ridge_tree
from ..policies.bandit import Bandit
from ..policies.meta_play import positions
from ..policies.paper_linear import HLinUCB, HLinUCBC
from .gains import paired
from .split import Split


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
    """Offer logged rows to a policy; it learns from those whose arm it would have chosen.

    Args:
        tree: First child, number of children and parent of each node.
        online: Sums of the online rounds.
        history: Sums of the history.
        waiting: Decisions that wait; none.
        derived: What the policy derives of each node.
        state: And as a whole.
        arm_of: The arm of each node.
        contexts: Of the rows.
        logged: Their arms.
        rewards: Their rewards.
        order: In which rows are offered.
        rounds: Rows that may match.

    Returns:
        Sum of rewards over the first matched rows, and how many these are.
    """
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
    """Logged rows.

    Args:
        arm: Of each row.
        reward: Of each row.
        contexts: As numbers, the first of them 1.
    """

    arm: Integers
    reward: Floats
    contexts: Floats


def replay_policy(policy: Bandit, rows: Rows, order: Integers, rounds: int) -> float:
    """Mean reward of a fresh policy over its first matched rows; the policy stays as it is.

    Args:
        policy: With contexts.
        rows: Logged rows.
        order: In which they are offered.
        rounds: Rows that may match.

    Returns:
        The mean.
    """
    arrays = policy.snapshot().arrays
    sums = (arrays.online.copy(), arrays.history, arrays.waiting, arrays.rows.copy(), arrays.state)
    earned, matched = offer(arrays.tree, *sums, positions(policy), rows.contexts, rows.arm, rows.reward, order, rounds)
    return earned / max(matched, 1)


class Contest:
    """LinUCB, HLinUCB, HLinUCBC and HLinUCBC with shuffled groups, as far as there are history and groups.

    Args:
        earlier: Rows of the history.
        split: The log as sums.
    """

    def __init__(self, earlier: Rows, split: Split):
        dimension = earlier.contexts.shape[1]
        self.groups = split.groups
        self.known = {"dimension": dimension, "alpha": split.scale}
        self.arms: range = range(split.arms)
        self.history: History | None = None
        if earlier.arm.size:
            self.history = History.from_rounds(arms=earlier.arm, rewards=earlier.reward, contexts=earlier.contexts)
        self.policies = {"UCB": HLinUCB(self.arms, **self.known)}
        if self.history is not None:
            self.policies["HUCB"] = HLinUCB(self.arms, history=self.history, **self.known)
        if self.groups is not None:
            self.policies["grouped"] = self.clustered(self.groups)

    def clustered(self, groups: Integers) -> Bandit[int]:
        """HLinUCBC over groups.

        Args:
            groups: The group of each arm.

        Returns:
            The policy.
        """
        return HLinUCBC(self.arms, clusters=groups.tolist(), history=self.history, **self.known)

    def values(self, rows: Rows, order: Integers, rounds: int, rng: np.random.Generator) -> dict[str, float]:
        """Reward per 1000 decisions of each policy on rows in this order.

        Args:
            rows: Logged rows.
            order: In which they are offered.
            rounds: Rows that may match.
            rng: Where shuffled groups come from.

        Returns:
            By name.
        """
        entrants = dict(self.policies)
        if self.groups is not None:
            entrants["shuffled"] = self.clustered(rng.permutation(self.groups))
        return {name: 1000.0 * replay_policy(policy, rows, order, rounds) for name, policy in entrants.items()}

    def gains(self, rows: Rows, sample: Integers, rounds: int, count: int, rng: np.random.Generator) -> dict[str, Floats]:
        """Gains in many orders of sampled rows.

        Args:
            rows: Logged rows.
            sample: Which of them are offered.
            rounds: Rows that may match.
            count: How many orders.
            rng: Where orders come from.

        Returns:
            The gain in each order, by name.
        """
        found = [self.values(rows, rng.permutation(sample), rounds, rng) for _ in range(count)]
        return paired({name: np.array([value[name] for value in found]) for name in found[0]})
