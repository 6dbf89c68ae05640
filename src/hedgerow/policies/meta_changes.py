"""The part of a Meta that changes as a whole: its arms, clusters, history, what workers learnt, and its file."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Generic, Self

import numpy as np

from ..core import state_file
from ..core.arms import Clusters, clusters_of_new, new_path, regrouped
from ..core.locking import whole
from ..core.sums import scalars_of
from ..core.types import ArmType, Floats, Label, Policy
from ..data.encoding import Encoding
from ..data.history import History
from .bandit import Bandit
from .checks import same_policy
from .experts import Plan, WaitingRound, by_name, encoding_of, put_all
from .exploration import checked_share
from .kept import Kept
from .policy_file import MOST_WAITING
from .waiting import Waiting


class MetaChanges(Kept, Generic[ArmType]):
    """Experts under one name: a change is planned for all of them, then put in place."""

    name: str
    identity: str
    shared: bool
    experts: dict[str, Policy[ArmType]]
    chooser: Bandit
    _explore: float
    _waiting: Waiting[WaitingRound]

    @property
    def arms(self) -> tuple[ArmType, ...]:
        """The arms, in their order."""
        return next(iter(self.experts.values())).arms

    @property
    def clustered(self) -> bool:
        """Whether an expert has its arms in clusters."""
        return any(bandit.clustered for bandit in self.bandits())

    @property
    def clusters(self) -> tuple[Label, ...] | None:
        """The clusters of the first expert that has any; assign others at any time, to all experts that have some."""
        return next((bandit.clusters for bandit in self.bandits() if bandit.clustered), None)

    @clusters.setter
    @whole
    def clusters(self, clusters: Clusters) -> None:
        self._check_experts()
        labels = regrouped(self, clusters).clusters
        put_all([(bandit, "_learnt", bandit.in_clusters(labels)) for bandit in self.bandits() if bandit.clustered and labels])

    @property
    def dimension(self) -> int | None:
        """Length of the contexts; None if no expert takes any."""
        return next((expert.dimension for expert in self.experts.values() if expert.dimension), None)

    @property
    def encoding(self) -> Encoding | None:
        """How the first expert that can reads contexts of raw values."""
        return next((encoding for encoding in map(encoding_of, self.experts.values()) if encoding is not None), None)

    @property
    def rounds(self) -> int:
        """Online rounds in which an own expert was followed."""
        return self.chooser.rounds

    @property
    def history(self) -> History:
        """What all experts started from, with contexts if one has them; assign another, or a weighted one, at any time."""
        histories = {bandit.name: bandit.history for bandit in self._warm()}
        fullest = max(histories.values(), key=lambda history: history.sums.shape[1])
        for name, history in histories.items():
            if not np.array_equal(scalars_of(history.sums), scalars_of(fullest.sums)):
                raise AttributeError(f"the experts have histories of their own, ask them: policy.experts[{name!r}].history")
        return fullest

    @history.setter
    @whole
    def history(self, history: History | None) -> None:
        _ = self.history  # one for all; experts that differ keep their own
        put_all([(bandit, "_learnt", bandit.with_history(history)) for bandit in self._warm()])

    def _warm(self) -> list[Bandit]:
        """The experts that can have a history; other people's policies need not."""
        found = list(self.bandits())
        if not found:
            raise AttributeError(f"no expert of {self.name} takes a history")
        return found

    def bandits(self) -> Iterator[Bandit]:
        """The Bandits among the experts, and among the experts of these.

        Returns:
            Each in turn.
        """
        for expert in self.experts.values():
            if isinstance(expert, MetaChanges):
                yield from expert.bandits()
            elif isinstance(expert, Bandit):
                yield expert

    def metas(self) -> Iterator["MetaChanges"]:
        """This Meta, and those among its experts.

        Returns:
            Each in turn.
        """
        yield self
        for expert in self.experts.values():
            if isinstance(expert, MetaChanges):
                yield from expert.metas()

    def progress(self) -> tuple[float, int]:
        """What all policies within have learnt and wait for: it changes with every round.

        Returns:
            Online rounds and waiting decisions, added up.
        """
        parts = [part.progress() for part in (*(meta.chooser for meta in self.metas()), *self.bandits())]
        return sum(rounds for rounds, _ in parts), sum(waiting for _, waiting in parts)

    def add_arm(self, arm: Label, cluster: Label | None = None, *, new_cluster: bool = False) -> None:
        """Offer one more arm from now on in every expert.

        Args:
            arm: Its label.
            cluster: Its cluster, if an expert has clusters; those without leave it aside.
            new_cluster: Whether the cluster may be one that no arm has yet; without it, a misspelt one is refused.

        Raises:
            ValueError: The arm is there already, or its cluster is missing, not wanted or not known, or an expert
                cannot change its arms.
        """
        self.add_arms({arm: cluster}, new_cluster=new_cluster)

    @whole
    def add_arms(self, arms: Mapping[Label, Label] | Iterable[Label], *, new_cluster: bool = False) -> None:
        """Offer more arms from now on, in one change: as quick as one arm.

        Args:
            arms: The cluster of each; or only the arms, if no expert has clusters.
            new_cluster: Whether clusters may be ones that no arm has yet.

        Raises:
            ValueError: As with ``add_arm``; then none is added.
        """
        new = clusters_of_new(arms)
        for arm, cluster in new.items():
            new_path(arm, cluster, arms=self.arms, clusters=self.clusters, new_cluster=new_cluster)
        self._check_experts()
        flat = dict.fromkeys(new)
        put_all(
            [(bandit, "_learnt", bandit.with_arms(new if bandit.clustered else flat, new_cluster)) for bandit in self.bandits()]
        )

    @whole
    def remove_arm(self, arm: Label) -> None:
        """Withdraw an arm from every expert; what the experts earned with it stays, what they still expected does not.

        Args:
            arm: Its label.

        Raises:
            KeyError: The arm is not there.
            ValueError: It is the only one, or an expert cannot change its arms.
        """
        self._check_experts()
        plan: Plan = [(bandit, "_learnt", bandit.without_arm(arm)) for bandit in self.bandits()]
        for meta in self.metas():
            plan += meta.planned_without(arm)
        put_all(plan)

    def planned_without(self, arm: Label) -> Plan:
        """What changes in a Meta itself when an arm goes: what it and its chooser wait for.

        Args:
            arm: The arm.

        Returns:
            Attributes to be set.
        """
        gone = [experts[0] for waits, experts, *_ in self._waiting.elements() if waits == arm and experts]
        now = self.chooser.snapshot()
        waiting = now.waiting.copy()
        for expert in gone:
            waiting.set((expert, None, None), waiting[expert, None, None] - 1)
        left = self.chooser.recounted(now._replace(waiting=waiting)) if gone else now
        return [(self.chooser, "_learnt", left), (self, "_waiting", self._waiting.without(arm))]

    def _check_experts(self) -> None:
        """Experts belong to their Meta; one that was changed on its own can no longer be changed with the others."""
        if changed := [name for name, expert in self.experts.items() if expert.arms != self.arms]:
            raise ValueError(f"the arms of expert {changed[0]!r} were changed apart from those of the others")
        for name, expert in self.experts.items():
            if not isinstance(expert, Bandit | MetaChanges):
                raise ValueError(f"expert {name!r} is a {type(expert).__name__}, which cannot change as one with the others")

    @whole
    def merge(self, other: Self, *, since: Self | None = None) -> None:
        """Add what another worker learnt.

        Arms that only the other worker has are added, without its history of them. Arms that were withdrawn here stay withdrawn.

        Args:
            other: A policy made alike.
            since: The policy that both started from, if it had learnt already.

        Raises:
            ValueError: The workers do not belong together.
        """
        same_policy(self, other)
        if since is not None:
            same_policy(self, since, since=True)
        self._check_experts()
        plan: Plan = []
        bandits = [list(worker.bandits()) for worker in (self, other, since) if worker is not None]
        for mine, other_bandit, *first in zip(*bandits, strict=True):
            plan.append((mine, "_learnt", mine.merged(other_bandit, since=first[0] if first else None)))
        offered = set(plan[0][2].arms.labels)
        workers = [list(worker.metas()) for worker in (self, other, since) if worker is not None]
        for own, theirs, *before in zip(*workers, strict=True):
            start = before[0] if before else None
            plan.append((own.chooser, "_learnt", own.chooser.merged(theirs.chooser, since=start and start.chooser)))
            waiting = own._waiting.together(theirs._waiting, None if start is None else start._waiting)
            for arm in {key[0] for key in waiting} - offered:
                waiting = waiting.without(arm)
            plan.append((own, "_waiting", waiting))
        put_all(plan)

    def sums(self) -> Iterator[tuple[str, Floats]]:
        """What was learnt, as sums: by the chooser, and by every expert.

        Returns:
            A name and the numbers of each part.

        Raises:
            ValueError: An expert is somebody else's policy.
        """
        for name, part in (("", self.chooser), *self.experts.items()):
            if not isinstance(part, Bandit | MetaChanges):
                raise ValueError(f"expert {name!r} is a {type(part).__name__}, whose sums are not known")
            yield from ((f"{name}/{inner}", numbers) for inner, numbers in part.sums())

    def _take(self, other: Self) -> None:
        self._check_experts()
        plan: Plan = [(own, "_learnt", copy.snapshot()) for own, copy in zip(self.bandits(), other.bandits(), strict=True)]
        for mine, theirs in zip(self.metas(), other.metas(), strict=True):
            plan += [(mine.chooser, "_learnt", theirs.chooser.snapshot()), (mine, "_waiting", theirs._waiting)]
        put_all(plan)

    def _state(self, waiting: bool) -> tuple[state_file.Manifest, dict[str, state_file.Block]]:
        parts = {"chooser": self.chooser._state(waiting)}
        for number, (name, expert) in enumerate(self.experts.items()):
            if not isinstance(expert, Bandit | MetaChanges):
                raise ValueError(f"expert {name!r} is a {type(expert).__name__}, which hedgerow.load could not make again")
            parts[f"expert-{number}"] = expert._state(waiting)
        manifest = {
            "kind": "meta",
            "name": self.name,
            "identity": self.identity,
            "shared": self.shared,
            "explore": self._explore,
            "experts": list(self.experts),
            "decisions": self._waiting.listed() if waiting else [],
            "parts": {part: inner for part, (inner, _) in parts.items()},
        }
        return manifest, {f"{part}/{key}": block for part, (_, inner) in parts.items() for key, block in inner.items()}

    @classmethod
    def _restore(cls, file: state_file.StateFile) -> Self:
        made = file.manifest
        self = cls.__new__(cls)
        self.name, self.identity, self.shared = str(made["name"]), str(made["identity"]), bool(made["shared"])
        self._explore = checked_share(made["explore"])
        parts = [file.inside(made["parts"][f"expert-{n}"], f"expert-{n}") for n in range(len(made["experts"]))]
        kinds: dict[str, Any] = {"bandit": Bandit, "meta": cls}
        restored = [kinds[part.manifest["kind"]]._restore(part) for part in parts]
        self.experts = by_name(dict(zip(made["experts"], restored, strict=True)))
        self._waiting = Waiting.restored(made["decisions"], MOST_WAITING, 4)
        self.chooser = Bandit._restore(file.inside(made["parts"]["chooser"], "chooser"))
        self._check_restored()
        return self

    def _check_restored(self) -> None:
        """Refuse a file whose parts do not fit together."""
        if self.chooser.arms != tuple(self.experts):
            raise ValueError("its experts are not those that it chooses among")
        for arm, experts, context, _ in self._waiting:
            if arm not in self.arms or not isinstance(experts, tuple) or (experts and experts[0] not in self.experts):
                raise ValueError("it waits for decisions of arms or experts that it does not have")
            if (context is None) != (self.dimension is None) or (context is not None and len(context) != self.dimension):
                raise ValueError("it waits for decisions in contexts that it cannot have seen")
