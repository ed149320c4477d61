"""The pages of custodians and auditors: budgets, policy, accounts and ledger."""

from __future__ import annotations

from collections import Counter

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.service.accounts.records import Role
from hedgerow.service.http.page_context import PageRequest, PageRoom
from hedgerow.service.http.routes import Access, ServiceRoute
from hedgerow.service.policy_changes import accept_policy_file

__all__ = ["CustodianPages"]


class CustodianPages(PageRoom):
    """The endpoints of these pages."""

    @property
    def routes(self) -> tuple[ServiceRoute, ...]:
        """The routes of these pages."""
        return (
            ServiceRoute("GET", "/overview", self.show_overview, Access.overview_session),
            ServiceRoute("GET", "/policy", self.show_policy, Access.overview_session),
            ServiceRoute("POST", "/policy/accept", self.accept_policy, Access.custodian_session),
            ServiceRoute("GET", "/accounts", self.show_accounts, Access.overview_session),
            ServiceRoute("POST", "/accounts", self.add_account, Access.custodian_session),
            ServiceRoute(
                "POST", "/accounts/disable", self.disable_account, Access.custodian_session
            ),
            ServiceRoute("GET", "/ledger", self.show_ledger, Access.overview_session),
        )

    async def show_overview(self, request: Request) -> Response:
        """Show budgets, quotas and the promise about time."""
        page = await self.open_overview(request)
        left = await self.call(lambda: self.service.read_budgets(page.caller))
        return self.show(
            page,
            "overview.html",
            budgets=left["budgets"],
            quotas=left["quotas"],
            timing=self.service.settings.departures.describe(),
        )

    async def show_policy(self, request: Request) -> Response:
        """Show the policy file, and how it differs from the policy that rules."""
        page = await self.open_overview(request)
        change = await self.call(self.service.compare_policy)
        return self.show(
            page,
            "policy.html",
            text=change.text,
            mistakes=change.mistakes,
            changed=change.is_changed,
            loosenings=change.loosenings,
            other_changes=change.other_changes,
            digest=change.digest,
            is_custodian=page.account.role is Role.custodian,
        )

    async def accept_policy(self, request: Request) -> Response:
        """Accept the policy file that the page showed."""
        page = await self.open_custodian(request)
        await self.check_own_password(page)
        digest, note = page.form.get("digest", ""), page.form.get("note", "")
        file, name = self.service.settings.policy, page.account.name
        await self.call(lambda: accept_policy_file(file, digest, name, note))
        await self.call(self.service.check_readiness)  # it opens the new policy
        return RedirectResponse("/policy", 303)

    async def show_accounts(self, request: Request) -> Response:
        """Show all accounts."""
        return await self._show_accounts(await self.open_overview(request))

    async def _show_accounts(self, page: PageRequest) -> Response:
        accounts = await self.call(self.service.accounts.list_accounts)
        tokens = await self.call(self.service.accounts.list_tokens)
        counts = Counter(token.account for token in tokens if not token.is_revoked)
        return self.show(
            page,
            "accounts.html",
            accounts=accounts,
            token_counts=counts,
            is_custodian=page.account.role is Role.custodian,
        )

    async def add_account(self, request: Request) -> Response:
        """Add an account."""
        page = await self.open_custodian(request)
        await self.check_own_password(page)
        name, role = page.form.get("name", "").strip(), page.form.get("role", "")
        if role not in set(Role):
            raise InvalidArgument("role", f"must be one of {', '.join(Role)}", role)
        password = page.form.get("new_password", "")
        await self.call(
            lambda: self.service.accounts.add_account(name, Role(role), password, page.account.name)
        )
        return RedirectResponse("/accounts", 303)

    async def disable_account(self, request: Request) -> Response:
        """Disable an account at once."""
        page = await self.open_custodian(request)
        name = page.form.get("name", "")
        if name == page.account.name:
            raise Refused("You cannot disable your own account. Ask another custodian.")
        await self.call(lambda: self.service.accounts.set_disabled(name, True, page.account.name))
        return RedirectResponse("/accounts", 303)

    async def show_ledger(self, request: Request) -> Response:
        """Show all entries of the ledger, and verify its chain."""
        page = await self.open_overview(request)
        found = await self.call(lambda: self.service.list_ledger(page.caller))
        return self.show(
            page,
            "history.html",
            heading="Ledger",
            hint="Every charge, answer, failure and administrative act, in order.",
            entries=found["entries"],
            verification=found["verification"],
        )
