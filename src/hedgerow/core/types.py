"""The words every part shares: labels, arrays, a decision, and what a policy can do."""

import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from ..policies.explanation import Explanation
    from ..trust import Trust

Label: TypeAlias = Hashable
"""An arm's or a cluster's name: a string, a number, a truth value, or a tuple of these."""

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Links: TypeAlias = NDArray[np.int32]
"""Numbers of nodes."""


Context: TypeAlias = ArrayLike | Mapping[str, Any]
"""Numbers, or raw values by name, which the ``encoding`` of a policy's history makes numbers of."""


class Decision(NamedTuple):
    """What a policy chose, with all that :meth:`Policy.update` needs once the reward is known.

    A decision is a plain record: keep it, send it to another process, write it down with :meth:`to_json`.
    """

    arm: Label
    cluster: Label | None = None
    context: tuple[float, ...] | None = None
    experts: tuple[str, ...] = ()
    policy: str = ""

    def to_json(self) -> str:
        """The decision as one line of text.

        >>> print(Decision("ad-2", cluster="news", experts=("HUCBC",)).to_json())
        {"arm": "ad-2", "cluster": "news", "context": null, "experts": ["HUCBC"], "policy": ""}
        """
        return json.dumps(self._asdict())

    @classmethod
    def from_json(cls, text: str) -> "Decision":
        """The decision that :meth:`to_json` wrote.

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


class Decisions(Sequence[Decision]):
    """The decisions of a batch, each made when it is looked at; equal to a list of them.

    Arguments
        leaves: the leaf of each decision.
        named: arm, cluster and experts of each leaf.
        contexts: a row each.
        policy: whose decisions they are.
    """

    def __init__(self, leaves: Integers, named: Mapping[int, Named], contexts: Floats, policy: str):
        self._leaves, self._named, self._contexts, self._policy = leaves, named, contexts, policy

    @property
    def arms(self) -> list[Label]:
        """The arm of each decision."""
        arm_of = {leaf: arm for leaf, (arm, *_) in self._named.items()}
        return [arm_of[leaf] for leaf in self._leaves.tolist()]

    def passed_up(self, expert: str, policy: str) -> "Decisions":
        """The decisions as those of a policy that followed this expert."""
        named = {leaf: (arm, cluster, (expert, *experts)) for leaf, (arm, cluster, experts) in self._named.items()}
        return Decisions(self._leaves, named, self._contexts, policy)

    def __len__(self) -> int:
        return len(self._leaves)

    @overload
    def __getitem__(self, at: int) -> Decision: ...
    @overload
    def __getitem__(self, at: slice) -> "Decisions": ...
    def __getitem__(self, at: int | slice) -> "Decision | Decisions":
        if isinstance(at, slice):
            return Decisions(self._leaves[at], self._named, self._contexts[at], self._policy)
        return self._made(int(self._leaves[at]), self._contexts[at].tolist())

    def __iter__(self) -> Iterator[Decision]:
        return map(self._made, self._leaves.tolist(), self._contexts.tolist())

    def _made(self, leaf: int, context: list[float]) -> Decision:
        arm, cluster, experts = self._named[leaf]
        return Decision(arm, cluster, tuple(context), experts, self._policy)

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, list | Decisions) else NotImplemented

    def __repr__(self) -> str:
        return repr(list(self))


def tuples(value: Any) -> Any:
    """JSON has lists where labels have tuples."""
    return tuple(tuples(part) for part in value) if isinstance(value, list) else value


class Policy(Protocol):
    """What every policy can do, and all that :class:`hedgerow.Meta` and :func:`hedgerow.testing.check_policy` ask for."""

    name: str
    identity: str

    @property
    def arms(self) -> tuple[Label, ...]: ...
    @property
    def dimension(self) -> int | None: ...
    @property
    def clusters(self) -> tuple[Label, ...] | None: ...
    @property
    def clustered(self) -> bool: ...
    @property
    def rounds(self) -> int: ...

    def select(self, context: Context | None = None, *, rng: np.random.Generator | None = None) -> Decision:
        """Choose an arm; the policy itself does not change."""

    def select_many(self, contexts: ArrayLike, *, rng: np.random.Generator | None = None) -> Sequence[Decision]:
        """One decision per row of contexts, as ``select`` would make them one by one."""

    def update(self, decision: Decision, reward: float) -> None:
        """Learn the reward of an own decision: now, later, or in another process."""

    def expect(self, decision: Decision) -> None:
        """Count an own decision whose reward is still to come."""

    def cancel(self, decision: Decision) -> None:
        """Wait no longer for the reward of an expected decision: it will not come."""

    def anticipate(self, arm: Label, context: Context | None = None) -> None:
        """Count a round that someone else decided and whose reward is still to come."""

    def dismiss(self, arm: Label, context: Context | None = None) -> None:
        """Wait no longer for the reward of an anticipated round."""

    def check(self, arm: Label, reward: float, context: Context | None = None) -> None:
        """Raise what ``learn`` would raise."""

    def learn(self, arm: Label, reward: float, context: Context | None = None) -> None:
        """Learn from a round that someone else decided."""

    def explain(self, context: Context | None = None) -> "Explanation":
        """Mean, width, index and counts of every cluster and arm."""

    def trust(self) -> "Trust":
        """How much the grouping and the history are worth right now."""

    def add_arm(self, arm: Label, cluster: Label | None = None) -> None:
        """Offer one more arm from now on."""

    def remove_arm(self, arm: Label) -> None:
        """Withdraw an arm, with all that was learnt of it."""

    def check_merge(self, other: Any, *, since: Any = None) -> None:
        """Raise what ``merge`` would raise."""

    def merge(self, other: Any, *, since: Any = None) -> None:
        """Add what another worker learnt."""

    def save(self, path: str | Path) -> None:
        """Write the whole state to a file that ``hedgerow.load`` reads."""
