"""Bandit = rule + tree + sums: what it is made of, how it learns, and what it says of itself."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import validate
from ..core.arms import Arms, Clusters
from ..core.draws import NO_KEY, new_key
from ..core.types import ArmType, Context, Decision, Label
from ..data.history import History
from . import checks, learnt
from .bandit_batch import BanditBatch
from .explanation import Explanation, explained
from .exploration import checked_share
from .family import Course
from .forgetting.checks import epoch_of, forgetful
from .forgetting.half_life import HalfLifeLike, Stamp, half_life_of
from .forgetting.play import play
from .learnt import Learnt, Recipe
from .overview import Overview
from .registry import Rule
from .waiting import Id, checked_id

if TYPE_CHECKING:
    from ..trust import Trust


class Bandit(BanditBatch[ArmType], Overview):
    """A policy: arms in a tree, sums in its nodes, and a rule that scores a node.

    Args:
        arms: Distinct labels.
        rule: How a node is scored: ``hr.rules.ucb(scale)``, ``hr.rules.linucb(alpha)`` or another of ``hr.rules``.
        clusters: The cluster of each arm, in order, or a mapping arm -> cluster; tuples nest deeper. None: a flat policy.
        history: What was played before.
        dimension: Length of the contexts, for rules that need them; taken from ``context`` or the history if left out.
        context: How raw contexts are read: an ``Encoding``, or what ``Encoding.of`` takes, such as a frame of some contexts.
            Left out: as the history reads them.
        cluster_history: Whether clusters start with the history of their arms, too (HUCBC' says no).
        precision: Of theta and the inverse matrices, "double" or "single". Single halves the memory that choosing reads, at a
            relative error of about 1e-6 in the scores, and takes rewards and contexts below 1e15. Sums are always double.
        explore: Share of the decisions that is drawn uniformly among the arms, so that a log of them can be judged later.
        half_life: After how long a round counts half: a number of decisions, a timedelta, or "auto", which finds out by itself
            what is too old. None: rounds of any age count the same.
        name: What it is called; the rule's name if left out.

    Raises:
        ValueError: Something given makes no sense; the message says what.

    Examples:
        >>> import hedgerow as hr
        >>> policy = hr.Bandit(["a", "b", "c"], hr.rules.ucb(0.5), clusters=["x", "x", "y"])
        >>> policy.update(policy.select(), reward=1.0)
        >>> policy = hr.Bandit(["a", "b"], hr.rules.linucb(1.0), context={"age": "number", "device": ["mobile", "desktop"]})
        >>> policy.select({"age": 31, "device": "mobile"}).context
        (31.0, 0.0, 1.0)
    """

    def __init__(
        self,
        arms: Iterable[ArmType],
        rule: Rule,
        *,
        clusters: Clusters | None = None,
        history: History | None = None,
        dimension: int | None = None,
        context: Any = None,
        cluster_history: bool = True,
        precision: str = "double",
        explore: float = 0.0,
        half_life: HalfLifeLike = None,
        name: str | None = None,
    ):
        name = name or rule.name
        encoding = checks.encoding_for(context, history, name)
        length = checks.dimension_for(rule, dimension, history, name, None if context is None else encoding)
        planted = Arms(arms, clusters)
        checks.options(rule, precision=precision, cluster_history=cluster_history, clustered=planted.clustered, name=name)
        forgetful(rule, half_life, name)
        remembers = half_life_of(half_life, len(planted.labels), length)
        self._fix(Recipe(name, rule, length, precision, bool(cluster_history), checked_share(explore), remembers))
        self.identity: str = self._recipe.identity(planted)
        rows = checks.history_rows(history, planted.labels, length)
        checks.usable_history(rule, rows, precision, length)
        epoch = epoch_of(history, remembers, name)
        self._learnt = learnt.begin(self._recipe, planted, rows, None if length is None else encoding, epoch)

    def update(self, decision: Decision, reward: float, *, id: Id | None = None) -> None:
        """Learn the reward of a decision: now, later, out of order, or in another process.

        Args:
            decision: From ``select`` of this policy, or of one made alike.
            reward: A finite number.
            id: What the decision was called when it was expected. A reward with an id settles the decision of that id and no
                other; one without settles none that has an id.

        Raises:
            ValueError: The decision is another policy's, the reward is no number, or another decision has that id.
            KeyError: The arm is not there, or no longer.

        Examples:
            >>> import hedgerow as hr
            >>> policy = hr.UCB(["a", "b"])
            >>> policy.update(policy.select(), 1.0)
            >>> policy.select().arm
            'b'
        """
        if type(decision) is not Decision or decision.policy != self.identity or decision.experts != ():
            checks.own_decision(decision, self)
        self.learn(decision.arm, reward, decision.context, id, at=decision.at)

    def learn(self, arm: Label, reward: float, context: Context | None = None, id: Id | None = None, *, at: Stamp = None) -> None:
        """Learn from a round that someone else decided.

        Args:
            arm: What was played.
            reward: What it earned.
            context: In which context, for a policy with contexts.
            id: What the decision was called, if it was expected under an id.
            at: When it was decided, for a policy with a half-life; now if left out.

        Raises:
            ValueError: The reward or the context cannot be used.
            KeyError: The arm is not there.

        Examples:
            >>> import hedgerow as hr
            >>> policy = hr.UCB(["a", "b"])
            >>> policy.learn("b", 1.0)
            >>> policy.rounds
            1
        """
        if id is not None:
            checked_id(id)
        with self._lock:  # not @whole: a function less in every round
            if self._half_life is not None:
                known, begin, end, _ = self._span
                if type(at) is not float or known is not self._learnt or not begin <= at < end:
                    self._learn_at(arm, reward, context, id, at)
                    return
            arms, arrays, waiting, _, _, _ = self._learnt
            leaf, value = arms.leaf(arm), reward
            if type(reward) is not float or not self._least <= reward <= self._most:
                value = self._checked_reward(reward)
            seen, x = self._seen
            if context is not seen:
                x = self._numbers(context)
            if waiting:
                self._settle(leaf, value, validate.usable_context(x, self._largest), id)
            elif not self._family.learn(arrays, leaf, value, x):
                raise validate.bad_context(x, self._largest)

    def explain(self, context: Context | None = None, *, at: Stamp = None) -> Explanation:
        """Why the next choice would be what it is: the scores of every cluster, then of every arm.

        Args:
            context: In which context, for a policy with contexts.
            at: As of when, for a policy with a half-life; now if left out.

        Returns:
            Mean, width, index, plays, plays of the history and waiting decisions of each; prints as a table.

        Raises:
            ValueError: The context is not one of this policy's.

        Examples:
            >>> import hedgerow as hr
            >>> policy = hr.UCB(["a", "b"])
            >>> policy.learn("b", 1.0)
            >>> [(score.label, score.plays) for score in policy.explain()]
            [('a', 0), ('b', 1)]
        """
        x = validate.usable_context(self._numbers(context), self._largest)
        now, _ = self._now(at)
        return explained(now.arms, now.arrays, self._family.estimates(now.arrays, x))

    def trust(self) -> "Trust":
        """How much the groups and the history are worth right now, in numbers and words; warns if history and rounds differ.

        Returns:
            What was found; prints as sentences.

        Examples:
            >>> import hedgerow as hr
            >>> policy = hr.UCB(["a", "b"], scale="auto")
            >>> for reward in (0.0, 1.0, 0.5, 1.0):
            ...     policy.update(policy.select(), reward)
            >>> print(policy.trust())
            UCB after 4 rounds:
            It has no groups to judge.
            It has no history.
            Rewards of an arm vary by about 0.431 (one standard deviation); that is what it explores by.
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
        from ..trust.findings import findings

        return findings(self)

    def settings(self) -> dict[str, float]:
        """What the policy has estimated about itself.

        Returns:
            Numbers by name: an automatic scale, the noise and spreads of a hierarchical policy; empty for others.

        Examples:
            >>> import hedgerow as hr
            >>> policy = hr.UCB(["a", "b"], scale="auto")
            >>> policy.learn_many(["a", "b", "a", "b"], [0.0, 1.0, 1.0, 1.0])
            >>> list(policy.settings())
            ['scale']
        """
        now = self._learnt
        blank = np.zeros(self._dimension or 0)
        return self._family.estimates(now.arrays, blank).settings()

    def parts(self) -> dict[str, Learnt]:
        """What has been learnt, without a name.

        Returns:
            The state.
        """
        return {"": self._learnt}

    def snapshot(self) -> Learnt:
        """What the policy has learnt, as it stands: for those who read arrays, such as ``trust`` and ``simulate``.

        Returns:
            The arms, the arrays that rounds change in place, the rounds that wait, and the encoding.
        """
        return self._learnt

    def play(self, course: Course, rng: np.random.Generator) -> None:
        """Live through a whole trial in compiled code, and note the arms in it.

        Args:
            course: The trial.
            rng: Where draws come from, if the rule needs them.
        """
        key = new_key(rng) if self._draws else NO_KEY
        self._learnt = play(self._recipe, self._learnt, course, key)

    def __repr__(self) -> str:
        arms = self._learnt.arms
        clusters = "" if arms.paths is None else f" in {len(set(arms.paths))} clusters"
        return f"{self.name}({len(arms.labels)} arms{clusters}, {self.rounds} rounds)"
