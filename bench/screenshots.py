"""Screenshots of the service's pages, over the sample clinic, in Debian's Chromium.

``python -m bench.screenshots FOLDER`` writes every page at two widths, in light and in dark;
without a folder it makes anew the two pictures of docs/img.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from hedgerow.demo.clinic import prepare_clinic
from hedgerow.demo.demo_accounts import DemoAccounts, prepare_accounts
from hedgerow.service.departures import Departures
from hedgerow.service.query_service import QueryService
from hedgerow.service.server import find_free_port, serve
from hedgerow.service.settings import ServiceSettings

PICTURES = Path(__file__).parents[1] / "docs" / "img"
CHROMIUM = "/usr/bin/chromium"
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")
WIDTHS = {"desktop": (1280, 900), "phone": (390, 844)}
SCHEMES = ("light", "dark")
QUESTION = """\
SELECT region, COUNT(*) AS visits, AVG(cost) AS mean_cost
FROM visits
WHERE age >= 65
GROUP BY region"""
BY_MONTH = "SELECT EXTRACT(MONTH FROM day) AS month, COUNT(*) AS n FROM visits GROUP BY month"
ANALYST_PAGES = ("ask", "history", "budget", "tables", "publications", "tokens")
CUSTODIAN_PAGES = ("overview", "history", "policy", "accounts", "clipping", "ledger")
PAID = (
    ("SELECT sex, COUNT(*) AS n FROM patients GROUP BY sex", "0.1"),
    ("SELECT region, AVG(bmi) AS bmi FROM patients GROUP BY region", "0.2"),
    (BY_MONTH, "0.3"),
)


@contextmanager
def run_clinic(folder: Path) -> Iterator[tuple[str, DemoAccounts]]:
    """Serve the sample clinic in a thread; yield its address and its accounts."""
    policy, _ = prepare_clinic(folder / "demo")
    # Measured clipping, so that its page has something to show.
    text = policy.read_text(encoding="utf-8")
    text = text.replace('noise   = "laplace"', 'noise   = "laplace"\nclipping_epsilon = 0.05', 1)
    policy.write_text(text, encoding="utf-8")
    settings = ServiceSettings(
        policy,
        port=find_free_port("127.0.0.1", 18_800),
        pg_port=find_free_port("127.0.0.1", 18_900),
        departures=Departures(run_seconds=3.0),
    )
    service = QueryService(settings)
    found = prepare_accounts(service.accounts, policy.parent)
    started, loop, stopping = threading.Event(), asyncio.new_event_loop(), asyncio.Event()

    def work() -> None:
        loop.run_until_complete(serve(service, settings, started.set, stopping))

    thread = threading.Thread(target=work)
    thread.start()
    started.wait(60)
    try:
        yield f"http://127.0.0.1:{settings.port}", found
    finally:
        loop.call_soon_threadsafe(stopping.set)
        thread.join()
        service.close()


def open_page(
    browser: Browser, address: str, found: DemoAccounts, name: str, width: str, scheme: Any
) -> Page:
    """Log in with a screen of this width."""
    wide, high = WIDTHS[width]
    page = browser.new_page(viewport={"width": wide, "height": high}, color_scheme=scheme)
    page.goto(address)
    page.fill("[name=name]", name)
    page.fill("[name=password]", found.passwords[name])
    page.click("text=Log in >> nth=-1")
    return page


def ask(page: Page, address: str, sql: str, epsilon: str) -> None:
    """Ask a question on the page."""
    page.goto(f"{address}/ask")
    page.fill("#sql", sql)
    page.fill("#epsilon", epsilon)
    page.click("form#ask button >> nth=0")
    page.wait_for_selector("section.answer")


def shoot_pages(browser: Browser, address: str, found: DemoAccounts, folder: Path) -> None:
    """Shoot every page at every width in every scheme."""
    for width in WIDTHS:
        for scheme in SCHEMES:
            mark = f"{width}-{scheme}"
            page = open_page(browser, address, found, "ana", width, scheme)
            for name in ANALYST_PAGES:
                page.goto(f"{address}/{name}")
                page.screenshot(path=folder / f"{mark}-{name}.png", full_page=True)
            page.goto(f"{address}/ask")
            page.fill("#sql", QUESTION)
            page.wait_for_selector(".panel")
            page.focus("#sql")
            page.keyboard.press("End")
            page.keyboard.type(" HAVING me")
            page.wait_for_selector("#words [role=option]")
            page.screenshot(path=folder / f"{mark}-preview.png", full_page=True)
            for name, sql in (("answer", QUESTION), ("line", BY_MONTH)):
                ask(page, address, sql, "0.3")
                page.screenshot(path=folder / f"{mark}-{name}.png", full_page=True)
            page.goto(f"{address}/ask")
            page.fill("#sql", "SELECT * FROM visits")
            page.click("form#ask button >> nth=0")
            page.wait_for_selector(".problem")
            page.screenshot(path=folder / f"{mark}-refusal.png", full_page=True)
            page.close()
            page = open_page(browser, address, found, "carl", width, scheme)
            for name in CUSTODIAN_PAGES:
                page.goto(f"{address}/{name}")
                page.screenshot(path=folder / f"{mark}-carl-{name}.png", full_page=True)
            page.goto(f"{address}/ledger?verify=yes")
            page.screenshot(path=folder / f"{mark}-carl-verified.png")
            page.close()
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(f"{address}/login")
    page.screenshot(path=folder / "phone-light-login.png")
    page.close()


def shoot_documentation(browser: Browser, address: str, found: DemoAccounts) -> None:
    """Shoot the two pictures of the documentation."""
    page = open_page(browser, address, found, "ana", "desktop", "light")
    ask(page, address, QUESTION, "0.5")
    page.evaluate("scrollTo(0, 0)")
    page.set_viewport_size({"width": 1060, "height": 1000})
    page.screenshot(path=PICTURES / "service-ask.png")
    page.close()
    page = open_page(browser, address, found, "carl", "desktop", "light")
    page.set_viewport_size({"width": 1060, "height": 560})
    page.goto(f"{address}/overview")
    page.screenshot(path=PICTURES / "service-overview.png")
    page.close()


def main(arguments: Sequence[str]) -> None:
    """Make the screenshots."""
    with (
        tempfile.TemporaryDirectory() as folder,
        run_clinic(Path(folder)) as (address, found),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        page = open_page(browser, address, found, "ana", "desktop", "light")
        for sql, epsilon in PAID:
            ask(page, address, sql, epsilon)
        page.close()
        if arguments:
            Path(arguments[0]).mkdir(parents=True, exist_ok=True)
            shoot_pages(browser, address, found, Path(arguments[0]))
        else:
            shoot_documentation(browser, address, found)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
