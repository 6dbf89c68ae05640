"""``hedgerow serve --demo``: two experiments, and visitors who are made up, so that the page has something to show."""

import heapq
import random
import time
from collections.abc import Iterable
from contextlib import suppress
from threading import Event
from typing import Any, NamedTuple

import httpx

from .client import Client
from .messages import AwayError

SEED = 7
"""Of the visitors."""

FIRST_VISITS, TURN = 400, 0.1
"""Decisions to begin with; then one of each experiment in a turn of so many seconds."""

LAG = 1.5
"""Mean seconds until a click or a sale; exponential."""

LOST = 0.05
"""Share of the visitors who leave before they could click: the service takes the default."""

WAIT = 15.0
"""Seconds until a decision counts as not clicked, in the demo only."""

ADS = {
    "news": {"morning-paper": 0.05, "weekly": 0.04, "podcast": 0.06, "puzzle": 0.05},
    "sport": {"football": 0.13, "running": 0.16, "tennis": 0.11, "sailing": 0.09},
    "travel": {"rail-pass": 0.08, "city-break": 0.12, "cabin": 0.07, "ferry": 0.06},
}
"""Clicks per view of each ad. Made up."""

LOGGED = 300
"""Views of each ad but the last of its topic, in a history that is a little out of date."""

OFFERS = {"none": (2.0, 0.0, 0.0), "discount": (2.6, -0.4, 0.1), "free-delivery": (2.2, 0.1, 0.6), "gift": (1.9, 0.5, -0.2)}
"""Euros of a sale: at the middle age, more for ten years, and more in Bergen. Made up."""

CITIES = ["Oslo", "Bergen", "Tromso"]


class Visit(NamedTuple):
    """A reward to come.

    Args:
        due: When, by the process's clock.
        id: Of the decision.
        value: The reward.
    """

    due: float
    id: str
    value: float


def configs() -> dict[str, dict[str, Any]]:
    """The two experiments.

    Returns:
        A configuration by name.
    """
    ads = {
        "arms": [ad for ads in ADS.values() for ad in ads],
        "clusters": {ad: topic for topic, ads in ADS.items() for ad in ads},
        "wait": WAIT,
        "default": 0.0,
        "learn": "at once",
        "control": 0.1,
        "reward_range": [0.0, 1.0],
    }
    offers = {"arms": list(OFFERS), "context": {"age": "number", "city": CITIES}, "wait": WAIT, "explore": 0.05}
    return {"demo-ads": ads, "demo-offers": offers}


def history() -> dict[str, Any]:
    """What older visitors did with the ads.

    Returns:
        Sums by ad.
    """
    known = [(ad, rate) for ads in ADS.values() for ad, rate in list(ads.items())[:-1]]
    sums = {
        ad: {"plays": float(LOGGED), "total": float(clicks), "squares": float(clicks)}
        for ad, rate in known
        if (clicks := round(0.9 * LOGGED * rate))
    }
    return {"arms": sums}


def play(url: str, name: str, *, token: str | None, stop: Event) -> None:
    """Make one of the experiments, then visit it until the service ends.

    Args:
        url: Where the service is.
        name: Of the experiment.
        token: Of the role admin, where one is needed.
        stop: Set to end it.
    """
    with Client(url, token=token, timeout=10.0, patience=60.0) as client, suppress(AwayError):
        while not _made(client, name) and not stop.is_set():
            pass  # its policy is still being compiled
        if name == "demo-ads":
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            httpx.post(f"{url}/v1/experiments/{name}/history", json=history(), headers=headers).raise_for_status()
        _visit(client, name, stop)


def _made(client: Client, name: str) -> bool:
    with suppress(AwayError):
        client.put(name, configs()[name])
        return True
    return False


def _visit(client: Client, name: str, stop: Event) -> None:
    rng = random.Random(SEED)
    coming = sorted(visit._replace(due=0.0) for visit in _ask(client, name, FIRST_VISITS, rng))
    while not stop.wait(TURN):
        for visit in _ask(client, name, 1, rng):
            heapq.heappush(coming, visit)
        now = time.monotonic()
        due = [heapq.heappop(coming) for _ in range(sum(visit.due <= now for visit in coming))]
        client.reward_many(name, [{"id": visit.id, "value": visit.value} for visit in due])


def _ask(client: Client, name: str, count: int, rng: random.Random) -> Iterable[Visit]:
    """Visitors come, and what they will do."""
    people = [{"age": rng.randint(18, 80), "city": rng.choice(CITIES)} for _ in range(count)]
    contexts: list[dict[str, Any]] = [{"context": person} if name == "demo-offers" else {} for person in people]
    for person, decision in zip(people, client.decide_many(name, contexts), strict=True):
        if isinstance(decision, ValueError):
            raise decision
        if rng.random() >= LOST and decision.id is not None:
            earned = _click(decision.arm, rng) if name == "demo-ads" else _sale(decision.arm, person, rng)
            yield Visit(time.monotonic() + rng.expovariate(1.0 / LAG), decision.id, earned)


def _click(ad: str, rng: random.Random) -> float:
    rate = next(ads[ad] for ads in ADS.values() if ad in ads)
    return float(rng.random() < rate)


def _sale(offer: str, person: dict[str, Any], rng: random.Random) -> float:
    base, for_age, in_bergen = OFFERS[offer]
    expected = base + for_age * (person["age"] - 49) / 10 + in_bergen * (person["city"] == "Bergen")
    return round(rng.gauss(expected, 1.0), 2)
