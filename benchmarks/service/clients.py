"""Clients that do all that clients do, twice and too early and too late, and remember what they were promised."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any

from benchmarks.service.fleet import Fleet

ARMS = [f"a{number}" for number in range(40)]
CONFIGS: dict[str, dict[str, Any]] = {
    "plain": {"policy": "Auto", "wait": 1.5, "default": 0.0, "learn": "at once", "reward_range": [-1, 3]},
    "rich": {
        "policy": "Auto",
        "params": {"dimension": 4},
        "wait": 1.0,
        "default": 0.0,
        "learn": "close",
        "aggregate": "sum",
        "control": 0.1,
    },
}
"""The experiments: rewards learnt at once, and with contexts when the wait is over."""


def config(name: str, arms: list[str]) -> dict[str, Any]:
    """An experiment with these arms.

    Args:
        name: Of the experiment.
        arms: Its arms.

    Returns:
        What is PUT.
    """
    return CONFIGS[name] | {"arms": arms, "clusters": {arm: f"c{int(arm[1:]) // 10}" for arm in arms}}


class Promises:
    """What was acknowledged, and what was asked for."""

    def __init__(self) -> None:
        self.arms: dict[tuple[str, str], str] = {}
        self.rewards: dict[tuple[str, str, str], float] = {}
        self.withdrawn: set[tuple[str, str]] = set()
        self.asked: set[tuple[str, str]] = set()
        self.broken: list[str] = []

    def expect(self, holds: bool, said: Any) -> None:
        """Note a broken promise.

        Args:
            holds: Whether it was kept.
            said: What was said.
        """
        if not holds:
            self.broken.append(str(said))


class Client:
    """One client: a decision after the other.

    Args:
        fleet: Whom it asks.
        promises: What it remembers.
        number: Which client it is.
        seed: Of its draws.
    """

    def __init__(self, fleet: Fleet, promises: Promises, number: int, seed: int):
        self.fleet, self.promises, self.number = fleet, promises, number
        self.rng = random.Random(f"{seed}-{number}")

    async def run(self, stop: asyncio.Event) -> None:
        """Ask until told to stop.

        Args:
            stop: When to stop.
        """
        count = 0
        while not stop.is_set():
            count += 1
            name = "rich" if self.number % 3 == 0 else "plain"
            await self.one(name, f"{self.number}-{count}")

    def _path(self, name: str, rest: str) -> str:
        return f"/v1/experiments/{name}/{rest}"

    async def one(self, name: str, id: str) -> None:
        """The life of a decision.

        Args:
            name: Of the experiment.
            id: Of the decision.
        """
        rng, value = self.rng, round(self.rng.random(), 3)
        silent = rng.random() < 0.15
        if not silent and rng.random() < 0.05:
            await self.give(name, id, "click", value)
        if not await self.decide(name, id):
            return
        if silent:
            if rng.random() < 0.2:
                await self.withdraw(name, id)
            return
        if rng.random() < 0.3:
            await asyncio.sleep(rng.random() * 2.0)  # around the wait: races with the default
        times = 1 + (rng.random() < 0.3) + (rng.random() < 0.1)
        await asyncio.gather(*(self.give(name, id, "click", value) for _ in range(times)))
        await self.more(name, id, value)

    async def more(self, name: str, id: str, value: float) -> None:
        """Another key, a contradiction, an amendment.

        Args:
            name: Of the experiment.
            id: Of the decision.
            value: Of its first reward.
        """
        draw = self.rng.random()
        if draw < 0.05:
            status, answer = await self.put(name, id, "click", {"value": value + 1.0})
            self.promises.expect(status == 409, (id, status, answer))
        elif draw < 0.10:
            await self.give(name, id, "click", round(value + 0.5, 3), "?amend=1")
        elif draw < 0.15:
            await self.give(name, id, "purchase", 1.0)

    async def decide(self, name: str, id: str) -> bool:
        """Ask for a decision, perhaps twice, perhaps in a batch, perhaps among some arms.

        Args:
            name: Of the experiment.
            id: Of the decision.

        Returns:
            Whether there is one.
        """
        body: dict[str, Any] = {"decision_id": id}
        if name == "rich":
            body["context"] = [round(self.rng.gauss(0.0, 1.0), 3) for _ in range(4)]
        if self.rng.random() < 0.1:
            body["among"] = self.rng.sample(ARMS, 3)
        self.promises.asked.add((name, id))
        status, answer = await self.ask(name, body)
        if status == 422 and "among" in body:  # one of them is withdrawn at the moment
            return False
        self.promises.expect(status == 200, (id, status, answer))
        self.promises.arms[name, id] = answer["arm"]
        if self.rng.random() < 0.2:
            status, again = await self.ask(name, body)
            self.promises.expect(status == 200 and again == answer, (id, answer, again))
        return True

    async def ask(self, name: str, body: dict[str, Any]) -> tuple[int, Any]:
        """One decision, alone or in a batch.

        Args:
            name: Of the experiment.
            body: The request.

        Returns:
            Status and answer.
        """
        if self.rng.random() < 0.8:
            return await self.fleet.call("POST", self._path(name, "decisions"), body)
        return await self._item(name, "decisions", "decision", body)

    async def _item(self, name: str, what: str, one: str, body: dict[str, Any]) -> tuple[int, Any]:
        """An item of a batch, again until its status is not 5xx."""
        while True:
            status, answer = await self.fleet.call("POST", self._path(name, f"{what}:batch"), {what: [body]})
            self.promises.expect(status == 200, answer)
            item = answer[what][0]
            if item["status"] < 500:
                return item["status"], item[one] or item["problem"]
            await asyncio.sleep(0.05)

    async def put(self, name: str, id: str, key: str, body: dict[str, Any], query: str = "") -> tuple[int, Any]:
        """One reward, alone or in a batch.

        Args:
            name: Of the experiment.
            id: Of the decision.
            key: Of the reward.
            body: The reward.
            query: Of the address.

        Returns:
            Status and answer.
        """
        if query or self.rng.random() < 0.8:
            return await self.fleet.call("PUT", self._path(name, f"decisions/{id}/rewards/{key}{query}"), body)
        return await self._item(name, "rewards", "reward", body | {"decision_id": id, "key": key})

    async def give(self, name: str, id: str, key: str, value: float, query: str = "") -> None:
        """One reward that must be taken.

        Args:
            name: Of the experiment.
            id: Of the decision.
            key: Of the reward.
            value: The reward.
            query: Of the address.
        """
        status, answer = await self.put(name, id, key, {"value": value}, query)
        self.promises.expect(status in (200, 202), (id, key, value, status, answer))
        self.promises.rewards[name, id, key] = value

    async def withdraw(self, name: str, id: str) -> None:
        """Take a decision back.

        Args:
            name: Of the experiment.
            id: Of the decision.
        """
        status, answer = await self.fleet.call("DELETE", self._path(name, f"decisions/{id}"))
        self.promises.expect(status in (200, 409), (id, status, answer))
        if status == 200:
            self.promises.withdrawn.add((name, id))


async def manager(fleet: Fleet, promises: Promises, stop: asyncio.Event, seed: int) -> dict[str, int]:
    """Change arms and learn the log again, all the time.

    Args:
        fleet: Whom it asks.
        promises: What it remembers.
        stop: When to stop.
        seed: Of its draws.

    Returns:
        How often it did what.
    """
    rng, done = random.Random(f"{seed}-manager"), {"changes": 0, "refolds": 0}
    works: dict[str, Callable[[str], Awaitable[tuple[int, Any]]]] = {
        "changes": lambda name: fleet.call(
            "PUT", f"/v1/experiments/{name}", config(name, sorted(rng.sample(ARMS, rng.randint(30, 40))))
        ),
        "refolds": lambda name: fleet.call("POST", f"/v1/experiments/{name}/refold"),
    }
    while not stop.is_set():
        await asyncio.sleep(rng.random())
        what, name = rng.choice(["changes", "changes", "changes", "refolds"]), rng.choice(list(CONFIGS))
        status, answer = await works[what](name)
        promises.expect(status in (200, 409), (what, name, status, answer))
        done[what] += status == 200
    return done
