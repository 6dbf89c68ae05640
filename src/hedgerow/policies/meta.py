"""Meta: a policy over policies."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from ..core import validate
from ..core.labels import shown
from ..core.types import ArmType, Context, Decision, Floats, Label, Policy
from .bandit import Bandit
from .checks import own_decision
from .experts import Step, WaitingRound, by_name, carry_out, waiting_round
from .explanation import Explanation, explained_experts
from .exploration import checked_share
from .forgetting.half_life import HalfLifeLike, Stamp
from .learnt import Learnt
from .meta_choosing import MetaChoosing
from .overview import Overview
from .registry import rule as rule_of
from .waiting import Id, Waiting, check_same, checked_id

if TYPE_CHECKING:
    from ..trust import Trust

Told: TypeAlias = tuple[Policy, Decision, Floats | None]
"""An expert, what it is told of a round, and the context that it takes."""

CHOOSERS = ("ucb", "d3rb")
"""Rules that can choose among experts."""


class Meta(MetaChoosing[ArmType], Overview):
    """Follow one of several policies at each round, chosen by UCB over the rewards that each has earned (section META).

    Args:
        experts: Policies over the same arms, or a mapping name -> policy. They belong to the Meta from then on.
        rule: How an expert is chosen: "ucb" (the paper's) or "d3rb", which gives up a clearly bad expert sooner.
        scale: Noise of the rewards, as a standard deviation: multiplies the bonus of "ucb" (1 if left out); "auto" estimates it
            ("d3rb" if left out).
        shared: Whether every expert learns from every round, whoever was followed, or only from its own.
        explore: Share of the decisions that is drawn uniformly among the arms; the experts must have none of their own.
        half_life: After how long what an expert has earned counts half; experts have half-lives of their own, in the same unit.
        name: What it is called.

    Raises:
        ValueError: The experts do not belong together, or a setting makes no sense.

    Examples:
        >>> import hedgerow as hr
        >>> arms = ["a", "b"]
        >>> policy = hr.Meta({"bold": hr.UCB(arms, scale=0.1), "careful": hr.UCB(arms)})
        >>> policy.update(policy.select(), reward=1.0)
    """

    def __init__(
        self,
        experts: Sequence[Policy[ArmType]] | Mapping[str, Policy[ArmType]],
        *,
        rule: str = "ucb",
        scale: float | str | None = None,
        shared: bool = True,
        explore: float = 0.0,
        half_life: HalfLifeLike = None,
        name: str = "META",
    ):
        if rule not in CHOOSERS:
            raise ValueError(f"rule must be one of {shown(CHOOSERS)}, got {rule!r}")
        self.name: str = name
        self.shared: bool = bool(shared)
        self.experts: dict[str, Policy[ArmType]] = by_name(experts)
        self._explore = checked_share(explore)
        self._waiting: Waiting[WaitingRound] = Waiting()
        given = {} if scale is None else {"scale": scale}
        self.chooser: Bandit[str] = Bandit(self.experts, rule_of(rule, given), half_life=half_life, name=name)
        self._check_stamps()
        inner = [(key, getattr(expert, "identity", expert.name)) for key, expert in self.experts.items()]
        made = (self.chooser.identity, self.shared, inner)
        self.identity: str = f"{name}-{hashlib.blake2b(repr(made).encode(), digest_size=6).hexdigest()}"

    def update(self, decision: Decision, reward: float, *, id: Id | None = None) -> None:
        """Learn the reward of a decision: the followed expert earns it; with ``shared``, all experts learn from it.

        Args:
            decision: From ``select`` of this policy, or of one made alike.
            reward: A finite number.
            id: What the decision was called when it was expected. A reward with an id settles that decision and no other.

        Raises:
            ValueError: The decision is another policy's, the reward is no number, or another decision has that id.
            KeyError: The arm is not there, or no longer.
        """
        own_decision(decision, self, self.experts)
        with self._lock:
            self._learn(decision, validate.checked_reward(reward), id)

    def learn(self, arm: Label, reward: float, context: Context | None = None, id: Id | None = None, *, at: Stamp = None) -> None:
        """Learn from a round that someone else decided: no expert was followed, and only shared ones learn.

        Args:
            arm: What was played.
            reward: What it earned.
            context: In which context, for experts with contexts.
            id: What the decision was called, if it was expected under an id.
            at: When it was decided, where a policy within forgets; now if left out.

        Raises:
            ValueError: The reward or the context cannot be used.
            KeyError: The arm is not there.
        """
        with self._lock:
            stamp = self._stamp(at)
            self._learn(Decision(arm, context=context, at=stamp), validate.checked_reward(reward), id)  # type: ignore[arg-type]

    def _learn(self, decision: Decision, reward: float, id: Id | None) -> None:
        x = self._numbers(decision.context)
        decision = decision._replace(at=self._stamp(decision.at))
        self.admit(decision.arm, reward, x)
        key, told = waiting_round(decision, x, None if id is None else checked_id(id)), self._told(decision, x)
        check_same(self._waiting, key)
        waited = key in self._waiting
        # An expert would take the reward of an unexpected decision for that of one that waits, so it is expected first.
        expected = self._waiting and not waited
        steps = self._waits(decision, told, 1) if expected else []
        steps += [(expert, partial(_teach, expert, inner, reward, given)) for expert, inner, given in told]
        if decision.experts:
            steps.append((self.chooser, partial(self.chooser.learn, decision.experts[0], reward, at=decision.at)))
        self._counted(steps, key, -1 if waited else 0)

    def expect(self, decision: Decision, *, id: Id | None = None) -> None:
        """Count a decision whose reward is still to come: in the expert that was followed, and with ``shared`` in all.

        Args:
            decision: From ``select`` of this policy; or one that names no policy, for a round that someone else decided.
            id: What you call it: then only a reward with that id settles it. To expect it under the same id again changes
                nothing.

        Raises:
            ValueError: The decision is another policy's, or another one waits under that id.
            KeyError: The arm is not there.
        """
        own_decision(decision, self, self.experts)
        with self._lock:
            x = self._numbers(decision.context)
            self.admit(decision.arm, 0.0, x)
            key = waiting_round(decision, x, None if id is None else checked_id(id))
            check_same(self._waiting, key)
            if id is None or key not in self._waiting:
                self._wait(decision, x, 1, id)

    def cancel(self, decision: Decision | Id) -> None:
        """Wait no longer for the reward of an expected decision: it will not come.

        Args:
            decision: One that was expected without an id, or the id of one.

        Raises:
            ValueError: No such decision waits.
            KeyError: The arm is not there.
        """
        id = None
        if not isinstance(decision, Decision):
            id, decision = checked_id(decision), self._called(decision)
        own_decision(decision, self, self.experts)
        with self._lock:
            x = self._numbers(decision.context)
            self.admit(decision.arm, 0.0, x)
            if (decision.experts or self.shared) and waiting_round(decision, x, id) not in self._waiting:
                raise ValueError(f"{self.name} does not wait for a reward of {decision.arm!r}")
            self._wait(decision, x, -1, id)

    def _called(self, id: Id) -> Decision:
        """The decision that waits under an id."""
        key = self._waiting.of(id)
        if key is None:
            raise ValueError(f"{self.name} does not wait for a reward of a decision called {id!r}")
        return Decision(key[0], None, key[2], key[1], self.identity, explored=not key[1])

    def _wait(self, decision: Decision, x: Floats | None, times: int, id: Id | None) -> None:
        """Count a decision that waits for its reward, or no longer."""
        steps = self._waits(decision, self._told(decision, x), times)
        self._counted(steps, waiting_round(decision, x, id), times if steps else 0)

    def _waits(self, decision: Decision, told: Sequence[Told], times: int) -> list[Step]:
        """The steps by which those who hear of a decision wait for its reward, or no longer."""
        say = "expect" if times > 0 else "cancel"
        steps: list[Step] = [(e, partial(getattr(e, say), _with(e, inner, given))) for e, inner, given in told]
        if decision.experts:
            steps.append((self.chooser, partial(getattr(self.chooser, say), Decision(decision.experts[0]))))
        return steps

    def _counted(self, steps: Sequence[Step], key: WaitingRound, times: int) -> None:
        """Carry out steps, and count the decision that waits with them: whatever interrupts, the count goes with the steps."""
        if times == 0:
            carry_out(steps)
            return
        count, before = self._waiting[key], self.progress()
        try:
            carry_out(steps)
            self._waiting.set(key, count + times)
        except BaseException:
            self._waiting.set(key, count + (times if self.progress() != before else 0))
            raise

    def _told(self, decision: Decision, x: Floats | None) -> list[Told]:
        """The experts that hear of a round, what each is told, and its context; other people's first, since they may refuse."""
        told: list[Told] = []
        followed = decision.experts[0] if decision.experts else None
        for name, expert in self.experts.items():
            given = x if expert.dimension else None
            if name == followed:
                identity = getattr(expert, "identity", "")
                told.append((expert, decision._replace(context=None, experts=decision.experts[1:], policy=identity), given))
            elif self.shared:
                told.append((expert, Decision(decision.arm, at=decision.at), given))
        return sorted(told, key=lambda part: isinstance(part[0], Bandit | Meta))

    def admit(self, arm: Label, reward: float, x: Floats | None) -> None:
        """Raise what ``learn`` would raise, before anything has changed.

        Args:
            arm: What was played.
            reward: What it earned.
            x: The context, as an array.

        Raises:
            ValueError: An expert does not take such a reward or context.
            KeyError: The arm is not there.
        """
        for expert in self.experts.values():
            if isinstance(expert, Bandit | Meta):
                expert.admit(arm, reward, x if expert.dimension else None)

    def explain(self, context: Context | None = None, *, at: Stamp = None) -> Explanation:
        """The scores of the experts, then those within each expert, whose name is the first part of the label.

        Args:
            context: In which context, for experts with contexts.
            at: As of when, where a policy within forgets; now if left out.

        Returns:
            The scores; prints as a table.

        Raises:
            ValueError: The context is not one of these experts'.
        """
        x = self._numbers(context)
        own = {name: expert for name, expert in self.experts.items() if isinstance(expert, Bandit | Meta)}
        stamp = self._stamp(at)
        inner = {name: expert.explain(x if expert.dimension else None, at=stamp) for name, expert in own.items()}
        return explained_experts(self.name, self.chooser.explain(at=stamp), inner)

    def trust(self) -> "Trust":
        """What the first expert with groups says of them, the first with history of that, and how often each was followed.

        Returns:
            What was found; prints as sentences.
        """
        found = self.findings()
        self._notices().tell(found.noticed())
        if found.history is not None:
            found.history.warn(2)
        return found

    def findings(self) -> "Trust":
        """As ``trust``, without a warning.

        Returns:
            What was found.
        """
        from ..trust.findings import findings_of_experts

        return findings_of_experts(self)

    def parts(self) -> dict[str, Learnt]:
        """What each expert has learnt, and each expert of these.

        Returns:
            The state of each, by its path; somebody else's policy has none here.
        """
        found: dict[str, Learnt] = {}
        for name, expert in self.experts.items():
            if isinstance(expert, Bandit | Meta):
                found |= {f"{name}/{inner}" if inner else name: learnt for inner, learnt in expert.parts().items()}
        return found

    def settings(self) -> dict[str, float]:
        """The share of rounds in which each expert was followed, and what each has estimated.

        Returns:
            Numbers by name: ``followed_NAME``, and ``NAME_noise`` and others.
        """
        rounds = max(self.rounds, 1)
        found = {f"followed_{score.label}": score.plays / rounds for score in self.chooser.explain()}
        for name, expert in self.experts.items():
            if isinstance(expert, Bandit | Meta):
                found |= {f"{name}_{inner}": value for inner, value in expert.settings().items()}
        return found

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(self.experts)}; {len(self.arms)} arms, {self.rounds} rounds)"


def _with(expert: Policy, decision: Decision, x: Floats | None) -> Decision:
    """A decision with its context: for an own expert as the array that it was made, for someone else's as plain numbers."""
    context: Any = x if x is None or isinstance(expert, Bandit | Meta) else tuple(x.tolist())
    return decision._replace(context=context)


def _teach(expert: Any, decision: Decision, reward: float, x: Floats | None) -> None:
    """An expert learns a round: its own, or one that others decided."""
    if decision.policy and not isinstance(expert, Bandit):
        expert.update(_with(expert, decision, x), reward)
    else:
        expert.learn(decision.arm, reward, x, **({} if decision.at is None else {"at": decision.at}))
