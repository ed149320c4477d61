"""The context of a page: the session behind a request, the links that its role may follow, and
worker threads for everything that blocks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from hedgerow.errors import Refused
from hedgerow.service.accounts.records import Account, Caller, LoginMethod, Role, Session
from hedgerow.service.http.guards import check_form, find_session, read_form
from hedgerow.service.http.templating import render_template
from hedgerow.service.problems import NotAllowed, NotAuthenticated
from hedgerow.service.query_service import QueryService

__all__ = [
    "CONFIRMED_SECONDS",
    "PageLink",
    "PageRequest",
    "PageRoom",
    "list_pages",
    "parse_token_number",
    "render_page",
    "select_slice",
]

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link in the head of every page."""

    path: str
    label: str
    roles: frozenset[Role]


CONFIRMED_SECONDS: Final = 300
_ALL, _OVERVIEW = frozenset(Role), frozenset({Role.custodian, Role.auditor})
_ASKING, _ANALYST = frozenset({Role.custodian, Role.analyst}), frozenset({Role.analyst})
_PAGES: Final = (
    PageLink("/overview", "Overview", _OVERVIEW),
    PageLink("/ask", "Ask", _ASKING),
    PageLink("/history", "History", _ALL),
    PageLink("/budget", "Budget", _ANALYST),
    PageLink("/tables", "Tables", _ALL),
    PageLink("/publications", "Publications", _ALL),
    PageLink("/policy", "Policy", _OVERVIEW),
    PageLink("/accounts", "People", _OVERVIEW),
    PageLink("/clipping", "Clipping", _OVERVIEW),
    PageLink("/ledger", "Ledger", _OVERVIEW),
    PageLink("/tokens", "Tokens", _ALL),
)
_SLICE: Final = 100  # entries of a page


def list_pages(role: Role) -> list[PageLink]:
    """Return the pages that a role may open."""
    return [page for page in _PAGES if role in page.roles]


def select_slice(entries: Sequence[Any], request: Request) -> dict[str, Any]:
    """Select the entries of a page of a long list, by the number in the query of its address."""
    given = request.query_params.get("page", "1")
    last = max(1, -(-len(entries) // _SLICE))
    number = min(max(int(given), 1), last) if given.isdecimal() and len(given) < 9 else 1
    return {
        "entries": entries[(number - 1) * _SLICE : number * _SLICE],
        "entry_count": len(entries),
        "page_number": number,
        "last_page": last,
    }


def parse_token_number(form: Mapping[str, str]) -> int:
    """Parse the number of a token in a form."""
    number = form.get("number", "")
    if not number.isdecimal() or len(number) > 18:
        raise Refused("There is no such token. Open the page again.")
    return int(number)


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A request of somebody who is logged in."""

    request: Request
    account: Account
    session: Session
    form: dict[str, str]

    @property
    def caller(self) -> Caller:
        """The account, without a token."""
        return Caller(self.account)


class PageRoom:
    """The base of the pages over one service."""

    def __init__(self, service: QueryService) -> None:
        self.service = service

    async def open(self, request: Request, *, reads_form: bool = False) -> PageRequest:
        """Return the session of a request; refuse one without, or a form from elsewhere."""
        found = await self.call(lambda: find_session(request, self.service))
        if found is None:
            raise NotAuthenticated("Log in first.")
        account, session = found
        # For the page of an error, which has the links of whoever is logged in, too.
        page = request.state.page = PageRequest(request, account, session, {})
        if reads_form:
            form = await read_form(request, self.service.settings.limits.body_bytes)
            check_form(request, form, session)
            page = replace(page, form=form)
        return page

    async def open_overview(self, request: Request) -> PageRequest:
        """Return the session of a custodian or an auditor."""
        page = await self.open(request)
        self.service.require_overview(page.caller)
        return page

    async def open_custodian(self, request: Request) -> PageRequest:
        """Return the form of a custodian, whose password it holds where an act loosens anything."""
        page = await self.open(request, reads_form=True)
        self.service.require_custodian(page.caller)
        return page

    async def check_own_password(self, page: PageRequest) -> None:
        """Refuse a form that does not hold the password of its sender, unless they have just shown
        the login provider again who they are."""
        if time.time() - page.session.confirmed < CONFIRMED_SECONDS:
            return
        name, given = page.account.name, page.form.get("password", "")
        if page.session.method is LoginMethod.openid and not given:
            raise NotAllowed(
                "Show again who you are at /login/openid?confirm=1, then send the form again."
                " Nothing was changed."
            )
        if not await self.call(lambda: self.service.confirm_password(name, given)):
            raise NotAllowed("That is not your password. Nothing was changed.")

    def find_address(self, request: Request) -> str:
        """Return the address under which people reach the service."""
        return self.service.settings.public_url or str(request.base_url).rstrip("/")

    def show(self, page: PageRequest, template: str, status: int = 200, **values: Any) -> Response:
        """Render a page for somebody who is logged in."""
        return render_page(self.service.name, page, template, status, **values)

    @staticmethod
    async def call(function: Callable[[], Result]) -> Result:
        """Call a function that blocks in a worker thread."""
        return await asyncio.to_thread(function)


def render_page(
    database: str, page: PageRequest | None, template: str, status: int = 200, **values: Any
) -> Response:
    """Render a page, for somebody who is logged in or for anybody."""
    if page is not None:
        values |= {
            "account": page.account,
            "form_secret": page.session.form_secret,
            "login_method": page.session.method.value,
            "pages": list_pages(page.account.role),
            "path": page.request.url.path,
        }
    return render_template(template, status, database=database, **values)
