"""Requests to a service over HTTP, by the standard library: connections that are kept, retries, and
problem documents as errors.

A connection may break after the service has charged a question. So a question carries a request
key, and is sent again under the same key: it is charged once.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import queue
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from hedgerow.client.service_address import ServiceAddress
from hedgerow.client.service_errors import Overloaded, rebuild_error
from hedgerow.errors import InvalidArgument, SourceError

__all__ = ["HttpTransport"]

_PAUSES: Final = (0.2, 0.5, 1.0)  # seconds before each further try after a broken connection
_WAITS: Final = 3  # further tries after "too many requests"
_LONGEST_WAIT: Final = 60.0  # seconds; whoever would wait longer gets the error
_KEPT: Final = 8  # idle connections
_JSON: Final = ("application/json", "application/problem+json")


@dataclass(frozen=True, slots=True)
class _Reply:
    """A response that was read to its end."""

    status: int
    kind: str
    seconds: float  # of its Retry-After
    body: bytes


class HttpTransport:
    """Connections to one service with one token. Threads may share it."""

    def __init__(
        self, address: ServiceAddress, token: str, *, timeout: float, ca_file: Path | None
    ) -> None:
        if not (isinstance(token, str) and token.isascii() and token.isprintable() and token):
            raise InvalidArgument("token", "must be the text of a token of the service")
        self.address = address
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json",
        }
        self._timeout = timeout
        self._context = _build_context(ca_file) if address.scheme == "https" else None
        self._idle: queue.LifoQueue[http.client.HTTPConnection] = queue.LifoQueue(_KEPT)

    def send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Send a request and return its document; raise the error that the service reports."""
        waits = 0
        while True:
            reply = self._send_until_answered(method, path, body)
            try:
                return self._read_document(reply)
            except Overloaded as error:
                waits += 1
                if waits > _WAITS or error.seconds > _LONGEST_WAIT:
                    raise
                time.sleep(error.seconds)

    def close(self) -> None:
        """Close the connections that are kept."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._idle.get_nowait().close()

    def _send_until_answered(
        self, method: str, path: str, body: Mapping[str, Any] | None
    ) -> _Reply:
        """Send a request, and send it again while the connection breaks."""
        sent = None if body is None else json.dumps(body).encode()
        for pause in (*_PAUSES, 0.0):
            try:
                return self._send_once(method, path, sent)
            except ssl.SSLCertVerificationError as error:
                raise SourceError(
                    f"The certificate of {self.address} is not trusted: {error.verify_message}."
                    " Name the file of its authority as ca_file."
                ) from None
            except (http.client.HTTPException, OSError):
                time.sleep(pause)
        raise SourceError(
            f"The service at {self.address} cannot be reached. Check the address, and that the"
            " service runs."
        )

    def _send_once(self, method: str, path: str, body: bytes | None) -> _Reply:
        connection = self._take_connection()
        try:
            connection.request(method, self.address.path + path, body, self._headers)
            response = connection.getresponse()
            reply = _Reply(
                response.status,
                response.headers.get_content_type(),
                _parse_seconds(response.headers.get("Retry-After")),
                response.read(),
            )
        except BaseException:  # also an interrupt: its response must not be taken for the next one
            connection.close()
            raise
        try:
            self._idle.put_nowait(connection)
        except queue.Full:
            connection.close()
        return reply

    def _take_connection(self) -> http.client.HTTPConnection:
        with contextlib.suppress(queue.Empty):
            return self._idle.get_nowait()
        host, port = self.address.host, self.address.port
        if self._context is None:
            return http.client.HTTPConnection(host, port, timeout=self._timeout)
        return http.client.HTTPSConnection(host, port, timeout=self._timeout, context=self._context)

    def _read_document(self, reply: _Reply) -> Any:
        """Return the document of a reply, or raise the error in it."""
        document = None
        if reply.kind in _JSON:
            with contextlib.suppress(ValueError):
                document = json.loads(reply.body)
        if not isinstance(document, dict):
            raise SourceError(
                f"{self.address} answers, but not as a Hedgerow service. Check the address."
            )
        if reply.status != HTTPStatus.OK:
            raise rebuild_error(reply.status, document, reply.seconds)
        return document


def _build_context(ca_file: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError:
        raise InvalidArgument(
            "ca_file", "must be a file of certificates (PEM)", str(ca_file)
        ) from None


def _parse_seconds(text: str | None) -> float:
    return min(float(text), 3600.0) if text is not None and text.isdecimal() else 1.0
