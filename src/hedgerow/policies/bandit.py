"""Bandit = rule + tree + statistics."""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..core import state_file
from ..core.arms import Arms, Clusters, name_of, new_path, regrouped
from ..core.draws import KEYS, NO_KEY, new_key
from ..core.locking import whole
from ..core.sums import AWAITED, PLAYS, waiting
from ..core.tree import CLOCKS
from ..core.types import Context, Decision, Decisions, Floats, Label, tuples
from ..data.encoding import Encoding, all_encoded, encoded
from ..data.history import History, check_alike, common_encoding
from ..data.rounds import as_numbers
from ..trust import Trust
from . import checks
from .arrays import LARGEST_IN, Layout, Nodes, historical, possible, restored, with_tournaments
from .expecting import Expecting, Round
from .explanation import Explanation, Score
from .rules import D3RB, RULES, Rule
from .waiting import Waiting
from .walks import walk_of

BATCH = 1 << 22
"""Scores that ``select_many`` holds in memory at a time."""


class Bandit(Expecting):
    """A policy: arms in a tree, sums in its nodes, and a rule that scores a node.

    Arguments
        arms: distinct labels.
        rule: how a node is scored, ``rules.ucb(scale)``, ``rules.linucb(alpha)`` or another of ``rules.RULES``.
        clusters: one label per arm, or a mapping arm -> label; tuples nest deeper. None: a flat policy.
        history: what was played before.
        dimension: length of the context vectors, for rules that need them; taken from the history if left out.
        cluster_history: whether clusters start with the history of their arms too (HUCBC' says no).
        clock: whose rounds t counts, the "policy"'s (the paper's) or those of the "parent" node (UCT's).
        precision: of theta and the inverse matrices, "double" or "single"; single halves the memory that choosing reads, at a
            relative error of about 1e-6 in the scores, and takes rewards and contexts below 1e15. The sums themselves are always
            double.
    """

    def __init__(
        self,
        arms: Iterable[Label],
        rule: Rule,
        *,
        clusters: Clusters | None = None,
        history: History | None = None,
        dimension: int | None = None,
        cluster_history: bool = True,
        clock: str = "policy",
        precision: str = "double",
        name: str | None = None,
    ):
        name = name or rule.name
        length = checks.dimension_for(rule, dimension, history, name)
        planted = Arms(arms, clusters)
        layout = Layout(length, precision, bool(cluster_history), rule.tournament)
        checks.options(rule, clock, layout, clustered=planted.clustered, name=name)
        self._fix(name, rule, clock, layout)
        made = (name, rule, planted.labels, planted.paths, clock, self._layout)
        self.identity = f"{name}-{hashlib.blake2b(repr(made).encode(), digest_size=6).hexdigest()}"
        self._waiting: Waiting[Round] = Waiting()
        online = np.zeros((len(planted.tree), self._walk.row_size(length)))
        past = checks.history_rows(history, planted.labels, length)
        checks.usable_history(rule, past, layout)
        self._nodes = self._planted(planted, online, past)
        self.encoding = _encoding_of(history, length)

    def _fix(self, name: str, rule: Rule, clock: str, layout: Layout) -> None:
        """What never changes, also as the kernels take it."""
        self.name, self.rule, self._clock, self._layout = name, rule, clock, layout
        self._dimension = layout.dimension
        self._walk = walk_of(rule)
        self._kernel = (rule.number, CLOCKS[clock])
        self._draws = rule.draws
        self._largest = LARGEST_IN[layout.precision]
        self._checked_reward = checks.unit_reward if rule.unit else checks.checked_reward
        if layout.precision == "single":
            self._checked_reward = partial(checks.checked_reward, largest=self._largest)
        # the context of the last choice, as the decision has it and as an array
        self._seen: tuple[object, Floats] = None if layout.dimension is None else object(), np.zeros(0)

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles: all but the walk, which is a module."""
        return {**super().__getstate__(), "_walk": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._walk = walk_of(self.rule)

    def _planted(self, arms: Arms, online: Floats, past_rows: Floats, before: Floats | None = None) -> Nodes:
        """Nodes from the online rows of all nodes, the historical rows of the arms, and the decisions that wait."""
        past = historical(arms, past_rows, self._layout)
        pending = np.zeros((0, self._walk.pending_size(self._dimension)))
        derived, ledger = self._walk.derive(arms.tree, online, past, pending, self.rule, self._layout, before)
        nodes = with_tournaments(arms, online, past, pending, derived, ledger, self._layout)
        if self._waiting:
            nodes = nodes._replace(pending=np.zeros((len(online), pending.shape[1])))
            for leaf, context in self._still_waiting(nodes):
                self._walk.expect(nodes, leaf, context)
        return nodes

    @property
    def arms(self) -> tuple[Label, ...]:
        return tuple(self._nodes.arms.labels)

    @property
    def clusters(self) -> tuple[Label, ...] | None:
        """One label per arm, or None for a flat policy; assign others at any time: what was learnt of the arms stays.

        >>> import hedgerow as hr
        >>> policy = hr.Auto(["a", "b", "c"], clusters=["x", "x", "y"])
        >>> policy.clusters = {"a": "x", "b": "y", "c": "y"}
        >>> policy.clusters
        ('x', 'y', 'y')
        """
        return self._nodes.arms.clusters

    @clusters.setter
    @whole
    def clusters(self, clusters: Clusters) -> None:
        arms = regrouped(self, clusters)
        self._replant(arms, [*range(len(arms.labels))], withdrawn=True)

    @property
    def clustered(self) -> bool:
        return self._nodes.arms.clustered

    @property
    def dimension(self) -> int | None:
        return self._dimension

    @property
    def rounds(self) -> int:
        """Online rounds learnt from."""
        return int(self._nodes.online[0, PLAYS])

    @property
    def history(self) -> History:
        """What the policy started from; assign another, or a weighted one, at any time."""
        return History(self.arms, self._past_rows(), self.dimension, encoding=self.encoding)

    @history.setter
    @whole
    def history(self, history: History | None) -> None:
        rows, nodes = self._read(history), self._nodes
        ledger = nodes.ledger if np.array_equal(rows, self._past_rows()) else self._walk.rewarmed(nodes.ledger)
        self._nodes = self._planted(nodes.arms, nodes.online, rows, ledger)
        if history is not None and history.arms:
            self.encoding = _encoding_of(history, self.dimension) or (self.encoding if self._in_use else None)

    def check_history(self, history: History | None) -> None:
        """Raise what assigning this history would raise."""
        self._read(history)

    def _read(self, history: History | None) -> Floats:
        """The rows of a history that the policy could have."""
        rows = checks.history_rows(history, self._nodes.arms.labels, self.dimension)
        checks.usable_history(self.rule, rows, self._layout)
        if self._in_use and history is not None and history.arms and self.dimension is not None:
            check_alike(
                self.encoding, history.encoding, f"{self.name} has learnt from contexts that the history reads differently"
            )
        return rows

    @property
    def _in_use(self) -> bool:
        """Whether contexts of rounds have been seen."""
        return bool(self.rounds or self._waiting)

    def _past_rows(self) -> Floats:
        rows: Floats = self._nodes.past[self._nodes.arms.leaves]
        return rows

    def select(self, context: Context | None = None, *, rng: np.random.Generator | None = None) -> Decision:
        """Choose an arm. The policy does not change; ``rng`` breaks ties at random, else the first wins.

        HierUCB and D3RB go by an order of their own, whatever ``rng`` is.

        >>> import hedgerow as hr
        >>> hr.UCB(["a", "b"]).select().arm
        'a'
        """
        x = checks.as_context(None, self._dimension, self.name) if context is None else self._numbers(context)
        nodes = self._nodes
        rule, clock = self._kernel
        leaf = self._walk.choose(rule, clock, nodes, x, NO_KEY if rng is None and not self._draws else self._key(rng))
        if leaf < 0:
            raise checks.bad_context(x, self._largest)
        seen = None
        if self._dimension is not None:
            seen = tuple(x.tolist())
            self._seen = seen, x
        # as Decision(...) does it, without a Python function in between
        return tuple.__new__(Decision, (*nodes.arms.named(leaf), seen, (), self.identity))

    def _numbers(self, context: Any) -> Floats:
        """A context, or a mapping of raw values, as an array of its own; its numbers are not looked at."""
        if type(context) is not np.ndarray and type(context) is not tuple:
            context = encoded(context, self)
        return checks.as_context(context, self._dimension, self.name)

    def _key(self, rng: np.random.Generator | None) -> int:
        """Draws come from the caller's generator; without one, a rule that needs them takes the count of rounds."""
        if rng is not None:
            return new_key(checks.generator(rng))
        return self.rounds + self._waiting.total() if self.rule.draws else NO_KEY

    def select_many(self, contexts: ArrayLike, *, rng: np.random.Generator | None = None) -> Decisions:
        """One decision per row of contexts, as ``select`` would make them one by one, by one matrix product.

        >>> import hedgerow as hr
        >>> hr.LinUCB(["a", "b"], dimension=2).select_many([[1.0, 0.0], [0.0, 1.0]]).arms
        ['a', 'a']
        """
        if self.dimension is None:
            raise ValueError(f"{self.name} takes no contexts, so all its decisions are alike: call select()")
        wanted = f"contexts must be rows of {self.dimension} numbers"
        x = np.array(as_numbers(all_encoded(contexts, self), wanted), order="C")
        x = x.reshape(0, self.dimension) if x.size == 0 else x
        if x.ndim != 2 or x.shape[1] != self.dimension:
            raise ValueError(f"{wanted}, got shape {x.shape}")
        fine = (np.abs(x) < self._largest).all(axis=1)
        if not fine.all():
            raise checks.bad_context(x[np.flatnonzero(~fine)[0]], self._largest)
        nodes = self._nodes
        chosen = np.zeros(len(x), dtype=np.int64)
        keys = np.full(len(x), self._key(None)) if rng is None else checks.generator(rng).integers(KEYS, size=len(x))
        step = max(1, BATCH // len(nodes.online))
        for start in range(0, len(x), step):
            part = slice(start, start + step)
            self._walk.choose_many(*self._kernel, nodes, x[part], keys[part], chosen[part])
        named = {leaf: (*nodes.arms.named(leaf), ()) for leaf in np.unique(chosen).tolist()}
        return Decisions(chosen, named, x, self.identity)

    def update(self, decision: Decision, reward: float) -> None:
        """Learn the reward of a decision: now, later, out of order, or in another process.

        >>> import hedgerow as hr
        >>> policy = hr.UCB(["a", "b"])
        >>> policy.update(policy.select(), 1.0)
        >>> policy.select().arm
        'b'
        """
        checks.own_decision(decision, self)
        self.learn(decision.arm, reward, decision.context)

    def check(self, arm: Label, reward: float, context: Context | None = None) -> None:
        """Raise what ``learn`` would raise."""
        self._nodes.arms.leaf(arm)
        self._checked_reward(reward)
        checks.usable_context(self._numbers(context), self._largest)

    def learn(self, arm: Label, reward: float, context: Context | None = None) -> None:
        """Learn from a round that someone else decided."""
        with self._lock:  # not @whole: a function less in every round
            nodes = self._nodes
            leaf, value = nodes.arms.leaf(arm), self._checked_reward(reward)
            seen, x = self._seen
            if context is not seen:
                x = self._numbers(context)
            if self._waiting:
                self._settle_round(arm, value, x)
            elif not self._walk.learn(self._kernel[0], nodes, leaf, value, x):
                raise checks.bad_context(x, self._largest)

    def explain(self, context: Context | None = None) -> Explanation:
        """Mean, width, index, online and historical plays of every cluster, then of every arm."""
        x = checks.usable_context(self._numbers(context), self._largest)
        nodes = self._nodes
        means, indices = self._walk.estimates(*self._kernel, nodes, x)
        shown_nodes = [("cluster", name_of(path), node) for node, path in nodes.arms.inner.items()]
        shown_nodes += [("arm", arm, int(leaf)) for arm, leaf in zip(nodes.arms.labels, nodes.arms.leaves, strict=True)]
        scores = [self._score(kind, label, node, float(means[node]), float(indices[node])) for kind, label, node in shown_nodes]
        return Explanation(scores, self._walk.settings(nodes))

    def _score(self, kind: str, label: Label, node: int, mean: float, index: float) -> Score:
        plays, history = self._nodes.online[node, PLAYS], self._nodes.past[node, PLAYS]
        width = math.inf if math.isinf(index) else index - mean
        if self.rule.number == D3RB:  # its index is a price, whatever the mean
            width = math.nan
        return Score(kind, label, mean, width, index, int(plays), float(history), int(waiting(self._nodes.pending, node)))

    def trust(self) -> Trust:
        """How much the groups and the history are worth right now, in numbers and words; warns if history and rounds differ.

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
        found = self._found()
        if found.history is not None:
            found.history.warn(2)
        return found

    def _found(self) -> Trust:
        from ..trust.findings import findings

        estimated, weighted = self._walk.settings(self._nodes), self.rule.walk == "linear"
        return findings(self.name, self._nodes, self._dimension, estimated, weighted=weighted)

    @whole
    def add_arm(self, arm: Label, cluster: Label | None = None) -> None:
        """Offer one more arm from now on; a clustered policy needs its cluster, which may be new."""
        arms = self._nodes.arms
        path = new_path(arm, cluster, arms=arms.labels, clusters=arms.clusters)
        paths = None if arms.paths is None else (*arms.paths, path)
        self._replant(Arms((*arms.labels, arm), paths), [*range(len(arms.labels)), -1], withdrawn=False)

    @whole
    def remove_arm(self, arm: Label) -> None:
        """Withdraw an arm with its rewards, as if it had never been there.

        What they said of the noise of all arms may stay.
        """
        arms = self._nodes.arms
        gone = arms.position(arm)
        if len(arms.labels) == 1:
            raise ValueError(f"{arm!r} is the only arm and must stay")
        kept = [position for position in range(len(arms.labels)) if position != gone]
        paths = None if arms.paths is None else [arms.paths[position] for position in kept]
        self._waiting = self._waiting.without(arm)
        self._replant(Arms([arms.labels[position] for position in kept], paths), kept, withdrawn=True)

    def _replant(self, arms: Arms, positions: list[int], *, withdrawn: bool) -> None:
        """Carry the arms' rows over to a new tree; position -1 is a row of zeros. ``withdrawn``: old arms or labels are gone."""
        rows = (self._nodes.online[self._nodes.arms.leaves], self._past_rows())
        online, past = (np.vstack([part, np.zeros((1, part.shape[1]))])[positions] for part in rows)
        ledger = self._walk.relabelled(self._nodes.ledger, withdrawn)
        self._nodes = self._planted(arms, arms.totals(online), past, ledger)

    @whole
    def merge(self, other: "Bandit", *, since: "Bandit | None" = None) -> None:
        """Add what another worker learnt online.

        ``since``: the policy that both workers started from, if it had learnt something already; that part is
        in both and is not counted again.
        """
        learnt, arms = self._learnt_by(other, since), self._nodes.arms
        ledgers = self._nodes.ledger, other._nodes.ledger, since._nodes.ledger if since else None
        learnt, ledger = self._walk.join(learnt, *ledgers)
        online = self._nodes.online_rows(arms.labels) + learnt
        self._waiting = Waiting(self._waiting + other._waiting - (since._waiting if since else Counter()))
        self._nodes = self._planted(arms, arms.totals(online), self._past_rows(), ledger)

    def check_merge(self, other: Any, *, since: Any = None) -> None:
        """Raise what ``merge`` would raise."""
        self._learnt_by(other, since)

    def _learnt_by(self, other: "Bandit", since: "Bandit | None") -> Floats:
        checks.same_policy(self, other)
        common_encoding((self.encoding, other.encoding), "only workers that read contexts alike can be merged")
        labels = self._nodes.arms.labels
        learnt = other._nodes.online_rows(labels)
        if since is not None:
            checks.same_policy(self, since, since=True)
            before = since._nodes.online_rows(labels)
            if not possible(learnt, before, self.dimension):
                raise ValueError("since must be the policy that the other worker started from: it has learnt something else")
            learnt = learnt - before
        return learnt

    @whole
    def save(self, path: str | Path) -> None:
        """Write the whole state to a file that ``hedgerow.load`` reads."""
        state_file.save(path, *self._state())

    def _state(self) -> tuple[state_file.Manifest, state_file.Arrays]:
        nodes = self._nodes
        settings = {"name": self.name, "identity": self.identity, "clock": self._clock, "waiting": self._waiting.listed()}
        encoding = None if self.encoding is None else self.encoding.to_json()
        rule = {"rule": [self.rule.name, *self.rule.parameters], "layout": list(self._layout[:3]), "encoding": encoding}
        if self.rule.name not in RULES:
            raise ValueError(f"rule {self.rule.name!r} is not in hedgerow.rules.RULES, so it could not be loaded again")
        return {"kind": "bandit", **settings, **rule, **nodes.arms.manifest()}, nodes.arrays()

    @classmethod
    def _restore(cls, file: state_file.StateFile) -> "Bandit":
        made = file.manifest
        name, *parameters = made["rule"]
        rule = RULES[name](*parameters)
        dimension, precision, cluster_history = made["layout"]
        length = checks.dimension_for(rule, dimension, None, str(made["name"]))
        self = cls.__new__(cls)
        self._fix(str(made["name"]), rule, made["clock"], Layout(length, precision, bool(cluster_history), rule.tournament))
        self.identity = str(made["identity"])
        self.encoding = None if made["encoding"] is None else Encoding.from_json(made["encoding"])
        self._waiting = Waiting.restored(made["waiting"])
        arms = Arms(tuples(made["arms"]), tuples(made["paths"]))
        shapes = self._walk.shapes(rule, len(arms.tree), length)
        pending = len(arms.tree) if self._waiting else 0, self._walk.pending_size(length)
        self._nodes = restored(arms, file, self._layout, self._walk.row_size(length), shapes, pending)
        if not self._walk.sound(arms.tree, self._nodes.ledger, length):
            raise ValueError("its ledger is that of another policy")
        for arm, context in self._waiting:
            arms.leaf(arm)
            checks.checked_context(context, length, self.name, self._largest)
        if self._waiting and self._nodes.pending[0, AWAITED] != self._waiting.total():
            raise ValueError("it does not wait for as many decisions as it counts")
        return self

    def __repr__(self) -> str:
        arms = self._nodes.arms
        clusters = "" if arms.paths is None else f" in {len(set(arms.paths))} clusters"
        return f"{self.name}({len(arms.labels)} arms{clusters}, {self.rounds} rounds)"


def _encoding_of(history: History | None, dimension: int | None) -> Encoding | None:
    """How a policy with contexts reads raw values: as its history did."""
    return None if history is None or dimension is None else history.encoding
