"""The part of a Bandit that chooses: an arm, the best few, one for each of many contexts; and how likely each choice is."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ..core import validate
from ..core.arms import Arms
from ..core.draws import NO_KEY, new_key
from ..core.types import ArmType, Context, Decision, Floats, Integers, Label
from ..core.validate import NO_CONTEXT
from .among import cut
from .bandit_memory import BanditMemory
from .exploration import Drawn, checked_count, checked_share, explore, key_at
from .family import Arrays
from .forgetting.half_life import Stamp
from .learnt import Learnt, rounds_offered

DRAWS = 1000
"""By which the propensities of a policy that draws are estimated."""


class Eligible(NamedTuple):
    """The arms that may be chosen, of one state: another thread may have put a new one in place since.

    Args:
        arms: All arms of the policy.
        leaves: The nodes of those that may be chosen.
        arrays: What chooses among them.
        nodes: The number in the policy of each node of these arrays; None if they are the policy's own.
    """

    arms: Arms
    leaves: Integers
    arrays: Arrays
    nodes: Integers | None

    def in_policy(self, chosen: int) -> int:
        """The number in the policy of a node of the arrays.

        Args:
            chosen: A node of the arrays, or -1.

        Returns:
            A node of the policy, or -1.
        """
        return chosen if self.nodes is None or chosen < 0 else int(self.nodes[chosen])


class BanditChoosing(BanditMemory[ArmType]):
    """Choosing changes nothing."""

    @property
    def explore(self) -> float:
        """The share of decisions that is drawn uniformly among the arms; assign another at any time."""
        return self._explore

    @explore.setter
    def explore(self, share: float) -> None:
        self._recipe = self._recipe._replace(explore=checked_share(share))
        self._explore = self._recipe.explore

    def select(
        self,
        context: Context | None = None,
        *,
        among: Iterable[Label] | None = None,
        rng: np.random.Generator | None = None,
        at: Stamp = None,
    ) -> Decision[ArmType]:
        """Choose an arm; the policy does not change.

        Args:
            context: Numbers, or raw values by name if the policy has an encoding.
            among: The arms that may be chosen, such as those in stock; all if left out. A policy with clusters goes by the
                clusters that have such arms, and a cluster counts as it does otherwise.
            rng: Where draws come from: of ``explore=``, of Thompson sampling, and of ties, which the first of equal arms wins
                otherwise. Auto and D3RB break ties by an order of their own.
            at: When, for a policy with a half-life: a number of decisions, or a time. Now if left out.

        Returns:
            The decision, which ``update`` takes once its reward is known.

        Raises:
            ValueError: The context is not one of this policy's, or ``among`` names no arm of it.

        Examples:
            >>> import hedgerow as hr
            >>> policy = hr.UCB(["a", "b", "c"])
            >>> policy.select().arm, policy.select(among=["b", "c"]).arm
            ('a', 'b')
        """
        x = NO_CONTEXT if context is None and self._dimension is None else self._numbers(context)
        now, stamp = self._learnt, None
        if self._half_life is not None or at is not None:
            now, stamp = self._now(at)
        if among is not None or self._explore > 0.0:
            return self._decide(self._eligible(now, among), x, self._draw_key(rng), rng is not None, stamp)
        arms, arrays = now[:2]
        leaf = self._family.choose(arrays, x, NO_KEY if rng is None and not self._draws else self._key(rng))
        if leaf < 0:
            raise validate.bad_context(x, self._largest)
        seen = None if self._dimension is None else self._noted(x)
        sure = 1.0 if rng is None and not self._draws else None
        # as Decision(...) does it, without a Python function in between
        return tuple.__new__(Decision, (*arms.named(leaf), seen, (), self.identity, sure, False, stamp))

    def _noted(self, x: Floats) -> tuple[float, ...]:
        """A context as a decision has it; ``update`` will know it again."""
        seen = tuple(x.tolist())
        self._seen = seen, x
        return seen

    def _key(self, rng: np.random.Generator | None) -> int:
        """Where ties are broken and rules draw: the caller's generator; without one the count of rounds, if a rule draws."""
        if rng is not None:
            return new_key(validate.generator(rng))
        return self._count() if self._draws else NO_KEY

    def _count(self) -> int:
        """Rounds of the arms that are offered, and decisions that wait."""
        now = self._learnt
        return rounds_offered(now) + now.waiting.total()

    def _draw_key(self, rng: np.random.Generator | None) -> int:
        """The same, and there is always one: whether to explore is drawn."""
        return self._count() if rng is None else new_key(validate.generator(rng))

    def _eligible(self, now: Learnt, among: Iterable[Label] | None) -> Eligible:
        """The arms that may be chosen, and what chooses among them."""
        if among is None:
            return Eligible(now.arms, now.arms.rising, now.arrays, None)
        return self._cut(now, now.arms.leaves_among(among))

    def _cut(self, now: Learnt, leaves: Integers) -> Eligible:
        part = cut(self._family, now.arrays, leaves)
        return Eligible(now.arms, leaves, part.arrays, part.nodes)

    def _decide(self, eligible: Eligible, x: Floats, key: int, ties: bool, at: float | None) -> Decision[ArmType]:
        """A choice among some arms, or a draw; ``ties``: whether equal arms are drawn from, where nothing else is drawn."""
        exploring = self._explore > 0.0
        random = self._draws or (ties and not exploring)
        leaf = eligible.in_policy(self._family.choose(eligible.arrays, x, key if random else NO_KEY))
        if leaf < 0:
            raise validate.bad_context(x, self._largest)
        drawn = Drawn(leaf, None if random else 1.0, False)
        if exploring:
            drawn = explore(leaf, eligible.leaves, self._explore, key, not random)
        arm: Any
        arm, cluster = eligible.arms.named(int(drawn.arm))
        seen = None if self._dimension is None else self._noted(x)
        return Decision(arm, cluster, seen, (), self.identity, drawn.propensity, drawn.explored, at)

    def rank(
        self,
        n: int,
        context: Context | None = None,
        *,
        among: Iterable[Label] | None = None,
        rng: np.random.Generator | None = None,
        at: Stamp = None,
    ) -> list[Decision[ArmType]]:
        """The n best arms, best first: the choice, then the choice among the others, and so on.

        Args:
            n: How many; all if there are fewer.
            context: Numbers, or raw values by name if the policy has an encoding.
            among: The arms that may be chosen; all if left out.
            rng: Where draws come from.
            at: When, for a policy with a half-life: a number of decisions, or a time. Now if left out.

        Returns:
            A decision for each, the first of which is that of ``select``. A propensity is that of the place, given those before.

        Raises:
            ValueError: n is no whole number above 0, or ``select`` would refuse the rest.

        Examples:
            >>> import hedgerow as hr
            >>> policy = hr.UCB(["a", "b", "c"])
            >>> [decision.arm for decision in policy.rank(2)]
            ['a', 'b']
        """
        count, key = checked_count(n), self._draw_key(rng)
        x = NO_CONTEXT if context is None and self._dimension is None else self._numbers(context)
        (now, stamp), decisions = self._now(at), []
        left = now.arms.rising if among is None else now.arms.leaves_among(among)
        for place in range(min(count, len(left))):
            whole = place == 0 and among is None
            eligible = Eligible(now.arms, left, now.arrays, None) if whole else self._cut(now, left)
            decisions.append(self._decide(eligible, x, key_at(key, place), rng is not None, stamp))
            left = left[left != now.arms.leaf(decisions[-1].arm)]
        return decisions

    def scores(self, context: Context | None = None, *, at: Stamp = None) -> Floats:
        """What each arm is chosen by, for those who choose themselves; of a policy with clusters each arm's own.

        Args:
            context: Numbers, or raw values by name if the policy has an encoding.
            at: When, for a policy with a half-life: a number of decisions, or a time. Now if left out.

        Returns:
            The index of each arm, in the order of ``arms``.

        Raises:
            ValueError: The context is not one of this policy's.

        Examples:
            >>> import hedgerow as hr
            >>> policy = hr.UCB(["a", "b"])
            >>> policy.learn("a", 1.0)
            >>> policy.scores().round(2).tolist()
            [2.18, inf]
        """
        x = validate.usable_context(self._numbers(context), self._largest)
        arms, arrays, *_ = self._now(at)[0]
        found: Floats = self._family.estimates(arrays, x).indices[arms.leaves]
        return found

    def propensities(
        self,
        context: Context | None = None,
        *,
        among: Iterable[Label] | None = None,
        draws: int = DRAWS,
        rng: np.random.Generator | None = None,
        at: Stamp = None,
    ) -> Floats:
        """The probability of each arm to be chosen next.

        Args:
            context: Numbers, or raw values by name if the policy has an encoding.
            among: The arms that may be chosen; all if left out.
            draws: How many choices estimate it, for policies that sample (TSC, LinTSC); for others it is exact.
            rng: Where those draws come from.
            at: When, for a policy with a half-life: a number of decisions, or a time. Now if left out.

        Returns:
            A probability for each arm, in the order of ``arms``; 0 for those that may not be chosen.

        Raises:
            ValueError: ``select`` would refuse it, or ``draws`` is no whole number above 0.

        Examples:
            >>> import hedgerow as hr
            >>> hr.UCB(["a", "b"], explore=0.1).propensities().round(3).tolist()
            [0.95, 0.05]
        """
        x = validate.usable_context(self._numbers(context), self._largest)
        eligible, key = self._eligible(self._now(at)[0], among), self._draw_key(rng)
        arms = eligible.arms
        found = np.zeros(len(arms.tree))
        times = checked_count(draws, "draws") if self._draws else 1
        for number in range(times):
            leaf = self._family.choose(eligible.arrays, x, key_at(key, number) if self._draws else NO_KEY)
            found[eligible.in_policy(leaf)] += (1.0 - self._explore) / times
        found[eligible.leaves] += self._explore / len(eligible.leaves)
        return found[arms.leaves]
