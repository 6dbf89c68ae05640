"""The OpenAPI document, made from the table of calls and the structs of the wire format."""

from typing import Any

import msgspec

import hedgerow as hr

from .calls import Call
from .wire import NAME

_NAMES = {"type": "string", "minLength": 1, "maxLength": 128, "pattern": f"^{NAME.pattern}$"}
_PROBLEM = {
    "type": "object",
    "required": ["title", "status", "detail"],
    "properties": {"title": {"type": "string"}, "status": {"type": "integer"}, "detail": {"type": "string"}},
}
REFUSALS = {
    400: "The request cannot be read.",
    401: "A token is needed.",
    403: "The token may not do this.",
    404: "It is not there.",
    409: "It contradicts what is stored.",
    412: "It was changed meanwhile.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    422: "A value makes no sense; the detail says which.",
    503: "Not now: try again after Retry-After seconds.",
}
"""Statuses of problems, on every call."""


def document(calls: tuple[Call, ...]) -> dict[str, Any]:
    """The document.

    Args:
        calls: All calls.

    Returns:
        OpenAPI 3.1.
    """
    structs = {part for call in calls for part in (call.answer, call.body) if isinstance(part, type)}
    ordered = sorted(structs, key=lambda struct: struct.__name__)
    _, components = msgspec.json.schema_components(ordered, ref_template="#/components/schemas/{name}")
    paths: dict[str, Any] = {}
    for call in calls:
        paths.setdefault(call.path, {})[call.method.lower()] = _operation(call)
    return {
        "openapi": "3.1.0",
        "info": {"title": "hedgerow", "version": hr.__version__, "description": "Decisions and their rewards."},
        "paths": paths,
        "components": {
            "schemas": components | {"Problem": _PROBLEM},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(call: Call) -> dict[str, Any]:
    names = [part.strip("{}") for part in call.path.split("/") if part.startswith("{")]
    parameters: list[dict[str, Any]] = [{"name": name, "in": "path", "required": True, "schema": _NAMES} for name in names]
    parameters += [{"name": q.name, "in": "query", "schema": q.schema, "description": q.said} for q in call.queries]
    if call.match:
        said = "The ETag of the revision that is to be changed."
        parameters.append({"name": "If-Match", "in": "header", "schema": {"type": "string"}, "description": said})
    found: dict[str, Any] = {
        "operationId": call.operation,
        "summary": call.said,
        "parameters": parameters,
        "responses": {str(status): _success(call, status) for status in call.statuses} | _problems(call),
        "security": [] if call.role is None else [{"token": []}],
        "x-role": call.role,
        "x-open-on-loopback": call.local,
    }
    if call.body is not None:
        files = {media: {"schema": {"type": "string", "format": "binary"}} for media in call.files}
        content = {"application/json": {"schema": _schema(call.body)}} | files
        found["requestBody"] = {"required": True, "content": content}
    return found


def _success(call: Call, status: int) -> dict[str, Any]:
    if call.answer is None or status == 204:
        return {"description": "Done."}
    if isinstance(call.answer, str):
        media = [call.answer.partition(";")[0], *(["application/vnd.apache.parquet"] if call.operation == "events" else [])]
        return {"description": "Done.", "content": {name: {"schema": {}} for name in media}}
    return {"description": "Done.", "content": {"application/json": {"schema": _schema(call.answer)}}}


def _problems(call: Call) -> dict[str, Any]:
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {str(code): {"description": said, "content": content} for code, said in REFUSALS.items() if code not in call.statuses}


def _schema(struct: Any) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{struct.__name__}"}
