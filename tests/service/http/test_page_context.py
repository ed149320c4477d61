from __future__ import annotations

import pytest
from starlette.requests import Request

from hedgerow.errors import Refused
from hedgerow.service.accounts.records import Role
from hedgerow.service.http.page_context import list_pages, parse_token_number, select_slice


def test_every_role_has_the_links_that_it_may_follow() -> None:
    labels = {role: [page.label for page in list_pages(role)] for role in Role}
    assert labels[Role.analyst] == [
        *("Ask", "History", "Budget", "Tables", "Publications", "Tokens")
    ]
    assert labels[Role.auditor] == [
        *("Overview", "History", "Tables", "Publications", "Policy", "People", "Clipping"),
        *("Ledger", "Tokens"),
    ]
    assert labels[Role.custodian] == ["Overview", "Ask", *labels[Role.auditor][1:]]


@pytest.mark.parametrize(
    ("query", "page", "first"),
    [(b"", 1, 0), (b"page=2", 2, 100), (b"page=99", 3, 200), (b"page=x", 1, 0)],
)
def test_a_long_list_is_shown_in_pages(query: bytes, page: int, first: int) -> None:
    request = Request({"type": "http", "query_string": query})
    found = select_slice(range(250), request)
    assert (found["page_number"], found["last_page"], found["entry_count"]) == (page, 3, 250)
    assert found["entries"][0] == first
    assert select_slice([], request)["entries"] == []


@pytest.mark.parametrize("number", ["", "x", "9" * 20])
def test_a_token_that_has_no_number_is_refused(number: str) -> None:
    with pytest.raises(Refused, match="no such token"):
        parse_token_number({"number": number})
