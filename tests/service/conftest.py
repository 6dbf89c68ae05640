"""A service in this process, without sockets; and a PostgreSQL of its own where it is installed."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from benchmarks.service import postgres
from hedgerow.service import app
from hedgerow.service.settings import Options


class Served:
    """A service on a loop of its own, asked over ASGI."""

    def __init__(self, options: Options):
        self.app = app.create(options)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        transport = httpx.ASGITransport(app=self.app, raise_app_exceptions=False)
        self._client = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080", timeout=300)
        self._life = self.app.router.lifespan_context(self.app)
        try:
            self._wait(self._life.__aenter__())
        except BaseException:
            self._end()
            raise

    def _wait(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def ask(self, method: str, path: str, **given: Any) -> httpx.Response:
        return self._wait(self._client.request(method, path, **given))

    def ask_all(self, *requests: tuple[str, str, Any]) -> list[httpx.Response]:
        """Several requests at once."""

        async def together() -> list[httpx.Response]:
            return await asyncio.gather(*(self._client.request(method, path, json=body) for method, path, body in requests))

        return self._wait(together())

    def put(self, name: str = "ads", **config: Any) -> httpx.Response:
        return self.ask("PUT", f"/v1/experiments/{name}", json={"arms": ["a", "b", "c"], "policy": "UCB"} | config)

    def decide(self, name: str = "ads", **ask: Any) -> dict[str, Any]:
        answer = self.ask("POST", f"/v1/experiments/{name}/decisions", json=ask)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def reward(self, id: str, value: float = 1.0, *, name: str = "ads", key: str = "click", query: str = "", **more: Any):
        path = f"/v1/experiments/{name}/decisions/{id}/rewards/{key}{query}"
        return self.ask("PUT", path, json={"value": value} | more)

    def until(self, holds: Any, name: str = "ads") -> dict[str, Any]:
        """A decision or experiment that is asked for until something holds."""
        for _ in range(10_000):
            found = self.ask("GET", f"/v1/experiments/{name}").json()
            if holds(found):
                return found
        raise AssertionError(found)

    def verified(self, name: str = "ads") -> None:
        found = self.ask("GET", f"/v1/experiments/{name}/verify").json()
        assert found["ok"], found

    def close(self) -> None:
        self._wait(self._life.__aexit__(None, None, None))
        self._end()

    def _end(self) -> None:
        self._wait(self._client.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


@pytest.fixture(scope="session")
def database() -> Iterator[postgres.Server]:
    """A PostgreSQL."""
    if postgres.binaries() is None:
        pytest.skip("PostgreSQL is not installed")
    server = postgres.Server()
    yield server
    server.close()


@pytest.fixture(params=["sqlite", "postgres"])
def store(request, tmp_path) -> str:
    """The address of an empty store, of either kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'store.db'}"
    return request.getfixturevalue("database").fresh()


@pytest.fixture
def serve() -> Iterator[Any]:
    """Make services that end with the test."""
    running: list[Served] = []

    def start(store: str, **options: Any) -> Served:
        running.append(Served(Options(store, **options)))
        return running[-1]

    yield start
    for served in running:
        served.close()
