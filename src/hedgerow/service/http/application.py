"""The web application: routes, headers, and one place that turns errors into responses."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from hedgerow.client.service_errors import describe_error_class
from hedgerow.service.http.analyst_pages import AnalystPages
from hedgerow.service.http.answer_formats import NotAcceptable, encode_document
from hedgerow.service.http.api import HttpApi
from hedgerow.service.http.custodian_pages import CustodianPages
from hedgerow.service.http.guards import BodyTooLarge
from hedgerow.service.http.login_pages import LoginPages
from hedgerow.service.http.page_context import render_page
from hedgerow.service.http.question_pages import QuestionPages
from hedgerow.service.http.request_guard import PROBLEM, RequestGuard
from hedgerow.service.http.routes import Access, ServiceRoute
from hedgerow.service.http.templating import STATIC_FOLDER
from hedgerow.service.metrics import Metrics
from hedgerow.service.problems import (
    NotAuthenticated,
    Overloaded,
    describe_problem,
    find_problem_kind,
)
from hedgerow.service.query_service import QueryService
from hedgerow.service.settings import ServiceSettings

__all__ = ["build_application", "build_metrics_application", "list_routes"]

_LOG: Final = logging.getLogger("hedgerow.service")
_STATUSES: Final[dict[type[Exception], int]] = {BodyTooLarge: 413, NotAcceptable: 406}
_PAGE_ACCESS: Final = {Access.session, Access.overview_session, Access.custodian_session}


def list_routes(service: QueryService, metrics: Metrics) -> tuple[ServiceRoute, ...]:
    """Return all routes of the service."""
    return (
        *HttpApi(service, metrics).routes,
        *LoginPages(service).routes,
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
    return RequestGuard(application, service.settings)


def build_metrics_application(service: QueryService, metrics: Metrics) -> ASGIApp:
    """Build the application of the port for counters, which is open to this machine alone."""
    api = HttpApi(service, metrics)
    routes = [Route("/metrics", api.show_open_metrics), Route("/healthz", api.show_health)]
    # The guard knows loopback names alone here: a page of another site may give its own name this
    # address, and a browser on this machine would read the counters for it.
    return RequestGuard(Starlette(routes=routes), ServiceSettings(service.settings.policy))


class _Responder:
    """Errors as responses: problem+json for the interface, a page for people."""

    def __init__(self, service: QueryService, metrics: Metrics) -> None:
        self._service, self._metrics = service, metrics

    def wrap(self, route: ServiceRoute) -> Callable[[Request], Awaitable[Response]]:
        """Return the endpoint of a route with its errors answered and its responses counted."""

        async def endpoint(request: Request) -> Response:
            try:
                response = await route.endpoint(request)
            except ClientDisconnect:
                return Response(status_code=HTTPStatus.BAD_REQUEST)  # nobody reads it
            except Exception as error:
                response = self._answer_error(route, request, error)
            self._metrics.count_response("http", response.status_code)
            return response

        return endpoint

    def _answer_error(self, route: ServiceRoute, request: Request, error: Exception) -> Response:
        kind = find_problem_kind(error)
        status = _STATUSES.get(type(error), kind.status)
        if status == HTTPStatus.INTERNAL_SERVER_ERROR:
            # The type alone: a message or a traceback may quote data.
            _LOG.error("%s %s failed: %s", route.method, route.path, type(error).__name__)
        text = describe_problem(error)
        if route.access not in _PAGE_ACCESS or request.url.path == "/preview":
            return self._build_problem(status, kind.title, text, error)
        if isinstance(error, NotAuthenticated):
            return RedirectResponse("/login", 303)
        page = getattr(request.state, "page", None)
        return render_page(
            self._service.name, page, "problem.html", status, detail=text, problem_title=kind.title
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
        return Response(encode_document(document), status, headers, PROBLEM)

    async def answer_unknown(self, request: Request, error: Exception) -> Response:
        """Answer a path or a method that does not exist."""
        assert isinstance(error, HTTPException)
        title = HTTPStatus(error.status_code).phrase
        self._metrics.count_response("http", error.status_code)
        return self._build_problem(
            error.status_code, title, f"There is no {request.method} {request.url.path}.", error
        )
