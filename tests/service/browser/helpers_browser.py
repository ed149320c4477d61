"""A real browser on the pages: whatever it visits is checked for scripts that fail, requests to
other hosts, text that overflows, and accessibility."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from service.helpers_service import PASSWORD, RunningService

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = Path("/usr/bin/chromium")
NO_CHROMIUM = "Chromium is not installed: the pages are not tested in a browser"
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"),
    *("--disable-component-update", "--no-first-run"),
]
Scheme = Literal["light", "dark"]
WIDTHS = {"desktop": (1280, 900), "phone": (390, 844)}
ANALYST_PAGES = ("ask", "history", "budget", "tables", "publications", "tokens")
CUSTODIAN_PAGES = ("overview", "policy", "accounts", "clipping", "ledger")


@dataclass
class Visitor:
    """Somebody at a screen, and all that went wrong there."""

    page: Page
    address: str
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", self._note_message)
        self.page.on("pageerror", lambda error: self.wrong.append(f"script: {error}"))
        self.page.on("request", self._note_request)

    def _note_message(self, message: Any) -> None:
        # A refusal is shown on the page; the browser also logs its status.
        refused = "Failed to load resource" in message.text and " 40" in message.text
        if message.type in ("error", "warning") and not refused:
            self.wrong.append(f"console: {message.text}")

    def _note_request(self, request: Any) -> None:
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.wrong.append(f"request to {urlsplit(request.url).netloc}")

    def open(self, path: str) -> None:
        """Open a page and check it."""
        self.page.goto(f"{self.address}{path}")
        self.check()

    def log_in(self, name: str) -> None:
        """Log in by the form."""
        self.page.goto(self.address)
        self.page.fill("[name=name]", name)
        self.page.fill("[name=password]", PASSWORD)
        self.page.click("main button")
        self.page.wait_for_selector("nav[aria-label=Pages]")

    def ask(self, sql: str, epsilon: str) -> None:
        """Ask a question by the form."""
        self.page.goto(f"{self.address}/ask")
        self.page.fill("#sql", sql)
        self.page.fill("#epsilon", epsilon)
        self.page.click("button >> text=/^Ask$/")
        self.page.wait_for_selector("#answer")

    def check(self) -> None:
        """Check the page that is shown, once its style sheet is there."""
        self.page.wait_for_load_state()
        where = urlsplit(self.page.url).path
        if self.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            self.wrong.append(f"{where} is wider than the screen")
        self.wrong += [f"{where}: {one}" for one in find_violations(self.page)]


def find_violations(page: Page) -> list[str]:
    """Return the serious findings of axe."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def open_visitor(
    browser: Browser, running: RunningService, width: str, scheme: Scheme, **more: Any
) -> Visitor:
    """Open an empty page at a screen of this width."""
    wide, high = WIDTHS[width]
    context = browser.new_context(
        viewport={"width": wide, "height": high}, color_scheme=scheme, **more
    )
    context.set_default_timeout(30_000)
    return Visitor(context.new_page(), f"http://127.0.0.1:{running.port}")
