from __future__ import annotations

from hedgerow.service.accounts.records import Role
from hedgerow.service.http.page_context import list_pages


def test_every_role_has_the_links_that_it_may_follow() -> None:
    labels = {role: [page.label for page in list_pages(role)] for role in Role}
    assert labels[Role.analyst] == ["Ask", "History", "Tokens"]
    assert labels[Role.auditor] == [
        *("History", "Tokens", "Overview", "Policy", "Accounts", "Ledger")
    ]
    assert labels[Role.custodian] == ["Ask", *labels[Role.auditor]]
