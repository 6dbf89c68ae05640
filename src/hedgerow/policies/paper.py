"""The paper's policies under the paper's names."""

from collections.abc import Iterable
from typing import Any

from ..core.arms import Clusters
from ..core.types import Label
from ..data.history import History
from .bandit import Bandit
from .checks import contextual
from .meta import Meta
from .rules import linucb, ucb


def UCB(arms: Iterable[Label], *, scale: float | str = 1.0) -> Bandit:
    """UCB1: no history, no clusters."""
    return Bandit(arms, ucb(scale), name="UCB")


def HUCB(arms: Iterable[Label], *, history: History | None = None, scale: float | str = 1.0) -> Bandit:
    """UCB that starts from history, eqs. (2) and (3)."""
    return Bandit(arms, ucb(scale), history=history, name="HUCB")


def UCBC(arms: Iterable[Label], *, clusters: Clusters | None = None, scale: float | str = 1.0) -> Bandit:
    """UCB over clusters, then over the arms of the chosen one."""
    return Bandit(arms, ucb(scale), clusters=clusters, name="UCBC")


def HUCBC(
    arms: Iterable[Label], *, clusters: Clusters | None = None, history: History | None = None, scale: float | str = 1.0
) -> Bandit:
    """UCB over clusters and their arms, both starting from history, Algorithm 1."""
    return Bandit(arms, ucb(scale), clusters=clusters, history=history, name="HUCBC")


def HUCBCPrime(
    arms: Iterable[Label], *, clusters: Clusters | None = None, history: History | None = None, scale: float | str = 1.0
) -> Bandit:
    """HUCBC': UCB without history between clusters, HUCB inside, as in the theorem on adversarial clustering."""
    return Bandit(arms, ucb(scale), clusters=clusters, history=history, cluster_history=False, name="HUCBCPrime")


def LinUCB(arms: Iterable[Label], *, dimension: int, alpha: float = 1.0, precision: str = "double") -> Bandit:
    """Ridge regression per arm on the context, with a bonus: no history, no clusters."""
    return Bandit(arms, linucb(alpha), dimension=dimension, precision=precision, name="LinUCB")


def HLinUCB(
    arms: Iterable[Label],
    *,
    history: History | None = None,
    dimension: int | None = None,
    alpha: float = 1.0,
    precision: str = "double",
) -> Bandit:
    """LinUCB that starts from history."""
    return Bandit(arms, linucb(alpha), history=history, dimension=dimension, precision=precision, name="HLinUCB")


def LinUCBC(
    arms: Iterable[Label],
    *,
    clusters: Clusters | None = None,
    dimension: int,
    alpha: float = 1.0,
    precision: str = "double",
) -> Bandit:
    """LinUCB over clusters, then over the arms of the chosen one."""
    return Bandit(arms, linucb(alpha), clusters=clusters, dimension=dimension, precision=precision, name="LinUCBC")


def HLinUCBC(
    arms: Iterable[Label],
    *,
    clusters: Clusters | None = None,
    history: History | None = None,
    dimension: int | None = None,
    alpha: float = 1.0,
    precision: str = "double",
) -> Bandit:
    """LinUCB over clusters and their arms, both starting from history, Algorithm 2."""
    return Bandit(
        arms,
        linucb(alpha),
        clusters=clusters,
        history=history,
        dimension=dimension,
        precision=precision,
        name="HLinUCBC",
    )


def META(
    arms: Iterable[Label],
    *,
    clusters: Clusters | None = None,
    history: History | None = None,
    dimension: int | None = None,
    alpha: float | None = None,
    rule: str = "ucb",
    scale: float | str | None = None,
    expert_scale: float | str | None = None,
    shared: bool = True,
) -> Meta:
    """UCB over two experts, the clustered one and the flat one, both starting from history (section META).

    Without contexts the experts are HUCBC and HUCB, whose bonus ``expert_scale`` multiplies; with ``dimension``, or a history
    with contexts, HLinUCBC and HLinUCB with ``alpha``; each is 1 if left out. ``rule`` and ``scale`` are those of ``Meta``.
    """
    labels = list(arms)
    if not contextual(dimension, history):
        if alpha is not None:
            raise ValueError(f"alpha is of experts with contexts: give expert_scale instead of {alpha!r}, or dimension")
        width = 1.0 if expert_scale is None else expert_scale
        experts = [
            HUCBC(labels, clusters=clusters, history=history, scale=width),
            HUCB(labels, history=history, scale=width),
        ]
    else:
        if expert_scale is not None:
            raise ValueError(f"expert_scale is of experts without contexts: give alpha instead of {expert_scale!r}")
        known: dict[str, Any] = {"history": history, "dimension": dimension, "alpha": 1.0 if alpha is None else alpha}
        experts = [HLinUCBC(labels, clusters=clusters, **known), HLinUCB(labels, **known)]
    return Meta(experts, rule=rule, scale=scale, shared=shared)
