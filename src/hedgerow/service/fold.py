"""A policy as the fold of its log, and the decisions that this process waits for. The rows come from the writer's thread."""

from collections.abc import Sequence
from contextlib import suppress
from copy import copy
from threading import RLock
from typing import Any

import msgspec

from ..core.types import Decision
from . import plans
from .draws import Choice, Plan, choose
from .entries import Entry, Kind, Made
from .plans import Blobs, Policy, State
from .settings import SETTINGS
from .tallies import Tallies
from .wire import Ask


class Fold:
    """An experiment in memory: its policy after the log rows up to ``seq``.

    Choosing, and counting what waits, may come from another thread than the rows.

    Args:
        name: Of the experiment.
        salt: Its secret.
        state: What it is.
        policy: What was learnt.
        seq: The last row that was learnt.
        epoch: How often the log was learnt again.
        tallies: Counts up to that row.
    """

    def __init__(self, name: str, salt: bytes, state: State, policy: Policy, *, seq: int, epoch: int, tallies: Tallies):
        self.name: str = name
        self.salt: bytes = salt
        self.state: State = state
        self.policy: Policy = policy
        self.seq: int = seq
        self.epoch: int = epoch
        self.tallies: Tallies = tallies
        self.open: dict[str, Decision] = {}
        self._lock = RLock()
        self._clusters = state.config.clusters or {}

    @property
    def plan(self) -> Plan:
        """How decisions are drawn."""
        config = self.state.config
        return Plan(self.salt, config.explore, config.control, config.mode == "shadow")

    def decide(self, ask: Ask, id: str) -> Made:
        """Choose; nothing changes.

        Args:
            ask: The request.
            id: Of the decision.

        Returns:
            The decision, not yet stored.

        Raises:
            ValueError: The context or the arms are not those of this experiment.
        """
        with self._lock:  # what is noted as the last row is what was chosen by
            return self._chosen(ask, id)

    def _chosen(self, ask: Ask, id: str) -> Made:
        policy, state = self.policy, self.state
        baseline = state.config.baseline if ask.baseline is None else ask.baseline
        eligible: Sequence[Any] = policy.arms if ask.among is None else tuple(dict.fromkeys(ask.among))
        if baseline is not None and baseline not in eligible:
            raise ValueError(f"baseline must be one of the arms that may be chosen, got {baseline!r:.80}")
        if baseline is None and state.config.mode == "shadow":
            raise ValueError("in shadow mode a request names its baseline, the arm that is shown")
        greedy = policy.select(ask.context, among=ask.among)
        sure = greedy.propensity is not None
        choice = choose(str(greedy.arm), eligible, self.plan, id, unit=ask.unit, baseline=baseline, sure=sure)
        return self._made(greedy, choice, policy, len(eligible))

    def _made(self, greedy: Decision, choice: Choice, policy: Policy, eligible: int) -> Made:
        own = choice.mode == "live"
        follows = own and not choice.explored
        return Made(
            arm=choice.arm,
            cluster=self._clusters.get(choice.arm),
            context=greedy.context,
            experts=greedy.experts if follows else (),
            policy=policy.identity if own else "",
            propensity=choice.propensity,
            explored=choice.explored,
            mode=choice.mode,
            greedy=str(greedy.arm),
            eligible=eligible,
            seq=self.seq,
            epoch=self.epoch,
            revision=self.state.revision,
            waiting=len(self.open),
            wait=self.state.config.wait,
        )

    def expect(self, id: str, made: Made) -> bool:
        """Count a decision as waiting, the latest ones only.

        Args:
            id: Of the decision.
            made: The decision.

        Returns:
            Whether it was not counted under that id before, and is now.
        """
        with self._lock:
            if made.wait is None or id in self.open:
                return False
            decision = made.decision(self.policy.identity)
            with suppress(KeyError, ValueError):  # its arm, or its context's length, is not the policy's any more
                self.policy.expect(decision, id=id)
                self.open[id] = decision
            if len(self.open) > SETTINGS.waiting:
                self.dismiss(next(iter(self.open)))
            return id in self.open

    def dismiss(self, id: str) -> None:
        """Wait no longer for a decision.

        Args:
            id: Of the decision.
        """
        with self._lock:
            if self.open.pop(id, None) is not None:
                with suppress(KeyError, ValueError):  # went with its arm
                    self.policy.cancel(id)

    def apply(self, entry: Entry, blobs: Blobs) -> None:
        """Learn the next row of the log; of any kind but refold, which begins another fold.

        Args:
            entry: The row.
            blobs: Where histories are.

        Raises:
            RuntimeError: It is not the next one.
        """
        if entry.seq != self.seq + 1:
            raise RuntimeError(f"{self.name}: log row {entry.seq} came after row {self.seq}")
        if entry.kind == Kind.CHANGE:
            self._change(entry, blobs)
            return
        with self._lock:
            if entry.kind in (Kind.OUTCOME, Kind.DEFAULT):
                self._learn(entry)
            elif entry.kind == Kind.CANCEL:
                self.dismiss(str(entry.decision))
                self.tallies.cancelled += 1
            self.seq = entry.seq

    def _learn(self, entry: Entry) -> None:
        id, made, value = str(entry.decision), entry.made, entry.value
        if made is None or value is None:
            raise RuntimeError(f"{self.name}: log row {entry.seq} has no decision")
        decision = made.decision(self.policy.identity)
        if self.open.get(id, decision) != decision:  # another replica's decision of the same id was stored first
            self.dismiss(id)
        waited = self.open.pop(id, None) is not None
        try:
            self.policy.update(decision, value, id=id if waited else None)
        except (KeyError, ValueError):  # its arm is gone; every replica finds it so at this row
            self.tallies.skipped += 1
            if waited:
                with suppress(KeyError, ValueError):
                    self.policy.cancel(id)
            return
        if entry.kind == Kind.OUTCOME:
            self.tallies.outcomes += 1
        else:
            self.tallies.defaults += 1
        self.tallies.learnt(entry.seq, made.arm, made.mode, value)

    def _change(self, entry: Entry, blobs: Blobs) -> None:
        """Change a copy, then put it in place with what began to wait meanwhile."""
        after = state_of(entry)
        found = plans.difference(self.state, after)
        if found is None:
            raise RuntimeError(f"{self.name}: a change that needs another policy stands in the log as a refold")
        with self._lock:
            changed, known = copy(self.policy), set(self.open)
        try:
            plans.change(changed, found, after, blobs)
        except (ValueError, KeyError):  # refused before it is stored, but for a race of two changes: each replica finds it so
            self.tallies.skipped += 1
            changed = copy(self.policy)
        with self._lock:
            for id, decision in self.open.items():
                if id not in known:
                    with suppress(KeyError, ValueError):
                        changed.expect(decision, id=id)
            self.policy, self.state, self._clusters = changed, after, after.config.clusters or {}
            self.seq = entry.seq

    def view(self) -> tuple[int, str, Policy, Tallies]:
        """What was learnt, at one moment.

        Returns:
            The last row, the hash, a copy of the policy, and a copy of the counts.
        """
        with self._lock:
            policy = copy(self.policy)
            tallies = msgspec.json.decode(msgspec.json.encode(self.tallies), type=Tallies)
            return self.seq, policy.state_hash(), policy, tallies


def state_of(entry: Entry) -> State:
    """What the experiment is from a row of kind change or refold on.

    Args:
        entry: The row.

    Returns:
        Its body, read.
    """
    return msgspec.json.decode(entry.body or "", type=State)
