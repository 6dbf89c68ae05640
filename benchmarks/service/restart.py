"""How long a start takes: the log learnt from nothing, and from a snapshot with the rows after it.

python -m benchmarks.service.restart --events 1000000 --seed 1
"""

import argparse
import os
import random
import tempfile
from pathlib import Path
from time import perf_counter

import hedgerow as hr
from benchmarks.service.load import CONFIG
from hedgerow.service import experiments, journal, plans, restore, snapshots
from hedgerow.service.entries import Kind
from hedgerow.service.fold import Fold
from hedgerow.service.journal import Ledger
from hedgerow.service.plans import State
from hedgerow.service.store import Store, connect, transaction
from hedgerow.service.tallies import Tallies
from hedgerow.service.wire import Ask, Config

CHUNK = 10_000
"""Rows of a transaction."""

LEFT = 2000
"""Rows after the snapshot."""


def filled(store: Store, events: int, seed: int) -> None:
    """An experiment with a log of so many outcomes; which arm was played is drawn, since only learning is timed.

    Args:
        store: Empty.
        events: How many.
        seed: Of the draws.
    """
    rng, config = random.Random(seed), Config(**CONFIG)
    with transaction(store):
        experiments.put("ads", config, plans.build(State(config), lambda _: b""), None)(store)
    policy = plans.build(State(config), lambda _: b"")
    fold = Fold("ads", b"salt", State(config), policy, seq=1, epoch=0, tallies=Tallies())
    makes = [fold.decide(Ask(among=[arm]), f"m{arm}") for arm in config.arms]
    for first in range(0, events, CHUNK):
        chosen = {f"d{number}": rng.choice(makes) for number in range(first, min(first + CHUNK, events))}
        with transaction(store):
            ledger = Ledger(store, "ads")
            journal.decide(store, "ads", {id: ("[null,null,null,null]", made) for id, made in chosen.items()}, 0.0)
            for id, made in chosen.items():
                ledger.append(Kind.OUTCOME, id, float(rng.random() < 0.1), '["click"]', made)
            ledger.close()


def main() -> None:
    """Fill a store, then start twice."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hedgerow-restart-") as folder:
        store = connect(f"sqlite:///{Path(folder) / 'store.db'}")
        filled(store, given.events, given.seed)
        where = restore.head(store, "ads")
        began, used = perf_counter(), os.times().user
        restore.replay(store, where, where.seq)
        took, cpu = perf_counter() - began, os.times().user - used
        said = f"{took:.1f} s, {given.events / took:,.0f} events/s ({given.events / cpu:,.0f} a second of the processor)"
        print(f"hedgerow {hr.__version__}, load {os.getloadavg()[0]:.1f}, {given.events:,} events, from nothing: {said}")
        with transaction(store):
            snapshots.snapshot(store, restore.replay(store, where, where.seq - LEFT))
        began = perf_counter()
        restore.restore(store, where)
        print(f"from a snapshot and {LEFT} rows: {perf_counter() - began:.2f} s, beside the time that a process takes to start")


if __name__ == "__main__":
    main()
