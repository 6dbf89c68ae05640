"""What a policy's sums say of its groups and of its history."""

import numpy as np

from ..nodes import Nodes
from . import linear, rewards
from .report import Agreement, Grouping


def findings(nodes: Nodes, dimension: int | None, *, weighted: bool) -> tuple[Grouping | None, Agreement | None]:
    """The worth of the grouping, and whether history and rounds agree; None where there is none.

    ``weighted``: whether the sums are those of a policy that weighs its rounds, whose ledger then knows the weights.
    """
    labels = nodes.arms.clusters or ()
    number_of = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    if dimension is None:
        groups = np.array([number_of[label] for label in labels])
        return (rewards.grouping(nodes, groups) if labels else None), rewards.agreement(nodes)
    ledger = nodes.ledger if weighted else None
    parted = linear.grouping(nodes, dimension, len(number_of), ledger) if labels else None
    return parted, linear.agreement(nodes, dimension)
