"""What a policy's sums say of its groups and of its history."""

from dataclasses import replace

import numpy as np

from ..core.sums import SCALARS
from ..inference.coefficients import levelless
from ..policies.bandit import Bandit
from ..policies.meta import Meta
from . import linear, rewards
from .nodes import Nodes, seen_by
from .report import Agreement, Grouping, Trust
from .settings import SETTINGS


def findings(policy: Bandit) -> Trust:
    """The worth of the grouping, whether history and rounds agree, and whether contexts lack a level.

    Groups are judged by the rounds alone where history differs from them, unless the policy says how far to trust it.

    Args:
        policy: Of any rule.

    Returns:
        What was found.
    """
    nodes, dimension, estimated = seen_by(policy), policy.dimension, policy.settings()
    labels = nodes.arms.clusters or ()
    number_of = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    grouped = 1 < len(number_of) < len(labels)
    noise = estimated.get("noise", estimated.get("scale"))
    blank = Trust(policy.name, policy.rounds, grouped=grouped, noise=noise, far_from_0=_far_from_0(nodes))
    kept = getattr(policy.rule.family, "drifting_history", False)
    blank = replace(blank, memory=policy.memory, older="counts as history" if kept else "no longer counts")
    groups = np.array([number_of[label] for label in labels])
    if dimension is None:
        history = _drifted(rewards.agreement(nodes), estimated)
        grouping = rewards.grouping(admitted(nodes, history), groups, estimated.get("drift", 0.0)) if grouped else None
        misfits = rewards.misfits(nodes) if grouped else ()
        return replace(blank, grouping=_marked(grouping, history), misfits=misfits, history=history)
    weighted = policy.rule.name == "hierlinucb"  # it may weigh its rounds, and finds levels by itself
    state = nodes.state if weighted else None
    history = _drifted(linear.agreement(nodes, dimension, state), estimated)
    grouping = linear.grouping(admitted(nodes, history), dimension, groups, state) if grouped else None
    flat = not weighted and levelless((nodes.online + nodes.history)[0], dimension)
    return replace(blank, grouping=_marked(grouping, history), history=history, levelless=flat)


def findings_of_experts(policy: Meta) -> Trust:
    """What the first expert with groups says of them, the first with history of that, and how often each was followed.

    Args:
        policy: That chooses among experts.

    Returns:
        What was found.
    """
    found = Trust(policy.name, policy.rounds)
    for expert in policy.experts.values():
        if isinstance(expert, Bandit | Meta):
            said = expert.findings()
            parts = ("grouped", "grouping", "misfits", "history", "noise", "levelless", "far_from_0", "memory", "older")
            found = replace(found, **{part: getattr(found, part) or getattr(said, part) for part in parts})
    shares = {str(score.label): score.plays / max(policy.rounds, 1) for score in policy.chooser.explain()}
    return replace(found, experts=shares)


def _far_from_0(nodes: Nodes) -> float | None:
    """The mean reward, if it hides by how much rewards differ."""
    plays, total, squares = (float(part) for part in (nodes.history + nodes.online[:, : nodes.history.shape[1]])[0, :SCALARS])
    hidden = plays >= 2.0 and total != 0.0 and squares - total * total / plays <= SETTINGS.lost * squares
    return total / plays if hidden else None


def _drifted(history: Agreement | None, estimated: dict[str, float]) -> Agreement | None:
    return history and replace(history, drift=estimated.get("drift"), trusted=estimated.get("trusted"))


def _marked(grouping: Grouping | None, history: Agreement | None) -> Grouping | None:
    return grouping and replace(grouping, unchecked=history is not None and history.unchecked)


def admitted(nodes: Nodes, history: Agreement | None) -> Nodes:
    """The sums that groups are judged by: without a history that differs, and whose drift the policy has not found.

    Args:
        nodes: What the policy has seen.
        history: Whether history and rounds agree.

    Returns:
        The same, or the same without history.
    """
    if history is None or history.drift or not history.differs:
        return nodes
    return nodes._replace(history=np.zeros_like(nodes.history))
