"""The paper's policies with contexts under the paper's names: Algorithm 2."""

from collections.abc import Iterable
from typing import Any

from ..core.arms import Clusters
from ..core.types import Arm
from ..data.history import History
from .bandit import Bandit
from .forgetting.half_life import HalfLifeLike
from .registry import rule


def LinUCB(
    arms: Iterable[Arm],
    *,
    dimension: int | None = None,
    context: Any = None,
    alpha: float = 1.0,
    precision: str = "double",
    explore: float = 0.0,
    half_life: HalfLifeLike = None,
) -> Bandit[Arm]:
    """Ridge regression per arm on the context, with a bonus: no history, no clusters.

    Args:
        arms: Distinct labels.
        dimension: Length of the contexts; taken from ``context`` if left out.
        context: How raw contexts are read: an ``Encoding``, or what ``Encoding.of`` takes, such as a frame of some contexts.
        alpha: Width of the bonus, in standard errors.
        precision: Of theta and the inverse matrices, "double" or "single".
        explore: Share of the decisions that is drawn uniformly among the arms; a decision names its propensity.
        half_life: After how long a round counts half: a number of decisions, a timedelta, or "auto", which finds out itself.

    Returns:
        A policy.

    Raises:
        ValueError: Something given makes no sense; the message says what.

    Examples:
        >>> import hedgerow as hr
        >>> hr.LinUCB(["a", "b"], dimension=2).select([1.0, 0.5]).arm
        'a'
        >>> hr.LinUCB(["a", "b"], context={"age": "number"}).select({"age": 31}).arm
        'a'
    """
    given: dict[str, Any] = {"dimension": dimension, "context": context, "precision": precision}
    return Bandit(arms, rule("linucb", {"alpha": alpha}), **given, explore=explore, half_life=half_life, name="LinUCB")


def HLinUCB(
    arms: Iterable[Arm],
    *,
    history: History | None = None,
    dimension: int | None = None,
    context: Any = None,
    alpha: float = 1.0,
    precision: str = "double",
    explore: float = 0.0,
    half_life: HalfLifeLike = None,
) -> Bandit[Arm]:
    """LinUCB that starts from history.

    Args:
        arms: Distinct labels.
        history: What was played before.
        dimension: Length of the contexts; taken from ``context`` or the history if left out.
        context: How raw contexts are read: an ``Encoding``, or what ``Encoding.of`` takes, such as a frame of some contexts.
        alpha: Width of the bonus, in standard errors.
        precision: Of theta and the inverse matrices, "double" or "single".
        explore: Share of the decisions that is drawn uniformly among the arms; a decision names its propensity.
        half_life: After how long a round counts half: a number of decisions, a timedelta, or "auto", which finds out itself.

    Returns:
        A policy.

    Raises:
        ValueError: Something given makes no sense; the message says what.

    Examples:
        >>> import hedgerow as hr
        >>> hr.HLinUCB(["a", "b"], dimension=2).select([1.0, 0.5]).arm
        'a'
    """
    given: dict[str, Any] = {"history": history, "dimension": dimension, "context": context, "precision": precision}
    return Bandit(arms, rule("linucb", {"alpha": alpha}), **given, explore=explore, half_life=half_life, name="HLinUCB")


def LinUCBC(
    arms: Iterable[Arm],
    *,
    clusters: Clusters | None = None,
    dimension: int | None = None,
    context: Any = None,
    alpha: float = 1.0,
    precision: str = "double",
    explore: float = 0.0,
    half_life: HalfLifeLike = None,
) -> Bandit[Arm]:
    """LinUCB over clusters, then over the arms of the chosen one.

    Args:
        arms: Distinct labels.
        clusters: The cluster of each arm, in order, or a mapping arm -> cluster; tuples nest deeper. None: no clusters.
        dimension: Length of the contexts; taken from ``context`` if left out.
        context: How raw contexts are read: an ``Encoding``, or what ``Encoding.of`` takes, such as a frame of some contexts.
        alpha: Width of the bonus, in standard errors.
        precision: Of theta and the inverse matrices, "double" or "single".
        explore: Share of the decisions that is drawn uniformly among the arms; a decision names its propensity.
        half_life: After how long a round counts half: a number of decisions, a timedelta, or "auto", which finds out itself.

    Returns:
        A policy.

    Raises:
        ValueError: Something given makes no sense; the message says what.

    Examples:
        >>> import hedgerow as hr
        >>> hr.LinUCBC(["a", "b"], clusters=["x", "y"], dimension=2).select([1.0, 0.5]).cluster
        'x'
    """
    given: dict[str, Any] = {"clusters": clusters, "dimension": dimension, "context": context, "precision": precision}
    return Bandit(arms, rule("linucb", {"alpha": alpha}), **given, explore=explore, half_life=half_life, name="LinUCBC")


def HLinUCBC(
    arms: Iterable[Arm],
    *,
    clusters: Clusters | None = None,
    history: History | None = None,
    dimension: int | None = None,
    context: Any = None,
    alpha: float = 1.0,
    precision: str = "double",
    explore: float = 0.0,
    half_life: HalfLifeLike = None,
) -> Bandit[Arm]:
    """LinUCB over clusters and their arms, both starting from history, Algorithm 2.

    Args:
        arms: Distinct labels.
        clusters: The cluster of each arm, in order, or a mapping arm -> cluster; tuples nest deeper. None: no clusters.
        history: What was played before.
        dimension: Length of the contexts; taken from ``context`` or the history if left out.
        context: How raw contexts are read: an ``Encoding``, or what ``Encoding.of`` takes, such as a frame of some contexts.
        alpha: Width of the bonus, in standard errors.
        precision: Of theta and the inverse matrices, "double" or "single".
        explore: Share of the decisions that is drawn uniformly among the arms; a decision names its propensity.
        half_life: After how long a round counts half: a number of decisions, a timedelta, or "auto", which finds out itself.

    Returns:
        A policy.

    Raises:
        ValueError: Something given makes no sense; the message says what.

    Examples:
        >>> import hedgerow as hr
        >>> hr.HLinUCBC(["a", "b"], clusters=["x", "y"], dimension=2).select([1.0, 0.5]).cluster
        'x'
    """
    known: dict[str, Any] = {"history": history, "dimension": dimension, "context": context}
    given: dict[str, Any] = {"clusters": clusters, "precision": precision, **known}
    return Bandit(arms, rule("linucb", {"alpha": alpha}), **given, explore=explore, half_life=half_life, name="HLinUCBC")
