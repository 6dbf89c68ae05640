"""The part of a Meta that chooses: an expert, then the arm that it chooses."""

import inspect
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..core import validate
from ..core.draws import new_key
from ..core.types import Arm, ArmType, Context, Decision, Decisions, Floats, Label, Policy
from ..data.encoding import all_encoded, encoded
from ..data.rounds import as_numbers
from .bandit import Bandit
from .exploration import checked_count, checked_share, explore, key_at
from .forgetting.half_life import Stamp
from .meta_memory import MetaMemory
from .waiting import Expected, expected


class MetaChoosing(MetaMemory[ArmType]):
    """Choosing changes nothing."""

    _explore: float

    @property
    def explore(self) -> float:
        """The share of decisions that is drawn uniformly among the arms; assign another at any time."""
        return self._explore

    @explore.setter
    def explore(self, share: float) -> None:
        self._explore = checked_share(share)

    def _numbers(self, context: Any) -> Floats | None:
        """A context as an array, converted once for all experts; None for experts without contexts."""
        dimension = self.dimension
        if context is None and dimension is None:
            return None
        x = validate.checked_context(encoded(context, self), dimension, self.name)
        return None if dimension is None else x

    def select(
        self,
        context: Context | None = None,
        *,
        among: Iterable[Label] | None = None,
        rng: np.random.Generator | None = None,
        at: Stamp = None,
    ) -> Decision[ArmType]:
        """Choose an expert, then the arm it chooses; nothing changes.

        Args:
            context: Numbers, or raw values by name if the experts have an encoding.
            among: The arms that may be chosen, such as those in stock; all if left out.
            rng: Where draws come from: of ``explore=``, of experts that draw, and of ties, but not those of "d3rb".
            at: When, where a policy within has a half-life: a number of decisions, or a time. Now if left out.

        Returns:
            The decision, which names the expert that was followed; none if the arm was drawn by ``explore=``.

        Raises:
            ValueError: The context is not one of these experts', or ``among`` names no arm of theirs.
        """
        x, stamp = self._numbers(context), self._stamp(at)
        if self._explore == 0.0:
            return self._follow(x, among, rng, stamp)
        key = self._count() if rng is None else new_key(validate.generator(rng))
        return self._explored(self._follow(x, among, None, stamp), among, key)

    @property
    def waiting(self) -> list[Expected]:
        """The expected decisions whose reward has not come yet."""
        return list(expected(self._waiting, experts=True))

    def _count(self) -> int:
        """Rounds, and decisions that wait: where draws come from without a generator."""
        return self.rounds + self._waiting.total()

    def _follow(
        self, x: Floats | None, among: Iterable[Label] | None, rng: np.random.Generator | None, at: float | None
    ) -> Decision[ArmType]:
        """What the expert decides that is followed."""
        followed = str(self.chooser.select(rng=rng, at=at).arm)
        inner = _ask(self.experts[followed], x, among, rng, at)
        seen = inner.context if inner.context is not None or x is None else tuple(x.tolist())
        chance = (None if rng is not None else inner.propensity, False)
        return Decision(inner.arm, inner.cluster, seen, (followed, *inner.experts), self.identity, *chance, at=at)

    def _explored(self, decision: Decision[ArmType], among: Iterable[Label] | None, key: int) -> Decision[ArmType]:
        """The decision, or a draw in its place, which follows no expert."""
        eligible: tuple[Any, ...] = self.arms if among is None else tuple(dict.fromkeys(among))
        arm, propensity, explored = explore(decision.arm, eligible, self._explore, key, decision.propensity is not None)
        if not explored:
            return decision._replace(propensity=propensity)
        cluster = self.clusters[self.arms.index(arm)] if self.clusters is not None else None
        return Decision(arm, cluster, decision.context, (), self.identity, propensity, True, decision.at)

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
            context: Numbers, or raw values by name if the experts have an encoding.
            among: The arms that may be chosen; all if left out.
            rng: Where draws come from.
            at: When, where a policy within has a half-life: a number of decisions, or a time. Now if left out.

        Returns:
            A decision for each, the first of which is that of ``select``.

        Raises:
            ValueError: n is no whole number above 0, or ``select`` would refuse the rest.
        """
        count, x, stamp = checked_count(n), self._numbers(context), self._stamp(at)
        left = list(dict.fromkeys(self.arms if among is None else among))
        decisions = [self.select(x, among=among, rng=rng, at=stamp)]
        for place in range(1, min(count, len(left))):
            left.remove(decisions[-1].arm)
            decision = self._follow(x, left, rng, stamp)
            if self._explore > 0.0:
                key = key_at(self._count() if rng is None else new_key(rng), place)
                decision = self._explored(decision, left, key)
            decisions.append(decision)
        return decisions

    def scores(self, context: Context | None = None, *, at: Stamp = None) -> Floats:
        """What each arm is chosen by in the expert that would be followed.

        Args:
            context: Numbers, or raw values by name if the experts have an encoding.
            at: When, where a policy within has a half-life: a number of decisions, or a time. Now if left out.

        Returns:
            The index of each arm, in the order of ``arms``.

        Raises:
            ValueError: The context is not one of these experts', or the expert is somebody else's and has no scores.
        """
        x, stamp = self._numbers(context), self._stamp(at)
        followed = str(self.chooser.select(at=stamp).arm)
        expert: Any = self.experts[followed]
        if not hasattr(expert, "scores"):
            raise ValueError(f"expert {followed!r} is a {type(expert).__name__}, which has no scores()")
        found: Floats = expert.scores(x if expert.dimension else None, **_when(expert, stamp))
        return found

    def propensities(
        self,
        context: Context | None = None,
        *,
        among: Iterable[Label] | None = None,
        draws: int = 1000,
        rng: np.random.Generator | None = None,
        at: Stamp = None,
    ) -> Floats:
        """The probability of each arm to be chosen next.

        Args:
            context: Numbers, or raw values by name if the experts have an encoding.
            among: The arms that may be chosen; all if left out.
            draws: How many choices estimate it, where the expert that is followed samples.
            rng: Where those draws come from.
            at: When, where a policy within has a half-life: a number of decisions, or a time. Now if left out.

        Returns:
            A probability for each arm, in the order of ``arms``; 0 for those that may not be chosen.

        Raises:
            ValueError: ``select`` would refuse it, or the expert is somebody else's, whose probabilities are not known.
        """
        x, stamp = self._numbers(context), self._stamp(at)
        followed = str(self.chooser.select(at=stamp).arm)
        expert = self.experts[followed]
        if not isinstance(expert, Bandit | MetaChoosing):
            raise ValueError(f"expert {followed!r} is a {type(expert).__name__}, whose probabilities are not known")
        found = expert.propensities(x if expert.dimension else None, among=among, draws=draws, rng=rng, at=stamp)
        eligible = np.isin(np.arange(found.size), [self.arms.index(arm) for arm in (self.arms if among is None else among)])
        mixed: Floats = found * (1.0 - self._explore) + eligible * (self._explore / eligible.sum())
        return mixed

    def select_many(
        self,
        contexts: ArrayLike,
        *,
        among: Iterable[Label] | None = None,
        rng: np.random.Generator | None = None,
        at: Stamp = None,
    ) -> Decisions[ArmType]:
        """One decision for each row of contexts, as ``select`` would make them one by one.

        Args:
            contexts: Rows of numbers, or a frame of raw values if the experts have an encoding.
            among: The arms that may be chosen, the same for all rows; all if left out.
            rng: Where draws come from; without one, each row has a draw of its own all the same.
            at: When, where a policy within has a half-life: a number of decisions, or a time. Now if left out.

        Returns:
            The decisions.

        Raises:
            ValueError: A row is no context of these experts, or ``among`` names no arm of theirs.
        """
        if self.dimension is None:
            raise ValueError(f"{self.name} takes no contexts, so all its decisions are alike: call select()")
        contexts, stamp = all_encoded(contexts, self), self._stamp(at)
        followed = str(self.chooser.select(at=stamp).arm)
        expert = self.experts[followed]
        if rng is None and self._explore == 0.0 and expert.dimension and isinstance(expert, Bandit | MetaChoosing):
            return expert.select_many(contexts, among=among, at=stamp).passed_up(followed, self.identity)
        rows = as_numbers(contexts, "contexts must be rows of numbers")
        if rows.ndim != 2 and rows.size:
            raise ValueError(f"contexts must be rows of {self.dimension} numbers, got shape {rows.shape}")
        among = None if among is None else list(among)
        made = [self._select_row(row, number, among, rng, stamp) for number, row in enumerate(rows)]
        named = {n: (decision.arm, decision.cluster, decision.experts) for n, decision in enumerate(made)}
        chances = [(decision.propensity, decision.explored) for decision in made]
        return Decisions(np.arange(len(made)), named, rows, self.identity, chances, stamp)

    def _select_row(
        self, row: Floats, number: int, among: list[Label] | None, rng: np.random.Generator | None, at: float | None
    ) -> Decision[ArmType]:
        if rng is not None or self._explore == 0.0:
            return self.select(row, among=among, rng=rng, at=at)
        return self._explored(self._follow(self._numbers(row), among, None, at), among, key_at(self._count(), number))


def _when(expert: Any, at: float | None) -> dict[str, Any]:
    """The stamp, for an expert that takes one."""
    return {"at": at} if at is not None and isinstance(expert, Bandit | MetaChoosing) else {}


def _ask(
    expert: Policy[Arm], x: Floats | None, among: Iterable[Label] | None, rng: np.random.Generator | None, at: float | None
) -> Decision[Arm]:
    """The decision of an expert."""
    given, when = x if expert.dimension else None, _when(expert, at)
    if among is None:
        return expert.select(given, rng=rng, **when)
    if "among" not in inspect.signature(expert.select).parameters:
        raise ValueError(f"{expert.name} cannot choose among some of the arms: its select takes no among=")
    chosen: Decision[Arm] = expert.select(given, among=among, rng=rng, **when)  # type: ignore[call-arg]
    return chosen
