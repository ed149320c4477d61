"""The page of questions: the editor with its live preview, answers, downloads, saved questions."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hedgerow.answers.explanation import Explanation
from hedgerow.errors import HedgerowError, InvalidArgument
from hedgerow.service.http.answer_formats import ARROW, CSV, encode_answer
from hedgerow.service.http.answer_view import build_answer_page, list_snippets
from hedgerow.service.http.explanation_panel import build_explanation_panel
from hedgerow.service.http.guards import check_form, read_json
from hedgerow.service.http.name_completion import list_completion_words, list_example_questions
from hedgerow.service.http.page_context import PageRequest, PageRoom
from hedgerow.service.http.routes import Access, ServiceRoute
from hedgerow.service.http.templating import render_template
from hedgerow.service.number_text import parse_number_text
from hedgerow.service.problems import describe_problem, find_problem_kind
from hedgerow.service.query_service import AskedAnswer

__all__ = ["QuestionPages"]

_DOWNLOADS: Final = {"csv": CSV, "arrow": ARROW}


class QuestionPages(PageRoom):
    """The endpoints of this page."""

    @property
    def routes(self) -> tuple[ServiceRoute, ...]:
        """The routes of this page."""
        return (
            ServiceRoute("GET", "/ask", self.show_ask, Access.session),
            ServiceRoute("POST", "/ask", self.ask, Access.session),
            ServiceRoute("POST", "/explain", self.explain, Access.session),
            ServiceRoute("POST", "/preview", self.preview, Access.session),
            ServiceRoute("POST", "/download", self.download, Access.session),
            ServiceRoute("POST", "/saved", self.save_question, Access.session),
            ServiceRoute("POST", "/saved/delete", self.delete_question, Access.session),
        )

    async def show_ask(self, request: Request) -> Response:
        """Show the question form; an auditor, who may not ask, goes to the overview."""
        page = await self.open(request)
        if not page.account.role.may_ask:
            return RedirectResponse("/overview", 303)
        given = request.query_params
        return await self._show_ask(
            page, sql=given.get("sql", ""), epsilon=given.get("epsilon", "")
        )

    async def _show_ask(self, page: PageRequest, status: int = 200, **values: Any) -> Response:
        caller = page.caller

        def read() -> dict[str, Any]:
            left, tables = self.service.read_budgets(caller), self.service.list_tables(caller)
            return {
                "budgets": left["budgets"],
                "quotas": [one for one in left["quotas"] if one["analyst"] == caller.name],
                "tables": tables["tables"],
                "words": json.dumps(list_completion_words(tables["tables"])),
                "examples": list_example_questions(tables["tables"]),
                "saved": self.service.accounts.list_questions(caller.name),
                "default_epsilon": self.service.default_epsilon,
                "largest_epsilon": self.service.largest_epsilon,
            }

        defaults: dict[str, Any] = {
            "sql": "",
            "epsilon": "",
            "error": "",
            "panel": None,
            "answer": None,
            "snippets": [],
            "run_seconds": self.service.schedule.longest,
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
        error = page.form.get("error", "").strip()
        try:
            if error and not epsilon:
                epsilon = await self._find_epsilon(page, sql, error)
            price = parse_field(epsilon, "epsilon")
            answer = await self.call(lambda: run(page.caller, sql, epsilon=price))
        except HedgerowError as problem:
            kind = find_problem_kind(problem)
            return await self._show_ask(
                page,
                kind.status,
                sql=sql,
                epsilon=epsilon,
                error=error,
                problem=describe_problem(problem),
                problem_title=kind.title,
            )
        if isinstance(answer, Explanation):
            panel = build_explanation_panel(answer)
            return await self._show_ask(page, sql=sql, epsilon=epsilon, error=error, panel=panel)
        snippets = list_snippets(
            self.find_address(request),
            self.service.settings.pg_port,
            self.service.name,
            page.account.name,
            sql,
            epsilon,
        )
        return await self._show_ask(
            page, sql=sql, epsilon=epsilon, answer=build_answer_page(answer), snippets=snippets
        )

    async def _find_epsilon(self, page: PageRequest, sql: str, error: str) -> str:
        """Return the epsilon that brings the expected error of a question down to this one."""
        wanted = parse_field(error, "error")
        found = await self.call(lambda: self.service.explain(page.caller, sql, error=wanted))
        return str(found.to_dict()["epsilon"])

    async def preview(self, request: Request) -> Response:
        """Explain a question while it is typed, as a part of the page."""
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
                epsilon=parse_field(str(body.get("epsilon", "")), "epsilon"),
                error=parse_field(str(body.get("error", "")), "error"),
            )
        )
        return render_template("panel.html", panel=build_explanation_panel(found))

    async def download(self, request: Request) -> Response:
        """Send a stored answer as a file; it costs nothing."""
        page = await self.open(request, reads_form=True)
        sql, kind = page.form.get("sql", ""), page.form.get("format", "")
        price = parse_field(page.form.get("epsilon", ""), "epsilon")
        answer = await self.call(lambda: self.service.ask_stored(page.caller, sql, epsilon=price))
        if kind not in _DOWNLOADS:
            raise InvalidArgument("format", f"must be {' or '.join(_DOWNLOADS)}", kind)
        content, media_type = encode_answer(answer, _DOWNLOADS[kind])
        disposition = f'attachment; filename="answer.{kind}"'
        return Response(
            content, media_type=media_type, headers={"Content-Disposition": disposition}
        )

    async def save_question(self, request: Request) -> Response:
        """Save a question under a name."""
        page = await self.open(request, reads_form=True)
        name, sql = page.form.get("name", "").strip(), page.form.get("sql", "")
        epsilon, owner = page.form.get("epsilon", "").strip(), page.account.name
        accounts = self.service.accounts
        try:
            parse_field(epsilon, "epsilon")
            await self.call(lambda: accounts.save_question(owner, name, sql, epsilon))
        except HedgerowError as problem:
            kind = find_problem_kind(problem)
            return await self._show_ask(
                page,
                kind.status,
                sql=sql,
                epsilon=epsilon,
                problem=str(problem),
                problem_title=kind.title,
            )
        return await self._show_ask(page, sql=sql, epsilon=epsilon, message=f"Saved as {name}.")

    async def delete_question(self, request: Request) -> Response:
        """Delete a saved question."""
        page = await self.open(request, reads_form=True)
        name = page.form.get("name", "")
        await self.call(lambda: self.service.accounts.delete_question(page.account.name, name))
        return RedirectResponse("/ask", 303)


def parse_field(text: str, argument: str) -> Decimal | None:
    """Parse the number of a field exactly; return None if it is empty."""
    return parse_number_text(text.strip(), argument) if text.strip() else None
