"""From a configuration to a policy: what an experiment is at some point of its log, and what differs from one to the next."""

import warnings
from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from typing import Any, NamedTuple

import msgspec

import hedgerow as hr

from ..core.types import Decision
from ..data.encoding import Encoding
from ..data.history import History
from ..policies.bandit import Bandit
from ..policies.meta import Meta
from ..policies.registry import load_all
from .wire import Config

NEEDS_POLICIES = ("Bandit", "Meta")
"""Constructors that take more than arms and numbers."""

SHAPE = ("policy", "params", "context")
"""Fields that make another policy; all others change in place."""


class Part(msgspec.Struct, frozen=True):
    """A history that an experiment starts from.

    Args:
        sha256: Of its stored state.
        weight: How much each of its rounds counts.
    """

    sha256: str
    weight: float


class State(msgspec.Struct, frozen=True):
    """What an experiment is at some point of its log; the body of rows of kind change and refold.

    Args:
        config: As its owner wrote it.
        history: What it starts from.
        revision: How often it has changed.
        upto: Of a refold, the last log row that was learnt again; else None.
        summary: What changed, in words.
    """

    config: Config
    history: tuple[Part, ...] = ()
    revision: int = 1
    upto: int | None = None
    summary: str = ""


Blobs = Callable[[str], bytes]
"""The stored state of a history by its sha256."""

Policy = Bandit | Meta


class Difference(NamedTuple):
    """What changes a policy in place.

    Args:
        added: Arms that come, with their clusters.
        removed: Arms that go.
        clusters: The cluster of each arm, if those of old arms differ.
        history: Whether it starts from another history.
    """

    added: Mapping[str, str | None]
    removed: tuple[str, ...]
    clusters: Mapping[str, str] | None
    history: bool


def policies() -> list[str]:
    """Names that a configuration may give as its policy."""
    return [name for name in dir(hr.policies) if name not in NEEDS_POLICIES]


def build(state: State, blobs: Blobs) -> Policy:
    """The policy of an experiment before its first round.

    Args:
        state: What the experiment is.
        blobs: Where histories come from.

    Returns:
        A policy.

    Raises:
        ValueError: The configuration makes no sense; the message says what.
    """
    config = state.config
    if config.policy not in policies():
        raise ValueError(f"policy must be one of {', '.join(policies())}, got {config.policy!r}")
    given: dict[str, Any] = dict(config.params)
    for beside in ("clusters", "history", "context", "explore", "arms"):
        if beside in given:
            raise ValueError(f"params are the numbers of the policy: {beside} stands beside them, not in them")
    given |= {} if config.clusters is None else {"clusters": dict(config.clusters)}
    given |= {} if config.context is None else {"context": Encoding.of(dict(config.context))}
    given |= {"history": summed(state.history, config.arms, blobs)} if state.history else {}
    if isinstance(length := given.get("dimension"), float) and length.is_integer():
        given["dimension"] = int(length)
    make = getattr(hr.policies, config.policy)
    taken = [name for name in signature(make).parameters if name not in ("arms", "explore")]
    for name in given:
        if name not in taken:
            raise ValueError(f"{config.policy} takes no {name}: it takes {', '.join(taken) or 'arms alone'}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made: Policy = make(list(config.arms), **given)
    except (TypeError, KeyError) as error:
        raise ValueError(f"{config.policy} cannot be made: {error.args[0] if error.args else error}") from None
    return made


def summed(parts: Iterable[Part], arms: Iterable[str], blobs: Blobs) -> History:
    """The histories of an experiment, weighted and added, of the arms that it has.

    Args:
        parts: Which they are.
        arms: The arms.
        blobs: Where they are.

    Returns:
        One history.
    """
    found: History | None = None
    for part in parts:
        history = hr.from_bytes(blobs(part.sha256), History).weighted(part.weight)
        found = history if found is None else found + history
    if found is None:
        return History.from_rounds(arms=[], rewards=[])
    wanted = set(arms)
    rows = [row for row, arm in enumerate(found.arms) if arm in wanted]
    return History(tuple(found.arms[row] for row in rows), found.sums[rows], found.dimension, encoding=found.encoding)


def difference(before: State, after: State) -> Difference | None:
    """What changes a policy in place.

    Args:
        before: What the experiment was.
        after: What it is to be.

    Returns:
        The difference; None if another policy is needed.
    """
    if any(getattr(before.config, name) != getattr(after.config, name) for name in SHAPE):
        return None
    old, new = before.config, after.config
    if (old.clusters is None) != (new.clusters is None):
        return None
    were, are = old.clusters or {}, new.clusters or {}
    added = {arm: are.get(arm) for arm in new.arms if arm not in set(old.arms)}
    removed = tuple(arm for arm in old.arms if arm not in set(new.arms))
    moved = any(were.get(arm) != are.get(arm) for arm in new.arms if arm not in added)
    return Difference(added, removed, dict(are) if moved else None, before.history != after.history)


def change(policy: Policy, found: Difference, after: State, blobs: Blobs) -> None:
    """Apply a difference by the library's own methods.

    Args:
        policy: A copy, which nobody else reads.
        found: What differs.
        after: What the experiment is to be.
        blobs: Where histories are.

    Raises:
        ValueError: The policy does not take it.
        KeyError: An arm to be removed is not there.
    """
    if found.added:
        clustered = after.config.clusters is not None
        arms: Any = dict(found.added) if clustered else list(found.added)
        policy.add_arms(arms, **({"new_cluster": True} if clustered else {}))
    for arm in found.removed:
        policy.remove_arm(arm)
    if found.clusters is not None:
        policy.clusters = dict(found.clusters)
    if found.history:
        policy.history = summed(after.history, after.config.arms, blobs)


def unit_rewards(policy: Policy) -> bool:
    """Whether a policy takes rewards between 0 and 1 only.

    Args:
        policy: Any.

    Returns:
        Whether it, or an expert of it, does.
    """
    if isinstance(policy, Meta):
        return any(unit_rewards(expert) for expert in policy.experts.values() if isinstance(expert, Bandit | Meta))
    return any(kind.name == policy.rule.name and kind.unit_rewards for kind in load_all().values())


def warm(policy: Policy) -> None:
    """Have the machine code of every operation made, by a round of a copy.

    Args:
        policy: A copy, which is changed.
    """
    context = None if policy.dimension is None else [0.1] * policy.dimension
    for number, reward in enumerate((0.0, 1.0)):
        decision = policy.select(context, among=list(policy.arms))
        policy.expect(decision, id=f"warm-{number}")
        policy.expect(decision, id="cancelled")
        policy.select(context)
        policy.cancel("cancelled")
        policy.update(decision, reward, id=f"warm-{number}")
        policy.learn(decision.arm, reward, context)
        policy.update(Decision(decision.arm, None, decision.context), reward)
    policy.explain(context)
    policy.state_hash()
