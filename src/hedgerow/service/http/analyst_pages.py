"""The pages of analysts: login, questions with a live preview, answers, history and tokens."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hedgerow.answers.explanation import Explanation
from hedgerow.errors import HedgerowError, InvalidArgument, Refused
from hedgerow.service.accounts.user_tables import SESSION_SECONDS
from hedgerow.service.http.answer_formats import JSON, encode_document
from hedgerow.service.http.answer_view import build_answer_page, list_snippets
from hedgerow.service.http.guards import (
    SESSION_COOKIE,
    check_form,
    find_session,
    read_form,
    read_json,
)
from hedgerow.service.http.page_context import PageRequest, PageRoom
from hedgerow.service.http.routes import Access, ServiceRoute
from hedgerow.service.http.templating import render_template
from hedgerow.service.problems import (
    describe_problem,
    find_problem_kind,
)
from hedgerow.service.query_service import AskedAnswer

__all__ = ["AnalystPages"]

_OWN_HISTORY = (
    "Your own questions. That an answer is free tells that somebody has asked the question before."
)


class AnalystPages(PageRoom):
    """The endpoints of these pages."""

    @property
    def routes(self) -> tuple[ServiceRoute, ...]:
        """The routes of these pages."""
        return (
            ServiceRoute("GET", "/login", self.show_login, Access.public),
            ServiceRoute("POST", "/login", self.log_in, Access.public),
            ServiceRoute("POST", "/logout", self.log_out, Access.session),
            ServiceRoute("GET", "/", self.show_ask, Access.session),
            ServiceRoute("POST", "/ask", self.ask, Access.session),
            ServiceRoute("POST", "/explain", self.explain, Access.session),
            ServiceRoute("POST", "/preview", self.preview, Access.session),
            ServiceRoute("POST", "/saved", self.save_question, Access.session),
            ServiceRoute("POST", "/saved/delete", self.delete_question, Access.session),
            ServiceRoute("GET", "/history", self.show_history, Access.session),
            ServiceRoute("GET", "/tokens", self.show_tokens, Access.session),
            ServiceRoute("POST", "/tokens", self.add_token, Access.session),
            ServiceRoute("POST", "/tokens/revoke", self.revoke_token, Access.session),
        )

    async def show_login(self, request: Request) -> Response:
        """Show the form of a login, or the first page to somebody who is logged in."""
        if await self.call(lambda: find_session(request, self.service)) is not None:
            return RedirectResponse("/", 303)
        return self._show_login()

    def _show_login(self, status: int = 200, problem: str = "") -> Response:
        return render_template(
            "login.html",
            status,
            database=self.service.name,
            noun=self.service.unit_noun,
            problem=problem,
            problem_title="Not logged in" if problem else "",
        )

    async def log_in(self, request: Request) -> Response:
        """Check a name and a password, and open a session."""
        form = await read_form(request, self.service.settings.limits.body_bytes)
        check_form(request, form, None)
        address = request.client.host if request.client else ""
        name, password = form.get("name", ""), form.get("password", "")
        try:
            cookie = await self.call(lambda: self.service.log_in(name, password, address))
        except HedgerowError as error:
            return self._show_login(find_problem_kind(error).status, str(error))
        response = RedirectResponse("/", 303)
        response.set_cookie(
            SESSION_COOKIE,
            cookie,
            max_age=SESSION_SECONDS,
            httponly=True,
            samesite="strict",
            secure=self.service.settings.has_tls,
            path="/",
        )
        return response

    async def log_out(self, request: Request) -> Response:
        """End the session."""
        await self.open(request, reads_form=True)
        cookie = request.cookies[SESSION_COOKIE]
        await self.call(lambda: self.service.accounts.close_session(cookie))
        response = RedirectResponse("/login", 303)
        response.delete_cookie(SESSION_COOKIE, path="/")
        return response

    async def show_ask(self, request: Request) -> Response:
        """Show the question form; an auditor, who may not ask, goes to the overview."""
        page = await self.open(request)
        if not page.account.role.may_ask:
            return RedirectResponse("/overview", 303)
        return await self._show_ask(page, sql=request.query_params.get("sql", ""))

    async def _show_ask(self, page: PageRequest, status: int = 200, **values: Any) -> Response:
        caller = page.caller

        def read() -> dict[str, Any]:
            left, tables = self.service.read_budgets(caller), self.service.list_tables(caller)
            return {
                "budgets": left["budgets"],
                "quotas": [one for one in left["quotas"] if one["analyst"] == caller.name],
                "tables": tables["tables"],
                "saved": self.service.accounts.list_questions(caller.name),
                "default_epsilon": self.service.default_epsilon,
            }

        defaults: dict[str, Any] = {
            "sql": "",
            "epsilon": "",
            "explanation": "",
            "answer": None,
            "snippets": [],
        }
        found = await self.call(read)
        return self.show(page, "ask.html", status, **(defaults | found | values))

    async def ask(self, request: Request) -> Response:
        """Answer the question of the form."""
        return await self._show_result(request, self.service.ask)

    async def explain(self, request: Request) -> Response:
        """Explain the question of the form."""
        return await self._show_result(request, self.service.explain)

    async def _show_result(self, request: Request, run: Callable[..., AskedAnswer]) -> Response:
        """Show what a method of the service makes of the question of the form."""
        page = await self.open(request, reads_form=True)
        sql, epsilon = page.form.get("sql", ""), page.form.get("epsilon", "").strip()
        try:
            price = _parse_number(epsilon, "epsilon")
            answer = await self.call(lambda: run(page.caller, sql, epsilon=price))
        except HedgerowError as error:
            return await self._show_problem(page, error, sql, epsilon)
        if isinstance(answer, Explanation):
            return await self._show_ask(page, sql=sql, epsilon=epsilon, explanation=repr(answer))
        snippets = list_snippets(
            str(request.base_url).rstrip("/"),
            self.service.settings.pg_port,
            self.service.name,
            page.account.name,
            sql,
            epsilon,
        )
        return await self._show_ask(
            page, sql=sql, epsilon=epsilon, answer=build_answer_page(answer), snippets=snippets
        )

    async def _show_problem(
        self, page: PageRequest, error: HedgerowError, sql: str, epsilon: str
    ) -> Response:
        kind = find_problem_kind(error)
        return await self._show_ask(
            page,
            kind.status,
            sql=sql,
            epsilon=epsilon,
            problem=describe_problem(error),
            problem_title=kind.title,
        )

    async def preview(self, request: Request) -> Response:
        """Explain a question while it is typed, as JSON."""
        page = await self.open(request)
        check_form(
            request,
            {"form_secret": request.headers.get("x-form-secret", "")},
            page.session,
        )
        limit = self.service.settings.limits.body_bytes
        body = await read_json(request, limit, "sql", "epsilon", "error")
        found = await self.call(
            lambda: self.service.explain(
                page.caller,
                str(body.get("sql", "")),
                epsilon=_parse_number(str(body.get("epsilon", "")), "epsilon"),
                error=_parse_number(str(body.get("error", "")), "error"),
            )
        )
        return Response(encode_document(found.to_dict()), media_type=JSON)

    async def save_question(self, request: Request) -> Response:
        """Save a question under a name."""
        page = await self.open(request, reads_form=True)
        name, sql = page.form.get("name", "").strip(), page.form.get("sql", "")
        await self.call(lambda: self.service.accounts.save_question(page.account.name, name, sql))
        return RedirectResponse("/", 303)

    async def delete_question(self, request: Request) -> Response:
        """Delete a saved question."""
        page = await self.open(request, reads_form=True)
        name = page.form.get("name", "")
        await self.call(lambda: self.service.accounts.delete_question(page.account.name, name))
        return RedirectResponse("/", 303)

    async def show_history(self, request: Request) -> Response:
        """Show the ledger entries of the account."""
        page = await self.open(request)
        found = await self.call(lambda: self.service.list_history(page.caller))
        own = [one for one in found["entries"] if one["analyst"] == page.account.name]
        entries = found["entries"] if page.account.role.sees_everything else own
        return self.show(
            page,
            "history.html",
            heading="History",
            hint=_OWN_HISTORY,
            entries=[one for one in entries if one["kind"] == "charge"],
            verification="",
        )

    async def show_tokens(self, request: Request) -> Response:
        """Show the tokens of the account."""
        return await self._show_tokens(await self.open(request))

    async def _show_tokens(self, page: PageRequest, token: str = "") -> Response:
        name = page.account.name
        tokens = await self.call(lambda: self.service.accounts.list_tokens(name))
        return self.show(page, "tokens.html", tokens=tokens[::-1], token=token)

    async def add_token(self, request: Request) -> Response:
        """Create a token and show it once."""
        page = await self.open(request, reads_form=True)
        name, may = page.form.get("name", "").strip(), page.form.get("may", "ask")
        days = page.form.get("days", "").strip()
        if not days.isdecimal() or len(days) > 4:
            raise InvalidArgument("expires", "must be 1 to 3650 days", days)
        text, _ = await self.call(
            lambda: self.service.accounts.add_token(
                page.account.name,
                name,
                page.account.name,
                days=int(days),
                explains_only=may == "explain",
                needs_epsilon=may == "named",
            )
        )
        return await self._show_tokens(page, text)

    async def revoke_token(self, request: Request) -> Response:
        """Revoke a token of the account."""
        page = await self.open(request, reads_form=True)
        number, name = page.form.get("number", ""), page.account.name
        if not number.isdecimal() or len(number) > 18:
            raise Refused("There is no such token. Open the page again.")
        await self.call(lambda: self.service.accounts.revoke_token(int(number), name, account=name))
        return RedirectResponse("/tokens", 303)


def _parse_number(text: str, argument: str) -> Decimal | None:
    """Return the number of a field exactly; None if it is empty."""
    if not text.strip():
        return None
    try:
        return Decimal(text.strip()[:60])
    except InvalidOperation:
        raise InvalidArgument(argument, "must be a number, such as 0.5", text[:60]) from None
