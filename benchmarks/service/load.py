"""Speed through HTTP, beside a bare Starlette with one INSERT in the same run: open loop, flat out, batches, lag, restart.

python -m benchmarks.service.load sqlite --seconds 5 --seed 1
python -m benchmarks.service.load postgres --seconds 5 --seed 1

Latencies count from the scheduled arrival. The load average, the time of a sync of this disk and the version are printed, too.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import hedgerow as hr
from benchmarks.service.connection import Connection, asked, connected
from benchmarks.service.crash import Place, places
from benchmarks.service.fleet import Fleet
from benchmarks.service.postgres import free_port

CONNECTIONS = 64
ADS = "/v1/experiments/ads"
ARMS = [f"a{number}" for number in range(100)]
CONFIG: dict[str, Any] = {
    "arms": ARMS,
    "clusters": {arm: f"c{int(arm[1:]) // 10}" for arm in ARMS},
    "wait": 600.0,
    "default": 0.0,
    "learn": "at once",
}


class Driver:
    """Connections to one or several services, and the time that each answer took.

    Args:
        ports: Of the services.
        seed: Of the draws.
    """

    def __init__(self, ports: list[int], seed: int):
        self.ports, self.rng = ports, random.Random(seed)
        self.pool: asyncio.LifoQueue[Connection] = asyncio.LifoQueue()
        self.took: dict[str, list[float]] = {"decide": [], "reward": []}
        self.count = self.failed = 0

    async def open(self) -> None:
        """Make the connections."""
        for number in range(CONNECTIONS):
            self.pool.put_nowait(await connected(self.ports[number % len(self.ports)]))

    async def call(self, kind: str, method: str, path: str, body: Any, at: float) -> None:
        """One request.

        Args:
            kind: What it is counted as.
            method: The HTTP method.
            path: The address.
            body: What is sent as JSON.
            at: When it was due.
        """
        connection = await self.pool.get()
        try:
            status, _ = await connection.ask(method, path, json.dumps(body).encode())
        finally:
            self.pool.put_nowait(connection)
        self.took[kind].append(perf_counter() - at)
        self.failed += status != 200

    async def pair(self, at: float, think: float) -> None:
        """A decision, and its reward.

        Args:
            at: When it was due.
            think: Mean time between them, in seconds.
        """
        self.count += 1
        id = f"{os.getpid()}-{id_of(self)}-{self.count}"
        await self.call("decide", "POST", f"{ADS}/decisions", {"decision_id": id}, at)
        if think:
            await asyncio.sleep(self.rng.expovariate(1.0 / think))
        value = float(self.rng.random() < 0.1)
        await self.call("reward", "PUT", f"{ADS}/decisions/{id}/rewards/click", {"value": value}, perf_counter())

    async def open_loop(self, rate: float, seconds: float) -> None:
        """Requests at random moments, whether or not earlier ones are answered.

        Args:
            rate: Requests a second.
            seconds: How long.
        """
        began, tasks = perf_counter(), []
        due = began
        while due < began + seconds:
            due += self.rng.expovariate(rate / 2.0)
            if (left := due - perf_counter()) > 0.0:
                await asyncio.sleep(left)
            tasks.append(asyncio.create_task(self.pair(due, 0.1)))
        await asyncio.gather(*tasks)

    async def flat_out(self, seconds: float) -> float:
        """As many as there are answers.

        Args:
            seconds: How long.

        Returns:
            Requests a second.
        """
        began = perf_counter()

        async def on() -> None:
            while perf_counter() < began + seconds:
                await self.pair(perf_counter(), 0.0)

        await asyncio.gather(*(on() for _ in range(CONNECTIONS)))
        return 2 * self.count / (perf_counter() - began)


def id_of(driver: Driver) -> str:
    """A word that no other driver has.

    Args:
        driver: The driver.

    Returns:
        The word.
    """
    return f"{id(driver):x}"


def quantile(took: list[float], share: float) -> float:
    """A quantile, in milliseconds.

    Args:
        took: Seconds.
        share: Which quantile.

    Returns:
        Milliseconds.
    """
    return 1000.0 * sorted(took)[min(len(took) - 1, int(share * len(took)))]


async def measured(ports: list[int], seconds: float, seed: int) -> dict[str, float]:
    """Latency at 100, 200 and 300 requests a second, and requests flat out.

    Args:
        ports: Of the services.
        seconds: Of each.
        seed: Of the draws.

    Returns:
        The numbers by name.
    """
    found = {}
    for rate in (100, 200, 300):
        driver = Driver(ports, seed)
        await driver.open()
        await driver.open_loop(rate, seconds)
        for share in (0.5, 0.99):
            found[f"{rate}/s decide p{100 * share:.0f}, ms"] = round(quantile(driver.took["decide"], share), 1)
    driver = Driver(ports, seed)
    await driver.open()
    found["flat out, requests/s"] = round(await driver.flat_out(seconds))
    found["refused"] = driver.failed
    return found


async def batches(port: int, count: int) -> float:
    """Rewards in batches of 1,000, of decisions that were made before.

    Args:
        port: Of the service.
        count: Batches.

    Returns:
        Rewards a second.
    """
    for number in range(count):
        asks = [{"decision_id": f"b{number}-{item}"} for item in range(1000)]
        await asked(port, "POST", f"{ADS}/decisions:batch", {"decisions": asks}, timeout=120.0)
    bodies = [
        {"rewards": [{"decision_id": f"b{number}-{item}", "value": 1.0} for item in range(1000)]} for number in range(count)
    ]
    began = perf_counter()
    for body in bodies:
        status, answer = await asked(port, "POST", f"{ADS}/rewards:batch", body, timeout=120.0)
        if status != 200 or any(item["status"] != 200 for item in answer["rewards"]):
            raise RuntimeError(str(answer)[:300])
    return 1000 * count / (perf_counter() - began)


async def lag(ports: list[int], count: int) -> list[float]:
    """Seconds until a reward that one replica answered is in the state of the other.

    Args:
        ports: Of two replicas.
        count: Rewards.

    Returns:
        Seconds of each.
    """
    found = []
    for number in range(count):
        await asked(ports[0], "POST", f"{ADS}/decisions", {"decision_id": f"lag{number}"})
        status, answer = await asked(ports[0], "PUT", f"{ADS}/decisions/lag{number}/rewards/click", {"value": 1.0})
        began = perf_counter()
        while status == 200:
            _, other = await asked(ports[1], "POST", f"{ADS}/decisions", {}, timeout=60.0)
            if other["seq"] >= answer["seq"]:
                break
        found.append(perf_counter() - began)
    return found


@contextmanager
def bare(store: str) -> Iterator[int]:
    """A bare Starlette with one INSERT.

    Args:
        store: Address of its store.

    Returns:
        A context manager, which gives its port.
    """
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", "benchmarks.service.bare", store, str(port)])
    try:
        yield port
    finally:
        process.kill()
        process.wait()


async def up(port: int) -> None:
    """Wait until a service answers.

    Args:
        port: Its port.
    """
    while True:
        try:
            await asked(port, "GET", "/readyz")
            return
        except OSError:
            await asyncio.sleep(0.05)


def sync_seconds() -> float:
    """Median time of an fdatasync of 4 kB on this disk, in seconds."""
    with tempfile.NamedTemporaryFile() as file:
        took = []
        for _ in range(50):
            began = perf_counter()
            os.write(file.fileno(), b"x" * 4096)
            os.fdatasync(file.fileno())
            took.append(perf_counter() - began)
    return sorted(took)[len(took) // 2]


async def whole(place: Place, beside: Place, seconds: float, seed: int) -> dict[str, dict[str, float]]:
    """Both services, one after the other.

    Args:
        place: Store of the service.
        beside: Store of the bare one.
        seconds: Of each measurement.
        seed: Of the draws.

    Returns:
        Numbers by service and name.
    """
    with bare(beside.store) as port:
        await up(port)
        found = {"bare": await measured([port], seconds, seed)}
    fleet = Fleet(place.store, 2 if place.server else 1, snapshot=5000)
    try:
        for port in fleet.ports:
            fleet.start(port)
            await fleet.ready(port)
        await asked(fleet.ports[0], "PUT", ADS, CONFIG, timeout=900.0)
        for port in fleet.ports:
            await fleet.ready(port)
            while (await asked(port, "POST", f"{ADS}/decisions", {}))[0] != 200:
                await asyncio.sleep(0.1)
        found["service"] = await measured(fleet.ports, seconds, seed)
        found["service"]["batch rewards/s"] = round(await batches(fleet.ports[0], 10))
        if place.server:
            seen = await lag(fleet.ports, 100)
            found["service"]["other replica p50, ms"] = round(quantile(seen, 0.5), 1)
            found["service"]["other replica p99, ms"] = round(quantile(seen, 0.99), 1)
        found["service"]["memory, MB"] = round(fleet.memory(fleet.ports[0]) / 1e6)
    finally:
        fleet.close()
    return found


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["sqlite", "postgres"])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    before = os.getloadavg()[0]
    with places(given.kind) as stores:
        found = asyncio.run(whole(next(stores), next(stores), given.seconds, given.seed))
    said = f"load {before:.1f} to {os.getloadavg()[0]:.1f}, a sync {1000 * sync_seconds():.2f} ms, seed {given.seed}"
    print(f"{given.kind}, hedgerow {hr.__version__}, {said}")
    for name in found["service"]:
        print(f"  {name}: {found['service'][name]}" + (f" (bare {found['bare'][name]})" if name in found["bare"] else ""))
    ratio = found["service"]["flat out, requests/s"] / found["bare"]["flat out, requests/s"]
    print(f"  flat out, of bare: {ratio:.2f}")


if __name__ == "__main__":
    main()
