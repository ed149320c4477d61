"""The guard before every request: which host, from whom, and the headers of every response."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hedgerow.client.service_address import is_loopback
from hedgerow.service.http.answer_formats import encode_document
from hedgerow.service.settings import ServiceSettings

__all__ = ["PROBLEM", "RequestGuard"]

PROBLEM: Final = "application/problem+json"
_POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src"
    " 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_HOST: Final = re.compile(r"(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
_PROBES: Final = frozenset({"/healthz", "/readyz"})  # are asked by address, by any host name


class RequestGuard:
    """The guard around the application."""

    def __init__(self, application: ASGIApp, settings: ServiceSettings) -> None:
        self._application, self._settings = application, settings
        self._running = 0
        secure = {"Strict-Transport-Security": "max-age=31536000"} if settings.is_private else {}
        self._added = [
            (name.lower().encode(), value.encode())
            for name, value in {**_HEADERS, **secure}.items()
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                held = list(message.get("headers", []))
                known = {name for name, _ in held}
                message["headers"] = held + [pair for pair in self._added if pair[0] not in known]
            await send(message)

        headers = Headers(scope=scope)
        problem = self._find_problem(scope, headers)
        if problem is not None:
            await _build_problem(*problem)(scope, receive, send_with_headers)
            return
        client = scope.get("client") or ("", 0)
        address = self._settings.proxy.find_client(client[0], headers.get("x-forwarded-for", ""))
        scope["client"] = address, client[1]
        self._running += 1
        try:
            await self._application(scope, receive, send_with_headers)
        finally:
            self._running -= 1

    def _find_problem(self, scope: Scope, headers: Headers) -> tuple[HTTPStatus, str] | None:
        """Return status and words where a request is refused before anybody looks at it."""
        if self._running >= self._settings.limits.connections:
            return HTTPStatus.SERVICE_UNAVAILABLE, "Too many requests at once. Try again later."
        if "transfer-encoding" in headers and "content-length" in headers:
            # Two proxies may read it as two different requests.
            return HTTPStatus.BAD_REQUEST, "A request has one length: send one header for it."
        if len(headers.getlist("authorization")) > 1:
            return HTTPStatus.BAD_REQUEST, "Send one header Authorization."
        header = self._settings.proxy.user_header
        named = headers.getlist(header) if header is not None else []
        client = scope.get("client") or ("", 0)
        if named and (len(named) > 1 or not self._settings.proxy.is_proxy(client[0])):
            return HTTPStatus.FORBIDDEN, f"The header {header} is for the proxy alone."
        hosts = headers.getlist("host")
        if scope["path"] not in _PROBES and not (len(hosts) == 1 and self._is_own_host(hosts[0])):
            return (
                HTTPStatus.MISDIRECTED_REQUEST,
                "This service has another host name. Use the address that it printed, or set"
                " public_url in its settings.",
            )
        return None

    def _is_own_host(self, host: str) -> bool:
        """Return whether a request was meant for this service: a page of another site may give its
        own name this address, and would then be of the same origin."""
        host = host.lower()
        if not _HOST.fullmatch(host):
            return False
        settings = self._settings
        if settings.public_url is not None and host == urlsplit(settings.public_url).netloc:
            return True
        if settings.public_url is None and settings.has_tls:
            return True  # the certificate says which names are its own
        name = urlsplit(f"//{host}").hostname or ""
        return is_loopback(name) or name == settings.host.lower()


def _build_problem(status: HTTPStatus, detail: str) -> Response:
    document: dict[str, Any] = {
        "type": "about:blank",
        "title": status.phrase,
        "status": status.value,
        "detail": detail,
    }
    headers = {"Connection": "close"}
    if status is HTTPStatus.SERVICE_UNAVAILABLE:
        headers["Retry-After"] = "1"
    return Response(encode_document(document), status.value, headers, PROBLEM)
