"""The experts of a Meta: their names, what they must have in common, and the rounds that they wait for."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from ..core.types import Label, Policy
from ..data.encoding import Encoding
from ..data.history import common_encoding

Awaited: TypeAlias = tuple[Label, tuple[str, ...], tuple[float, ...] | None]
"""A round whose reward is still to come: its arm, the experts that were followed (none, if others decided), and its context."""


def awaited_round(arm: Label, experts: tuple[str, ...], context: Sequence[float] | None) -> Awaited:
    """As it is counted and saved: without NumPy's own kinds of labels and numbers."""
    plain = arm.item() if isinstance(arm, np.generic) else arm
    return plain, experts, None if context is None else tuple(map(float, context))


def by_name(experts: Sequence[Policy] | Mapping[str, Policy]) -> dict[str, Policy]:
    """The experts under distinct names, all over the same arms and contexts of one length."""
    if isinstance(experts, Mapping):
        named = {str(name): expert for name, expert in experts.items()}
    else:
        named = {getattr(expert, "name", repr(expert)): expert for expert in experts}
    if len(named) < len(experts):
        raise ValueError("two experts have the same name: give them as a dict, name -> policy")
    if not named:
        raise ValueError("experts must hold at least one policy, got none")
    if strange := [expert for expert in named.values() if not hasattr(expert, "learn")]:
        raise ValueError(f"experts must be policies, got {strange[0]!r}")
    first = next(iter(named.values()))
    for name, expert in named.items():
        if expert.arms != first.arms:
            raise ValueError(f"experts must have the same arms in the same order; those of {name!r} differ")
    if len({id(expert) for expert in named.values()}) < len(named):
        raise ValueError("each expert must be a policy of its own: one is given twice")
    dimensions = {expert.dimension for expert in named.values() if expert.dimension}
    if len(dimensions) > 1:
        raise ValueError(f"experts must take contexts of one length, got {sorted(dimensions)}")
    common_encoding(map(encoding_of, named.values()), "experts must read contexts alike")
    return named


def encoding_of(expert: Policy) -> Encoding | None:
    """How an expert reads contexts of raw values; other people's policies have no such thing."""
    return getattr(expert, "encoding", None)
