"""Meta: a policy over policies."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from ..core import state_file
from ..core.arms import Clusters, new_path, regrouped, shown
from ..core.locking import Locked, whole
from ..core.sums import SCALARS
from ..core.types import Context, Decision, Decisions, Label, Policy
from ..data.encoding import Encoding, all_encoded, encoded
from ..data.history import History
from ..data.rounds import as_numbers
from ..trust import Trust
from .bandit import Bandit
from .checks import checked_context, checked_reward, own_decision, same_policy
from .experts import Awaited, awaited_round, by_name, encoding_of
from .explanation import Explanation, Score
from .rules import RULES
from .waiting import Waiting

CHOOSERS = ("ucb", "d3rb")
"""Rules that can choose among experts."""


class Meta(Locked):
    """Follow one of several policies at each round, chosen by UCB over the rewards that each has earned (section META).

    Arguments
        experts: policies over the same arms, or a mapping name -> policy. They belong to the Meta from then on.
        rule: how an expert is chosen, "ucb" (the paper's) or "d3rb", which gives up a clearly bad expert sooner.
        scale: of the rewards' noise: multiplies the bonus of "ucb" (1 if left out); "auto" estimates it ("d3rb" if left out).
        shared: whether every expert learns from every round, whoever was followed, or only from its own.
    """

    def __init__(
        self,
        experts: Sequence[Policy] | Mapping[str, Policy],
        *,
        rule: str = "ucb",
        scale: float | str | None = None,
        shared: bool = True,
        name: str = "META",
    ):
        if rule not in CHOOSERS:
            raise ValueError(f"rule must be one of {shown(CHOOSERS)}, got {rule!r}")
        self.name = name
        self.shared = bool(shared)
        self.experts = by_name(experts)
        self._expected: Waiting[Awaited] = Waiting()
        self._chooser = Bandit(self.experts, RULES[rule](*(() if scale is None else (scale,))), name=name)
        made = (self._chooser.identity, self.shared, [(key, expert.identity) for key, expert in self.experts.items()])
        self.identity = f"{name}-{hashlib.blake2b(repr(made).encode(), digest_size=6).hexdigest()}"

    @property
    def arms(self) -> tuple[Label, ...]:
        return next(iter(self.experts.values())).arms

    @property
    def clusters(self) -> tuple[Label, ...] | None:
        """The clusters of the first expert that has any; assign others at any time, to all experts that have some."""
        return next((expert.clusters for expert in self.experts.values() if expert.clustered), None)

    @clusters.setter
    @whole
    def clusters(self, clusters: Clusters) -> None:
        self._check_experts()
        labels = regrouped(self, clusters).clusters
        for expert in self.experts.values():
            if expert.clustered:
                cast(Any, expert).clusters = labels

    @property
    def clustered(self) -> bool:
        return any(expert.clustered for expert in self.experts.values())

    @property
    def dimension(self) -> int | None:
        return next((expert.dimension for expert in self.experts.values() if expert.dimension), None)

    @property
    def encoding(self) -> Encoding | None:
        """How the first expert that can reads contexts of raw values."""
        return next((encoding for encoding in map(encoding_of, self.experts.values()) if encoding is not None), None)

    @property
    def rounds(self) -> int:
        """Online rounds in which an own expert was followed."""
        return self._chooser.rounds

    @property
    def history(self) -> History:
        """What all experts started from, with contexts if one has them; assign another, or a weighted one, at any time."""
        histories: dict[str, History] = {name: expert.history for name, expert in self._warm().items()}
        fullest = max(histories.values(), key=lambda history: history.sums.shape[1])
        for name, history in histories.items():
            if not np.array_equal(history.sums[:, :SCALARS], fullest.sums[:, :SCALARS]):
                raise AttributeError(f"the experts have histories of their own, ask them: policy.experts[{name!r}].history")
        return fullest

    @history.setter
    @whole
    def history(self, history: History | None) -> None:
        _ = self.history  # one for all; experts that differ keep their own
        self.check_history(history)
        for expert in self._warm().values():
            expert.history = history

    def check_history(self, history: History | None) -> None:
        """Raise what assigning this history would raise."""
        for expert in self._warm().values():
            expert.check_history(history)

    def _warm(self) -> dict[str, Any]:
        """The experts that can have a history; other people's policies need not."""
        found = {name: expert for name, expert in self.experts.items() if hasattr(expert, "check_history")}
        if not found:
            raise AttributeError(f"no expert of {self.name} takes a history")
        return found

    def select(self, context: Context | None = None, *, rng: np.random.Generator | None = None) -> Decision:
        """Choose an expert, then the arm it chooses. Nothing changes; ``rng`` breaks ties at random, but not those of "d3rb"."""
        x = encoded(context, self)
        followed = str(self._chooser.select(rng=rng).arm)
        expert = self.experts[followed]
        if expert.dimension is None:  # else the expert looks at the context itself
            checked_context(x, self.dimension, self.name)
        inner = expert.select(x if expert.dimension else None, rng=rng)
        return self._own(followed, inner, x)

    def select_many(self, contexts: ArrayLike, *, rng: np.random.Generator | None = None) -> Decisions:
        """One decision per row of contexts, as ``select`` would make them one by one."""
        if self.dimension is None:
            raise ValueError(f"{self.name} takes no contexts, so all its decisions are alike: call select()")
        contexts = all_encoded(contexts, self)
        followed = str(self._chooser.select().arm)
        expert = self.experts[followed]
        inner = expert.select_many(contexts) if rng is None and expert.dimension else ()
        if isinstance(inner, Decisions):
            return inner.passed_up(followed, self.identity)
        rows = as_numbers(contexts, "contexts must be rows of numbers")
        if rows.ndim != 2 and rows.size:
            raise ValueError(f"contexts must be rows of {self.dimension} numbers, got shape {rows.shape}")
        made = [self.select(row, rng=rng) for row in rows]
        named = {n: (decision.arm, decision.cluster, decision.experts) for n, decision in enumerate(made)}
        return Decisions(np.arange(len(made)), named, rows, self.identity)

    def _own(self, followed: str, inner: Decision, context: ArrayLike | None) -> Decision:
        """An expert's decision as the Meta's own; its context also serves the experts that were not followed."""
        seen = inner.context if inner.context is not None or context is None else tuple(np.asarray(context, float).tolist())
        return Decision(inner.arm, inner.cluster, seen, (followed, *inner.experts), self.identity)

    @whole
    def update(self, decision: Decision, reward: float) -> None:
        """Learn the reward of a decision: the followed expert earns it; with ``shared``, all experts learn from it."""
        followed, inner = self._passed_on(decision)
        self.check(decision.arm, reward, decision.context)
        if self._expected:
            awaited = awaited_round(decision.arm, decision.experts, decision.context)
            if not self._expected[awaited]:  # else it would be taken for one that others wait for
                self.expect(decision)
            self._expected.settle(awaited)
        self.experts[followed].update(inner, reward)
        self._chooser.learn(followed, reward)
        if self.shared:
            self._teach([other for name, other in self.experts.items() if name != followed], decision, reward)

    def _passed_on(self, decision: Decision) -> tuple[str, Decision]:
        """The expert that was followed, and the decision as its own."""
        own_decision(decision, self, self.experts)
        followed, *deeper = decision.experts
        expert = self.experts[followed]
        context = decision.context if expert.dimension else None
        return followed, decision._replace(context=context, experts=tuple(deeper), policy=expert.identity)

    @whole
    def expect(self, decision: Decision) -> None:
        """Count a decision whose reward is still to come: in the expert that was followed, and with ``shared`` in all."""
        followed, inner = self._passed_on(decision)
        self.check(decision.arm, 0.0, decision.context)
        self.experts[followed].expect(inner)
        self._chooser.anticipate(followed)
        self._expected[awaited_round(decision.arm, decision.experts, decision.context)] += 1
        if self.shared:
            self._warn_of([other for name, other in self.experts.items() if name != followed], decision)

    @whole
    def cancel(self, decision: Decision) -> None:
        """Wait no longer for the reward of an expected decision: it will not come."""
        followed, inner = self._passed_on(decision)
        awaited = self._checked(awaited_round(decision.arm, decision.experts, decision.context))
        self.experts[followed].cancel(inner)
        self._chooser.dismiss(followed)
        self._expected.settle(awaited)
        if self.shared:
            self._dismiss_in([other for name, other in self.experts.items() if name != followed], decision)

    @whole
    def anticipate(self, arm: Label, context: Context | None = None) -> None:
        """``expect`` for a round that someone else decided: only shared experts count it."""
        x = encoded(context, self)
        self.check(arm, 0.0, x)
        if self.shared:
            seen = None if x is None else tuple(x)
            self._warn_of(list(self.experts.values()), Decision(arm, context=seen))
            self._expected[awaited_round(arm, (), seen)] += 1

    @whole
    def dismiss(self, arm: Label, context: Context | None = None) -> None:
        """``cancel`` for a round that someone else decided."""
        x = encoded(context, self)
        if self.shared:
            seen = None if x is None else tuple(x)
            awaited = self._checked(awaited_round(arm, (), seen))
            self._dismiss_in(list(self.experts.values()), Decision(arm, context=seen))
            self._expected.settle(awaited)

    def _checked(self, awaited: Awaited) -> Awaited:
        if not self._expected[awaited]:
            raise ValueError(f"{self.name} does not wait for a reward of {awaited[0]!r}")
        return awaited

    def _dismiss_in(self, experts: Sequence[Policy], decision: Decision) -> None:
        for expert in experts:
            expert.dismiss(decision.arm, decision.context if expert.dimension else None)

    def _warn_of(self, experts: Sequence[Policy], decision: Decision) -> None:
        for expert in experts:
            expert.anticipate(decision.arm, decision.context if expert.dimension else None)

    @property
    def pending(self) -> int:
        """Expected decisions whose reward has not come yet."""
        return self._expected.total()

    def check(self, arm: Label, reward: float, context: Context | None = None) -> None:
        """Raise what ``learn`` would raise."""
        checked_reward(reward)
        context = encoded(context, self)
        checked_context(context, self.dimension, self.name)
        for expert in self.experts.values():
            expert.check(arm, reward, context if expert.dimension else None)

    @whole
    def learn(self, arm: Label, reward: float, context: Context | None = None) -> None:
        """Learn from a round that someone else decided: no expert was followed, and only shared ones learn."""
        x = encoded(context, self)
        self.check(arm, reward, x)
        if self.shared:
            seen = None if x is None else tuple(x)
            if self._expected:
                awaited = awaited_round(arm, (), seen)
                if not self._expected[awaited]:
                    self.anticipate(arm, seen)
                self._expected.settle(awaited)
            self._teach(list(self.experts.values()), Decision(arm, context=seen), reward)

    def _teach(self, experts: Sequence[Policy], decision: Decision, reward: float) -> None:
        for expert in experts:
            expert.learn(decision.arm, reward, decision.context if expert.dimension else None)

    def explain(self, context: Context | None = None) -> Explanation:
        """The scores of the experts, then those within each expert, whose name is the first part of the label."""
        context = encoded(context, self)
        checked_context(context, self.dimension, self.name)
        chooser = self._chooser.explain()
        scores: list[Score] = [replace(score, kind="expert") for score in chooser]
        settings = {f"{self.name} {key}": value for key, value in chooser.settings.items()}
        for name, expert in self.experts.items():
            inner = expert.explain(context if expert.dimension else None)
            scores += [replace(score, label=(name, score.label)) for score in inner]
            settings |= {f"{name} {key}": value for key, value in inner.settings.items()}
        return Explanation(scores, settings)

    def trust(self) -> Trust:
        """What the first expert with groups says of them, the first with history of that, and how often each was followed."""
        found = self._found()
        if found.history is not None:
            found.history.warn(2)
        return found

    def _found(self) -> Trust:
        found = Trust(self.name, self.rounds)
        for expert in self.experts.values():
            said = expert._found() if isinstance(expert, Bandit | Meta) else expert.trust()
            parts = ("grouped", "grouping", "misfits", "history", "noise", "levelless")
            found = replace(found, **{part: getattr(found, part) or getattr(said, part) for part in parts})
        shares = {str(score.label): score.plays / max(self.rounds, 1) for score in self._chooser.explain()}
        return replace(found, experts=shares)

    @whole
    def add_arm(self, arm: Label, cluster: Label | None = None) -> None:
        """Offer one more arm in every expert; those without clusters leave the cluster aside."""
        new_path(arm, cluster, arms=self.arms, clusters=self.clusters)
        self._check_experts()
        for expert in self.experts.values():
            expert.add_arm(arm, cluster=cluster if expert.clustered else None)

    @whole
    def remove_arm(self, arm: Label) -> None:
        """Withdraw an arm from every expert; what the experts earned with it stays, what they still expected does not."""
        self._check_experts()
        for expert in self.experts.values():
            expert.remove_arm(arm)
        for gone, experts, _ in self._expected.elements():
            if gone == arm and experts:
                self._chooser.dismiss(experts[0])
        self._expected = self._expected.without(arm)

    def _check_experts(self) -> None:
        """Experts belong to their Meta; one that was changed on its own can no longer be changed with the others."""
        if changed := [name for name, expert in self.experts.items() if expert.arms != self.arms]:
            raise ValueError(f"the arms of expert {changed[0]!r} were changed apart from those of the others")

    @whole
    def merge(self, other: "Meta", *, since: "Meta | None" = None) -> None:
        """Add what another worker learnt; ``since`` is the policy that both started from, if it had learnt already."""
        self.check_merge(other, since=since)
        for own, theirs, before in self._pairs(other, since):
            own.merge(theirs, since=before)
        self._expected = Waiting(self._expected + other._expected - (since._expected if since else Counter()))

    def check_merge(self, other: Any, *, since: Any = None) -> None:
        """Raise what ``merge`` would raise."""
        same_policy(self, other)
        if since is not None:
            same_policy(self, since, since=True)
        for own, theirs, before in self._pairs(other, since):
            own.check_merge(theirs, since=before)

    def _pairs(self, other: "Meta", since: "Meta | None") -> list[tuple[Policy, Policy, Policy | None]]:
        """The chooser and the experts, each with its counterparts."""
        return [
            (self._chooser, other._chooser, since._chooser if since else None),
            *((own, other.experts[key], since.experts[key] if since else None) for key, own in self.experts.items()),
        ]

    @whole
    def save(self, path: str | Path) -> None:
        """Write the whole state to a file that ``hedgerow.load`` reads."""
        state_file.save(path, *self._state())

    def _state(self) -> tuple[state_file.Manifest, state_file.Arrays]:
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
            "waiting": self._expected.listed(),
            "parts": {part: inner for part, (inner, _) in parts.items()},
        }
        return manifest, {f"{part}/{key}": array for part, (_, inner) in parts.items() for key, array in inner.items()}

    @classmethod
    def _restore(cls, file: state_file.StateFile) -> "Meta":
        made = file.manifest
        self = cls.__new__(cls)
        self.name, self.identity, self.shared = str(made["name"]), str(made["identity"]), bool(made["shared"])
        parts = [file.inside(made["parts"][f"expert-{n}"], f"expert-{n}") for n in range(len(made["experts"]))]
        kinds: dict[str, type[Bandit] | type[Meta]] = {"bandit": Bandit, "meta": Meta}
        restored = [kinds[part.manifest["kind"]]._restore(part) for part in parts]
        self.experts = by_name(dict(zip(made["experts"], restored, strict=True)))
        self._expected = Waiting.restored(made["waiting"])
        self._chooser = Bandit._restore(file.inside(made["parts"]["chooser"], "chooser"))
        if self._chooser.arms != tuple(self.experts):
            raise ValueError("its experts are not those that it chooses among")
        return self

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(self.experts)}; {len(self.arms)} arms, {self.rounds} rounds)"
