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
from .rules import RULES, Rule, score
from .statistics import PULLS, THETA, derived_size, packed_products, refresh, reward_estimate, ridge_estimate, row_size
from .tournament import CROSSOVER, seated
from .tree import LARGEST, PARENT, PARENT_CLOCK, POLICY_CLOCK, credit, descend, descend_many
from .types import Decision, Floats, Label, tuples

CLOCKS = {"policy": POLICY_CLOCK, "parent": PARENT_CLOCK}
PRECISIONS = {"double": np.float64, "single": np.float32}
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
        if clock not in CLOCKS:
            raise ValueError(f"clock must be one of {shown(CLOCKS)}, got {clock!r}")
        if precision not in PRECISIONS:
            raise ValueError(f"precision must be one of {shown(PRECISIONS)}, got {precision!r}")
        self.name = name or rule.name
        self.rule = rule
        self._arms = Arms(arms, clusters)
        self._dimension = checks.dimension_for(rule, dimension, history, self.name)
        self._cluster_history = cluster_history
        self._clock = clock
        self._precision = precision
        self.identity = self._fingerprint()
        self._compile()
        labels = self._arms.labels
        self._start(np.zeros((len(labels), row_size(self.dimension))), checks.history_rows(history, labels, self.dimension))

    def _compile(self) -> None:
        """Rule and clock as the kernels take them."""
        self._number, self._parameters = self.rule.number, np.array(self.rule.parameters)
        self._clock_number = CLOCKS[self._clock]

    def _fingerprint(self) -> str:
        """The same for policies made alike, in any process, so that a decision of another kind can be told."""
        made = (
            self.name,
            self.rule,
            self._arms.labels,
            self._arms.paths,
            self.dimension,
            self._cluster_history,
            self._clock,
            self._precision,
        )
        return f"{self.name}-{hashlib.blake2b(repr(made).encode(), digest_size=6).hexdigest()}"

    def _start(self, online: Floats, past: Floats) -> None:
        """Fill the tree from the rows of the arms."""
        self._online = self._arms.totals(online)
        self._set_past(past)

    def _set_past(self, rows: Floats) -> None:
        self._past = self._arms.totals(rows)
        if not self._cluster_history:
            self._past[list(self._arms.inner)] = 0.0
        self._derived = np.zeros((len(self._online), derived_size(self.dimension)), dtype=PRECISIONS[self._precision])
        if self.dimension:
            for node in range(1, len(self._online)):
                refresh(self._online, self._past, self._derived, node, self.dimension)
        self._seat()

    def _seat(self) -> None:
        """Set up the tournaments of nodes with many children, for rules whose index moves with t alone."""
        crossover = CROSSOVER if self.rule.tournament else len(self._online)
        self._places, self._seats, self._seat_of, self._heap = seated(self._arms.tree, self._past, crossover)

    @property
    def arms(self) -> tuple[Label, ...]:
        return tuple(self._arms.labels)

    @property
    def clusters(self) -> tuple[Label, ...] | None:
        """One label per arm, or None for a flat policy."""
        return self._arms.clusters

    @property
    def clustered(self) -> bool:
        return self._arms.clustered

    @property
    def dimension(self) -> int | None:
        return self._dimension

    @property
    def rounds(self) -> int:
        """Online rounds learnt from."""
        return int(self._online[0, PULLS])

    @property
    def history(self) -> History:
        """What the policy started from; assign another, or a weighted one, at any time."""
        return History(self.arms, self._past[self._arms.leaves], self.dimension)

    @history.setter
    def history(self, history: History | None) -> None:
        self._set_past(checks.history_rows(history, self.arms, self.dimension))

    def select(self, context: ArrayLike | None = None, *, rng: np.random.Generator | None = None) -> Decision:
        """Choose an arm. The policy does not change; ``rng`` breaks ties at random, else the first wins.

        >>> import hedgerow as hr
        >>> hr.UCB(["a", "b"]).select().arm
        'a'
        """
        x = checks.as_context(context, self._dimension, self.name)
        leaf = descend(
            self._number,
            self._parameters,
            self._clock_number,
            self._arms.tree,
            self._online,
            self._past,
            self._derived,
            self._places,
            self._seats,
            self._heap,
            x,
            _NO_DRAWS if rng is None else rng.random(self._arms.depth),
        )
        if leaf < 0:
            raise checks.bad_context(x)
        return self._decision(leaf, tuple(x.tolist()) if self._dimension else None)

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
        chosen = np.zeros(len(x), dtype=np.int64)
        step = max(1, BATCH // len(self._online))
        for start in range(0, len(x), step):
            self._choose_many(x[start : start + step], rng, chosen[start : start + step])
        return [self._decision(leaf, tuple(row)) for leaf, row in zip(chosen.tolist(), x.tolist(), strict=True)]

    def _choose_many(self, x: Floats, rng: np.random.Generator | None, chosen: Any) -> None:
        d = x.shape[1]
        rows, columns = np.tril_indices(d)
        products = x[:, rows] * x[:, columns] * np.where(rows == columns, 1.0, 2.0)
        means = x @ self._derived[:, THETA : THETA + d].T
        spreads = np.maximum(products @ self._derived[:, THETA + d :].T, 0.0)
        uniforms = np.zeros((0, 0)) if rng is None else rng.random((len(x), self._arms.depth))
        descend_many(
            self._number,
            self._parameters,
            self._clock_number,
            self._arms.tree,
            self._online,
            self._past,
            means,
            spreads,
            uniforms,
            chosen,
        )

    def _decision(self, leaf: int, context: tuple[float, ...] | None) -> Decision:
        arm, cluster = self._arms.named(leaf)
        return Decision(arm, cluster, context, (), self.identity)

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

    def check(self, arm: Label, reward: float, context: Sequence[float] | None = None) -> None:
        """Raise what ``learn`` would raise."""
        self._arms.leaf(arm)
        checks.checked_reward(reward)
        checks.checked_context(context, self._dimension, self.name)

    def learn(self, arm: Label, reward: float, context: Sequence[float] | None = None) -> None:
        """Learn from a round that someone else decided."""
        leaf, value, x = (
            self._arms.leaf(arm),
            checks.checked_reward(reward),
            checks.as_context(context, self._dimension, self.name),
        )
        sums = (self._online, self._past, self._derived)
        if not credit(self._arms.tree, *sums, self._places, self._seat_of, self._heap, leaf, value, x):
            raise checks.bad_context(x)

    def explain(self, context: ArrayLike | None = None) -> Explanation:
        """Mean, width, index, online and historical plays of every cluster, then of every arm."""
        x = checks.checked_context(context, self._dimension, self.name)
        means, spreads = np.empty(len(self._online)), np.empty(len(self._online))
        if self.dimension:
            ridge_estimate(self._derived, x, packed_products(x), 0, means, spreads)
        else:
            reward_estimate(self._online, self._past, 0, means, spreads)
        nodes = [("cluster", name_of(path), node) for node, path in self._arms.inner.items()]
        nodes += [("arm", arm, int(leaf)) for arm, leaf in zip(self._arms.labels, self._arms.leaves, strict=True)]
        return Explanation(self._score(kind, label, node, means[node], spreads[node]) for kind, label, node in nodes)

    def _score(self, kind: str, label: Label, node: int, mean: float, spread: float) -> Score:
        above = self._arms.tree[node, PARENT] if self._clock == "parent" else 0
        pulls, history = self._online[node, PULLS], self._past[node, PULLS]
        index = score(self.rule.number, mean, spread, pulls, history, 1.0 + self._online[above, PULLS], self._parameters)
        width = math.inf if math.isinf(index) else index - mean
        return Score(kind, label, float(mean), float(width), float(index), int(pulls), float(history))

    def add_arm(self, arm: Label, *, cluster: Label | None = None) -> None:
        """Offer one more arm from now on; a clustered policy needs its cluster, which may be new."""
        path = new_path(arm, cluster, arms=self._arms.labels, clusters=self.clusters)
        paths = (*self._arms.paths, path) if self._arms.paths is not None else None
        self._replant(Arms((*self.arms, arm), paths), [*range(len(self._arms.labels)), -1])

    def remove_arm(self, arm: Label) -> None:
        """Withdraw an arm with all that was learnt of it, as if it had never been there."""
        self._arms.leaf(arm)
        if len(self._arms.labels) == 1:
            raise ValueError(f"{arm!r} is the only arm and must stay")
        kept = [position for position, other in enumerate(self.arms) if other != arm]
        paths = [self._arms.paths[position] for position in kept] if self._arms.paths is not None else None
        self._replant(Arms([self.arms[position] for position in kept], paths), kept)

    def _replant(self, arms: Arms, positions: list[int]) -> None:
        """Carry the arms' rows over to a new tree; position -1 is a row of zeros."""
        leaves = self._arms.leaves
        blank = np.zeros((1, self._online.shape[1]))
        online = np.vstack([self._online[leaves], blank])[positions]
        past = np.vstack([self._past[leaves], blank])[positions]
        self._arms = arms
        self._start(online, past)

    def merge(self, other: "Bandit", *, since: "Bandit | None" = None) -> None:
        """Add what another worker learnt online.

        ``since``: the policy that both workers started from, if it had learnt something already; that part is
        in both and is not counted again.
        """
        learnt = self._learnt_by(other, since)
        self._start(self._online_rows(self.arms) + learnt, self._past[self._arms.leaves])

    def check_merge(self, other: Any, *, since: Any = None) -> None:
        """Raise what ``merge`` would raise."""
        self._learnt_by(other, since)

    def _learnt_by(self, other: "Bandit", since: "Bandit | None") -> Floats:
        checks.same_policy(self, other)
        learnt = other._online_rows(self.arms)
        if since is not None:
            checks.same_policy(self, since)
            learnt = learnt - since._online_rows(self.arms)
            if (learnt[:, PULLS] < 0.0).any():
                raise ValueError("since must be the policy that the other worker started from: it has learnt more")
        return learnt

    def _online_rows(self, arms: Iterable[Label]) -> Floats:
        rows: Floats = self._online[[self._arms.leaf(arm) for arm in arms]]
        return rows

    def save(self, path: str | Path) -> None:
        """Write the whole state to a file that ``hedgerow.load`` reads."""
        state.save(path, *self._state())

    def _state(self) -> tuple[state.Manifest, state.Arrays]:
        if self.rule.name not in RULES:
            raise ValueError(f"rule {self.rule.name!r} is not in hedgerow.rules.RULES, so it could not be loaded again")
        manifest = {
            "kind": "bandit",
            "name": self.name,
            "identity": self.identity,
            "rule": [self.rule.name, *self.rule.parameters],
            "dimension": self.dimension,
            "cluster_history": self._cluster_history,
            "clock": self._clock,
            "precision": self._precision,
            "arms": list(self.arms),
            "paths": None if self._arms.paths is None else list(self._arms.paths),
        }
        return manifest, {"online": self._online, "past": self._past, "derived": self._derived}

    @classmethod
    def _restore(cls, file: state.StateFile) -> "Bandit":
        made = file.manifest
        self = cls.__new__(cls)
        self.name, self.identity = str(made["name"]), str(made["identity"])
        name, *parameters = made["rule"]
        self.rule = RULES[name](*parameters)
        self._arms = Arms(tuples(made["arms"]), tuples(made["paths"]))
        self._dimension = checks.dimension_for(self.rule, made["dimension"], None, self.name)
        self._cluster_history = bool(made["cluster_history"])
        self._clock, self._precision = made["clock"], made["precision"]
        self._compile()
        nodes = len(self._arms.tree)
        self._online = file.array("online", (nodes, row_size(self.dimension)))
        self._past = file.array("past", (nodes, row_size(self.dimension)))
        derived = file.array("derived", (nodes, derived_size(self.dimension)))
        self._derived = derived.astype(PRECISIONS[self._precision])
        if (self._online[:, PULLS] < 0.0).any() or (self._past[:, PULLS] < 0.0).any():
            raise ValueError("it counts fewer than no plays")
        self._seat()
        return self

    def __repr__(self) -> str:
        clusters = f" in {len(set(self._arms.paths))} clusters" if self._arms.paths is not None else ""
        return f"{self.name}({len(self._arms.labels)} arms{clusters}, {self.rounds} rounds)"
