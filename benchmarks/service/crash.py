"""kill -9 under load, with clients that ask again; then: nothing lost, nothing doubled, live state = fold of the log to the bit.

python -m benchmarks.service.crash sqlite --runs 34 --kills 6 --seed 1
python -m benchmarks.service.crash postgres --runs 34 --kills 6 --seed 1
python -m benchmarks.service.crash postgres --fault counter_not_locked
"""

import argparse
import asyncio
import random
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from benchmarks.service.clients import ARMS, CONFIGS, Client, Promises, config, manager
from benchmarks.service.connection import asked
from benchmarks.service.faults import FAULTS
from benchmarks.service.fleet import Fleet
from benchmarks.service.postgres import Server, binaries
from hedgerow.service.store import Store, connect
from hedgerow.service.verify import Live, verify

__all__ = ["binaries", "places", "run"]

CLIENTS = 24
STEADY = 30
"""Times that the status is the same before it is taken for the last one."""

SETTLING = 600.0
"""Seconds after the load in which all must be settled and folded everywhere."""


class Outcome(NamedTuple):
    """What a run found.

    Args:
        broken: What does not hold; empty if all does.
        counts: What was done.
    """

    broken: list[str]
    counts: dict[str, float]


class Place(NamedTuple):
    """Where a run has its store.

    Args:
        store: Its address.
        server: The PostgreSQL, if it is one.
    """

    store: str
    server: Server | None


async def run(place: Place, *, kills: int, seed: int, fault: str = "") -> Outcome:
    """One run.

    Args:
        place: Of the store, which is empty.
        kills: How many.
        seed: Of all draws.
        fault: Name of a planted fault.

    Returns:
        What it found.
    """
    fleet, promises, stop = Fleet(place.store, 2 if place.server else 1, fault=fault), Promises(), asyncio.Event()
    try:
        fleet.start(fleet.ports[0])
        await fleet.ready(fleet.ports[0])
        for name in CONFIGS:
            status, answer = await asked(fleet.ports[0], "PUT", f"/v1/experiments/{name}", config(name, ARMS), timeout=900.0)
            promises.expect(status == 201, answer)
        for port in fleet.ports[1:]:
            fleet.start(port)
            await fleet.ready(port)
        work = [asyncio.create_task(Client(fleet, promises, number, seed).run(stop)) for number in range(CLIENTS)]
        managing = asyncio.create_task(manager(fleet, promises, stop, seed))
        counts = await _kill(fleet, place.server, kills, random.Random(seed))
        stop.set()
        await asyncio.wait_for(asyncio.gather(*work), SETTLING)
        counts |= await asyncio.wait_for(managing, SETTLING)
        live = await _settled(fleet, promises)
    except TimeoutError as error:
        return Outcome([*promises.broken, f"it did not settle: {error!r}", fleet.log.read_text()[-3000:]], {})
    finally:
        fleet.close()
    counts |= {"decisions": len(promises.arms), "rewards": len(promises.rewards), "requests": fleet.asked, "cut off": fleet.cut}
    return Outcome([*promises.broken, *_lies(place, promises, live), *_complaints(fleet)], counts)


async def _kill(fleet: Fleet, server: Server | None, kills: int, rng: random.Random) -> dict[str, float]:
    """Kill a service or the database at random moments, start-ups included."""
    back, databases = 0.0, 0
    for _ in range(kills):
        await asyncio.sleep(0.2 + 1.2 * rng.random())
        port, began = rng.choice(fleet.ports), perf_counter()
        if server is not None and rng.random() < 0.3:
            await asyncio.to_thread(server.stop, "immediate")
            await asyncio.to_thread(server.start)
            databases += 1
        else:
            fleet.kill(port)
            fleet.start(port)
            if rng.random() < 0.2:  # once more, before it is ready
                await asyncio.sleep(2.0 * rng.random())
                fleet.kill(port)
                fleet.start(port)
        await fleet.ready(port)
        back = max(back, perf_counter() - began)
    await asyncio.sleep(0.5)
    return {"kills": kills, "of them of the database": databases, "longest until ready, s": round(back, 1)}


async def _settled(fleet: Fleet, promises: Promises) -> list[tuple[str, Live]]:
    """The state of every replica once nothing waits any more."""
    live: list[tuple[str, Live]] = []
    for name in CONFIGS:
        for port in fleet.ports:
            early = sum(place[0] == name and place[:2] not in promises.arms for place in promises.rewards)
            found = await _quiet(port, name, early)
            live.append((name, Live(found["folded"], found["state_hash"])))
            left = sum(arm["waiting"] for arm in found["arms"])
            promises.expect(left == 0, f"{name} still counts {left} decisions as waiting, none is open")
    return live


async def _quiet(port: int, name: str, early: int) -> dict[str, Any]:
    """The status once nothing waits; ``early`` rewards are of decisions that were refused in the end.

    Where more rewards than these have no decision, and that stays so, decisions were lost; the comparison will say which.
    """
    before: list[tuple[int, int]] = []
    async with asyncio.timeout(SETTLING):
        while True:
            try:
                status, found = await asked(port, "GET", f"/v1/experiments/{name}/status", timeout=60.0)
                if status == 200 and (found["waiting"], found["folded"]) == (0, found["seq"]):
                    before.append((found["seq"], found["orphans"]))
                    if found["orphans"] == early or before[-STEADY:] == before[-1:] * STEADY:
                        return dict(found)
            except (OSError, TimeoutError):
                pass
            await asyncio.sleep(0.3)


def _lies(place: Place, promises: Promises, live: list[tuple[str, Live]]) -> Iterator[str]:
    """What the store says otherwise than the service did."""
    store = connect(place.store)
    try:
        yield from _promised(store, promises)
        for name, state in live:
            for check in verify(store, name, live=state).checks:
                yield from (f"{name}: {check.name}: {failure}" for failure in check.failures)
            sql = "SELECT kind FROM log WHERE experiment = ? AND seq > ? AND kind NOT IN ('change', 'refold')"
            if store.run(sql, (name, state.seq)):  # a refold whose asker gave up may come after
                yield f"{name}: a replica stands at {state.seq}, not at the end of the log"
    finally:
        store.close()


def _promised(store: Store, promises: Promises) -> Iterator[str]:
    made = {(name, id): body for name, id, body in store.run("SELECT experiment, id, body FROM decision")}
    for place, arm in promises.arms.items():
        if place not in made:
            yield f"decision {place} was lost"
        elif f'"arm":"{arm}"' not in made[place]:
            yield f"decision {place} was {arm}, and is {made[place]}"
    yield from (f"decision {place} was never asked for" for place in made.keys() - promises.asked)
    given = {row[:3]: row[3] for row in store.run("SELECT experiment, decision, key, value FROM reward")}
    for key in promises.rewards.keys() | given.keys():
        if given.get(key) != promises.rewards.get(key):
            yield f"reward {key} was {promises.rewards.get(key)}, and is {given.get(key)}"
    cancelled = set(store.run("SELECT experiment, decision FROM log WHERE kind = 'cancel'"))
    yield from (f"decision {place} was withdrawn, and is not" for place in promises.withdrawn - cancelled)


def _complaints(fleet: Fleet) -> Iterator[str]:
    """Rows that the database refused: a transaction believed that it was alone, and was not."""
    text = fleet.log.read_text()
    for word in ("UniqueViolation", "IntegrityError", "DeadlockDetected", "came after row"):
        if word in text:
            at = text.index(word)
            yield f"the log of the services says {word}: {text[max(0, at - 300) : at + 300]!r}"


@contextmanager
def places(kind: str) -> Iterator[Iterator[Place]]:
    """Empty stores, one after the other.

    Args:
        kind: "sqlite" or "postgres".

    Returns:
        A context manager, which gives an iterator without end.
    """
    if kind == "sqlite":
        with tempfile.TemporaryDirectory(prefix="hedgerow-crash-") as folder:
            yield (Place(f"sqlite:///{Path(folder) / f'{number}.db'}", None) for number in range(sys.maxsize))
        return
    server = Server()
    try:
        yield (Place(server.fresh(), server) for _ in range(sys.maxsize))
    finally:
        server.close()


def main() -> int:
    """Run, and say what was found; 1 if a promise was broken, or a planted fault was not caught."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["sqlite", "postgres"])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fault", choices=FAULTS, default="")
    given = parser.parse_args()
    bad, total = 0, 0
    with places(given.kind) as stores:
        for number in range(given.runs):
            found = asyncio.run(run(next(stores), kills=given.kills, seed=given.seed + number, fault=given.fault))
            bad, total = bad + bool(found.broken), total + given.kills
            said = "OK" if not found.broken else f"BROKEN ({len(found.broken)}): " + "; ".join(found.broken[:5])
            print(f"{given.kind} seed {given.seed + number}: {said} {found.counts}", flush=True)
    print(f"{given.kind}: {given.runs - bad} of {given.runs} runs OK, {total} kills")
    return int(bad == 0 if given.fault else bad > 0)


if __name__ == "__main__":
    raise SystemExit(main())
