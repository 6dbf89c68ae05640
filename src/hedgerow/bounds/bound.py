"""What a bound is, and which arguments it takes."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from ..core.types import Floats, Label

Plays: TypeAlias = ArrayLike | None
Weighting: TypeAlias = Literal["printed", "gap-weighted"]
Reading: TypeAlias = Literal["printed", "repaired"]


class Term(NamedTuple):
    """One summand of a bound: a suboptimal cluster, or a suboptimal arm of an optimal cluster.

    Args:
        level: "cluster" or "arm".
        label: the cluster's label, or the arm's position.
        gap: how much less it pays.
        plays: how often it is played at most.
        weight: what a play costs.
    """

    level: Literal["cluster", "arm"]
    label: Label
    gap: float
    plays: float
    weight: float


@dataclass(frozen=True)
class Bound:
    """A bound's value (if it has terms, the sum of their plays times weight) and a note on what it is and is not."""

    value: float
    form: str
    note: str
    terms: tuple[Term, ...] = ()


def vacuous(value: float, ceiling: float) -> str:
    """What to say of a bound that no regret can reach.

    Args:
        value: the bound.
        ceiling: the largest possible regret.

    Returns:
        A sentence, empty if the bound says something.
    """
    return f" At this horizon it says nothing: regret cannot exceed {ceiling:g}." if value > ceiling else ""


def require(valid: bool, name: str, wanted: str, value: Any) -> None:
    """Refuse an argument that is out of range.

    Args:
        valid: whether it is in range.
        name: its name.
        wanted: what it must be.
        value: what it is.

    Raises:
        ValueError: if it is not valid.
    """
    if not valid:
        raise ValueError(f"{name} must be {wanted}, got {value!r}")


def check_settings(horizon: Any, form: Any, forms: Any) -> None:
    """Refuse a horizon that is no number of rounds, and a form that there is not.

    Args:
        horizon: rounds T.
        form: the form of the bound.
        forms: the forms that there are.
    """
    whole = isinstance(horizon, int | np.integer) and bool(1 <= horizon < 10**18)
    require(whole, "horizon", "a whole number from 1 to 1e18", horizon)
    require(form in get_args(forms), "form", " or ".join(map(repr, get_args(forms))), form)


def as_vector(values: Any, what: str, item: str) -> Floats:
    """Finite numbers as an array.

    Args:
        values: what the user gives.
        what: its name.
        item: what each number is of.

    Returns:
        The array.

    Raises:
        ValueError: if it is not one finite number per item.
    """
    try:
        vector = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} must be numbers, got {values!r}") from error
    if vector.ndim != 1 or vector.size == 0:
        raise ValueError(f"{what} must be one number per {item}, got shape {vector.shape}")
    for at in np.flatnonzero(~np.isfinite(vector)):
        raise ValueError(f"{what} must be finite, {item} {at} has {vector[at]}")
    return vector


def check_plays(means: Any, history: Any, horizon: Any, form: Any, forms: Any) -> tuple[Floats, Floats]:
    """Expected rewards and historical plays, one each per arm.

    Args:
        means: expected rewards.
        history: historical plays, None for none.
        horizon: rounds T.
        form: the form of the bound.
        forms: the forms that there are.

    Returns:
        Both as arrays.

    Raises:
        ValueError: if they are not numbers in range, one per arm.
    """
    check_settings(horizon, form, forms)
    values = as_vector(means, "means", "arm")
    held = np.zeros(values.size) if history is None else as_vector(history, "history", "arm")
    if held.size != values.size:
        raise ValueError(f"history must give one number of plays per arm: {values.size} arms, {held.size} given")
    for at in np.flatnonzero(held < 0.0):
        raise ValueError(f"history must not be negative, arm {at} has {held[at]}")
    return values, held
