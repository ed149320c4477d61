"""The OpenAPI document of the HTTP interface, made from its routes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import hedgerow
from hedgerow.service.http.answer_formats import ARROW, CSV, JSON
from hedgerow.service.http.routes import Access, ServiceRoute
from hedgerow.service.problems import PROBLEM_KINDS

__all__ = ["build_openapi"]

_PROBLEM: Final = "application/problem+json"
_OBJECT: Final = {"type": "object"}
_TEXTS: Final = {"type": "array", "items": {"type": "string"}}
_SCHEMAS: Final[dict[str, Any]] = {
    "Document": _OBJECT,
    "Answer": {
        "type": "object",
        "required": [
            *("columns", "types", "keys", "rows", "intervals", "cost", "receipt", "notes")
        ],
        "properties": {
            "columns": _TEXTS,
            "types": _OBJECT,
            "keys": _TEXTS,
            "rows": {"type": "array", "items": _OBJECT},
            "intervals": _OBJECT,
            "cost": _OBJECT,
            "receipt": _OBJECT | {"nullable": True},
            "notes": _TEXTS,
        },
    },
    "Explanation": {
        "type": "object",
        "required": ["epsilon", "cost", "aggregates", "notes", "free", "covered", "questions_left"],
        "properties": {
            "epsilon": {"type": "string"},
            "cost": _OBJECT,
            "aggregates": {"type": "array", "items": _OBJECT},
            "notes": _TEXTS,
            "free": {"type": "boolean"},
            "covered": {"type": "boolean"},
            "questions_left": {"type": "integer"},
            "limited_by": {"type": "string"},
        },
    },
    "Problem": {
        "type": "object",
        "required": ["type", "title", "status", "detail"],
        "properties": {
            "type": {"type": "string"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string"},
            "error": {"type": "string"},
            "argument": {"type": "string"},
        },
    },
}
_TEXT: Final[dict[str, Any]] = {"schema": {"type": "string"}}
_CONTENTS: Final[dict[str, dict[str, Any]]] = {
    "Metrics": {"text/plain": _TEXT},
    "Answer": {
        JSON: {"schema": {"$ref": "#/components/schemas/Answer"}},
        CSV: _TEXT,
        ARROW: {"schema": {"type": "string", "format": "binary"}},
    },
}
# From the guard before every request, and from bodies.
_EVERYWHERE: Final = {400: "Malformed request", 421: "Another host"}
_BODIES: Final = {406: "No such format", 408: "Too slow", 413: "Body too large"}


def build_openapi(routes: Sequence[ServiceRoute]) -> dict[str, Any]:
    """Build the document of all routes that have an operation."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        if route.operation is not None:
            paths.setdefault(route.path, {})[route.method.lower()] = _describe(route)
    return {
        "openapi": "3.0.3",
        "info": {"title": "Hedgerow", "version": hedgerow.__version__},
        "paths": paths,
        "components": {
            "schemas": _SCHEMAS,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _describe(route: ServiceRoute) -> dict[str, Any]:
    operation = route.operation
    assert operation is not None
    content = _CONTENTS.get(operation.response) or _describe_json(operation.response)
    described: dict[str, Any] = {
        "summary": operation.summary,
        "responses": {"200": {"description": operation.summary, "content": content}}
        | {
            str(status): {
                "description": title,
                "content": {_PROBLEM: {"schema": _refer("Problem")}},
            }
            for status, title in _list_problems(route)
        },
    }
    if route.access is not Access.public:
        described["security"] = [{"token": []}]
    if operation.request is not None:
        schema = {
            "type": "object",
            "required": ["sql"],
            "additionalProperties": False,
            "properties": operation.request,
        }
        described["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schema}},
        }
    return described


def _describe_json(schema: str) -> dict[str, Any]:
    return {"application/json": {"schema": _refer(schema)}}


def _list_problems(route: ServiceRoute) -> list[tuple[int, str]]:
    """Return the problems that a route may answer with: those of every request, those of whoever
    must show who they are, and those of a question."""
    kinds = {kind.status: kind.title for _, kind in PROBLEM_KINDS}
    problems = _EVERYWHERE | {503: kinds[503]}
    if route.access is not Access.public:
        problems |= {status: kinds[status] for status in (401, 403)}
    if route.method == "POST":
        problems |= kinds | _BODIES
    return sorted(problems.items())


def _refer(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
