"""Decisions that nobody rewards, so that all expire: memory, and the time of an answer meanwhile. Then a restart.

python -m benchmarks.service.soak --decisions 1000000 --seed 1
"""

import argparse
import asyncio
import tempfile
from pathlib import Path
from time import perf_counter

import hedgerow as hr
from benchmarks.service.connection import asked
from benchmarks.service.fleet import Fleet
from benchmarks.service.load import ADS, CONFIG, Driver, quantile

ROUND = 1000
"""Decisions of a batch."""


async def soak(fleet: Fleet, decisions: int, seed: int) -> None:
    """Ask in batches, and beside them one by one; then restart, from a snapshot and from nothing.

    Args:
        fleet: One service.
        decisions: How many in all.
        seed: Of the draws.
    """
    (port,) = fleet.ports
    fleet.start(port)
    await fleet.ready(port)
    await asked(port, "PUT", ADS, CONFIG | {"wait": 1.0}, timeout=900.0)
    step = max(ROUND, decisions // 10)
    for done in range(0, decisions, step):
        driver, began = Driver([port], seed + done), perf_counter()
        await driver.open()
        single = asyncio.create_task(driver.open_loop(50.0, 5.0))
        for number in range(step // ROUND):
            asks = [{"decision_id": f"{done}-{number}-{item}"} for item in range(ROUND)]
            status, answer = await asked(port, "POST", f"{ADS}/decisions:batch", {"decisions": asks}, timeout=300.0)
            if status != 200 or any(item["status"] != 200 for item in answer["decisions"]):
                raise RuntimeError(str(answer)[:300])
        await single
        rate, slow = step / (perf_counter() - began), quantile(driver.took["decide"], 0.99)
        print(f"{done + step:,} decisions: {fleet.memory(port) / 1e6:.0f} MB, {rate:,.0f}/s, p99 {slow:.0f} ms", flush=True)
    await _expired(port)
    print(f"all expired: {fleet.memory(port) / 1e6:.0f} MB", flush=True)
    fleet.kill(port)
    began = perf_counter()
    fleet.start(port)
    await fleet.ready(port)
    print(f"ready {perf_counter() - began:.1f} s after kill -9 and a start, from the last snapshot")


async def _expired(port: int) -> None:
    while True:
        _, found = await asked(port, "GET", f"{ADS}/status", timeout=300.0)
        if found["waiting"] == 0 and found["folded"] == found["seq"]:
            return
        await asyncio.sleep(1.0)


def main() -> None:
    """Run, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decisions", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(f"hedgerow {hr.__version__}, SQLite, synchronous=FULL")
    with tempfile.TemporaryDirectory(prefix="hedgerow-soak-") as folder:
        fleet = Fleet(f"sqlite:///{Path(folder) / 'store.db'}", 1, snapshot=5000)
        try:
            asyncio.run(soak(fleet, given.decisions, given.seed))
        finally:
            fleet.close()


if __name__ == "__main__":
    main()
