"""One browser and one service for a module of tests; passwords are cheap to check here.

Playwright leaves its event loop running in this thread, so no other test may come in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from service.browser.helpers_browser import CHROMIUM, FLAGS, NO_CHROMIUM
from service.helpers_service import PASSWORD, RunningService, make_service

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        pytest.skip(NO_CHROMIUM)
    # Imported here, so that no other test waits for it.
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hedgerow.service.accounts.passwords._COST", 2)
        server = RunningService(make_service(tmp_path_factory.mktemp("clinic")))
        for name in ("ana", "carl", "aude"):
            server.service.accounts.set_password(name, PASSWORD, "test")
        yield server
        server.stop()
