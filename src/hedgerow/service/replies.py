"""Answers in JSON."""

from typing import Any

import msgspec
from starlette.responses import Response

JSON_MEDIA = "application/json"
_ENCODER = msgspec.json.Encoder()


def reply(found: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """An answer in JSON.

    Args:
        found: A struct of the wire format.
        status: The HTTP status.
        headers: More headers.

    Returns:
        The response.
    """
    return Response(_ENCODER.encode(found), status, headers, JSON_MEDIA)
