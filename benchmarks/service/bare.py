"""What the service is measured beside: Starlette with one INSERT, committed before it answers.

python -m benchmarks.service.bare STORE PORT
"""

import sys
import threading
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from hedgerow.service.store import connect, transaction


def application(url: str) -> Starlette:
    """The bare service.

    Args:
        url: Address of its store.

    Returns:
        An ASGI application.
    """
    store, lock, count = connect(url), threading.Lock(), iter(range(sys.maxsize))
    with transaction(store):
        store.run("CREATE TABLE bare(id INTEGER PRIMARY KEY, body TEXT NOT NULL)")

    def insert(body: str) -> None:
        with lock, transaction(store):
            store.run("INSERT INTO bare(id, body) VALUES(?, ?)", (next(count), body))

    async def take(request: Request) -> JSONResponse:
        insert((await request.body()).decode())
        return JSONResponse({"arm": "a1"})

    async def ready(_: Request) -> JSONResponse:
        return JSONResponse({})

    paths: list[Any] = ["/v1/experiments/{e}/decisions", "/v1/experiments/{e}/decisions/{id}/rewards/{key}"]
    taking = [Route(path, take, methods=["POST", "PUT"]) for path in paths]
    return Starlette(routes=[*taking, Route("/readyz", ready)])


if __name__ == "__main__":
    uvicorn.run(application(sys.argv[1]), port=int(sys.argv[2]), log_level="error", access_log=False)
