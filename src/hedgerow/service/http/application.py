"""The web application: routes, headers, and one place that turns errors into responses."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from hedgerow.client.service_errors import describe_error_class
from hedgerow.service.http.analyst_pages import AnalystPages
from hedgerow.service.http.answer_formats import encode_document
from hedgerow.service.http.api import HttpApi
from hedgerow.service.http.custodian_pages import CustodianPages
from hedgerow.service.http.guards import BodyTooLarge, add_security_headers
from hedgerow.service.http.question_pages import QuestionPages
from hedgerow.service.http.routes import Access, ServiceRoute
from hedgerow.service.http.templating import STATIC_FOLDER, render_template
from hedgerow.service.metrics import Metrics
from hedgerow.service.problems import (
    NotAuthenticated,
    Overloaded,
    describe_problem,
    find_problem_kind,
)
from hedgerow.service.query_service import QueryService

__all__ = ["build_application", "list_routes"]

_LOG: Final = logging.getLogger("hedgerow.service")
_PROBLEM: Final = "application/problem+json"
_PAGE_ACCESS: Final = {Access.session, Access.overview_session, Access.custodian_session}


def list_routes(service: QueryService, metrics: Metrics) -> tuple[ServiceRoute, ...]:
    """Return all routes of the service."""
    return (
        *HttpApi(service, metrics).routes,
        *AnalystPages(service).routes,
        *QuestionPages(service).routes,
        *CustodianPages(service).routes,
    )


def build_application(service: QueryService, metrics: Metrics) -> ASGIApp:
    """Build the application over one service."""
    responder = _Responder(service, metrics)
    routes: list[Route | Mount] = [
        Route(route.path, responder.wrap(route), methods=[route.method])
        for route in list_routes(service, metrics)
    ]
    routes.append(Mount("/static", StaticFiles(directory=STATIC_FOLDER)))
    application = Starlette(
        routes=routes, exception_handlers={HTTPException: responder.answer_unknown}
    )
    return _HeaderMiddleware(application, has_tls=service.settings.has_tls)


class _Responder:
    """Errors as responses: problem+json for the interface, a page for people."""

    def __init__(self, service: QueryService, metrics: Metrics) -> None:
        self._service, self._metrics = service, metrics

    def wrap(self, route: ServiceRoute) -> Callable[[Request], Awaitable[Response]]:
        """Return the endpoint of a route with its errors answered and its responses counted."""

        async def endpoint(request: Request) -> Response:
            try:
                response = await route.endpoint(request)
            except Exception as error:
                response = self._answer_error(route, request, error)
            self._metrics.count_response("http", response.status_code)
            return response

        return endpoint

    def _answer_error(self, route: ServiceRoute, request: Request, error: Exception) -> Response:
        kind = find_problem_kind(error)
        status = 413 if isinstance(error, BodyTooLarge) else kind.status
        if status == HTTPStatus.INTERNAL_SERVER_ERROR:
            # The type alone: a message or a traceback may quote data.
            _LOG.error("%s %s failed: %s", route.method, route.path, type(error).__name__)
        text = describe_problem(error)
        if route.access not in _PAGE_ACCESS or request.url.path == "/preview":
            return self._build_problem(status, kind.title, text, error)
        if isinstance(error, NotAuthenticated):
            return RedirectResponse("/login", 303)
        return render_template(
            "problem.html",
            status,
            database=self._service.name,
            problem=text,
            problem_title=kind.title,
        )

    @staticmethod
    def _build_problem(status: int, title: str, detail: str, error: Exception) -> Response:
        document = {"type": "about:blank", "title": title, "status": status, "detail": detail}
        # So that a client raises the same class.
        document |= describe_error_class(error)
        headers = {}
        if isinstance(error, Overloaded):
            headers["Retry-After"] = str(max(1, round(error.seconds)))
        if status == HTTPStatus.UNAUTHORIZED:
            headers["WWW-Authenticate"] = "Bearer"
        return Response(encode_document(document), status, headers, _PROBLEM)

    async def answer_unknown(self, request: Request, error: Exception) -> Response:
        """Answer a path or a method that does not exist."""
        assert isinstance(error, HTTPException)
        title = HTTPStatus(error.status_code).phrase
        self._metrics.count_response("http", error.status_code)
        return self._build_problem(
            error.status_code, title, f"There is no {request.method} {request.url.path}.", error
        )


class _HeaderMiddleware:
    """The security headers on every response, also on those of static files."""

    def __init__(self, application: ASGIApp, *, has_tls: bool) -> None:
        self._application, self._has_tls = application, has_tls

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        plain = Response()
        add_security_headers(plain, has_tls=self._has_tls)
        added = [pair for pair in plain.raw_headers if pair[0] != b"content-length"]

        async def send_with_headers(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                held = list(message.get("headers", []))  # type: ignore[call-overload]
                known = {name for name, _ in held}
                message["headers"] = held + [pair for pair in added if pair[0] not in known]
            await send(message)

        await self._application(scope, receive, send_with_headers)  # type: ignore[arg-type]
