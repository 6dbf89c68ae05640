"""An experiment is created, changed, archived, given a history. Each is a transaction of the writer's."""

import hashlib
import secrets
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import numpy as np

import hedgerow as hr

from ..data.history import History
from . import plans, restore
from .entries import Kind
from .journal import Ledger
from .plans import Part, State
from .problems import Problem
from .store import Store
from .wire import Config, Experiment, HistoryOfSums, HistoryRow

SALT_BYTES = 32


def check(config: Config, policy: plans.Policy) -> None:
    """Refuse a configuration that could not be served.

    Args:
        config: The configuration.
        policy: Made from it.

    Raises:
        ValueError: It makes no sense; the message says what.
    """
    declared = config.reward_range
    if declared is not None and not declared[0] < declared[1]:
        raise ValueError(f"reward_range must be the least and the largest reward, got {list(declared)}")
    if plans.unit_rewards(policy) and (declared is None or declared[0] < 0.0 or declared[1] > 1.0):
        raise ValueError(f"{config.policy} takes rewards between 0 and 1: set reward_range to [0, 1]")
    if config.default is not None and declared is not None and not declared[0] <= config.default <= declared[1]:
        raise ValueError(f"default must lie in reward_range, got {config.default!r}")
    if config.default is not None and config.wait is None:
        raise ValueError("default is what a decision earns whose wait is over: set wait, in seconds")
    if config.wait is None and not config.learns_at_once:
        raise ValueError('learn "close" learns when the wait is over: set wait, in seconds')
    if config.baseline is not None and config.baseline not in config.arms:
        raise ValueError(f"baseline must be one of the arms, got {config.baseline!r:.80}")
    if config.clusters is not None and (strange := sorted(set(config.clusters) ^ set(config.arms))):
        raise ValueError(f"clusters must name the cluster of each arm and no other, see {strange[0]!r:.80}")


def stored(store: Store, name: str) -> tuple[Config, tuple[Part, ...], int] | None:
    """Configuration, history and revision of an experiment.

    Args:
        store: Any.
        name: Of the experiment.

    Returns:
        What is stored, None if there is none.
    """
    rows = store.run("SELECT config, history, revision FROM experiment WHERE name = ?", (name,))
    if not rows:
        return None
    config, history, revision = rows[0]
    parts = msgspec.json.decode(history, type=tuple[Part, ...])
    return msgspec.json.decode(config, type=Config), parts, revision


def shown(store: Store, name: str) -> Experiment:
    """An experiment as it is answered.

    Args:
        store: Any.
        name: Of the experiment.

    Returns:
        The experiment.

    Raises:
        Problem: There is none.
    """
    sql = "SELECT revision, seq, epoch, created, archived, config, history FROM experiment WHERE name = ?"
    rows = store.run(sql, (name,))
    if not rows:
        raise Problem(404, f"there is no experiment {name!r:.140}")
    revision, seq, epoch, created, archived, config, history = rows[0]
    blobs = restore.blobs_of(store, name)
    parts = msgspec.json.decode(history, type=tuple[Part, ...])
    begun = [_history_row(part, hr.from_bytes(blobs(part.sha256), History)) for part in parts]
    return Experiment(name, revision, seq, epoch, created, archived, msgspec.json.decode(config, type=Config), begun)


def _history_row(part: Part, history: History) -> HistoryRow:
    return HistoryRow(part.sha256, part.weight, float(history.sums[:, 0].sum()), len(history.arms))


def put(name: str, config: Config, policy: plans.Policy, match: int | None) -> Callable[[Store], tuple[bool, bool]]:
    """Create an experiment, or change it.

    Args:
        name: Of the experiment.
        config: What it is to be.
        policy: Made from it, which shows that it can be.
        match: The revision that is to be changed, None for any.

    Returns:
        The work of a job; it returns whether the experiment is new, and whether it needs a refold.
    """
    check(config, policy)

    def work(store: Store) -> tuple[bool, bool]:
        before = stored(store, name)
        if before is None:
            if match is not None:
                raise Problem(412, f"there is no experiment {name!r} of revision {match}")
            _create(store, name, config)
            return True, False
        return False, _change(store, name, config, match)

    return work


def _create(store: Store, name: str, config: Config) -> None:
    now, text = store.now(), msgspec.json.encode(config).decode()
    row: tuple[Any, ...] = (name, text, "[]", 1, 0, 0, secrets.token_bytes(SALT_BYTES), now, None)
    found = store.run(
        "INSERT INTO experiment(name, config, history, revision, seq, epoch, salt, created, archived) "
        "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING name",
        row,
    )
    if not found:
        raise Problem(412, f"another replica has just created {name!r}: read it, then PUT again")
    ledger = Ledger(store, name)
    ledger.append(Kind.CHANGE, None, None, _body(State(config, summary=f"created with {len(config.arms)} arms")))
    ledger.close()


def _body(state: State) -> str:
    return msgspec.json.encode(state).decode()


def _change(store: Store, name: str, config: Config, match: int | None) -> bool:
    """Write what changes in place; whether another policy is needed, which is not written here."""
    ledger = Ledger(store, name)
    found = stored(store, name)
    if found is None:
        raise KeyError(name)
    old, parts, revision = found
    if match is not None and match != revision:
        raise Problem(412, f"experiment {name!r} has revision {revision}, not {match}: read it, then PUT again")
    store.run("UPDATE experiment SET archived = NULL WHERE name = ?", (name,))
    if old == config:
        return False
    before, after = State(old, parts, revision), State(config, parts, revision + 1, summary=summary(old, config))
    if plans.difference(before, after) is None:
        return True
    write(ledger, after)
    return False


def write(ledger: Ledger, after: State) -> None:
    """One row of kind change, and what the experiment is from it on.

    Args:
        ledger: Of the experiment.
        after: What it is to be.
    """
    ledger.append(Kind.CHANGE, None, None, _body(after))
    ledger.close()
    config, history = msgspec.json.encode(after.config).decode(), msgspec.json.encode(after.history).decode()
    sql = "UPDATE experiment SET config = ?, history = ?, revision = ? WHERE name = ?"
    ledger.store.run(sql, (config, history, after.revision, ledger.experiment))


def summary(old: Config, new: Config) -> str:
    """What changes, in words.

    Args:
        old: What it was.
        new: What it is to be.

    Returns:
        A line of text.
    """
    added, removed = [arm for arm in new.arms if arm not in set(old.arms)], [arm for arm in old.arms if arm not in set(new.arms)]
    said = [f"added {', '.join(added[:3])}{' and more' if len(added) > 3 else ''}"] if added else []
    said += [f"removed {', '.join(removed[:3])}{' and more' if len(removed) > 3 else ''}"] if removed else []
    others = [name for name in new.__struct_fields__ if name != "arms" and getattr(old, name) != getattr(new, name)]
    return "; ".join(said + [f"changed {name}" for name in others])


def archive(name: str) -> Callable[[Store], None]:
    """Take an experiment out of use; nothing is forgotten.

    Args:
        name: Of the experiment.

    Returns:
        The work of a job.
    """

    def work(store: Store) -> None:
        sql = "UPDATE experiment SET archived = ? WHERE name = ? AND archived IS NULL RETURNING name"
        if not store.run(sql, (store.now(), name)) and stored(store, name) is None:
            raise Problem(404, f"there is no experiment {name!r:.140}")

    return work


def history_of(sums: HistoryOfSums) -> History:
    """A history of sums that were computed elsewhere.

    Args:
        sums: By arm.

    Returns:
        The history.

    Raises:
        ValueError: They are no sums of rewards.
    """
    if not sums.arms:
        raise ValueError("a history needs the sums of at least one arm")
    rows = np.array([[one.plays, one.total, one.squares] for one in sums.arms.values()])
    return History(tuple(sums.arms), rows)


def _bytes_of(history: History) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "history"
        history.save(path)
        return path.read_bytes()


def add_history(name: str, history: History, weight: float) -> Callable[[Store], HistoryRow]:
    """Have an experiment start from one more history, under its arms' rounds.

    Args:
        name: Of the experiment.
        history: The history.
        weight: How much each of its rounds counts.

    Returns:
        The work of a job.
    """
    state = _bytes_of(history)
    part = Part(hashlib.sha256(state).hexdigest(), weight)

    def work(store: Store) -> HistoryRow:
        ledger = Ledger(store, name)
        config, parts, revision = _there(store, name)
        others = tuple(known for known in parts if known.sha256 != part.sha256)
        store.run(
            "INSERT INTO history(experiment, sha256, state) VALUES(?, ?, ?) ON CONFLICT DO NOTHING", (name, part.sha256, state)
        )
        after = State(config, (*others, part), revision + 1, summary=f"history {part.sha256[:12]} added")
        _try(store, name, after)
        if part not in parts:
            write(ledger, after)
        return _history_row(part, history)

    return work


def remove_history(name: str, sha256: str) -> Callable[[Store], None]:
    """Have an experiment start without a history.

    Args:
        name: Of the experiment.
        sha256: Of the history.

    Returns:
        The work of a job.
    """

    def work(store: Store) -> None:
        ledger = Ledger(store, name)
        config, parts, revision = _there(store, name)
        others = tuple(part for part in parts if part.sha256 != sha256)
        if others == parts:
            raise Problem(404, f"experiment {name!r} has no history {sha256!r:.80}")
        write(ledger, State(config, others, revision + 1, summary=f"history {sha256[:12]} removed"))

    return work


def _there(store: Store, name: str) -> tuple[Config, tuple[Part, ...], int]:
    found = stored(store, name)
    if found is None:
        raise Problem(404, f"there is no experiment {name!r:.140}")
    return found


def _try(store: Store, name: str, state: State) -> None:
    """Refuse a history that the policy would refuse."""
    plans.build(state, restore.blobs_of(store, name))
