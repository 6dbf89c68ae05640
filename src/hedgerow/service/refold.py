"""The log learnt again, with amended rewards or into another policy, while the service goes on."""

from collections.abc import Callable

import msgspec

from . import plans, restore, snapshots
from .entries import Kind
from .experiments import stored
from .fold import Fold
from .journal import Ledger
from .plans import Part, State
from .problems import Problem
from .reports import Refolded
from .store import Store
from .wire import Config


def relearn(store: Store, name: str, wanted: Config | None) -> tuple[Fold, State]:
    """The first part: the log so far, beside the service.

    Args:
        store: Any.
        name: Of the experiment.
        wanted: Another configuration, None for the present one.

    Returns:
        A fold up to its ``state.upto``, and that state.

    Raises:
        Problem: There is no such experiment, or it has just changed.
        ValueError: The configuration makes no sense.
    """
    where = restore.head(store, name)
    config, parts, revision = _stored(store, name)
    if revision != where.revision:
        raise _moved(name)
    state = State(
        config if wanted is None else wanted,
        parts,
        revision if wanted is None else revision + 1,
        where.seq,
        "learnt again with amended rewards" if wanted is None else "another policy, which learnt the log",
    )
    fold = restore.relearnt(store, where, state, where.seq)
    plans.warm(plans.build(state, restore.blobs_of(store, name)))
    return fold, state


def _stored(store: Store, name: str) -> tuple[Config, tuple[Part, ...], int]:
    found = stored(store, name)
    if found is None:
        raise Problem(404, f"there is no experiment {name!r:.140}")
    return found


def begin_epoch(name: str, fold: Fold, state: State, before: int) -> Callable[[Store], Refolded]:
    """The second part: what was logged meanwhile, then a row of kind refold and its snapshot.

    Args:
        name: Of the experiment.
        fold: Of the first part.
        state: Of the new epoch.
        before: Revision that the first part began from.

    Returns:
        The work of a job.
    """

    def work(store: Store) -> Refolded:
        ledger = Ledger(store, name)
        if ledger.revision != before or ledger.epoch != fold.epoch:
            raise _moved(name)
        restore.advance(fold, store, ledger.seq)
        ledger.append(Kind.REFOLD, None, None, msgspec.json.encode(state).decode())
        ledger.close()
        fold.seq, fold.epoch = ledger.seq, ledger.epoch + 1
        snapshots.snapshot(store, fold)
        config = msgspec.json.encode(state.config).decode()
        sql = "UPDATE experiment SET epoch = ?, config = ?, revision = ? WHERE name = ?"
        store.run(sql, (fold.epoch, config, state.revision, name))
        learnt = sum(mode.count for mode in fold.tallies.modes.values())
        return Refolded(fold.epoch, fold.seq, learnt, fold.policy.state_hash())

    return work


def _moved(name: str) -> Problem:
    return Problem(409, f"experiment {name!r} changed while its log was learnt: try again")
