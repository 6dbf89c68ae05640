"""The experts of a Meta: their names, what they must have in common, and how all of them change together or not at all."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..core.types import Arm, Decision, Floats, Label, Policy
from ..core.validate import lacking
from ..data.encoding import Encoding, common_encoding
from .waiting import Id

WaitingRound: TypeAlias = tuple[Label, tuple[str, ...], tuple[float, ...] | None, Id | None]
"""A round whose reward is still to come: its arm, the experts that were followed (none, if others decided), context and id."""

Step: TypeAlias = tuple[Any, Callable[[], None]]
"""A policy, and what to do to it."""

Plan: TypeAlias = list[tuple[Any, str, Any]]
"""Attributes to be set: of what, which, to what."""

NEEDED_BY_META = ("name", "arms", "dimension", "select", "update", "learn", "expect", "cancel")
"""What an expert must have."""


def waiting_round(decision: Decision, x: Floats | None, id: Id | None = None) -> WaitingRound:
    """A round as it is counted and saved while it waits: in Python's own kinds, without those of NumPy.

    Args:
        decision: Names the arm and the experts that were followed.
        x: The context as an array, None without one.
        id: What the caller calls it.

    Returns:
        The round, which can be looked up and written to a file.
    """
    arm: Label = decision.arm.item() if isinstance(decision.arm, np.generic) else decision.arm
    return arm, decision.experts, None if x is None else tuple(x.tolist()), id


def by_name(experts: Sequence[Policy[Arm]] | Mapping[str, Policy[Arm]]) -> dict[str, Policy[Arm]]:
    """The experts under distinct names, all over the same arms and contexts of one length.

    Args:
        experts: Policies, or a mapping name -> policy.

    Returns:
        Name -> policy.

    Raises:
        ValueError: They do not belong together.
    """
    if isinstance(experts, Mapping):
        named = {str(name): expert for name, expert in experts.items()}
    else:
        named = {getattr(expert, "name", repr(expert)): expert for expert in experts}
    if len(named) < len(experts):
        raise ValueError("two experts have the same name: give them as a dict, name -> policy")
    if not named:
        raise ValueError("experts must hold at least one policy, got none")
    for expert in named.values():
        if absent := lacking(expert, NEEDED_BY_META):
            raise ValueError(f"experts must be policies, got {expert!r}, which lacks {', '.join(absent)}")
    first = next(iter(named.values()))
    for name, expert in named.items():
        if expert.arms != first.arms:
            raise ValueError(f"experts must have the same arms in the same order; those of {name!r} differ")
    if len({id(expert) for expert in named.values()}) < len(named):
        raise ValueError("each expert must be a policy of its own: one is given twice")
    if exploring := [name for name, expert in named.items() if getattr(expert, "explore", 0.0)]:
        raise ValueError(f"explore belongs to the Meta, not to its experts: {exploring[0]!r} has some")
    dimensions = {expert.dimension for expert in named.values() if expert.dimension}
    if len(dimensions) > 1:
        raise ValueError(f"experts must take contexts of one length, got {sorted(dimensions)}")
    common_encoding(map(encoding_of, named.values()), "experts must read contexts alike")
    return named


def encoding_of(expert: Policy) -> Encoding | None:
    """How an expert reads contexts of raw values; other people's policies have no such thing.

    Args:
        expert: A policy.

    Returns:
        Its encoding, if it has one.
    """
    return getattr(expert, "encoding", None)


def progress(policy: Any) -> tuple[float, int] | None:
    """Rounds learnt from and decisions waited for, over all policies within; None of someone else's policy.

    Args:
        policy: A policy.

    Returns:
        Rounds and waiting decisions, or None.
    """
    count = getattr(policy, "progress", None)
    return None if count is None else count()


def carry_out(steps: Sequence[Step]) -> None:
    """Take all steps, each on its policy: the policies together are as before, or as after.

    If the first step is refused, nothing has changed. If something interrupts later, the rest is done all the same, and then it
    is raised. A policy's progress tells whether the step in hand was taken.

    Args:
        steps: Policies, and what to do to each.

    Raises:
        BaseException: Whatever interrupted.
    """
    taken, seen = 0, []
    try:
        for policy, step in steps:
            seen.append(progress(policy))
            step()
            taken += 1
    except BaseException:
        if len(seen) > taken:
            now = progress(steps[taken][0])
            taken += int(now != seen[taken] or (now is None and taken > 0))  # someone else's policy is not asked twice
        for _, step in steps[taken:] if taken else ():
            step()
        raise


def put_all(plan: Plan) -> None:
    """Set all attributes; if something interrupts, set them all the same, and then it is raised.

    Args:
        plan: What to set.

    Raises:
        BaseException: Whatever interrupted.
    """
    try:
        for owner, name, value in plan:
            setattr(owner, name, value)
    except BaseException:
        for owner, name, value in plan:
            setattr(owner, name, value)
        raise
