"""The words every part shares: labels, arrays, a decision, and what a policy can do."""

import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

Label: TypeAlias = Hashable
"""An arm's or a cluster's name: a string, a number, a truth value, or a tuple of these."""

Arm = TypeVar("Arm", bound=Hashable)
"""The type of the arms that a function is given."""

if TYPE_CHECKING:  # a TypeVar with a default, which Python has since 3.13: ``Bandit`` alone is ``Bandit[Label]``
    from typing_extensions import TypeVar as TypeVarWithDefault

    ArmType = TypeVarWithDefault("ArmType", bound=Hashable, covariant=True, default=Hashable)
else:
    ArmType = TypeVar("ArmType", bound=Hashable, covariant=True)

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Links: TypeAlias = NDArray[np.int32]
"""Numbers of nodes."""


Context: TypeAlias = ArrayLike | Mapping[str, Any]
"""Numbers, or raw values by name, which a policy's ``encoding`` makes numbers of."""


class Decision(NamedTuple, Generic[ArmType]):
    """What a policy chose, with all that ``update`` needs once the reward is known.

    A decision is a plain record: keep it, send it to another process, write it down with :meth:`to_json`.

    Args:
        arm: The arm to play.
        cluster: The cluster it was chosen from.
        context: The context it was chosen in, as numbers.
        experts: Under Meta, the experts that were followed, the outermost first.
        policy: Whose decision it is; empty for a round that someone else decided.
        propensity: The probability with which the arm was chosen; 1 for a sure choice. None where it is not known: ties broken at
            random, Thompson sampling, somebody else's decision.
        explored: Whether the arm was drawn at random, by ``explore=``.
        at: When it was made, of a policy with a half-life: a number of decisions, or seconds since 1970.
    """

    arm: ArmType
    cluster: Label | None = None
    context: tuple[float, ...] | None = None
    experts: tuple[str, ...] = ()
    policy: str = ""
    propensity: float | None = None
    explored: bool = False
    at: float | None = None

    def to_json(self) -> str:
        """The decision as one line of text.

        Returns:
            JSON, which :meth:`from_json` reads.

        Examples:
            >>> print(Decision("ad-2", cluster="news", experts=("HUCBC",)).to_json())  # doctest: +ELLIPSIS
            {"arm": "ad-2", "cluster": "news", "context": null, "experts": ["HUCBC"], "policy": "", ...}
        """
        return json.dumps(self._asdict())

    @classmethod
    def from_json(cls, text: str) -> "Decision":
        """The decision that :meth:`to_json` wrote.

        Args:
            text: One line of JSON.

        Returns:
            An equal decision.

        Raises:
            ValueError: The text is no decision.

        Examples:
            >>> Decision.from_json(Decision(("ad", 2)).to_json()).arm
            ('ad', 2)
        """
        try:
            fields = json.loads(text if isinstance(text, str | bytes) else "")
            known = {name: tuples(value) for name, value in fields.items()}
            return cls(**known)
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"not a decision written by Decision.to_json: {str(text)[:80]!r}") from error


Named: TypeAlias = tuple[Label, Label | None, tuple[str, ...]]

Chance: TypeAlias = tuple[float | None, bool]
"""Propensity of a decision, and whether it was drawn."""


class Decisions(Sequence[Decision[ArmType]], Generic[ArmType]):
    """The decisions of a batch, each made when it is looked at; equal to a list of them.

    Args:
        leaves: The leaf of each decision.
        named: Arm, cluster and experts of each leaf.
        contexts: A row each.
        policy: Whose decisions they are.
        chances: Propensity of each, and whether it was drawn.
        at: When they were made, of a policy with a half-life.
    """

    def __init__(
        self,
        leaves: Integers,
        named: Mapping[int, Named],
        contexts: Floats,
        policy: str,
        chances: Sequence[Chance],
        at: float | None = None,
    ):
        self._leaves, self._named, self._contexts, self._policy, self._chances = leaves, named, contexts, policy, chances
        self._at = at

    @property
    def arms(self) -> list[ArmType]:
        """The arm of each decision."""
        arm_of: dict[int, Any] = {leaf: arm for leaf, (arm, *_) in self._named.items()}
        return [arm_of[leaf] for leaf in self._leaves.tolist()]

    def passed_up(self, expert: str, policy: str) -> "Decisions[ArmType]":
        """The decisions as those of a policy that followed this expert.

        Args:
            expert: Its name.
            policy: The identity of the policy that followed it.

        Returns:
            The same decisions under that policy.
        """
        named = {leaf: (arm, cluster, (expert, *experts)) for leaf, (arm, cluster, experts) in self._named.items()}
        return Decisions(self._leaves, named, self._contexts, policy, self._chances, self._at)

    def __len__(self) -> int:
        return len(self._leaves)

    @overload
    def __getitem__(self, at: int) -> Decision[ArmType]: ...
    @overload
    def __getitem__(self, at: slice) -> "Decisions[ArmType]": ...
    def __getitem__(self, at: int | slice) -> "Decision[ArmType] | Decisions[ArmType]":
        if isinstance(at, slice):
            return Decisions(self._leaves[at], self._named, self._contexts[at], self._policy, self._chances[at], self._at)
        return self._made(int(self._leaves[at]), self._contexts[at].tolist(), self._chances[at])

    def __iter__(self) -> Iterator[Decision[ArmType]]:
        return map(self._made, self._leaves.tolist(), self._contexts.tolist(), self._chances)

    def _made(self, leaf: int, context: list[float], chance: Chance) -> Decision[ArmType]:
        arm: Any
        arm, cluster, experts = self._named[leaf]
        return Decision(arm, cluster, tuple(context), experts, self._policy, *chance, at=self._at)

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, list | Decisions) else NotImplemented

    def __repr__(self) -> str:
        return repr(list(self))


def tuples(value: Any) -> Any:
    """JSON has lists where labels have tuples.

    Args:
        value: What JSON gave.

    Returns:
        The same with tuples for lists, at any depth.
    """
    return tuple(tuples(part) for part in value) if isinstance(value, list) else value


class Policy(Protocol[ArmType]):
    """What :class:`hedgerow.Meta` asks of its experts; ``simulate`` asks for the first five.

    ``expect``, ``cancel`` and ``update`` take an own decision, and one that names no policy: somebody else made it.
    """

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def arms(self) -> tuple[ArmType, ...]:
        """The arms, in their order."""

    @property
    def dimension(self) -> int | None:
        """Length of the contexts; None for a policy without."""

    def select(self, context: Context | None = None, *, rng: np.random.Generator | None = None) -> Decision[ArmType]:
        """Choose an arm; the policy does not change.

        Args:
            context: Numbers, or raw values by name, for a policy with contexts.
            rng: A generator for a policy that draws, or to break ties.

        Returns:
            The decision.
        """

    def update(self, decision: Decision, reward: float) -> None:
        """Learn the reward of an own decision: now, later, or in another process.

        Args:
            decision: From ``select``, or one that names no policy.
            reward: What it earned.
        """

    def learn(self, arm: Label, reward: float, context: Context | None = None) -> None:
        """Learn from a round that someone else decided.

        Args:
            arm: What was played.
            reward: What it earned.
            context: In which context, for a policy with contexts.
        """

    def expect(self, decision: Decision) -> None:
        """Count a decision whose reward is still to come.

        Args:
            decision: From ``select``, or one that names no policy.
        """

    def cancel(self, decision: Decision) -> None:
        """Wait no longer for the reward of an expected decision.

        Args:
            decision: One that was expected.
        """
