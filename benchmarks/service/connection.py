"""HTTP/1.1 over asyncio, as little of it as the drivers need: they must cost less than what they measure."""

import asyncio
import json
from typing import Any


class Connection(asyncio.Protocol):
    """One kept connection; one request at a time."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self._answer: asyncio.Future[tuple[int, bytes]] | None = None
        self._read = b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def connection_lost(self, _: Exception | None) -> None:
        self.transport = None
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(ConnectionError("the connection was lost"))

    def data_received(self, data: bytes) -> None:
        self._read += data
        end = self._read.find(b"\r\n\r\n")
        if end < 0 or self._answer is None:
            return
        head = self._read[:end].lower()
        at = head.find(b"content-length:")
        length = 0 if at < 0 else int(head[at + 15 : (head + b"\r\n").find(b"\r\n", at)])
        if len(self._read) >= end + 4 + length:
            status, body = int(self._read[9:12]), self._read[end + 4 : end + 4 + length]
            self._read = self._read[end + 4 + length :]
            if not self._answer.done():
                self._answer.set_result((status, body))

    def ask(self, method: str, path: str, body: bytes | None, headers: str = "") -> "asyncio.Future[tuple[int, bytes]]":
        """Send a request.

        Args:
            method: The HTTP method.
            path: The address.
            body: JSON, if any.
            headers: More headers, each with its line end.

        Returns:
            Status and body, to come.
        """
        self._answer, self._read = asyncio.get_running_loop().create_future(), b""
        if self.transport is None:
            self._answer.set_exception(ConnectionError("there is no connection"))
            return self._answer
        typed = "" if body is None else "Content-Type: application/json\r\n"
        text = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{typed}{headers}Content-Length: {len(body or b'')}\r\n\r\n"
        self.transport.write(text.encode() + (body or b""))
        return self._answer


async def connected(port: int) -> Connection:
    """A connection to this machine.

    Args:
        port: The port.

    Returns:
        The connection.
    """
    _, made = await asyncio.get_running_loop().create_connection(Connection, "127.0.0.1", port)
    return made


async def asked(port: int, method: str, path: str, body: Any = None, *, timeout: float = 10.0) -> tuple[int, Any]:
    """One request on a connection of its own.

    Args:
        port: The port.
        method: The HTTP method.
        path: The address.
        body: What is sent as JSON, None for nothing.
        timeout: Seconds that it may take.

    Returns:
        Status, and what the answer says as JSON.
    """
    async with asyncio.timeout(timeout):
        connection = await connected(port)
        try:
            status, text = await connection.ask(method, path, None if body is None else json.dumps(body).encode())
        finally:
            if connection.transport is not None:
                connection.transport.close()
    return status, json.loads(text) if text else None
