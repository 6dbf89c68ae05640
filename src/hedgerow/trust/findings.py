"""What a policy's sums say of its groups and of its history."""

from dataclasses import replace

import numpy as np

from ..nodes import Nodes
from . import linear, rewards
from .report import Agreement, Grouping


def findings(
    nodes: Nodes, dimension: int | None, estimated: dict[str, float], *, weighted: bool
) -> tuple[Grouping | None, Agreement | None, bool]:
    """The worth of the grouping, and whether history and rounds agree, None where there is none; whether contexts lack a level.

    ``estimated``: what the policy has found out about itself. ``weighted``: whether it may weigh its rounds; its ledger then
    knows the weights, and it finds levels by itself.
    """
    labels = nodes.arms.clusters or ()
    number_of = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    if dimension is None:
        groups = np.array([number_of[label] for label in labels])
        grouping = rewards.grouping(nodes, groups, estimated.get("drift", 0.0)) if labels else None
        return grouping, _drifted(rewards.agreement(nodes), estimated), False
    ledger = nodes.ledger if weighted else None
    grouping = linear.grouping(nodes, dimension, len(number_of), ledger) if labels else None
    history = _drifted(linear.agreement(nodes, dimension, ledger), estimated)
    return grouping, history, not weighted and linear.levelless(nodes, dimension)


def _drifted(history: Agreement | None, estimated: dict[str, float]) -> Agreement | None:
    return history and replace(history, drift=estimated.get("drift"), trusted=estimated.get("trusted"))
