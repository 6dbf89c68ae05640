"""What a Bandit has learnt: what can be asked of it, the states that changes would lead to, and its file."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Generic, Self, cast

import numpy as np

from ..core import state_file, validate
from ..core.arms import Clusters, new_path, regrouped
from ..core.labels import as_label
from ..core.locking import whole
from ..core.sums import LARGEST
from ..core.types import ArmType, Floats, Label
from ..data.encoding import Encoding, check_alike, common_encoding, encoded
from ..data.history import History
from . import changes, checks, learnt, policy_file
from .forgetting.checks import epoch_of
from .kept import Kept
from .learnt import Learnt, Recipe, rounds_offered
from .registry import Rule
from .waiting import Waiting


class BanditState(Kept, Generic[ArmType]):
    """What a policy has learnt, under one reference, and the states that a change would lead to."""

    identity: str
    name: str
    rule: Rule
    _recipe: Recipe
    _learnt: Learnt

    def _fix(self, recipe: Recipe) -> None:
        """What never changes, also as each round needs it."""
        self._recipe, self.name, self.rule = recipe, recipe.name, recipe.rule
        self._family, self._dimension, self._draws = recipe.rule.family, recipe.dimension, recipe.rule.kind.draws
        self._explore, self._half_life = recipe.explore, recipe.half_life
        self._present: Any = None  # the state in a later epoch, and the stamps of this one (bandit_memory.py)
        self._span: Any = (None, 0.0, 0.0, 0.0)
        self._largest = checks.LARGEST_IN[recipe.precision]
        self._checked_reward = validate.unit_reward if recipe.rule.kind.unit_rewards else validate.checked_reward
        if recipe.precision == "single":
            self._checked_reward = partial(validate.checked_reward, largest=self._largest)
        # rewards between these are taken as they are
        self._most = 1.0 if recipe.rule.kind.unit_rewards else float(np.nextafter(self._largest, 0.0))
        self._least = 0.0 if recipe.rule.kind.unit_rewards else -self._most
        # the context of the last choice, as the decision has it and as an array
        self._seen: tuple[object, Floats] = None if recipe.dimension is None else object(), validate.NO_CONTEXT

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles: what the recipe does not say."""
        return {name: self.__dict__[name] for name in ("_recipe", "identity", "_learnt")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._fix(state["_recipe"])
        super().__setstate__(state)

    def _numbers(self, context: Any) -> Floats:
        """A context, or a mapping of raw values, as an array of its own; its numbers are not looked at."""
        if type(context) is not np.ndarray and type(context) is not tuple:
            context = encoded(context, self)
        return validate.as_context(context, self._dimension, self.name)

    @property
    def arms(self) -> tuple[ArmType, ...]:
        """The arms, in their order."""
        return cast(tuple[ArmType, ...], tuple(self._learnt.arms.labels))

    @property
    def clustered(self) -> bool:
        """Whether the arms stand in clusters."""
        return self._learnt.arms.clustered

    @property
    def dimension(self) -> int | None:
        """Length of the contexts; None for a policy without."""
        return self._dimension

    @property
    def encoding(self) -> Encoding | None:
        """How contexts of raw values are read: as ``context=`` or the history says; assign another before the first round."""
        return self._learnt.encoding

    @encoding.setter
    @whole
    def encoding(self, encoding: Encoding | None) -> None:
        self._learnt = self._learnt._replace(encoding=encoding)

    @property
    def rounds(self) -> int:
        """Online rounds learnt from."""
        return learnt.rounds_of(self._learnt)

    def with_history(self, history: History | None) -> Learnt:
        """What the policy would have learnt, had it started from another history; nothing changes.

        Args:
            history: The other history; None for none.

        Returns:
            A state to be put in place.

        Raises:
            ValueError: The policy cannot have such a history.
        """
        now = self._learnt
        rows = checks.history_rows(history, now.arms.labels, self._dimension)
        epoch = epoch_of(history, self._half_life, self.name)
        checks.usable_history(self.rule, rows, self._recipe.precision, self._dimension)
        in_use = bool(self.rounds or now.waiting)
        if in_use and history is not None and history.arms and self._dimension is not None:
            check_alike(
                now.encoding, history.encoding, f"{self.name} has learnt from contexts that the history reads differently"
            )
        encoding = now.encoding
        if history is not None and history.arms and self._dimension is not None:
            alike = encoding is not None and history.encoding is None and encoding.plain
            encoding = encoding if alike or (in_use and encoding) else checks.encoding_for(None, history, self.name)
        return changes.with_history(self._recipe, now, rows, encoding, epoch)

    def with_arms(self, new: Mapping[Label, Label | None], new_cluster: bool) -> Learnt:
        """The state with more arms; nothing changes.

        Args:
            new: The cluster of each, None for a policy without.
            new_cluster: Whether clusters may be ones that no arm has yet.

        Returns:
            A state to be put in place.

        Raises:
            ValueError: An arm is there already, or its cluster is missing, not wanted or not known.
        """
        now, paths = self._learnt.arms, {}
        for arm, cluster in new.items():
            paths[as_label(arm, "an arm label")] = new_path(
                arm, cluster, arms=now.labels, clusters=now.clusters, new_cluster=new_cluster
            )
        return changes.with_arms(self._recipe, self._learnt, paths) if paths else self._learnt

    def without_arm(self, arm: Label) -> Learnt:
        """The state without an arm; nothing changes.

        Args:
            arm: Its label.

        Returns:
            A state to be put in place.

        Raises:
            KeyError: The arm is not there.
            ValueError: It is the only one.
        """
        return changes.without_arm(self._recipe, self._learnt, arm)

    def in_clusters(self, clusters: Clusters) -> Learnt:
        """The state with the same arms in other clusters; nothing changes.

        Args:
            clusters: The cluster of each arm, in order, or a mapping arm -> cluster.

        Returns:
            A state to be put in place.

        Raises:
            ValueError: The policy has no clusters, or these do not fit its arms.
        """
        return changes.in_clusters(self._recipe, self._learnt, regrouped(self, clusters))

    def merged(self, other: Any, *, since: Any = None) -> Learnt:
        """The state of two workers together; nothing changes.

        Args:
            other: The other worker.
            since: The policy that both started from, if it had learnt something already.

        Returns:
            A state to be put in place.

        Raises:
            ValueError: The workers do not belong together.
        """
        checks.same_policy(self, other)
        common_encoding((self.encoding, other.encoding), "only workers that read contexts alike can be merged")
        if since is not None:
            checks.same_policy(self, since, since=True)
            changes.check_since(self._recipe, self._learnt, other._learnt, since._learnt)
        return changes.merged(self._recipe, self._learnt, other._learnt, None if since is None else since._learnt)

    def recounted(self, state: Learnt) -> Learnt:
        """A state whose list of waiting decisions was changed, with all that follows from it; nothing changes.

        Args:
            state: What the policy has learnt, and the decisions that are to wait.

        Returns:
            A state to be put in place.
        """
        return changes.recounted(self._recipe, state)

    def progress(self) -> tuple[int, int]:
        """What the policy has learnt and waits for: it changes with every round.

        Returns:
            Online rounds of the arms that are offered, and waiting decisions.
        """
        now = self._learnt
        return rounds_offered(now), now.waiting.total() if now.waiting else 0

    def admit(self, arm: Label, reward: float, x: Floats | None) -> None:
        """Raise what ``learn`` would raise, before anything has changed.

        Args:
            arm: What was played.
            reward: What it earned.
            x: The context, as an array of finite numbers.

        Raises:
            ValueError: The policy does not take such a reward or context.
            KeyError: The arm is not there.
        """
        self._learnt.arms.leaf(arm)
        self._checked_reward(reward)
        if x is not None and self._largest < LARGEST:
            validate.usable_context(x, self._largest)

    def put(self, state: Learnt) -> None:
        """Put a state in place that one of the functions above made.

        Args:
            state: The new state.
        """
        self._learnt = state

    def without_waiting(self) -> Learnt:
        """The state in which nothing waits; nothing changes.

        Returns:
            A state to be put in place, or saved.
        """
        return changes.recounted(self._recipe, self._learnt._replace(waiting=Waiting()))

    def sums(self) -> Iterator[tuple[str, Floats]]:
        """What was learnt, as sums: online and historical numbers of each arm.

        Returns:
            The arm and its numbers.
        """
        now = self._learnt
        for arm in sorted(now.arms.labels, key=repr):
            leaf = now.arms.leaf(arm)
            rounds = [] if now.aged is None else [*now.rounds_by_arm([arm]), now.aged.epoch]
            yield repr(arm), np.concatenate([now.arrays.online[leaf], now.arrays.history[leaf], rounds])

    def _take(self, other: Self) -> None:
        self.put(other._learnt)

    def _state(self, waiting: bool) -> tuple[state_file.Manifest, dict[str, state_file.Block]]:
        now = self._learnt if waiting else self.without_waiting()
        manifest = {"kind": "bandit", "identity": self.identity, **policy_file.to_manifest(self._recipe, now)}
        return manifest, policy_file.to_blocks(self._recipe, now)

    @classmethod
    def _restore(cls, file: state_file.StateFile) -> Self:
        self = cls.__new__(cls)
        self._fix(policy_file.read_recipe(file.manifest))
        self.identity = str(file.manifest["identity"])
        self._learnt = policy_file.read(self._recipe, file)
        return self
