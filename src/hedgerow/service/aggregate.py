"""One value of the rewards of a decision."""

from collections.abc import Callable, Mapping


def _in_order(rewards: Mapping[str, tuple[float, float]]) -> list[float]:
    """Values by time, then by key, so that the order is the same whoever asks."""
    return [value for _, (value, _) in sorted(rewards.items(), key=lambda item: (item[1][1], item[0]))]


AGGREGATES: Mapping[str, Callable[[list[float]], float]] = {
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
    "sum": sum,
    "max": max,
}
"""How the rewards of a decision, in the order of time, become one."""


def aggregated(rewards: Mapping[str, tuple[float, float]], how: str) -> float:
    """What a decision earned.

    Args:
        rewards: Value and time by key, at least one.
        how: One of ``AGGREGATES``.

    Returns:
        One value.
    """
    return float(AGGREGATES[how](_in_order(rewards)))
