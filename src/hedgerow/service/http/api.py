"""The HTTP interface, version 1: every endpoint translates one method of ``QueryService``."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number
from hedgerow.service.accounts.records import Caller
from hedgerow.service.http.answer_formats import JSON, choose_format, encode_answer, encode_document
from hedgerow.service.http.guards import read_json, require_caller
from hedgerow.service.http.openapi import build_openapi
from hedgerow.service.http.routes import Access, Endpoint, Operation, ServiceRoute
from hedgerow.service.metrics import Metrics
from hedgerow.service.number_text import parse_number_text
from hedgerow.service.query_service import QueryService
from hedgerow.service.question_run import allow_abandonment

__all__ = ["HttpApi"]

Result = TypeVar("Result")
DocumentReader = Callable[[Caller], dict[str, Any]]
_PRICE: Final = {
    "sql": {"type": "string"},
    "epsilon": {"oneOf": [{"type": "number"}, {"type": "string"}], "nullable": True},
    "delta": {"oneOf": [{"type": "number"}, {"type": "string"}], "nullable": True},
}


class HttpApi:
    """The endpoints of the interface over one service."""

    def __init__(self, service: QueryService, metrics: Metrics) -> None:
        self.service, self.metrics = service, metrics

    @property
    def routes(self) -> tuple[ServiceRoute, ...]:
        """The routes of the interface."""
        asking = Operation(
            "Answer a question, and charge it",
            _PRICE | {"request": {"type": "string", "nullable": True}},
            "Answer",
        )
        explaining = Operation(
            "Explain the cost and the error of a question, for free",
            _PRICE | {"error": _PRICE["epsilon"]},
            "Explanation",
        )
        return (
            _build_route("/healthz", self.show_health, Access.public, "Whether it runs"),
            _build_route("/readyz", self.show_readiness, Access.public, "Whether it can answer"),
            _build_route("/openapi.json", self.show_openapi, Access.public, "This document"),
            _build_route(
                "/metrics", self.show_metrics, Access.overview_token, "Counters", "Metrics"
            ),
            ServiceRoute("POST", "/api/v1/query", self.query, Access.token, asking),
            ServiceRoute("POST", "/api/v1/explain", self.explain, Access.token, explaining),
            *(
                _build_route(f"/api/v1/{name}", self._show(read), access, summary)
                for name, read, access, summary in self._documents
            ),
        )

    @property
    def _documents(self) -> tuple[tuple[str, DocumentReader, Access, str], ...]:
        """The documents that need nothing but their caller."""
        service = self.service
        return (
            ("budget", service.read_budgets, Access.token, "What is left"),
            ("tables", service.list_tables, Access.token, "Tables and columns"),
            ("history", service.list_history, Access.token, "Ledger entries of the caller"),
            ("publications", service.list_publications, Access.token, "What was published"),
            ("policy", service.read_policy_text, Access.overview_token, "The policy file"),
            ("ledger", service.list_ledger, Access.overview_token, "The whole ledger"),
            ("accounts", service.list_accounts, Access.overview_token, "Accounts and tokens"),
            ("quotas", service.list_quotas, Access.overview_token, "Quotas of analysts"),
        )

    async def query(self, request: Request) -> Response:
        """Answer a question."""
        caller = await self._call(lambda: require_caller(request, self.service))
        limit = self.service.settings.limits.body_bytes
        body = await read_json(request, limit, "sql", "epsilon", "delta", "request")
        key, format_ = _read_text(body, "request"), choose_format(request.headers.get("accept", ""))
        with allow_abandonment() as abandoned:
            watch = asyncio.create_task(_watch_connection(request, abandoned))
            try:
                answer = await self._call(
                    lambda: self.service.ask(
                        caller,
                        _read_sql(body),
                        epsilon=_read_number(body, "epsilon"),
                        delta=_read_number(body, "delta"),
                        request=key,
                    )
                )
            finally:
                watch.cancel()
        content, kind = encode_answer(answer, format_)
        return Response(content, media_type=kind)

    async def explain(self, request: Request) -> Response:
        """Explain a question."""
        caller = await self._call(lambda: require_caller(request, self.service))
        limit = self.service.settings.limits.body_bytes
        body = await read_json(request, limit, "sql", "epsilon", "delta", "error")
        explanation = await self._call(
            lambda: self.service.explain(
                caller,
                _read_sql(body),
                epsilon=_read_number(body, "epsilon"),
                delta=_read_number(body, "delta"),
                error=_read_number(body, "error"),
            )
        )
        return _respond(explanation.to_dict())

    async def show_health(self, request: Request) -> Response:  # noqa: ARG002
        """Tell that the process runs."""
        return _respond({"status": "ok"})

    async def show_readiness(self, request: Request) -> Response:  # noqa: ARG002
        """Tell whether policy and ledger can be used."""
        await self._call(self.service.check_readiness)
        return _respond({"status": "ready"})

    async def show_openapi(self, request: Request) -> Response:  # noqa: ARG002
        """Return the OpenAPI document."""
        return _respond(build_openapi(self.routes))

    async def show_metrics(self, request: Request) -> Response:
        """Return the counters in the text format of Prometheus."""
        caller = await self._call(lambda: require_caller(request, self.service))
        self.service.require_overview(caller)
        return await self.show_open_metrics(request)

    async def show_open_metrics(self, request: Request) -> Response:  # noqa: ARG002
        """Return the counters to whoever could reach this."""
        text = await self._call(lambda: self.metrics.render(self.service.list_budgets()))
        return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    def _show(self, read: DocumentReader) -> Endpoint:
        """Return the endpoint of a document that needs nothing but its caller."""

        async def show(request: Request) -> Response:
            caller = await self._call(lambda: require_caller(request, self.service))
            return _respond(await self._call(lambda: read(caller)))

        return show

    async def _call(self, function: Callable[[], Result]) -> Result:
        """Call a function that blocks in a worker thread."""
        return await asyncio.to_thread(function)


async def _watch_connection(request: Request, abandoned: threading.Event) -> None:
    """Give a question up when its client has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    abandoned.set()


def _build_route(
    path: str, endpoint: Endpoint, access: Access, summary: str, response: str = "Document"
) -> ServiceRoute:
    return ServiceRoute("GET", path, endpoint, access, Operation(summary, None, response))


def _respond(document: object) -> Response:
    return Response(encode_document(document), media_type=JSON)


def _read_sql(body: dict[str, Any]) -> str:
    if not isinstance(body.get("sql"), str):
        raise InvalidArgument("sql", "must be text: the question in SQL")
    return str(body["sql"])


def _read_text(body: dict[str, Any], key: str) -> str | None:
    value = body.get(key)
    if value is None:
        return None
    if not isinstance(value, str) or not 1 <= len(value) <= 200 or not value.isprintable():
        raise InvalidArgument(key, "must be text of 1 to 200 printable characters")
    return value


def _read_number(body: dict[str, Any], key: str) -> Number | None:
    """Return a number exactly as it was written, in JSON or as text."""
    value = body.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | str | Decimal):
        raise InvalidArgument(key, "must be a number, such as 0.5", value)
    return parse_number_text(value if isinstance(value, str) else str(value), key)
