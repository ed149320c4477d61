"""Every page of every role at both widths, in light and in dark: scripts, hosts, overflow, axe."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from service.browser.conftest import browser, clinic
from service.browser.helpers_browser import (
    ANALYST_PAGES,
    CUSTODIAN_PAGES,
    WIDTHS,
    Scheme,
    open_visitor,
)
from service.helpers_service import COUNT, RunningService

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["browser", "clinic"]  # fixtures
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
LONG = (
    "SELECT region, COUNT(*) AS a_very_long_name_of_a_column_that_goes_on_and_on, AVG(age) AS"
    " another_quite_long_name FROM visits WHERE age > 1 GROUP BY region"
)
TRIED = ("SELECT * FROM visits", "SELECT nothing FROM nowhere", "SELECT COUNT(*) FROM visits WHERE")


@pytest.fixture(scope="module")
def asked(clinic: RunningService) -> RunningService:
    """The clinic with a history, a publication and long names."""
    for number in range(120):
        clinic.ask("carl", f"SELECT COUNT(*) FROM visits WHERE age < {number}", epsilon="0.001")
    accounts = clinic.service.accounts
    accounts.save_question("ana", "a name that is long " * 4, LONG, "0.5")
    accounts.add_token("ana", "x" * 60, "test")
    return clinic


@pytest.mark.parametrize(("width", "scheme"), list(itertools.product(WIDTHS, SCHEMES)))
def test_every_page_is_sound(
    browser: Browser, asked: RunningService, width: str, scheme: Scheme
) -> None:
    wrong = []
    for name, pages in (
        ("ana", ANALYST_PAGES),
        ("carl", (*CUSTODIAN_PAGES, *ANALYST_PAGES, "history?page=2", "ledger?verify=yes&page=2")),
        ("aude", (*CUSTODIAN_PAGES, "history", "tables", "publications", "tokens")),
    ):
        visitor = open_visitor(browser, asked, width, scheme)
        visitor.log_in(name)
        for page in pages:
            visitor.open(f"/{page}")
        if name != "aude":
            visitor.ask(LONG, "0.5")
            visitor.check()
            visitor.ask(f"{COUNT} ORDER BY region", "0.5")
            visitor.check()
            for sql in TRIED:
                visitor.page.goto(f"{visitor.address}/ask")
                visitor.page.fill("#sql", sql)
                visitor.page.click("button >> text=/^Ask$/")
                visitor.page.wait_for_selector("[role=alert]")
                visitor.check()
        wrong += [f"{name}: {one}" for one in visitor.wrong]
        visitor.page.context.close()
    assert wrong == []
