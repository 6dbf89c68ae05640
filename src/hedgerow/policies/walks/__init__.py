"""Ways to walk the tree: how a policy derives what it needs from its sums, chooses, and learns.

A walk is a module with the functions of :class:`Walk`; a rule names it. They are loaded when a policy needs them.
"""

from collections.abc import Iterable
from importlib import import_module
from typing import NamedTuple, Protocol, cast

from ...core.types import Floats, Integers, Links
from ..arrays import Layout, Nodes
from ..rules import Rule

NAMES = ("rewards", "ridge", "hierarchy", "linear")


class Course(NamedTuple):
    """A trial as compiled loops take it, the position of the arm at each node, and where the arms played are noted."""

    contexts: Floats
    rewards: Floats
    rows: Integers
    arm_of: Integers
    arms: Integers


class Walk(Protocol):
    """What a walk can do. ``rule`` is the rule's number, ``clock`` whose rounds t counts, ``key`` where draws come from."""

    def row_size(self, dimension: int | None) -> int:
        """Length of a node's row of online sums."""

    def shapes(self, rule: Rule, nodes: int, dimension: int | None) -> tuple[tuple[int, int], tuple[int]]:
        """Shapes of the derived rows and of the ledger."""

    def derive(
        self, tree: Links, online: Floats, past: Floats, pending: Floats, rule: Rule, layout: Layout, before: Floats | None
    ) -> tuple[Floats, Floats]:
        """Derived rows and ledger from the sums; ``before`` is the ledger of before, if there was one."""

    def sound(self, tree: Links, ledger: Floats, dimension: int | None) -> bool:
        """Whether what a ledger from a file says of shapes and rows is true of the tree: kernels do not ask."""

    def join(self, learnt: Floats, own: Floats, other: Floats, since: Floats | None) -> tuple[Floats, Floats]:
        """Rows that another worker learnt, as they add up with the own ones, and the ledger of both; ``since``: that of the
        policy they started from. ``derive`` makes the ledger fit the sums."""

    def relabelled(self, ledger: Floats, withdrawn: bool) -> Floats:
        """The ledger of before, once there are other arms or labels; ``withdrawn``: old ones are gone, and so must be what was
        found out about them."""

    def rewarmed(self, ledger: Floats) -> Floats:
        """The ledger of before, once there is another history: without what came of the old one."""

    def choose(self, rule: int, clock: int, nodes: Nodes, context: Floats, key: int) -> int:
        """The leaf to play, or -1 for a context that cannot be used."""

    def choose_many(self, rule: int, clock: int, nodes: Nodes, contexts: Floats, keys: Integers, chosen: Integers) -> None:
        """Fill in the leaf for each row of contexts; only walks with contexts are asked."""

    def learn(self, rule: int, nodes: Nodes, leaf: int, reward: float, context: Floats) -> bool:
        """Add a reward, unless the context cannot be used."""

    def pending_size(self, dimension: int | None) -> int:
        """Length of a node's row of decisions that wait for their reward; the first number counts them."""

    def expect(self, nodes: Nodes, leaf: int, context: Floats) -> None:
        """Count a decision that waits for its reward."""

    def release(self, nodes: Nodes, leaf: int, context: Floats, others: Iterable[tuple[int, Floats]]) -> None:
        """Wait for it no longer; ``others`` still wait, as (leaf, context)."""

    def settle(
        self, rule: int, nodes: Nodes, leaf: int, reward: float, context: Floats, others: Iterable[tuple[int, Floats]]
    ) -> None:
        """The reward of an expected decision; ``others`` still wait, as (leaf, context)."""

    def estimates(self, rule: int, clock: int, nodes: Nodes, context: Floats) -> tuple[Floats, Floats]:
        """Mean and index of every node."""

    def settings(self, nodes: Nodes) -> dict[str, float]:
        """What the policy has estimated about itself, for an explanation."""

    def play(self, rule: int, clock: int, nodes: Nodes, key: int, course: Course) -> None:
        """Live through a whole trial and note the arms."""


def walk_of(rule: Rule) -> Walk:
    """The walk that a rule names."""
    if rule.walk not in NAMES:
        raise ValueError(f"rule {rule.name!r} names the walk {rule.walk!r}; there are {', '.join(NAMES)}")
    return cast(Walk, import_module(f".{rule.walk}", __name__))
