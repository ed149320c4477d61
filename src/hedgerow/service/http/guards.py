"""Guards of every request: size limits, security headers, and who is asking."""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request
from starlette.responses import Response

from hedgerow.errors import InvalidArgument
from hedgerow.service.accounts.records import Account, Caller, Session
from hedgerow.service.problems import NotAllowed, NotAuthenticated
from hedgerow.service.query_service import QueryService

__all__ = [
    "SESSION_COOKIE",
    "BodyTooLarge",
    "add_security_headers",
    "check_form",
    "find_session",
    "read_body",
    "read_form",
    "read_json",
    "require_caller",
]

SESSION_COOKIE: Final = "hedgerow_session"
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


class BodyTooLarge(InvalidArgument):
    """A body beyond the limit; it is not read to its end."""


def add_security_headers(response: Response, *, has_tls: bool) -> None:
    """Add the headers that every response has."""
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    if has_tls:
        response.headers.setdefault("Strict-Transport-Security", "max-age=31536000")


async def read_body(request: Request, limit: int) -> bytes:
    """Read a body up to the limit."""
    chunks, size = [], 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limit:
            raise BodyTooLarge("body", f"must have at most {limit:,} bytes")
        chunks.append(chunk)
    return b"".join(chunks)


async def read_json(request: Request, limit: int, *known: str) -> dict[str, Any]:
    """Read a JSON object with known keys only; numbers stay exact."""
    body = await read_body(request, limit)
    try:
        found = json.loads(body, parse_float=Decimal, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise InvalidArgument("body", "must be a JSON object in UTF-8") from None
    if not isinstance(found, dict):
        raise InvalidArgument("body", 'must be a JSON object, such as {"sql": "SELECT …"}')
    for key in found:
        if key not in known:
            raise InvalidArgument("body", f"must have only the keys {', '.join(known)}", key)
    return found


def _refuse_constant(name: str) -> object:
    raise ValueError(name)


async def read_form(request: Request, limit: int) -> dict[str, str]:
    """Read a form of plain fields."""
    body = await read_body(request, limit)
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, max_num_fields=50, errors="strict"
        )
    except ValueError:
        raise InvalidArgument("form", "must be a form of at most 50 fields") from None
    return dict(pairs)


def require_caller(request: Request, service: QueryService) -> Caller:
    """Return the caller of the bearer token of a request."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not token.strip():
        raise NotAuthenticated("A token is missing. Send the header Authorization: Bearer TOKEN.")
    return service.find_caller(token.strip())


def find_session(request: Request, service: QueryService) -> tuple[Account, Session] | None:
    """Return the account and the session of a request's cookie, or None."""
    cookie = request.cookies.get(SESSION_COOKIE)
    return None if not cookie else service.accounts.find_login(cookie)


def check_form(request: Request, form: Mapping[str, str], session: Session | None) -> None:
    """Refuse a form that was not sent from a page of this service, to this session."""
    origin = request.headers.get("origin")
    if origin not in (None, "null") and urlsplit(origin).netloc != request.headers.get("host"):
        raise NotAllowed("This form was sent from another site. Open the page here and try again.")
    site = request.headers.get("sec-fetch-site", "same-origin")
    if site not in ("same-origin", "none"):
        raise NotAllowed("This form was sent from another site. Open the page here and try again.")
    if session is not None and not hmac.compare_digest(
        form.get("form_secret", ""), session.form_secret
    ):
        raise NotAllowed("This form is no longer valid. Load the page again and send it again.")
