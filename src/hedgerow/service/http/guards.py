"""Guards of the endpoints: size limits, forms of this site alone, and who is asking."""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request

from hedgerow.errors import InvalidArgument
from hedgerow.service.accounts.records import Account, Caller, LoginMethod, Session
from hedgerow.service.problems import NotAllowed, NotAuthenticated
from hedgerow.service.query_service import QueryService
from hedgerow.service.settings import ServiceSettings

__all__ = [
    "BodyTooLarge",
    "check_form",
    "find_session",
    "name_cookie",
    "read_body",
    "read_form",
    "read_json",
    "read_proxy_user",
    "require_caller",
]

_COOKIE: Final = "hedgerow_session"


class BodyTooLarge(InvalidArgument):
    """A body beyond the limit; it is not read to its end."""


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
        found = json.loads(
            body,
            parse_float=Decimal,
            parse_constant=_refuse_constant,
            object_pairs_hook=_build_object,
        )
    except InvalidArgument:
        raise
    except (ValueError, RecursionError):
        raise InvalidArgument("body", "must be a JSON object in UTF-8") from None
    if not isinstance(found, dict):
        raise InvalidArgument("body", 'must be a JSON object, such as {"sql": "SELECT …"}')
    for key in found:
        if key not in known:
            raise InvalidArgument("body", f"must have only the keys {', '.join(known)}", key)
    return found


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object; which of two equal keys counts, readers do not agree about."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InvalidArgument("body", "must have each key once")
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
    caller = service.find_caller(token.strip())
    request.state.caller = caller.name
    return caller


def name_cookie(settings: ServiceSettings) -> str:
    """Return the name of the session cookie: with TLS one that no neighbouring host can set."""
    return ("__Host-" if settings.is_private else "") + _COOKIE


def find_session(request: Request, service: QueryService) -> tuple[Account, Session] | None:
    """Return the account and the session of a request's cookie, or None."""
    cookie = request.cookies.get(name_cookie(service.settings))
    found = service.accounts.find_login(cookie) if cookie else None
    if found is None:
        return None
    # A session that the proxy opened holds while the proxy names the same person.
    is_proxied = found[1].method is LoginMethod.proxy
    if is_proxied and read_proxy_user(request, service.settings) != found[0].name:
        return None
    request.state.caller = found[0].name
    return found


def read_proxy_user(request: Request, settings: ServiceSettings) -> str | None:
    """Return the account that a trusted proxy names; from anywhere else the header is refused
    before it comes here."""
    header = settings.proxy.user_header
    return None if header is None else request.headers.get(header)


def check_form(request: Request, form: Mapping[str, str], session: Session | None) -> None:
    """Refuse a form that was not sent from a page of this service, to this session."""
    origin = request.headers.get("origin")
    # "null" is the origin of a page that hides where it is from.
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise NotAllowed("This form was sent from another site. Open the page here and try again.")
    site = request.headers.get("sec-fetch-site", "same-origin")
    if site not in ("same-origin", "none"):
        raise NotAllowed("This form was sent from another site. Open the page here and try again.")
    if session is not None and not hmac.compare_digest(
        form.get("form_secret", "").encode(), session.form_secret.encode()
    ):
        raise NotAllowed("This form is no longer valid. Load the page again and send it again.")
