"""The pages of custodians and auditors: overview, policy, people, clipping and ledger."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.service.accounts.records import Role
from hedgerow.service.http.clipping_view import build_clipping_view
from hedgerow.service.http.page_context import (
    PageRequest,
    PageRoom,
    parse_token_number,
    select_slice,
)
from hedgerow.service.http.policy_lines import DiffLine, diff_policies, explain_policy_lines
from hedgerow.service.http.routes import Access, ServiceRoute
from hedgerow.service.http.spending_chart import draw_spending_charts
from hedgerow.service.policy_changes import PolicyChange, accept_policy_file

__all__ = ["CustodianPages"]

_RECENT: Final = 8  # questions on the overview


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
            ServiceRoute("POST", "/accounts/enable", self.enable_account, Access.custodian_session),
            ServiceRoute(
                "POST", "/accounts/password", self.reset_password, Access.custodian_session
            ),
            ServiceRoute(
                "POST", "/accounts/tokens/revoke", self.revoke_token, Access.custodian_session
            ),
            ServiceRoute("GET", "/clipping", self.show_clipping, Access.overview_session),
            ServiceRoute("GET", "/ledger", self.show_ledger, Access.overview_session),
        )

    async def show_overview(self, request: Request) -> Response:
        """Show budgets over time, quotas, the last questions and the promise about time."""
        page = await self.open_overview(request)
        left = await self.call(lambda: self.service.read_budgets(page.caller))
        found = await self.call(lambda: self.service.list_history(page.caller))
        change = await self.call(self.service.compare_policy)
        charges = [one for one in found["entries"] if one["kind"] == "charge"]
        return self.show(
            page,
            "overview.html",
            budgets=left["budgets"],
            quotas=left["quotas"],
            charts=draw_spending_charts(charges, left["budgets"], "Epsilon asked for"),
            recent=charges[: -_RECENT - 1 : -1],
            is_policy_changed=change.is_changed,
            timing=self.service.settings.departures.describe(),
            schedule=self.service.schedule.describe(),
        )

    async def show_policy(self, request: Request) -> Response:
        """Show the policy file, and how it differs from the policy that rules."""
        page = await self.open_overview(request)
        change = await self.call(self.service.compare_policy)
        return self.show(
            page,
            "policy.html",
            lines=explain_policy_lines(change.text),
            diff=_list_diff(change),
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
        quotas = await self.call(lambda: self.service.list_quotas(page.caller))
        return self.show(
            page,
            "accounts.html",
            accounts=accounts,
            tokens=[token for token in tokens if not token.is_revoked],
            quotas={one["analyst"]: one for one in quotas["quotas"]},
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

    async def enable_account(self, request: Request) -> Response:
        """Allow an account again that was disabled."""
        page = await self.open_custodian(request)
        await self.check_own_password(page)
        name = page.form.get("name", "")
        await self.call(lambda: self.service.accounts.set_disabled(name, False, page.account.name))
        return RedirectResponse("/accounts", 303)

    async def reset_password(self, request: Request) -> Response:
        """Give an account a new password, which ends its sessions."""
        page = await self.open_custodian(request)
        await self.check_own_password(page)
        name, password = page.form.get("name", ""), page.form.get("new_password", "")
        await self.call(
            lambda: self.service.accounts.set_password(name, password, page.account.name)
        )
        return RedirectResponse("/accounts", 303)

    async def revoke_token(self, request: Request) -> Response:
        """Revoke a token of anybody at once."""
        page = await self.open_custodian(request)
        number = parse_token_number(page.form)
        await self.call(lambda: self.service.accounts.revoke_token(number, page.account.name))
        return RedirectResponse("/accounts", 303)

    async def show_clipping(self, request: Request) -> Response:
        """Show what was measured of each table that the caps can cut: private figures only."""
        page = await self.open_overview(request)
        measured = await self.call(lambda: self.service.list_clipping(page.caller))
        tables = await self.call(lambda: self.service.list_tables(page.caller))
        caps = {one["name"]: one for one in tables["tables"]}
        views = [
            build_clipping_view(name, histogram, caps[name]) for name, histogram in measured.items()
        ]
        return self.show(page, "clipping.html", tables=views)

    async def show_ledger(self, request: Request) -> Response:
        """Show all entries of the ledger, and verify its chain if that is asked for."""
        page = await self.open_overview(request)
        found = await self.call(lambda: self.service.list_history(page.caller))
        verification = ""
        if request.query_params.get("verify"):
            verification = await self.call(lambda: self.service.verify_ledger(page.caller))
        return self.show(
            page,
            "ledger.html",
            verification=verification,
            **select_slice(found["entries"][::-1], page.request),
        )


def _list_diff(change: PolicyChange) -> list[DiffLine]:
    if change.ruling is None or change.written is None:
        return []
    return diff_policies(change.ruling, change.written)
