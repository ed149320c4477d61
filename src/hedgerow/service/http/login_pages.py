"""Login and logout: by password, at a provider of OpenID Connect, or by a trusted reverse proxy."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from typing import Final, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hedgerow.errors import HedgerowError
from hedgerow.service.accounts.login_tables import SESSION_SECONDS
from hedgerow.service.accounts.openid_provider import OpenIdProvider
from hedgerow.service.accounts.records import LoginMethod
from hedgerow.service.http.guards import (
    check_form,
    find_session,
    name_cookie,
    read_form,
    read_proxy_user,
)
from hedgerow.service.http.page_context import PageRoom
from hedgerow.service.http.routes import Access, ServiceRoute
from hedgerow.service.http.templating import render_template
from hedgerow.service.problems import (
    NotAllowed,
    NotAuthenticated,
    Overloaded,
    find_problem_kind,
)
from hedgerow.service.query_service import QueryService

__all__ = ["LoginPages"]

Result = TypeVar("Result")
_CALLBACK: Final = "/login/openid/callback"
_MAX_FORM: Final = 16_384  # bytes: nobody has shown yet who they are
_LOGINS_AT_ONCE: Final = 2  # each takes 32 MB and a third of a second
_MOST_WAITING: Final = 20


class LoginPages(PageRoom):
    """The endpoints of these pages."""

    def __init__(self, service: QueryService) -> None:
        super().__init__(service)
        openid = service.settings.openid
        self._provider = None if openid is None else OpenIdProvider(openid)
        self._limiter: CapacityLimiter | None = None

    @property
    def routes(self) -> tuple[ServiceRoute, ...]:
        """The routes of these pages."""
        routes = (
            ServiceRoute("GET", "/login", self.show_login, Access.public),
            ServiceRoute("POST", "/login", self.log_in, Access.public),
            ServiceRoute("POST", "/logout", self.log_out, Access.session),
        )
        if self._provider is None:
            return routes
        return (
            *routes,
            ServiceRoute("GET", "/login/openid", self.start_openid, Access.public),
            ServiceRoute("GET", _CALLBACK, self.finish_openid, Access.public),
        )

    async def show_login(self, request: Request) -> Response:
        """Show the form of a login; whoever is logged in, also at the proxy, goes on."""
        if await self.call(lambda: find_session(request, self.service)) is not None:
            return RedirectResponse("/", 303)
        name = read_proxy_user(request, self.service.settings)
        if name is None:
            return self._show_login()
        try:
            return await self._open_session(request, name, LoginMethod.proxy)
        except NotAllowed as error:
            return self._show_login(403, str(error))

    def _show_login(self, status: int = 200, problem: str = "") -> Response:
        settings = self.service.settings
        return render_template(
            "login.html",
            status,
            database=self.service.name,
            noun=self.service.unit_noun,
            has_password=settings.password_login,
            has_openid=settings.openid is not None,
            problem=problem,
            problem_title="Not logged in" if problem else "",
        )

    async def log_in(self, request: Request) -> Response:
        """Check a name and a password, and open a session."""
        if not self.service.settings.password_login:
            raise NotAllowed("Passwords are not accepted here. Log in at the provider.")
        form = await read_form(request, _MAX_FORM)
        check_form(request, form, None)
        name, password = form.get("name", ""), form.get("password", "")
        address = request.client.host if request.client else ""
        old_cookie = request.cookies.get(name_cookie(self.service.settings), "")
        try:
            cookie = await self._call_slowly(
                lambda: self.service.log_in(name, password, address, old_cookie)
            )
        except HedgerowError as error:
            return self._show_login(find_problem_kind(error).status, str(error))
        return self._set_cookie(RedirectResponse("/", 303), cookie)

    async def _call_slowly(self, function: Callable[[], Result]) -> Result:
        """Call what takes long in threads of its own: a crowd at the login keeps no question
        waiting, and does not fill the memory."""
        if self._limiter is None:
            self._limiter = CapacityLimiter(_LOGINS_AT_ONCE)
        if self._limiter.statistics().tasks_waiting >= _MOST_WAITING:
            raise Overloaded("Too many people are logging in. Try again in a few seconds.", 3)
        return await to_thread.run_sync(function, limiter=self._limiter)

    async def _open_session(
        self, request: Request, name: str, method: LoginMethod, *, is_confirmed: bool = False
    ) -> Response:
        """Open a session for somebody whom the provider or the proxy named."""
        accounts = self.service.accounts
        old_cookie = request.cookies.get(name_cookie(self.service.settings), "")
        account = await self.call(lambda: accounts.find_account(name))
        if account is None or account.is_disabled:
            raise NotAllowed(
                f"There is no account for {name[:60]!r} here, or it is disabled. Ask the custodian"
                " to add it."
            )
        cookie = await self.call(
            lambda: accounts.open_session(
                account.name, method, old_cookie=old_cookie, is_confirmed=is_confirmed
            )
        )
        # A page and not a redirect: the browser came from elsewhere, and would not send a cookie
        # that is for this site alone.
        page = render_template("logged_in.html", database=self.service.name)
        return self._set_cookie(page, cookie)

    def _set_cookie(self, response: Response, cookie: str) -> Response:
        settings = self.service.settings
        response.set_cookie(
            name_cookie(settings),
            cookie,
            max_age=SESSION_SECONDS,
            httponly=True,
            samesite="strict",
            secure=settings.is_private,
            path="/",
        )
        return response

    async def log_out(self, request: Request) -> Response:
        """End the session, here and not only in the browser."""
        await self.open(request, reads_form=True)
        name = name_cookie(self.service.settings)
        cookie = request.cookies[name]
        await self.call(lambda: self.service.accounts.close_session(cookie))
        response = RedirectResponse("/login", 303)
        response.delete_cookie(
            name,
            path="/",
            secure=self.service.settings.is_private,
            httponly=True,
            samesite="strict",
        )
        return response

    # OpenID Connect

    async def start_openid(self, request: Request) -> Response:
        """Send somebody to the provider; with ``confirm``, to show again who they are."""
        provider, accounts = self._require_provider(), self.service.accounts
        confirms = "confirm" in request.query_params
        callback = self._build_callback(request)

        def start() -> tuple[str, str]:
            state, nonce, verifier = accounts.start_login(confirms=confirms)
            url = provider.build_login_url(state, nonce, verifier, callback, confirms=confirms)
            return state, url

        try:
            state, url = await self._call_slowly(start)
        except HedgerowError as error:
            return self._show_login(find_problem_kind(error).status, str(error))
        response = RedirectResponse(url, 303)
        # Lax, because the browser comes back from the provider's site.
        response.set_cookie(
            self._state_cookie,
            state,
            max_age=600,
            httponly=True,
            samesite="lax",
            secure=self.service.settings.is_private,
            path="/",
        )
        return response

    async def finish_openid(self, request: Request) -> Response:
        """Open a session for whoever the provider says has logged in."""
        try:
            response = await self._finish_openid(request)
        except HedgerowError as error:
            response = self._show_login(find_problem_kind(error).status, str(error))
        response.delete_cookie(
            self._state_cookie, path="/", secure=self.service.settings.is_private
        )
        return response

    async def _finish_openid(self, request: Request) -> Response:
        provider, accounts = self._require_provider(), self.service.accounts
        state = request.query_params.get("state", "")
        held = request.cookies.get(self._state_cookie, "")
        # The browser that comes back must be the one that was sent away, and only once.
        if not state or not hmac.compare_digest(state.encode(), held.encode()):
            raise NotAuthenticated("This login was not started in this browser. Log in again.")
        started = await self.call(lambda: accounts.finish_login(state))
        if started is None:
            raise NotAuthenticated("This login was used already, or took too long. Log in again.")
        nonce, verifier, confirms = started
        answer, callback = dict(request.query_params), self._build_callback(request)
        name = await self._call_slowly(
            lambda: provider.find_account_name(answer, nonce, verifier, callback, confirms=confirms)
        )
        return await self._open_session(request, name, LoginMethod.openid, is_confirmed=confirms)

    @property
    def _state_cookie(self) -> str:
        return name_cookie(self.service.settings) + "_login"

    def _build_callback(self, request: Request) -> str:
        return self.find_address(request) + _CALLBACK

    def _require_provider(self) -> OpenIdProvider:
        assert self._provider is not None  # or there would be no route
        return self._provider
