"""Bodies: how large, of what type, and what they must be."""

from typing import Any, TypeVar

import msgspec
from starlette.requests import Request

from .problems import Problem

BODY, BATCH_BODY = 64_000, 4_000_000
"""Most bytes of a request, and of a batch or a configuration."""

Wanted = TypeVar("Wanted")


async def read(request: Request, most: int) -> bytes:
    """The body of a request.

    Args:
        request: The request.
        most: Bytes that it may have.

    Returns:
        The body.

    Raises:
        Problem: It is larger.
    """
    told = request.headers.get("content-length", "0")
    if told.isdigit() and int(told) > most:
        raise _too_large(most)
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > most:
            raise _too_large(most)
    return bytes(body)


def _too_large(most: int) -> Problem:
    return Problem(413, f"a body may have {most:,} bytes here: send less at a time")


def media_of(request: Request) -> str:
    """The media type of a body.

    Args:
        request: The request.

    Returns:
        Such as "application/json"; empty if there is none.
    """
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def parsed(request: Request, body: bytes, decoder: "msgspec.json.Decoder[Wanted]") -> Wanted:
    """A body as what it must be.

    Args:
        request: The request.
        body: Its body.
        decoder: Of the type.

    Returns:
        The value.

    Raises:
        Problem: It is not JSON, or not of that type.
    """
    media = media_of(request)
    if media != "application/json":
        said = f"the body must be JSON: send the header Content-Type: application/json, not {media or 'none'!r:.100}"
        raise Problem(415, said)
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise Problem(422, _said(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Problem(400, f"the body is not JSON: {_said(error)}") from None


def _said(error: Any) -> str:
    return str(error).replace("`", "'")[:300]
