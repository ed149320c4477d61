"""The pages of everybody: history, tables, budget, publications and tokens."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hedgerow.errors import InvalidArgument
from hedgerow.service.accounts.records import LoginMethod
from hedgerow.service.http.name_completion import list_example_questions
from hedgerow.service.http.page_context import (
    PageRequest,
    PageRoom,
    parse_token_number,
    select_slice,
)
from hedgerow.service.http.routes import Access, ServiceRoute
from hedgerow.service.http.spending_chart import draw_spending_charts

__all__ = ["AnalystPages"]


class AnalystPages(PageRoom):
    """The endpoints of these pages."""

    @property
    def routes(self) -> tuple[ServiceRoute, ...]:
        """The routes of these pages."""
        return (
            ServiceRoute("GET", "/", self.show_start, Access.session),
            ServiceRoute("GET", "/history", self.show_history, Access.session),
            ServiceRoute("GET", "/tables", self.show_tables, Access.session),
            ServiceRoute("GET", "/budget", self.show_budget, Access.session),
            ServiceRoute("GET", "/publications", self.show_publications, Access.session),
            ServiceRoute("GET", "/tokens", self.show_tokens, Access.session),
            ServiceRoute("POST", "/tokens", self.add_token, Access.session),
            ServiceRoute("POST", "/tokens/revoke", self.revoke_token, Access.session),
            ServiceRoute("POST", "/password", self.change_password, Access.session),
        )

    async def show_start(self, request: Request) -> Response:
        """Show an analyst the question form, and custodian and auditor the overview."""
        page = await self.open(request)
        return RedirectResponse("/overview" if page.account.role.sees_everything else "/ask", 303)

    async def show_history(self, request: Request) -> Response:
        """Show the questions of the account; custodian and auditor see all of them."""
        page = await self.open(request)
        found = await self.call(lambda: self.service.list_history(page.caller))
        sees_all, name = page.account.role.sees_everything, page.account.name
        failed = {one["charge"] for one in found["entries"] if one["kind"] == "failure"}
        charges = [
            one
            for one in found["entries"]
            if one["kind"] == "charge" and (sees_all or one["analyst"] == name)
        ]
        return self.show(
            page,
            "history.html",
            failed=failed,
            sees_all=sees_all,
            may_ask=page.account.role.may_ask,
            **select_slice(charges[::-1], page.request),
        )

    async def show_tables(self, request: Request) -> Response:
        """Show the tables that the account may ask about, with all that is public of them."""
        page = await self.open(request)
        found = await self.call(lambda: self.service.list_tables(page.caller))
        examples = list_example_questions(found["tables"])
        return self.show(page, "tables.html", tables=found["tables"], examples=examples)

    async def show_budget(self, request: Request) -> Response:
        """Show what is left, and what the account spent over time."""
        page = await self.open(request)
        left = await self.call(lambda: self.service.read_budgets(page.caller))
        found = await self.call(lambda: self.service.list_history(page.caller))
        own = [one for one in found["entries"] if one["analyst"] == page.account.name]
        return self.show(
            page,
            "budget.html",
            budgets=left["budgets"],
            quotas=[one for one in left["quotas"] if one["analyst"] == page.account.name],
            charts=draw_spending_charts(own, left["budgets"], "Epsilon you asked for"),
        )

    async def show_publications(self, request: Request) -> Response:
        """Show what was published about the tables of the account."""
        page = await self.open(request)
        found = await self.call(lambda: self.service.list_publications(page.caller))
        return self.show(page, "publications.html", publications=found["publications"][::-1])

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
        if page.session.method is not LoginMethod.proxy:  # those may have no password here
            await self.check_own_password(page)
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
        number, name = parse_token_number(page.form), page.account.name
        await self.call(lambda: self.service.accounts.revoke_token(number, name, account=name))
        return RedirectResponse("/tokens", 303)

    async def change_password(self, request: Request) -> Response:
        """Set another password for the account, which ends its sessions."""
        page = await self.open(request, reads_form=True)
        await self.check_own_password(page)
        name, password = page.account.name, page.form.get("new_password", "")
        await self.call(lambda: self.service.accounts.set_password(name, password, name))
        return RedirectResponse("/login", 303)
