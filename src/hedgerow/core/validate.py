"""Errors are raised at the edge, once, in a sentence with the value, before anything has changed."""

import inspect
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from .sums import LARGEST
from .types import Floats

NO_CONTEXT = np.zeros(0)
_FLOAT = np.dtype(np.float64)


def lacking(policy: Any, members: Iterable[str]) -> list[str]:
    """Those of these members that a policy of someone else's does not have.

    Args:
        policy: Anything.
        members: Names of attributes and methods.

    Returns:
        The names it lacks.
    """
    return [member for member in members if not hasattr(policy, member)]


def checked_reward(reward: Any, largest: float = LARGEST) -> float:
    """The reward as a number, or an error that names it.

    Args:
        reward: What the user gave.
        largest: What its size must be below.

    Returns:
        A float.

    Raises:
        ValueError: It is no finite number, or too large.
    """
    if isinstance(reward, float) and -largest < reward < largest:
        return float(reward)  # a kernel takes NumPy's own kind of number more slowly
    if isinstance(reward, np.integer | np.floating | np.bool_):
        return checked_reward(float(reward), largest)
    if isinstance(reward, int) and -largest < reward < largest:
        return float(reward)
    raise ValueError(f"reward must be a finite number, and small enough to be squared, below {largest:g}, got {reward!r}")


def unit_reward(reward: Any) -> float:
    """A reward between 0 and 1, for rules that take no other.

    Args:
        reward: What the user gave.

    Returns:
        A float.

    Raises:
        ValueError: It is no number between 0 and 1.
    """
    value = checked_reward(reward)
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"this policy is for rewards between 0 and 1, got {reward!r}; use UCB or Auto for others")
    return value


def generator(rng: Any) -> np.random.Generator:
    """The caller's source of draws, or an error that tells how to make one.

    Args:
        rng: What the user gave.

    Returns:
        The generator.

    Raises:
        ValueError: It is none.
    """
    if isinstance(rng, np.random.Generator):
        return rng
    raise ValueError(f"rng must be a numpy.random.Generator, e.g. numpy.random.default_rng(0), got {rng!r}")


def as_context(context: Any, dimension: int | None, name: str) -> Floats:
    """The context as an array of its own, empty for a policy without contexts; its numbers are not looked at.

    Args:
        context: What the user gave.
        dimension: How many numbers it must have; None for a policy without contexts.
        name: What the policy is called, for messages.

    Returns:
        A new array.

    Raises:
        ValueError: It has another shape, or holds something else than numbers.
    """
    if dimension is None:
        if context is None:
            return NO_CONTEXT
        raise ValueError(f"{name} takes no context, got {context!r}")
    if type(context) is np.ndarray and context.dtype is _FLOAT and context.shape == (dimension,):
        return context.copy()
    if context is None:
        raise ValueError(f"{name} needs a context of {dimension} numbers, got none")
    try:
        x = np.array(context)
    except ValueError as error:
        raise ValueError(f"context must be {dimension} numbers, got {context!r}") from error
    if x.dtype.kind not in "fiub":
        raise ValueError(f"context must be {dimension} numbers, got {context!r}")
    if x.shape == (1, dimension):
        x = x[0]
    if x.shape != (dimension,):
        raise ValueError(f"context must be {dimension} numbers, got shape {x.shape}")
    return x if x.dtype == np.float64 else x.astype(np.float64)


def checked_context(context: Any, dimension: int | None, name: str, largest: float = LARGEST) -> Floats:
    """The context as an array of its own, or an error that says what is wrong with it.

    Args:
        context: What the user gave.
        dimension: How many numbers it must have; None for a policy without contexts.
        name: What the policy is called, for messages.
        largest: What the size of its numbers must be below.

    Returns:
        A new array.

    Raises:
        ValueError: It cannot be used.
    """
    return usable_context(as_context(context, dimension, name), largest)


def usable_context(x: Floats, largest: float) -> Floats:
    """A context whose numbers can be used, or an error.

    Args:
        x: The numbers.
        largest: What their size must be below.

    Returns:
        The same array.

    Raises:
        ValueError: A number is too large, or none.
    """
    if not (np.abs(x) < largest).all():
        raise bad_context(x, largest)
    return x


def bad_context(x: Floats, largest: float) -> ValueError:
    """What to raise for a context with numbers that cannot be used.

    Args:
        x: The numbers.
        largest: What their size must be below.

    Returns:
        The error to raise.
    """
    return ValueError(f"context must be finite, and small enough to be squared, below {largest:g}, got {x.tolist()}")


def _fixed(make: Any) -> set[str]:
    """Keywords that a partial, or one within it, has fixed: they are the user's."""
    return set(make.keywords) | _fixed(make.func) if isinstance(make, partial) else set()


def accepted(make: Callable[..., Any], given: dict[str, Any]) -> dict[str, Any]:
    """Those of the given keywords that a constructor takes; one that is None is not given, and must not be needed.

    Args:
        make: A constructor.
        given: Values by keyword.

    Returns:
        Those that it takes, without those that are None.

    Raises:
        ValueError: It needs one that is None.
    """
    parameters = inspect.signature(make).parameters.values()
    given = {key: value for key, value in given.items() if key not in _fixed(make)}
    for parameter in parameters:
        if parameter.default is parameter.empty and given.get(parameter.name, True) is None:
            name = getattr(make, "__name__", "the policy")
            raise ValueError(f"{name} needs {parameter.name}, and this problem has none: play it on another")
    given = {key: value for key, value in given.items() if value is not None}
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return given
    names = {parameter.name for parameter in parameters}
    return {key: value for key, value in given.items() if key in names}
