"""The table of routes: who may call what. Application, OpenAPI document and the tests of
permissions are made from it, so no route can be forgotten in one of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

__all__ = ["Access", "Endpoint", "Operation", "ServiceRoute"]

Endpoint = Callable[[Request], Awaitable[Response]]


class Access(StrEnum):
    """The rules of who may call a route, and how they show who they are."""

    public = "public"  # everybody, without showing who they are
    token = "token"  # whoever has a token; what they may ask is decided by ``QueryService``
    overview_token = "overview token"  # a token of a custodian or an auditor
    session = "session"  # whoever is logged in to the pages
    overview_session = "overview session"  # a custodian or an auditor who is logged in
    custodian_session = "custodian session"  # a custodian who is logged in


@dataclass(frozen=True, slots=True)
class Operation:
    """The part of a route that the OpenAPI document shows."""

    summary: str
    request: dict[str, Any] | None = None
    response: str = "Document"


@dataclass(frozen=True, slots=True)
class ServiceRoute:
    """A route with its method, its endpoint and who may call it."""

    method: str
    path: str
    endpoint: Endpoint
    access: Access
    operation: Operation | None = None
