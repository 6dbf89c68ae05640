"""Meta: a policy over policies."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from . import state
from .arms import new_path
from .bandit import Bandit
from .checks import checked_context, checked_reward, own_decision, same_policy
from .explanation import Explanation, Score
from .rules import ucb
from .types import Decision, Label, Policy


class Meta:
    """Follow one of several policies at each round, chosen by UCB over the rewards that each has earned (section META).

    Arguments
        experts: policies over the same arms, or a mapping name -> policy. They belong to the Meta from then on.
        scale: multiplies Meta's own bonus.
        shared: whether every expert learns from every round, whoever was followed, or only from its own.
    """

    def __init__(
        self,
        experts: Sequence[Policy] | Mapping[str, Policy],
        *,
        scale: float = 1.0,
        shared: bool = True,
        name: str = "META",
    ):
        self.name = name
        self.shared = bool(shared)
        self.experts = _by_name(experts)
        self._chooser = Bandit(self.experts, ucb(scale), name=name)
        made = (self._chooser.identity, self.shared, [(key, expert.identity) for key, expert in self.experts.items()])
        self.identity = f"{name}-{hashlib.blake2b(repr(made).encode(), digest_size=6).hexdigest()}"

    @property
    def arms(self) -> tuple[Label, ...]:
        return next(iter(self.experts.values())).arms

    @property
    def clusters(self) -> tuple[Label, ...] | None:
        """The clusters of the first expert that has any."""
        return next((expert.clusters for expert in self.experts.values() if expert.clustered), None)

    @property
    def clustered(self) -> bool:
        return any(expert.clustered for expert in self.experts.values())

    @property
    def dimension(self) -> int | None:
        return next((expert.dimension for expert in self.experts.values() if expert.dimension), None)

    @property
    def rounds(self) -> int:
        """Online rounds in which an own expert was followed."""
        return self._chooser.rounds

    @property
    def history(self) -> NoReturn:
        """A Meta has none of its own; its experts do."""
        raise AttributeError(f"the history is the experts': policy.experts[{next(iter(self.experts))!r}].history")

    def select(self, context: ArrayLike | None = None, *, rng: np.random.Generator | None = None) -> Decision:
        """Choose an expert, then the arm it chooses. Nothing changes; ``rng`` breaks ties at random."""
        followed = str(self._chooser.select(rng=rng).arm)
        expert = self.experts[followed]
        if expert.dimension is None:  # else the expert looks at the context itself
            checked_context(context, self.dimension, self.name)
        inner = expert.select(context if expert.dimension else None, rng=rng)
        return self._own(followed, inner, context)

    def select_many(self, contexts: ArrayLike, *, rng: np.random.Generator | None = None) -> list[Decision]:
        """One decision per row of contexts, as ``select`` would make them one by one."""
        followed = str(self._chooser.select().arm)
        expert = self.experts[followed]
        if rng is not None or expert.dimension is None:
            return [self.select(row, rng=rng) for row in np.asarray(contexts, dtype=np.float64)]
        return [self._own(followed, inner, inner.context) for inner in expert.select_many(contexts)]

    def _own(self, followed: str, inner: Decision, context: ArrayLike | None) -> Decision:
        """An expert's decision as the Meta's own; its context also serves the experts that were not followed."""
        seen = inner.context if inner.context is not None or context is None else tuple(np.asarray(context, float).tolist())
        return Decision(inner.arm, inner.cluster, seen, (followed, *inner.experts), self.identity)

    def update(self, decision: Decision, reward: float) -> None:
        """Learn the reward of a decision: the followed expert earns it; with ``shared``, all experts learn from it."""
        own_decision(decision, self)
        if decision.experts[:1] not in [(name,) for name in self.experts]:
            raise ValueError(f"the decision names no expert of {self.name}, it has {decision.experts!r}")
        self.check(decision.arm, reward, decision.context)
        followed, *deeper = decision.experts
        expert = self.experts[followed]
        context = decision.context if expert.dimension else None
        expert.update(decision._replace(context=context, experts=tuple(deeper), policy=expert.identity), reward)
        self._chooser.learn(followed, reward)
        if self.shared:
            self._teach([other for name, other in self.experts.items() if name != followed], decision, reward)

    def check(self, arm: Label, reward: float, context: Sequence[float] | None = None) -> None:
        """Raise what ``learn`` would raise."""
        checked_reward(reward)
        checked_context(context, self.dimension, self.name)
        for expert in self.experts.values():
            expert.check(arm, reward, context if expert.dimension else None)

    def learn(self, arm: Label, reward: float, context: Sequence[float] | None = None) -> None:
        """Learn from a round that someone else decided: no expert was followed, and only shared ones learn."""
        self.check(arm, reward, context)
        if self.shared:
            seen = None if context is None else tuple(context)
            self._teach(list(self.experts.values()), Decision(arm, context=seen), reward)

    def _teach(self, experts: Sequence[Policy], decision: Decision, reward: float) -> None:
        for expert in experts:
            expert.learn(decision.arm, reward, decision.context if expert.dimension else None)

    def explain(self, context: ArrayLike | None = None) -> Explanation:
        """The scores of the experts, then those within each expert, whose name is the first part of the label."""
        checked_context(context, self.dimension, self.name)
        scores: list[Score] = [replace(score, kind="expert") for score in self._chooser.explain()]
        for name, expert in self.experts.items():
            inner = expert.explain(context if expert.dimension else None)
            scores += [replace(score, label=(name, score.label)) for score in inner]
        return Explanation(scores)

    def add_arm(self, arm: Label, *, cluster: Label | None = None) -> None:
        """Offer one more arm in every expert; those without clusters leave the cluster aside."""
        new_path(arm, cluster, arms=self.arms, clusters=self.clusters)
        self._check_experts()
        for expert in self.experts.values():
            expert.add_arm(arm, cluster=cluster if expert.clustered else None)

    def remove_arm(self, arm: Label) -> None:
        """Withdraw an arm from every expert; what the experts earned with it stays."""
        self._check_experts()
        for expert in self.experts.values():
            expert.remove_arm(arm)

    def _check_experts(self) -> None:
        """Experts belong to their Meta; one that was changed on its own can no longer be changed with the others."""
        if changed := [name for name, expert in self.experts.items() if expert.arms != self.arms]:
            raise ValueError(f"the arms of expert {changed[0]!r} were changed apart from those of the others")

    def merge(self, other: "Meta", *, since: "Meta | None" = None) -> None:
        """Add what another worker learnt; ``since`` is the policy that both started from, if it had learnt already."""
        self.check_merge(other, since=since)
        for own, theirs, before in self._pairs(other, since):
            own.merge(theirs, since=before)

    def check_merge(self, other: Any, *, since: Any = None) -> None:
        """Raise what ``merge`` would raise."""
        for policy in (other, since) if since is not None else (other,):
            same_policy(self, policy)
        for own, theirs, before in self._pairs(other, since):
            own.check_merge(theirs, since=before)

    def _pairs(self, other: "Meta", since: "Meta | None") -> list[tuple[Policy, Policy, Policy | None]]:
        """The chooser and the experts, each with its counterparts."""
        return [
            (self._chooser, other._chooser, since._chooser if since else None),
            *((own, other.experts[key], since.experts[key] if since else None) for key, own in self.experts.items()),
        ]

    def save(self, path: str | Path) -> None:
        """Write the whole state to a file that ``hedgerow.load`` reads."""
        state.save(path, *self._state())

    def _state(self) -> tuple[state.Manifest, state.Arrays]:
        chooser, arrays = self._chooser._state()
        parts = {"chooser": (chooser, arrays)}
        for number, (name, expert) in enumerate(self.experts.items()):
            if not isinstance(expert, Bandit | Meta):
                raise ValueError(f"expert {name!r} is a {type(expert).__name__}, which hedgerow.load could not make again")
            parts[f"expert-{number}"] = expert._state()
        manifest = {
            "kind": "meta",
            "name": self.name,
            "identity": self.identity,
            "shared": self.shared,
            "experts": list(self.experts),
            "parts": {part: inner for part, (inner, _) in parts.items()},
        }
        return manifest, {f"{part}/{key}": array for part, (_, inner) in parts.items() for key, array in inner.items()}

    @classmethod
    def _restore(cls, file: state.StateFile) -> "Meta":
        made = file.manifest
        self = cls.__new__(cls)
        self.name, self.identity, self.shared = str(made["name"]), str(made["identity"]), bool(made["shared"])
        parts = [file.inside(made["parts"][f"expert-{n}"], f"expert-{n}") for n in range(len(made["experts"]))]
        kinds: dict[str, type[Bandit] | type[Meta]] = {"bandit": Bandit, "meta": Meta}
        restored = [kinds[part.manifest["kind"]]._restore(part) for part in parts]
        self.experts = _by_name(dict(zip(made["experts"], restored, strict=True)))
        self._chooser = Bandit._restore(file.inside(made["parts"]["chooser"], "chooser"))
        if self._chooser.arms != tuple(self.experts):
            raise ValueError("its experts are not those that it chooses among")
        return self

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(self.experts)}; {len(self.arms)} arms, {self.rounds} rounds)"


def _by_name(experts: Sequence[Policy] | Mapping[str, Policy]) -> dict[str, Policy]:
    """The experts under distinct names, all over the same arms and contexts of one length."""
    if isinstance(experts, Mapping):
        named = {str(name): expert for name, expert in experts.items()}
    else:
        named = {getattr(expert, "name", repr(expert)): expert for expert in experts}
    if len(named) < len(experts):
        raise ValueError("two experts have the same name: give them as a dict, name -> policy")
    if not named:
        raise ValueError("experts must hold at least one policy, got none")
    if strange := [expert for expert in named.values() if not hasattr(expert, "learn")]:
        raise ValueError(f"experts must be policies, got {strange[0]!r}")
    first = next(iter(named.values()))
    for name, expert in named.items():
        if expert.arms != first.arms:
            raise ValueError(f"experts must have the same arms in the same order; those of {name!r} differ")
    if len({id(expert) for expert in named.values()}) < len(named):
        raise ValueError("each expert must be a policy of its own: one is given twice")
    dimensions = {expert.dimension for expert in named.values() if expert.dimension}
    if len(dimensions) > 1:
        raise ValueError(f"experts must take contexts of one length, got {sorted(dimensions)}")
    return named
