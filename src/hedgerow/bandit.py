"""Bandit = rule + tree + statistics."""

import hashlib
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import checks, state
from .arms import Arms, Clusters, name_of, new_path, shown
from .explanation import Explanation, Score
from .history import History
from .nodes import PRECISIONS, Layout, Nodes, plant, with_tournaments
from .rules import RULES, Rule, score
from .statistics import (
    LARGEST,
    PULLS,
    THETA,
    all_packed_products,
    derived_size,
    packed_products,
    reward_estimate,
    ridge_estimate,
    row_size,
)
from .tree import PARENT, PARENT_CLOCK, POLICY_CLOCK, credit_rewards, credit_ridge, descend_many, descend_rewards, descend_ridge
from .types import Decision, Floats, Integers, Label, tuples

CLOCKS = {"policy": POLICY_CLOCK, "parent": PARENT_CLOCK}
BATCH = 1 << 22
"""Scores that ``select_many`` holds in memory at a time."""

_NO_DRAWS = np.zeros(0)


class Bandit:
    """A policy: arms in a tree, sums in its nodes, and a rule that scores a node.

    Arguments
        arms: distinct labels.
        rule: how a node is scored, ``rules.ucb(scale)`` or ``rules.linucb(alpha)``.
        clusters: one label per arm, or a mapping arm -> label; tuples nest deeper. None: a flat policy.
        history: what was played before.
        dimension: length of the context vectors, for rules that need them; taken from the history if left out.
        cluster_history: whether clusters start with the history of their arms too (HUCBC' says no).
        clock: whose rounds t counts, the "policy"'s (the paper's) or those of the "parent" node (UCT's).
        precision: of theta and the inverse matrices, "double" or "single"; single halves the memory that choosing reads, at a
            relative error of about 1e-6 in the scores. The sums themselves are always double.
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
        if precision not in PRECISIONS:
            raise ValueError(f"precision must be one of {shown(PRECISIONS)}, got {precision!r}")
        name = name or rule.name
        length = checks.dimension_for(rule, dimension, history, name)
        planted = Arms(arms, clusters)
        self._settle(name, rule, clock, Layout(length, precision, bool(cluster_history), rule.tournament))
        made = (name, rule, planted.labels, planted.paths, clock, self._layout)
        self.identity = f"{name}-{hashlib.blake2b(repr(made).encode(), digest_size=6).hexdigest()}"
        online = np.zeros((len(planted.tree), row_size(length)))
        self._nodes = plant(planted, online, checks.history_rows(history, planted.labels, length), self._layout)

    def _settle(self, name: str, rule: Rule, clock: str, layout: Layout) -> None:
        """What never changes, also as the kernels take it."""
        if clock not in CLOCKS:
            raise ValueError(f"clock must be one of {shown(CLOCKS)}, got {clock!r}")
        self.name, self.rule, self._clock, self._layout = name, rule, clock, layout
        self._dimension = layout.dimension
        self._kernel = (rule.number, np.array(rule.parameters), CLOCKS[clock])

    @property
    def arms(self) -> tuple[Label, ...]:
        return tuple(self._nodes.arms.labels)

    @property
    def clusters(self) -> tuple[Label, ...] | None:
        """One label per arm, or None for a flat policy."""
        return self._nodes.arms.clusters

    @property
    def clustered(self) -> bool:
        return self._nodes.arms.clustered

    @property
    def dimension(self) -> int | None:
        return self._dimension

    @property
    def rounds(self) -> int:
        """Online rounds learnt from."""
        return int(self._nodes.online[0, PULLS])

    @property
    def history(self) -> History:
        """What the policy started from; assign another, or a weighted one, at any time."""
        return History(self.arms, self._past_rows(), self.dimension)

    @history.setter
    def history(self, history: History | None) -> None:
        nodes = self._nodes
        rows = checks.history_rows(history, nodes.arms.labels, self.dimension)
        self._nodes = plant(nodes.arms, nodes.online, rows, self._layout)

    def _past_rows(self) -> Floats:
        rows: Floats = self._nodes.past[self._nodes.arms.leaves]
        return rows

    def select(self, context: ArrayLike | None = None, *, rng: np.random.Generator | None = None) -> Decision:
        """Choose an arm. The policy does not change; ``rng`` breaks ties at random, else the first wins.

        >>> import hedgerow as hr
        >>> hr.UCB(["a", "b"]).select().arm
        'a'
        """
        x = checks.as_context(context, self._dimension, self.name)
        arms, online, past, derived, places, seats, _, heap = self._nodes
        draws = _NO_DRAWS if rng is None else rng.random(arms.depth)
        if self._dimension is None:
            leaf = descend_rewards(*self._kernel, arms.tree, online, past, places, seats, heap, draws)
            return Decision(*arms.named(leaf), None, (), self.identity)
        leaf = descend_ridge(*self._kernel, arms.tree, online, past, derived, x, draws)
        if leaf < 0:
            raise checks.bad_context(x)
        return Decision(*arms.named(leaf), tuple(x.tolist()), (), self.identity)

    def select_many(self, contexts: ArrayLike, *, rng: np.random.Generator | None = None) -> list[Decision]:
        """One decision per row of contexts, as ``select`` would make them one by one, by one matrix product."""
        if self.dimension is None:
            raise ValueError(f"{self.name} takes no contexts, so all its decisions are alike: call select()")
        x = np.ascontiguousarray(contexts, dtype=np.float64)
        if x.ndim != 2 or x.shape[1] != self.dimension:
            raise ValueError(f"contexts must be rows of {self.dimension} numbers, got shape {x.shape}")
        fine = (np.abs(x) < LARGEST).all(axis=1)
        if not fine.all():
            raise checks.bad_context(x[np.flatnonzero(~fine)[0]])
        nodes = self._nodes
        chosen = np.zeros(len(x), dtype=np.int64)
        step = max(1, BATCH // len(nodes.online))
        for start in range(0, len(x), step):
            self._choose_many(nodes, x[start : start + step], rng, chosen[start : start + step])
        named = map(nodes.arms.named, chosen.tolist())
        return [Decision(*pair, tuple(row), (), self.identity) for pair, row in zip(named, x.tolist(), strict=True)]

    def _choose_many(self, nodes: Nodes, x: Floats, rng: np.random.Generator | None, chosen: Integers) -> None:
        d = x.shape[1]
        products = all_packed_products(x)
        means = x @ nodes.derived[:, THETA : THETA + d].T
        spreads = np.maximum(products @ nodes.derived[:, THETA + d :].T, 0.0)
        draws = np.zeros((0, 0)) if rng is None else rng.random((len(x), nodes.arms.depth))
        descend_many(*self._kernel, nodes.arms.tree, nodes.online, nodes.past, means, spreads, draws, chosen)

    def update(self, decision: Decision, reward: float) -> None:
        """Learn the reward of a decision: now, later, out of order, or in another process.

        >>> import hedgerow as hr
        >>> policy = hr.UCB(["a", "b"])
        >>> policy.update(policy.select(), 1.0)
        >>> policy.select().arm
        'b'
        """
        checks.own_decision(decision, self)
        if decision.experts:
            raise ValueError(f"{self.name} has no experts, the decision names {decision.experts!r}")
        self.learn(decision.arm, reward, decision.context)

    def check(self, arm: Label, reward: float, context: Sequence[float] | None = None) -> None:
        """Raise what ``learn`` would raise."""
        self._nodes.arms.leaf(arm)
        checks.checked_reward(reward)
        checks.checked_context(context, self._dimension, self.name)

    def learn(self, arm: Label, reward: float, context: Sequence[float] | None = None) -> None:
        """Learn from a round that someone else decided."""
        arms, online, past, derived, places, _, seat_of, heap = self._nodes
        leaf, value = arms.leaf(arm), checks.checked_reward(reward)
        x = checks.as_context(context, self._dimension, self.name)
        if self._dimension is None:
            credit_rewards(arms.tree, online, places, seat_of, heap, leaf, value)
        elif not credit_ridge(arms.tree, online, past, derived, leaf, value, x):
            raise checks.bad_context(x)

    def explain(self, context: ArrayLike | None = None) -> Explanation:
        """Mean, width, index, online and historical plays of every cluster, then of every arm."""
        x = checks.checked_context(context, self._dimension, self.name)
        nodes = self._nodes
        means, spreads = np.empty(len(nodes.online)), np.empty(len(nodes.online))
        if self.dimension:
            ridge_estimate(nodes.derived, x, packed_products(x), 0, means, spreads)
        else:
            reward_estimate(nodes.online, nodes.past, 0, means, spreads)
        shown_nodes = [("cluster", name_of(path), node) for node, path in nodes.arms.inner.items()]
        shown_nodes += [("arm", arm, int(leaf)) for arm, leaf in zip(nodes.arms.labels, nodes.arms.leaves, strict=True)]
        return Explanation(self._score(kind, label, node, means[node], spreads[node]) for kind, label, node in shown_nodes)

    def _score(self, kind: str, label: Label, node: int, mean: float, spread: float) -> Score:
        number, parameters, clock = self._kernel
        above = self._nodes.arms.tree[node, PARENT] if clock == PARENT_CLOCK else 0
        pulls, history = self._nodes.online[node, PULLS], self._nodes.past[node, PULLS]
        index = score(number, mean, spread, pulls, history, 1.0 + self._nodes.online[above, PULLS], parameters)
        width = math.inf if math.isinf(index) else index - mean
        return Score(kind, label, float(mean), float(width), float(index), int(pulls), float(history))

    def add_arm(self, arm: Label, *, cluster: Label | None = None) -> None:
        """Offer one more arm from now on; a clustered policy needs its cluster, which may be new."""
        arms = self._nodes.arms
        path = new_path(arm, cluster, arms=arms.labels, clusters=arms.clusters)
        paths = None if arms.paths is None else (*arms.paths, path)
        self._replant(Arms((*arms.labels, arm), paths), [*range(len(arms.labels)), -1])

    def remove_arm(self, arm: Label) -> None:
        """Withdraw an arm with all that was learnt of it, as if it had never been there."""
        arms = self._nodes.arms
        gone = arms.position(arm)
        if len(arms.labels) == 1:
            raise ValueError(f"{arm!r} is the only arm and must stay")
        kept = [position for position in range(len(arms.labels)) if position != gone]
        paths = None if arms.paths is None else [arms.paths[position] for position in kept]
        self._replant(Arms([arms.labels[position] for position in kept], paths), kept)

    def _replant(self, arms: Arms, positions: list[int]) -> None:
        """Carry the arms' rows over to a new tree; position -1 is a row of zeros."""
        blank = np.zeros((1, self._nodes.online.shape[1]))
        online = np.vstack([self._nodes.online[self._nodes.arms.leaves], blank])[positions]
        past = np.vstack([self._past_rows(), blank])[positions]
        self._nodes = plant(arms, arms.totals(online), past, self._layout)

    def merge(self, other: "Bandit", *, since: "Bandit | None" = None) -> None:
        """Add what another worker learnt online.

        ``since``: the policy that both workers started from, if it had learnt something already; that part is
        in both and is not counted again.
        """
        arms = self._nodes.arms
        online = self._nodes.online_rows(arms.labels) + self._learnt_by(other, since)
        self._nodes = plant(arms, arms.totals(online), self._past_rows(), self._layout)

    def check_merge(self, other: Any, *, since: Any = None) -> None:
        """Raise what ``merge`` would raise."""
        self._learnt_by(other, since)

    def _learnt_by(self, other: "Bandit", since: "Bandit | None") -> Floats:
        checks.same_policy(self, other)
        labels = self._nodes.arms.labels
        learnt = other._nodes.online_rows(labels)
        if since is not None:
            checks.same_policy(self, since)
            learnt = learnt - since._nodes.online_rows(labels)
            if (learnt[:, PULLS] < 0.0).any():
                raise ValueError("since must be the policy that the other worker started from: it has learnt more")
        return learnt

    def save(self, path: str | Path) -> None:
        """Write the whole state to a file that ``hedgerow.load`` reads."""
        state.save(path, *self._state())

    def _state(self) -> tuple[state.Manifest, state.Arrays]:
        if self.rule.name not in RULES:
            raise ValueError(f"rule {self.rule.name!r} is not in hedgerow.rules.RULES, so it could not be loaded again")
        nodes = self._nodes
        manifest = {
            "kind": "bandit",
            "name": self.name,
            "identity": self.identity,
            "rule": [self.rule.name, *self.rule.parameters],
            "clock": self._clock,
            "layout": list(self._layout[:3]),
            "arms": list(nodes.arms.labels),
            "paths": None if nodes.arms.paths is None else list(nodes.arms.paths),
        }
        return manifest, {"online": nodes.online, "past": nodes.past, "derived": nodes.derived}

    @classmethod
    def _restore(cls, file: state.StateFile) -> "Bandit":
        made = file.manifest
        name, *parameters = made["rule"]
        rule = RULES[name](*parameters)
        dimension, precision, cluster_history = made["layout"]
        length = checks.dimension_for(rule, dimension, None, str(made["name"]))
        self = cls.__new__(cls)
        self._settle(str(made["name"]), rule, made["clock"], Layout(length, precision, bool(cluster_history), rule.tournament))
        self.identity = str(made["identity"])
        arms = Arms(tuples(made["arms"]), tuples(made["paths"]))
        count = len(arms.tree)
        online, past = (file.array(block, (count, row_size(length))) for block in ("online", "past"))
        derived = file.array("derived", (count, derived_size(length))).astype(PRECISIONS[precision])
        checks.sound_sums(arms, online, past, bool(cluster_history))
        self._nodes = with_tournaments(arms, online, past, derived, self._layout)
        return self

    def __repr__(self) -> str:
        arms = self._nodes.arms
        clusters = "" if arms.paths is None else f" in {len(set(arms.paths))} clusters"
        return f"{self.name}({len(arms.labels)} arms{clusters}, {self.rounds} rounds)"
