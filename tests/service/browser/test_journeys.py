"""The ways of an analyst and a custodian through the pages, in Chromium."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from service.browser.helpers_browser import (
    ANALYST_PAGES,
    CUSTODIAN_PAGES,
    Scheme,
    Visitor,
    open_visitor,
)
from service.helpers_service import COUNT, PASSWORD, RunningService

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.long
SCREENS: list[tuple[str, Scheme]] = [("desktop", "light"), ("phone", "dark")]


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_an_analyst_asks_and_finds_the_answer_again(
    browser: Browser, clinic: RunningService, width: str, scheme: Scheme
) -> None:
    ana = open_visitor(browser, clinic, width, scheme)
    page = ana.page
    ana.open("/login")
    ana.log_in("ana")
    assert page.inner_text("h1") == "Ask"
    ask_with_preview(ana, f"SELECT region, COUNT(*) AS n FROM visits WHERE age < {len(width)}1 ")

    answer = page.locator("#answer")
    assert answer.locator("svg:visible .whisker").count() == 2
    boxes = [
        answer.locator(part).first.bounding_box() for part in (".caveats", "svg:visible", "table")
    ]
    tops = [box["y"] for box in boxes if box is not None]
    assert tops == sorted(tops)
    assert len(tops) == 3
    numbers = answer.locator("tbody td.number").all_inner_texts()
    page.click("text=The same in Python")
    page.wait_for_selector("text=hr.remote")
    ana.check()
    with page.expect_download() as download:
        page.click("text=Download CSV")
    text = download.value.path().read_text()
    assert [f"{int(line.split(',')[1]):,}" for line in text.split()[1:]] == numbers

    page.click("summary >> text=Save")
    page.fill("form#ask [name=name]", f"by region, {width}")
    page.click("text=Save question")
    assert page.inner_text(".message") == f"Saved as by region, {width}."
    page.click(f"aside >> text=by region, {width}")
    page.wait_for_selector(".panel >> text=free")
    page.click(f"[aria-label='Delete by region, {width}']")
    assert page.locator(f"text=by region, {width}").count() == 0

    for name in ANALYST_PAGES:
        ana.open(f"/{name}")
    page.goto(f"{ana.address}/history")
    page.click("text=Ask again >> nth=0")
    page.wait_for_selector(".panel >> text=free")
    page.click("text=Log out")
    page.goto(f"{ana.address}/ask")
    assert page.inner_text("h1") == "Log in to clinic"
    assert ana.wrong == []
    page.context.close()


def ask_with_preview(ana: Visitor, sql: str) -> None:
    """Type a question, complete a name, move the slider, and ask."""
    page = ana.page
    page.locator("#sql").press_sequentially(f"{sql}GROUP BY reg")
    page.wait_for_selector("#words [role=option] >> text=region")
    page.keyboard.press("Tab")
    assert page.input_value("#sql").endswith("GROUP BY region")
    page.wait_for_selector(".panel")
    assert "epsilon 0.5" in page.inner_text(".panel")
    assert float(page.input_value("#error")) > 0
    ana.check()
    page.fill("#epsilon", "0.25")
    page.wait_for_selector(".panel >> text=epsilon 0.25")
    page.fill("#error", "20")
    page.wait_for_selector(".panel >> text=about 20 on average")
    found = page.input_value("#epsilon")
    assert 0 < float(found) < 0.25
    page.focus("#slider")
    page.keyboard.press("ArrowRight")
    assert float(page.input_value("#epsilon")) >= float(found)
    page.keyboard.press("ArrowLeft")
    page.fill("#epsilon", "0.3")
    page.focus("#sql")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#answer")
    assert page.input_value("#epsilon") == "0.3"
    ana.check()


def test_a_question_costs_what_its_preview_says(browser: Browser, clinic: RunningService) -> None:
    """Also at the default epsilon, where the field of the error shows a rounded number."""
    ana = open_visitor(browser, clinic, "desktop", "light")
    page = ana.page
    ana.log_in("ana")
    page.fill("#sql", "SELECT COUNT(*) AS n FROM visits WHERE age < 71")
    page.wait_for_selector(".panel >> text=epsilon 0.5")
    assert float(page.input_value("#error")) > 0
    page.click("button >> text=/^Ask$/")
    page.wait_for_selector("#answer")
    assert page.inner_text(".price strong").startswith("Cost: epsilon 0.5, rho")
    assert page.input_value("#epsilon") == ""
    assert ana.wrong == []
    page.context.close()


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_a_custodian_changes_the_policy_and_a_token(
    browser: Browser, clinic: RunningService, width: str, scheme: Scheme
) -> None:
    carl = open_visitor(browser, clinic, width, scheme)
    page = carl.page
    carl.log_in("carl")
    assert page.inner_text("h1") == "Overview"
    for name in CUSTODIAN_PAGES:
        carl.open(f"/{name}")

    file = clinic.service.settings.policy
    (before,) = re.findall(r"age = .*(max = \d+)", file.read_text())
    after = f"max = {int(before.split()[-1]) + 1}"
    file.write_text(file.read_text().replace(before, after, 1))
    carl.open("/overview")
    page.click("text=See the change.")
    assert before in page.inner_text(".diff .removed")
    carl.check()
    assert after in page.inner_text(".diff .added")
    assert "max changes from" in page.inner_text(".caveats")
    page.fill("[name=note]", "older patients")
    page.fill("[name=password]", "not my password")
    page.click("text=Accept this policy")
    assert "not your password" in page.inner_text("[role=alert]")
    carl.check()
    page.goto(f"{carl.address}/policy")
    page.fill("[name=password]", PASSWORD)
    page.click("text=Accept this policy")
    page.wait_for_selector("text=This is the policy that rules.")

    page.goto(f"{carl.address}/tokens")
    page.fill("[name=name]", f"tablet {width}")
    page.fill("form[action='/tokens'] [name=password]", PASSWORD)
    page.click("text=Create token")
    token = page.inner_text(".token")
    carl.check()
    assert clinic.service.accounts.find_caller(token) is not None
    page.click(f"[aria-label='Revoke tablet {width}']")
    page.wait_for_load_state()
    assert clinic.service.accounts.find_caller(token) is None
    page.goto(f"{carl.address}/ledger")
    page.click("text=Verify the chain")
    assert "nothing is wrong" in page.inner_text(".message")
    page.click("text=Log out")
    assert page.inner_text("h1") == "Log in to clinic"
    assert carl.wrong == []
    page.context.close()


def test_everything_but_the_preview_works_without_scripts(
    browser: Browser, clinic: RunningService
) -> None:
    ana = open_visitor(browser, clinic, "desktop", "light", java_script_enabled=False)
    page = ana.page
    ana.log_in("ana")
    assert not page.is_visible("#slider")
    page.fill("#sql", f"{COUNT} ORDER BY n")
    page.fill("#error", "7")
    page.click("text=Explain for free")
    assert "Questions like this left" in page.inner_text(".panel")
    epsilon = page.input_value("#epsilon")
    assert float(epsilon) > 0
    page.click("button >> text=/^Ask$/")
    assert f"epsilon {float(epsilon):g}" in page.inner_text(".price")
    assert page.locator("#answer tbody tr").count() == 2
    assert page.locator("#answer svg:visible .whisker").count() == 2
    page.goto(f"{ana.address}/history")
    assert "ORDER BY n" in page.inner_text(".entries >> nth=0")
    page.click("text=Log out")
    assert page.inner_text("h1") == "Log in to clinic"
    assert ana.wrong == []
    page.context.close()
