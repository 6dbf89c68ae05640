"""What a policy's sums say of its groups and of its history."""

from dataclasses import replace

import numpy as np

from ..core.sums import PLAYS
from ..policies.arrays import Nodes
from . import linear, rewards
from .report import Agreement, Grouping, Trust


def findings(name: str, nodes: Nodes, dimension: int | None, estimated: dict[str, float], *, weighted: bool) -> Trust:
    """The worth of the grouping, whether history and rounds agree, and whether contexts lack a level.

    Groups are judged by the rounds alone where history differs from them, unless the policy says how far to trust it.
    ``estimated``: what the policy has found out about itself. ``weighted``: whether it may weigh its rounds; its ledger then
    knows the weights, and it finds levels by itself.
    """
    labels = nodes.arms.clusters or ()
    number_of = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    grouped = 1 < len(number_of) < len(labels)
    blank = Trust(name, int(nodes.online[0, PLAYS]), grouped=grouped, noise=estimated.get("scale", estimated.get("noise")))
    groups = np.array([number_of[label] for label in labels])
    if dimension is None:
        history = _drifted(rewards.agreement(nodes), estimated)
        grouping = rewards.grouping(_admitted(nodes, history), groups, estimated.get("drift", 0.0)) if grouped else None
        return replace(
            blank, grouping=_marked(grouping, history), misfits=rewards.misfits(nodes) if grouped else (), history=history
        )
    ledger = nodes.ledger if weighted else None
    history = _drifted(linear.agreement(nodes, dimension, ledger), estimated)
    grouping = linear.grouping(_admitted(nodes, history), dimension, groups, ledger) if grouped else None
    grouping = _marked(grouping, history)
    return replace(blank, grouping=grouping, history=history, levelless=not weighted and linear.levelless(nodes, dimension))


def _drifted(history: Agreement | None, estimated: dict[str, float]) -> Agreement | None:
    return history and replace(history, drift=estimated.get("drift"), trusted=estimated.get("trusted"))


def _marked(grouping: Grouping | None, history: Agreement | None) -> Grouping | None:
    return grouping and replace(grouping, unchecked=history is not None and history.unchecked)


def _admitted(nodes: Nodes, history: Agreement | None) -> Nodes:
    """The sums, without a history that differs and whose drift the policy has not estimated, or not found."""
    if history is None or history.drift or not history.differs:
        return nodes
    return nodes._replace(past=np.zeros_like(nodes.past))
