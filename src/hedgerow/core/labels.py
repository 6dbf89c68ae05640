"""Labels of arms and clusters, and paths of them."""

import datetime
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from .types import Label

DEEPEST = 64
"""Levels that a tree may have."""


def as_label(value: Any, what: str) -> Label:
    """A label that can be told apart, written down and read back.

    Args:
        value: What the user gave; NumPy's own kinds become plain ones.
        what: What it is, for the message.

    Returns:
        The label.

    Raises:
        ValueError: It is no label.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, tuple):
        return tuple(as_label(part, what) for part in value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{what} must be finite, got {value!r}")
    if isinstance(value, str | bool | float) or (isinstance(value, int) and -(2**63) <= value < 2**63):
        return cast(Label, value)
    hint = ": write it as text" if isinstance(value, int | datetime.date) else ""
    raise ValueError(f"{what} must be a string, a number of 63 bits or a tuple of these, got {value!r:.80}{hint}")


def as_path(label: Any) -> tuple[Label, ...]:
    """A cluster label as the path of its names from the root.

    Args:
        label: A name, or a tuple of names from the root.

    Returns:
        The names from the root.

    Raises:
        ValueError: It is no label, or names no cluster or too many.
    """
    label = as_label(label, "a cluster label")
    path = label if isinstance(label, tuple) else (label,)
    if not path:
        raise ValueError("a cluster label must not be the empty tuple: name at least one cluster")
    if len(path) > DEEPEST:
        raise ValueError(f"a cluster label may name at most {DEEPEST} clusters from the root, got {len(path)}")
    return path


def shown(labels: Iterable[Label], limit: int = 5) -> str:
    """A few labels for an error message.

    Args:
        labels: What to show.
        limit: How many to show; the rest is counted.

    Returns:
        Text such as ``'a', 'b' and 3 more``.
    """
    names = [repr(label) for label in labels]
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def name_of(path: tuple[Label, ...]) -> Label | None:
    """A path as the user wrote it: a single name bare, a deeper one as a tuple.

    Args:
        path: Names from the root.

    Returns:
        The label, None for the root.
    """
    return None if not path else path[0] if len(path) == 1 else path


def check_direction(clusters: Mapping[Any, Any], arms: Sequence[Label]) -> None:
    """Refuse a mapping label -> arms: one that has no arm among its keys, but among its values.

    Args:
        clusters: A mapping that should be arm -> label.
        arms: The arms.

    Raises:
        ValueError: Its values, not its keys, are arms.
    """
    known = {str(arm) for arm in arms}
    if not known.isdisjoint(map(str, clusters)):
        return
    for label, inside in clusters.items():
        members = inside if isinstance(inside, list | tuple | set | frozenset) else [inside]
        if not known.isdisjoint(map(str, members)):
            raise ValueError(
                f"clusters must map each arm to its label, {label!r} is given {inside!r:.80}: give arm -> label, "
                "as in {arm: label for label, arms in clusters.items() for arm in arms}"
            )
